"""Live characters: stepping them, recording them as clips, layers on top of them, and crowds."""

from motionloom.control.crowd import keep_apart, replace_members
from motionloom.control.foot_lock import FootLockLayer, foot_locked
from motionloom.control.layered import Layered
from motionloom.control.record import record
from motionloom.control.stepping import Steered, run
from motionloom.control.streaming import stream_clip

__all__ = [
    "FootLockLayer",
    "Layered",
    "Steered",
    "foot_locked",
    "keep_apart",
    "record",
    "replace_members",
    "run",
    "stream_clip",
]
