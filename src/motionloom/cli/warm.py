"""`motionloom warm`: compile what searches and learning need, once after installation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import argument
from motionloom.cli.options import print_line, warn
from motionloom.cli.progress_bars import busy

if TYPE_CHECKING:
    from motionloom.core import Clip

SECONDS = 3.0  # of each sample that is learned from


def warm(methods: Annotated[list[str] | None, argument("[METHODS]", "Methods; by default all.")] = None) -> None:
    """Learn from small samples and make a clip with every method, so that later commands do not wait for compiling.

    Compiled code is kept beside the package, or in the user's cache folder.
    """
    from motionloom.core import BadRequest, MotionloomError
    from motionloom.core.errors import unknown
    from motionloom.methods import METHODS
    from motionloom.samples import make

    for name in methods or ():
        if name not in METHODS:
            raise BadRequest(unknown(name, METHODS, "method"))
    turns = ((0, 0.0), (1, 0.3), (2, -0.3))
    clips = [make("walk", seed=seed, turn=turn, seconds=SECONDS, fps=30) for seed, turn in turns]
    failed = 0
    for name in methods or METHODS:
        try:
            with busy(f"compiling {name}"):
                if METHODS[name].learns_from_any_clips:
                    use_method(name, clips)
                else:
                    use_gaze()
            print_line(f"{name}: ready")
        except MotionloomError as error:
            warn(f"{name}: {error}")
            failed += 1
    if failed:
        raise typer.Exit(1)


def use_method(name: str, clips: list[Clip]) -> None:
    """Learn, follow a path or make two seconds, evaluate, and step live characters where the method has them."""
    import numpy as np

    from motionloom.constraints import Request, RootPath
    from motionloom.core.poses import commands
    from motionloom.evaluate import evaluate_clips
    from motionloom.methods import learn
    from motionloom.methods.synthesis import attempt

    model: Any = learn(name, clips)
    requests = [Request(seconds=2)]
    if (RootPath, "soft") in model.honours:
        path = RootPath(points=((0.0, 0.0), (0.0, 2.0)), weight=1.0)
        requests.append(Request(seconds=None if model.ends(Request(constraints=(path,))) else 2.0, constraints=(path,)))
    for request in requests:
        found = attempt(model, request)
    if found.clip is not None:
        evaluate_clips([found.clip], clips)
    live = getattr(model, "live", None)
    if live is not None:
        live.step(live.begin(np.arange(2)), commands(), 1 / 30)


def use_gaze() -> None:
    """Learn a map from small takes, and look at a point."""
    from motionloom.constraints import LookAt, Request
    from motionloom.methods import learn, synthesize
    from motionloom.samples.gaze_takes import make_take

    takes = [make_take(target, fps=30.0).markers for target in ((-1.2, 0.0), (1.2, 0.0), (0.4, 0.2))]
    synthesize(learn("gaze", takes), Request(seconds=1, constraints=(LookAt(target=(2.0, 1.5, 3.0)),)))
