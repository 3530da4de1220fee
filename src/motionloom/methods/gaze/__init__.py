"""Gaze: takes of gaze shifts as a parametric gaze map, applied to any motion (HECK 5)."""

from motionloom.methods.gaze.config import Config, Options
from motionloom.methods.gaze.displacement_motions import GazeMotion
from motionloom.methods.gaze.extract_displacements import extract, extract_all, extract_by_thresholds
from motionloom.methods.gaze.fit import fit
from motionloom.methods.gaze.gaze_map import GazeMap
from motionloom.methods.gaze.gaze_shifts import GazeBody, GazeState, gaze_body, gaze_step
from motionloom.methods.gaze.look_clip import Look, look_along, look_clip
from motionloom.methods.gaze.marker_takes import Marking, Shift, shift_of
from motionloom.methods.gaze.model import GazeModel

MODEL = GazeModel

__all__ = [
    "MODEL",
    "Config",
    "GazeBody",
    "GazeMap",
    "GazeModel",
    "GazeMotion",
    "GazeState",
    "Look",
    "Marking",
    "Options",
    "Shift",
    "extract",
    "extract_all",
    "extract_by_thresholds",
    "fit",
    "gaze_body",
    "gaze_step",
    "look_along",
    "look_clip",
    "shift_of",
]
