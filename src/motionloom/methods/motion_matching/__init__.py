"""Motion matching: the frame whose pose and trajectory are nearest to what is wanted, searched ten times a second."""

from motionloom.methods.motion_matching.config import Config, Options
from motionloom.methods.motion_matching.fit import fit
from motionloom.methods.motion_matching.model import MotionMatchingModel

MODEL = MotionMatchingModel

__all__ = ["MODEL", "Config", "MotionMatchingModel", "Options", "fit"]
