"""The plan of a live character: its orders, timed commands, and how they are carried out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from motionloom.core import FloatArray, Progress
from motionloom.core.poses import Commands, commands
from motionloom.methods.base import Band
from motionloom.methods.live import Live, State


class TimedCommands(NamedTuple):
    """Commands from a frame on; NaN or -1 for none."""

    frame: int
    heading: float
    speed: float
    place: tuple[float, float]
    facing: float
    action: int
    values: tuple[float, ...]
    target: tuple[float, float, float]

    @property
    def steered(self) -> bool:
        """Whether anything is commanded; without it, the next clip is a random one."""
        return self.action >= 0 or not np.isnan([self.heading, self.speed, self.place[0]]).all()

    @property
    def commands(self) -> Commands:
        """As a step takes them."""
        return joined_orders([self])


class ParametricGraphPlan(NamedTuple):
    """The beginning of a character, and its orders."""

    length: int
    seed: int
    orders: tuple[TimedCommands, ...]
    shown: tuple[str, ...]  # the node of each frame
    reason: str = ""

    @property
    def frames(self) -> int:
        return self.length

    def bands(self) -> list[Band]:
        out, at = [], 0
        for name, run in groupby(self.shown):
            count = len(list(run))
            out.append(Band(at, count, name, "clip"))
            at += count
        return out


def joined_orders(orders: Sequence[TimedCommands]) -> Commands:
    """The commands of several characters, one order for each."""
    return commands(
        heading=[o.heading for o in orders],
        speed=[o.speed for o in orders],
        place=[o.place for o in orders],
        facing=[o.facing for o in orders],
        action=[o.action for o in orders],
        values=[o.values for o in orders],
        target=[o.target for o in orders],
    )


def run_orders(
    live: Live, state: State, orders: Sequence[TimedCommands], frames: int, progress: Progress | None = None,
    looks: FloatArray | None = None,
) -> Any:  # fmt: skip
    """The states and poses of a recording: the first pose, then a step for each frame, by its order and look (1, 3)."""
    at, now = 0, commands()
    state, poses = live.step(state, now, 0.0)
    yield state, poses
    for f in range(1, frames):
        while at < len(orders) and orders[at].frame <= f - 1:
            now, at = orders[at].commands, at + 1
        if progress is not None:
            progress(f / frames, "stepping")
        given = now if looks is None else now._replace(look=looks[f])
        state, poses = live.step(state, given, 1.0 / live.fps)
        yield state, poses
