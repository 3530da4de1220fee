"""Stepping live characters on: commands that stay, or that are decided at every step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from motionloom.core.poses import Commands, Poses
from motionloom.methods.live import Live, State

Steered = Callable[[float, Poses | None], Commands]
"""The commands at a time (s), given the poses of the last step; None before the first."""


def run(
    live: Live, state: State, commands: Commands | Steered, steps: Iterable[float]
) -> Iterator[tuple[State, Poses]]:
    """The state and poses after each of these time steps (s): `[1 / 60] * 600`, or an endless iterator.

    >>> for state, poses in run(live, live.begin([7]), commands(heading=0.5), [1 / 60] * 600): ...
    """
    time, poses = 0.0, None
    for dt in steps:
        now = commands(time, poses) if callable(commands) else commands
        state, poses = live.step(state, now, dt)
        time += dt
        yield state, poses
