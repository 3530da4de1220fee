"""Foot-skate removal: planted feet stand still, bones keep their length, and hard constraints do not move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import (
    BadRequest,
    BoolArray,
    Clip,
    FloatArray,
    IntArray,
    Note,
    Progress,
    replace,
    silent,
    with_labels,
)
from motionloom.core.progress import parts
from motionloom.core.watched import watched
from motionloom.kinematics.body.proportions import can_bend, leg_length
from motionloom.kinematics.body.roles import Foot, feet
from motionloom.kinematics.feet.contacts import contacts, foot_parts, part_positions, runs
from motionloom.kinematics.feet.free_heels import freed_heels, knee_excess, where_better
from motionloom.kinematics.feet.hips import hips_shift, steady_hips
from motionloom.kinematics.feet.knees import knee_change, knee_flexion
from motionloom.kinematics.feet.leg_reach import follow_knee, lower_hips, mobility, soft_reach
from motionloom.kinematics.feet.plants import FootPath, FootPlan, ToeHold, plan_foot
from motionloom.kinematics.feet.skate_measures import Skate, measure_skate, planted_speed
from motionloom.kinematics.feet.treadmill import IN_PLACE, moves_in_place
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.ik.limb import limb_rotations
from motionloom.rotation import angle_between, multiply

EASE_TIME = 0.2  # s: how long the path of a foot bends before and after a plant
ROLL_TIME = 0.12  # s: how long after it leaves its plant a heel takes to follow the knee fully
MAX_STRAY = 0.2  # leg lengths: a contact that strays more than this is a slide, not a plant
ROLL_OFF = 0.005  # leg lengths: a heel that is higher than this above its plant rolls off the ground
TOE_HOLD = ToeHold()
MAX_HIP_DROP = 0.1  # leg lengths: the hips go down at most this far to let a foot reach its plant
PINNED_WITHIN = 3e-4  # m: a contact that strays no more than this is pinned already (plants are met to a tenth of it)
MAX_TRIES = 24  # plants are shortened more and more, so that even the longest is gone before the last try
KNEE_SPEED_LIMIT = (1.5, 2.0)  # times its quickest in the source, plus rad/s: with a faster knee, a plant is shortened


@dataclass(frozen=True)
class SkateReport:
    """What was done, and how the feet slide before and after."""

    before: Skate
    after: Skate
    plants: int  # contacts that were pinned
    moved: float  # m: the farthest that an ankle was moved
    lowered: float  # m: the farthest that the hips went down
    missed: float  # m: the farthest that an ankle stayed from its plant (out of reach, or a hard constraint)
    slid_before: float = 0.0  # cm/s: how fast heels and toes slide over the contacts that were pinned
    slid_after: float = 0.0
    knees: float = 0.0  # rad: the farthest that a knee was bent or stretched
    shifted: float = 0.0  # m: the farthest that the hips moved over the ground

    def __str__(self) -> str:
        if self.before.b is None or self.after.b is None:
            return "no feet on the floor: nothing to mend"
        if self.moved < 5e-4 and self.shifted < 5e-4 and abs(self.lowered) < 5e-4:
            return f"planted feet stand still already, over {self.plants} contacts: nothing to mend"
        return (
            f"planted feet slide {self.slid_after:.1f} cm/s instead of {self.slid_before:.1f}, over {self.plants} "
            f"contacts; feet moved by up to {self.moved * 100:.1f} cm, hips by up to {self.shifted * 100:.1f} cm "
            f"over the ground and {self.lowered * 100:.1f} cm down"
            f", knees changed by up to {np.degrees(self.knees):.1f} deg"
        )


@watched
def remove_skate(
    clip: Clip,
    *,
    hard: ArrayLike | None = None,
    ease: float = EASE_TIME,
    ground: float | None = None,
    progress: Progress | None = None,
) -> tuple[Clip, SkateReport]:
    """Pin every heel and toe to one point for as long as it touches; legs follow by two-bone kinematics.

    Contacts are the clip's labels, or found (see `contacts`). Ankle targets come from the pinned points
    (`plants.plan_foot`); hips follow them, a heel that is not planted rises or sinks over its toe so that the knee
    bends as in the source, and where a plant is still out of reach the hips go down a little. A heel whose pin would
    change the knee by more than 3 degrees is freed while its toe stays planted. The limb solver's soft
    limit keeps knees from snapping straight. Bones never stretch, and no foot goes deeper than
    it ever was. The result carries the contacts that were pinned as labels: a second run finds nothing to do.

    `hard` (F,) or (F, J) bool: joints that must stay exactly where and as they are at these frames. A leg with such
    a joint is left alone there (its plant takes that place), and the hips keep their height. A motion in place
    (`moves_in_place`) is returned as it is, with a note: nothing of it stands still.
    """
    report = progress or silent()
    measured, pinned, _ = parts(report, [1, 8, 2])
    measured(0.0, "measuring skate")
    before = measure_skate(clip, ground=ground)
    measured(1.0, "measuring skate")
    if moves_in_place(clip):
        report(1.0, "measuring skate")
        noted = replace(clip, origin=clip.origin.with_notes(Note(IN_PLACE)))
        return noted, SkateReport(before, before, 0, 0.0, 0.0, 0.0)
    done = pin_plants(clip, hard=hard, ease=ease, ground=ground, progress=pinned)
    if not done.labels:
        report(1.0, "measuring skate")
        return clip, SkateReport(before, before, 0, 0.0, 0.0, 0.0)
    out, still = done.clip, done.moved == 0.0 and done.missed == 0.0
    slid_before, slid_after = planted_speed(clip, done.labels), planted_speed(out, done.labels)
    after = before if still else measure_skate(out, ground=ground)
    report(1.0, "measuring skate")
    hips = out.root - clip.root
    shifted, lowered = float(np.linalg.norm(hips[:, [0, 2]], axis=1).max()), max(0.0, float(-hips[:, 1].min()))
    return out, SkateReport(
        before, after, done.plants, done.moved, lowered, done.missed, slid_before, slid_after, knee_change(clip, out),
        shifted,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Pinned:
    """A clip with its plants pinned, and what that took."""

    clip: Clip
    labels: dict[str, BoolArray]  # the contacts that hold now; empty for a body without feet
    plants: int
    moved: float  # m
    missed: float  # m


@watched
def pin_plants(
    clip: Clip,
    *,
    hard: ArrayLike | None = None,
    ease: float = EASE_TIME,
    ground: float | None = None,
    toe: ToeHold = TOE_HOLD,
    progress: Progress | None = None,
) -> Pinned:
    """`remove_skate` without its measures; `toe` sets how long toes are held.

    The number of attempts is unknown, so `progress` reports no share.
    """
    report = progress or silent()
    report(0.0, "pinning feet")
    legs = feet(clip.skeleton)
    fixed = _fixed(clip, hard)
    if not legs or not all(can_bend(clip.skeleton, foot) for foot in legs):
        return Pinned(clip, {}, 0, 0.0, 0.0)
    points, leg = part_positions(clip), leg_length(clip.skeleton)
    touching = contacts(clip, ground=ground)
    if _pinned(clip, points, touching):
        plants = sum(len(runs(on)) for on in touching.values())
        return Pinned(with_labels(clip, touching), touching, plants, 0.0, 0.0)
    if not fixed.any():
        clip = steady_hips(clip)
        points = part_positions(clip)
    posed, known = fk_rotations(clip), dict[tuple[str, bytes], FootPlan]()

    def attempt(touching: dict[str, BoolArray]) -> tuple[_Attempt, list[IntArray]]:
        report(None, "pinning feet")
        done = _attempt(clip, legs, points, posed, touching, fixed, ease, toe, leg, known)
        return done, [_pops(clip, done.clip, foot) for foot in legs]

    for tried in range(MAX_TRIES):
        done, pops = attempt(touching)
        if not any(len(frames) for frames in pops):
            break
        touching = _shortened(clip, done, touching, pops, 2 ** (tried // 3))
    knees, pinned = knee_flexion(clip, posed[0]), knee_flexion(done.clip)
    excess = knee_excess(knees, pinned)
    freed = freed_heels(clip, done.plans, excess, touching)
    if freed:
        again, pops = attempt(freed)
        better = where_better(clip, touching, freed, (knees, pinned, knee_flexion(again.clip)))
        if any((better[label] != on).any() for label, on in freed.items()):
            (again, pops), freed = attempt(better), better
        left = knee_excess(knees, knee_flexion(again.clip))
        if not any(len(frames) for frames in pops) and left.sum() < excess.sum():
            done, touching = again, freed
    labels = _labels(done, touching)
    plants = sum(len(runs(on)) for plan in done.plans for on in (plan.heel_on, plan.toe_on))
    return Pinned(with_labels(done.clip, labels), labels, plants, done.moved, done.missed)


def _pinned(clip: Clip, points: FloatArray, touching: dict[str, BoolArray]) -> bool:
    """Does every contact keep its place already?"""
    spans = ((i, run) for i, part in enumerate(foot_parts(clip.skeleton)) for run in runs(touching[part.label]))
    return all(np.ptp(points[a:b, i], axis=0).max() <= PINNED_WITHIN for i, (a, b) in spans)


@dataclass(frozen=True, eq=False)
class _Attempt:
    clip: Clip
    legs: tuple[Foot, ...]
    plans: list[FootPlan]
    short: FloatArray  # (F, legs) metres that each planted ankle missed
    moved: float

    @property
    def missed(self) -> float:
        return float(self.short.max(initial=0.0))


def _attempt(
    clip: Clip,
    legs: tuple[Foot, ...],
    points: FloatArray,
    posed: tuple[FloatArray, FloatArray],
    touching: dict[str, BoolArray],
    fixed: BoolArray,
    ease: float,
    toe: ToeHold,
    leg: float,
    known: dict[tuple[str, bytes], FootPlan],
) -> _Attempt:
    """Plan all feet, bring the plans within reach, and bend the legs; `known` keeps plans by foot and contacts."""
    places, turns = posed
    width = max(1, round(ease * clip.fps))
    paths = [_path(clip, foot, places, points, touching, fixed) for foot in legs]
    plans = []
    for foot, path in zip(legs, paths, strict=True):
        key = (foot.name, path.heel_on.tobytes() + path.toe_on.tobytes())
        if key not in known:
            known[key] = plan_foot(
                path, clip.fps, ease=ease, farthest=MAX_STRAY * leg, rise=ROLL_OFF * leg, toe_rise=toe.rise * leg,
                toe_speed=toe.speed,
            )  # fmt: skip
        plans.append(known[key])
    plans = _knees_followed(legs, plans, paths, places, np.zeros((len(clip), 3)), clip.fps)
    held = np.asarray(fixed.any(1))
    shifts = [plan.ankle - path.ankle for plan, path in zip(plans, paths, strict=True)]
    shift = hips_shift(legs, shifts, places, held, clip.fps)
    drop = lower_hips(legs, plans, places + shift[:, None], held, width, MAX_HIP_DROP * leg)
    shift[:, 1] -= drop
    plans = _knees_followed(legs, plans, paths, places, shift, clip.fps)
    root = clip.root + shift
    rotations, short, moved = np.array(clip.rotations), np.zeros((len(clip), len(legs))), 0.0
    for i, (foot, plan, path) in enumerate(zip(legs, plans, paths, strict=True)):
        limb = (foot.thigh, foot.shin, foot.ankle)
        still = np.abs(plan.ankle - path.ankle).max(1) < 1e-9
        still &= (path.fixed | (np.abs(plan.turn[:, 1:]).max(1) < 1e-9)) & (shift == 0).all(1)
        wanted = multiply(plan.turn, turns[:, foot.ankle])
        near = places[:, foot.ankle] + shift
        target = near + mobility(foot, places)[:, None] * (plan.ankle - near)
        solved, missed = limb_rotations(
            clip.skeleton, root, rotations, limb, target, orientation=wanted, soft=soft_reach(foot, places),
            posed=(places + shift[:, None], turns),
        )  # fmt: skip
        for joint in limb:
            rotations[~still, joint] = solved[~still, joint]
        missed = missed + np.linalg.norm(plan.ankle - target, axis=1)
        short[:, i] = np.where(~still & (plan.heel_on | plan.toe_on), missed, 0.0)
        moved = max(moved, float(np.linalg.norm(plan.ankle - path.ankle, axis=1).max()))
    return _Attempt(replace(clip, root=root, rotations=rotations), legs, plans, short, moved)


def _knees_followed(
    legs: tuple[Foot, ...],
    plans: list[FootPlan],
    paths: list[FootPath],
    places: FloatArray,
    hips: FloatArray,
    fps: float,
) -> list[FootPlan]:
    """Plans in which heels that are not planted rise or sink so that knees bend as in the source."""
    width = max(1, round(ROLL_TIME * fps))
    return [
        follow_knee(foot, plan, places, hips, path.toe_on, path.fixed, width)
        for foot, plan, path in zip(legs, plans, paths, strict=True)
    ]


def _pops(before: Clip, after: Clip, foot: Foot) -> IntArray:
    """Frames at which the knee of a leg turns too fast (see KNEE_SPEED_LIMIT)."""
    speed, source = (_knee_speed(clip, foot) for clip in (after, before))
    return np.flatnonzero(
        (speed > KNEE_SPEED_LIMIT[0] * source.max() + KNEE_SPEED_LIMIT[1]) & (speed > source + KNEE_SPEED_LIMIT[1])
    )


def _shortened(
    clip: Clip, done: _Attempt, touching: dict[str, BoolArray], pops: list[IntArray], times: int
) -> dict[str, BoolArray]:
    """Contacts without the frames around popping knees, and without those ends of plants near which they pop.

    0.02 s of them, or as many `times` that. From four times on, a pop counts for all feet: the hips may have gone down
    for another one.
    """
    out = {label: np.array(on) for label, on in touching.items()}
    near, step = round(0.1 * clip.fps), times * max(1, round(0.02 * clip.fps))
    for foot, plan, own in zip(done.legs, done.plans, pops, strict=True):
        quick = own if times < 4 else np.concatenate(pops)
        trim = [(q - step, q + step) for q in quick]
        for a, b in runs(plan.heel_on | plan.toe_on):
            late, early = (np.abs(quick - edge).min(initial=near + 1) <= near for edge in (b, a))
            trim += ([(max(b - step, a), b)] if late else []) + ([(a, min(a + step, b))] if early else [])
        for part in (p for p in foot_parts(clip.skeleton) if p.foot.name == foot.name):
            for first, last in trim:
                out[part.label][max(first, 0) : last] = False
    return out


def _knee_speed(clip: Clip, foot: Foot) -> FloatArray:
    q = clip.rotations[:, foot.shin]
    return np.concatenate([[0.0], angle_between(q[1:], q[:-1]) * clip.fps])


def _fixed(clip: Clip, hard: ArrayLike | None) -> BoolArray:
    """(F, J) where nothing may change."""
    shape = (len(clip), len(clip.skeleton))
    if hard is None:
        return np.zeros(shape, bool)
    mask = np.asarray(hard, bool)
    if mask.shape not in (shape, shape[:1]):
        raise BadRequest(f"hard: expected a mask of shape {shape} or {shape[:1]}, found {mask.shape}")
    return np.broadcast_to(mask if mask.ndim == 2 else mask[:, None], shape)


def _path(
    clip: Clip, foot: Foot, places: FloatArray, points: FloatArray, touching: dict[str, BoolArray], fixed: BoolArray
) -> FootPath:
    never = np.zeros(len(clip), bool)
    heel_on, toe_on, toe = never, never, places[:, foot.ankle] + [0.0, 0.0, 1e-3]
    for i, part in enumerate(foot_parts(clip.skeleton)):
        if part.foot.name == foot.name and part.name.endswith("heel"):
            heel_on = touching[part.label]
        elif part.foot.name == foot.name:
            toe_on, toe = touching[part.label], points[:, i]
    held = np.asarray(fixed[:, clip.skeleton.below(foot.thigh)].any(1))
    return FootPath(places[:, foot.ankle], toe, heel_on, toe_on, held)


def _labels(done: _Attempt, touching: dict[str, BoolArray]) -> dict[str, BoolArray]:
    """The contacts that hold now: planned, and reached to a tenth of a millimetre."""
    out = {}
    for part in foot_parts(done.clip.skeleton):
        i = [foot.name for foot in done.legs].index(part.foot.name)
        plan = done.plans[i]
        pinned = plan.heel_on if part.name.endswith("heel") else plan.toe_on
        out[part.label] = touching[part.label] & pinned & (done.short[:, i] < 1e-4)
    return out
