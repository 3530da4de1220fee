"""One method in a comparison: learning and synthesis, with the cost of each step."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from motionloom.constraints import Request
from motionloom.core import Cancelled, Clip, MotionloomError, Note, Progress, part, silent
from motionloom.core.progress import parts
from motionloom.evaluate.compare.cost import Cost, measured
from motionloom.methods import METHODS, Model, attempt, learn, save_model

LEARNED = 0.6  # learning as a share of a method's work


class Trained(NamedTuple):
    """The method has learned a model."""

    cost: Cost
    stored: int  # bytes of the model's file
    notes: tuple[Note, ...]


class TakeResult(NamedTuple):
    """One take: a clip and, if it is only the best one found or there is none, the reason."""

    clip: Clip | None
    cost: Cost
    reason: str = ""


class Failed(NamedTuple):
    """The method could not learn."""

    reason: str


TrialStep = Trained | TakeResult | Failed


def refusal(name: str, request: Request) -> str:
    """Why a method cannot honour a request, according to its table of constraints; "" if it can."""
    honours = METHODS[name].module().MODEL.honours
    for constraint in request.all_constraints:
        strength = "hard" if constraint.hard else "soft"
        if (type(constraint), strength) not in honours:
            return f"does not honour {constraint.key()} ({strength})"
    return ""


def trial(
    name: str,
    clips: Sequence[Clip],
    request: Request,
    seed: int,
    count: int,
    config: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Iterator[TrialStep]:
    """The steps of one method, as they are completed. An error is reported as a step and never ends the comparison."""
    report = progress or silent()
    try:
        model, cost = measured(
            lambda: learn(name, clips, config or None, seed=seed, progress=part(report, 0.0, LEARNED))
        )
        stored = _stored(model)
    except Cancelled:
        raise
    except Exception as error:  # a bug in one method must not discard the results of the others
        yield Failed(error_line(error))
        return
    yield Trained(cost, stored, model.notes)
    for number, step in enumerate(parts(part(report, LEARNED, 1.0), [1] * count)):
        make = partial(_take, model, request, seed, number, step)
        (clip, reason), cost = measured(make)
        yield TakeResult(clip, cost, reason)


def error_line(error: Exception) -> str:
    """An error in one line; an unexpected one (a bug) begins with its type."""
    text = " ".join(str(error).split())
    return text if isinstance(error, MotionloomError) else f"failed with {type(error).__name__}: {text}".rstrip(": ")


def _take(model: Model[Any], request: Request, seed: int, number: int, progress: Progress) -> tuple[Clip | None, str]:
    """One result, or the best clip found and what it does not meet."""
    try:
        found = attempt(model, request, seed=seed, take=number, progress=progress)
    except Cancelled:
        raise
    except Exception as error:  # see `trial`
        return None, error_line(error)
    return found.clip, found.reason


def _stored(model: Model[Any]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.loom"
        save_model(model, path)
        return path.stat().st_size
