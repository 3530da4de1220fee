"""Motion texture: every joint is chosen by its neighbourhood in joints and time, from one example or many."""

from motionloom.methods.texture.config import Config, Options
from motionloom.methods.texture.fit import fit
from motionloom.methods.texture.model import TextureModel

MODEL = TextureModel

__all__ = ["MODEL", "Config", "Options", "TextureModel", "fit"]
