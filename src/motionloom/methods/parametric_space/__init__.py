"""Parametric space: blends of examples of one action, chosen by measured parameters."""

from motionloom.methods.parametric_space.config import Config, Options
from motionloom.methods.parametric_space.fit import fit
from motionloom.methods.parametric_space.model import ParametricSpaceModel

MODEL = ParametricSpaceModel

__all__ = ["MODEL", "Config", "Options", "ParametricSpaceModel", "fit"]
