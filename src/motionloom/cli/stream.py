"""`motionloom stream`: drive a live character by commands, to a file or line by line."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Iterator
from itertools import count, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import argument, flag, option, with_fields
from motionloom.cli.layer_options import OverlayRate, Overlays, load_overlays
from motionloom.cli.options import Force, Seed, plural, print_line, warn
from motionloom.cli.progress_bars import busy, write_clip

if TYPE_CHECKING:
    from motionloom.core.fields import Field
    from motionloom.core.poses import Poses
    from motionloom.methods.live import State


def drive(
    model: Annotated[Path, argument("MODEL.loom", "A model of any method that makes clips of any length.")],
    out: Annotated[
        Path | None, option("-o --out", "FILE", "Write a clip; by default one JSON line for each pose.")
    ] = None,
    command: Annotated[
        list[str] | None, option("-c --command", "ORDER", "'3: heading 90deg, speed 1.4'; repeatable.")
    ] = None,
    seconds: Annotated[
        float | None, option("--seconds", "S", "Duration; without it, until Ctrl-C [s].", min=0.01)
    ] = None,
    rate: Annotated[float, option("--result-fps --rate", "FPS", "Poses per second.", min=1, max=1000)] = 60.0,
    seed: Seed = 0,
    lock: Annotated[bool, typer.Option(help="Hold feet where they touch.")] = True,
    vary: Annotated[
        Path | None, option("--vary", "TAKES.loom", "Add the variation of a model of takes to any character.")
    ] = None,
    vary_amount: Annotated[
        float, typer.Option("--vary-amount", min=0, max=4, help="How much: 1 as in the takes.")
    ] = 1.0,
    overlay: Overlays = None,
    source_fps: OverlayRate = None,
    gaze: Annotated[Path | None, option("--gaze", "MAP.loom", "A gaze map, for the order `look X Y Z`.")] = None,
    lead: Annotated[bool, flag("--lead", "With --gaze: look into turns where there is no point to look at.")] = False,
    force: Force = False,
    *,
    given: Any = None,
) -> None:
    """Drive a live character: endless motion that follows headings, places, speeds, styles or textons.

    Poses are printed in real time as JSON lines, or written to a file as fast as possible. The help of each further
    option names its methods.
    """
    from motionloom.control import run, stream_clip
    from motionloom.control.order_warnings import warned_of_orders
    from motionloom.control.script import follow, parse_order
    from motionloom.control.streaming import begin_stream, end_warnings
    from motionloom.core import BadRequest
    from motionloom.io import check_target
    from motionloom.methods import load_model

    if out is not None:
        check_target(out, overwrite=force)
        if seconds is None:
            raise BadRequest("--out needs --seconds: a file has an end")
    if vary is None and vary_amount != 1.0:
        raise BadRequest("--vary-amount needs --vary: a model of takes whose variation is added")
    learned = load_model(model)
    takes = None if vary is None else load_model(vary)
    layers: dict[str, Any] = {
        "overlays": load_overlays(overlay or [], source_fps),
        "gaze": None if gaze is None else load_model(gaze),
        "lead": lead,
    }
    orders = command or []
    if out is None:
        live, state = begin_stream(
            learned, seed=seed, lock=lock, options=given, variation=takes, amount=vary_amount, **layers, warn=warn
        )
        steps = repeat(1.0 / rate) if seconds is None else repeat(1.0 / rate, max(1, round(seconds * rate)))
        timed = [parse_order(text, live) for text in orders]
        for text in end_warnings(learned, seconds or math.inf):
            warn(text)
        _print(warned_of_orders(live, timed, run(live, state, follow(timed), steps), 1.0 / rate, warn), rate)
        return
    assert seconds is not None
    with busy("recording") as report:
        clip = stream_clip(
            learned,
            seconds,
            rate=rate,
            orders=orders,
            seed=seed,
            lock=lock,
            options=given,
            variation=takes,
            amount=vary_amount,
            **layers,
            progress=report,
        )
    write_clip(clip, out)
    print_line(f"{out}: {plural(len(clip), 'frame')}, {clip.seconds:.2f} s at {rate:g} fps, seed {seed}")
    for note in clip.origin.notes:
        print_line(f"  {note}")


def _live_fields() -> list[Field]:
    """The options of all live methods; the help of each names its methods."""
    import dataclasses

    from motionloom.core.fields import fields_of
    from motionloom.methods import METHODS

    found: dict[str, Field] = {}
    methods: dict[str, list[str]] = {}
    for name, method in METHODS.items():
        options = method.module().MODEL.live_options_type
        for field in fields_of(options) if options is not None else ():
            found.setdefault(field.name, field)
            methods.setdefault(field.name, []).append(name)
    return [dataclasses.replace(f, help=f"{', '.join(methods[f.name])}: {f.help}") for f in found.values()]


def _print(steps: Iterator[tuple[State, Poses]], rate: float) -> None:
    """Print one line for each pose, in real time."""
    begin = time.monotonic()
    for i, (_, poses) in zip(count(), steps, strict=False):
        line = {
            "time": round(i / rate, 6),
            "root": poses.root[0].round(6).tolist(),
            "rotations": poses.rotations[0].round(6).tolist(),
            "contacts": poses.contacts[0].tolist(),
        }
        time.sleep(max(0.0, begin + i / rate - time.monotonic()))
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


stream = with_fields(drive, _live_fields())
