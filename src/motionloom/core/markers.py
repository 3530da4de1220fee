"""Optical markers: named points over time, with gaps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motionloom.core.arrays import BoolArray, FloatArray, frozen, put
from motionloom.core.errors import InvalidClip, UnknownJoint
from motionloom.core.origin import Origin


@dataclass(frozen=True, eq=False)
class Markers:
    """Marker trajectories. A missing point is NaN in all three coordinates, never zero."""

    names: tuple[str, ...]
    positions: FloatArray  # (F, M, 3) metres, y up; NaN in a gap
    fps: float
    origin: Origin = field(default_factory=Origin)

    def __post_init__(self) -> None:
        put(self, "names", tuple(str(n) for n in self.names))
        if len(set(self.names)) != len(self.names):
            raise InvalidClip("marker names repeat")
        put(self, "positions", frozen(self.positions, np.float64, (None, len(self.names), 3), "markers", finite=False))
        if not len(self.positions):
            raise InvalidClip("markers need at least one frame")
        known = np.isfinite(self.positions)
        if (known.any(2) != known.all(2)).any():
            f, m = (int(i) for i in np.argwhere(known.any(2) != known.all(2))[0])
            raise InvalidClip(f"marker {self.names[m]!r}, frame {f}: a gap must be NaN in all three coordinates")
        if not len(self.origin):
            put(self, "origin", self.origin.unknown(len(self.positions)))
        put(self, "fps", float(self.fps))
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise InvalidClip(f"fps must be positive, found {self.fps}")

    def __reduce__(self) -> tuple[Any, ...]:
        return (Markers, (self.names, self.positions, self.fps, self.origin))

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, index: slice) -> Markers:
        return Markers(self.names, self.positions[index], self.fps, self.origin[index])

    def __repr__(self) -> str:
        return f"Markers({len(self)} frames at {self.fps:g} fps, {len(self.names)} markers)"

    @property
    def gaps(self) -> BoolArray:
        """(F, M) True where a marker was not seen."""
        return np.isnan(self.positions[..., 0])

    def marker(self, name: str) -> FloatArray:
        """(F, 3) one marker's path."""
        if name not in self.names:
            raise UnknownJoint(name, self.names)
        return self.positions[:, self.names.index(name)]
