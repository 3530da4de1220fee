"""Two-level motion graph: a Markov process on frames, and clusters of frames that describe what can follow."""

from motionloom.methods.two_level_graph.config import Config, Options
from motionloom.methods.two_level_graph.fit import fit
from motionloom.methods.two_level_graph.model import TwoLevelGraphModel

MODEL = TwoLevelGraphModel

__all__ = ["MODEL", "Config", "Options", "TwoLevelGraphModel", "fit"]
