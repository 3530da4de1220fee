"""Read a file: what is in it, where its joints are, and a filmstrip.

`python examples/00_read_a_file.py [FOLDER]` writes a BVH file of a computed walk, reads it again and draws it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import motionloom as ml


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ml.save(ml.samples.make("walk", speed=1.3, seconds=4, seed=1), folder / "walk.bvh")

    walk = ml.load(folder / "walk.bvh")  # metres and y up, whatever the file is in; joint roles are found
    print(walk)
    print("joints:", ", ".join(walk.skeleton.names[:5]), "...")

    positions = ml.fk(walk)  # (frames, joints, 3)
    head = walk.skeleton.joint("head")  # by role, or by its name in the file
    print(f"the head is {positions[:, head, 1].mean():.2f} m above the ground on average")

    path = ml.travel(walk)  # where the body is on the ground, and which direction it faces
    print(f"it walks {abs(path.place[-1] - path.place[0]).max():.2f} m in {walk.seconds:.1f} s")

    middle = walk[60:180]  # a slice is a clip
    ml.save_filmstrip([walk, middle], folder / "00_read_a_file.png", titles=["all", "frames 60 to 179"])


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples"))
