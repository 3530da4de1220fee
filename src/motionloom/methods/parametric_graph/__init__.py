"""Parametric motion graphs: nodes are spaces of one action, edges say which of its motions can follow which."""

from motionloom.methods.parametric_graph.config import Config, Options
from motionloom.methods.parametric_graph.fit import fit
from motionloom.methods.parametric_graph.model import ParametricGraphModel

MODEL = ParametricGraphModel

__all__ = ["MODEL", "Config", "Options", "ParametricGraphModel", "fit"]
