"""Textons: linear dynamic systems and their transition matrix, learned from clips (LI)."""

from motionloom.methods.textons.config import Config, Options
from motionloom.methods.textons.fit import fit
from motionloom.methods.textons.model import TextonModel

MODEL = TextonModel

__all__ = ["MODEL", "Config", "Options", "TextonModel", "fit"]
