"""Demo: an action put on other walks, and a gaze put on top."""

from __future__ import annotations

import math
from pathlib import Path

from motionloom.constraints import LookAt, Request
from motionloom.io import load, load_markers, save, save_markers
from motionloom.methods import learn, save_model
from motionloom.plot.page import CommandBlock, Paragraph, PlayerBlock, Section
from motionloom.plot.player import Stage
from motionloom.recipes.gazing import turn_gaze
from motionloom.recipes.splicing import splice
from motionloom.samples import make
from motionloom.samples.gaze_takes import make_take

TARGETS = tuple((yaw, pitch) for yaw in (-120, -50, 50, 120) for pitch in (-12, 12))  # degrees
LOOK = LookAt(yaw=math.radians(-70), span=(1.5, 2.5))


def make_section(folder: Path) -> Section:
    """A carried box on a curved walk; then the carrier looks to the side."""
    save(make("carry", seconds=6, seed=2), folder / "layers_box.bvh")
    save(make("walk", turn=0.7, seconds=4, seed=1), folder / "layers_curve.bvh")
    box, curve = load(folder / "layers_box.bvh"), load(folder / "layers_curve.bvh")
    made = splice(box, curve).clip
    save(made, folder / "layers_spliced.bvh")
    takes = []
    for yaw, pitch in TARGETS:
        takes.append(folder / f"layers_gaze_{yaw}_{pitch}.trc")
        save_markers(make_take((math.radians(yaw), math.radians(pitch)), fps=30).markers, takes[-1])
    save_model(learn("gaze", [load_markers(path) for path in takes], files=takes), folder / "layers_gaze.loom")
    looking = turn_gaze(load(folder / "layers_spliced.bvh"), folder / "layers_gaze.loom", Request(constraints=(LOOK,)))
    save(looking, folder / "layers_looking.bvh")
    return Section(
        "Layers: an action and a gaze on any walk",
        (
            Paragraph(
                "The upper body of one clip is put on the legs of another, in step; then spine, neck, head and "
                "eyes turn to a point, as a captured performer does. Hips and legs keep their bits."
            ),
            PlayerBlock(
                (
                    Stage((box,), "carrying straight ahead", "action"),
                    Stage((curve,), "a curve", "locomotion"),
                    Stage((made,), "carrying in the curve", "made"),
                    Stage((looking,), "and looking to the right", "made"),
                )
            ),
            CommandBlock("motionloom splice layers_box.bvh layers_curve.bvh -o layers_spliced.bvh"),
            CommandBlock("motionloom learn gaze layers_gaze_*.trc -o layers_gaze.loom"),
            CommandBlock(
                "motionloom gaze layers_gaze.loom layers_spliced.bvh -o layers_looking.bvh "
                "-r '{constraints: [look_at: {yaw: -70deg, span: [1.5, 2.5]}]}'"
            ),
        ),
    )
