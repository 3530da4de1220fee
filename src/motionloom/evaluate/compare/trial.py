"""One method's turn in a comparison: it learns, makes its takes, and every step is timed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from motionloom.constraints import Request
from motionloom.core import Cancelled, Clip, MotionloomError, Note, Progress, Unmet, part, silent
from motionloom.core.progress import parts
from motionloom.evaluate.compare.cost import Cost, measured
from motionloom.methods import METHODS, Model, learn, save_model, synthesize

LEARNED = 0.6  # learning as a share of a method's work


class Trained(NamedTuple):
    """The method has learned."""

    cost: Cost
    stored: int  # bytes of the model's file
    notes: tuple[Note, ...]


class Made(NamedTuple):
    """One take: the clip, or the best there was with what is not met, or only why there is none."""

    clip: Clip | None
    cost: Cost
    said: str = ""


class Failed(NamedTuple):
    """The method could not learn."""

    reason: str


Step = Trained | Made | Failed


def refusal(name: str, request: Request) -> str:
    """Why a method cannot honour a request, told from its table of what it honours; "" if nothing speaks against it."""
    honours = METHODS[name].module().MODEL.honours
    for wish in request.all_constraints:
        strength = "hard" if wish.hard else "soft"
        if (type(wish), strength) not in honours:
            return f"does not honour {wish.key()} ({strength})"
    return ""


def trial(
    name: str, clips: Sequence[Clip], request: Request, seed: int, count: int, progress: Progress | None = None
) -> Iterator[Step]:
    """The steps of one method, as they are done. Whatever goes wrong in it is told, and never stops a comparison."""
    report = progress or silent()
    try:
        model, cost = measured(lambda: learn(name, clips, seed=seed, progress=part(report, 0.0, LEARNED)))
        stored = _stored(model)
    except Cancelled:
        raise
    except Exception as error:  # a fault of one method must not cost the results of the others
        yield Failed(told(error))
        return
    yield Trained(cost, stored, model.notes)
    for number, step in enumerate(parts(part(report, LEARNED, 1.0), [1] * count)):
        make = partial(_take, model, request, seed, number, step)
        (clip, said), cost = measured(make)
        yield Made(clip, cost, said)


def told(error: Exception) -> str:
    """An error in one line; one that is not ours is a fault of the program, so its kind is said too."""
    text = " ".join(str(error).split())
    return text if isinstance(error, MotionloomError) else f"failed with {type(error).__name__}: {text}".rstrip(": ")


def _take(model: Model[Any], request: Request, seed: int, number: int, progress: Progress) -> tuple[Clip | None, str]:
    """One result; or the best there was, and what is not met."""
    try:
        return synthesize(model, request, seed=seed, take=number, progress=progress), ""
    except Cancelled:
        raise
    except Unmet as error:
        return (error.best if isinstance(error.best, Clip) else None), str(error)
    except Exception as error:  # see `trial`
        return None, told(error)


def _stored(model: Model[Any]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.loom"
        save_model(model, path)
        return path.stat().st_size
