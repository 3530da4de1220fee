"""What a texture model decides: the example frame of every joint in every frame."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from motionloom.constraints import Constraint, Plant, PositionAt
from motionloom.core import BoolArray, IntArray, Skeleton
from motionloom.methods.base import Band
from motionloom.methods.texture.faithful.keys import HARD, HEIGHT, Keys
from motionloom.methods.texture.faithful.synthesis import Energy, Texture


class TexturePlan(NamedTuple):
    """The cells of the texture."""

    source: IntArray  # (F, J) frame of all clips one after the other; -1 where a hard key fixes the cell
    starts: IntArray  # (C + 1,) the first frame of each clip in that row
    names: tuple[str, ...]  # of the clips
    keys: Keys  # cells that the request gives; heights are those in the world
    tracks: tuple[IntArray, ...] = ()  # (F,) example frames of each part: improved variant
    texture: Texture | None = None  # faithful variant
    reason: str = ""

    @property
    def frames(self) -> int:
        return len(self.source)

    @property
    def energy(self) -> tuple[Energy, ...]:
        """E (EDEN 3.4) of every pass and level of the faithful variant."""
        return () if self.texture is None else self.texture.energy

    @property
    def clip_frames(self) -> tuple[IntArray, IntArray]:
        """(F, J) the clip and (F, J) its frame of every cell; -1 where a hard key fixes it."""
        which = np.searchsorted(self.starts, self.source, side="right") - 1
        frame = self.source - self.starts[np.maximum(which, 0)]
        return np.where(self.source >= 0, which, -1), np.where(self.source >= 0, frame, -1)

    @property
    def mixed(self) -> float:
        """The share of frames whose joints come from more than one example frame; cells of keys do not count."""
        low = np.where(self.source >= 0, self.source, np.iinfo(np.int64).max).min(1)
        return float((self.source.max(1) > low).mean())

    def key_cells(self, constraints: Iterable[Constraint], skeleton: Skeleton, fps: float) -> BoolArray:
        """(F, J) the cells that a request gives: rotations, the root, and joints with points or plants."""
        out = np.asarray(self.keys.turn_weights >= 0)
        out[:, 0] |= (self.keys.root_weights >= 0).any(1)
        for c in constraints:
            if isinstance(c, PositionAt):
                out[c.frame(self.frames, fps), skeleton.joint(c.joint)] = True
            elif isinstance(c, Plant):
                out[list(c.frames(self.frames, fps)), skeleton.joint(c.joint)] = True
        return out

    def bands(self) -> list[Band]:
        """The stretches of the clips that the root comes from."""
        root = self.source[:, 0]
        which, frame = (rows[:, 0] for rows in self.clip_frames)
        seams = np.flatnonzero((np.diff(root) != 1) & ((root[1:] >= 0) | (root[:-1] >= 0))) + 1
        out = []
        for a, b in pairwise([0, *seams.tolist(), len(root)]):
            name = "key" if root[a] < 0 else f"{self.names[which[a]]}#{int(frame[a])}"
            out.append(Band(a, b - a, name, "key" if root[a] < 0 else "clip"))
        return out


def fixed_cells(keys: Keys) -> BoolArray:
    """(F, J) the cells whose value is that of a hard key; of the root, where both its tilt and its height are."""
    out = np.asarray(keys.turn_weights == HARD)
    out[:, 0] &= keys.root_weights[:, HEIGHT] == HARD
    return out
