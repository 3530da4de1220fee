"""Splicing the upper body of one locomotion onto the lower body of another (HECK 4.2)."""

from motionloom.blend.splice.splice import BASELINES, FULL, GLOBAL, NAIVE, TIME_ONLY, Splice, Stages, splice

__all__ = ["BASELINES", "FULL", "GLOBAL", "NAIVE", "TIME_ONLY", "Splice", "Stages", "splice"]
