"""Two-level motion graph: a Markov process on frames, and clusters of frames above it that say what can be done."""

from motionloom.methods.two_level_graph.config import Config, Options
from motionloom.methods.two_level_graph.fit import fit
from motionloom.methods.two_level_graph.model import TwoLevelGraph

MODEL = TwoLevelGraph

__all__ = ["MODEL", "Config", "Options", "TwoLevelGraph", "fit"]
