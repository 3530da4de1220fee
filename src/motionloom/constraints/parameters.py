"""Motion parameters: numbers measured from a clip alone, and the constraint `parameters` on their values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from motionloom.constraints.base import Constraint
from motionloom.constraints.builtin_parameters import (
    climb,
    distance,
    head_height,
    leap_length,
    seat_height,
    speed,
    step_height,
    target_of,
    travel_turn,
    turn,
    turn_rate,
)
from motionloom.constraints.fields import VALUES, Value, span_field, written_value
from motionloom.core import BadRequest, Clip, FloatArray
from motionloom.core.errors import Problems, unknown
from motionloom.core.fields import REQUIRED, internal, param
from motionloom.core.units import EXAMPLES, NEEDS_UNIT, UNITS, Quantity, Span, frames_of

RANGE_SHARE = 0.01  # of a model's own range: the tolerance of a parameter, where the request gives none


@dataclass(frozen=True)
class MotionParameter:
    """A number (or three) measured from a clip alone, in one unit, that a request can prescribe."""

    name: str
    unit: str  # of SI: m, rad, m/s, rad/s, s, or "" for a plain number
    size: int  # 1 or 3 values
    help: str
    measure: Callable[[Clip], Any] | None  # None: the function was not supplied again, so it cannot be checked
    tolerance: float = 0.05  # in `unit`; a model that has a range of its own replaces it (see `within_range`)

    def __post_init__(self) -> None:
        if self.size not in (1, 3):
            raise BadRequest(f"motion parameter {self.name!r}: expected a size of 1 or 3, found {self.size!r}")
        if self.unit and UNITS.get(self.unit, ("", 0.0))[1] != 1.0:
            raise BadRequest(
                f"motion parameter {self.name!r}: expected a unit of SI, as m or rad/s, found {self.unit!r}"
            )

    def measured(self, clip: Clip) -> FloatArray:
        """(size,) the values of a clip in `unit`; `BadRequest`, with its name, if the function fails or misbehaves."""
        if self.measure is None:
            raise self._fails("its function was not supplied; give it with --measure")
        try:
            found = np.atleast_1d(np.asarray(self.measure(clip), float))
        except Exception as error:  # a user's function may raise anything
            raise self._fails(f"{type(error).__name__}: {error}", clip) from error
        if found.shape != (self.size,):
            raise self._fails(f"expected {self.size} value{'s' * (self.size > 1)}, found shape {found.shape}", clip)
        if not np.isfinite(found).all():
            raise self._fails(f"expected finite values, found {found.tolist()}", clip)
        return found

    def _fails(self, why: str, clip: Clip | None = None) -> BadRequest:
        where = f" on {clip.name}" if clip is not None and clip.name else ""
        return BadRequest(f"the motion parameter {self.name!r} cannot be measured{where}: {why}")

    def within_range(self, span: float) -> MotionParameter:
        """The same with a tolerance of 1 % of a model's own range, unless that range is empty."""
        return replace(self, tolerance=RANGE_SHARE * span) if span > 0 else self

    def in_unit(self, value: Value) -> FloatArray:
        """(size,) a value of a request in `unit`; a bare number for an angle, or the wrong size, is an error."""
        parts = (value,) if isinstance(value, Quantity) else value
        if len(parts) != self.size:
            raise BadRequest(f"expected {self.size} value{'s' * (self.size > 1)}, found {len(parts)}")
        kind = UNITS.get(self.unit, ("number", 1.0))[0]
        for part in parts:
            if part.kind != kind and (part.kind != "number" or kind in NEEDS_UNIT):
                raise BadRequest(f"expected {EXAMPLES[kind]}, found {written_value(part)}")
        return np.array([part.value for part in parts])


PARAMETERS: Mapping[str, MotionParameter] = {
    p.name: p
    for p in (
        MotionParameter("speed", "m/s", 1, "mean speed of the hips over the ground", speed, 0.05),
        MotionParameter("turn", "rad", 1, "change of heading from first to last frame, left positive", turn, 0.05),
        MotionParameter("turn_rate", "rad/s", 1, "mean rate of turning, left positive", turn_rate, 0.05),
        MotionParameter("travel_turn", "rad", 1, "change of the direction of travel, left positive", travel_turn, 0.1),
        MotionParameter("distance", "m", 1, "straight line from the first frame's hips to the last's", distance, 0.05),
        MotionParameter("climb", "m", 1, "rise of the ground under the feet from first to last step", climb, 0.02),
        MotionParameter("head_height", "m", 1, "lowest height of the head", head_height, 0.02),
        MotionParameter("seat_height", "m", 1, "lowest height of the hips", seat_height, 0.02),
        MotionParameter("step_height", "m", 1, "mean rise from one step to the next", step_height, 0.02),
        MotionParameter("leap_length", "m", 1, "longest distance from one step to the next", leap_length, 0.05),
        *(
            MotionParameter(
                f"{side}_{limb}_target",
                "m",
                3,
                f"place of the {side} {limb} when it is farthest out, from the first frame's place and heading",
                target_of(f"{side}_{limb}", f"{side}_{base}"),
                0.02,
            )
            for limb, base in (("hand", "upper_arm"), ("foot", "thigh"))
            for side in ("left", "right")
        ),
    )
}
"""The table: more are added here, or passed by a command (`--measure file.py:function`)."""


def parameter_table(own: Iterable[MotionParameter] = ()) -> Mapping[str, MotionParameter]:
    """The table with a user's own parameters, which come before those of the same name."""
    return {**PARAMETERS, **{p.name: p for p in own}}


@dataclass(frozen=True)
class Parameters(Constraint):
    """Values of motion parameters (`speed: 1.4`, `turn: 35deg`) over a span.

    Residual: measured minus requested, in the parameter's own unit; of several parameters, as multiples of each one's
    tolerance. A tolerance is given by name, in the parameter's unit; by default it is 1 % of the model's own range, or
    the parameter's own where the model has none. `table` holds how each parameter is measured.
    """

    values: tuple[tuple[str, Value], ...] = param(REQUIRED, "value of each parameter: {speed: 1.4}", kind=VALUES)
    span: Span = span_field("when")
    tolerance: tuple[tuple[str, Value], ...] | None = param(
        None, "largest error of each parameter: {speed: 0.1}", kind=VALUES, advanced=True
    )
    table: Mapping[str, MotionParameter] | None = internal(None)

    @property
    def unit(self) -> str:  # type: ignore[override]
        return self._parameter(self.values[0][0]).unit if len(self.values) == 1 else "tolerances"

    @property
    def limit(self) -> float:
        return self._tolerance(self.values[0][0]) if len(self.values) == 1 else 1.0

    @property
    def unchecked(self) -> str:
        """Why it cannot be checked, or "": the function of a parameter was not supplied."""
        absent = [name for name, _ in self.values if self._parameter(name).measure is None]
        return (
            f"{', '.join(absent)} cannot be checked, nor a result corrected by it: given by hand, or its function was "
            "not supplied (give it with --measure)"
            if absent
            else ""
        )

    def parts(self, table: Mapping[str, MotionParameter] | None = None) -> tuple[Parameters, ...]:
        return tuple(replace(self, values=(pair,), table=table or self.table) for pair in self.values)

    def frames(self, frames: int, fps: float) -> range:
        """The frames that are measured, in a result of this length."""
        return frames_of(self.span, frames, fps, ("parameters", "span"))

    def requested(self, name: str) -> FloatArray:
        """(size,) the value of one parameter in its unit."""
        try:
            return self._parameter(name).in_unit(dict(self.values)[name])
        except BadRequest as error:
            raise error.inside("parameters", "values", name) from None

    def check_values(self) -> None:
        table, problems = PARAMETERS if self.table is None else self.table, Problems()
        for name, _ in self.values:
            with problems.collect():
                if name not in table:
                    raise BadRequest(unknown(name, table, "motion parameter"), where=("parameters", "values", name))
                self.requested(name)
                self._tolerance(name)
        problems.raise_found()

    def residual(self, clip: Clip) -> FloatArray:
        frames = self.frames(len(clip), clip.fps)
        part = clip[frames.start : frames.stop]
        out = {name: self._parameter(name).measured(part) - self.requested(name) for name, _ in self.values}
        if len(out) == 1:
            return next(iter(out.values()))
        return np.concatenate([off / max(self._tolerance(name), 1e-12) for name, off in out.items()])

    def _parameter(self, name: str) -> MotionParameter:
        """How a parameter is measured; one that is not in the table can be named but not measured."""
        table = PARAMETERS if self.table is None else self.table
        size = 1 if isinstance(dict(self.values)[name], Quantity) else 3
        return table.get(name) or MotionParameter(name, "", size, "", None)

    def _tolerance(self, name: str) -> float:
        """The largest error of a parameter, in its unit."""
        parameter, given = self._parameter(name), dict(self.tolerance or ()).get(name)
        if given is None:
            return parameter.tolerance
        try:
            return float(replace(parameter, size=1).in_unit(given)[0])
        except BadRequest as error:
            raise error.inside("parameters", "tolerance", name) from None
