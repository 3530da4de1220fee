"""Drive a live character: motion matching, stepped 60 times a second, sent from corner to corner of a square.

`python examples/07_drive_a_live_character.py [FOLDER]` records 16 s and writes a filmstrip and a player.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import motionloom as ml
from motionloom.control import foot_locked, record, run
from motionloom.core.poses import Commands, Poses, commands
from motionloom.methods.live import live_of

CORNERS = 4.0 * np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])  # m
NEAR = 0.8  # m: closer than this, a corner counts as reached
SECONDS, RATE = 16.0, 60.0


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    turns = np.linspace(-0.9, 0.9, 7)
    clips = [ml.samples.make("walk", turn=float(turn), seconds=6, seed=i) for i, turn in enumerate(turns)]
    live = foot_locked(live_of(ml.learn("motion-matching", clips)))
    reached = 0

    def steer(time: float, poses: Poses | None) -> Commands:
        """The next corner as the place to go to."""
        nonlocal reached
        if poses is not None and np.linalg.norm(poses.root[0, [0, 2]] - CORNERS[reached % 4]) < NEAR:
            reached += 1
        return commands(place=CORNERS[reached % 4])

    steps = run(live, live.begin(seeds=[1]), steer, [1 / RATE] * round(SECONDS * RATE))
    clip = record(live, steps, RATE)
    print(f"{reached} corners in {SECONDS:g} s")
    ml.write_player(clip, folder / "square.html")
    ml.save_filmstrip(clip, folder / "07_drive_a_live_character.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples"))
