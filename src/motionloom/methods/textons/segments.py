"""Segments: stretches of clips that textons describe, as learning finds them and as a model keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, IntArray, Skeleton, Source, replace
from motionloom.kinematics.feet.clearance import usual_clearance
from motionloom.kinematics.local_frames import Frames, joined, restore


@dataclass(frozen=True, eq=False)
class Segment:
    """A stretch of one clip that one texton describes."""

    clip: int
    start: int
    stop: int
    label: int

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, eq=False)
class ObservedSegment:
    """The frames of a segment, with the two frames that followed it."""

    texton: int
    source: str
    frame: int  # where it starts in the source file
    pace: float  # frames of the source file per frame of the segment
    covers: int  # frames of the clip that belong to it: `length`, or, at a clip's end, the two after it as well
    frames: Frames  # length + 2
    contacts: BoolArray  # (length + 2, P) which foot parts stand, in the order of the model's `contact_names`
    slip: FloatArray  # (length + 2, P, 2) m: how far each foot part moves over the ground to the next frame
    labels: BoolArray  # (length + 2, L) which of the model's `label_names` each frame has
    low: FloatArray  # (length + 2,) m: height of the lowest foot part above its usual height on the floor
    move: FloatArray  # (3,) displacement to the left and forward (m), and turn (rad)

    @property
    def length(self) -> int:
        return len(self.frames) - 2

    def frame_of(self, at: int) -> int:
        """The frame of the source file that frame `at` of the segment comes from."""
        return self.frame + round(at * self.pace)

    @property
    def keys(self) -> Frames:
        """Its first two frames."""
        return self.frames[:2]

    @property
    def after(self) -> Frames:
        """The two frames that followed it."""
        return self.frames[-2:]


@dataclass(frozen=True, eq=False)
class Segments:
    """All observed segments of a model, and the body that they belong to."""

    observed: tuple[ObservedSegment, ...]
    texton_count: int
    skeleton: Skeleton
    fps: float
    shortest: int  # frames, T_min
    contact_names: tuple[str, ...]  # (P) labels of foot parts
    heights: FloatArray  # (P,) m: usual height of each foot part while it stands
    label_names: tuple[str, ...]  # (L) labels other than contacts
    known_sources: Mapping[str, Source]  # by the name of the clip

    def __len__(self) -> int:
        return len(self.observed)

    def __getitem__(self, index: int) -> ObservedSegment:
        return self.observed[index]

    @cached_property
    def textons(self) -> IntArray:
        """(n,) the texton of every segment."""
        return np.array([o.texton for o in self.observed])

    def of_texton(self, texton: int) -> list[int]:
        """Indices of a texton's segments."""
        return [k for k, o in enumerate(self.observed) if o.texton == texton]

    def name(self, index: int) -> str:
        """A segment in the notation of paths: 7#1 is segment 1 of texton 7."""
        texton = self.observed[index].texton
        return f"{texton}#{self.of_texton(texton).index(index)}"

    def clip(self, index: int) -> Clip:
        """A segment as a clip again, from the origin."""
        seen = self.observed[index]
        clip = restore(joined([seen.frames[: seen.length]]), self.skeleton, self.fps)
        on = seen.contacts[: seen.length]
        return replace(clip, label_names=self.contact_names, labels=on) if on.shape[1] else clip

    @cached_property
    def clearance(self) -> float:
        """Metres that swinging toes usually keep above the floor (`usual_clearance`)."""
        return usual_clearance([self.clip(k) for k in range(len(self))])

    @cached_property
    def origins(self) -> tuple[tuple[Source, ...], IntArray]:
        """The clips that segments come from; and for each segment, which of them."""
        names = list(dict.fromkeys(o.source for o in self.observed))
        sources = tuple(self.known_sources.get(name, Source(name)) for name in names)
        return sources, np.array([names.index(o.source) for o in self.observed])
