"""Motion matching as a model: clips, requests and live characters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Reach, Request, RootPath, Style
from motionloom.core import Clip, Origin
from motionloom.core.origin import all_terms
from motionloom.methods.base import Honours, Model, check_request
from motionloom.methods.live import material_of
from motionloom.methods.motion_matching.config import DEFAULT_OPTIONS, Options
from motionloom.methods.motion_matching.database import Database, action_names, build_database
from motionloom.methods.motion_matching.live import MatchingLive
from motionloom.methods.motion_matching.plan import Plan, plan_request
from motionloom.methods.settings import Settings


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MotionMatchingModel(Model):
    """Clips, and a table of their frames to search in, which follows from the clips and the config."""

    method: ClassVar[str] = "motion-matching"
    honours: ClassVar[Honours] = ((RootPath, "soft"), (Reach, "soft"), (Style, "soft"))
    Options: ClassVar[type[Settings]] = Options

    clips: tuple[Clip, ...]  # with contacts as labels, at the model's frame rate

    @cached_property
    def database(self) -> Database:
        """All frames with their features."""
        return build_database(self.clips, self.config)

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The labels of the clips: what a command's `action` counts."""
        return action_names(self.clips)

    def facts(self) -> tuple[str, ...]:
        """What was learned, one line each."""
        speeds = self.database.speeds
        names = (*self.actions, "all frames")
        counts = [int((self.database.labels >> np.uint64(i) & np.uint64(1)).sum()) for i in range(len(self.actions))]
        counts.append(len(self.database.labels))
        return tuple(
            f"{name}: {count} frames, {low:.1f} to {high:.1f} m/s, usually {usual:.1f}"
            for name, count, (low, usual, high) in zip(names, counts, speeds, strict=True)
        )

    # ---- requests ----

    def ends(self, request: Request) -> bool:
        return any(isinstance(c, (RootPath, Reach)) for c in request.constraints)

    def plan(self, request: Request, rng: Generator) -> Plan:
        """Which frames are shown where."""
        check_request(self, request)
        return self._plan(request.at_fps(self.fps), self.options(request), rng)

    def _plan(self, request: Request, options: Any, rng: Generator) -> Plan:
        return plan_request(self.database, request, self.actions, self.fps, options, rng)

    def make(self, request: Request, options: Any, rng: Generator) -> Clip:
        return self.render(self._plan(request, options, rng), options)

    def render(self, plan: Plan, options: Any = None) -> Clip:
        """The frames of a plan, with jumps faded out."""
        from motionloom.methods.motion_matching._kernels_step import render

        options = DEFAULT_OPTIONS if options is None else options
        root, rotations = np.empty((plan.frames, 3)), np.empty((plan.frames, len(self.skeleton), 4))
        render(self.database, plan.shown, plan.track, options.half_life, 1.0 / self.fps, root, rotations)
        names = tuple(dict.fromkeys(n for clip in self.clips for n in clip.label_names))
        table = [np.stack([clip.label(n) for n in names], 1) if names else np.zeros((len(clip), 0), bool)
                 for clip in self.clips]  # fmt: skip
        known = self.live.material
        terms = all_terms(clip.origin.licence for clip in self.clips)
        origin = Origin(
            licence=terms, sources=known.table, which=known.which[plan.shown], frames=known.frames[plan.shown]
        )
        return Clip(self.skeleton, root, rotations, self.fps, names, np.concatenate(table)[plan.shown], None, origin)

    # ---- live characters ----

    @cached_property
    def live(self) -> MatchingLive:
        """Characters that follow commands step by step."""
        return MatchingLive(self.database, self.actions, self.skeleton, self.fps, material_of(self.clips))
