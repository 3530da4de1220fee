"""Textons: linear dynamic systems and their transition matrix, learnt from clips (LI)."""

from motionloom.methods.textons.fitting import fit
from motionloom.methods.textons.model import TextonModel
from motionloom.methods.textons.options import Config, Options

MODEL = TextonModel

__all__ = ["MODEL", "Config", "Options", "TextonModel", "fit"]
