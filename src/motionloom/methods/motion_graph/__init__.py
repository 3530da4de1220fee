"""The one-level motion graph: clips and blended transitions between them, and ways that follow a path (GUAN 2.4.1)."""

from motionloom.methods.graph.asking import Plan
from motionloom.methods.graph.coverage import Coverage, coverage
from motionloom.methods.motion_graph.model import Config, MotionGraphModel, Options, fit

MODEL = MotionGraphModel

__all__ = ["MODEL", "Config", "Coverage", "MotionGraphModel", "Options", "Plan", "coverage", "fit"]
