"""Demo: the same clip in a mirror, in a loop, and at another rate."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from motionloom.cli.demo_sections.sample_clips import save_source
from motionloom.io import save
from motionloom.kinematics.fk import fk
from motionloom.kinematics.loop import close_loop, find_loop, repeat
from motionloom.kinematics.mirror import mirror
from motionloom.kinematics.resample import resample
from motionloom.plot.page import Paragraph, PlayerBlock, Section, TableBlock
from motionloom.plot.player import Stage
from motionloom.samples import make


def make_section(folder: Path) -> Section:
    """A walk that turns left; in the mirror it turns right; its best cycle repeats without end."""
    walk = save_source(make("walk", speed=1.3, turn=0.35, seconds=6, seed=5), folder / "walk_21.bvh")
    mirrored = mirror(walk)
    loop = find_loop(walk)
    cycle = close_loop(walk, loop)
    endless = repeat(cycle, 4)
    slow = resample(walk, 24)
    for name, clip in (("mirrored", mirrored), ("loop", cycle), ("loop_4_times", endless), ("at_24_fps", slow)):
        save(clip, folder / f"walk_21_{name}.bvh")
    twice = float(np.linalg.norm(fk(mirror(mirrored)) - fk(walk), axis=-1).max())
    again = float(np.linalg.norm(fk(resample(slow, walk.fps))[: len(slow)] - fk(walk)[: len(slow)], axis=-1).max())
    seconds = (loop.end - loop.start) / walk.fps
    stages = (
        Stage((walk,), "the clip", "a walk that turns left", (("turn", "20°/s"),)),
        Stage((mirrored,), "mirrored", "now it turns right", (("mirrored twice", f"{1e6 * twice:.2g} µm off"),)),
        Stage(
            (endless,),
            "looped",
            "its best cycle, four times",
            (("cycle", f"{seconds:.2f} s"), ("seam", f"{100 * loop.seam:.1f} cm")),
        ),
        Stage((slow,), "resampled", "24 frames a second", (("frames", f"{len(slow)} for {len(walk)}"),)),
    )
    return Section(
        "Mirror, loop, resample",
        (
            Paragraph(
                "Labels change sides with the limbs, a loop carries its displacement on, and feet that stand still "
                "stand still at any frame rate."
            ),
            PlayerBlock(stages),
            TableBlock(
                ("check", "value"),
                (
                    ("mirrored twice, largest joint error", f"{1000 * twice:.2g} mm"),
                    ("loop found", f"frames {loop.start} to {loop.end}, {100 * loop.covered:.0f} % of the movement"),
                    ("seam (pose and speed)", f"{100 * loop.seam:.2f} cm"),
                    ("60 to 24 to 60 fps, largest joint error", f"{1000 * again:.1f} mm"),
                ),
            ),
        ),
    )
