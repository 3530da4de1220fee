"""Drive live characters round a square: a motion-matching and a motion-graph character, learned from computed walks.

`python examples/live_square.py [FOLDER]` writes, for each, a filmstrip of one corner and a player in one HTML file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from motionloom.control import foot_locked, record, run
from motionloom.core import Clip
from motionloom.core.poses import Commands, Poses, commands
from motionloom.kinematics.travel import travel
from motionloom.methods import learn
from motionloom.methods.live import live_of
from motionloom.plot.filmstrip import save_filmstrip
from motionloom.plot.player import write_player
from motionloom.samples import make

SIDE = 6.0  # m
CORNERS = SIDE * np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
NEAR = 0.8  # m: a corner is passed this near
SECONDS, RATE = 30.0, 60.0


def walks() -> list[Clip]:
    """Walks of one person, straight on and in circles to both sides."""
    return [make("walk", seed=i, turn=float(t), seconds=8) for i, t in enumerate(np.linspace(-0.9, 0.9, 9))]


def driven(method: str, clips: list[Clip]) -> Clip:
    """A character with its feet locked that goes from corner to corner."""
    live = foot_locked(live_of(learn(method, clips)))
    passed = 0

    def steer(time: float, poses: Poses | None) -> Commands:
        nonlocal passed
        goal = CORNERS[passed % 4]
        if poses is not None and np.linalg.norm(poses.root[0, [0, 2]] - goal) < NEAR:
            passed += 1
        return commands(place=CORNERS[passed % 4])

    clip = record(live, run(live, live.begin([1]), steer, [1 / RATE] * round(SECONDS * RATE)), RATE)
    print(f"{method}: {passed} corners in {SECONDS:g} s, {len(live.material.table)} clips")
    return clip


def corner(clip: Clip) -> Clip:
    """Four seconds around the fastest turn."""
    heading = travel(clip).heading
    turn = np.abs(heading[60:] - heading[:-60])
    middle = int(turn.argmax()) + 30
    start = min(max(0, middle - 120), len(clip) - 240)
    return clip[start : start + 240]


def main(folder: Path) -> None:
    """All pictures and players."""
    folder.mkdir(parents=True, exist_ok=True)
    for method in ("motion-matching", "motion-graph"):
        clip = driven(method, walks())
        save_filmstrip([corner(clip)], folder / f"{method}_corner.png")
        write_player(clip, folder / f"{method}_square.html", titles=[method])


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/live_square"))
