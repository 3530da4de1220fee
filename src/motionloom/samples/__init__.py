"""Performers that we compute ourselves, from published gait figures and inverse kinematics: clips without a download.

`make("walk", speed=1.2, seed=3)` gives a clip with true foot plants as labels; `SAMPLES` lists what there is.
"""

from motionloom.samples.actions.carry import carry
from motionloom.samples.actions.jump import jump
from motionloom.samples.actions.look import look
from motionloom.samples.actions.punch import punch
from motionloom.samples.actions.wave import wave
from motionloom.samples.locomotion import run, walk
from motionloom.samples.table import SAMPLES, Parameter, Sample, make

__all__ = ["SAMPLES", "Parameter", "Sample", "carry", "jump", "look", "make", "punch", "run", "walk", "wave"]
