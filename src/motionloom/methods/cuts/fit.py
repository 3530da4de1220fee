"""Learning the loops and cuts of clips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from motionloom.core import Clip, Progress, part, silent
from motionloom.core.note import info
from motionloom.core.progress import each
from motionloom.methods.cuts.config import Config
from motionloom.methods.cuts.cut_points import find_cuts, loop_of, with_loops
from motionloom.methods.cuts.model import CutsModel

DEFAULT = Config()


def fit(
    clips: Sequence[Clip], config: Config = DEFAULT, *, rng: Generator | None = None, progress: Progress | None = None
) -> CutsModel:
    """Learn from clips of one skeleton at one frame rate (see `methods.prepare`). No randomness is involved."""
    report = progress or silent()
    own = {"largest": config.largest, "shortest": config.shortest}
    loops = tuple(loop_of(c, **own) for c in each(clips, part(report, 0.0, 0.3), "finding loops"))
    cuts = find_cuts(clips, **own, apart=config.apart, progress=part(report, 0.3, 1.0))
    cuts = with_loops(cuts, clips, loops)
    notes = [
        f"{clip.name or i}: no loop of at least {config.shortest:g} s has a seam below {config.largest * 100:g} cm"
        for i, (clip, loop) in enumerate(zip(clips, loops, strict=True))
        if loop is None
    ]
    between = int((_clip_of(cuts.leave, clips) != _clip_of(cuts.enter, clips)).sum())
    notes.append(f"{len(cuts.leave)} cuts, {between} of them between different clips")
    return CutsModel(
        skeleton=clips[0].skeleton,
        config=config,
        fps=clips[0].fps,
        notes=info(*notes),
        clips=tuple(clips),
        loops=loops,
        cuts=cuts,
    )


def _clip_of(nodes: Any, clips: Sequence[Clip]) -> Any:
    return np.searchsorted(np.cumsum([len(c) for c in clips]), nodes, side="right")
