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
    """Read, join and learn from small samples, and make a clip with every method: later commands then compile nothing.

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
    with busy("compiling files and edits"):
        use_files(clips)
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


def use_files(clips: list[Clip]) -> None:
    """Write and read a file, join and splice clips, find a stretch of one in another."""
    from tempfile import TemporaryDirectory

    from motionloom.analysis.match_web import build_web, find_matches
    from motionloom.blend.append import append
    from motionloom.blend.splice.splice import splice
    from motionloom.evaluate import check_clips
    from motionloom.io import load, save

    with TemporaryDirectory() as folder:
        save(clips[0], f"{folder}/walk.bvh")
        read = load(f"{folder}/walk.bvh")
    check_clips([read])
    append(read, clips[1])
    splice(clips[1], clips[0])
    find_matches(build_web(clips), 0, 0, len(clips[0]) // 2)


def use_method(name: str, clips: list[Clip]) -> None:
    """Learn, follow a path or make two seconds, evaluate; the same for the faithful variant; step live characters."""
    import numpy as np

    from motionloom.constraints import Request, RootPath
    from motionloom.control import foot_locked
    from motionloom.core.poses import commands
    from motionloom.evaluate import evaluate_clips
    from motionloom.methods import METHODS, learn
    from motionloom.methods.synthesis import attempt

    variants = ("faithful", "improved") if METHODS[name].source else ("",)
    for variant in variants:
        model: Any = learn(name, clips, {"variant": variant} if variant else {})
        requests = [Request(seconds=2)]
        if (RootPath, "soft") in model.honours:
            path = RootPath(points=((0.0, 0.0), (0.0, 2.0)), weight=1.0)
            ends = model.ends(Request(constraints=(path,)))
            requests.append(Request(seconds=None if ends else 2.0, constraints=(path,)))
        for request in requests:
            found = attempt(model, request)
    if found.clip is not None:
        evaluate_clips([found.clip], clips)
    live = getattr(model, "live", None)
    if live is not None:
        locked = foot_locked(live)
        locked.step(locked.begin(np.arange(2)), commands(), 1 / 30)


def use_gaze() -> None:
    """Learn a map from small takes, and look at a point."""
    from motionloom.constraints import LookAt, Request
    from motionloom.methods import learn, synthesize
    from motionloom.samples.gaze_takes import make_take

    takes = [make_take(target, fps=30.0).markers for target in ((-1.2, 0.0), (1.2, 0.0), (0.4, 0.2))]
    synthesize(learn("gaze", takes), Request(seconds=1, constraints=(LookAt(target=(2.0, 1.5, 3.0)),)))
