"""What models of parametric spaces share: requests, corrections, results. A method gives the motion of parameters."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator

from motionloom.blend.registered_clips import Registered, duration, play, sources
from motionloom.constraints import Constraint, MotionParameter, Pace, Parameters, Request
from motionloom.core import BadRequest, Clip, FloatArray, Note, Progress, part, replace, with_labels
from motionloom.core.errors import unknown
from motionloom.kinematics.feet.clearance import lift_swings, usual_clearance
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.kinematics.feet.plants import WHOLE_CONTACT
from motionloom.kinematics.feet.skate_removal import pin_plants
from motionloom.methods.array_checks import check_clips
from motionloom.methods.base import Honours, Model, place
from motionloom.methods.space.measure import supplied
from motionloom.methods.space.pace import values_at_pace
from motionloom.methods.space.plan import LockShift, RequestedValues, SpacePlan, missed, requested_values, solve_values
from motionloom.methods.space.settings import SpaceOptions
from motionloom.methods.space.space import Space

INSIDE = 0.02  # of the range: requests that are nearer than this to their nearest blend lie inside a space
LOCKED_ROUNDS = 6  # most corrections for what locking the feet changes

O = TypeVar("O", bound=SpaceOptions)  # noqa: E741 -- the method's own Options


class SpaceMotion(NamedTuple):
    """Registered clips and their weights, to be played; with the rows of the examples of the space."""

    rows: Registered
    tables: tuple[Any, ...]  # of these rows
    weights: FloatArray  # of these rows' clips
    shares: FloatArray  # (K,) of the examples of the space
    used: FloatArray  # (D,) parameters: those that were given, or the nearest that can be reached


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SpaceModel(Model[O]):
    """Examples of one action, and how parameters of the space become motion: a method implements `motion`."""

    honours: ClassVar[Honours] = ((Parameters, "hard"), (Parameters, "soft"), (Pace, "hard"), (Pace, "soft"))
    has_natural_end: ClassVar[bool] = True
    needs_whole_clips: ClassVar[bool] = True
    keeps_notes: ClassVar[bool] = True

    examples: tuple[Clip, ...]  # with contacts as labels
    space: Space

    def check(self) -> None:
        check_clips(self.examples, self.skeleton, self.fps)
        self.space.check(self.skeleton, self.fps, np.array([len(clip) for clip in self.examples]))

    @cached_property
    def tables(self) -> tuple[Any, ...]:
        """The registered examples as kernels take them."""
        return self.space.rows.tables(self.skeleton)

    @abstractmethod
    def motion(self, values: FloatArray, options: O) -> SpaceMotion:
        """What is played for parameters (D,) of the space."""

    def nearest(self, values: FloatArray, options: O) -> FloatArray:
        """What to give to `motion` in place of parameters (D,) that may lie outside: no others come nearer to them."""
        return self.motion(values, options).used

    def parameter_ranges(self) -> Mapping[str, float]:
        return {p.name: float(self.space.ranges[self.space.column(p.name)].max()) for p in self.space.parameters}

    # ---- requests ----

    def refuses(self, constraint: Constraint, frames: int | None, options: O | None = None) -> str:
        if not isinstance(constraint, Parameters):
            return ""
        own = [p.name for p in self.space.parameters]
        others = [name for name, _ in constraint.values if name not in own]
        if others:
            return unknown(others[0], own, "parameter of this space")
        if constraint.span is not None:
            return "the values of a space hold for the whole result, so a span cannot be given"
        return ""

    def _plan(self, request: Request, options: O, rng: Generator, progress: Progress) -> SpacePlan:
        length = request.length(self.fps)
        cyclic = self.space.rows.cyclic
        if length is not None and not cyclic:
            low, high = (f"{x:.2f}" for x in (self.space.rows.durations.min(), self.space.rows.durations.max()))
            raise BadRequest(f"this motion ends by itself, after {low} to {high} s; leave out the length")
        constraints = [c for c in request.all_constraints if isinstance(c, Parameters)]
        requested = requested_values(constraints, self.space)
        drawn = self.space.draw(rng)
        begin = float(rng.random()) if cyclic and length is not None else 0.0
        table = supplied([p.name for p in self.space.parameters], request.table or {})
        reason = ""
        if paces := [c for c in request.all_constraints if isinstance(c, Pace)]:
            free = np.isnan(requested.values)

            def played(values: FloatArray) -> Clip:
                count = length or self._natural_frames(values, options)
                return self._played(self.motion(values, options), count, begin, length is None)

            first = np.where(free, drawn, requested.values)
            paced = values_at_pace(self.space, paces, first, free, played, rng, part(progress, 0.0, 0.3))
            drawn, reason, progress = paced.values, paced.problem(paces), part(progress, 0.3, 1.0)
        values, found, lock = drawn, drawn, options.clean_feet
        frames = length
        if not np.isnan(requested.values).all():
            direct = length is None
            start = np.where(np.isnan(requested.values), drawn, requested.values)
            far = (start < self.space.low) | (start > self.space.high)
            if not direct and options.corrections and far.any():  # a long result has other values than one cycle
                start = drawn
            if direct:
                frames = self._natural_frames(start, options)
            if not table:  # no function of a parameter is known: the map's own values have to do
                values = np.where(np.isnan(requested.values), drawn, requested.values)
                found = self.motion(values, options).used
            else:
                values, found, lock = self._solved(
                    requested, start, frames or 2, begin, table, options, direct, progress
                )
        made = self.motion(values, options)
        frames = frames or self._natural_frames(values, options)
        seconds = duration(made.rows, made.weights)
        stretch = 1.0 if length is not None else seconds * self.fps / (frames - 1)
        wanted, outside = self._compared(requested, found)
        if outside and requested.hard:
            nearest = "; ".join(_requested(*row) for row in wanted)
            asked = np.where(np.isnan(requested.values), values, requested.values)
            if (np.abs(self.nearest(asked, options) - asked) > INSIDE * self.space.ranges).any():
                reason = f"the request lies outside what blends of the examples reach; the nearest: {nearest}"
            else:
                reason = f"the request is missed, though blends of the examples reach it: {nearest}"
                if not options.corrections:
                    reason += "; no result is corrected by what is measured on it (variant faithful or corrections 0)"
        progress(1.0, "planning")
        shown = made.used if np.isnan(requested.values).all() else found
        title = ", ".join(_shown(n, v, u) for n, v, u in self._named(shown))
        return SpacePlan(
            frames, values, made.shares, stretch, begin, seconds * self.fps / stretch, title, wanted, outside,
            reason, lock,
        )  # fmt: skip

    def _solved(
        self,
        requested: RequestedValues,
        start: FloatArray,
        frames: int,
        begin: float,
        table: tuple[MotionParameter, ...],
        options: O,
        direct: bool,
        progress: Progress,
    ) -> tuple[FloatArray, FloatArray, bool]:
        """Parameters whose result has the requested values, what is measured on it, and whether feet are locked."""

        def measured(values: FloatArray, *, lock: bool = False) -> FloatArray:
            motion = self.motion(values, options)
            clip = self._played(motion, frames, begin, direct)
            clip = self._locked(clip) if lock else clip
            found = motion.used.copy()  # of parameters whose function is not known
            for p in table:
                found[self.space.column(p.name)] = p.measured(clip)
            return found

        first, rest = part(progress, 0.0, 0.5), part(progress, 0.5, 1.0)

        def nearest(values: FloatArray) -> FloatArray:
            return self.nearest(values, options)

        values, found = solve_values(
            self.space, requested, start, measured, nearest, direct=direct, rounds=options.corrections, progress=first
        )
        if not options.clean_feet:
            return values, found, False
        unlocked, lock = (values, found), LockShift(requested)
        for n in range(LOCKED_ROUNDS):
            rest(n / LOCKED_ROUNDS, "locking feet")
            locked = measured(values, lock=True)
            if lock.note(values, locked) or not options.corrections or n == LOCKED_ROUNDS - 1:
                break
            shifted = requested._replace(values=requested.values + lock.shift)
            values, _ = solve_values(
                self.space, shifted, values, measured, nearest, direct=False,
                rounds=3, progress=part(rest, n / LOCKED_ROUNDS, (n + 1) / LOCKED_ROUNDS),
            )  # fmt: skip
        if requested.hard and not lock.holds and missed(unlocked[1], requested) <= 1.0:
            return *unlocked, False
        return *lock.best, True

    def render(self, plan: SpacePlan, request: Request, options: O, rng: Generator, progress: Progress) -> Clip:
        progress(0.0, "blending")
        taken = self.motion(plan.values, options)
        made = play(
            taken.rows, self.skeleton, taken.weights, plan.length, self.fps, begin=plan.begin, stretch=plan.stretch,
            tables=taken.tables,
        )  # fmt: skip
        origin = sources(self.space.rows, made.position, taken.shares[None], self.examples)
        notes = [Note(f"parameters {plan.title}")]
        for row in plan.wanted:
            if plan.outside:
                notes.append(Note(f"outside the space: {_requested(*row)}", "warning"))
        origin = dataclasses.replace(origin, notes=tuple(notes))
        clip = Clip(self.skeleton, made.root, made.rotations, self.fps, origin=origin)
        shared = {name: np.ones(len(clip), bool) for name in self.labels}
        contacts = {p.label: made.contacts[:, i] for i, p in enumerate(foot_parts(self.skeleton))}
        clip = with_labels(clip, {**shared, **contacts})
        progress(0.3, "locking feet")
        if plan.lock:
            clip = self._locked(clip)
        progress(1.0, "blending")
        return place(clip, request, self)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels that all frames of all examples have, contacts aside."""
        names = [n for n in self.examples[0].label_names if not n.startswith("contact:")]
        return tuple(n for n in names if all(clip.label(n).all() for clip in self.examples))

    def _natural_frames(self, values: FloatArray, options: O) -> int:
        made = self.motion(values, options)
        return max(2, round(duration(made.rows, made.weights) * self.fps) + 1)

    def _played(self, motion: SpaceMotion, frames: int, begin: float, direct: bool) -> Clip:
        """The motion with its contacts, from the origin; `direct`: all of it in so many frames."""
        stretch = duration(motion.rows, motion.weights) * self.fps / (frames - 1) if direct else 1.0
        made = play(
            motion.rows, self.skeleton, motion.weights, frames, self.fps, begin=begin, stretch=stretch,
            tables=motion.tables,
        )  # fmt: skip
        clip = Clip(self.skeleton, made.root, made.rotations, self.fps)
        return with_labels(clip, {p.label: made.contacts[:, i] for i, p in enumerate(foot_parts(self.skeleton))})

    def _locked(self, clip: Clip) -> Clip:
        pinned = pin_plants(clip, toe=WHOLE_CONTACT)
        return replace(lift_swings(pinned.clip, self._clearance), origin=clip.origin)

    @cached_property
    def _clearance(self) -> float:
        """m: how high swinging toes pass in the examples; a blend of swings at different moments passes lower."""
        locked = [pin_plants(clip, toe=WHOLE_CONTACT).clip for clip in self.examples]
        return usual_clearance(locked, percentile=50.0)

    def _named(self, values: FloatArray) -> list[tuple[str, tuple[float, ...], str]]:
        return [(p.name, tuple(values[self.space.column(p.name)].tolist()), p.unit) for p in self.space.parameters]

    def _compared(self, requested: RequestedValues, found: FloatArray) -> tuple[tuple[Any, ...], bool]:
        """What was asked for and achieved, for each parameter; and whether any was missed by more than allowed."""
        rows, outside = [], False
        for name, values, unit in self._named(found):
            asked = requested.values[self.space.column(name)]
            if not np.isnan(asked).any():
                rows.append((name, tuple(asked.tolist()), values, unit))
                outside |= bool((np.abs(asked - values) > requested.tolerance[self.space.column(name)]).any())
        return tuple(rows), outside


def _shown(name: str, values: tuple[float, ...], unit: str) -> str:
    if unit.startswith("rad"):
        return f"{name} {', '.join(f'{np.degrees(v):.1f}' for v in values)} {unit.replace('rad', 'deg')}"
    return f"{name} {', '.join(f'{v:.3g}' for v in values)} {unit}".rstrip()


def _requested(name: str, asked: tuple[float, ...], found: tuple[float, ...], unit: str) -> str:
    return f"{_shown(name, asked, unit)} requested, {_shown('', found, unit).strip()} achieved"
