"""Textons: linear dynamic systems and their transition matrix, learnt from clips (LI)."""

from motionloom.methods.textons.model import Config, Options, TextonModel, fit

MODEL = TextonModel

__all__ = ["MODEL", "Config", "Options", "TextonModel", "fit"]
