"""Learning for motion matching: clips with contacts."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.random import Generator

from motionloom.core import BadRequest, Clip, Progress, silent
from motionloom.core.note import info
from motionloom.core.progress import each
from motionloom.kinematics.feet.contacts import with_contacts
from motionloom.methods.graph.frame_names import with_mirrored
from motionloom.methods.motion_matching.config import Config
from motionloom.methods.motion_matching.model import MotionMatchingModel

DEFAULT = Config()
MIN_FRAMES = 4  # of a clip: one to jump to, and some to continue with


def fit(
    clips: Sequence[Clip], config: Config = DEFAULT, *, rng: Generator | None = None, progress: Progress | None = None
) -> MotionMatchingModel:
    """Learn from clips of one skeleton at one frame rate (see `methods.prepare`). No randomness is involved."""
    long = [clip for clip in clips if len(clip) >= MIN_FRAMES]
    whole = [with_contacts(clip) for clip in each(long, progress or silent(), "finding contacts")]
    if not whole:
        raise BadRequest(f"motion-matching: expected a clip of at least {MIN_FRAMES} frames at {clips[0].fps:g} fps")
    if config.mirror:
        whole = with_mirrored(whole)
    model = MotionMatchingModel(skeleton=whole[0].skeleton, config=config, fps=whole[0].fps, clips=tuple(whole))
    return MotionMatchingModel(
        skeleton=model.skeleton, config=config, fps=whole[0].fps, clips=model.clips, notes=info(*model.facts())
    )
