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
from motionloom.constraints.residuals import residuals, unmet
from motionloom.constraints.root import Avoid, Reach, RootAt, RootPath
from motionloom.constraints.routes import around, follow
from motionloom.core import Clip, FloatArray, IntArray, Progress, replace, silent
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.fk import fk
from motionloom.kinematics.ik.chain import solve_chain
from motionloom.kinematics.ik.targets import PoseTarget, PositionTarget, Target
from motionloom.kinematics.travel import travel

GEOMETRIC = (PoseAt, PoseAlong, PositionAt, Plant, RootAt, RootPath, Reach, LookAt, Avoid)
"""What geometry can do something about; styles and parameters are for the method that makes the clip."""

MAX_HIP_SHIFT = 0.6  # leg lengths: hips that would have to go farther than this for a limb to reach stay where they are


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
        self._joints()
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
        self._out_of_reach(keys)

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

    def _out_of_reach(self, keys: dict[int, Key]) -> None:
        """Move the whole body towards a point that no limb can reach, if no constraint fixes its position."""
        now, places = travel(self.clip), fk(self.clip)
        more: dict[int, Key] = {}
        for c in self.hard:
            if isinstance(c, PositionAt) and self._at(c) not in keys:
                frame, joint = self._at(c), self.clip.skeleton.joint(c.joint)
                away = np.array(c.target) - places[frame, joint]
                if np.linalg.norm(away) > 0.5 * self._limb(joint):
                    x, z = now.place[frame] + away[[0, 2]]
                    more[frame] = Key((float(x), float(z)))
        if more:
            start = Key((float(now.place[0, 0]), float(now.place[0, 1])), float(now.heading[0]))
            at_keys = {f: Key(tuple(now.place[f]), float(now.heading[f])) for f in keys}
            self.clip = steer(self.clip, {0: start} | at_keys | more)

    def _limb(self, joint: int) -> float:
        """Metres of bone between a joint and the trunk."""
        lengths = np.linalg.norm(self.clip.skeleton.offsets, axis=1)
        chain = self.clip.skeleton.chain(joint)[1:]
        roles = self.clip.skeleton.roles
        return float(sum(lengths[j] for j in chain if not roles[j].startswith("spine")))

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

    def _joints(self) -> None:
        """Points and plants: limb by limb, then all together with the spine, then with the hips too.

        A step is skipped for targets farther away than the bones are long.
        """
        skeleton = self.clip.skeleton
        asked = [c for c in self.hard if isinstance(c, (PositionAt, Plant))]
        for limb, wanted in self._by_limb(asked).items():
            near = [c for c in wanted if self._within(c, limb)]
            if not all(c.met(self.clip) for c in near):
                self._reach(near, list(limb), root=False)
        chains = {c: skeleton.chain(skeleton.joint(c.joint))[1:] for c in asked}
        bendable = [c for c in asked if any(skeleton.roles[j].startswith("spine") for j in chains[c])]
        near = [c for c in bendable if self._within(c, chains[c])]
        if not all(c.met(self.clip) for c in near):
            self._reach(near, sorted({j for c in near for j in chains[c]}), root=False)
        near = [c for c in asked if self._within(c, chains[c], MAX_HIP_SHIFT * leg_length(skeleton))]
        if not all(c.met(self.clip) for c in near):
            self._reach(near, sorted({j for c in near for j in chains[c]}), root=True)

    def _within(self, c: PositionAt | Plant, joints: Sequence[int], slack: float = 0.0) -> bool:
        """Could these joints, turned as they like, bring the tip there? `slack`: metres that their top may move."""
        target = self._target(c)
        tip = self.clip.skeleton.joint(c.joint)
        used = [j for j in self.clip.skeleton.chain(tip) if j in joints]
        if not used:
            return slack > 0
        bones = self.clip.skeleton.chain(tip, used[0])[1:]
        length = float(np.linalg.norm(self.clip.skeleton.offsets[bones], axis=1).sum())
        away = np.linalg.norm(fk(self.clip)[target.frames, used[0]] - target.position, axis=-1)
        return bool(away.max() <= length + slack + c.tolerance)

    def _by_limb(self, asked: Sequence[PositionAt | Plant]) -> dict[tuple[int, ...], list[PositionAt | Plant]]:
        """Constraints that share a limb (the joints between tip and spine) are solved together."""
        skeleton = self.clip.skeleton
        out: dict[tuple[int, ...], list[PositionAt | Plant]] = {}
        for c in asked:
            chain = skeleton.chain(skeleton.joint(c.joint))[1:]
            limb = tuple(j for j in chain if not skeleton.roles[j].startswith("spine")) or tuple(chain)
            near = next((old for old in out if set(old) & set(limb)), None)
            together = out.pop(near) if near is not None else []
            out[tuple(sorted({*limb, *(near or ())}))] = [*together, c]
        return out

    def _reach(self, asked: Sequence[PositionAt | Plant], joints: list[int], *, root: bool) -> None:
        targets = [self._target(c) for c in asked]
        here = {int(f) for t in targets for f in t.frames}
        held, still = self._held(joints, root, here)
        allowed = np.ones(len(self.clip), bool)
        allowed[still] = False
        moved, _ = solve_chain(
            self.clip, [*targets, *held], joints=joints, root=root, smooth=self.smooth, frames=allowed, iterations=30
        )
        if np.abs(moved.root - self.clip.root).max() <= MAX_HIP_SHIFT * leg_length(self.clip.skeleton):
            self.clip = moved

    def _target(self, c: PositionAt | Plant) -> PositionTarget:
        joint = self.clip.skeleton.joint(c.joint)
        if isinstance(c, PositionAt):
            return PositionTarget(joint, np.array([self._at(c)]), np.array(c.target))
        frames = np.array(c.frames(len(self.clip), self.clip.fps))
        anchor = fk(self.clip)[frames, joint].mean(0) if c.target is None else np.array(c.target)
        return PositionTarget(joint, frames, anchor)

    def _held(self, joints: list[int], root: bool, here: set[int]) -> tuple[list[Target], list[int]]:
        """What poses and places already fixed: targets at the frames in `here`, whole frames elsewhere."""
        held: list[Target] = []
        still: list[int] = []
        for c in self.hard:
            if isinstance(c, PoseAlong):
                still += [f for f in c.frames(len(self.clip), self.clip.fps) if f not in here]
            if not isinstance(c, (PoseAt, RootAt)):
                continue
            frame, at = self._at(c), np.array([self._at(c)])
            if isinstance(c, RootAt):
                axes = ("xz" if c.position is not None else "") + ("y" if c.height is not None else "")
                turned: list[tuple[int, FloatArray]] = []
            else:
                fixed, rotations, height = c.target(self.clip.skeleton)
                axes = "" if height is None else "y"
                turned = [(j, q) for j, q in zip(fixed, rotations, strict=True) if j in joints]
            axes = axes if root else ""
            if frame not in here and (turned or axes):
                still.append(frame)
            elif turned or axes:
                held += [PoseTarget(j, at, q) for j, q in turned]
                held += [PositionTarget(0, at, self.clip.root[frame], axes=axes)] if axes else []
        return held, still
