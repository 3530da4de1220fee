"""Base class of all models, and the protocol of plans."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar, cast, final

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Constraint, Request
from motionloom.core import BadRequest, Clip, FloatArray, Made, Note, Progress, Skeleton, Source, silent
from motionloom.core.arrays import put
from motionloom.core.recipe import Input
from motionloom.kinematics.travel import headings, placed
from motionloom.methods.array_checks import check_finite, check_number
from motionloom.methods.request_check import check_request, with_parameters
from motionloom.methods.settings import Settings, param

__all__ = ["Band", "Honours", "Learned", "Measured", "Model", "Plan", "Settings", "check_request", "param"]

Honours = tuple[tuple[type[Constraint], str], ...]
"""Constraint classes, each with "hard" or "soft"; a method that honours both lists both."""

O = TypeVar("O", bound=Settings)  # noqa: E741 -- the method's own Options


class Learned(NamedTuple):
    """A clip that a model was learned from; the clip itself need not exist any more."""

    name: str
    frames: int  # used, at the model's frame rate; 0 if the clip was left out
    sha256: str
    of: str = "clip"  # what was hashed: the bytes of the "file", or the numbers of the "clip"
    licence: str = ""  # terms of the clip; results of the model are under the terms of all its clips
    unit: float = 1.0  # metres per unit of its file; results are written in that of the first clip
    up: str = "y"  # its up axis; likewise

    @property
    def source(self) -> Source:
        """The clip as the source of frames."""
        return Source(self.name, self.sha256 if self.of == "file" else "", self.licence)


class Measured(NamedTuple):
    """Values of a user-defined motion parameter, measured during learning; its function is not part of the model."""

    name: str
    unit: str
    size: int
    values: FloatArray  # (clips, size) in `unit`


class Band(NamedTuple):
    """An interval of a plan, shown as a row of a timeline."""

    start: int  # frame of the result, at the model's frame rate
    frames: int
    name: str  # "walk.bvh#120", "texton 3"
    kind: str  # "clip", "transition", "texton" ...


class Plan(Protocol):
    """The decisions of a method before rendering."""

    @property
    def frames(self) -> int:
        """Length of the result at the model's frame rate."""

    @property
    def reason(self) -> str:
        """Why this plan cannot meet a hard constraint of the request; "" if it can, as far as is known."""

    def bands(self) -> Sequence[Band]:
        """The intervals of the result, in order."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Model(ABC, Generic[O]):
    """A learned model: immutable, and nothing but arrays and numbers.

    A method subclasses this with its own fields, lists the constraints that it `honours`, and implements `check`,
    `_plan` and `render`.
    """

    method: ClassVar[str]
    honours: ClassVar[Honours] = ()
    options_type: ClassVar[type[Settings]] = Settings
    live_commands: ClassVar[tuple[str, ...]] = ()  # that its live characters may accept; (): it has no live characters
    live_options_type: ClassVar[type[Settings] | None] = None  # options of its live characters; None: there are none
    has_natural_end: ClassVar[bool] = False  # a request may leave out its length
    needs_whole_clips: ClassVar[bool] = False  # broken frames are repaired instead of cut out
    glitch_margin: ClassVar[float] = 0.0  # s: frames this near to broken ones are left out too
    uneven_ground: ClassVar[bool] = False  # ground with heights is supported
    may_be_nan: ClassVar[tuple[str, ...]] = ()  # fields whose arrays may hold NaN or infinity
    keeps_place: ClassVar[bool] = False  # without a start, the result is not moved to the origin
    keeps_notes: ClassVar[bool] = False  # the notes of a rendered clip come from the method, not from its sources

    skeleton: Skeleton
    config: Any  # the method's own Config
    fps: float
    sources: tuple[Learned, ...] = ()
    notes: tuple[Note, ...] = ()  # about learning
    measured: tuple[Measured, ...] = ()  # user-defined motion parameters of the clips
    made: tuple[Made, ...] = ()  # the steps up to this model: those of its clips, then the learning
    file: Input | None = None  # the file that the model was read from

    def __post_init__(self) -> None:
        for f in fields(self):
            put(self, f.name, _read_only(getattr(self, f.name)))
        check_number(self.fps, "fps", low=1e-3, high=1e6)
        check_finite(self, self.may_be_nan)
        self.check()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.sources)} clips at {self.fps:g} fps, {self.skeleton!r})"

    @property
    def honours_here(self) -> Honours:
        """The constraints that this model honours: those of its method, and what its own parts add to them."""
        return self.honours

    @abstractmethod
    def check(self) -> None:
        """Check dtype, shape and range of every stored array (see `validate`); `FormatError` if one is wrong.

        Called whenever a model is built or read, after all numbers were found to be finite.
        """

    @final
    def plan(self, request: Request, rng: Generator, progress: Progress | None = None) -> Plan:
        """Check the request and plan the result. `NoPath` if there is no plan at all."""
        report = progress or silent()
        report(0.0, "planning")
        check_request(self, request)
        model, request = self.adapted(request)
        inner = model.inner_request(request)
        try:
            plan = model._plan(inner, model.options(request), rng, report)
        except BadRequest as error:
            problem = inner.located(error)
            seconds = problem.where == ("frames",) and request.frames is None  # the length as it was given
            raise (problem.at(("seconds",)) if seconds else problem) from None
        report(1.0, "planning")
        return plan

    @abstractmethod
    def _plan(self, request: Request, options: O, rng: Generator, progress: Progress) -> Plan:
        """The method's own plan for a request that has been checked and is at the model's frame rate."""

    @abstractmethod
    def render(self, plan: Any, request: Request, options: O, rng: Generator, progress: Progress) -> Clip:
        """The clip of a plan at the model's frame rate, placed where the request starts (see `place`).

        Hard constraints hold in it, within their tolerances; the finishing pass only preserves them.
        """

    def cleans_feet(self, request: Request) -> bool:
        """Whether planted feet are cleaned in the result. Results of a faithful variant are returned uncleaned."""
        return bool(getattr(self.options(request), "clean_feet", True))

    def refuses(self, constraint: Constraint, frames: int | None, options: O | None = None) -> str:
        """Why a constraint cannot be honoured although its class is, or ""; for example "only at time 0".

        `frames` is the length of the result at the model's frame rate, if the request gives it; `options` are the
        request's (None: the model's defaults).
        """
        return ""

    def ends(self, request: Request) -> bool:
        """Whether the request has a natural end, so that it may leave out its length."""
        return self.has_natural_end

    def shortfall(self, clip: Clip, plan: Any, request: Request, options: O) -> str:
        """Why a rendered clip is too far from a hard constraint to be finished, or ""."""
        return ""

    def remarks(self, clip: Clip, request: Request) -> tuple[Note, ...]:
        """Notes about the finished clip, besides those of `render`: how far it is from a path, for example."""
        return ()

    def parameter_ranges(self) -> Mapping[str, float]:
        """The range of each motion parameter in this model, in the parameter's unit."""
        return {m.name: float(np.ptp(m.values, axis=0).max(initial=0.0)) for m in self.measured}

    def adapted(self, request: Request) -> tuple[Self, Request]:
        """The model and the request that are used: a model without a skeleton of its own takes those of the request."""
        return self, request

    def for_take(self, request: Request, take: int) -> Request:
        """The request as it is used for a take: a method that searches the best result varies those after the first."""
        return request

    def uses(self, name: str) -> bool:
        """Is a clip of this name part of what was learned, or was it left out?"""
        return True

    def written_as(self, clip: Clip) -> tuple[float, str]:
        """Unit and up axis in which a result is written: those of the first source."""
        return (self.sources[0].unit, self.sources[0].up) if self.sources else (clip.origin.unit, clip.origin.up)

    def options(self, request: Request) -> O:
        """The checked options of a request; the variant is the model's unless it is given."""
        variant = {"variant": self.config.variant} if hasattr(self.config, "variant") else {}
        return cast(O, self.options_type.of({**variant, **request.options}))

    def inner_request(self, request: Request) -> Request:
        """The request at the model's frame rate, long enough to cover the last frame of the result.

        Its motion parameters have the model's own tolerances.
        """
        inner = with_parameters(self, request).at_fps(self.fps)
        frames = request.length(request.fps or self.fps)
        if frames is None:
            return inner
        cover = int(np.ceil((frames - 1) * self.fps / (request.fps or self.fps) - 1e-9)) + 1
        return dataclasses.replace(inner, seconds=None, frames=max(cover, inner.length(self.fps) or 1))


def place(clip: Clip, request: Request, model: Model[Any]) -> Clip:
    """The clip moved and turned to where the request starts.

    Where the request gives no position or heading, the origin and heading 0, or those of the clip if the model
    `keeps_place`.
    """
    if not model.keeps_place:
        begin = request.beginning(len(clip), clip.fps)
        return placed(clip, begin.position, begin.heading)
    return place_given(clip, request)


def place_given(clip: Clip, request: Request) -> Clip:
    """The clip moved and turned to the position and heading that the request gives, if any."""
    position, heading = request.given_beginning(len(clip), clip.fps)
    if position is None and heading is None:
        return clip
    own = clip.root[0, [0, 2]] if position is None else position
    return placed(clip, own, float(headings(clip[:1])[0]) if heading is None else heading)


def _read_only(value: Any) -> Any:
    """The value with all arrays read-only, also those in nested tuples."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        value = value.copy()
        value.flags.writeable = False
    elif isinstance(value, list):
        value = tuple(value)
    if isinstance(value, tuple):
        parts = [_read_only(v) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
