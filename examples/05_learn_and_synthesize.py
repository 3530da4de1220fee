"""Learn and synthesize: a model from three clips, and new motion of any length from it.

`python examples/05_learn_and_synthesize.py [FOLDER]` learns `cuts` and makes three takes of 12 s.
"""

from __future__ import annotations

import sys
from pathlib import Path

import motionloom as ml


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    turns = {"straight": 0.0, "left": 0.4, "right": -0.4}
    clips = [ml.samples.make("walk", turn=turn, seconds=4, seed=i) for i, turn in enumerate(turns.values())]
    model = ml.learn("cuts", clips)
    print(model, *model.notes, sep="\n  ")
    ml.save_model(model, folder / "walks.loom")  # the clips are not needed any more

    model = ml.load_model(folder / "walks.loom")
    takes = [ml.synthesize(model, ml.Request(seconds=12), seed=7, take=take) for take in range(3)]
    for take, clip in enumerate(takes):
        pieces = clip.origin.spans()  # runs of frames from one source: every frame has a known origin
        print(f"take {take}: {len(clip)} frames in {len(pieces)} pieces")
        ml.save(clip, folder / f"take_{take}.bvh")
    ml.save_filmstrip(takes, folder / "05_learn_and_synthesize.png", titles=[f"take {i}" for i in range(3)])


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples"))
