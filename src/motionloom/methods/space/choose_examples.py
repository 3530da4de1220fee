"""Choose the examples of a space among cuts: those that repeat, fit the others, and differ in their parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.blend.registered_clips import Registered, register_rows
from motionloom.blend.registration import alignment_costs, contact_events, inner_keys, registered_curve, together
from motionloom.constraints import MotionParameter
from motionloom.core import BadRequest, FloatArray, Note, Progress, Skeleton
from motionloom.core.note import info, warning
from motionloom.kinematics.body.roles import fingers
from motionloom.methods.space.cutting import ExampleCut, other_sides
from motionloom.methods.space.measure import measure_clip

OUTLIER = 3.0  # times the median cost: an example that is farther from the reference is left out
TWIST, TWISTED_ROWS = 150.0, 0.03  # deg and share of the time: a joint turned so far cannot be averaged
SAME_STEPS = 0.6  # of the examples: where so many have the same steps, the others are left out
FLAT = 0.02  # least singular value of the parameters, of the largest: below it they depend on each other
SEAM = (1.5, 0.03)  # times the median, and m: a cycle whose ends are farther apart does not repeat
SWERVE = np.radians(20)  # more than the median: a cycle that turns so much more in one half does not repeat
GROWS = 1.25  # times: other sides of cycles are used where a range grows by so much
EQUAL = 1e-3  # of the range: examples whose parameters differ by less are equal


class Gathered(NamedTuple):
    """Registered examples: those of the cuts that fit together."""

    rows: Registered
    cuts: tuple[ExampleCut, ...]
    values: FloatArray  # (K, D) parameters
    cost: FloatArray  # (K,) m, from the reference
    rule: str  # of the registration
    keys: list[FloatArray] | None  # seconds, of a registration by key times
    notes: tuple[Note, ...]


def gather(
    cuts: Sequence[ExampleCut],
    parameters: Sequence[MotionParameter],
    *,
    cyclic: bool,
    registration: str,
    most_cost: float,
    merge: float,
    margin: float,
    progress: Progress,
    values: FloatArray | None = None,
    keys: Sequence[FloatArray] | None = None,
    smooth: bool = True,
) -> Gathered:
    """The cuts registered in time, without those that do not fit.

    `values` (cuts, D) are given where they are not measured, and so may `keys` be, seconds for each cut. Without
    `smooth`, time runs evenly between key times (GUAN eq 2.6).
    """
    progress(0.0, "measuring examples")
    if values is None:
        values = np.stack([measure_clip(cut.played, parameters) for cut in cuts])
    check_enough(cuts, values, parameters)
    kept = [k for k, cut in enumerate(cuts) if cut.regular]
    notes: list[Note] = []
    if len(kept) < len(cuts):
        others = _listed([cut.name for cut in cuts if not cut.regular])
        notes.append(warning(f"cycles that last much longer or shorter than the others, left out: {others}"))
    steady = steady_cycles(cuts)
    if cyclic and len(steady) < len(kept):
        if len(steady) > values.shape[1]:
            others = _listed([cuts[k].name for k in kept if k not in steady])
            notes.append(warning(f"cycles that change between their ends and cannot repeat, left out: {others}"))
            kept = steady
        else:
            notes.append(
                warning("most cycles change between their ends; `repeat: no` plays them once instead of bending them")
            )
    if merge > 0:
        apart, merged = without_near_equals([cuts[k] for k in kept], values[kept], merge)
        kept = [kept[k] for k in apart]
        if merged:
            notes += info(f"{merged} of {len(cuts)} cuts have nearly the parameters of others, left out")
    if keys is not None:
        timing = Registration("key-times", list(range(len(kept))), [np.asarray(keys[k], float) for k in kept])
    else:
        timing = choose_registration([cuts[k] for k in kept], registration)
    kept, notes = [kept[k] for k in timing.kept], [*notes, *timing.notes]
    reference = _middle_one(values[kept])
    chosen = [cuts[k] for k in kept]
    rows = _registered(chosen, timing, reference, cyclic, margin, smooth, progress)
    times = timing.keys
    cost = _costs(rows, chosen, reference)
    twisted = _twisted(rows, reference, chosen[0].clip.skeleton)
    bad = {
        k: f"{100 * cost[k]:.1f} cm from the reference{twisted.get(k, '')}"
        for k in {*_outliers(cost, most_cost, reference), *twisted}
    }
    if bad:
        notes += [warning(f"{chosen[k].name} is unlike the others, left out: {why}") for k, why in sorted(bad.items())]
        good = [i for i in range(len(chosen)) if i not in bad]
        if len(good) <= values.shape[1]:
            listed = ", ".join(f"{chosen[k].name} {why}" for k, why in sorted(bad.items()))
            raise BadRequest(
                f"the clips are too dissimilar to be blended; from {chosen[reference].name} are: {listed} "
                f"(the limit is {100 * most_cost:g} cm)"
            )
        rows, chosen, kept, cost = rows.only(good), [chosen[i] for i in good], [kept[i] for i in good], cost[good]
        times = None if times is None else [times[i] for i in good]
    values = values[kept]
    notes += [] if cyclic else shortened_margins(chosen, margin)
    check_enough(chosen, values, parameters)
    check_independent(chosen, values, parameters)
    return Gathered(rows, tuple(chosen), values, cost, timing.rule, times, tuple(notes))


def _listed(names: Sequence[str]) -> str:
    """The first three names, and how many more there are."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def shortened_margins(cuts: Sequence[ExampleCut], margin: float) -> list[Note]:
    """A note about examples whose clip ends before the margin does: transitions there have less time."""
    short = []
    for cut in cuts:
        fps = cut.clip.fps
        if min(cut.before, cut.after) < round(margin * fps):
            short.append(f"{cut.name} ({cut.before / fps:.2f} s before, {cut.after / fps:.2f} s after)")
    return list(info(f"margins shorter than {margin:g} s, as the clips end there: {_listed(short)}")) if short else []


class Registration(NamedTuple):
    """How cuts are registered in time."""

    rule: str
    kept: list[int]  # of the cuts, those that it can be applied to
    keys: list[FloatArray] | None  # seconds, for each of them
    notes: tuple[Note, ...] = ()


def choose_registration(cuts: Sequence[ExampleCut], rule: str) -> Registration:
    """The rule and the cuts that it can be applied to: for key times, those with the most common steps.

    Keys are the moments at which feet come down and leave the ground; where their order differs (slow walks and fast
    ones), only those at which feet come down.
    """
    everything = list(range(len(cuts)))
    if rule not in ("auto", "key-times"):
        return Registration(rule, everything, None)
    events = [together(contact_events(cut.played)) for cut in cuts]
    landings = [[event for event in own if event.name.endswith("down")] for own in events]
    found = [Counter(tuple(e.name for e in own) for own in some).most_common(1)[0] for some in (events, landings)]
    by = 1 if found[1][1] > found[0][1] and found[1][0] else 0
    (common, times), chosen = found[by], (events, landings)[by]
    if len(common) < 2 - by or times < SAME_STEPS * len(cuts):
        if rule == "key-times":
            raise BadRequest(
                f"key times: only {times} of {len(cuts)} examples have the same steps ({', '.join(common) or 'none'}); "
                "`registration: time-warp` needs none"
            )
        return Registration("time-warp", everything, None)
    kept = [k for k in everything if tuple(e.name for e in chosen[k]) == common]
    others = [cuts[k].name for k in everything if k not in kept]
    note = (warning(f"other steps than most ({', '.join(common)}), left out: {', '.join(others)}"),) if others else ()
    keys = inner_keys([np.array([e.seconds for e in chosen[k]]) for k in kept], [cuts[k].played for k in kept])
    return Registration("key-times", kept, keys, note)


def steady_cycles(cuts: Sequence[ExampleCut]) -> list[int]:
    """The regular cycles that continue as they began: their ends are near, and both halves turn alike.

    The hips turn to and fro in every step; what is usual for these cycles is not counted.
    """
    regular = np.array([k for k, cut in enumerate(cuts) if cut.regular])
    seams, swerves = np.array([[cuts[k].seam, cuts[k].swerve] for k in regular]).T
    near = seams <= max(SEAM[0] * float(np.median(seams)), SEAM[1])
    return [int(k) for k in regular[near & (np.abs(swerves - np.median(swerves)) <= SWERVE)]]


def stand_ins(cuts: Sequence[ExampleCut], parameters: Sequence[MotionParameter]) -> list[ExampleCut]:
    """Other sides of the cycles that repeat, for those that do not: of jogs into right turns, mirrored left turns.

    They lie beyond the parameters of the cycles that repeat, and within those of all cycles.
    """
    cuts = [cut for cut in cuts if cut.regular]
    steady = steady_cycles(cuts)
    others = other_sides([cuts[k] for k in steady]) if len(steady) < len(cuts) else []
    if not others:
        return []
    every, found = (np.stack([measure_clip(cut.played, parameters) for cut in some]) for some in (cuts, others))
    low, high = every[steady].min(0), every[steady].max(0)
    shown = ((found >= every.min(0)) & (found <= every.max(0))).all(1)
    used = np.flatnonzero(shown & ((found < low) | (found > high)).any(1))
    extent = np.ptp(np.concatenate([every[steady], found[used]]), axis=0)
    return [others[k] for k in used] if (extent > GROWS * (high - low)).any() else []


def without_near_equals(cuts: Sequence[ExampleCut], values: FloatArray, merge: float) -> tuple[list[int], int]:
    """The cuts of which none is within `merge` of the range of another: of two, the one that was closed more easily.

    Of those alike, the one of a more usual duration.
    """
    scaled = values / np.maximum(np.ptp(values, axis=0), 1e-9)
    lengths = np.array([len(cut.clip) for cut in cuts], float)
    order = np.lexsort((np.abs(lengths - np.median(lengths)), [cut.seam for cut in cuts]))
    kept: list[int] = []
    ends = {int(i) for d in range(values.shape[1]) for i in (values[:, d].argmin(), values[:, d].argmax())}
    for k in [*sorted(ends), *order]:
        if all(np.linalg.norm(scaled[k] - scaled[j]) >= merge for j in kept):
            kept.append(int(k))
    return sorted(kept), len(cuts) - len(kept)


def _middle_one(values: FloatArray) -> int:
    """The example nearest to the mean of all parameters."""
    scale = np.maximum(np.ptp(values, axis=0), 1e-9)
    return int((((values - values.mean(0)) / scale) ** 2).sum(1).argmin())


def _registered(
    cuts: Sequence[ExampleCut], timing: Registration, reference: int, cyclic: bool, margin: float, smooth: bool,
    progress: Progress,
) -> Registered:  # fmt: skip
    """The cuts as registered rows; the margins stay outside of u = 0 to 1."""
    played = [cut.played for cut in cuts]
    curve = registered_curve(
        played, timing.rule, reference=reference, keys=timing.keys, smooth=smooth, progress=progress
    )
    shifts = np.array([cut.before / cut.clip.fps for cut in cuts])
    moved = type(curve)(curve.knots, curve.control + shifts, curve.degree)
    return register_rows(
        [cut.clip for cut in cuts], moved, cyclic=cyclic, margin=margin, even=smooth or timing.keys is None
    )


def _costs(rows: Registered, cuts: Sequence[ExampleCut], reference: int) -> FloatArray:
    inside = slice(rows.lead, rows.lead + rows.count + 1)
    return alignment_costs(rows.turns[inside], rows.levels[inside], [cut.clip for cut in cuts], reference)


def _outliers(cost: FloatArray, most: float, reference: int) -> list[int]:
    others = np.delete(cost, reference)
    usual = float(np.median(others)) if len(others) else 0.0
    limit = min(most, max(OUTLIER * usual, 0.05))
    return [int(k) for k in np.flatnonzero(cost > limit)]


def _twisted(rows: Registered, reference: int, skeleton: Skeleton) -> dict[int, str]:
    """Examples with a joint that is turned too far against the reference's for an average: mostly faulty captures.

    Fingers are not looked at: captures rarely hold their motion.
    """
    turns = rows.turns[rows.lead : rows.lead + rows.count + 1]
    dots = np.abs(np.einsum("rkjc,rjc->rkj", turns, turns[:, reference]))
    far = np.degrees(2 * np.arccos(np.minimum(dots, 1.0)))
    often = (far > TWIST).mean(0)  # (K, J)
    often[:, fingers(skeleton)] = 0.0
    out = {}
    for k in np.flatnonzero((often > TWISTED_ROWS).any(1)):
        joint = int(often[k].argmax())
        angle = far[:, k, joint].max()
        out[int(k)] = (
            f", {skeleton.names[joint]} is turned by {angle:.0f} deg against the reference's, too far to average"
        )
    return out


def check_enough(cuts: Sequence[ExampleCut], values: FloatArray, parameters: Sequence[MotionParameter]) -> None:
    """`BadRequest` if there are too few examples, or a parameter does not vary."""
    size = values.shape[1]
    if len(cuts) < size + 1:
        names = ", ".join(p.name for p in parameters)
        raise BadRequest(
            f"a space of {size} dimension{'s' * (size > 1)} ({names}) needs {size + 1} examples or more, "
            f"found {len(cuts)}: {', '.join(cut.name for cut in cuts)}"
        )
    column = 0
    for p in parameters:
        extent = np.ptp(values[:, column : column + p.size], axis=0)
        if (extent < 1e-6).any():
            shown = shown_value(float(values[0, column]), p.unit)
            raise BadRequest(f"{p.name} does not vary: it is {shown} in all {len(cuts)} examples")
        column += p.size


def check_independent(cuts: Sequence[ExampleCut], values: FloatArray, parameters: Sequence[MotionParameter]) -> None:
    """`BadRequest` if parameters depend on each other, or two examples have equal ones."""
    names = [n for p in parameters for n in ([p.name] if p.size == 1 else [f"{p.name} {a}" for a in "xyz"])]
    scaled = (values - values.mean(0)) / np.ptp(values, axis=0)
    if values.shape[1] > 1:
        _, sizes, axes = np.linalg.svd(scaled, full_matrices=False)
        if sizes[-1] < FLAT * sizes[0]:
            involved = [names[d] for d in np.flatnonzero(np.abs(axes[-1]) > 0.2)]
            raise BadRequest(f"the parameters depend on each other in these examples: {', '.join(involved)}")
    apart = np.abs(scaled[:, None] - scaled[None]).max(-1)
    np.fill_diagonal(apart, np.inf)
    a, b = (int(i) for i in np.unravel_index(int(apart.argmin()), apart.shape))
    if apart[a, b] < EQUAL:
        raise BadRequest(f"{cuts[a].name} and {cuts[b].name} have equal parameters ({', '.join(names)}): leave one out")


def shown_value(value: float, unit: str) -> str:
    """A value as text, angles in degrees."""
    return (
        f"{np.degrees(value):.1f}{unit.replace('rad', 'deg')}"
        if unit.startswith("rad")
        else f"{value:.3f} {unit}".strip()
    )
