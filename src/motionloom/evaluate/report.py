"""Results of an evaluation: values of one clip relative to the source's, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from motionloom.evaluate.constraint_results import ConstraintResult
from motionloom.evaluate.measures.table import QUALITY_MEASURES


@dataclass(frozen=True)
class SourceValue:
    """The source's own value of a measure, with its lowest and highest clip; None with the reason if there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class MeasuredValue:
    """One value of one result and its relation to the source's: a ratio, or a difference where that is near zero."""

    value: float | None
    unit: str
    reason: str = ""
    own: SourceValue = SourceValue(None)
    ratio: float | None = None
    difference: float | None = None


def relative_to_source(name: str, found: float | str, own: SourceValue) -> MeasuredValue:
    """A value with its ratio to the source's, or the difference where the source is near zero (1 cm/s for speeds)."""
    unit, near_zero = QUALITY_MEASURES[name].unit, QUALITY_MEASURES[name].near_zero
    if isinstance(found, str):
        return MeasuredValue(None, unit, found, own)
    if own.value is None:
        return MeasuredValue(found, unit, own=own)
    if own.value <= near_zero or own.value < 1e-9:
        return MeasuredValue(found, unit, own=own, difference=found - own.value)
    return MeasuredValue(found, unit, own=own, ratio=found / own.value)


@dataclass(frozen=True, eq=False)
class QualityReport:
    """All values of one result."""

    name: str
    seconds: float
    joints: int  # whose rotations the window measures compare: their thresholds depend on it
    values: Mapping[str, MeasuredValue]
    bounds: Mapping[str, Mapping[str, float | None]]  # "copy" and "shuffled": coverage and diversities
    constraints: tuple[ConstraintResult, ...] = ()
    joint_roughness: Mapping[str, float] = field(default_factory=dict)  # "rough frames" of each joint, %

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: null and `reason` where there is no number."""
        rows = {
            name: {
                "value": v.value,
                "unit": v.unit,
                "meaning": QUALITY_MEASURES[name].meaning,
                "better": QUALITY_MEASURES[name].better,
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
            "constraints": [c.as_dict() for c in self.constraints],
            "joint_roughness": dict(self.joint_roughness),
        }


@dataclass(frozen=True)
class Spread:
    """Mean distance between results of different seeds, and between source takes; None with the reason."""

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
