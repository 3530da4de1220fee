"""Measure the quality of clips, relative to the source clips that they were made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from motionloom.constraints import Request
from motionloom.core import Clip, Progress, silent
from motionloom.core.progress import each, parts
from motionloom.core.watched import watched
from motionloom.evaluate.constraint_results import constraint_results
from motionloom.evaluate.measures.coverage_diversity import WIDE, spread, spread_pairs
from motionloom.evaluate.measures.prepared_clip import FPS, NotApplicable, Take, feature_joints, take
from motionloom.evaluate.measures.smoothness import rough_share
from motionloom.evaluate.measures.table import FAMILIES, QUALITY_MEASURES, Family, Numbers, evaluation_work, numbers
from motionloom.evaluate.reference import SHUFFLED, Reference, reference
from motionloom.evaluate.report import MeasuredValue, QualityReport, SourceValue, Spread, relative_to_source
from motionloom.kinematics.body.proportions import in_joint_order
from motionloom.kinematics.capture.tpose import without_tpose

HELD_OUT = 4  # source takes that are held out in turn to get the source's own value of measures that compare
MIN_PIECE = 1.0  # s between broken frames: a shorter piece is too short to find its floor
TAKE_WORK = 12.0  # units of work to prepare a frame for measuring
(WINDOWS,) = (family for family in FAMILIES if "coverage" in family.names)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The reports of several results, relative to the same source."""

    reports: tuple[QualityReport, ...]
    source: Reference
    spread: Spread  # between the results
    tposes: tuple[str, ...] = ()  # names of results whose frame 0 is a T-pose, which was left out

    @property
    def joints(self) -> int:
        """Joints that coverage and diversities compare: the values depend on their number."""
        return len(feature_joints(self.source.takes[0].skeleton))


@watched
def evaluate_clips(
    results: Sequence[Clip],
    sources: Sequence[Clip],
    *,
    request: Request | None = None,
    ground: float | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Measure clips relative to the source clips that they were made from.

    A T-pose in frame 0 is not part of the motion and is left out, of results and sources. `request` adds the residuals
    of its constraints, whose times count from the first frame of the file. `ground` is the height of the floor, metres;
    without it, the lowest positions of each foot joint define the floor.
    """
    report = progress or silent()
    plain = [without_tpose(clip) for clip in results]
    posed = tuple(clip.name for clip, motion in zip(results, plain, strict=True) if motion is not clip)
    sources = [without_tpose(clip) for clip in sources]
    if results:
        sources = [in_joint_order(clip, results[0].skeleton) for clip in sources]
    sizes, own_sizes = [_frames(c) for c in plain], [_frames(c) for c in sources]
    total = sum(own_sizes)
    works = [evaluation_work(n, total) for n in sizes]
    apart = sum(spread_pairs(s) for s in (sizes, own_sizes)) * WINDOWS.effort.per_pair
    prepared, made, owned, *steps, last = parts(
        report, [TAKE_WORK * total, TAKE_WORK * sum(sizes), source_work(own_sizes), *works, apart]
    )
    against = reference(sources, ground=ground, progress=prepared)
    takes = [take(clip, ground=ground) for clip in each(plain, made, "preparing the results", sizes)]
    own = source_values(against, progress=owned)
    reports = [
        evaluate_take(t, against, own=own, request=request, timed=clip, progress=step)
        for t, clip, step in zip(takes, results, steps, strict=True)
    ]
    between = spread_of(takes, against, progress=last)
    report(1.0, "done")
    return Evaluation(tuple(reports), against, between, posed)


def _frames(clip: Clip) -> int:
    return max(1, round(clip.seconds * FPS))


def evaluate_take(
    result: Clip | Take,
    source: Reference,
    *,
    own: Mapping[str, SourceValue] | None = None,
    request: Request | None = None,
    timed: Clip | None = None,
    ground: float | None = None,
    progress: Progress | None = None,
) -> QualityReport:
    """Measure one result. `own` (from `source_values`) saves time where several results have the same source.

    The constraints of `request` are evaluated on the clip `timed`, by default the result.
    """
    ready = result if isinstance(result, Take) else take(result, ground=ground)
    frames, report = source.frames, progress or silent()
    works = [family.work(len(ready), frames) for family in FAMILIES]
    first, *steps, last = parts(
        report,
        [
            source_work([len(t) for t in source.takes]) if own is None else 0.0,
            *works,
            0.0 if source.has_shuffled else source.orders * WINDOWS.work(SHUFFLED, frames),
        ],
    )
    own = source_values(source, progress=first) if own is None else own
    values: dict[str, MeasuredValue] = {}
    for family, step in zip(FAMILIES, steps, strict=True):
        found = numbers(family, ready, source, step)
        values |= {name: relative_to_source(name, found[name], own[name]) for name in family.names}
    out = QualityReport(
        ready.name,
        ready.original.seconds,
        len(feature_joints(ready.skeleton)),
        {name: values[name] for name in QUALITY_MEASURES},
        diversity_bounds(source, last) if values["coverage"].value is not None else {},
        () if request is None else tuple(constraint_results(timed or ready.original, request)),
        _joint_roughness(ready, source),
    )
    report(1.0, "done")
    return out


def source_values(source: Reference, *, progress: Progress | None = None) -> dict[str, SourceValue]:
    """The source's own value of every measure: over its clips, or of takes held out in turn against the others."""
    report = progress or silent()
    sizes = [len(t) for t in source.takes]
    out: dict[str, SourceValue] = {}
    for family, step in zip(FAMILIES, parts(report, [_own_work(f, sizes) for f in FAMILIES]), strict=True):
        out |= _own(family, source, step)
    report(1.0, "done")
    return out


def source_work(sizes: Sequence[int]) -> float:
    """Estimated units of work of `source_values` for takes of these frames at 30 fps."""
    return sum(_own_work(family, sizes) for family in FAMILIES)


def _own_work(family: Family, sizes: Sequence[int]) -> float:
    if not family.compares:
        return family.work(sum(sizes), 0)
    return sum(family.work(sizes[i], sum(sizes) - sizes[i]) for i in _held_out(sizes)) if len(sizes) > 1 else 0.0


def _held_out(sizes: Sequence[int]) -> list[int]:
    """Indices of the takes that are held out in turn."""
    long = [i for i, n in enumerate(sizes) if n >= WIDE] or list(range(len(sizes)))
    return sorted({long[int(k)] for k in np.linspace(0, len(long) - 1, HELD_OUT)})


def _sound_pieces(source: Reference) -> list[Take]:
    """The source without broken frames, in pieces of `MIN_PIECE` or more; shorter ones only if there are no others."""
    pieces = [piece for take in source.takes for piece in take.sound]
    return [piece for piece in pieces if len(piece) >= MIN_PIECE * FPS] or pieces


def _own(family: Family, source: Reference, progress: Progress) -> dict[str, SourceValue]:
    def rows_of(takes: Sequence[Take], against: Reference, step: Progress) -> list[tuple[int, Numbers]]:
        steps = parts(step, [len(t) for t in takes])
        return [(len(t), numbers(family, t, against, own)) for t, own in zip(takes, steps, strict=True)]

    if not family.compares:
        takes = _sound_pieces(source) if family.sound else source.takes
        rows = rows_of(takes, source, progress)
        own = {name: _pooled(name, rows) for name in family.names}
        return own | {
            name: replace(own[name], value=over(takes))
            for name, over in family.over_takes.items()
            if own[name].value is not None
        }
    if len(source) < 2:
        return dict.fromkeys(family.names, SourceValue(None, reason="there is one source clip: none can be held out"))
    chosen = _held_out([len(t) for t in source.takes])
    rows = []
    for i, step in zip(chosen, parts(progress, [len(source.takes[i]) for i in chosen]), strict=True):
        one = source.takes[i]
        rows += rows_of(one.sound if family.sound else (one,), source.without(i), step)
    return {name: _pooled(name, rows) for name in family.names}


def _pooled(name: str, rows: Sequence[tuple[int, Mapping[str, float | str]]]) -> SourceValue:
    found = [(n, v) for n, row in rows if not isinstance(v := row[name], str)]
    if not found:
        reason = next((v for _, row in rows if isinstance(v := row[name], str)), "no source clip")
        return SourceValue(None, reason=reason)
    values = np.array([v for _, v in found])
    value = values.max() if QUALITY_MEASURES[name].pool == "max" else np.average(values, weights=[n for n, _ in found])
    return SourceValue(float(value), float(values.min()), float(values.max()))


def _joint_roughness(result: Take, source: Reference) -> dict[str, float]:
    try:
        source.require_same_body(result)
        share = rough_share(result.points, [t.points for t in source.takes], FPS)
    except NotApplicable:
        return {}
    return {name: 100 * float(s) for name, s in zip(result.skeleton.names, share, strict=True)}


def diversity_bounds(source: Reference, progress: Progress | None = None) -> dict[str, dict[str, float | None]]:
    """Scores of a copy of the source and of its frames in random order, without which diversity means nothing."""
    mixed = source.shuffled(progress)
    return {
        "copy": {"coverage": 100.0, "global diversity": 0.0, "local diversity": 0.0},
        "shuffled": {
            "coverage": 100 * mixed.covered(source.chance_cost()),
            "global diversity": mixed.global_diversity,
            "local diversity": mixed.local_diversity,
        },
    }


def spread_of(results: Sequence[Take], source: Reference, *, progress: Progress | None = None) -> Spread:
    """Mean distance between results of different seeds: see `windows.spread`."""
    try:
        for result in results:
            source.require_same_body(result)
        value, own = spread([r.features for r in results], source.features, progress)
    except NotApplicable as error:
        return Spread(None, reason=str(error))
    return Spread(value, own, "" if own else "fewer than two source takes of 30 frames")
