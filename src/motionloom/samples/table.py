"""The table of samples: names, parameters with units and ranges; and `make`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from motionloom.core import BadRequest, Clip, made_here, replace
from motionloom.core.errors import unknown
from motionloom.core.fields import Field
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
from motionloom.samples.strokes import SHAPES, stroke
from motionloom.samples.styles import STYLES


@dataclass(frozen=True)
class Sample:
    """An entry of the table: the function of a sample, its parameters and its help."""

    name: str
    what: str
    maker: Callable[..., Clip]
    parameters: Mapping[str, Field] = field(default_factory=dict)

    def make(self, seed: int = 0, **given: Any) -> Clip:
        """The clip for these parameters; the others keep their defaults."""
        for name in given:
            if name not in self.parameters:
                raise BadRequest(unknown(name, self.parameters, f"{self.name} parameter"))
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
            raise BadRequest(f"seed: expected a whole number from 0, found {seed!r}")
        style = given.get("style", "normal")
        values = {n: p.check(given.get(n, self._default(n, style)), (n,)) for n, p in self.parameters.items()}
        clip = _named(self.maker(seed=int(seed), **values), values.get("style", "normal"))
        step = made_here("samples", seed=int(seed), edits=({"name": self.name}, *({n: given[n]} for n in given)))
        return replace(clip, origin=clip.origin.with_made(step))

    def _default(self, name: str, style: object) -> Any:
        """What a parameter is where it is not given: a sneaking or tired person is slower."""
        p = self.parameters[name]
        if name != "speed" or p.unit != "m/s" or style not in STYLES or p.low is None or p.high is None:
            return p.default
        return float(np.clip(p.default * STYLES[str(style)].pace, p.low, p.high))


def _named(clip: Clip, style: str) -> Clip:
    """The clip with its manner as a label too (walk and sneak), so that a request can select it."""
    if style == "normal" or clip.labels is None:
        return clip
    names = (*clip.label_names[:1], style, *clip.label_names[1:])
    return replace(clip, label_names=names, labels=np.insert(clip.labels, 1, True, axis=1))


def _sample(maker: Callable[..., Clip], what: str, **parameters: Field) -> Sample:
    fields = {**parameters, "fps": parameters.get("fps", FPS)}
    return Sample(maker.__name__, what, maker, MappingProxyType({n: field.named(n) for n, field in fields.items()}))


FPS = Field(60.0, "frame rate", "frames/s", 10, 480, slider=(24.0, 120.0), advanced=True)
STYLE = Field("normal", "manner of moving", choices=tuple(STYLES))
HAND = Field("right", "which hand", choices=("left", "right"))
TURNING = Field(0.0, "turning rate, left positive", "rad/s", -1.5, 1.5)
APPROACH = Field("stand", "standing before and after, or walking up and on", choices=("stand", "walk"))
GROUND = Field(
    None, "place to go to on an arc, instead of turn and seconds (x, z)", "m", -100, 100, slider=(-5.0, 5.0), size=2
)


def _speed(default: float, low: float, high: float) -> Field:
    return Field(default, "speed; a style has its own default", "m/s", low, high)


def _seconds(default: float, low: float = 0.5, high: float = 120.0) -> Field:
    return Field(float(default), "how long", "s", low, high, slider=(low, min(high, 20.0)))


_ALL = (
    _sample(
        walk,
        "a person walks",
        speed=_speed(1.4, 0.3, 2.4),
        turn=TURNING,
        seconds=_seconds(6.0),
        target=GROUND,
        style=STYLE,
    ),
    _sample(
        run,
        "a person runs",
        speed=_speed(3.2, 1.8, 7.0),
        turn=TURNING,
        seconds=_seconds(5.0),
        target=GROUND,
        style=STYLE,
    ),
    _sample(stand, "a person stands still", seconds=_seconds(5.0, 1.0), style=STYLE),
    _sample(idle, "a person waits, shifts the weight and looks around", seconds=_seconds(10.0, 3.0), style=STYLE),
    _sample(
        start,
        "a person stands and starts to walk",
        speed=_speed(1.4, 0.5, 1.9),
        foot=Field("right", "which foot goes first", choices=("left", "right")),
        seconds=_seconds(5.0, 3.5),
        style=STYLE,
    ),
    _sample(
        stop,
        "a person walks and stops",
        speed=_speed(1.4, 0.5, 1.9),
        foot=Field("right", "which foot the clip starts with", choices=("left", "right")),
        seconds=_seconds(5.0, 4.0),
        style=STYLE,
    ),
    _sample(
        walk_run,
        "a person walks, runs and walks again",
        walk=Field(1.5, "speed of the walk", "m/s", 1.0, 1.9),
        run=Field(3.0, "speed of the run", "m/s", 2.3, 4.5),
        seconds=_seconds(9.0, 7.0),
        style=STYLE,
    ),
    _sample(
        leap,
        "a person walks, leaps over a gap and walks on",
        distance=Field(0.75, "width of the gap", "m", 0.6, 0.92),
        speed=Field(1.6, "speed of the walk", "m/s", 1.5, 1.9),
        seconds=_seconds(4.4, 4.0),
        style=STYLE,
    ),
    _sample(
        carry,
        "a person walks and carries a box, a chair or a cup",
        thing=Field("box", "what is carried", choices=("box", "chair", "cup")),
        speed=_speed(1.0, 0.3, 1.8),
        turn=TURNING,
        width=Field(0.34, "width of the box or chair", "m", 0.15, 0.6),
        seconds=_seconds(6.0),
        target=GROUND,
        style=STYLE,
    ),
    _sample(
        jump,
        "a person jumps up, or ahead",
        height=Field(0.35, "rise of the hips above standing", "m", 0.12, 0.7),
        distance=Field(0.0, "how far ahead the feet land", "m", 0.0, 1.8),
        turn=Field(0.0, "turn in the air, left positive", "rad", -3.2, 3.2),
        approach=APPROACH,
        style=STYLE,
    ),
    _sample(
        punch,
        "a boxer punches a target",
        target=Field((-0.05, 1.42, 0.72), "where the hand hits (x, y, z)", "m", -2.0, 2.0, size=3),
        hand=HAND,
        count=Field(3, "number of punches", "", 1, 30),
        speed=Field(1.0, "tempo of a blow; 1 is 0.2 s from guard to hit", "", 0.4, 1.6),
        style=STYLE,
    ),
    _sample(
        box,
        "a boxer dances on guard from one foot to the other, and turns",
        turn=Field(0.0, "how far each time, left positive", "rad", -1.0, 1.0),
        speed=Field(1.0, "tempo; 1 is 0.7 s for both feet", "", 0.5, 1.5),
        count=Field(1, "how many times", "", 1, 30),
        style=STYLE,
    ),
    _sample(
        wave,
        "a person stands and waves a hand",
        hand=HAND,
        speed=Field(2.0, "waves per second", "Hz", 0.6, 3.5),
        seconds=_seconds(5.0, 2.5),
        style=STYLE,
    ),
    _sample(
        look,
        "a person stands and looks around, eyes first",
        target=Field(None, "point to look at, and back (x, y, z)", "m", -100, 100, slider=(-3.0, 3.0), size=3),
        speed=Field(1.0, "tempo of the head", "", 0.4, 2.0),
        seconds=_seconds(8.0, 2.0),
        style=STYLE,
    ),
    _sample(
        dance,
        "a person dances a routine of sixteen counts, over and over",
        bpm=Field(112.0, "tempo", "beats/min", 70, 140),
        seconds=_seconds(18.0, 2.0),
        style=STYLE,
    ),
    _sample(
        turn,
        "a person turns on the spot",
        turn=Field(1.5708, "how far, left positive", "rad", -6.3, 6.3),
        speed=Field(1.0, "tempo; 1 is half a second a step", "", 0.5, 1.6),
        count=Field(0, "pairs of steps; 0: as many as needed", "", 0, 12),
        foot=Field("inner", "which foot goes first", choices=("inner", "left", "right")),
        style=STYLE,
    ),
    _sample(
        steps,
        "a person climbs stairs, up or down",
        rise=Field(0.17, "height of a stair", "m", 0.05, 0.24),
        run=Field(0.29, "depth of a stair", "m", 0.22, 0.45),
        count=Field(5, "number of stairs", "", 1, 60),
        direction=Field("up", "up or down the stairs", choices=("up", "down")),
        speed=Field(1.0, "tempo; 1 is about 0.65 s a stair", "", 0.5, 1.5),
        platform=Field(None, "height of a platform instead of stairs", "m", 0.2, 0.55),
        approach=APPROACH,
        style=STYLE,
    ),
    _sample(
        sit,
        "a person sits down and gets up again",
        height=Field(0.45, "height of the seat", "m", 0.25, 0.75),
        seconds=_seconds(7.0, 4.5),
        speed=Field(1.0, "tempo of going down and up", "", 0.8, 1.6),
        approach=APPROACH,
        style=STYLE,
    ),
    _sample(
        duck,
        "a person ducks under something",
        height=Field(1.2, "top of the head at the lowest point", "m", 1.0, 1.65),
        side=Field(0.0, "dodge: 1 to the left, -1 to the right", "", -1, 1),
        speed=Field(1.0, "tempo; 1 is 0.38 s down", "", 0.5, 1.5),
        position=Field("stand", "standing at ease, or a boxer on guard", choices=("stand", "guard")),
        style=STYLE,
    ),
    _sample(
        cartwheel,
        "a person turns a cartwheel to the left",
        speed=Field(1.0, "tempo", "", 0.7, 1.3),
        turn=Field(None, "turn on the spot afterwards, left positive; none: no steps", "rad", -3.2, 3.2),
        style=STYLE,
    ),
    _sample(
        dog_walk,
        "a dog walks",
        speed=Field(1.1, "speed", "m/s", 0.3, 1.8),
        turn=Field(0.0, "turning rate, left positive", "rad/s", -1.2, 1.2),
        seconds=_seconds(6.0),
        target=GROUND,
    ),
    _sample(
        dog_trot,
        "a dog trots",
        speed=Field(2.2, "speed", "m/s", 1.5, 3.2),
        turn=Field(0.0, "turning rate, left positive", "rad/s", -1.2, 1.2),
        seconds=_seconds(5.0),
        target=GROUND,
    ),
    _sample(
        dog_jump,
        "a dog jumps ahead",
        height=Field(0.3, "rise of the middle of the trunk", "m", 0.12, 0.6),
        distance=Field(1.0, "how far ahead it lands", "m", 0.3, 2.0),
        turn=Field(0.0, "turn in the air, left positive", "rad", -0.8, 0.8),
    ),
    _sample(
        stroke,
        "a pen draws a letter or a figure",
        letter=Field("a", "what is drawn", choices=tuple(SHAPES)),
        height=Field(0.02, "height of a small letter", "m", 0.001, 2.0, scale="log"),
        speed=Field(0.08, "mean speed of the pen", "m/s", 0.005, 10.0, scale="log"),
        slant=Field(0.15, "lean to the right", "rad", -0.6, 0.6),
        count=Field(1, "how many times", "", 1, 50),
        fps=Field(100.0, "frame rate", "frames/s", 10, 480, slider=(30.0, 200.0), advanced=True),
    ),
)

SAMPLES: Mapping[str, Sample] = MappingProxyType({s.name: s for s in _ALL})


def make(name: str, seed: int = 0, **parameters: Any) -> Clip:
    """A clip of the sample `name`; the same seed gives the same bits, another seed another performance.

    >>> make("walk", seed=1, speed=1.2, seconds=2).seconds
    2.0
    """
    if name not in SAMPLES:
        raise BadRequest(unknown(name, SAMPLES, "sample"))
    return SAMPLES[name].make(seed, **parameters)
