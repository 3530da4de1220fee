"""Demo: takes of a walk and new variants of it, and an endless walk that never repeats."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from motionloom.constraints import Request
from motionloom.io import load, save
from motionloom.kinematics.trim import trim_contacts
from motionloom.methods import learn, save_model, synthesize
from motionloom.plot.page import CommandBlock, Paragraph, PlayerBlock, Section
from motionloom.plot.player import Stage
from motionloom.samples import make

TAKES, VARIANTS = 4, 6
SEARCH = {"rounds": 1, "tries": 8}  # a small search: the demo should not take minutes


def make_section(folder: Path) -> Section:
    """Four takes of a walk cycle become a model, and the model six variants and a stream."""
    paths = []
    for k in range(TAKES):
        paths.append(folder / f"variation_take_{k + 1}.bvh")
        walk = make("walk", seconds=4, speed=1.25 + 0.05 * k, seed=40 + k)
        save(trim_contacts(walk, "left_heel", strides=1), paths[-1])
    takes = [load(path) for path in paths]
    start = perf_counter()
    model = learn("variation", takes, SEARCH, files=paths)
    learned = perf_counter()
    variants = [synthesize(model, Request(), seed=1, take=k) for k in range(VARIANTS)]
    stream = synthesize(model, Request(seconds=12), seed=1)
    seconds = (perf_counter() - learned) / (sum(c.seconds for c in variants) + stream.seconds)
    save_model(model, folder / "variation.loom")
    for k, clip in enumerate(variants):
        save(clip, folder / f"variation_{k + 1}.bvh")
    save(stream, folder / "variation_stream.bvh")
    numbers = (("learned in", f"{learned - start:.1f} s"), ("for a second of motion", f"{1000 * seconds:.0f} ms"))
    return Section(
        "Variation: many natural takes from a few",
        (
            Paragraph(
                "No two steps are the same. From four takes of one motion the method makes any number of others, "
                "each with its own poses and timing, none of them a copy; a cycle can be repeated without end."
            ),
            PlayerBlock(
                (
                    Stage(tuple(takes), "four takes", "learned from"),
                    Stage(tuple(variants), "six variants", "made", numbers),
                    Stage((stream,), "12 s, every step new", "made"),
                )
            ),
            CommandBlock("motionloom learn variation variation_take_*.bvh --rounds 1 --tries 8 -o variation.loom"),
            CommandBlock("motionloom synthesize variation.loom --seed 1 --count 6 -o variants"),
            CommandBlock("motionloom stream variation.loom --seconds 12 -c 'heading 90deg' -o turning.bvh"),
        ),
    )
