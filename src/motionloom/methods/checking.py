"""Whether a model can do what a request asks: every problem, before any work."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from motionloom.constraints import PARAMETERS, Constraint, MotionParameter, Parameters, Request
from motionloom.core import BadRequest, Skeleton, UnsupportedConstraint
from motionloom.core.errors import Problems
from motionloom.core.limits import Limits


class Able(Protocol):
    """The part of a model that decides which requests it can keep."""

    @property
    def method(self) -> str: ...
    @property
    def honours(self) -> Sequence[tuple[type[Constraint], str]]: ...
    @property
    def uneven_ground(self) -> bool: ...
    @property
    def skeleton(self) -> Skeleton: ...
    @property
    def fps(self) -> float: ...
    @property
    def measured(self) -> Sequence[Any]: ...
    def parameter_ranges(self) -> Mapping[str, float]: ...
    def options(self, request: Request) -> Any: ...
    def ends(self, request: Request) -> bool: ...
    def refuses(self, constraint: Constraint, frames: int | None) -> str: ...


def check_request(model: Able, request: Request) -> None:
    """Raise every problem of a request as one error (see `problems`), before any work."""
    found = Problems()
    found.found += problems(model, request)
    found.raise_found()


def problems(model: Able, request: Request) -> tuple[BadRequest, ...]:
    """All that keeps a model from a request: options, ground, length, and each constraint, with the path to it.

    A constraint is a problem if the method does not honour it, its joints are not in the skeleton, its times lie
    outside the result, or the model refuses it for a reason of its own.
    """
    found, request = Problems(), with_parameters(model, request)
    with found.collect():
        check_length(request, model.fps)
    if found.found:  # too long: times are not compared with a result that is never made
        request = dataclasses.replace(request, seconds=None, frames=None)
    elif request.length(request.fps or model.fps) is None and not model.ends(request):
        found.found.append(BadRequest(f"{model.method} can go on for ever: the request needs seconds or frames"))
    with found.collect():
        model.options(request)
    with found.collect("ground"):
        if not request.ground.flat and not model.uneven_ground:
            raise UnsupportedConstraint(f"{model.method} cannot honour ground with heights; it needs `ground: flat`")
    if request.parameters:  # short for one constraint, whose values have paths of their own
        try:
            _check_constraint(model, request, Parameters(values=tuple(request.parameters.items())))
        except BadRequest as error:
            found.found += [each.at(("parameters", *each.where[2:])) for each in error.problems]
    for index, asked in enumerate(request.constraints):
        with found.collect_constraint(index, asked.key()):
            _check_constraint(model, request, asked)
    return tuple(found.found)


def check_length(request: Request, fps: float) -> None:
    """Raise if the result of a model with this frame rate would be longer than the limits allow."""
    rate = request.fps or fps
    key = "seconds" if request.seconds is not None else "frames"
    seconds = request.seconds if request.seconds is not None else (request.frames or 0) / rate
    if why := Limits.current().exceeded(seconds=seconds, frames=seconds * max(rate, fps)):
        raise BadRequest(why, where=(key,))


def _check_constraint(model: Able, request: Request, asked: Constraint) -> None:
    """Raise if the model cannot honour one constraint."""
    strength = "hard" if asked.hard else "soft"
    if (type(asked), strength) not in model.honours:
        can = f"it honours {honoured(model.honours)}"
        raise UnsupportedConstraint(f"{model.method} cannot honour {asked.key()} ({strength}); {can}")
    fps = request.fps or model.fps
    known = dataclasses.replace(asked, table=request.table) if isinstance(asked, Parameters) else asked
    known.fits(model.skeleton, request.length(fps), fps)
    inner = dataclasses.replace(request, parameters={}, constraints=(asked,)).at_fps(model.fps)
    if why := model.refuses(inner.constraints[0], inner.length(model.fps)):
        raise UnsupportedConstraint(f"{model.method} cannot honour {asked.describe()}: {why}")


def with_parameters(model: Able, request: Request) -> Request:
    """The request with the table of motion parameters as this model has it.

    Parameters that were measured while learning are part of it, even where their function was not supplied again; and
    every tolerance is 1 % of the model's own range, where it has one.
    """
    stored = {m.name: MotionParameter(m.name, m.unit, m.size, "measured while learning", None) for m in model.measured}
    table = {**stored, **(PARAMETERS if request.table is None else request.table)}
    ranges = model.parameter_ranges()
    filled = {name: parameter.within_range(ranges.get(name, 0.0)) for name, parameter in table.items()}
    return dataclasses.replace(request, table=filled)


def honoured(honours: Sequence[tuple[type[Constraint], str]]) -> str:
    """What a method honours, in words: `pose_at (hard), style (hard or soft)`."""
    kinds: dict[str, list[str]] = {}
    for kind, strength in honours:
        kinds.setdefault(kind.key(), []).append(strength)
    return ", ".join(f"{name} ({' or '.join(strengths)})" for name, strengths in kinds.items()) or "no constraints"
