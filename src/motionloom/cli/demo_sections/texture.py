"""Demo: a long walk whose limbs come from different moments, and a hand led through a point."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import numpy as np

from motionloom.constraints import Request
from motionloom.io import load, save
from motionloom.methods import learn, save_model, synthesize
from motionloom.methods.texture import TextureModel
from motionloom.methods.texture.plan import TexturePlan
from motionloom.plot.page import CommandBlock, Paragraph, PlayerBlock, Section, axes_picture, optional_picture
from motionloom.plot.player import Stage
from motionloom.plot.texture import texture_plane
from motionloom.samples import make

KEYED = "{seconds: 6, constraints: [position_at: {joint: left_hand, time: 3, target: [0.5, 1.5, 3.6]}]}"


def make_section(folder: Path) -> Section:
    """Two walks become a texture model, and the model a long walk and one with a key."""
    paths = []
    for k, (speed, turn) in enumerate(((1.3, 0.0), (1.1, 0.25))):
        paths.append(folder / f"texture_walk_{k + 1}.bvh")
        save(make("walk", seconds=6, speed=speed, turn=turn, seed=20 + k), paths[-1])
    walks = [load(path) for path in paths]
    start = perf_counter()
    model = learn("texture", walks, files=paths)
    assert isinstance(model, TextureModel)
    learned = perf_counter()
    made = [synthesize(model, Request.from_yaml(text), seed=1) for text in ("{seconds: 12}", KEYED)]
    seconds = (perf_counter() - learned) / len(made)
    save_model(model, folder / "texture.loom")
    for name, clip in zip(("long", "hand"), made, strict=True):
        save(clip, folder / f"texture_{name}.bvh")
    plan = model.plan(Request(seconds=6), np.random.default_rng([1, 0]))
    assert isinstance(plan, TexturePlan)
    lengths = [len(c) for c in model.clips]
    numbers = (("learned in", f"{learned - start:.1f} s"), ("made in", f"{seconds:.1f} s"))
    return Section(
        "Motion texture: joints from different examples",
        (
            Paragraph(
                "A texture has a row for each joint and a column for each frame. Legs, arms and head are chosen one "
                "after the other, each from the example frames that fit what is already there. Keys on any joints are "
                "met exactly: here a hand passes through a point."
            ),
            PlayerBlock(
                (
                    *(Stage((w,), w.name, "learned from") for w in walks),
                    Stage((made[0],), "12 s", "made", numbers),
                    Stage((made[1],), "hand key at 3 s", "made"),
                )
            ),
            optional_picture(
                lambda: axes_picture(
                    texture_plane(*plan.clip_frames, lengths, plan.names, model.skeleton.names, model.fps),
                    "The clip and frame that each joint comes from",
                )
            ),
            CommandBlock("motionloom learn texture texture_walk_1.bvh texture_walk_2.bvh -o texture.loom"),
            CommandBlock(f"motionloom synthesize texture.loom -r '{KEYED}' --seed 1 -o hand.bvh"),
        ),
    )
