"""Demo: a motion graph of walks and runs, a random walk through it, and a path on the floor that it follows."""

from __future__ import annotations

from math import radians
from pathlib import Path
from time import perf_counter

import numpy as np

from motionloom.constraints import Request, RootPath
from motionloom.control.graph_walks import random_walk
from motionloom.core import Clip
from motionloom.io import load, save
from motionloom.methods import learn, save_model, synthesize
from motionloom.methods.graph.build.prune import GraphFacts, graph_facts
from motionloom.methods.graph.diagnose.coverage import coverage
from motionloom.methods.graph.model import graph_model
from motionloom.plot.figures import new_figure
from motionloom.plot.graph import path_picture
from motionloom.plot.page import (
    CommandBlock,
    Paragraph,
    PictureBlock,
    PlayerBlock,
    Section,
    TableBlock,
    axes_picture,
    optional_picture,
)
from motionloom.plot.player import Stage
from motionloom.plot.source_pictures import provenance
from motionloom.samples import make

WALKS = ((1.3, 0), (1.3, 40), (1.3, -40), (1.1, 80), (1.1, -80))  # speed m/s, turn deg/s
RUNS = ((2.2, 0), (2.2, 40), (2.2, -40))
LIMITS = "walk run 14cm"
PATH = "[[0, 0], [0, 3], [1, 5], [3, 6], [5, 5], [6, 3], [7, 1], [9, 0], [11, 1], [12, 3]]"
REQUEST = "{constraints: [{root_path: {points: PATH, weight: 1}}, {style: {label: LABEL}}]}"
SEED = 0


def make_section(folder: Path) -> Section:
    """Eight clips become a graph; twenty seconds at random, and one path walked and run."""
    paths = _samples(folder / "moves")
    clips = [load(path) for path in paths]
    start = perf_counter()
    model = learn("motion-graph", clips, {"limits": LIMITS}, files=paths)
    took = f"{perf_counter() - start:.1f} s"
    save_model(model, folder / "moves.loom")
    graph = graph_model(model).graph
    known = graph_facts(graph)
    walk = random_walk(model, 20, seed=SEED)
    save(walk.clip, folder / "random_moves.bvh")
    followed = {label: synthesize(model, Request.from_yaml(_request(label))) for label in ("walk", "run")}
    for label, clip in followed.items():
        save(clip, folder / f"path_{label}.bvh")
    facts = tuple(zip(("transitions", "connected", "between choices"), _short(known), strict=True))
    return Section(
        "Motion graphs",
        (
            Paragraph(
                "Five walks and three runs go in. Wherever two of them are alike, a short blend can lead from one to "
                "the other with the feet kept on the floor; what leads nowhere is left out. A walk through this graph "
                "has no end, and the clip or blend of every frame is recorded."
            ),
            PlayerBlock((Stage((walk.clip,), "random_moves.bvh", "20 s at random", (("learned in", took), *facts)),)),
            optional_picture(
                lambda: axes_picture(
                    provenance(walk.clip, titles=["random_moves.bvh"]), "Which clip each frame comes from"
                )
            ),
            Paragraph(
                "A path drawn on the floor is followed as well as the clips can. The first result may show only frames "
                "that carry the label `walk`, the second only `run`: runs of these clips cannot turn as sharply."
            ),
            PlayerBlock(tuple(Stage((c,), f"path_{label}.bvh", f"label {label}") for label, c in followed.items())),
            optional_picture(lambda: _picture(followed)),
            TableBlock(("result", "lasts", "off the path, mean", "at worst", "transitions"), _rows(followed)),
            CommandBlock(f"motionloom learn motion-graph moves -o moves.loom --limits '{LIMITS}'"),
            CommandBlock(
                "motionloom graph moves.loom", "\n".join([*map(str, known.notes()), *coverage(graph).sentences()])
            ),
            CommandBlock(
                f"motionloom walk moves.loom --seconds 20 --seed {SEED} -o random_moves.bvh --picture moves.png"
            ),
            CommandBlock(f"motionloom synthesize moves.loom -r '{_request('walk')}' -o path_walk.bvh"),
        ),
    )


def _samples(folder: Path) -> list[Path]:
    """The clips to learn from, as files; they carry the labels `walk` and `run`."""
    out = []
    for kind, moves in (("walk", WALKS), ("run", RUNS)):
        for k, (speed, turn) in enumerate(moves):
            out.append(folder / f"{kind}_{11 + k}.bvh")
            save(make(kind, speed=speed, turn=radians(turn), seconds=5, seed=20 + len(out) - 1), out[-1])
    return out


def _request(label: str) -> str:
    return REQUEST.replace("PATH", PATH).replace("LABEL", label)


def _asked(label: str) -> RootPath:
    (path,) = [c for c in Request.from_yaml(_request(label)).constraints if isinstance(c, RootPath)]
    return path


def _short(known: GraphFacts) -> tuple[str, str, str]:
    return f"{known.transitions}", f"{known.connected:.0%}", f"{known.longest:.1f} s"


def _picture(followed: dict[str, Clip]) -> PictureBlock:
    """Both results from above, beside the requested path."""
    axes = new_figure(9.6, 3.0).subplots(1, len(followed))
    for (label, clip), ax in zip(followed.items(), axes, strict=True):
        path_picture(clip, np.array(_asked(label).points), title=f"path_{label}.bvh", ax=ax)
    return axes_picture(axes[0], "From above: the requested path, wide, and the path of the hips; blends are dark")


def _rows(followed: dict[str, Clip]) -> tuple[tuple[str, ...], ...]:
    out = []
    for label, clip in followed.items():
        off = 100 * _asked(label).residual(clip)
        joins = sum(len(span.sources) > 1 for span in clip.origin.spans())
        out.append((label, f"{clip.seconds:.1f} s", f"{off.mean():.0f} cm", f"{off.max():.0f} cm", str(joins)))
    return tuple(out)
