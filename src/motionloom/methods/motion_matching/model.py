"""Motion matching as a model: clips, requests and live characters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Pace, Reach, Request, RootPath, Style
from motionloom.core import Clip, FloatArray, IntArray, Origin, Progress
from motionloom.core.origin import all_terms
from motionloom.core.progress import slices
from motionloom.kinematics.feet.grounding import contact_heights, lift_sunk_feet
from motionloom.methods.array_checks import check_clips
from motionloom.methods.base import Band, Honours, Model, place
from motionloom.methods.live import material_of
from motionloom.methods.live_actions import action_names
from motionloom.methods.motion_matching.config import Options
from motionloom.methods.motion_matching.database import Database, build_database
from motionloom.methods.motion_matching.live import MatchingLive
from motionloom.methods.motion_matching.plan import MatchingPlan, pace_notes, plan_request
from motionloom.methods.settings import Settings

FRAMES_PER_CALL = 5000  # of the kernel that renders: 0.03 s


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MotionMatchingModel(Model[Options]):
    """Clips; the table of their frames is computed from them and the config."""

    method: ClassVar[str] = "motion-matching"
    keeps_notes: ClassVar[bool] = True
    honours: ClassVar[Honours] = ((RootPath, "soft"), (Reach, "soft"), (Style, "soft"), (Pace, "soft"))
    options_type: ClassVar[type[Settings]] = Options
    live_commands: ClassVar[tuple[str, ...]] = ("heading", "speed", "place", "facing", "action")
    live_options_type: ClassVar[type[Settings] | None] = Options

    clips: tuple[Clip, ...]  # with contacts as labels, at the model's frame rate

    def check(self) -> None:
        check_clips(self.clips, self.skeleton, self.fps)

    @cached_property
    def database(self) -> Database:
        """All frames with their features."""
        return build_database(self.clips, self.config)

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The labels of the clips: the names that `Commands.action` indexes."""
        return action_names(self.clips)

    def facts(self) -> tuple[str, ...]:
        """Notes about what was learned, one line each."""
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

    def _plan(self, request: Request, options: Options, rng: Generator, progress: Progress) -> MatchingPlan:
        plan = plan_request(self.live, request, options, rng, progress)
        return plan._replace(timeline=self._timeline(plan.shown), notes=pace_notes(self.clips, request, self.fps))

    def _timeline(self, shown: IntArray) -> tuple[Band, ...]:
        """The pieces of clips that are shown, in order."""
        first = np.concatenate([[0], np.flatnonzero(np.diff(shown) != 1) + 1, [len(shown)]])
        starts = np.cumsum([0, *(len(clip) for clip in self.clips)])
        out = []
        for a, b in pairwise(first.tolist()):
            c = int(np.searchsorted(starts, shown[a], side="right")) - 1
            name = self.clips[c].name or f"clip {c}"
            out.append(Band(a, b - a, f"{name}#{int(shown[a] - starts[c])}", "clip"))
        return tuple(out)

    def render(
        self, plan: MatchingPlan, request: Request, options: Options, rng: Generator, progress: Progress
    ) -> Clip:
        """The frames of a plan, with offsets at jumps that decay."""
        from motionloom.methods.motion_matching._kernels_step import render

        root, rotations = np.empty((plan.frames, 3)), np.empty((plan.frames, len(self.skeleton), 4))
        offsets = np.zeros((len(self.skeleton) + 1, 2, 3))
        for some in slices(plan.frames, FRAMES_PER_CALL, progress, "rendering"):
            render(
                self.database, plan.shown, plan.track, options.half_life, 1.0 / self.fps, some.start, some.stop,
                offsets, root, rotations,
            )  # fmt: skip
        names = tuple(dict.fromkeys(n for clip in self.clips for n in clip.label_names))
        table = [np.stack([clip.label(n) for n in names], 1) if names else np.zeros((len(clip), 0), bool)
                 for clip in self.clips]  # fmt: skip
        known = self.live.material
        terms = all_terms(clip.origin.licence for clip in self.clips)
        origin = Origin(
            licence=terms,
            sources=known.table,
            which=known.which[plan.shown],
            frames=known.frames[plan.shown],
            notes=plan.notes,
        )
        labels = np.concatenate(table)[plan.shown]
        clip = Clip(self.skeleton, root, rotations, self.fps, names, labels, None, origin)
        return place(lift_sunk_feet(clip, self._foot_heights), request, self)

    @cached_property
    def _foot_heights(self) -> FloatArray:
        return contact_heights(self.clips)

    # ---- live characters ----

    @cached_property
    def live(self) -> MatchingLive:
        """Characters that follow commands step by step."""
        return MatchingLive(self.database, self.actions, self.skeleton, self.fps, material_of(self.clips))
