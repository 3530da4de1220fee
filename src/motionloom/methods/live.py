"""Protocols and checks of live characters, which are advanced step by step.

A live method keeps N characters in a state, a value of arrays with a leading dimension N. It works in ticks, the frames
of its model, and interpolates the pose between the last two ticks; so a path does not depend on the time steps, and a
pose is up to one tick old.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import BadRequest, Clip, FloatArray, IntArray, Origin, Skeleton, Source
from motionloom.core.arrays import BoolArray
from motionloom.core.origin import all_terms
from motionloom.core.origin_joining import joined
from motionloom.core.poses import BodyPart as BodyPart
from motionloom.core.poses import Commands, Poses, named_parts, plain
from motionloom.core.poses import Sources as Sources
from motionloom.kinematics.travel import Travel
from motionloom.methods.base import Model
from motionloom.methods.settings import Settings

State = Any
"""A NamedTuple of arrays, each with a leading dimension N. It contains no model, and steps do not modify it."""
S = TypeVar("S", bound=tuple[Any, ...])

MAX_TIME_STEP = 1.0  # s
MAX_BYTES = 10**9  # of the states of all characters before and after a step, and their poses


class Status(NamedTuple):
    """Present actions and values of N characters, and the values commanded."""

    action: IntArray  # (N,) index into `Live.actions`, -1 where the frame shown belongs to none
    names: tuple[str, ...]  # of the D values
    requested: FloatArray  # (N, D) the values commanded, NaN where none
    used: FloatArray  # (N, D) the values used
    clamped: BoolArray  # (N,) whether a value was out of range
    until_choice: FloatArray  # (N,) s until a command can take effect


class Live(Protocol):
    """Characters that can be advanced step by step without end."""

    @property
    def accepts(self) -> tuple[str, ...]: ...  # supported fields of Commands; any other is an error that lists them

    @property
    def actions(self) -> tuple[str, ...]: ...  # names that `Commands.action` indexes

    @property
    def skeleton(self) -> Skeleton: ...

    @property
    def fps(self) -> float: ...  # ticks per second

    @property
    def material(self) -> FrameSources: ...  # the clips that `sources` indexes

    def begin(self, seeds: ArrayLike, at: Travel | None = None, options: Settings | None = None) -> State:
        """The state before the first step: one character for each seed, at the origin facing +z, or at `at`."""

    def step(self, state: State, commands: Commands, dt: float) -> tuple[State, Poses]:
        """The state and poses after `dt` seconds."""

    def status(self, state: State) -> Status: ...

    def sources(self, state: State) -> Sources: ...


class Layer(Protocol):
    """A modifier on top of any live method: foot lock, gaze, splice, variation."""

    @property
    def accepts(
        self,
    ) -> tuple[str, ...]: ...  # fields of Commands that it uses, in addition to those of the method below it

    def begin(self, seeds: IntArray, skeleton: Skeleton) -> State: ...

    def step(self, state: State, poses: Poses, commands: Commands, dt: float) -> tuple[State, Poses]: ...


def live_of(model: Model[Any]) -> Live:
    """The live characters of a model; `BadRequest` if its method has none."""
    found: Live | None = getattr(model, "live", None)
    if found is None:
        raise BadRequest(f"{model.method} has no live characters; `motionloom methods` lists which methods have them")
    return found


def layer_of(model: Model[Any], body: Clip, **options: Any) -> Layer:
    """The layer of a model for live characters with this body; `BadRequest` if its method has none."""
    found = getattr(model, "layer", None)
    if found is None:
        raise BadRequest(f"{model.method} cannot be put on live characters; gaze and variation can")
    layer: Layer = found(body, **options)
    return layer


def live_options(model: Model[Any], values: Mapping[str, Any]) -> Settings | None:
    """The options of a model's live characters from plain values; None (their defaults) if there are none."""
    if not values:
        return None
    if model.live_options_type is None:
        raise BadRequest(f"live characters of {model.method} have no options, found {', '.join(values)}")
    return model.live_options_type.of(values)


class FrameSources(NamedTuple):
    """Sources of the F frames of some clips, one after the other."""

    table: tuple[Source, ...]  # captured clips
    which: IntArray  # (F,) index into the table, -1 where the source is not known
    frames: FloatArray  # (F,) frame in that source


def material_of(clips: Sequence[Clip]) -> FrameSources:
    """The captured clips from which the frames of these clips come."""
    origin = joined([clip.origin for clip in clips], [len(clip) for clip in clips])
    return FrameSources(origin.sources, *origin.main())


def joined_sources(parts: Sequence[FrameSources]) -> FrameSources:
    """The sources of all frames, one part after the other."""
    table = tuple(dict.fromkeys(source for part in parts for source in part.table))
    which = [
        np.array([*(table.index(source) for source in part.table), -1])[part.which] for part in parts
    ]  # fmt: skip
    return FrameSources(table, np.concatenate(which), np.concatenate([part.frames for part in parts]))


def recorded_origin(live: Live, sources: Sequence[Sources]) -> Origin:
    """The origin of one character: what the method gave as its sources in frames that follow each other."""
    known = live.material.table
    which, frames, weights = (np.concatenate([found[k] for found in sources]) for k in range(3))
    used = np.asarray((weights > 0).any((0, 1)))
    used[0] = True
    which, frames, weights = (x[..., used] for x in (which, frames, weights))
    return Origin(
        licence=all_terms(source.licence for source in known),
        sources=known,
        which=which,
        frames=frames,
        weights=weights,
        parts=tuple(part.name for part in named_parts(sources[0], live.skeleton)),
    )


def check_seeds(seeds: ArrayLike) -> IntArray:
    """(N,) the seeds, one whole number for each character; there may be none."""
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
    if count * each > MAX_BYTES:
        raise BadRequest(
            f"{count} characters need {count * each / 1e9:.1f} GB ({each / 1000:.1f} KB each); the limit is "
            f"{MAX_BYTES / 1e9:g} GB, which is {MAX_BYTES // each} characters"
        )


def state_count(state: State) -> int:
    """The number of characters in a state."""
    first = state[0]
    return len(first) if isinstance(first, np.ndarray) else state_count(first)


def state_bytes(state: State) -> int:
    """The size of a state in memory, with nested states."""
    return sum(part.nbytes if isinstance(part, np.ndarray) else state_bytes(part) for part in state)


def check_dt(dt: float) -> float:
    """The time step in seconds: 0 to `MAX_TIME_STEP`, or `BadRequest`."""
    if not 0.0 <= dt <= MAX_TIME_STEP:
        raise BadRequest(f"dt: expected 0 to {MAX_TIME_STEP:g} s, found {dt:g} s")
    return float(dt)


def check_commands(commands: Commands, count: int, accepts: Sequence[str], actions: Sequence[str]) -> Commands:
    """The commands as plain arrays; `BadRequest` for a wrong shape, a value out of range, or one not accepted."""
    from motionloom.methods._kernels_live import FAULTS, faulty

    commands = plain(commands)
    wrong, fault = faulty(*commands, count, _bits(tuple(accepts)), len(actions))
    if wrong < 0:
        return commands
    name, values = Commands._fields[wrong], commands[wrong]
    if FAULTS[fault] == "rows":
        raise BadRequest(f"command {name}: expected 1 or {count} rows, found {len(values)}")
    if FAULTS[fault] == "not accepted":
        raise not_accepted(name, accepts)
    if FAULTS[fault] == "no such action":
        listed = ", ".join(f"{i} {action}" for i, action in enumerate(actions)) or "none"
        number = values[(values < -1) | (values >= len(actions))][0]
        raise BadRequest(f"command {name}: no action {number}; actions: {listed}")
    raise BadRequest(f"command {name}: expected finite numbers{', 0 or more' if name == 'speed' else ''}")


def not_accepted(name: str, accepts: Sequence[str]) -> BadRequest:
    """The error for a command that characters do not accept, with those that they do."""
    layer = {"look": "; to look, give a gaze map (--gaze)", "overlay": "; to carry out actions, give them (--overlay)"}
    listed = ", ".join(accepts) or "no commands"
    return BadRequest(f"command {name} is not accepted; accepted: {listed}{layer.get(name, '')}")


@lru_cache
def _bits(accepts: tuple[str, ...]) -> int:
    return sum(1 << Commands._fields.index(name) for name in accepts)


def start_places(at: Travel | None, count: int) -> FloatArray:
    """(N, 3) first x, z and heading of the characters; a single row of `at` applies to all."""
    out = np.zeros((count, 3))
    if at is not None:
        if np.shape(at.place)[1:] != (2,) or np.ndim(at.heading) != 1:
            raise BadRequest(f"at: expected places (N, 2), found {np.shape(at.place)}, {np.shape(at.heading)}")
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
