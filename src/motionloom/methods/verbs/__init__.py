"""Verbs and adverbs: B-splines of degrees of freedom, interpolated over adverbs."""

from motionloom.methods.verbs.config import Config, Options
from motionloom.methods.verbs.fit import fit
from motionloom.methods.verbs.model import VerbModel

MODEL = VerbModel

__all__ = ["MODEL", "Config", "Options", "VerbModel", "fit"]
