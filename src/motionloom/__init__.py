"""Learn from the motion clips you have, and make the ones you need.

The names below are the whole public front; each lives in the folder that the table says, and is imported when it is
first used, so that `import motionloom` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from motionloom import samples as samples
    from motionloom.constraints import Request as Request
    from motionloom.core import Clip as Clip
    from motionloom.core import Markers as Markers
    from motionloom.core import MotionloomError as MotionloomError
    from motionloom.core import Skeleton as Skeleton
    from motionloom.core import concatenate as concatenate
    from motionloom.core import replace as replace
    from motionloom.io import load as load
    from motionloom.io import save as save
    from motionloom.kinematics import find_loop as find_loop
    from motionloom.kinematics import fk as fk
    from motionloom.kinematics import mirror as mirror
    from motionloom.kinematics import remove_skate as remove_skate
    from motionloom.kinematics import resample as resample
    from motionloom.kinematics import retarget as retarget
    from motionloom.kinematics import travel as travel
    from motionloom.kinematics import with_contacts as with_contacts
    from motionloom.methods import learn as learn
    from motionloom.methods import load_model as load_model
    from motionloom.methods import save_model as save_model
    from motionloom.methods import synthesize as synthesize
    from motionloom.plot import animate as animate
    from motionloom.plot import save_filmstrip as save_filmstrip
    from motionloom.plot import write_player as write_player

__version__ = "0.1.0"

_HOME = {
    "Clip": "core",
    "Markers": "core",
    "MotionloomError": "core",
    "Request": "constraints",
    "Skeleton": "core",
    "animate": "plot",
    "concatenate": "core",
    "find_loop": "kinematics",
    "fk": "kinematics",
    "learn": "methods",
    "load": "io",
    "load_model": "methods",
    "mirror": "kinematics",
    "remove_skate": "kinematics",
    "replace": "core",
    "resample": "kinematics",
    "retarget": "kinematics",
    "save": "io",
    "save_filmstrip": "plot",
    "save_model": "methods",
    "synthesize": "methods",
    "travel": "kinematics",
    "with_contacts": "kinematics",
    "write_player": "plot",
}

__all__ = [
    "Clip",
    "Markers",
    "MotionloomError",
    "Request",
    "Skeleton",
    "animate",
    "concatenate",
    "find_loop",
    "fk",
    "learn",
    "load",
    "load_model",
    "mirror",
    "remove_skate",
    "replace",
    "resample",
    "retarget",
    "samples",
    "save",
    "save_filmstrip",
    "save_model",
    "synthesize",
    "travel",
    "with_contacts",
    "write_player",
]


def __getattr__(name: str) -> Any:
    if name == "samples":
        return import_module("motionloom.samples")
    if name in _HOME:
        return getattr(import_module(f"motionloom.{_HOME[name]}"), name)
    raise AttributeError(f"module 'motionloom' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
