"""Live characters: stepping them, recording them as clips, layers on top of them, and crowds."""

from motionloom.blend.splice.layer import SpliceLayer
from motionloom.control.crowd import keep_apart, keep_out, replace_members
from motionloom.control.crowd_clips import crowd_clips, crowd_member
from motionloom.control.foot_lock import FootLockLayer, foot_locked
from motionloom.control.layered import Layered
from motionloom.control.overlaid import overlaid
from motionloom.control.playback import Playback
from motionloom.control.queued import Queued, queued
from motionloom.control.record import record
from motionloom.control.stepping import Steered, run
from motionloom.control.streaming import live_characters, stream_clip
from motionloom.control.varied import varied
from motionloom.methods.gaze.layer import GazeLayer

__all__ = [
    "FootLockLayer",
    "GazeLayer",
    "Layered",
    "Playback",
    "Queued",
    "SpliceLayer",
    "Steered",
    "crowd_clips",
    "crowd_member",
    "foot_locked",
    "keep_apart",
    "keep_out",
    "live_characters",
    "overlaid",
    "queued",
    "record",
    "replace_members",
    "run",
    "stream_clip",
    "varied",
]
