"""Build a space from cuts: choose the examples, measure blends of them, and fit the map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.blend.registered_clips import Registered
from motionloom.constraints import MotionParameter
from motionloom.core import Clip, FloatArray, Note, Progress, part
from motionloom.core.note import info, warning
from motionloom.kinematics.feet.plants import WHOLE_CONTACT
from motionloom.kinematics.feet.skate_removal import pin_plants
from motionloom.methods.space.choose_examples import Gathered, gather, shown_value
from motionloom.methods.space.cutting import ExampleCut
from motionloom.methods.space.measure import blend_once, measure_blend, measure_clip
from motionloom.methods.space.misses import measure_misses
from motionloom.methods.space.one_parameter import SPREADS, WIDEST, even_space
from motionloom.methods.space.sampling import DENSE, Sampled, sample_space, spread_of
from motionloom.methods.space.space import Space, SpaceParameter

ROUGH = 0.05  # of the range: a worse prediction is warned about
FAR = 0.18  # m: examples of one action, also leaps and runs, are hardly farther from the reference
UNLIKE = 0.02  # of the range: examples whose blends are predicted worse than this, on average, show several actions
LOCK_CHANGE = 0.1  # of the range: a parameter that locked feet change by more cannot be relied on


class Built(NamedTuple):
    """A space, the cuts that are its examples, and notes about the others."""

    space: Space
    cuts: tuple[ExampleCut, ...]
    notes: tuple[Note, ...]
    parameters: tuple[MotionParameter, ...]


def build_space(
    cuts: Sequence[ExampleCut],
    parameters: Sequence[MotionParameter],
    *,
    cyclic: bool,
    registration: str,
    most_cost: float,
    merge: float,
    margin: float,
    samples: int,
    together: int | None,
    smoothness: float | None,
    scale: FloatArray | float = 1.0,
    rng: Generator,
    progress: Progress,
) -> Built:
    """The space of examples of one action (HECK 3.5); `scale` (D,) as in `sample_space`."""
    found = gather(
        cuts, parameters, cyclic=cyclic, registration=registration, most_cost=most_cost, merge=merge, margin=margin,
        progress=part(progress, 0.0, 0.3),
    )  # fmt: skip
    rows, chosen = found.rows, found.cuts
    skeleton, fps = chosen[0].clip.skeleton, chosen[0].clip.fps
    tables = rows.tables(skeleton)
    played = [blend_once(rows, skeleton, w, fps, tables) for w in np.eye(len(chosen))]
    values = np.stack([measure_clip(clip, parameters) for clip in played])

    def measure(w: FloatArray) -> FloatArray:
        return measure_blend(rows, skeleton, w, fps, parameters, tables)

    sampled = sample_space(
        values, measure, most=samples, together=together or values.shape[1] + 2, smoothness=smoothness or 1.0,
        scale=scale, rng=rng, progress=part(progress, 0.3, 0.8),
    )  # fmt: skip
    space = space_of(rows, parameters, values, sampled, smoothness or 1.0)
    if samples:
        factors = (*SPREADS, *([WIDEST] if space.size > 1 else [])) if smoothness is None else (1.0,)
        space = even_space(space, factors, measure, skeleton, tables, part(progress, 0.8, 0.9))
        if space.size > 1 and (sampled.error > DENSE).any():
            at, by = measure_misses(space, measure, rng, part(progress, 0.9, 1.0))
            space = replace(space, missed_at=at, missed_by=by)
    progress(1.0, "comparing motion")
    unused = np.flatnonzero(space.section[:, 2:].max(0, initial=0.0) < 1e-6) if len(space.section) else ()
    passed = [f"{chosen[k].name} is passed over: between its neighbours the motion changes evenly" for k in unused]
    error = f"{100 * sampled.error[0]:.3f} % of the range on average, {100 * sampled.error[1]:.2f} % at most"
    measured = f"; {len(sampled.weights)} blends measured, the last ones predicted to {error}"
    sparse = len(sampled.weights) >= samples > 0 and bool((sampled.error > DENSE).any())
    if sparse:
        aims = f"{100 * DENSE[0]:g} % and {100 * DENSE[1]:g} %"
        measured += f"; not yet {aims}, which more samples (now {samples}) may reach"
    unlike = []
    if len(sampled.weights) and sampled.error[0] > UNLIKE:
        text = "the examples hardly show one action, as parameters of their blends cannot be predicted"
        unlike.append(warning(f"{text}; {_apart(chosen, found.cost, 0.0)}"))
    elif found.cost.max() > FAR:
        unlike.append(warning(f"some examples may show another action: {_apart(chosen, found.cost, FAR)}"))
    if len(sampled.weights) and sampled.error[0] <= UNLIKE and sampled.error[1] > ROUGH:
        text = f"blends were predicted wrongly by up to {100 * sampled.error[1]:.0f} % of the range"
        unlike.append(warning(f"{text}: live characters may miss by as much; results of `synthesize` are corrected"))
    notes = [
        *found.notes,
        *unlike,
        *info(registered_note(found) + (measured if len(sampled.weights) else "")),
        *info(f"the examples cover {covered(values, parameters)}"),
        *hardly_varying(values, parameters),
        *listed_cuts(chosen, values, parameters, rows, found.cost),
        *changed_by_locking(chosen, played, values, parameters),
        *info(*passed),
    ]
    return Built(space, chosen, tuple(notes), tuple(parameters))


def hardly_varying(values: FloatArray, parameters: Sequence[MotionParameter]) -> list[Note]:
    """A warning for each parameter whose examples differ by less than it is usually met by."""
    starts = np.cumsum([0, *(p.size for p in parameters)])
    extents = [float(np.ptp(values[:, a : a + p.size], axis=0).max()) for a, p in zip(starts, parameters, strict=False)]
    return [
        warning(f"{p.name} hardly varies in the examples, by {shown_value(extent, p.unit)}")
        for p, extent in zip(parameters, extents, strict=True)
        if extent < p.tolerance
    ]


def registered_note(found: Gathered) -> str:
    """How many examples there are, and how they were registered."""
    ends = "repeating" if found.rows.cyclic else "ending"
    rate = f"their frames are counted at {found.cuts[0].clip.fps:g} fps"
    return f"{len(found.cuts)} examples, {ends}, registered by {found.rule} ({rate})"


def covered(values: FloatArray, parameters: Sequence[MotionParameter]) -> str:
    """The least and largest values (N, D) of each parameter, in words."""
    units = [(p.name, p.unit) for p in parameters for _ in range(p.size)]
    rows = zip(units, values.min(0), values.max(0), strict=True)
    return ", ".join(
        f"{name} {shown_value(low, unit)} to {shown_value(high, unit)}" for (name, unit), low, high in rows
    )


def space_of(
    rows: Registered, parameters: Sequence[MotionParameter], values: FloatArray, sampled: Sampled, smoothness: float
) -> Space:
    """The space of measured examples and blends."""
    spread = spread_of((values - sampled.middle) / sampled.ranges, smoothness)
    kinds = tuple(SpaceParameter(p.name, p.unit, p.size) for p in parameters)
    return Space(
        rows, kinds, values, sampled.middle, sampled.ranges, sampled.curve, spread, sampled.weights, sampled.values,
        np.zeros((0, len(values) + 2)), np.zeros((0, len(sampled.middle))), np.zeros((0, len(sampled.middle))),
    )  # fmt: skip


def changed_by_locking(
    cuts: Sequence[ExampleCut], played: Sequence[Clip], values: FloatArray, parameters: Sequence[MotionParameter]
) -> tuple[Note, ...]:
    """A warning about examples of which a parameter depends on contacts that are too short to be held."""
    changed: dict[str, list[str]] = {}
    for cut, clip, known in zip(cuts, played, values, strict=True):
        locked = measure_clip(pin_plants(clip, toe=WHOLE_CONTACT).clip, parameters)
        far = np.abs(locked - known) / np.ptp(values, axis=0)
        if far.max() > LOCK_CHANGE:
            name = [p.name for p in parameters for _ in range(p.size)][int(far.argmax())]
            changed.setdefault(name, []).append(cut.name)
    return tuple(
        warning(
            f"{name} is another when feet are locked, as a contact is too short to be held, so requests near these may "
            f"be missed (cut them with more motion before and after): {', '.join(names)}"
        )
        for name, names in changed.items()
    )


def _apart(cuts: Sequence[ExampleCut], cost: FloatArray, most: float) -> str:
    """The examples that are farther than `most` metres from the reference, in words."""
    far = ", ".join(f"{cut.name} {100 * c:.1f} cm" for cut, c in zip(cuts, cost, strict=True) if c > most)
    return f"from {cuts[int(cost.argmin())].name} are: {far}"


def listed_cuts(
    cuts: Sequence[ExampleCut],
    values: FloatArray,
    parameters: Sequence[MotionParameter],
    rows: Registered,
    cost: FloatArray,
) -> tuple[Note, ...]:
    """One line for each example: parameters, duration, speed."""
    lines = []
    for k, cut in enumerate(cuts):
        column, shown = 0, []
        for p in parameters:
            numbers = " ".join(shown_value(v, p.unit) for v in values[k, column : column + p.size])
            shown.append(f"{p.name} {numbers}")
            column += p.size
        travelled = float(np.linalg.norm(rows.steps[rows.lead : rows.lead + rows.count, k, :2], axis=1).sum())
        seconds = float(rows.durations[k])
        lines.append(
            f"{cut.name}: {', '.join(shown)}, {seconds:.2f} s, {travelled / seconds:.2f} m/s, "
            f"cost {100 * cost[k]:.1f} cm"
        )
    return info(*lines)
