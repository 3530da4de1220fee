"""Join two clips: where they look most alike, with a short transition in which no planted foot slides.

`python examples/04_join_two_clips.py [FOLDER]` joins a walk and a run, by a blend and by a stitch.
"""

from __future__ import annotations

import sys
from pathlib import Path

import motionloom as ml
from motionloom.blend import append, transition_point


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    walk = ml.samples.make("walk", speed=1.5, seconds=3, seed=4)
    run = ml.samples.make("run", speed=2.4, seconds=3, seed=5)
    point = transition_point(walk, run)
    apart = 100 * point.distance**0.5  # the distance is a mean square, in square metres
    print(f"most alike: frame {point.a} of the walk and frame {point.b} of the run, {apart:.1f} cm apart")
    clips, titles = [], []
    for method in ("blend", "stitch"):
        joined = append(walk, run, method=method)
        ml.save(joined, folder / f"walk_to_run_{method}.bvh")
        clips.append(joined)
        titles.append(method)
    ml.save_filmstrip(clips, folder / "04_join_two_clips.png", titles=titles)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples"))
