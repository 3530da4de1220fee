"""Demo: two clips compared frame by frame, aligned in time, and joined where they are alike."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from motionloom.analysis import MEASURES, PointCloud, find_similar, judge
from motionloom.analysis.alignment import align
from motionloom.blend.append import append
from motionloom.cli.demo_sections.sample_clips import save_source
from motionloom.core import Clip
from motionloom.io import save
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
from motionloom.plot.similarity import similarity_matrix
from motionloom.samples import make


def make_section(folder: Path) -> Section:
    """A walk and a run: their matrix with similar pairs and the path of time alignment, verdicts, and a transition."""
    walk = save_source(make("walk", speed=1.5, seconds=4, seed=3), folder / "walk_23.bvh")
    run = save_source(make("run", speed=2.6, seconds=3, seed=5), folder / "run_23.bvh")
    find_similar(
        walk[:40], run[:40], PointCloud(), minima=True
    )  # compiled, or read from the cache, before the clock starts
    start = perf_counter()
    found = find_similar(walk, run, PointCloud(), minima=True)
    took = perf_counter() - start
    timed = align(walk, run)
    joined = append(walk, run, method="blend")
    save(joined, folder / "walk_to_run.bvh")
    return Section(
        "Alike, in time, and joined",
        (
            Paragraph(
                f"Every frame of a walk against every frame of a run, {found.matrix.size:,} pairs in "
                f"{1000 * took:.0f} ms: dark is alike, wherever the two stand and face. Dots are the best moments to "
                f"pass from one to the other; the line matches one in time with the other."
            ),
            optional_picture(
                lambda: axes_picture(
                    similarity_matrix(found, path=timed.path),
                    "How unlike the frames of a walk and of a run are.",
                    dpi=110,
                )
            ),
            PlayerBlock(
                (
                    Stage((walk,), "walk", "the first clip"),
                    Stage((run,), "run", "the second"),
                    Stage((joined,), "joined", "where they are most alike, blended, feet kept on the ground"),
                )
            ),
            Paragraph(
                "Four measures of likeness, judged by how far apart the pairs really are that each of them prefers:"
            ),
            _verdicts(walk, run),
            CommandBlock("motionloom similar walk.bvh run.bvh --measure point-cloud --minima -o alike/"),
            CommandBlock("motionloom judge walk.bvh run.bvh --optimal"),
        ),
    )


def _verdicts(a: Clip, b: Clip) -> TableBlock:
    table = judge([cls() for cls in MEASURES.values()], a, b, rounds=3)
    rows = tuple(
        (
            name,
            f"{100 * v.position_rms:.1f} cm",
            f"{v.velocity**0.5:.2f} m/s",
            f"{v.acceleration**0.5:.1f} m/s²",
            f"{1000 * v.seconds:.1f} ms",
        )
        for name, (v, _) in table.items()
    )
    return TableBlock(("measure", "position", "velocity", "acceleration", "run time"), rows)
