"""Contacts: when the heel and the toe of each foot stand on something. They are labels, so anyone can edit them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, Skeleton, with_labels
from motionloom.core.numbers import runs as runs
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.body.roles import Foot, feet
from motionloom.kinematics.fk import fk, fk_rotations
from motionloom.rotation import rotate

# chosen on CMU walks, runs, stairs and dances, Bandai-Namco and the dogs (see tests/kinematics/feet/test_contacts.py)
HEIGHT = (0.06, 0.10)  # leg lengths above the part's own level: to touch down, to lift off
SPEED = (0.25, 0.50)  # m/s: to touch down, to lift off
SHORTEST = 0.05  # s: no contact is shorter, and no gap in one
BELOW_THIGH = 0.2  # leg lengths: a foot that is not this far below the highest thigh stands on nothing (swimming)


class FootPart(NamedTuple):
    """The heel or the toe of a foot: a point fixed to a joint."""

    name: str  # "left_heel", "right_front_toe" ...
    foot: Foot
    joint: int
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)  # in the joint's frame

    @property
    def label(self) -> str:
        return f"contact:{self.name}"


def foot_parts(skeleton: Skeleton) -> tuple[FootPart, ...]:
    """Heel and toe of each foot: the heel is the ankle joint, the toe is the toe joint, or else the foot's end site.

    Four-legged animals stand on their toes: their feet have no heel. A body without legs has no parts.
    """
    walkers = feet(skeleton)
    found = []
    for foot in walkers:
        stem = foot.name.removesuffix("_foot")
        toe = _toe(skeleton, foot)
        if len(walkers) < 4:
            found.append(FootPart(f"{stem}_heel", foot, foot.ankle))
        elif toe is None:
            toe = (foot.ankle, (0.0, 0.0, 0.0))
        if toe is not None:
            found.append(FootPart(f"{stem}_toe", foot, *toe))
    return tuple(found)


def _toe(skeleton: Skeleton, foot: Foot) -> tuple[int, tuple[float, float, float]] | None:
    if foot.toe is not None:
        return foot.toe, (0.0, 0.0, 0.0)
    tips = [e for e in skeleton.ends if e.joint in skeleton.below(foot.ankle) and np.linalg.norm(e.offset) > 1e-3]
    return (tips[0].joint, tips[0].offset) if tips else None


def parts_by_foot(skeleton: Skeleton) -> list[tuple[Foot, list[int]]]:
    """Each foot with the indices of its parts in `foot_parts`; the last one is its toe, if it has one."""
    parts = foot_parts(skeleton)
    return [(foot, [i for i, p in enumerate(parts) if p.foot.name == foot.name]) for foot in feet(skeleton)]


def points_of(parts: Sequence[FootPart], places: FloatArray, turns: FloatArray) -> FloatArray:
    """Positions (..., P, 3) of foot parts, given those (..., J, 3) and rotations (..., J, 4) of all joints."""
    joints = [p.joint for p in parts]
    offsets = np.array([p.offset for p in parts]).reshape(-1, 3)
    return places[..., joints, :] + rotate(turns[..., joints, :], offsets)


def part_positions(clip: Clip) -> FloatArray:
    """World positions (F, P, 3) of the parts of `foot_parts(clip.skeleton)`."""
    return points_of(foot_parts(clip.skeleton), *fk_rotations(clip))


def part_speeds(positions: FloatArray, fps: float) -> FloatArray:
    """Speed (F, P) m/s over 1/30 s (central; one-sided at the ends): steadier than one frame at high rates."""
    reach = max(1, round(fps / 60))
    at = np.arange(len(positions))
    before, after = np.maximum(at - reach, 0), np.minimum(at + reach, len(positions) - 1)
    time = np.maximum(after - before, 1) / fps
    return np.linalg.norm(positions[after] - positions[before], axis=-1) / time[:, None]


def contacts(
    clip: Clip,
    *,
    height: tuple[float, float] = HEIGHT,
    speed: tuple[float, float] = SPEED,
    shortest: float = SHORTEST,
    ground: float | None = None,
    fresh: bool = False,
) -> dict[str, BoolArray]:
    """When each foot part touches, (F,) bool by label: "contact:left_heel", "contact:left_toe" ...

    A contact begins where a part is slow and low and lasts while it is not quick or high (hysteresis: `speed` in m/s,
    `height` in leg lengths, each to touch down and to lift off). Gaps and contacts under `shortest` seconds vanish.
    Height counts from the part's own level: the 5th percentile of its height while it is slow, or `ground` plus its
    height above the sole. Without `ground`, a foot that stands still higher up (stairs, a ledge) counts too if for
    0.1 s no other foot stands still (something must carry the body), or beside one that does; its own level then
    rules for that plant. Feet hardly below the thighs touch nothing. A clip that has labels of contacts already keeps
    them, unless `fresh`; a part without any does not touch then (a labels file holds no label that is never on, so
    contacts that were edited away stay away). A body without feet gives {}.
    """
    parts = foot_parts(clip.skeleton)
    if not parts or (not fresh and any(p.label in clip.label_names for p in parts)):
        return {p.label: clip.label(p.label) for p in parts}
    leg = leg_length(clip.skeleton)
    positions = part_positions(clip)
    pace = part_speeds(positions, clip.fps)
    low = _levels(positions[..., 1], pace < speed[0], ground, leg)
    above = (positions[..., 1] - low) / leg
    top = fk(clip)[:, [p.foot.thigh for p in parts], 1].max(1, keepdims=True, initial=-np.inf)
    under = (top - positions[..., 1]) / leg > BELOW_THIGH
    least = max(1, round(shortest * clip.fps))
    slow = steady_runs(pace < speed[0], pace < speed[1], least) & under
    if ground is None:
        above = np.minimum(np.abs(above), np.abs(above - _plateaus(clip.fps, parts, slow, above, height)))
    touch = steady_runs((pace < speed[0]) & (above < height[0]), (pace < speed[1]) & (above < height[1]), least) & under
    return {p.label: touch[:, i] for i, p in enumerate(parts)}


def contact_array(clip: Clip) -> BoolArray:
    """(F, P) the clip's contacts, a column for each of `foot_parts`."""
    found = contacts(clip)
    out = np.zeros((len(clip), len(found)), bool)
    for i, on in enumerate(found.values()):
        out[:, i] = on
    return out


def with_contacts(clip: Clip, *, fresh: bool = False, ground: float | None = None) -> Clip:
    """The clip with its contacts as labels; if it has some already they stay as they are, unless `fresh`."""
    return with_labels(clip, contacts(clip, fresh=fresh, ground=ground))


def _levels(heights: FloatArray, slow: BoolArray, ground: float | None, leg: float) -> FloatArray:
    """(P,) the height of each part when it stands on the floor, metres."""
    out = np.empty(heights.shape[1])
    for i in range(len(out)):
        at = heights[slow[:, i], i]
        out[i] = np.percentile(at, 5) if len(at) else np.percentile(heights[:, i], 1)
    if ground is not None:
        out = ground + np.clip(out - ground, 0.0, 0.15 * leg)
    return out


def steady_runs(on: BoolArray, stay: BoolArray, least: int) -> BoolArray:
    """Runs of `stay` that hold at least one `on`; gaps and runs shorter than `least` frames removed."""
    out = np.zeros_like(stay)
    for i in range(stay.shape[1]):
        for a, b in runs(stay[:, i] | on[:, i]):
            out[a:b, i] = on[a:b, i].any()
        for a, b in runs(~out[:, i]):
            if a > 0 and b < len(out) and b - a < least:
                out[a:b, i] = True
        for a, b in runs(out[:, i]):
            if b - a < least:
                out[a:b, i] = False
    return out


def _plateaus(
    fps: float, parts: tuple[FootPart, ...], slow: BoolArray, above: FloatArray, height: tuple[float, float]
) -> FloatArray:
    """(F, P) leg lengths: how far above its level each foot stands where it stands on a step; 0 elsewhere.

    A still foot stands there if it is the only still one for 0.1 s, or if it joins one at the same height that does.
    """
    names = list(dict.fromkeys(p.foot.name for p in parts))
    columns = {n: [i for i, p in enumerate(parts) if p.foot.name == n] for n in names}
    still = np.stack([slow[:, columns[n]].any(1) for n in names], 1)
    least = max(1, round(0.1 * fps))
    waiting: list[tuple[int, int, int, float]] = []
    rise = np.zeros((len(above), len(names)))
    for k, name in enumerate(names):
        toe = columns[name][-1]
        for a, b in runs(slow[:, toe]):
            lift = float(np.median(above[a:b, toe]))
            alone: BoolArray = ~np.asarray(np.delete(still[a:b], k, axis=1).any(1))
            if abs(lift) <= height[0]:
                continue
            if any(d - c >= least for c, d in runs(alone)):
                rise[a:b, k] = lift
            else:
                waiting.append((k, a, b, lift))
    for k, a, b, lift in waiting:
        beside = (np.abs(np.delete(rise[a:b], k, axis=1) - lift) < height[0]).any(1)
        if beside.sum() >= least:
            rise[a:b, k] = lift
    return np.stack([rise[:, names.index(p.foot.name)] for p in parts], 1)
