"""Check a request against a model: all problems, before any work."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol, TypeVar

import numpy as np

from motionloom.constraints import PARAMETERS, Constraint, MotionParameter, Parameters, PoseAt, Request
from motionloom.core import BadRequest, Skeleton, UnsupportedConstraint
from motionloom.core.errors import Problems
from motionloom.core.limits import Limits
from motionloom.methods.natural_length import check_implied_length
from motionloom.methods.settings import Settings
from motionloom.rotation import angle_between

MAX_TURN_RATE = 20.0  # rad/s of a joint between two hard poses; captures exceed it only in kicks and throws

O = TypeVar("O", bound=Settings)  # noqa: E741 -- the method's own Options


class RequestChecker(Protocol[O]):
    """The part of a model that decides which requests it supports."""

    @property
    def method(self) -> str: ...
    @property
    def honours_here(self) -> Sequence[tuple[type[Constraint], str]]: ...
    @property
    def uneven_ground(self) -> bool: ...
    @property
    def skeleton(self) -> Skeleton: ...
    @property
    def fps(self) -> float: ...
    @property
    def measured(self) -> Sequence[Any]: ...
    def adapted(self, request: Request) -> tuple[RequestChecker[O], Request]: ...
    def parameter_ranges(self) -> Mapping[str, float]: ...
    def options(self, request: Request) -> O: ...
    def ends(self, request: Request) -> bool: ...
    def refuses(self, constraint: Constraint, frames: int | None, options: O | None = None) -> str: ...


def check_request(model: RequestChecker[O], request: Request) -> None:
    """Raise every problem of a request as one error (see `problems`), before any work."""
    found = Problems()
    found.found += problems(model, request)
    found.raise_found()


def problems(model: RequestChecker[O], request: Request) -> tuple[BadRequest, ...]:
    """All problems of a request for a model: options, ground, length, and each constraint, with the path to it.

    A constraint is a problem if the method does not honour it, its joints are not in the skeleton, its times lie
    outside the result, or the model refuses it for a reason of its own.
    """
    model, request = model.adapted(request)
    found, request = Problems(), with_parameters(model, request)
    with found.collect():
        check_length(request, model.fps)
    if found.found:  # too long: times are not compared with that length
        request = dataclasses.replace(request, seconds=None, frames=None)
    elif request.length(request.fps or model.fps) is None and not model.ends(request):
        found.found.append(BadRequest(f"{model.method} has no natural end: give seconds or frames"))
    options = None
    with found.collect():
        options = model.options(request)
    with found.collect("ground"):
        if not request.ground.flat and not model.uneven_ground:
            raise UnsupportedConstraint(f"{model.method} cannot honour ground with heights; it needs `ground: flat`")
    if request.parameters:  # short for one constraint, whose values have paths of their own
        try:
            _check_constraint(model, request, Parameters(values=tuple(request.parameters.items())), options)
        except BadRequest as error:
            found.found += [each.at(("parameters", *each.where[2:])) for each in error.problems]
    for index, constraint in enumerate(request.constraints):
        with found.collect_constraint(index, constraint.key()):
            _check_constraint(model, request, constraint, options)
    if not found.found:
        _check_poses(model, request, found)
    return tuple(found.found)


def _check_poses(model: RequestChecker[O], request: Request, found: Problems) -> None:
    """Problems of hard poses that contradict each other: no joint turns that fast from one to the next.

    Two frames of one clip that are as far apart there are no contradiction.
    """
    fps = request.fps or model.fps
    frames = request.length(fps)
    if frames is None:
        return
    hard = [(c.frame(frames, fps), i, c) for i, c in enumerate(request.constraints) if isinstance(c, PoseAt) and c.hard]
    hard.sort(key=lambda entry: entry[:2])
    for (at, _, first), (then, index, second) in pairwise(hard):
        if _same_motion(first, second, (then - at) / fps):
            continue
        a, b = first.target(model.skeleton), second.target(model.skeleton)
        shared = [j for j in a.joints if j in b.joints and j]
        if not shared:
            continue
        turns = angle_between(
            a.rotations[[a.joints.index(j) for j in shared]], b.rotations[[b.joints.index(j) for j in shared]]
        )
        worst = int(np.argmax(turns))
        if turns[worst] > first.limit + second.limit + MAX_TURN_RATE * (then - at) / fps:
            with found.collect_constraint(index, second.key()):
                raise BadRequest(
                    f"contradicts {first.describe()}: {model.skeleton.names[shared[worst]]} would turn by "
                    f"{np.degrees(turns[worst]):.0f} degrees in {(then - at) / fps:.2f} s; "
                    "give the poses more time, or one of them a weight"
                )


def _same_motion(a: PoseAt, b: PoseAt, seconds: float) -> bool:
    """Whether both poses are frames of one clip, and there not much farther apart in time."""
    places = [getattr(c.pose, "source", "").rpartition("#") for c in (a, b)]
    if not places[0][0] or places[0][0] != places[1][0]:
        return False
    fps = a.pose.clip.fps  # type: ignore[union-attr]
    return abs(int(places[0][2]) - int(places[1][2])) / fps <= 1.5 * seconds + 1e-6


def check_length(request: Request, fps: float) -> None:
    """Raise if a request gives a length above the limits, for a model with this frame rate (see `natural_length`)."""
    rate = request.fps or fps
    key = "seconds" if request.seconds is not None else "frames"
    seconds = request.seconds if request.seconds is not None else (request.frames or 0) / rate
    if why := Limits.current().exceeded(seconds=seconds, frames=seconds * max(rate, fps)):
        raise BadRequest(why, where=(key,))


def _check_constraint(model: RequestChecker[O], request: Request, constraint: Constraint, options: O | None) -> None:
    """Raise if the model cannot honour one constraint."""
    strength = "hard" if constraint.hard else "soft"
    if (type(constraint), strength) not in model.honours_here:
        can = f"it honours {honoured(model.honours_here)}"
        if constraint.hard and (type(constraint), "soft") in model.honours_here:
            can = f"with a weight, as `weight: 1`, it is soft; {can}"
        raise UnsupportedConstraint(f"{model.method} cannot honour {constraint.key()} ({strength}); {can}")
    fps = request.fps or model.fps
    if request.length(fps) is None:
        check_implied_length(constraint, request, model.fps)
    known = dataclasses.replace(constraint, table=request.table) if isinstance(constraint, Parameters) else constraint
    known.fits(model.skeleton, request.length(fps), fps)
    inner = dataclasses.replace(request, parameters={}, constraints=(constraint,)).at_fps(model.fps)
    if why := model.refuses(inner.constraints[0], inner.length(model.fps), options):
        raise UnsupportedConstraint(f"{model.method} cannot honour {constraint.describe()}: {why}")


def with_parameters(model: RequestChecker[O], request: Request) -> Request:
    """The request with this model's table of motion parameters.

    It contains parameters that were measured during learning, even if their function was not supplied again; every
    tolerance is 1 % of the model's range, where it has one.
    """
    stored = {m.name: MotionParameter(m.name, m.unit, m.size, "measured during learning", None) for m in model.measured}
    table = {**stored, **(PARAMETERS if request.table is None else request.table)}
    ranges = model.parameter_ranges()
    filled = {name: parameter.within_range(ranges.get(name, 0.0)) for name, parameter in table.items()}
    return dataclasses.replace(request, table=filled)


def honoured(honours: Sequence[tuple[type[Constraint], str]]) -> str:
    """The constraints that a method honours, as text: `pose_at (hard), style (hard or soft)`."""
    kinds: dict[str, list[str]] = {}
    for kind, strength in honours:
        kinds.setdefault(kind.key(), []).append(strength)
    return ", ".join(f"{name} ({' or '.join(strengths)})" for name, strengths in kinds.items()) or "no constraints"
