"""What live methods share: the protocols of characters that are stepped on, and the laws that hold for all of them.

A live method keeps N characters in a state, a value made of arrays with a leading dimension N. It works in ticks, the
frames of its model, and shows the pose between the last two ticks; so a path does not depend on the time steps, and a
pose is up to one tick old.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import BadRequest, Clip, FloatArray, IntArray, Skeleton, Source
from motionloom.core.arrays import BoolArray
from motionloom.core.origins import joined
from motionloom.core.poses import Commands, Poses, plain
from motionloom.kinematics.travel import Travel

State = Any
"""A NamedTuple of arrays, each with a leading dimension N. It holds no model, and no step writes to it."""
S = TypeVar("S", bound=tuple[Any, ...])

LONGEST = 1.0  # s: the longest time step
MOST_BYTES = 10**9  # for the state of all characters, before and after a step, and their poses


class Status(NamedTuple):
    """What N characters do at the moment, beside what they were commanded to."""

    action: IntArray  # (N,) index into `Live.actions`, -1 where the frame shown belongs to none
    names: tuple[str, ...]  # of the D values
    requested: FloatArray  # (N, D) the values commanded, NaN where none
    used: FloatArray  # (N, D) the values used
    clamped: BoolArray  # (N,) was a value out of reach?
    until_choice: FloatArray  # (N,) s to the next moment at which a command takes effect


class Sources(NamedTuple):
    """Where the poses shown come from: G body parts, K sources for each. What `record` writes into an Origin."""

    which: IntArray  # (N, G, K) index into `Live.material.table`, -1 where none
    frames: FloatArray  # (N, G, K) frame in the source, may be fractional
    weights: FloatArray  # (N, G, K) sum to 1 over K where there is a source


class Live(Protocol):
    """Characters that can be stepped on for ever."""

    @property
    def accepts(self) -> tuple[str, ...]: ...  # supported fields of Commands; any other is an error that lists them

    @property
    def actions(self) -> tuple[str, ...]: ...  # names of what `Commands.action` counts

    @property
    def skeleton(self) -> Skeleton: ...

    @property
    def fps(self) -> float: ...  # ticks in a second

    @property
    def material(self) -> Material: ...  # the clips that `sources` counts

    def begin(self, seeds: ArrayLike, at: Travel | None = None, options: Any = None) -> State:
        """The state before the first step: one character for each seed, at the origin facing +z, or at `at`."""

    def step(self, state: State, commands: Commands, dt: float) -> tuple[State, Poses]:
        """The state and poses `dt` seconds on."""

    def status(self, state: State) -> Status: ...

    def sources(self, state: State) -> Sources: ...


class Layer(Protocol):
    """Something applied on top of any live method: foot lock, gaze, splice, variation."""

    @property
    def accepts(self) -> tuple[str, ...]: ...  # fields of Commands that it uses, beside those of the method below it

    def begin(self, seeds: IntArray, skeleton: Skeleton) -> State: ...

    def step(self, state: State, poses: Poses, commands: Commands, dt: float) -> tuple[State, Poses]: ...


def live_of(model: Any) -> Live:
    """The live characters of a model, or `BadRequest`: not every method has them."""
    found: Live | None = getattr(model, "live", None)
    if found is None:
        raise BadRequest(f"{model.method} has no live characters; motion-matching, the motion graphs and textons have")
    return found


def live_options(model: Any, values: Mapping[str, Any]) -> Any:
    """The options of a model's live characters from plain values; None, which is their defaults, from no values."""
    return model.live_options_type.of(values) if values else None


class Material(NamedTuple):
    """Where the F frames of some clips, one after the other, come from."""

    table: tuple[Source, ...]  # captured clips
    which: IntArray  # (F,) index into the table, -1 where the source is not known
    frames: FloatArray  # (F,) frame of that


def material_of(clips: Sequence[Clip]) -> Material:
    """The captured clips that the frames of these clips come from."""
    origin = joined([clip.origin for clip in clips], [len(clip) for clip in clips])
    return Material(origin.sources, *origin.main())


def check_seeds(seeds: ArrayLike) -> IntArray:
    """(N,) one whole number for each character; none is a crowd of nobody."""
    array = np.asarray(seeds)
    if not array.size:
        return np.zeros(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise BadRequest(f"seeds: expected one whole number per character, found shape {array.shape}, {array.dtype}")
    return array.astype(np.int64)


def first_frames(seeds: IntArray, among: IntArray) -> IntArray:
    """(N,) one of the frames `among` for each seed, drawn with its first random number."""
    from motionloom.methods._kernels_live import uniforms

    drawn = np.empty(len(seeds))
    uniforms(seeds, 0, drawn)
    return np.asarray(among[(drawn * len(among)).astype(np.int64)])


def check_memory(count: int, state: State, joints: int) -> None:
    """`BadRequest` that states the memory, if `count` characters with states like `state` (of one) need too much."""
    each = 2 * state_bytes(state) + 8 * (3 + 4 * joints)
    if count * each > MOST_BYTES:
        raise BadRequest(
            f"{count} characters need {count * each / 1e9:.1f} GB ({each / 1000:.1f} KB each); the limit is "
            f"{MOST_BYTES / 1e9:g} GB, which is {MOST_BYTES // each} characters"
        )


def state_count(state: State) -> int:
    """How many characters a state holds."""
    first = state[0]
    return len(first) if isinstance(first, np.ndarray) else state_count(first)


def state_bytes(state: State) -> int:
    """How much memory a state takes, with the states inside it."""
    return sum(part.nbytes if isinstance(part, np.ndarray) else state_bytes(part) for part in state)


def check_dt(dt: float) -> float:
    """The time step in seconds: 0 to `LONGEST`, or `BadRequest`."""
    if not 0.0 <= dt <= LONGEST:
        raise BadRequest(f"dt: expected 0 to {LONGEST:g} s, found {dt:g} s")
    return float(dt)


def check_commands(commands: Commands, count: int, accepts: Sequence[str], actions: Sequence[str]) -> Commands:
    """The commands as kernels take them, or `BadRequest`: wrong shape, out of range, or not accepted by the method."""
    from motionloom.methods._kernels_live import FAULTS, faulty

    commands = plain(commands)
    wrong, fault = faulty(*commands, count, _bits(tuple(accepts)), len(actions))
    if wrong < 0:
        return commands
    name, values = Commands._fields[wrong], commands[wrong]
    if FAULTS[fault] == "rows":
        raise BadRequest(f"command {name}: expected 1 or {count} rows, found {len(values)}")
    if FAULTS[fault] == "not accepted":
        raise BadRequest(f"command {name} is not accepted; accepted are {', '.join(accepts) or 'no commands'}")
    if FAULTS[fault] == "no such action":
        listed = ", ".join(f"{i} {action}" for i, action in enumerate(actions)) or "none"
        number = values[(values < -1) | (values >= len(actions))][0]
        raise BadRequest(f"command {name}: there is no action {number}; there are: {listed}")
    raise BadRequest(f"command {name}: expected finite numbers{', 0 or more' if name == 'speed' else ''}")


@lru_cache
def _bits(accepts: tuple[str, ...]) -> int:
    return sum(1 << Commands._fields.index(name) for name in accepts)


def start_places(at: Travel | None, count: int) -> FloatArray:
    """(N, 3) x, z and heading where the characters begin; one row of `at` is for all of them."""
    out = np.zeros((count, 3))
    if at is not None:
        if len(at.place) not in (1, count) or len(at.heading) not in (1, count):
            raise BadRequest(f"at: expected 1 or {count} places and headings, found {len(at.place)}")
        out[:, :2], out[:, 2] = at.place, at.heading
        if not np.isfinite(out).all():
            raise BadRequest("at: expected finite places and headings")
    return out


def select(state: S, index: IntArray | slice) -> S:
    """The state of some of the characters, in this order."""
    parts = (part[index] if isinstance(part, np.ndarray) else select(part, index) for part in state)
    return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)


def join(states: Sequence[S]) -> S:
    """The states of several groups of characters as one, in this order."""
    first = states[0]
    parts = [np.concatenate(p) if isinstance(p[0], np.ndarray) else join(p) for p in zip(*states, strict=True)]
    return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
