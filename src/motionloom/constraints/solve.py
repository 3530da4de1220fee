"""Geometric solver: changes a clip as little as possible so that hard constraints are met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from motionloom.constraints.aim_head import look
from motionloom.constraints.base import Constraint
from motionloom.constraints.bend_travel import Key, steer
from motionloom.constraints.displace import displaced_rotations, spread, with_heading
from motionloom.constraints.gaze import LookAt
from motionloom.constraints.joint import Plant, PositionAt
from motionloom.constraints.pose import PoseAt
from motionloom.constraints.pose_along import PoseAlong
from motionloom.constraints.reach_points import approach_points, reach_points
from motionloom.constraints.residuals import residuals, unmet
from motionloom.constraints.root import Avoid, Reach, RootAt, RootPath
from motionloom.constraints.routes import around, follow
from motionloom.core import Clip, FloatArray, IntArray, Progress, replace, silent
from motionloom.kinematics.travel import travel

GEOMETRIC = (PoseAt, PoseAlong, PositionAt, Plant, RootAt, RootPath, Reach, LookAt, Avoid)
"""What geometry can do something about; styles and parameters are for the method that makes the clip."""


def solve(
    clip: Clip,
    constraints: Iterable[Constraint],
    *,
    fade: float = 0.4,
    smooth: float = 0.12,
    sweeps: int = 4,
    progress: Progress | None = None,
) -> Clip:
    """A clip in which every hard constraint holds; `Unmet`, with the best clip and its residuals, if there is none.

    In this order, again until all hold or `sweeps` are spent: the path over the ground is bent through places and
    headings (`steer`), poses and heights are set with changes that fade within `fade` seconds (displacement maps),
    neck and head turn to look, and limbs reach and stay by the chain solver, whose changes spread over `smooth`
    seconds. A clip that meets everything comes back as it is. Soft constraints are not touched.
    """
    hard = [c for c in constraints if c.hard]
    report = progress or silent()
    report(0.0, "solving")
    best, missed = clip, _missed(clip, hard)
    for sweep in range(sweeps):
        report(sweep / sweeps, "solving")
        if not missed[0]:
            break
        clip = _Sweep(clip, hard, fade * clip.fps, smooth).run()
        now = _missed(clip, hard)
        if now >= missed:  # this leads nowhere
            break
        best, missed = clip, now
    report(1.0, "solving")
    if missed[0]:
        raise unmet(best, residuals(best, hard))
    return best


def bend(clip: Clip, constraints: Iterable[Constraint], *, fade: float = 0.4, smooth: float = 0.12) -> Clip:
    """The clip after one pass of `solve` for its hard constraints, or as it is if they hold or the pass makes it worse.

    For a method that has found motion near its constraints and closes the rest of the gap itself: how far it may go is
    for the method to limit, before it calls this.
    """
    hard = [c for c in constraints if c.hard]
    missed = _missed(clip, hard)
    if not missed[0]:
        return clip
    bent = _Sweep(clip, hard, fade * clip.fps, smooth).run()
    return bent if _missed(bent, hard) < missed else clip


def _missed(clip: Clip, constraints: Sequence[Constraint]) -> tuple[int, float]:
    """How many constraints are not met, and by how many tolerances the worst one misses."""
    over = [c.worst(clip) / max(c.limit, 1e-9) for c in constraints if isinstance(c, GEOMETRIC)]
    unmet_ones = [o for o in over if o > 1.0]
    return len(unmet_ones), max(unmet_ones, default=0.0)


@dataclass
class _Sweep:
    """One pass over all constraints."""

    clip: Clip
    hard: list[Constraint]
    width: float  # frames
    smooth: float  # s

    def run(self) -> Clip:
        self._ways()
        self._poses()
        for c in self.hard:
            if isinstance(c, LookAt) and not c.met(self.clip):
                self.clip = look(self.clip, c, self._posed_frames(), self.width)
        self.clip = reach_points(self.clip, self.hard, self.smooth)
        return self.clip

    def _at(self, c: PoseAt | PositionAt | RootAt | Reach) -> int:
        return c.frame(len(self.clip), self.clip.fps)

    def _posed_frames(self) -> IntArray:
        at = {self._at(c) for c in self.hard if isinstance(c, PoseAt)}
        spans = [c.frames(len(self.clip), self.clip.fps) for c in self.hard if isinstance(c, PoseAlong)]
        return np.array(sorted(at.union(*spans)), np.int64)

    def _ways(self) -> None:
        """Paths first, then places and headings, which must hold exactly."""
        for c in self.hard:
            if isinstance(c, RootPath) and not c.met(self.clip):
                self.clip = follow(self.clip, c)
            if isinstance(c, Avoid) and not c.met(self.clip):
                self.clip = around(self.clip, c, self.width)
        keys = self._root_keys()
        placed = [c for c in self.hard if isinstance(c, (RootAt, Reach))]
        if keys and not all(c.met(self.clip) for c in placed):
            now = travel(self.clip)
            if 0 not in keys:
                keys[0] = Key((float(now.place[0, 0]), float(now.place[0, 1])), float(now.heading[0]))
            self.clip = steer(self.clip, keys)
        self.clip = approach_points(self.clip, self.hard, keys)

    def _root_keys(self) -> dict[int, Key]:
        keys: dict[int, Key] = {}
        for c in self.hard:
            if isinstance(c, RootAt) and (c.position is not None or c.heading is not None):
                old = keys.get(self._at(c), Key())
                place = old.place if c.position is None else c.position
                keys[self._at(c)] = Key(place, old.heading if c.heading is None else c.heading)
        for c in self.hard:
            if isinstance(c, Reach) and not c.met(self.clip) and self._at(c) not in keys:
                keys[self._at(c)] = Key(c.position, c.heading)
        return keys

    def _poses(self) -> None:
        """Local rotations, the root's tilt, and heights."""
        clip = self.clip
        turns: dict[int, dict[int, FloatArray]] = {}
        heights: dict[int, float] = {}
        for c in self.hard:
            if isinstance(c, PoseAt):
                frame = self._at(c)
                joints, rotations, height = c.target(clip.skeleton)
                for joint, q in zip(joints, rotations, strict=True):
                    turns.setdefault(joint, {})[frame] = q if joint else with_heading(clip, frame, q)
                if height is not None:
                    heights[frame] = height
            elif isinstance(c, PoseAlong):
                self._along(c, turns, heights)
        for c in self.hard:
            if isinstance(c, RootAt) and c.height is not None:
                heights[self._at(c)] = c.height
        done = all(c.met(clip) for c in self.hard if isinstance(c, (PoseAt, PoseAlong, RootAt)))
        if done or not (turns or heights):
            return
        rotations = clip.rotations.copy()
        for joint, wanted in turns.items():
            rotations[:, joint] = displaced_rotations(clip, joint, wanted, np.zeros(0, np.int64), self.width)
        root = clip.root.copy()
        if heights:
            keys = np.array(sorted(heights))
            missing = np.array([heights[int(k)] - clip.root[k, 1] for k in keys])
            root[:, 1] += spread(keys, missing, len(clip), self.width)
            root[keys, 1] = [heights[int(k)] for k in keys]
        self.clip = replace(clip, root=root, rotations=rotations)

    def _along(self, c: PoseAlong, turns: dict[int, dict[int, FloatArray]], heights: dict[int, float]) -> None:
        """Add what a clip fixes over its span to rotations (by joint and frame) and heights (by frame)."""
        clip = self.clip
        span, own = c.frames(len(clip), clip.fps), c.given(clip.skeleton, len(clip), clip.fps)
        for joint in c.chosen(clip.skeleton):
            wanted = turns.setdefault(joint, {})
            for k, frame in enumerate(span):
                q = own.rotations[k, joint]
                wanted[frame] = q if joint else with_heading(clip, frame, q)
                if not joint:
                    heights[frame] = float(own.root[k, 1])
