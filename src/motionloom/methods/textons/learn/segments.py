"""Observed segments: the stretches of clips that textons were learned from."""

from __future__ import annotations

from dataclasses import dataclass

from motionloom.core import BoolArray, FloatArray
from motionloom.kinematics.local_frames import Frames


@dataclass(frozen=True, eq=False)
class Observed:
    """An observed segment of a texton, with the two frames that followed it."""

    texton: int
    source: str
    frame: int  # where it starts in the source file,
    pace: float  # and how many frames of that one frame here stands for
    covers: int  # frames of the clip that are its own: `length`, or, at a clip's end, the two after it as well
    frames: Frames  # length + 2
    contacts: BoolArray  # (length + 2, P) which foot parts stand, in the order of the model's `contact_names`
    slip: FloatArray  # (length + 2, P, 2) m: how far each foot part moves over the ground to the next frame
    low: FloatArray  # (length + 2,) m: how far the lowest foot part is above its usual height on the floor
    move: FloatArray  # (3,) how far it travels to the left and forward (m), and turns (rad)

    @property
    def length(self) -> int:
        return len(self.frames) - 2

    def frame_of(self, at: int) -> int:
        """The frame of the source file that its frame `at` comes from."""
        return self.frame + round(at * self.pace)

    @property
    def keys(self) -> Frames:
        """Its first two frames."""
        return self.frames[:2]

    @property
    def after(self) -> Frames:
        """The two frames that followed it."""
        return self.frames[-2:]
