"""The one-level motion graph: clips, blended transitions between them, and routes that follow a path (GUAN 2.4.1)."""

from motionloom.methods.graph.diagnose.coverage import Coverage, coverage
from motionloom.methods.graph.model import GraphPlan
from motionloom.methods.motion_graph.config import Config, Options
from motionloom.methods.motion_graph.fit import fit
from motionloom.methods.motion_graph.model import MotionGraphModel

MODEL = MotionGraphModel

__all__ = ["MODEL", "Config", "Coverage", "GraphPlan", "MotionGraphModel", "Options", "coverage", "fit"]
