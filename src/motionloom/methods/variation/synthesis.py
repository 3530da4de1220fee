"""From a plan to degrees of freedom: what kernels are given, and what they return."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from motionloom.constraints import Constraint, Plant, PositionAt
from motionloom.core import BadRequest, BoolArray, FloatArray, IntArray, Progress, Skeleton
from motionloom.core.progress import watch
from motionloom.kinematics.body.roles import group
from motionloom.kinematics.feet.contacts import runs
from motionloom.methods.variation.body import Limb, VariationBody, body_tables, foot_limbs, legs_of, limb_of
from motionloom.methods.variation.dofs import Dofs
from motionloom.methods.variation.learn_prior import PriorData
from motionloom.methods.variation.networks import Networks
from motionloom.methods.variation.regression import Rules, SequenceFrames
from motionloom.methods.variation.takes import Takes

STAGE = "synthesizing"
STEEPEST = 1.5  # largest slope of a smoothstep
FASTER = 0.5  # of the largest speed of a limb, which moving to a target may add to it
SLOWEST = 1.0  # m/s: limbs that rest count as this fast
Limits = tuple[FloatArray, FloatArray]


class Tasks(NamedTuple):
    """K limbs that are put somewhere from frame `first` to `last` (excluded).

    Kernels write to `target`, `miss` and `begun`.
    """

    limb: IntArray  # (K,) number in the body's limbs
    first: IntArray
    last: IntArray
    ease: IntArray  # (K,) frames before `first` over which the limb comes to its target
    level: BoolArray  # (K,) is the target on the ground alone, and the height that of `free`?
    ahead: BoolArray  # (K,) is the limb drawn to go on as it did (eq 7)? Else to the sample, whose corrections fade
    target: FloatArray  # (K, 3) m, NaN: where the limb is at `first`
    miss: FloatArray  # (K,) m: largest distance from it
    begun: FloatArray  # (K, 2, 3) m: how far a foot is from `free` when its easing begins, and the change per frame
    away: FloatArray  # (K, 3) m: target from where the limb is at `first` without it, see `eased`
    free: FloatArray  # (F, P, 3) m: places of foot parts before they are held
    longest: FloatArray  # (P,) m: largest distance of each foot part from its hip in any take


class Motion(NamedTuple):
    """What kernels write: F frames, S sources, P foot parts."""

    values: FloatArray  # (F, D)
    frames: FloatArray  # (F, S) frame of each source
    weights: FloatArray  # (F, S)
    contacts: BoolArray  # (F, P)

    def cut(self, frames: int) -> Motion:
        """The first frames of it."""
        parts: list[Any] = [part[:frames] for part in self]
        return Motion(*parts)


class Unrolling(NamedTuple):
    """What the networks are unrolled with (LAU 6)."""

    prior: PriorData
    prior_rules: Rules
    material: SequenceFrames
    rules: Rules
    networks: Networks
    left: FloatArray  # (T,) frames from each frame to the end of its sequence
    contacts: BoolArray  # (T, P)


class SynthesisRun(NamedTuple):
    """One synthesis, as a plan decides it."""

    seed: int
    frames: int
    endless: bool  # it continues until `frames`; else it may end before
    slower: float  # times as long as by its own clock
    steering: FloatArray  # (F, 2) scale of displacements; what is added to turns per frame
    start: tuple[float, float, float]  # x, z, heading
    lift: float = 0.0  # m: the hips are raised by at first
    follow: bool = False  # do the hips follow feet that stand?


def amounts_of(whole: float, parts: Sequence[str], dofs: Dofs) -> FloatArray:
    """(D + 1,) the amount of variation of each degree of freedom, and of timing; `parts` as in `Options`."""
    out = np.full(dofs.count + 1, whole)
    seen: set[str] = set()
    for text in parts:
        name, sign, number = text.partition("=")
        if name.strip() in seen:
            raise BadRequest(f"parts: expected one amount for {name.strip()}, found two")
        seen.add(name.strip())
        try:
            amount = float(number)
        except ValueError:
            amount = np.nan
        if not sign or not 0 <= amount <= 4:
            raise BadRequest(f"parts: expected a body part and an amount from 0 to 4, as left_arm=0.5, found {text!r}")
        out[:-1][np.isin(dofs.joints, _joints(dofs.layout.skeleton, name))] = amount
    return out


def _joints(skeleton: Skeleton, name: str) -> list[int]:
    try:
        return group(skeleton, name.strip())
    except Exception as error:
        raise BadRequest(f"parts: {error}") from None


def requested_tasks(
    constraints: Sequence[Constraint], dofs: Dofs, limits: Limits, frames: int, fps: float, ease: float
) -> tuple[VariationBody, Tasks, list[PositionAt | Plant]]:
    """The body with its feet and the limbs that hard constraints are about, the tasks, and the constraint of each."""
    limbs: list[Limb] = foot_limbs(dofs.layout.skeleton)
    rows: list[tuple[int, int, tuple[float, ...], PositionAt | Plant]] = []
    for c in constraints:
        if c.hard and isinstance(c, PositionAt):
            first = c.frame(frames, fps)
            rows.append((first, first + 1, tuple(map(float, c.target)), c))
        elif c.hard and isinstance(c, Plant):
            span = c.frames(frames, fps)
            rows.append((span.start, span.stop, tuple(map(float, c.target or (np.nan,) * 3)), c))
    rows.sort(key=lambda row: row[0])
    skeleton, feet = dofs.layout.skeleton, len(limbs)
    limbs += [limb_of(skeleton, skeleton.joint(c.joint)) for *_, c in rows]
    plain = [(feet + k, first, last, round(ease * fps), target) for k, (first, last, target, _) in enumerate(rows)]
    return body_tables(dofs, limbs, limits), _tasks(plain), [c for *_, c in rows]


def eased(tasks: Tasks, places: FloatArray, chains: IntArray, fps: float) -> Tasks:
    """The tasks with easings so long that limbs are hardly faster than without them, where there is time.

    `places` (F, K, 3) are those of the limbs without the tasks, `chains` (K,) tells which of them share joints: a limb
    leaves one target before it comes to the next.
    """
    ease, off = tasks.ease.copy(), np.zeros(tasks.target.shape)
    for k, (first, target) in enumerate(zip(tasks.first, tasks.target, strict=True)):
        if np.isfinite(target).all():
            off[k] = target - places[min(first, len(places) - 1), k]
            away = np.linalg.norm(off[k])
            usual = max(np.linalg.norm(np.diff(places[:, k], axis=0), axis=1).max(initial=0.0), SLOWEST / fps)
            ease[k] = max(ease[k], min(math.ceil(STEEPEST * away / (FASTER * usual)) - 1, first))
        earlier = tasks.last[:k][(chains[:k] == chains[k]) & (tasks.last[:k] <= first)]
        ease[k] = min(ease[k], first - earlier.max(initial=first - ease[k]))
    return tasks._replace(ease=ease, away=off)


def with_standing_feet(
    tasks: Tasks, body: VariationBody, contacts: BoolArray, places: FloatArray, longest: FloatArray, ease: int,
    *, ahead: bool,
) -> Tasks:  # fmt: skip
    """The tasks, and one for each time that a foot part stands: contacts (F, P), at places (F, P, 3).

    A heel stays over its mean place while it stands; a toe, while its heel is up, over its place then, as does a heel
    whose toe stood before. Heights stay as they are: to change that of a foot by a centimetre, a leg that is nearly
    straight bends its knee by 20 degrees.
    Where a requested task moves the same leg, the foot is left to it.
    """
    legs = legs_of(body)
    rows: list[tuple[int, int, int, int, tuple[float, ...]]] = []
    for p in range(contacts.shape[1]):
        same = [q for q in range(contacts.shape[1]) if legs[q] == legs[p]]
        on = contacts[:, p] & ~contacts[:, [q for q in same if q < p]].any(1)
        for a, b in runs(on):
            known = a > 0 and contacts[a - 1, same].any()
            target = (np.nan,) * 3 if known else tuple(places[a:b, p].mean(0).tolist())
            taken = [
                legs[limb] == legs[p] and first - late - ease < b and a - ease < last + ease
                for limb, first, last, late in zip(tasks.limb, tasks.first, tasks.last, tasks.ease, strict=True)
            ]
            if not any(taken):
                rows.append((p, a, b, 0 if known else ease, target))
    both = _tasks(rows, level=True, ahead=ahead)
    joined: list[Any] = [np.concatenate(pair) for pair in zip(tasks[:-2], both[:-2], strict=True)]
    return Tasks(*[*joined, np.ascontiguousarray(places), longest])


def _tasks(
    rows: Sequence[tuple[int, int, int, int, tuple[float, ...]]], *, level: bool = False, ahead: bool = True
) -> Tasks:
    numbers = np.array([row[:4] for row in rows], np.int64).reshape(-1, 4)
    limb, first, last, ease = (np.ascontiguousarray(numbers[:, k]) for k in range(4))
    targets = np.array([row[4] for row in rows], float).reshape(-1, 3)
    count, free = len(rows), np.zeros((0, 0, 3))
    written = np.zeros(count), np.zeros((count, 2, 3)), np.zeros((count, 3))
    kinds = np.full(count, level), np.full(count, ahead)
    return Tasks(limb, first, last, ease, *kinds, targets, *written, free, np.zeros(0))


def mix(
    takes: Takes, body: VariationBody, run: SynthesisRun, tasks: Tasks, amounts: FloatArray, fps: float,
    progress: Progress,
) -> Motion:  # fmt: skip
    """A variant as a mixture of takes; `tasks.target` and `tasks.miss` are written to."""
    from motionloom.methods.variation._kernels_mix import variant

    made = _empty(run.frames, takes.values.shape[2], takes.values.shape[0], takes.contacts.shape[2])
    length = watch(
        progress, STAGE, variant, takes, body, np.int64(run.seed), fps, amounts, run.slower, run.endless, run.follow,
        run.steering, np.array(run.start, float), tasks, run.lift, made, progress.stop,
    )  # fmt: skip
    return made.cut(length)


def unrolled(
    networks: Unrolling, body: VariationBody, run: SynthesisRun, tasks: Tasks, amounts: FloatArray, fps: float,
    progress: Progress,
) -> Motion:  # fmt: skip
    """A variant as a sample of the networks; `tasks.target` and `tasks.miss` are written to."""
    from motionloom.methods.variation._kernels_unroll import unroll

    prior, prior_rules, material, rules, edges, left, contacts = networks
    made = _empty(run.frames, len(material.values), material.sequences, contacts.shape[1])
    length = watch(
        progress, STAGE, unroll, prior, edges.prior_lists, prior_rules, material, edges.transition_lists, rules, left,
        contacts, body, np.int64(run.seed), amounts, run.endless, run.steering, np.array(run.start, float), tasks,
        run.lift, made, progress.stop,
    )  # fmt: skip
    return made.cut(length)


def _empty(frames: int, degrees: int, sources: int, parts: int) -> Motion:
    return Motion(
        np.zeros((frames, degrees)),
        np.zeros((frames, sources)),
        np.zeros((frames, sources)),
        np.zeros((frames, parts), bool),
    )
