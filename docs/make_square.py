"""Makes the animation of docs/live.md, docs/live_square.webp: python docs/make_square.py FOLDER_OF_CMU_CLIPS

Motion matching and a motion graph learn from eleven walks of subject 16 of mocap.cs.cmu.edu. A character of each is
stepped 60 times a second and sent from corner to corner of a square. The credit is written into the picture.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import motionloom as ml
from motionloom.control import foot_locked, record, run
from motionloom.core.poses import Commands, Poses, commands
from motionloom.methods.live import live_of
from motionloom.plot import animate
from motionloom.plot.view import View

HERE = Path(__file__).parent
TAKES = (11, 13, 15, 16, 17, 19, 21, 23, 25, 27, 29)  # of subject 16: straight on, veering, turning by 90 degrees
CORNERS = 5.0 * np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])  # m
NEAR = 0.8  # m: closer than this, a corner counts as reached
SECONDS, RATE = 20.0, 60.0
SEED = 5  # of five, the one whose graph leaves the square by the median distance
CREDIT = "learned from mocap.cs.cmu.edu"


def driven(method: str, clips: list[ml.Clip], seed: int = SEED) -> ml.Clip:
    """A character of a method that goes round the square."""
    live = foot_locked(live_of(ml.learn(method, clips)))
    reached = 0

    def steer(time: float, poses: Poses | None) -> Commands:
        """The next corner as the place to go to."""
        nonlocal reached
        if poses is not None and np.linalg.norm(poses.root[0, [0, 2]] - CORNERS[reached % 4]) < NEAR:
            reached += 1
        return commands(place=CORNERS[reached % 4])

    clip = record(live, run(live, live.begin([seed]), steer, [1 / RATE] * round(SECONDS * RATE)), RATE)
    print(f"{method}: {reached} corners in {SECONDS:g} s")
    return clip


def main(folder: Path, out: Path) -> None:
    """Learn, drive both characters, and write the animation and the clips."""
    clips = [ml.load(folder / f"16_{take}.bvh", trim_tpose=True) for take in TAKES]
    walks = [driven(method, clips) for method in ("motion-matching", "motion-graph")]
    out.mkdir(parents=True, exist_ok=True)
    for walk, name in zip(walks, ("matching", "graph"), strict=True):
        ml.save(walk, out / f"square_{name}.bvh")
    line = np.concatenate([CORNERS[-1:], CORNERS])
    animate(
        walks,
        HERE / "live_square.webp",
        layout="side",
        fps=8,
        size=(560, 270),
        follow=False,
        view=View(np.radians(40.0), np.radians(35.0)),
        routes=[line, line],
        keep_prints=True,
        captions=False,
        note=CREDIT,
        quality=30,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "out"))
