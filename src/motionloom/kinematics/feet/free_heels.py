"""Heels that are freed while their toes stay planted, where pins of both would bend the knee unlike the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.kinematics.feet.contacts import foot_parts, parts_by_foot, runs
from motionloom.kinematics.feet.knees import second_differences
from motionloom.kinematics.feet.plants import FootPlan
from motionloom.kinematics.feet.smoothing import away_from

KNEE_CHANGE = np.radians(3.0)  # a planted heel that changes its knee by more is freed
FREE_TIME = 0.1  # s: around such frames
SUDDEN = 1.1  # times the acceleration of the knee, 99th percentile in a contact: a freed heel may raise it to this
Contacts = Mapping[str, BoolArray]


def knee_excess(source: FloatArray, knees: FloatArray) -> FloatArray:
    """(F, legs) rad: by how much more than `KNEE_CHANGE` the angles of knees differ from those of the source."""
    return np.maximum(np.abs(knees - source) - KNEE_CHANGE, 0.0)


def freed_heels(clip: Clip, plans: Sequence[FootPlan], excess: FloatArray, touching: Contacts) -> dict[str, BoolArray]:
    """Contacts without those of heels around frames with an `excess` at which heel and toe are planted.

    The planted toe is enough there: the heel then rises and sinks over it as the leg asks. A millimetre of the length
    of a straight leg turns its knee by 5 degrees. Short remains of a contact go too; a contact of which something would
    remain without the toe stays. Nothing ({}) where no heel is freed.
    """
    out, near = dict(touching), round(FREE_TIME * clip.fps)
    for leg, label in _heels(clip):
        plan, on = plans[leg], touching[label]
        wrong = np.flatnonzero((excess[:, leg] > 0) & plan.heel_on & plan.toe_on)
        kept = on & (away_from(wrong, len(on), near) >= 1)
        for a, b in runs(on):
            rest = [(a + c, a + d) for c, d in runs(kept[a:b])]
            long = [(c, d) for c, d in rest if d - c > 2 * near or d - c == b - a]
            kept[a:b] = on[a:b] if any(not plan.toe_on[c:d].any() for c, d in long) else False
            for c, d in long:
                kept[c:d] = True
        out[label] = kept
    return out if any((out[label] != on).any() for label, on in touching.items()) else {}


def where_better(
    source: Clip, touching: Contacts, freed: Contacts, knees: tuple[FloatArray, FloatArray, FloatArray]
) -> dict[str, BoolArray]:
    """The heels freed in those contacts during which that lowers the excess of the knee and lets it not tremble.

    `knees` (F, legs) are their angles in the source, with these heels pinned, and with all of them free.
    """
    out, near = dict(freed), round(FREE_TIME * source.fps)
    pinned, free = (knee_excess(knees[0], angles) for angles in knees[1:])
    given, before, found = (second_differences(angles, source.fps) for angles in knees)
    usual = np.maximum(given, before)
    for leg, label in _heels(source):
        out[label] = freed[label].copy()
        for a, b in runs(touching[label]):
            if freed[label][a:b].all():
                continue
            around = slice(max(0, a - near), b + near)
            steady = np.quantile(found[around, leg], 0.99) <= SUDDEN * np.quantile(usual[around, leg], 0.99)
            if not steady or free[a:b, leg].sum() >= pinned[a:b, leg].sum():
                out[label][a:b] = True
    return out


def _heels(clip: Clip) -> list[tuple[int, str]]:
    """Each leg that has a heel, and the label of its contacts."""
    parts, legs = foot_parts(clip.skeleton), enumerate(own for _, own in parts_by_foot(clip.skeleton))
    return [(leg, parts[own[0]].label) for leg, own in legs if own and parts[own[0]].name.endswith("heel")]
