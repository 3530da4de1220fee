"""Demo: learn from a few walks, and make a longer one."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from motionloom.constraints import Request
from motionloom.core import Clip
from motionloom.io import load, save
from motionloom.methods import learn, save_model, synthesize
from motionloom.plot.curves import ground_path
from motionloom.plot.page import (
    CommandBlock,
    Paragraph,
    PlayerBlock,
    Section,
    TableBlock,
    axes_picture,
    optional_picture,
)
from motionloom.plot.player import Stage
from motionloom.samples import make

WALKS = ((1.3, -0.30), (1.3, 0.0), (1.35, 0.35))  # speed m/s, turn rad/s
REQUEST = "{seconds: 20}"


def make_section(folder: Path) -> Section:
    """Three walks of six seconds become one of twenty."""
    paths = []
    for k, (speed, turn) in enumerate(WALKS):
        paths.append(folder / f"walk_{k + 1}.bvh")
        save(make("walk", speed=speed, turn=turn, seconds=6, seed=k), paths[-1])
    walks = [load(path) for path in paths]
    start = perf_counter()
    model = learn("cuts", walks, files=paths)
    learned = perf_counter()
    clip = synthesize(model, Request.from_yaml(REQUEST), seed=1)
    made = perf_counter()
    save_model(model, folder / "walks.loom")
    save(clip, folder / "long_walk.bvh")
    pieces = clip.origin.spans()
    numbers = (
        ("learned in", f"{learned - start:.1f} s"),
        ("made in", f"{made - learned:.1f} s"),
        ("pieces", str(len(pieces))),
    )
    return Section(
        "Learning, and making new motion",
        (
            Paragraph(
                "From three walks of six seconds, a walk of twenty seconds. `cuts` is the simplest method: it finds "
                "where the poses of two clips are within some centimetres of each other, and cuts there from one to "
                "the other at random. Nothing is blended, so a cut can be seen on close inspection. The source of "
                "every frame is recorded: the coloured bands under the figure."
            ),
            PlayerBlock(tuple(Stage((walk,), walk.name, numbers=_numbers(k)) for k, walk in enumerate(walks))),
            PlayerBlock((Stage((clip,), "long_walk.bvh", "20 s from the three clips above", numbers),)),
            optional_picture(
                lambda: axes_picture(
                    ground_path(clip), "The path of the new clip from above, coloured by source, with its footprints"
                )
            ),
            TableBlock(("from", "to", "clip", "its frames"), _rows(clip)),
            CommandBlock("motionloom learn cuts walk_1.bvh walk_2.bvh walk_3.bvh -o walks.loom"),
            CommandBlock(f"motionloom synthesize walks.loom -r '{REQUEST}' --seed 1 -o long_walk.bvh"),
        ),
    )


def _numbers(k: int) -> tuple[tuple[str, str], ...]:
    speed, turn = WALKS[k]
    return (("speed", f"{speed:g} m/s"), ("turn", f"{57.2958 * turn:.0f}°/s"))


def _rows(clip: Clip, most: int = 12) -> tuple[tuple[str, ...], ...]:
    spans = clip.origin.spans()
    rows = [
        (
            f"{span.start / clip.fps:.2f} s",
            f"{(span.start + span.frames) / clip.fps:.2f} s",
            span.sources[0].title,
            f"{span.first[0]:.0f} to {span.last[0]:.0f}",
        )
        for span in spans[:most]
    ]
    if len(spans) > most:
        rows.append(("...", "", f"{len(spans) - most} more", ""))
    return tuple(rows)
