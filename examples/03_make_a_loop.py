"""Make a loop: find the stretch of a clip that repeats best, close it, and repeat it.

`python examples/03_make_a_loop.py [FOLDER]` makes a walk cycle and eight of them in a row.
"""

from __future__ import annotations

import sys
from pathlib import Path

import motionloom as ml
from motionloom.kinematics import close_loop, repeat, seam


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    walk = ml.samples.make("walk", speed=1.2, seconds=5, seed=3)
    loop = ml.find_loop(walk, longest=1.5)
    print(f"frames {loop.start} to {loop.end}: the seam is {100 * loop.seam:.1f} cm wide")
    cycle = close_loop(walk, loop)
    print(f"closed: {100 * seam(cycle, 0, len(cycle) - 1):.1f} cm")
    ml.save(cycle, folder / "cycle.bvh")
    ml.save(repeat(cycle, 8), folder / "eight_cycles.bvh")
    ml.save_filmstrip([cycle, repeat(cycle, 4)], folder / "03_make_a_loop.png", titles=["cycle", "four of them"])


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples"))
