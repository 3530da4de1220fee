"""Multilinear interpolation: examples of one action resampled to a regular grid of parameters."""

from motionloom.methods.multilinear.config import Config, Options
from motionloom.methods.multilinear.fit import fit
from motionloom.methods.multilinear.model import MultilinearModel

MODEL = MultilinearModel

__all__ = ["MODEL", "Config", "MultilinearModel", "Options", "fit"]
