"""Remove foot skate: planted feet stay in place, and the rest of the motion hardly changes.

`python examples/01_clean_feet.py [FOLDER]` makes a walk that slides, cleans it, and draws both.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import motionloom as ml


def sliding(clip: ml.Clip, speed: float) -> ml.Clip:
    """The clip with its root drifting sideways, as after a careless edit."""
    drift = np.zeros_like(clip.root)
    drift[:, 0] = speed * np.arange(len(clip)) / clip.fps
    return ml.replace(clip, root=clip.root + drift)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    bad = sliding(ml.samples.make("walk", speed=1.3, seconds=4, seed=2), speed=0.25)
    clean, report = ml.remove_skate(bad)
    print(report)
    moved = np.linalg.norm(ml.fk(clean) - ml.fk(bad), axis=2)
    print(f"joints moved by {100 * moved.mean():.1f} cm on average, {100 * moved.max():.1f} cm at most")
    ml.save(clean, folder / "clean.bvh")
    ml.save_filmstrip([bad, clean], folder / "01_clean_feet.png", titles=["sliding", "cleaned"])


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples"))
