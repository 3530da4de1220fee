"""Splicing the upper body of one locomotion onto the lower body of another (HECK 4.2)."""

from motionloom.blend.splice.splice import BASELINES, FULL, GLOBAL, HECK, NAIVE, TIME_ONLY, Splice, Stages, splice

__all__ = ["BASELINES", "FULL", "GLOBAL", "HECK", "NAIVE", "TIME_ONLY", "Splice", "Stages", "splice"]
