"""Compiled parts that all live methods share: random numbers, checks of commands, turns. Plain arrays, no checks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel

EARLY = 1e-9  # s: a tick this near is made now, so that 2/60 s are one tick of 30 fps
HEADING, SPEED, PLACE_X, PLACE_Z, FACING, ACTION = range(6)  # columns of a character's commands as one row
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
    count: int,
    accepted: int,
    actions: int,
) -> tuple[int, int]:
    """The number of the first field with a fault, and its fault in `FAULTS`; (-1, -1) if there is none.

    `count` is how many characters there are, `accepted` has a bit for each field of `Commands`, `actions` is how many
    of these there are.
    """
    lengths = (len(heading), len(speed), len(place), len(facing), len(action), len(values), len(overlay), len(look))
    for f in range(8):
        if lengths[f] != 1 and lengths[f] != count:
            return f, 4
    for f, numbers in ((0, heading), (1, speed), (3, facing)):
        fault = _numbers_fault(numbers, f == 1, accepted >> f & 1)
        if fault >= 0:
            return f, fault
    for f, table in ((2, place), (5, values), (7, look)):
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
def turned_left(angle: float, q: Any, out: Any) -> None:
    """out = yaw(angle) q: a rotation turned left about the vertical; `out` may be `q`."""
    c, s = math.cos(angle / 2), math.sin(angle / 2)
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0], out[1], out[2], out[3] = c * w - s * y, c * x + s * z, c * y + s * w, c * z - s * x


@kernel
def difference(a: Any, b: Any, out: Any) -> None:
    """out = log(a b^-1): the rotation vector (rad, along the shorter arc) that turns b into a."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = -a[0] * b[1] + a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    y = -a[0] * b[2] + a[1] * b[3] + a[2] * b[0] - a[3] * b[1]
    z = -a[0] * b[3] - a[1] * b[2] + a[2] * b[1] + a[3] * b[0]
    if w < 0:
        w, x, y, z = -w, -x, -y, -z
    size = math.sqrt(x * x + y * y + z * z)
    scale = 2.0 if size < 1e-9 else 2.0 * math.atan2(size, w) / size
    out[0], out[1], out[2] = scale * x, scale * y, scale * z


@kernel
def turned_by(v: Any, q: Any, out: Any) -> None:
    """out = exp(v) q, of length 1: q turned by the rotation vector v; `out` may be `q`."""
    angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    s = 0.5 - angle * angle / 48.0 if angle < 1e-4 else math.sin(angle / 2) / angle
    a, b, c, d = math.cos(angle / 2), s * v[0], s * v[1], s * v[2]
    w, x, y, z = q[0], q[1], q[2], q[3]
    ow = a * w - b * x - c * y - d * z
    ox = a * x + b * w + c * z - d * y
    oy = a * y - b * z + c * w + d * x
    oz = a * z + b * y - c * x + d * w
    size = 1.0 / math.sqrt(ow * ow + ox * ox + oy * oy + oz * oz)
    out[0], out[1], out[2], out[3] = size * ow, size * ox, size * oy, size * oz


@kernel
def mixed(a: Any, b: Any, share: float, out: Any) -> None:
    """out = (1 - share) a + share b, along the shorter arc and normalised: for consecutive frames."""
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    u, v = 1.0 - share, share if dot >= 0 else -share
    w, x, y, z = (u * a[0] + v * b[0], u * a[1] + v * b[1], u * a[2] + v * b[2], u * a[3] + v * b[3])
    size = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    out[0], out[1], out[2], out[3] = size * w, size * x, size * y, size * z


@kernel
def between(root: Any, rotations: Any, share: float, out_root: Any, out_rotations: Any) -> None:
    """The pose of one body between two ticks: root (2, 3) and rotations (2, J, 4) at share 0 and 1."""
    for i in range(3):
        out_root[i] = root[0, i] + share * (root[1, i] - root[0, i])
    for j in range(rotations.shape[1]):
        mixed(rotations[0, j], rotations[1, j], share, out_rotations[j])


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
