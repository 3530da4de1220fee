"""Computed sample clips, from published gait data and inverse kinematics, that need no download.

`make("walk", speed=1.2, seed=3)` gives a clip with true foot plants as labels; `SAMPLES` lists what there is.
"""

from motionloom.samples.table import SAMPLES, Sample, make

__all__ = ["SAMPLES", "Sample", "make"]
