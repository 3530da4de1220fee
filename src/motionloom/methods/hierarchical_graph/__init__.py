"""The hierarchical motion graph: edges clustered into trees, and a randomised search from coarse to fine."""

from motionloom.methods.hierarchical_graph.config import Config, Options
from motionloom.methods.hierarchical_graph.fit import fit
from motionloom.methods.hierarchical_graph.model import HierarchicalGraphModel, HierarchicalPlan

MODEL = HierarchicalGraphModel

__all__ = ["MODEL", "Config", "HierarchicalGraphModel", "HierarchicalPlan", "Options", "fit"]
