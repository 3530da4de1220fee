"""Compiled parts that all live methods share: random numbers, checks of commands, poses between ticks. No checks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_rotation import mixed

EARLY = 1e-9  # s: a tick this near is made now, so that 2/60 s are one tick of 30 fps
HEADING, SPEED, PLACE_X, PLACE_Z, FACING, ACTION = range(6)  # columns of a character's commands as one row
AT_TICK = 1e-6  # share of a tick: nearer than this, the pose is that of the tick
FAULTS = ("not finite", "negative", "no such action", "not accepted", "rows")


@kernel
def uniform(seed: Any, counter: Any) -> float:
    """A number in [0, 1) from a seed and a counter: splitmix64 (Steele, Lea and Flood 2014), applied to both.

    There is no generator to carry along: equal arguments give equal numbers, in any order and on any thread.
    """
    z = _mixed(np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15))
    z = _mixed(z + np.uint64(counter) * np.uint64(0x9E3779B97F4A7C15))
    return float(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def uniforms(seeds: Any, counter: int, out: Any) -> None:
    """out[k] = uniform(seeds[k], counter)."""
    for k in range(len(seeds)):
        out[k] = uniform(seeds[k], counter)


@kernel
def _mixed(z: Any) -> Any:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def faulty(
    heading: Any,
    speed: Any,
    place: Any,
    facing: Any,
    action: Any,
    values: Any,
    overlay: Any,
    look: Any,
    target: Any,
    count: int,
    accepted: int,
    actions: int,
) -> tuple[int, int]:
    """The number of the first field with a fault, and its fault in `FAULTS`; (-1, -1) if there is none.

    `count` is how many characters there are, `accepted` has a bit for each field of `Commands`, `actions` is how many
    of these there are.
    """
    lengths = (
        len(heading), len(speed), len(place), len(facing), len(action), len(values), len(overlay), len(look),
        len(target),
    )  # fmt: skip
    for f in range(len(lengths)):
        if lengths[f] != 1 and lengths[f] != count:
            return f, 4
    for f, numbers in ((0, heading), (1, speed), (3, facing)):
        fault = _numbers_fault(numbers, f == 1, accepted >> f & 1)
        if fault >= 0:
            return f, fault
    for f, table in ((2, place), (5, values), (7, look), (8, target)):
        for k in range(len(table)):
            fault = _numbers_fault(table[k], False, accepted >> f & 1)
            if fault >= 0:
                return f, fault
    for f, whole in ((4, action), (6, overlay)):
        for k in range(len(whole)):
            if whole[k] != -1 and not accepted >> f & 1:
                return f, 3
            if whole[k] < -1 or (f == 4 and whole[k] >= actions):  # the layer of overlays knows how many it has
                return f, 2
    return -1, -1


@kernel
def _numbers_fault(values: Any, positive: bool, accepted: int) -> int:
    for k in range(len(values)):
        if math.isinf(values[k]):
            return 0
        if positive and values[k] < 0:
            return 1
        if not math.isnan(values[k]) and not accepted:
            return 3
    return -1


@kernel
def keep_tick(state: Any, k: int) -> None:
    """The pose, contacts and sources of character k at its last tick become those of the tick before."""
    state.root[k, 0] = state.root[k, 1]
    state.rotations[k, 0] = state.rotations[k, 1]
    state.contacts[k, 0] = state.contacts[k, 1]
    state.shown[k, 0] = state.shown[k, 1]


@kernel
def show_between(state: Any, k: int, share: float, root: Any, rotations: Any, contacts: Any) -> None:
    """Row k of the poses: character k between its last two ticks. A foot part touches if it does at both of them.

    At share 0 the contacts are those of the earlier tick, which is shown: those of the last one are a tick early.
    """
    for i in range(3):
        root[k, i] = state.root[k, 0, i] + share * (state.root[k, 1, i] - state.root[k, 0, i])
    for j in range(rotations.shape[1]):
        mixed(state.rotations[k, 0, j], state.rotations[k, 1, j], share, rotations[k, j])
    for p in range(contacts.shape[1]):
        contacts[k, p] = state.contacts[k, 0, p] and (share < AT_TICK or state.contacts[k, 1, p])


@kernel
def command_row(commands: Any, k: int, out: Any) -> None:
    """The commands of one character; fields with one row are for all."""
    out[HEADING] = commands.heading[k if len(commands.heading) > 1 else 0]
    out[SPEED] = commands.speed[k if len(commands.speed) > 1 else 0]
    out[PLACE_X] = commands.place[k if len(commands.place) > 1 else 0, 0]
    out[PLACE_Z] = commands.place[k if len(commands.place) > 1 else 0, 1]
    out[FACING] = commands.facing[k if len(commands.facing) > 1 else 0]
    out[ACTION] = commands.action[k if len(commands.action) > 1 else 0]


@kernel
def changed(a: Any, b: Any) -> bool:
    """Whether a command was added, removed, or changed by more than jitter (0.1 rad, 0.1 m/s, 0.1 m)."""
    for i in range(len(a)):  # noqa: SIM110 (numba has no `any` over a generator)
        if math.isnan(a[i]) != math.isnan(b[i]) or abs(a[i] - b[i]) > 0.1:
            return True
    return False
