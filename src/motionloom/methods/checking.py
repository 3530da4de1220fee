"""Whether a model can do what a request asks: every problem, before any work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from motionloom.constraints import Constraint, Request
from motionloom.core import BadRequest, UnsupportedConstraint
from motionloom.core.errors import Problems

if TYPE_CHECKING:
    from motionloom.methods.base import Model


def check_request(model: Model, request: Request) -> None:
    """Raise every problem of a request as one error (see `problems`), before any work."""
    found = Problems()
    found.found += problems(model, request)
    found.raise_found()


def problems(model: Model, request: Request) -> tuple[BadRequest, ...]:
    """All that keeps a model from a request: options, ground, length, and each constraint, with the path to it.

    A constraint is a problem if the method does not honour it, its joints are not in the skeleton, its times lie
    outside the result, or the model refuses it for a reason of its own.
    """
    found = Problems()
    with found.collect():
        model.options(request)
    with found.collect("ground"):
        if not request.ground.flat and not model.uneven:
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


def _constraints(model: Model, request: Request) -> Iterator[tuple[int | None, Constraint, Constraint]]:
    """The number of each constraint (None: the short form `parameters`), itself, and itself at the model's rate."""
    short = len(request.wishes) - len(request.constraints)
    inner = request.at_fps(model.fps)
    for i, (asked, timed) in enumerate(zip(request.wishes, inner.wishes, strict=True)):
        yield (i - short if i >= short else None), asked, timed


def _check_constraint(model: Model, request: Request, asked: Constraint, inner: Constraint) -> None:
    """Raise if the model cannot honour one constraint; `inner` is the same at the model's frame rate."""
    strength = "hard" if asked.hard else "soft"
    if (type(asked), strength) not in model.honours:
        can = f"it honours {honoured(model)}"
        raise UnsupportedConstraint(f"{model.method} cannot honour {asked.key()} ({strength}); {can}")
    fps = request.fps or model.fps
    asked.fits(model.skeleton, request.length(fps), fps)
    if why := model.refuses(inner, request.at_fps(model.fps).length(model.fps)):
        raise UnsupportedConstraint(f"{model.method} cannot honour {asked.describe()}: {why}")


def honoured(model: Model | type[Model]) -> str:
    """What a method honours, in words: `pose_at (hard), style (hard or soft)`."""
    kinds: dict[str, list[str]] = {}
    for kind, strength in model.honours:
        kinds.setdefault(kind.key(), []).append(strength)
    return ", ".join(f"{name} ({' or '.join(strengths)})" for name, strengths in kinds.items()) or "no constraints"
