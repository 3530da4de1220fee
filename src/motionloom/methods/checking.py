"""Whether a model can do what a request asks: every problem, before any work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from motionloom.constraints import Constraint, Request
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
    found = Problems()
    with found.collect():
        check_length(request, model.fps)
    if found.found:
        return tuple(found.found)  # constraints are not compared with a result that is never made
    with found.collect():
        model.options(request)
    with found.collect("ground"):
        if not request.ground.flat and not model.uneven_ground:
            raise UnsupportedConstraint(f"{model.method} cannot honour ground with heights; it needs `ground: flat`")
    if request.length(request.fps or model.fps) is None and not model.ends(request):
        found.found.append(BadRequest(f"{model.method} can go on for ever: the request needs seconds or frames"))
    for index, asked, inner in _constraints(model, request):
        if index is None:
            with found.collect("parameters"):
                _check_constraint(model, request, asked, inner)
        else:
            with found.collect_constraint(index, asked.key()):
                _check_constraint(model, request, asked, inner)
    return tuple(found.found)


def check_length(request: Request, fps: float) -> None:
    """Raise if the result of a model with this frame rate would be longer than the limits allow."""
    rate = request.fps or fps
    key = "seconds" if request.seconds is not None else "frames"
    seconds = request.seconds if request.seconds is not None else (request.frames or 0) / rate
    if why := Limits.current().exceeded(seconds=seconds, frames=seconds * max(rate, fps)):
        raise BadRequest(why, where=(key,))


def _constraints(model: Able, request: Request) -> Iterator[tuple[int | None, Constraint, Constraint]]:
    """The number of each constraint (None: the short form `parameters`), itself, and itself at the model's rate."""
    short = len(request.wishes) - len(request.constraints)
    inner = request.at_fps(model.fps)
    for i, (asked, timed) in enumerate(zip(request.wishes, inner.wishes, strict=True)):
        yield (i - short if i >= short else None), asked, timed


def _check_constraint(model: Able, request: Request, asked: Constraint, inner: Constraint) -> None:
    """Raise if the model cannot honour one constraint; `inner` is the same at the model's frame rate."""
    strength = "hard" if asked.hard else "soft"
    if (type(asked), strength) not in model.honours:
        can = f"it honours {honoured(model.honours)}"
        raise UnsupportedConstraint(f"{model.method} cannot honour {asked.key()} ({strength}); {can}")
    fps = request.fps or model.fps
    asked.fits(model.skeleton, request.length(fps), fps)
    if why := model.refuses(inner, request.at_fps(model.fps).length(model.fps)):
        raise UnsupportedConstraint(f"{model.method} cannot honour {asked.describe()}: {why}")


def honoured(honours: Sequence[tuple[type[Constraint], str]]) -> str:
    """What a method honours, in words: `pose_at (hard), style (hard or soft)`."""
    kinds: dict[str, list[str]] = {}
    for kind, strength in honours:
        kinds.setdefault(kind.key(), []).append(strength)
    return ", ".join(f"{name} ({' or '.join(strengths)})" for name, strengths in kinds.items()) or "no constraints"
