"""Variation: many natural takes of a motion from a few, with a dynamic Bayesian network of its degrees of freedom."""

from motionloom.methods.variation.config import Config, Options
from motionloom.methods.variation.fit import fit
from motionloom.methods.variation.model import VariationModel

MODEL = VariationModel

__all__ = ["MODEL", "Config", "Options", "VariationModel", "fit"]
