"""Loop clips and join them with plain cuts: the simplest real method, and the baseline for all others."""

from motionloom.methods.cuts.model import Config, CutsModel, Options, fit

MODEL = CutsModel

__all__ = ["MODEL", "Config", "CutsModel", "Options", "fit"]
