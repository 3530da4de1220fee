"""Feet on the ground: the root moves over standing feet as it did in the observed segments, and no foot sinks in.

A texton's basis and the bend towards the next key poses change the pose and the root's velocity apart from each
other, so feet would slide and float. Where a foot stands, the poses determine how the root moves over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, Skeleton, replace
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.feet.contacts import (
    HEIGHT,
    foot_parts,
    part_positions,
    part_speeds,
    parts_by_foot,
    points_of,
)
from motionloom.kinematics.feet.raise_foot import raise_foot
from motionloom.kinematics.feet.smoothing import away_from, envelope, gaussian
from motionloom.kinematics.fk import fk, world
from motionloom.kinematics.local_frames import Frames
from motionloom.kinematics.travel import ground_turn
from motionloom.rotation import from_axis_angle, rotate

GROUND_SMOOTHING = 0.1  # s: deviation of the Gaussian that smooths corrections along the ground
HEIGHT_SMOOTHING = 0.1  # s: and of height
MIN_STANDING = 0.2  # where feet stand less of the time around than this, the root keeps its own velocity more and more
MAX_SINK = 0.012  # m: a foot part this far below its usual height on the floor is lifted
LIFT_TIME = 0.08  # s: over which a lift comes and goes
MAX_PITCH_SINE = 0.99  # sine: no foot is pitched farther
PITCH_RANGE = (0.4, 0.8)  # cosine: a foot that points down below the first is not pitched, above the second fully
STEP_GAIN = 0.02  # s: a foot that is 1 m/s faster than where it was observed steps so much (m) higher,
MAX_EXTRA_STEP = 0.04  # m: at most,
MAX_RISE = 0.3  # leg lengths: no foot is raised or lowered farther,
FULL_RISE = 0.75  # and up to this share of it, fully
STEP_SMOOTHING = 0.03  # s: deviation of the Gaussian that smooths it
DEAD_ZONE = (0.002, 0.01)  # m, rad: a foot so little too high or low, or so little tipped, stays as it is


class Footing(NamedTuple):
    """The feet of an observed segment, frame by frame."""

    contacts: BoolArray  # (F, P) which parts stand
    slip: FloatArray  # (F, P, 2) m: how far each part moves to the left and forward to the next frame, over the ground
    high: FloatArray  # (F, P) m: how far each part is above its usual height on the floor

    @property
    def low(self) -> FloatArray:
        """(F,) m: how far the lowest part is above its usual height on the floor."""
        return self.high.min(1) if self.high.shape[1] else np.zeros(len(self.high))

    def part(self, at: slice) -> Footing:
        """Some of the frames."""
        return Footing(self.contacts[at], self.slip[at], self.high[at])


def joined_footing(parts: Sequence[Footing]) -> Footing:
    """One after the other."""
    return Footing(*(np.concatenate(p) for p in zip(*parts, strict=True)))


def contact_heights(clips: Sequence[Clip]) -> FloatArray:
    """(P,) metres: how high each foot part usually is while it stands (0 for a part that never does)."""
    parts = foot_parts(clips[0].skeleton)
    heights = [part_positions(c)[..., 1] for c in clips] if parts else []
    out = np.zeros(len(parts))
    for p, part in enumerate(parts):
        seen = np.concatenate([h[c.label(f"contact:{part.name}"), p] for h, c in zip(heights, clips, strict=True)])
        out[p] = np.median(seen) if len(seen) else 0.0
    return out


def part_places(frames: Frames, skeleton: Skeleton) -> FloatArray:
    """(F, P, 3) where foot parts are, seen from the hips' place on the ground and heading; y is the height."""
    parts = foot_parts(skeleton)
    height = frames.root[:, 3]
    places, turns = world(skeleton, np.stack([0 * height, height, 0 * height], 1), frames.turns)
    return points_of(parts, places, turns)


def ground_slips(frames: Frames, places: FloatArray, fps: float) -> FloatArray:
    """(F, P, 2) m: how far each part moves over the ground to the next frame, in this frame's heading."""
    motion = frames.root[:, :3] / fps
    out = np.zeros((*places.shape[:2], 2))
    there = ground_turn(motion[:-1, None, 2], places[1:, :, [0, 2]]) + motion[:-1, None, :2]
    out[:-1] = there - places[:-1, :, [0, 2]]
    if len(out) > 1:
        out[-1] = out[-2]
    return out


def footing_of(frames: Frames, contacts: BoolArray, skeleton: Skeleton, heights: FloatArray, fps: float) -> Footing:
    """What the feet of one clip do. Floors lie at different heights in different takes: `low` has its median at 0."""
    places = part_places(frames, skeleton)
    high = places[..., 1] - heights
    stands = contacts.any(1)
    floor = np.median(high.min(1)[stands]) if stands.any() else 0.0
    return Footing(contacts, ground_slips(frames, places, fps), high - floor)


def ground_root(frames: Frames, seen: Footing, skeleton: Skeleton, heights: FloatArray, fps: float) -> Frames:
    """The frames with the root's velocity and height changed so that standing feet do as they did where observed.

    Along the ground the root gets the mean, over the parts that stand, of how much more they slip than they did, also
    in the moments between; in the air it keeps its velocity. In height, the lowest part is put as far above the floor
    as it was.
    """
    if not seen.contacts.any():
        return frames
    places = part_places(frames, skeleton)
    root = frames.root.copy()
    on = seen.contacts
    both = on & np.concatenate([on[1:], on[-1:]])
    more = _mean(ground_slips(frames, places, fps) - seen.slip, both)
    known = gaussian(
        both.any(1, keepdims=True).astype(float), GROUND_SMOOTHING * fps
    )  # how much of the time around is known
    root[:, :2] -= gaussian(more, GROUND_SMOOTHING * fps) / np.maximum(known, MIN_STANDING) * fps
    high = (places[..., 1] - heights).min(1) - seen.low
    stands = np.flatnonzero(on.any(1))
    high = np.interp(np.arange(len(frames)), stands, high[stands])
    root[:, 3] -= gaussian(high[:, None], HEIGHT_SMOOTHING * fps)[:, 0]
    return Frames(frames.turns, root)


def match_foot_heights(clip: Clip, wanted: FloatArray, loose: FloatArray, heights: FloatArray) -> Clip:
    """The clip with its legs bent so that each foot is as high above the floor, and as level, as where it was observed.

    Bending a texton towards poses that are not its own lowers feet that swing, and raises and tips feet that stand.
    `wanted` (F, P) m is how high each part was above its usual height: the foot is pitched so that its toe is as much
    lower than its heel, and raised until its lowest part is where it was, by at most `MAX_RISE`: a leg cannot make up
    for a body that leaps lower than observed. `loose` (F,) from 0 to 1 is how much of this
    is done: frames that must stay as they are have 0.
    """
    parts = foot_parts(clip.skeleton)
    if not parts or not wanted.shape[1]:
        return clip
    points, ankles = part_positions(clip), fk(clip)
    rotations, level, most = clip.rotations.copy(), wanted + heights, MAX_RISE * leg_length(clip.skeleton)
    for foot, own in parts_by_foot(clip.skeleton):
        heel, toe, ankle = own[0], own[-1], ankles[:, None, foot.ankle]
        turn = _pitch(points[:, toe] - points[:, heel], level[:, toe] - level[:, heel], loose)
        now = ankle + rotate(turn[:, None], points[:, own] - ankle)
        rise = _beyond(wanted[:, own].min(1) - (now[..., 1] - heights[own]).min(1), DEAD_ZONE[0])
        rise = loose * _at_most(gaussian(rise[:, None], STEP_SMOOTHING * clip.fps)[:, 0], most)
        raise_foot(clip, rotations, foot, rise, turn)
    return replace(clip, rotations=rotations)


def _pitch(foot: FloatArray, drop: FloatArray, share: FloatArray) -> FloatArray:
    """(F, 4) the turn that pitches feet, from heel to toe (F, 3), until their toes are `drop` (F,) m above their heels.

    Only a `share` (F,) of it is done, and less where a foot points down, as in a high swing: what is ahead of such a
    foot changes from frame to frame, and it is far from the floor.
    """
    length, flat = np.linalg.norm(foot, axis=1), np.hypot(foot[:, 0], foot[:, 2])
    length, flat = np.maximum(length, 1e-9), np.maximum(flat, 1e-9)
    now, then = np.arctan2(foot[:, 1], flat), np.arcsin(np.clip(drop / length, -MAX_PITCH_SINE, MAX_PITCH_SINE))
    axis = np.stack([-foot[:, 2], np.zeros(len(foot)), foot[:, 0]], 1) / flat[:, None]
    axis[~axis.any(1)] = [1.0, 0.0, 0.0]  # a foot of one part, or one that points straight down: turned by nothing
    ahead = np.where(length > 1e-6, flat / length, 0.0)
    level = smoothstep((ahead - PITCH_RANGE[0]) / (PITCH_RANGE[1] - PITCH_RANGE[0]))
    return from_axis_angle(axis, share * level * _beyond(then - now, DEAD_ZONE[1]))


def _beyond(values: FloatArray, slight: float) -> FloatArray:
    """The part of values beyond +-`slight`; 0 within, so that most frames need no bending at all."""
    return values - np.clip(values, -slight, slight)


def _at_most(values: FloatArray, most: float) -> FloatArray:
    """Values within +-`most`: the same up to `FULL_RISE` of that, and slowly nearing it beyond."""
    full, room = FULL_RISE * most, (1.0 - FULL_RISE) * most
    beyond = np.maximum(np.abs(values) - full, 0.0)
    return np.asarray(np.sign(values) * (np.minimum(np.abs(values), full) - room * np.expm1(-beyond / room)))


def higher_steps(clip: Clip, seen: Footing) -> FloatArray:
    """(F, P) m: how much higher feet must step because they go farther than where they were observed.

    A foot that is bent towards another place while it is low would slide there. `STEP_GAIN` seconds of the speed of its
    parts beyond the observed one, at most `MAX_EXTRA_STEP`, where it does not stand.
    """
    speed = part_speeds(part_positions(clip), clip.fps)
    more = np.maximum(speed - np.linalg.norm(seen.slip, axis=-1) * clip.fps, 0.0)
    return np.minimum(
        STEP_GAIN * gaussian(np.where(seen.contacts, 0.0, more), STEP_SMOOTHING * clip.fps), MAX_EXTRA_STEP
    )


def low_contacts(clip: Clip, contacts: BoolArray, heights: FloatArray) -> BoolArray:
    """(F, P) the contacts at which the part really is near the floor: where a pose was bent far, it may hang above."""
    if not contacts.any():
        return contacts
    above = part_positions(clip)[..., 1] - heights
    return contacts & (above < HEIGHT[0] * leg_length(clip.skeleton))


def lift_sunk_feet(clip: Clip, heights: FloatArray, *, standing: bool = True, held: BoolArray | None = None) -> Clip:
    """The clip with its legs bent where a foot part is more than `MAX_SINK` below its usual height on the floor.

    A clip without labels of contacts was not grounded either: it stays as it is. Unless `standing`, feet stay as they
    are while they have a contact. Legs with a joint that is `held` (F, J) stay as they are in these frames.
    """
    parts = foot_parts(clip.skeleton)
    if not parts or not clip.label_names:
        return clip
    where = part_positions(clip)[..., 1]
    width = max(1, round(LIFT_TIME * clip.fps))
    rotations = clip.rotations.copy()
    for foot, own in parts_by_foot(clip.skeleton):
        need = np.maximum((heights[own] - MAX_SINK - where[:, own]).max(1), 0.0)
        if not need.any():
            continue
        rise = envelope(need, width)
        if not standing:
            on = np.any([clip.label(parts[i].label) for i in own], axis=0)
            rise = rise * away_from(np.flatnonzero(on), len(on), width)
        if held is not None:
            still = held[:, [foot.thigh, *clip.skeleton.below(foot.thigh)]].any(1)
            rise = rise * away_from(np.flatnonzero(still), len(rise), width)
        raise_foot(clip, rotations, foot, rise)
    return replace(clip, rotations=rotations)


def lift_sunk_toes(clip: Clip, heights: FloatArray, held: BoolArray) -> Clip:
    """The clip with its feet pitched about the ankles where toes are more than `MAX_SINK` below their usual height.

    Ankles stay where they are; a foot that is `held` (F, J) keeps its pitch in these frames.
    """
    parts, rotations = foot_parts(clip.skeleton), clip.rotations.copy()
    width = max(1, round(LIFT_TIME * clip.fps))
    for foot, own in parts_by_foot(clip.skeleton):
        toe = next((i for i in own if parts[i].name.endswith("toe")), None)
        if toe is None:
            continue
        bone = part_positions(clip)[:, toe] - fk(clip)[:, foot.ankle]
        need = np.maximum(heights[toe] - MAX_SINK - fk(clip)[:, foot.ankle, 1] - bone[:, 1], 0.0)
        rise = envelope(need, width) * away_from(np.flatnonzero(held[:, foot.ankle]), len(need), width)
        length, flat = np.linalg.norm(bone, axis=1), np.maximum(np.hypot(bone[:, 0], bone[:, 2]), 1e-9)
        then = np.arcsin(np.clip((bone[:, 1] + rise) / np.maximum(length, 1e-9), -1.0, 1.0))
        axis = np.stack([-bone[:, 2], np.zeros(len(bone)), bone[:, 0]], 1) / flat[:, None]
        turn = from_axis_angle(axis, np.where(rise > 0.0, then - np.arctan2(bone[:, 1], flat), 0.0))
        raise_foot(clip, rotations, foot, np.zeros(len(rise)), turn)
    return replace(clip, rotations=rotations)


def _mean(values: FloatArray, on: BoolArray) -> FloatArray:
    """(F, ...) the mean over parts that stand; 0 where none does."""
    weight = on[..., None].astype(float)
    return (values * weight).sum(1) / np.maximum(weight.sum(1), 1.0)
