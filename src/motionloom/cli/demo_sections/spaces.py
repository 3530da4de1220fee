"""Demo: a space of walks by turning rate, a steered character, and a space of ducks."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import numpy as np

from motionloom.constraints import PARAMETERS, Request
from motionloom.io import load, save
from motionloom.methods import learn, save_model, synthesize
from motionloom.plot.page import CommandBlock, Paragraph, PlayerBlock, Section
from motionloom.plot.player import Stage
from motionloom.samples import make

RATES = (-40, 0, 40)  # deg/s of the examples
ASKED = (-30, -15, 10, 25)  # deg/s, none of which is an example's
HEIGHTS, ASKED_HEIGHTS = (1.0, 1.2, 1.45), (1.0, 1.2)  # m of the head


def make_section(folder: Path) -> Section:
    """Three walks become a space of turns, three ducks one of heights; both are asked for what lies between."""
    paths = []
    for rate in RATES:
        paths.append(folder / f"space_walk_{rate:+d}.bvh")
        save(make("walk", seed=1, turn=float(np.radians(rate)), seconds=4, fps=30), paths[-1])
    examples = [load(path) for path in paths]
    start = perf_counter()
    model = learn("parametric-space", examples, {"parameter": ["turn_rate"]}, files=paths)
    learned = perf_counter()
    walks = [
        synthesize(model, Request.from_yaml(f"{{seconds: 4, parameters: {{turn_rate: {rate}deg/s}}}}"))
        for rate in ASKED
    ]
    off = [
        abs(np.degrees(PARAMETERS["turn_rate"].measured(c)[0]) - r) / np.ptp(RATES)
        for c, r in zip(walks, ASKED, strict=True)
    ]
    save_model(model, folder / "space_walk.loom")
    ducks = [make("duck", seed=1, height=h, fps=30) for h in HEIGHTS]
    ducking = learn("parametric-space", ducks, {"parameter": ["head_height"], "cut": "none", "repeat": "no"})
    lower = [synthesize(ducking, Request.from_yaml(f"{{parameters: {{head_height: {h}}}}}")) for h in ASKED_HEIGHTS]
    for k, clip in enumerate([*walks, *lower]):
        save(clip, folder / f"space_{k + 1}.bvh")
    numbers = (("learned in", f"{learned - start:.1f} s"), ("largest error", f"{100 * max(off):.2f} % of the range"))
    return Section(
        "Parametric spaces: what lies between examples",
        (
            Paragraph(
                "Clips of one action that differ in a number (how fast a walk turns, how low a duck goes) become a "
                "space. "
                "Any value between them can be asked for; the result has that value, with feet that stand still."
            ),
            PlayerBlock(
                (
                    Stage(tuple(examples), "three walks: -40, 0 and 40 deg/s", "learned from"),
                    Stage(tuple(walks), "four walks: -30, -15, 10 and 25 deg/s", "made", numbers),
                    Stage((*ducks, *lower), "three ducks, and two between them", "learned from and made"),
                )
            ),
            CommandBlock("motionloom learn parametric-space space_walk_*.bvh --parameter turn_rate -o space_walk.loom"),
            CommandBlock(
                "motionloom synthesize space_walk.loom -r '{seconds: 4, parameters: {turn_rate: 25deg/s}}' -o t.bvh"
            ),
            CommandBlock("motionloom stream space_walk.loom --seconds 6 -c 'heading 90deg' -o steered.bvh"),
        ),
    )
