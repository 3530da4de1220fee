"""The hierarchical motion graph: edges clustered into trees, and a randomised search that can be stopped any time."""

from motionloom.methods.hierarchical_graph.model import Config, HierarchicalGraph, Options, Plan, fit

MODEL = HierarchicalGraph

__all__ = ["MODEL", "Config", "HierarchicalGraph", "Options", "Plan", "fit"]
