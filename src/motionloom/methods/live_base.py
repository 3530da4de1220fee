"""The base of every method's live characters: checked arguments, states that are values, and empty poses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import BadRequest, FloatArray, IntArray, Skeleton
from motionloom.core.poses import Commands, Poses
from motionloom.kinematics.travel import Travel
from motionloom.methods.live import (
    FrameSources,
    Sources,
    Status,
    check_commands,
    check_dt,
    check_memory,
    check_seeds,
    start_places,
)
from motionloom.methods.settings import Settings

S = TypeVar("S", bound=tuple[Any, ...])
L = TypeVar("L", bound=Settings | None)  # options of the characters; None where they have none


class LiveCharacters(ABC, Generic[S, L]):
    """Live characters of one model. A method fills in new states (`_begin`) and advances copies (`_advance`)."""

    default_options: ClassVar[Settings | None] = None

    actions: tuple[str, ...]
    skeleton: Skeleton
    fps: float
    material: FrameSources

    def begin(self, seeds: ArrayLike, at: Travel | None = None, options: Settings | None = None) -> S:
        """One character for each seed, at the origin facing +z, or at `at`; the seed determines where it begins."""
        whole = check_seeds(seeds)
        places = start_places(at, len(whole))
        check_memory(len(whole), self._empty(1), len(self.skeleton))
        state = self._empty(len(whole))
        if options is not None and not isinstance(options, type(self.default_options)):
            expected = "none" if self.default_options is None else type(self.default_options).__qualname__
            raise BadRequest(f"options of live characters: expected {expected}, found {type(options).__qualname__}")
        self._begin(state, whole, places, cast(L, self.default_options if options is None else options))
        return state

    def step(self, state: S, commands: Commands, dt: float) -> tuple[S, Poses]:
        """The state and poses after `dt` seconds."""
        dt, count = check_dt(dt), len(state[0])
        commands = check_commands(commands, count, self.accepts, self.actions)
        new = type(state)(*[part.copy() for part in state])
        poses = Poses(
            np.empty((count, 3)),
            np.empty((count, len(self.skeleton), 4)),
            np.empty((count, self._foot_parts), bool),
            np.full(count, np.nan),
        )
        self._advance(new, commands, dt, poses)
        return new, poses

    @property
    @abstractmethod
    def accepts(self) -> tuple[str, ...]: ...

    @abstractmethod
    def status(self, state: S) -> Status: ...

    @abstractmethod
    def sources(self, state: S) -> Sources: ...

    @property
    @abstractmethod
    def _foot_parts(self) -> int:
        """The number of columns of `Poses.contacts`."""

    @abstractmethod
    def _empty(self, count: int) -> S:
        """The arrays of a state of `count` characters."""

    @abstractmethod
    def _begin(self, state: S, seeds: IntArray, places: FloatArray, options: L) -> None:
        """Fill in the state of characters with these seeds (N,), at these x, z and headings (N, 3)."""

    @abstractmethod
    def _advance(self, state: S, commands: Commands, dt: float, poses: Poses) -> None:
        """Advance the state by `dt` seconds, in place, and fill in the poses; arguments are checked already."""


def at_shown_tick(state: Any, fps: float) -> Any:
    """(N, ...) `state.shown` (N, 2, ...), what determines the sources, at the tick nearest to the poses shown."""
    return state.shown[np.arange(len(state.time)), (state.time * fps >= 0.5).astype(np.int64)]


def no_commands(count: int) -> FloatArray:
    """(N, 6) heading, speed, place, facing and action of characters that have not been commanded yet."""
    out = np.full((count, 6), np.nan)
    out[:, 5] = -1
    return out


def used_speed(commanded: FloatArray, speeds: FloatArray) -> FloatArray:
    """(N,) m/s: the speed used for each one commanded, or NaN, within the lowest and highest of `speeds` (N, 3).

    Without a command, the usual one.
    """
    return np.where(np.isnan(commanded), speeds[:, 1], np.clip(commanded, speeds[:, 0], speeds[:, 2]))


def speed_status(action: IntArray, commanded: FloatArray, used: FloatArray, until_choice: FloatArray) -> Status:
    """The status of characters whose only value is a speed (N,), NaN where none is commanded."""
    clamped = ~np.isnan(commanded) & (np.abs(used - commanded) > 1e-9)
    return Status(action, ("speed",), commanded[:, None].copy(), used[:, None], np.asarray(clamped), until_choice)
