"""Demo: a graph of walks that a character is driven through, and a small crowd."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import numpy as np

from motionloom.constraints import Request
from motionloom.control.crowd_clips import crowd_clips
from motionloom.io import load, save
from motionloom.kinematics.travel import travel
from motionloom.methods import learn, save_model, synthesize
from motionloom.plot.page import CommandBlock, Paragraph, PlayerBlock, Section
from motionloom.plot.player import Stage
from motionloom.samples import make

RATES = (-80, -40, 0, 40, 80)  # deg/s of the examples
WISH = "{seconds: 8, constraints: [reach: {position: [2.5, 4], heading: 90deg, by: 8}]}"
SMALL = {"sources": 12, "targets": 200, "verified": 2000, "samples": 80}
CROWD = 6


def make_section(folder: Path) -> Section:
    """Five walks become a graph; a character goes to a place with a heading, and six others pass each other."""
    paths = []
    for rate in RATES:
        paths.append(folder / f"graph_walk_{rate:+d}.bvh")
        save(make("walk", seed=1, turn=float(np.radians(rate)), seconds=4, fps=30), paths[-1])
    examples = [load(path) for path in paths]
    start = perf_counter()
    model = learn("parametric-graph", examples, SMALL, files=paths)
    learned = perf_counter()
    save_model(model, folder / "graph_walk.loom")
    there = synthesize(model, Request.from_yaml(WISH))
    save(there, folder / "graph_there.bvh")
    crowd = crowd_clips(model, CROWD, 6.0, apart=True)
    path = travel(there)
    off = np.linalg.norm(path.place - [2.5, 4.0], axis=1)
    at = int(off.argmin())
    numbers = (
        ("learned in", f"{learned - start:.1f} s"),
        ("nearest to the place", f"{100 * off[at]:.0f} cm"),
        ("facing there", f"{np.degrees(path.heading[at]):.0f} of 90 degrees"),
    )
    return Section(
        "Parametric motion graphs: characters that follow commands",
        (
            Paragraph(
                "A graph of spaces: which walks can follow which, and where, is found in learning, so that a character "
                "follows headings, goes to places and does actions without any search. It does not turn from a sharp "
                "right to a sharp left at once, because no transition between them is good."
            ),
            PlayerBlock(
                (
                    Stage(tuple(examples), "five walks: -80 to 80 deg/s", "learned from"),
                    Stage((there,), "to a place, facing left there", "made", numbers),
                    Stage(tuple(crowd), "six characters that keep apart", "made"),
                )
            ),
            CommandBlock("motionloom learn parametric-graph graph_walk_*.bvh -o graph_walk.loom"),
            CommandBlock(f"motionloom drive graph_walk.loom -r '{WISH}' -o graph_there.bvh"),
            CommandBlock(f"motionloom crowd graph_walk.loom --count {CROWD} --seconds 6 --apart -o crowd"),
            CommandBlock("motionloom drive graph_walk.loom  # by the arrow keys, in the terminal"),
        ),
    )
