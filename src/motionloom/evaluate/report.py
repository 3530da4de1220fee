"""Results measured and set beside the source clips' own values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motionloom.constraints import Request
from motionloom.core import Clip, Progress, part, silent
from motionloom.core.progress import parts
from motionloom.evaluate.control import Control, control
from motionloom.evaluate.measures.smoothness import rough_share
from motionloom.evaluate.measures.table import EFFORTS, FAMILIES, MEASURES, Family, Numbers, numbers
from motionloom.evaluate.measures.take import FPS, NotApplicable, Take, feature_joints, take
from motionloom.evaluate.measures.windows import WIDE, spread
from motionloom.evaluate.reference import Reference

HELD_OUT = 4  # source takes that are held out in turn to get the source's own value of measures that compare

MEASURED = 0.9  # of the work on one result; the rest is for the bounds of its diversity


@dataclass(frozen=True)
class Own:
    """The source's own value of a measure, and its lowest and highest clip; None with the reason if there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Value:
    """One number of one result, beside the source's own: as a ratio, or as a difference where that is too small."""

    value: float | None
    unit: str
    reason: str = ""
    own: Own = Own(None)
    ratio: float | None = None
    difference: float | None = None


@dataclass(frozen=True, eq=False)
class Report:
    """Everything measured of one result."""

    name: str
    seconds: float
    joints: int  # whose rotations the window measures compare: their thresholds depend on it
    values: Mapping[str, Value]
    bounds: Mapping[str, Mapping[str, float | None]]  # "copy" and "shuffled": coverage and diversities
    control: tuple[Control, ...] = ()
    joint_roughness: Mapping[str, float] = field(default_factory=dict)  # "rough frames" joint by joint, %

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: null and `reason` where there is no number."""
        rows = {
            name: {
                "value": v.value,
                "unit": v.unit,
                "says": MEASURES[name].says,
                "good": MEASURES[name].good,
                "source": v.own.value,
                "source_low": v.own.low,
                "source_high": v.own.high,
                "ratio": v.ratio,
                "difference": v.difference,
                **({"reason": v.reason} if v.value is None else {}),
                **({"source_reason": v.own.reason} if v.own.value is None else {}),
            }
            for name, v in self.values.items()
        }
        return {
            "name": self.name,
            "seconds": self.seconds,
            "joints": self.joints,
            "measures": rows,
            "bounds": {k: dict(b) for k, b in self.bounds.items()},
            "control": [c.as_dict() for c in self.control],
            "joint_roughness": dict(self.joint_roughness),
        }


def source_values(source: Reference, *, progress: Progress | None = None) -> dict[str, Own]:
    """The source's own value of every measure: over its clips, or of takes held out in turn against the others."""
    report = progress or silent()
    out: dict[str, Own] = {}
    for family, step in zip(FAMILIES, parts(report, EFFORTS), strict=True):
        out |= _own(family, source, step)
    report(1.0, "done")
    return out


def _own(family: Family, source: Reference, progress: Progress) -> dict[str, Own]:
    def rows_of(takes: Sequence[Take], against: Reference, step: Progress) -> list[tuple[int, Numbers]]:
        steps = parts(step, [len(t) for t in takes])
        return [(len(t), numbers(family, t, against, own)) for t, own in zip(takes, steps, strict=True)]

    if not family.compares:
        rows = rows_of([p for t in source.takes for p in t.sound] if family.sound else source.takes, source, progress)
    elif len(source) < 2:
        return dict.fromkeys(family.names, Own(None, reason="one source clip only: none can be held out"))
    else:
        long = [i for i, t in enumerate(source.takes) if len(t) >= WIDE] or list(range(len(source)))
        chosen = sorted({long[int(k)] for k in np.linspace(0, len(long) - 1, HELD_OUT)})
        rows = []
        for i, step in zip(chosen, parts(progress, [len(source.takes[i]) for i in chosen]), strict=True):
            one = source.takes[i]
            rows += rows_of(one.sound if family.sound else (one,), source.without(i), step)
    return {name: _pooled(name, rows) for name in family.names}


def _pooled(name: str, rows: Sequence[tuple[int, Mapping[str, float | str]]]) -> Own:
    found = [(n, v) for n, row in rows if not isinstance(v := row[name], str)]
    if not found:
        reason = next((v for _, row in rows if isinstance(v := row[name], str)), "no source clip")
        return Own(None, reason=reason)
    values = np.array([v for _, v in found])
    value = values.max() if MEASURES[name].pool == "max" else np.average(values, weights=[n for n, _ in found])
    return Own(float(value), float(values.min()), float(values.max()))


def evaluate(
    result: Clip | Take,
    source: Reference,
    *,
    own: Mapping[str, Own] | None = None,
    request: Request | None = None,
    ground: float | None = None,
    progress: Progress | None = None,
) -> Report:
    """Measure one result against source clips. `own` (from `source_values`) saves time when there are many results."""
    ready = result if isinstance(result, Take) else take(result, ground=ground)
    report = progress or silent()
    if own is None:
        own, report = source_values(source, progress=part(report, 0.0, 0.5)), part(report, 0.5, 1.0)
    values: dict[str, Value] = {}
    for family, step in zip(FAMILIES, parts(part(report, 0.0, MEASURED), EFFORTS), strict=True):
        found = numbers(family, ready, source, step)
        values |= {name: beside(name, found[name], own[name]) for name in family.names}
    ordered = {name: values[name] for name in MEASURES}
    asked = () if request is None else tuple(control(ready.original, request))
    joints = len(feature_joints(ready.skeleton))
    limits = bounds(source, part(report, MEASURED, 1.0)) if ordered["coverage"].value is not None else {}
    rough = _joint_roughness(ready, source)
    report(1.0, "done")
    return Report(ready.name, ready.original.seconds, joints, ordered, limits, asked, rough)


def _joint_roughness(result: Take, source: Reference) -> dict[str, float]:
    try:
        source.require_same_body(result)
        share = rough_share(result.points, [t.points for t in source.takes], FPS)
    except NotApplicable:
        return {}
    return {name: 100 * float(s) for name, s in zip(result.skeleton.names, share, strict=True)}


def beside(name: str, found: float | str, own: Own) -> Value:
    """A number beside the source's: a ratio, or a difference where the source is near zero (1 cm/s for speeds)."""
    unit, least = MEASURES[name].unit, MEASURES[name].least
    if isinstance(found, str):
        return Value(None, unit, found, own)
    if own.value is None:
        return Value(found, unit, own=own)
    if own.value <= least or own.value < 1e-9:
        return Value(found, unit, own=own, difference=found - own.value)
    return Value(found, unit, own=own, ratio=found / own.value)


def bounds(source: Reference, progress: Progress | None = None) -> dict[str, dict[str, float | None]]:
    """What copying the whole source and shuffling its frames would score: diversity means nothing without them."""
    mixed = source.shuffled(progress)
    return {
        "copy": {"coverage": 100.0, "global diversity": 0.0, "local diversity": 0.0},
        "shuffled": {
            "coverage": 100 * mixed.coverage,
            "global diversity": mixed.global_diversity,
            "local diversity": mixed.local_diversity,
        },
    }


@dataclass(frozen=True)
class Spread:
    """Mean distance between results of different seeds beside that between source takes; None with the reason."""

    value: float | None
    source: float | None = None
    reason: str = ""

    @property
    def ratio(self) -> float | None:
        """1: results differ from each other as much as source takes do."""
        return self.value / self.source if self.value is not None and self.source else None

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"value": self.value, "source": self.source, "ratio": self.ratio, "reason": self.reason}


def spread_of(results: Sequence[Take], source: Reference, *, progress: Progress | None = None) -> Spread:
    """How far results of different seeds are from each other: see `windows.spread`."""
    try:
        for result in results:
            source.require_same_body(result)
        value, own = spread([r.features for r in results], source.features, progress)
    except NotApplicable as error:
        return Spread(None, reason=str(error))
    return Spread(value, own, "" if own else "fewer than two source takes of 30 frames")
