"""Retarget: the same motion on a body with other proportions, with its feet planted again.

`python examples/02_retarget.py [FOLDER]` puts a dance on a body with long legs and on a small one.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import numpy as np

import motionloom as ml


def body_like(clip: ml.Clip, legs: float, rest: float) -> ml.Clip:
    """A clip of a body with the same joints, its legs and all other bones scaled."""
    roles = clip.skeleton.roles
    scale = np.array([legs if "shin" in role or "foot" in role else rest for role in roles])
    skeleton = dataclasses.replace(clip.skeleton, offsets=clip.skeleton.offsets * scale[:, None])
    return ml.replace(clip, skeleton=skeleton)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    dance = ml.samples.make("dance", seconds=5, seed=1)
    stand = ml.samples.make("walk", seconds=2)
    clips, titles = [dance], ["original"]
    for title, legs, rest in (("long legs", 1.25, 1.0), ("small", 0.6, 0.7)):
        made, report = ml.retarget(dance, body_like(stand, legs, rest))
        print(f"{title}: {report}")
        ml.save(made, folder / f"dance_{title.replace(' ', '_')}.glb")
        clips.append(made)
        titles.append(title)
    ml.save_filmstrip(clips, folder / "02_retarget.png", titles=titles)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples"))
