"""Demo: a walk whose feet slide, and the same walk with its feet on the ground."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from motionloom.cli.demo_sections.sample_clips import save_source
from motionloom.core import Clip, replace
from motionloom.io import save
from motionloom.kinematics.feet.skate_removal import SkateReport, remove_skate
from motionloom.plot.curves import toe_speeds
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


def spoiled(clip: Clip, stretch: float = 1.09) -> Clip:
    """The clip with its path stretched, as when a motion is put on longer legs: now the feet slide. Labels are gone."""
    root = np.array(clip.root)
    root[:, [0, 2]] *= stretch
    return replace(clip, root=root, label_names=(), labels=None)


def make_section(folder: Path) -> Section:
    """Skate before and after, to look at and in numbers."""
    before = spoiled(save_source(make("walk", speed=1.3, seconds=5, seed=2), folder / "walk_22.bvh"))
    after, report = remove_skate(before)
    save(before, folder / "walk_22_skating.bvh")
    save(after, folder / "walk_22_cleaned.bvh")
    stage = Stage((before, after), "skating, and cleaned", names=("skating", "cleaned"), numbers=_numbers(report))
    return Section(
        "Feet that stand still",
        (
            Paragraph(
                "The path of this walk was stretched by 9 %, as happens when a motion is put on another body: its feet "
                "slide. `clean` finds the contacts, pins heels and toes, and lets the legs follow; bones keep their "
                "length and knees do not pop. Press `o` to lay the figures over each other."
            ),
            PlayerBlock((stage,), fps=60),
            optional_picture(
                lambda: axes_picture(
                    toe_speeds((before, after), ("skating", "cleaned")),
                    "Horizontal speed of the left toe; shaded where it stands",
                )
            ),
            TableBlock(("measure of skate", "before", "after"), _rows(report)),
            CommandBlock("motionloom clean captures/ -o cleaned/"),
        ),
    )


def _numbers(report: SkateReport) -> tuple[tuple[str, str], ...]:
    return (
        ("contacts", str(report.plants)),
        ("feet moved", f"{100 * report.moved:.1f} cm at most"),
        ("hips moved over the ground", f"{100 * report.shifted:.1f} cm at most"),
        ("hips lowered", f"{100 * report.lowered:.1f} cm at most"),
    )


def _rows(report: SkateReport) -> tuple[tuple[str, ...], ...]:
    a, b = report.before, report.after
    return (
        (
            "mean speed of heels and toes over the contacts",
            f"{report.slid_before:.1f} cm/s",
            f"{report.slid_after:.1f} cm/s",
        ),
        (
            "frames with a toe below 5 cm and above 0.5 m/s (lift-off and landing too)",
            f"{100 * (a.a or 0):.1f} %",
            f"{100 * (b.a or 0):.1f} %",
        ),
        ("mean speed of toes near the floor", f"{a.b or 0:.1f} cm/s", f"{b.b or 0:.1f} cm/s"),
        ("mean speed of toes in contact", f"{a.c or 0:.1f} cm/s", f"{b.c or 0:.1f} cm/s"),
    )
