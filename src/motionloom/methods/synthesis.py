"""Synthesize clips from a request: plan, render, finish and check, for every method."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Request, Row, residuals, unmet
from motionloom.core import Clip, FormatError, Made, NoPath, Progress, Unmet, part, replace, silent
from motionloom.core.blas import one_blas_thread
from motionloom.core.origin import all_terms
from motionloom.core.watched import watched
from motionloom.kinematics.resample import resample
from motionloom.methods.base import Model, Plan
from motionloom.methods.finish import finish
from motionloom.methods.natural_length import check_planned_length
from motionloom.methods.recipe_steps import synthesis_step
from motionloom.methods.request_check import with_parameters

PLAN_SHARE, RENDER_SHARE = 0.75, 0.8  # planning, of planning and rendering; both, of the whole


class Attempt(NamedTuple):
    """The outcome of a request."""

    clip: Clip | None  # the result, or the best clip where a hard constraint is not met; None if there is none
    plan: Plan | None
    residuals: tuple[Row, ...]
    met: bool  # every hard constraint is met
    reason: str  # why not; "" if met


@one_blas_thread()
@watched
def attempt(
    model: Model[Any], request: Request, *, seed: int = 0, take: int = 0, progress: Progress | None = None
) -> Attempt:
    """Take `take` of a seed for a request; an unmet hard constraint is reported, not raised.

    The generator is `default_rng([seed, take])`; the request, seed and take are recorded in the clip's origin.
    """
    return _signed_attempt(model, request, seed, take, progress or silent())[0]


@one_blas_thread()
@watched
def synthesize(
    model: Model[Any], request: Request, *, seed: int = 0, take: int = 0, progress: Progress | None = None
) -> Clip:
    """The clip of `attempt`: the same bits every time, however many takes are made.

    If a hard constraint is not met: `NoPath` where the method found no plan for it, `Unmet` where the finished clip
    misses it; both carry the best clip and its residuals.
    """
    found, error = _signed_attempt(model, request, seed, take, progress or silent())
    if found.met and found.clip is not None:
        return found.clip
    raise error(found.reason, best=found.clip, residuals=list(found.residuals))


def synthesize_many(
    model: Model[Any], request: Request, *, seed: int = 0, count: int = 1, progress: Progress | None = None
) -> Iterator[Clip]:
    """Takes 0 to count - 1 of a seed, one after the other; each is the same whatever `count` is."""
    whole = progress or silent()
    for take in range(count):
        yield synthesize(model, request, seed=seed, take=take, progress=part(whole, take / count, (take + 1) / count))


def _signed_attempt(
    model: Model[Any], request: Request, seed: int, take: int, progress: Progress
) -> tuple[Attempt, type[Unmet]]:
    found, error = _attempt(model, model.for_take(request, take), np.random.default_rng([seed, take]), progress)
    progress(1.0, "done")
    if found.clip is not None:
        step = synthesis_step(model, "synthesize", request=request, seed=seed, take=take)
        found = found._replace(clip=signed(found.clip, model, step))
    return found, error


def _attempt(model: Model[Any], request: Request, rng: Generator, progress: Progress) -> tuple[Attempt, type[Unmet]]:
    """The attempt, and the class of the error to raise if it is not met."""
    plan: Plan | None = None
    raw: Clip | None
    model, request = model.adapted(request)
    request = with_parameters(model, request)
    try:
        plan, raw = rendered(model, request, rng, part(progress, 0.0, RENDER_SHARE))
        inner = model.inner_request(request)
        reason = plan.reason or model.shortfall(raw, plan, inner, model.options(request)) or _missed(raw, inner)
    except NoPath as error:
        raw, reason = error.best, str(error)
    if raw is None:
        return Attempt(None, plan, (), False, reason), NoPath
    rest = part(progress, RENDER_SHARE, 1.0)
    if reason:  # the best clip is not bent: a walk of 8 m would slide to a goal at 50 m
        free = dataclasses.replace(request, constraints=(), parameters={})
        clip, _ = finished(model, raw, free, rest)
        clip = with_remarks(model, clip, request)
        rows = residuals(clip, request)
        return Attempt(clip, plan, tuple(rows), False, reason), NoPath
    try:
        clip, rows = finished(model, raw, request, rest)
    except Unmet as error:
        best = with_remarks(model, error.best, request)
        return Attempt(best, plan, tuple(error.residuals), False, str(error)), Unmet
    return Attempt(with_remarks(model, clip, request), plan, tuple(rows), True, ""), Unmet


def _missed(clip: Clip, request: Request) -> str:
    """The hard constraints that a rendered clip misses, or "": they must be met before the finishing pass."""
    rows = residuals(clip[: request.length(clip.fps)], [c for c in request.constraints if c.hard])
    return "" if all(row.met for row in rows) else str(unmet(clip, rows))


def rendered(
    model: Model[Any], request: Request, rng: Generator, progress: Progress | None = None
) -> tuple[Plan, Clip]:
    """The plan for a request and its rendered clip at the model's frame rate, before finishing."""
    report = progress or silent()
    model, request = model.adapted(request)
    plan = model.plan(request, rng, part(report, 0.0, PLAN_SHARE))
    check_planned_length(plan.frames, model.fps, request)
    options, inner = model.options(request), model.inner_request(request)
    try:
        clip = model.render(plan, inner, options, rng, part(report, PLAN_SHARE, 1.0))
    except ValueError as error:
        if "infs or NaNs" not in str(error):  # of SciPy's solvers
            raise
        raise FormatError(f"the numbers of this {model.method} model give no finite motion: it is damaged") from error
    return plan, clip


def finished(
    model: Model[Any], clip: Clip, request: Request, progress: Progress | None = None
) -> tuple[Clip, list[Row]]:
    """A rendered clip at the frame rate and length of the result, cleaned and checked; and its residuals."""
    clip = resample(clip, request.fps or model.fps)[: request.length(request.fps or model.fps)]
    if not model.keeps_notes:
        clip = replace(clip, origin=dataclasses.replace(clip.origin, notes=()))
    return finish(clip, request, clean=model.cleans_feet(request), progress=progress)


def with_remarks(model: Model[Any], clip: Clip, request: Request) -> Clip:
    """The clip with notes: options without effect, and the method's remarks."""
    notes = (*model.options(request).unused(request.options), *model.remarks(clip, request))
    return replace(clip, origin=clip.origin.with_notes(*notes)) if notes else clip


def signed(clip: Clip, model: Model[Any], step: Made) -> Clip:
    """The clip with its recipe, the licence terms of all its sources, and the unit and up axis of the first of them."""
    terms = all_terms([*(source.licence for source in model.sources), clip.origin.licence])
    before = [*clip.origin.made, *(made for made in model.made[:-1] if made not in clip.origin.made)]
    name = f"{model.method}_{step.seed or 0}_{step.take or 0:03d}"
    unit, up = model.written_as(clip)
    origin = dataclasses.replace(clip.origin, name=name, licence=terms, made=tuple(before), unit=unit, up=up)
    return replace(clip, origin=origin.with_made(step))
