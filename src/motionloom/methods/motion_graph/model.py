"""The one-level motion graph as a model: routes through it that keep a request (GUAN 2.4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from motionloom.constraints import Avoid, PoseAt, Reach, RootAt, RootPath, Start, Style, StyleAlong
from motionloom.core import Progress
from motionloom.methods.base import Honours
from motionloom.methods.graph.model import PathGraphModel
from motionloom.methods.graph.query.allowed_frames import Timing
from motionloom.methods.graph.query.goal import Goal
from motionloom.methods.graph.search.path_search import Found, search_beam, search_step_by_step
from motionloom.methods.motion_graph.config import Options
from motionloom.methods.settings import Settings

LOOK = 0.5  # s that the beam looks ahead along a clip


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MotionGraphModel(PathGraphModel[Options]):
    """Clips and the transitions between them."""

    method: ClassVar[str] = "motion-graph"
    honours: ClassVar[Honours] = tuple(
        (kind, strength)
        for kind in (RootPath, Reach, RootAt, Avoid, Style, StyleAlong)
        for strength in ("hard", "soft")
    ) + ((PoseAt, "hard"),)
    options_type: ClassVar[type[Settings]] = Options

    def search(
        self, goal: Goal, begin: Start, when: Timing, frames: int | None, options: Options, progress: Progress
    ) -> Found:
        bits = np.zeros((0, 0), np.uint8) if when.alive is None else when.alive.bits
        starts = self.starts(when, options)
        least = options.progress / self.fps
        # branch and bound knows a path and labels along it, but neither times nor obstacles
        if options.search == "beam" or goal.timed or goal.path is None or len(goal.circles):
            return search_beam(
                when.steps,
                goal,
                begin,
                starts,
                bits,
                width=options.width,
                least=least,
                look=round(LOOK * self.fps),
                budget=options.budget,
                calm=options.calm,
                progress=progress,
            )
        ahead, keep = (max(1, round(seconds * self.fps)) for seconds in (options.ahead, options.keep))
        return search_step_by_step(
            when.steps,
            goal,
            begin,
            starts,
            bits,
            ahead=ahead,
            keep=keep,
            least=least,
            budget=options.budget,
            progress=progress,
        )
