"""The table of quality measures: names, units, meanings, and the functions that compute them.

Measures that share intermediate results form a family: one function returns a number for each of them, or the reason
why there is none. A new measure is a function in the file of its subject and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from motionloom.core import Progress, silent
from motionloom.core.progress import parts
from motionloom.evaluate.measures import floor, physics, smoothness, statistics
from motionloom.evaluate.measures.coverage_diversity import loose_run, window_distance, window_scores
from motionloom.evaluate.measures.prepared_clip import (
    FPS,
    NotApplicable,
    Take,
    feature_joints,
    heights,
    upright_rotations,
)
from motionloom.evaluate.measures.verbatim import original_joins, verbatim_run
from motionloom.evaluate.reference import Reference
from motionloom.kinematics import pace
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.channels.centred import centred_angles
from motionloom.kinematics.feet.contacts import contacts
from motionloom.kinematics.feet.knees import knee_acceleration
from motionloom.kinematics.feet.skate_measures import measure_skate, planted_speed
from motionloom.kinematics.mass import NoMass, centre_of_mass

Numbers = Mapping[str, float | str]
"""Measure name to its number, or to the reason why there is none."""


class QualityMeasure(NamedTuple):
    """One measure: its unit, its meaning, and how the values of several source clips are combined."""

    unit: str
    meaning: str  # in one line
    better: str  # "low", "high", "source" (near the source's value), or "" (neither)
    pool: str = "mean"  # how values of several source clips become one: "mean" (by length) or "max"
    near_zero: float = 0.0  # a source value up to this is compared by difference, not by ratio


QUALITY_MEASURES: Mapping[str, QualityMeasure] = {
    "skate": QualityMeasure(
        "cm/s", "speed of planted heels and toes (contacts of the clip, or found)", "low", near_zero=1.0
    ),
    "skate (b)": QualityMeasure("cm/s", "toes' speed weighted by how low they are", "low", near_zero=1.0),
    "skate (a)": QualityMeasure("%", "frames with a toe below 5 cm and faster than 0.5 m/s", "low"),
    "skate (c)": QualityMeasure(
        "cm/s", "feet's speed in contacts found by height and vertical speed", "low", near_zero=1.0
    ),
    "deepest penetration": QualityMeasure("cm", "deepest foot joint below the floor", "low", "max", near_zero=0.05),
    "mean penetration": QualityMeasure("cm", "mean depth of foot joints below the floor", "low", near_zero=0.05),
    "floating": QualityMeasure("cm", "mean height of foot joints during contacts", "low", near_zero=0.05),
    "peak acceleration": QualityMeasure(
        "m/s^2", "largest RMS over joints of root-relative acceleration", "source", "max"
    ),
    "jump": QualityMeasure(
        "deg", "largest turn of a joint in a frame; up to 1.2 of the source's is good", "low", "max"
    ),
    "flips": QualityMeasure("", "frames in which the heading changes by over 90 deg", "low", "max"),
    "knee acceleration": QualityMeasure(
        "deg/s^2", "of the knees' angles, 99th percentile; up to 1.1 of the source's is good", "source"
    ),
    "jerk": QualityMeasure("m/s^3", "mean third derivative of joint positions", "source"),
    "rough frames": QualityMeasure(
        "%", "joint frames with jerk above the source's 95th percentile (5 is equal)", "low"
    ),
    "coverage": QualityMeasure(
        "%", "30-frame source windows that occur in the result; its shuffled frames would have 5", "high"
    ),
    "published coverage": QualityMeasure("%", "the same by the published threshold, a mean cost below 2", "high"),
    "global diversity": QualityMeasure(
        "", "cost per frame of the result built from source pieces of 30 frames or more", ""
    ),
    "local diversity": QualityMeasure(
        "", "cost per frame of the best source window for each 15-frame result window", ""
    ),
    "verbatim run": QualityMeasure("s", "longest run equal to the source, joints within 0.5 deg", ""),
    "verbatim upper": QualityMeasure("s", "the same without the legs, which foot cleaning turns", ""),
    "loose run": QualityMeasure("s", "longest run as near to a source clip as takes are to each other", ""),
    "window distance": QualityMeasure(
        "", "cost per frame of the best source window for each 1-s result window; as between takes is good", "source"
    ),
    "original joins": QualityMeasure("%", "joins after which the result continues as its source did", "low"),
    "correlation error": QualityMeasure("", "RMS difference of the correlations between channels", "low"),
    "range violations": QualityMeasure("%", "joint frames over 5 deg beyond the source's range", "low", near_zero=0.1),
    "worst violation": QualityMeasure("deg", "largest angle of a joint beyond the source's range", "low", "max"),
    "spectrum distance": QualityMeasure("Hz", "earth-mover distance between power spectra", "low"),
    "speed changes": QualityMeasure(
        "per min", "changes of the speed over the ground by over 0.4 m/s within a second", "source", near_zero=2.0
    ),
    "root acceleration": QualityMeasure(
        "m/s^2", "largest acceleration of the hips over the ground, over 0.2 s", "source", "max"
    ),
    "standing": QualityMeasure("%", "frames with a pace below 0.2 m/s", "source", near_zero=2.0),
    "off balance": QualityMeasure(
        "cm", "mean distance of the centre of mass from its support while standing still", "low", near_zero=0.5
    ),
    "gravity error": QualityMeasure("m/s^2", "fall of the centre of mass in flight against 9.81", "low", near_zero=0.5),
}


def _skate(result: Take, source: Reference, progress: Progress) -> Numbers:
    if len(result) < 2:
        raise NotApplicable("a single frame has no speed")
    result.require_feet()
    a, b, c = measure_skate(result.original, ground=result.ground)
    hint = ""
    if result.ground is not None:
        lowest = 100 * float(heights(result.feet[0], result.ground).min())
        hint = f": the lowest foot joint is {lowest:.0f} cm above the given ground (joints lie inside the foot)"
    return {
        "skate": f"no toe is ever near the floor{hint}" if b is None else _planted(result, c),
        "skate (b)": f"no toe is ever near the floor{hint}" if b is None else b,
        "skate (a)": "a single frame at 20 fps has no speed" if a is None else 100 * a,
        "skate (c)": f"no toe is ever low and level{hint}" if c is None else c,
    }


def _planted(result: Take, level: float | None) -> float | str:
    """Speed of heels and toes in contacts, cm/s; of low and `level` toes where there is no contact at all."""
    touching = contacts(result.original, ground=result.ground)
    if np.any(list(touching.values())):
        return planted_speed(result.original, touching)
    return "no foot is ever planted" if level is None else level


def _floor(result: Take, source: Reference, progress: Progress) -> Numbers:
    points, touching = result.feet
    deep = floor.penetration(points, result.ground)
    out: dict[str, float | str] = {"deepest penetration": 100 * deep.deepest, "mean penetration": 100 * deep.mean}
    out["floating"] = _or_reason(lambda: 100 * floor.floating(points, touching, result.ground))
    return out


def _smooth(result: Take, source: Reference, progress: Progress) -> Numbers:
    return {
        "peak acceleration": _or_reason(lambda: smoothness.peak_acceleration(result.points, FPS)),
        "jump": _or_reason(
            lambda: float(np.degrees(smoothness.largest_jump(result.clip, feature_joints(result.skeleton))[0]))
        ),
        "flips": float(len(smoothness.flips(result.clip))),
        "knee acceleration": _or_reason(lambda: knee_quantile([result])),
        "jerk": _or_reason(lambda: smoothness.mean_jerk(result.points, FPS)),
    }


def knee_quantile(takes: Sequence[Take]) -> float:
    """deg/s^2: 99th percentile of the knees' acceleration over the frames of all takes."""
    found = np.concatenate([knee_acceleration(take.clip, take.points).ravel() for take in takes])
    if not found.size:
        raise NotApplicable("no legs, or fewer than three frames")
    return float(np.degrees(np.quantile(found, 0.99)))


def _rough(result: Take, source: Reference, progress: Progress) -> Numbers:
    source.require_same_body(result)
    share = smoothness.rough_share(result.points, [t.points for t in source.takes], FPS)
    return {"rough frames": 100 * float(share.mean())}


def _windows(result: Take, source: Reference, progress: Progress) -> Numbers:
    source.require_same_body(result)
    found = window_scores(result.features, source.features, progress=progress)
    whole = found.global_diversity
    return {
        "coverage": 100 * found.covered(source.chance_cost()),
        "published coverage": 100 * found.coverage,
        "global diversity": "the result cannot be divided into pieces of source clips" if whole is None else whole,
        "local diversity": found.local_diversity,
    }


def _loose(result: Take, source: Reference, progress: Progress) -> Numbers:
    source.require_same_body(result)
    first, second, rest = parts(progress, [1, 1, 2])
    far = window_distance(result.features, source.features, progress=first)
    run = _or_reason(lambda: loose_run(result.features, source.features, source.take_distance(second)) / FPS)
    rest(1.0, "searching for loose copies")
    return {"loose run": run, "window distance": far, "original joins": _or_reason(lambda: _original(result))}


def _original(result: Take) -> float:
    origin = result.original.origin
    joins = original_joins(origin, result.original.fps)
    if not len(joins):
        unknown = "the clip does not state which frames of its sources it is made of"
        raise NotApplicable("the clip has no joins" if origin.known else unknown)
    return 100 * float(joins.mean())


def _verbatim(result: Take, source: Reference, progress: Progress) -> Numbers:
    source.require_same_body(result)
    sources = [t.original for t in source.takes]
    legs = {j for foot in feet(result.skeleton) for j in result.skeleton.below(foot.thigh)}
    upper: float | str = "this body has no legs to leave out"
    own, other = parts(progress, [1, 1])
    if legs:
        upper = verbatim_run(result.original, sources, without=legs, progress=own).length / result.original.fps
    whole = verbatim_run(result.original, sources, progress=other)
    return {"verbatim run": whole.length / result.original.fps, "verbatim upper": upper}


def _statistics(result: Take, source: Reference, progress: Progress) -> Numbers:
    source.require_same_body(result)
    mine = centred_angles(upright_rotations(result.clip), source.centre)
    flat, theirs = mine.reshape(len(mine), -1), [c.reshape(len(c), -1) for c in source.channels]
    return {
        "correlation error": _or_reason(lambda: statistics.correlation_error(flat, np.concatenate(theirs))),
        "spectrum distance": _or_reason(lambda: statistics.spectrum_distance(flat, theirs, FPS)),
    }


def _ranges(result: Take, source: Reference, progress: Progress) -> Numbers:
    source.require_same_body(result)
    mine = centred_angles(upright_rotations(result.clip), source.centre)
    beyond = statistics.range_violations(mine, np.concatenate(source.sound_channels))
    return {"range violations": 100 * beyond.share, "worst violation": float(np.degrees(beyond.worst))}


def _physics(result: Take, source: Reference, progress: Progress) -> Numbers:
    try:
        centre = centre_of_mass(result.skeleton, result.points)
    except NoMass as error:
        raise NotApplicable(str(error)) from None
    points, touching = result.feet
    leg, hands = leg_length(result.skeleton), [result.skeleton.joint(f"{side}_hand") for side in ("left", "right")]
    air = physics.in_the_air(points, result.points[:, hands], centre, leg, result.ground)
    air &= np.logical_not(touching.any(axis=1))  # a foot may stand higher up, on a stair
    return {
        "off balance": _or_reason(
            lambda: 100 * float(physics.outside_support(centre, points, touching, FPS, leg=leg).mean())
        ),
        "gravity error": _or_reason(lambda: physics.gravity_error(physics.flights(centre[:, 1], air, FPS))),
    }


def _pace(result: Take, source: Reference, progress: Progress) -> Numbers:
    clip = result.clip
    if len(clip) <= 2 * FPS:
        raise NotApplicable("a clip of two seconds or less has no pace")
    return {
        "speed changes": pace.change_rate([clip.root[:, [0, 2]]], FPS),
        "root acceleration": float(pace.root_acceleration(clip).max()),
        "standing": 100 * float(pace.standing(clip).mean()),
    }


def _or_reason(compute: Callable[[], float]) -> float | str:
    try:
        return compute()
    except NotApplicable as error:
        return str(error)


class Effort(NamedTuple):
    """Estimated time of a family, in microseconds, measured on captured clips of 31 joints (frames at 30 fps)."""

    per_frame: float  # of the result
    per_source_frame: float = 0.0
    per_pair: float = 0.0  # for each frame of the result and each frame of the source


class Family(NamedTuple):
    """Measures that are computed together."""

    names: tuple[str, ...]
    compute: Callable[[Take, Reference, Progress], Numbers]
    compares: bool  # with the source: the source's own value is then that of held-out takes against the others
    effort: Effort
    sound: bool = False  # the source's own value leaves out frames that `motionloom check` reports as broken
    over_takes: Mapping[str, Callable[[Sequence[Take]], float]] = MappingProxyType({})  # of all frames of the source

    def work(self, frames: int, source_frames: int) -> float:
        """Estimated units of work for a result and a source of so many frames at 30 fps."""
        effort = self.effort
        each = effort.per_frame + effort.per_pair * source_frames
        return each * frames + effort.per_source_frame * source_frames


FAMILIES: tuple[Family, ...] = (
    Family(("skate", "skate (b)", "skate (a)", "skate (c)"), _skate, False, Effort(25), sound=True),
    Family(("deepest penetration", "mean penetration", "floating"), _floor, False, Effort(12), sound=True),
    Family(
        ("peak acceleration", "jump", "flips", "knee acceleration", "jerk"),
        _smooth,
        False,
        Effort(6),
        sound=True,
        over_takes={"knee acceleration": knee_quantile},
    ),
    Family(("rough frames",), _rough, True, Effort(1, 2)),
    Family(
        ("coverage", "published coverage", "global diversity", "local diversity"), _windows, True, Effort(0, 1, 0.015)
    ),
    Family(("verbatim run", "verbatim upper"), _verbatim, True, Effort(20, 50)),
    Family(("loose run", "window distance", "original joins"), _loose, True, Effort(0, 1, 0.035)),
    Family(("correlation error", "spectrum distance"), _statistics, True, Effort(15, 1)),
    Family(("range violations", "worst violation"), _ranges, True, Effort(6, 1), sound=True),
    Family(("speed changes", "root acceleration", "standing"), _pace, False, Effort(4), sound=True),
    Family(("off balance", "gravity error"), _physics, False, Effort(18), sound=True),
)


def evaluation_work(frames: int, source_frames: int) -> float:
    """Estimated units of work of all measures together."""
    return sum(family.work(frames, source_frames) for family in FAMILIES)


def numbers(family: Family, result: Take, source: Reference, progress: Progress | None = None) -> Numbers:
    """The family's values, or for each of them the reason why there is none."""
    report = progress or silent()
    stage = f"measuring {family.names[0]}"
    report(0.0, stage)
    try:
        found = family.compute(result, source, report)
    except NotApplicable as error:
        found = dict.fromkeys(family.names, str(error))
    report(1.0, stage)
    return found
