"""Motion matching: ten times a second, search the frame with the most suitable pose and trajectory."""

from motionloom.methods.motion_matching.config import Config, Options
from motionloom.methods.motion_matching.fit import fit
from motionloom.methods.motion_matching.model import MotionMatchingModel

MODEL = MotionMatchingModel

__all__ = ["MODEL", "Config", "MotionMatchingModel", "Options", "fit"]
