"""Loop clips and join them with plain cuts: the simplest method, and the baseline for all others."""

from motionloom.methods.cuts.config import Config, Options
from motionloom.methods.cuts.fit import fit
from motionloom.methods.cuts.model import CutsModel

MODEL = CutsModel

__all__ = ["MODEL", "Config", "CutsModel", "Options", "fit"]
