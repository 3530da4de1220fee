"""Points and plants: limbs are turned, and the body is moved, until joints are where hard constraints want them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from motionloom.constraints.base import Constraint
from motionloom.constraints.bend_travel import Key, steer
from motionloom.constraints.joint import Plant, PositionAt
from motionloom.constraints.pose import PoseAt
from motionloom.constraints.pose_along import PoseAlong
from motionloom.constraints.root import RootAt
from motionloom.core import BoolArray, Clip, FloatArray, IntArray
from motionloom.kinematics.body.proportions import can_bend, leg_length
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import contacts, foot_parts
from motionloom.kinematics.feet.hold_feet import hold_feet
from motionloom.kinematics.fk import fk
from motionloom.kinematics.ik.chain import solve_chain
from motionloom.kinematics.ik.targets import PoseTarget, PositionTarget, Target
from motionloom.kinematics.travel import travel
from motionloom.rotation import angle_between

STILL = np.radians(0.01)  # a joint that turns less over a clip never turns
MAX_HIP_SHIFT = 0.6  # leg lengths: hips that would have to go farther than this for a limb to reach stay where they are


def reach_points(clip: Clip, hard: Sequence[Constraint], smooth: float) -> Clip:
    """The clip with its limbs turned to points and plants, as far as they can; changes spread over `smooth` seconds.

    What hard poses and places fix is kept.
    """
    solver = _Limbs(clip, hard, smooth)
    solver.run()
    return solver.clip


def approach_points(clip: Clip, hard: Sequence[Constraint], keys: Mapping[int, Key]) -> Clip:
    """The clip with its path bent towards points that no limb can reach, where no key fixes its place."""
    solver = _Limbs(clip, hard, 0.0)
    solver.approach(keys)
    return solver.clip


@dataclass
class _Limbs:
    clip: Clip
    hard: Sequence[Constraint]
    smooth: float  # s

    def _at(self, c: PoseAt | PositionAt | RootAt) -> int:
        return c.frame(len(self.clip), self.clip.fps)

    def approach(self, keys: Mapping[int, Key]) -> None:
        """Move the whole body towards a point that no limb can reach, where no key fixes its place.

        The clip goes through the keys already, and still does. At the frame of a key without a place the body moves
        only so far that half the length of the limb is left.
        """
        now, places = travel(self.clip), fk(self.clip)
        more: dict[int, Key] = {}
        for c in self.hard:
            if isinstance(c, PositionAt) and (key := keys.get(self._at(c), Key())).place is None:
                frame, joint = self._at(c), self.clip.skeleton.joint(c.joint)
                away = np.array(c.target) - places[frame, joint]
                left = 0.5 * self._limb(joint) / max(float(np.linalg.norm(away)), 1e-9)
                if left < 1.0:
                    x, z = now.place[frame] + (1.0 - left if frame in keys else 1.0) * away[[0, 2]]
                    more[frame] = Key((float(x), float(z)), key.heading)
        if more:
            here = [Key((float(x), float(z)), float(h)) for (x, z), h in zip(now.place, now.heading, strict=True)]
            at_keys = {f: here[f] if key.place is not None else Key(None, here[f].heading) for f, key in keys.items()}
            self.clip = steer(self.clip, {0: here[0]} | at_keys | more)

    def _limb(self, joint: int) -> float:
        """Metres of bone between a joint and the trunk."""
        lengths = np.linalg.norm(self.clip.skeleton.offsets, axis=1)
        chain = self.clip.skeleton.chain(joint)[1:]
        roles = self.clip.skeleton.roles
        return float(sum(lengths[j] for j in chain if not roles[j].startswith("spine")))

    def run(self) -> None:
        """Collar bones that never turn in the clip, as in many captures, turn only if the others do not reach."""
        asked = [c for c in self.hard if isinstance(c, (PositionAt, Plant))]
        turns, everything = self.clip.rotations, set(range(len(self.clip.skeleton)))
        collars = [j for j, role in enumerate(self.clip.skeleton.roles) if role.endswith("_shoulder")]
        still = {j for j in collars if angle_between(turns[:, j], turns[:1, j]).max() < STILL}
        self._steps(asked, everything - still)
        if still and not all(c.met(self.clip) for c in asked):
            self._steps(asked, everything)

    def _steps(self, asked: Sequence[PositionAt | Plant], usable: set[int]) -> None:
        """Limb by limb, then all together with the spine, then with the hips too; of their joints, those `usable`.

        A step is skipped for targets farther away than the bones are long.
        """
        skeleton = self.clip.skeleton
        for limb, wanted in self._by_limb(asked).items():
            near = [c for c in wanted if self._within(c, limb)]
            if not all(c.met(self.clip) for c in near):
                self._reach(near, [j for j in limb if j in usable], root=False)
        chains = {c: skeleton.chain(skeleton.joint(c.joint))[1:] for c in asked}
        bendable = [c for c in asked if any(skeleton.roles[j].startswith("spine") for j in chains[c])]
        near = [c for c in bendable if self._within(c, chains[c])]
        if not all(c.met(self.clip) for c in near):
            self._reach(near, sorted({j for c in near for j in chains[c]} & usable), root=False)
        near = [c for c in asked if self._within(c, chains[c], MAX_HIP_SHIFT * leg_length(skeleton))]
        if not all(c.met(self.clip) for c in near):
            joints = sorted({j for c in near for j in chains[c]} & usable)
            before = self.clip
            self._reach(near, joints, root=True)
            for foot in feet(skeleton):
                if can_bend(skeleton, foot) and foot.thigh not in joints:
                    fixed = self._fixed((foot.thigh, foot.shin, foot.ankle))
                    self.clip = hold_feet(before, self.clip, [foot], fixed)

    def _fixed(self, joints: Sequence[int]) -> BoolArray:
        """(F,) the frames in which a hard pose fixes one of these joints."""
        out = np.zeros(len(self.clip), bool)
        for c in self.hard:
            if isinstance(c, PoseAt) and set(joints) & set(c.target(self.clip.skeleton).joints):
                out[self._at(c)] = True
            elif isinstance(c, PoseAlong) and set(joints) & set(c.chosen(self.clip.skeleton)):
                out[list(c.frames(len(self.clip), self.clip.fps))] = True
        return out

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
        if not (joints or root):
            return
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
        anchor = self._anchor(joint, frames) if c.target is None else np.array(c.target)
        return PositionTarget(joint, frames, anchor)

    def _anchor(self, joint: int, frames: IntArray) -> FloatArray:
        """Where a joint without a target is kept: at its mean place.

        A joint of a foot is kept as low as it stands, and as far from the middle of the path of the hips as it is from
        the hips while it stands.
        """
        skeleton, places = self.clip.skeleton, fk(self.clip)[frames, joint]
        anchor = places.mean(0)
        labels = [p.label for p in foot_parts(skeleton) if joint in skeleton.below(p.foot.ankle)]
        touching = contacts(self.clip) if labels else {}
        standing = np.any([touching[n][frames] for n in labels], axis=0) if labels else np.zeros(len(frames), bool)
        if standing.any():
            hips = self.clip.root[frames] * [1.0, 0.0, 1.0]
            anchor = hips.mean(0) + (places - hips)[standing].mean(0)
        return anchor

    def _held(self, joints: list[int], root: bool, here: set[int]) -> tuple[list[Target], list[int]]:
        """What poses and places already fixed: targets at the frames in `here`, whole frames elsewhere."""
        held: list[Target] = []
        still: list[int] = []
        for c in self.hard:
            if isinstance(c, PoseAlong):
                still += [f for f in c.frames(len(self.clip), self.clip.fps) if f not in here]
                held += self._held_along(c, joints, root, here)
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

    def _held_along(self, c: PoseAlong, joints: list[int], root: bool, here: set[int]) -> list[Target]:
        """What a given clip fixes at the frames in `here`."""
        span = c.frames(len(self.clip), self.clip.fps)
        rows = np.array([k for k, f in enumerate(span) if f in here], np.int64)
        if not len(rows):
            return []
        chosen, own, at = (
            c.chosen(self.clip.skeleton),
            c.given(self.clip.skeleton, len(self.clip), self.clip.fps),
            rows + span.start,
        )
        held: list[Target] = [PoseTarget(j, at, own.rotations[rows, j]) for j in chosen if j in joints]
        if root and 0 in chosen:
            held.append(PositionTarget(0, at, self.clip.root[at], axes="y"))
        return held
