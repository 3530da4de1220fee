"""Follow a path: a motion graph makes a walk along a line on the ground, and reports how far it is from it.

`python examples/06_follow_a_path.py [FOLDER]` learns from five walks and follows a path of 9 m.
"""

from __future__ import annotations

import sys
from pathlib import Path

import motionloom as ml
from motionloom.methods import attempt

REQUEST = """
constraints:
- root_path: {points: [[0, 0], [0, 3], [2, 5], [4, 4]], weight: 1}
"""


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    turns = (0.0, 0.6, -0.6, 1.2, -1.2)
    clips = [ml.samples.make("walk", speed=1.2, turn=turn, seconds=4, seed=i) for i, turn in enumerate(turns)]
    model = ml.learn("motion-graph", clips)
    found = attempt(model, ml.Request.from_yaml(REQUEST), seed=1)
    for row in found.residuals:
        print(f"{row.constraint}: {row.worst:.2f} {row.unit} at worst, tolerance {row.tolerance:g}")
    assert found.clip is not None
    for band in found.plan.bands() if found.plan else ():
        print(f"  frame {band.start:4d}: {band.frames:3d} frames of {band.kind} {band.name}")
    ml.save(found.clip, folder / "path.bvh")
    ml.save_filmstrip(found.clip, folder / "06_follow_a_path.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples"))
