"""Makes the README's animation, docs/hero.webp: python docs/make_hero.py FOLDER_OF_CMU_CLIPS

A motion graph is learned from eleven walks of subject 16 of mocap.cs.cmu.edu. Three characters then follow three paths
drawn on the floor. The credit for the clips is written into the picture.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import motionloom as ml
from motionloom.constraints import RootPath, Start
from motionloom.core import FloatArray
from motionloom.methods.base import Model
from motionloom.plot import animate
from motionloom.plot.view import View

HERE = Path(__file__).parent
TAKES = (11, 13, 15, 16, 17, 19, 21, 23, 25, 27, 29)  # of subject 16: straight on, veering, turning by 90 degrees
SECONDS = 8.0
CREDIT = "three walks from one motion graph, learned from 11 clips of mocap.cs.cmu.edu"


def routes() -> list[FloatArray]:
    """Three curves over the floor (x, z), in metres, that start side by side."""
    t = np.linspace(0, 1, 40)
    weave = np.stack([0.9 * np.sin(2 * np.pi * t), 8.6 * t], -1)
    outward = np.stack([1.7 + 2.0 * t**2, 7.2 * np.sin(0.5 * np.pi * t)], -1)
    inward = np.stack([-1.6 - 1.3 * np.sin(np.pi * t), 7.2 * t], -1)
    return [weave, outward, inward]


def walk_along(model: Model, route: FloatArray, seed: int) -> ml.Clip:
    """A character that follows a route from its first point to its last."""
    ahead = route[1] - route[0]
    start = Start((float(route[0, 0]), float(route[0, 1])), float(np.arctan2(ahead[0], ahead[1])))
    path = RootPath(points=tuple(map(tuple, route.tolist())), weight=1.0)
    return ml.synthesize(model, ml.Request(start=start, constraints=(path,)), seed=seed)


def main(folder: Path) -> None:
    """Learn, let three characters walk, and write the animation."""
    files = [folder / f"16_{take}.bvh" for take in TAKES]
    model = ml.learn("motion-graph", [ml.load(file, trim_tpose=True) for file in files], files=files)
    walks = [walk_along(model, route, seed) for seed, route in enumerate(routes())]
    animate(
        [walk[: round(SECONDS * walk.fps)] for walk in walks],
        HERE / "hero.webp",
        layout="scene",
        fps=20,
        size=(800, 420),
        follow=False,
        view=View(np.radians(58.0), np.radians(21.0)),
        routes=routes(),
        keep_prints=True,
        captions=False,
        note=CREDIT,
        quality=74,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
