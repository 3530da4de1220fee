"""Computed sample clips, from published gait data and inverse kinematics, that need no download.

`make("walk", speed=1.2, seed=3)` gives a clip with true foot plants as labels; `SAMPLES` lists what there is.
"""

from motionloom.samples.actions.box import box
from motionloom.samples.actions.carry import carry
from motionloom.samples.actions.cartwheel import cartwheel
from motionloom.samples.actions.dance import dance
from motionloom.samples.actions.duck import duck
from motionloom.samples.actions.jump import jump
from motionloom.samples.actions.look import look
from motionloom.samples.actions.punch import punch
from motionloom.samples.actions.sit import sit
from motionloom.samples.actions.stand import idle, stand
from motionloom.samples.actions.steps import steps
from motionloom.samples.actions.turn import turn
from motionloom.samples.actions.wave import wave
from motionloom.samples.changing import leap, start, stop, walk_run
from motionloom.samples.dog_gait import dog_trot, dog_walk
from motionloom.samples.dog_jump import dog_jump
from motionloom.samples.locomotion import run, walk
from motionloom.samples.strokes import stroke
from motionloom.samples.table import SAMPLES, Sample, make

__all__ = [
    "SAMPLES",
    "Sample",
    "box",
    "carry",
    "cartwheel",
    "dance",
    "dog_jump",
    "dog_trot",
    "dog_walk",
    "duck",
    "idle",
    "jump",
    "leap",
    "look",
    "make",
    "punch",
    "run",
    "sit",
    "stand",
    "start",
    "steps",
    "stop",
    "stroke",
    "turn",
    "walk",
    "walk_run",
    "wave",
]
