"""Demo: textons learned from two dances, and an endless one made from them."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from motionloom.constraints import Request
from motionloom.io import load, save
from motionloom.methods import learn, save_model, synthesize
from motionloom.methods.textons import TextonModel
from motionloom.methods.textons.summary import texton_table
from motionloom.plot.figures import new_figure
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
from motionloom.plot.textons import segment_bands
from motionloom.samples import make

REQUEST = "{seconds: 20}"
CONFIG = {"fps": 30.0, "shortest": 0.8}


def make_section(folder: Path) -> Section:
    """Two dances become textons, and the textons two new dances."""
    paths = []
    for k in range(2):
        paths.append(folder / f"dance_{k + 1}.bvh")
        save(make("dance", seconds=16, seed=10 + k), paths[-1])
    dances = [load(path) for path in paths]
    start = perf_counter()
    model = learn("textons", dances, CONFIG, files=paths)
    assert isinstance(model, TextonModel)
    learned = perf_counter()
    made = [synthesize(model, Request.from_yaml(REQUEST), seed=seed) for seed in (1, 2)]
    seconds = (perf_counter() - learned) / len(made)
    save_model(model, folder / "dance.loom")
    for k, clip in enumerate(made):
        save(clip, folder / f"new_dance_{k + 1}.bvh")
    numbers = (("learned in", f"{learned - start:.1f} s"), ("made in", f"{seconds:.1f} s"))
    rows = tuple(
        (str(r.texton), str(r.segments), f"{r.shortest:.1f}-{r.longest:.1f} s", str(r.dimensions), f"{r.repeats:.0%}")
        for r in texton_table(model)
    )
    return Section(
        "Textons: patterns that vary",
        (
            Paragraph(
                "Each dance is cut into stretches that one linear dynamic system describes; stretches that are alike "
                "share one. A new dance is a walk over these textons, and inside each the frames are new: driven by "
                "noise, and meeting the next one exactly."
            ),
            PlayerBlock(
                (
                    *(Stage((d,), d.name, "learned from") for d in dances),
                    *(Stage((c,), f"seed {k + 1}", "made", numbers) for k, c in enumerate(made)),
                )
            ),
            optional_picture(
                lambda: axes_picture(
                    segment_bands(model, ax=new_figure(9, 2.2).subplots()), "Where each texton was found"
                )
            ),
            TableBlock(("texton", "segments", "length", "dimensions", "follows itself"), rows),
            CommandBlock(
                "motionloom learn textons dance_1.bvh dance_2.bvh -o dance.loom --model-fps 30 --shortest 0.8"
            ),
            CommandBlock(f"motionloom synthesize dance.loom -r '{REQUEST}' --seed 1 -o new_dance.bvh"),
        ),
    )
