"""Stepping live characters with constant commands, or with commands computed at every step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import length_hint

from motionloom.core import Progress, silent
from motionloom.core.poses import Commands, Poses
from motionloom.methods.live import Live, State

REPORT_INTERVAL = 50  # steps from one report of progress to the next

Steered = Callable[[float, Poses | None], Commands]
"""The commands at a time (s), given the poses of the last step; None before the first."""


def run(
    live: Live, state: State, commands: Commands | Steered, steps: Iterable[float], *, progress: Progress | None = None
) -> Iterator[tuple[State, Poses]]:
    """The state and poses after each of these time steps (s): `[1 / 60] * 600`, or an endless iterator.

    `progress` is called after every `REPORT_INTERVAL` steps, with the share of them where their number is known.

    >>> from motionloom.core.poses import commands
    >>> from motionloom.methods import learn
    >>> from motionloom.samples import make
    >>> live = learn("motion-matching", [make("walk", seconds=4)]).live
    >>> half_a_minute = run(live, live.begin([7]), commands(heading=0.5), [1 / 60] * 1800)
    >>> sum(1 for state, poses in half_a_minute)
    1800
    """
    report, total = progress or silent(), length_hint(steps)
    time, poses = 0.0, None
    for done, dt in enumerate(steps):
        if done % REPORT_INTERVAL == 0:
            report(min(1.0, done / total) if total else None, "stepping")
        now = commands(time, poses) if callable(commands) else commands
        state, poses = live.step(state, now, dt)
        time += dt
        yield state, poses
    report(1.0, "stepping")
