"""What all methods share: the shape of a model, and the way from a request to a clip."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import MEASURES, Constraint, Measure, Request, residuals
from motionloom.core import Clip, Note, Skeleton, Source, Unmet, replace
from motionloom.core.arrays import put
from motionloom.core.origin import all_terms
from motionloom.kinematics.edit import resample
from motionloom.kinematics.travel import placed
from motionloom.methods.checking import check_request
from motionloom.methods.finish import finish
from motionloom.methods.settings import Param, Settings, param, params

__all__ = ["Honours", "Learned", "Model", "Param", "Settings", "check_request", "param", "params", "synthesize"]

Honours = tuple[tuple[type[Constraint], str], ...]
"""Constraint classes, each with "hard" or "soft"; a method that takes both lists both."""


class Learned(NamedTuple):
    """One clip that a model was learned from; it need not exist any more."""

    name: str
    frames: int  # used, at the model's frame rate
    sha256: str
    of: str = "clip"  # what was hashed: the bytes of the "file", or the numbers of the "clip"
    licence: str = ""  # the clip's terms; what the model makes is under those of all its clips


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Model(ABC):
    """A learned model: arrays, numbers, and nothing else. It is complete when it exists.

    A method subclasses this with its own fields, says what it `honours`, and implements `make`. Optional: a public
    `plan(request, rng)` for what it decides before it renders, and `step(state, command, dt, rng)` if it can run
    for ever.
    """

    method: ClassVar[str]
    honours: ClassVar[Honours] = ()
    Options: ClassVar[type[Settings]] = Settings
    ends_itself: ClassVar[bool] = False  # has a natural end, so that a request may leave out its length
    whole_clips: ClassVar[bool] = False  # each clip is one example: mend broken frames instead of cutting them out
    spare: ClassVar[float] = 0.0  # s: frames as near to broken ones are left out too
    cleans: ClassVar[bool] = True  # are plants cleaned at the end?
    uneven: ClassVar[bool] = False  # can it walk on ground with heights?
    speaks: ClassVar[bool] = (
        False  # are the notes of what it makes its own? Else they are remarks on the sources' files
    )

    skeleton: Skeleton
    config: Any  # the method's own Config
    fps: float
    sources: tuple[Learned, ...] = ()
    notes: tuple[Note, ...] = ()  # what was found while learning

    def __post_init__(self) -> None:
        for f in fields(self):
            put(self, f.name, _read_only(getattr(self, f.name)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.sources)} clips at {self.fps:g} fps, {self.skeleton!r})"

    @abstractmethod
    def make(self, request: Request, options: Any, rng: Generator) -> Clip:
        """The method itself: a clip at the model's frame rate for a request that has been checked.

        `request.fps` is the model's, and all of its constraints are honoured and fit the skeleton and the length.
        Place the clip as asked, where places matter; `synthesize` puts its first frame at the request's beginning,
        lets hard constraints hold exactly, cleans plants and checks.
        """

    def refuses(self, constraint: Constraint, frames: int | None) -> str:
        """Why this one cannot be honoured although its class is, or "": `only at time 0`, say.

        `frames` is the length of the result at the model's frame rate, if the request says.
        """
        return ""

    def ends(self, request: Request) -> bool:
        """Does this request have a natural end, so that it may leave out its length?"""
        return self.ends_itself

    def remarks(self, clip: Clip, request: Request) -> tuple[Note, ...]:
        """What is to be said about the finished clip, beside what `make` noted: how far it is from a path, say."""
        return ()

    def measures(self) -> Mapping[str, Measure]:
        """How this method's parameters are read off a clip."""
        return MEASURES

    def options(self, request: Request) -> Any:
        """The request's options as this method's own, checked."""
        return self.Options.of(request.options)

    def synthesize(self, request: Request, rng: Generator) -> Clip:
        """A clip that keeps the request: hard constraints are met, or `Unmet` or `NoPath` is raised."""
        check_request(self, request)
        options = self.options(request)
        fps = request.fps or self.fps
        frames = request.length(fps)
        inner = request.at_fps(self.fps)
        if frames is not None:  # as long as asked for, and enough to cover the result's last frame
            cover = int(np.ceil((frames - 1) * self.fps / fps - 1e-9)) + 1
            inner = dataclasses.replace(inner, seconds=None, frames=max(cover, inner.length(self.fps) or 1))
        try:
            return self.finished(self.make(inner, options, rng), request, fps, frames)
        except Unmet as error:
            raise self._with_best(error, request, fps, frames) from None

    def finished(self, clip: Clip, request: Request, fps: float, frames: int | None) -> Clip:
        """The raw clip at the result's frame rate and length, at its beginning, cleaned and checked."""
        done = finish(self._begun(clip, request, fps, frames), request, clean=self.cleans, measures=self.measures())
        return self._remarked(done, request)

    def _remarked(self, clip: Clip, request: Request) -> Clip:
        said = self.remarks(clip, request)
        return replace(clip, origin=clip.origin.with_notes(*said)) if said else clip

    def _begun(self, clip: Clip, request: Request, fps: float, frames: int | None) -> Clip:
        """The raw clip at the result's frame rate and length, at its beginning."""
        clip = resample(clip, fps)[:frames]
        begin = request.beginning(len(clip), fps)
        clip = placed(clip, begin.position, begin.heading)
        return clip if self.speaks else replace(clip, origin=dataclasses.replace(clip.origin, notes=()))

    def _with_best(self, error: Unmet, request: Request, fps: float, frames: int | None) -> Unmet:
        """The same error with its best clip, begun and cleaned too, and with every residual.

        It is not bent to what is hard: that is too far away, or the method would have done it. A walk that gets 8 m far
        would slide to a goal at 50 m, and be said to have met it.
        """
        if error.best is None:
            return error
        if error.residuals is not None:
            return type(error)(str(error), best=self._remarked(error.best, request), residuals=error.residuals)
        free = dataclasses.replace(request, constraints=(), parameters={})
        best = finish(self._begun(error.best, request, fps, frames), free, clean=self.cleans, measures=self.measures())
        rows = residuals(best, request, measures=self.measures())
        return type(error)(str(error), best=self._remarked(best, request), residuals=rows)


def synthesize(model: Model, request: Request, *, seed: int = 0, take: int = 0) -> Clip:
    """Take `take` of a seed: the same bits every time, however many takes are made.

    The generator is `default_rng([seed, take])`; method, seed and take are noted in the clip's origin.
    """
    try:
        clip = model.synthesize(request, np.random.default_rng([seed, take]))
    except Unmet as error:
        error.best = None if error.best is None else signed(error.best, model, seed, take)
        raise
    return signed(clip, model, seed, take)


def signed(clip: Clip, model: Model, seed: int, take: int) -> Clip:
    """The clip with its method, seed, take and terms in its origin; each frame still knows its source frame."""
    method = model.method
    terms = all_terms([*(source.licence for source in model.sources), clip.origin.licence])
    sources = tuple(Source(s.clip, method, seed) for s in clip.origin.sources)
    said = f"made by {method}, seed {seed}, take {take}"
    name, notes = f"{method}_{seed}_{take:03d}", (Note(said, topic="made"), *clip.origin.notes)
    origin = dataclasses.replace(clip.origin, name=name, licence=terms, sources=sources, notes=notes)
    return replace(clip, origin=origin)


def _read_only(value: Any) -> Any:
    """Arrays of a model cannot be written to, however deep in tuples they lie."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        value = value.copy()
        value.flags.writeable = False
    elif isinstance(value, list):
        value = tuple(value)
    if isinstance(value, tuple):
        parts = [_read_only(v) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
