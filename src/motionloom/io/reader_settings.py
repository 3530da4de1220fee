"""Settings of readers: unit, up axis, frame rate, strictness, T-pose, sliding joints, roles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypedDict

from motionloom.core import BadRequest
from motionloom.io.reader_notes import Notes
from motionloom.io.units_and_axes import unit_of, up_of

FPS_RANGE = (1e-3, 1e6)  # frames per second


class ReadingSettings(TypedDict, total=False):
    """The fields of `Reading` as keyword arguments of `load`, `load_many` and `load_markers`."""

    unit: str | float | None
    up: str | None
    fps: float | None
    strict: bool
    trim_tpose: bool
    drop_slides: bool
    roles: str | Path | Mapping[str, str] | None
    remember: Literal["", "facts", "all"]


@dataclass(frozen=True)
class Reading:
    """How a file is read. Unit, up axis and frame rate override what the file states or what would be estimated.

    >>> Reading(unit="cm").metres
    0.01
    >>> Reading(up="sideways")
    Traceback (most recent call last):
    motionloom.core.errors.BadRequest: no up axis 'sideways'; one of y, z, x, -y, -z, -x
    """

    unit: str | float | None = None  # "m", "cm", "mm", "inch", "cmu", or metres per unit
    up: str | None = None  # "y", "z", "x", "-y", "-z" or "-x"
    fps: float | None = None
    strict: bool = False  # reject files with irregularities (a wrong frame count, a cut last row) instead of warning
    trim_tpose: bool = False  # drop a T-pose in frame 0; frame numbers in `origin` still count it
    drop_slides: bool = False  # give every joint a fixed offset from its parent
    roles: str | Path | Mapping[str, str] | None = None  # a file or a mapping; by default the file beside the clip
    # what is stored beside the clip if it is given: nothing, "facts" (unit, up axis, roles), "all" (frame rate, too)
    remember: Literal["", "facts", "all"] = ""

    def __post_init__(self) -> None:
        if self.fps is not None and not FPS_RANGE[0] <= self.fps <= FPS_RANGE[1]:
            low, high = FPS_RANGE
            raise BadRequest(f"expected {low:g} to {high:g} frames per second, found {self.fps}", where=("fps",))
        _ = self.metres, self.axis  # checks both

    @property
    def metres(self) -> float | None:
        """Metres per unit of the file, if given."""
        return None if self.unit is None else unit_of(self.unit)

    @property
    def axis(self) -> str | None:
        """The up axis of the file, if given."""
        return None if self.up is None else up_of(self.up)

    def notes(self, path: str | Path) -> Notes:
        """An empty collection of notes on a file; it raises warnings as errors if `strict`."""
        return Notes(str(path), strict=self.strict)

    def changes(self) -> dict[str, Any]:
        """The settings that differ from the defaults, as plain values for a recipe."""
        names = [f.name for f in fields(self) if f.name != "remember" and getattr(self, f.name) != f.default]
        found = {name: getattr(self, name) for name in names}
        return found | ({"roles": Path(self.roles).name} if isinstance(self.roles, (str, Path)) else {})


DEFAULT = Reading()
"""Everything as the file states it, or as estimated."""
