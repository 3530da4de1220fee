"""Motion transfer (EDEN 5.2.3): a is to a' as b is to the result.

Every frame of a' belongs to a moment of a, found by time alignment. The result is a texture of a' with a third term in
the comparison: a frame of a' fits a frame of b as far as the feet in its moment of a are where those of b are, each in
units of their own motion, because strides of b may be longer. So a and b have one skeleton; a' and the result have
another one, or the same. a' is played so fast that its step cycles last as long as those of b, where both have one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from motionloom.analysis.alignment import align
from motionloom.constraints import Request
from motionloom.core import BadRequest, Clip, FloatArray, IntArray, Progress, SkeletonMismatch, part, replace, silent
from motionloom.core.numbers import squared_distances
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import with_contacts
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import travel
from motionloom.methods.learning import learn
from motionloom.methods.synthesis import finished
from motionloom.methods.texture.coherent.frame_prices import Price
from motionloom.methods.texture.coherent.parts import JointGroup, features
from motionloom.methods.texture.looping import step_cycle
from motionloom.methods.texture.model import TextureModel
from motionloom.rotation import rotate, yaw

UNLIKE = 0.02  # m^2: a frame whose feet are a standard deviation from those of b
ANALOGY = 0.5  # weight of the third term beside the others
MAX_RATE = 2.5  # times: a' is played at most this much faster or slower
SHORTEST = 3  # frames of a clip
MAX_STEPS = 4  # frames of one clip in a row that may belong to one frame of the other


class Transferred(NamedTuple):
    """The result of a transfer, and what it rests on."""

    clip: Clip
    moments: IntArray  # (N,) the frame of a that each frame of a' belongs to
    rate: float  # how many times as fast a' was played
    gap: float  # m: RMS distance of the frames of b from the moments of a that are shown


def transfer(
    a: Clip, a_styled: Clip, b: Clip, *, seed: int = 0, weight: float = ANALOGY, progress: Progress | None = None
) -> Transferred:
    """What `a_styled` is to `a`, for `b`: as long as b, on the skeleton of `a_styled`.

    >>> from motionloom.samples import make
    >>> walk, slow, fast = (make("walk", seconds=3, speed=s, seed=1) for s in (1.2, 0.8, 1.5))
    >>> len(transfer(walk, slow, fast).clip) / 30
    3.0
    """
    if a.skeleton.names != b.skeleton.names:
        raise SkeletonMismatch("a and b need one skeleton: their frames are compared with each other")
    _common_feet(a_styled, a)
    report = progress or silent()
    fps = 30.0
    plain, given = (with_contacts(resample(clip, fps)) for clip in (a, b))
    if min(len(plain), len(given), a_styled.seconds * fps) < SHORTEST:
        raise BadRequest(f"a transfer needs clips of at least {SHORTEST} frames at {fps:g} fps")
    own, wanted = step_cycle(with_contacts(a_styled)), step_cycle(given)
    rate = float(np.clip(own / wanted, 1 / MAX_RATE, MAX_RATE)) if own and wanted else 1.0
    model = learn("texture", [_faster(a_styled, rate)], {"fps": fps}, progress=part(report, 0.0, 0.3))
    assert isinstance(model, TextureModel)
    shown = model.clips[0]
    moments = corresponding(shown, _faster(plain, rate, fps))
    moments = np.minimum(np.round(moments * rate).astype(np.int64), len(plain) - 1)
    rows = features([plain, given], [JointGroup("body", tuple(range(len(plain.skeleton))))])[0]
    squares = squared_distances(rows[len(plain) :], rows[: len(plain)])[:, moments]
    steps = squared_distances(_standardised(given), _standardised(plain))[:, moments]
    third = [Price(t, t + 1, weight * UNLIKE * row) for t, row in enumerate(steps)]
    request, rng = Request(frames=len(given)), np.random.default_rng([seed, 0])
    options = model.options(request)
    plan = model.plan_with(request, options, rng, part(report, 0.3, 0.7), third)
    made = model.render(plan, request, options, rng, part(report, 0.7, 0.8))
    clip, _ = finished(model, made, request, part(report, 0.8, 1.0))
    gap = float(np.sqrt(squares[np.arange(len(given)), plan.tracks[0]].mean()))
    report(1.0, "done")
    return Transferred(clip, moments, rate, gap)


def corresponding(clip: Clip, other: Clip) -> IntArray:
    """(F,) the frame of `other` that each frame of `clip` belongs to: `analysis.align` by the feet that both have."""
    limit = max(MAX_STEPS, -(-max(len(clip), len(other)) // min(len(clip), len(other))) + 1)
    found = align(clip, other, measure=CommonFeet(), limit=limit)
    times = found.curve.matching(np.arange(len(clip)) / clip.fps)
    return np.clip(np.round(times * other.fps), 0, len(other) - 1).astype(np.int64)


@dataclass(frozen=True)
class CommonFeet:
    """Costs of frames of different bodies, for `align`: feet seen from the hips, in leg lengths, and their speed.

    Each number is divided by its standard deviation over both clips; without a unit.
    """

    radius: int = 0
    unit: ClassVar[str] = ""

    def matrix(self, a: Clip, b: Clip, progress: Progress | None = None) -> FloatArray:
        """(F_a, F_b) squared distances."""
        rows = [_foot_rows(c, _common_feet(a, b)) for c in (a, b)]
        scale = np.maximum(np.std(np.concatenate(rows), axis=0), 1e-6)
        cost = squared_distances(rows[0] / scale, rows[1] / scale)
        (progress or silent())(1.0, "comparing feet")
        return cost


def _common_feet(a: Clip, b: Clip) -> list[str]:
    """The names of the feet that both bodies have; `BadRequest` if there are none."""
    names = [foot.name for foot in feet(a.skeleton) if foot.name in {f.name for f in feet(b.skeleton)}]
    if not names:
        raise BadRequest("the two bodies have no foot in common, so their motions cannot be aligned in time")
    return names


def _foot_rows(clip: Clip, names: list[str]) -> FloatArray:
    """(F, 4 feet) places of the ankles seen from the hips, in leg lengths, and how fast they move forwards."""
    path, legs = travel(clip), {foot.name: foot for foot in feet(clip.skeleton)}
    ankles = fk(clip)[:, [legs[name].ankle for name in names]]
    seen = rotate(yaw(-path.heading)[:, None], ankles - clip.root[:, None]) / leg_length(clip.skeleton)
    speed = np.gradient(seen[..., 2], axis=0) * clip.fps
    return np.concatenate([seen, speed[..., None]], -1).reshape(len(clip), -1)


def _standardised(clip: Clip) -> FloatArray:
    """(F, D) `_foot_rows` of a clip without their mean, over their deviations, and over the root of D."""
    rows = _foot_rows(clip, [foot.name for foot in feet(clip.skeleton)])
    rows = rows - rows.mean(0)
    return np.asarray(rows / np.maximum(rows.std(0), 1e-6) / np.sqrt(rows.shape[1]))


def _faster(clip: Clip, rate: float, fps: float | None = None) -> Clip:
    """The clip played so many times as fast, at its own frame rate or at `fps`."""
    return resample(replace(clip, fps=clip.fps * rate), fps or clip.fps)
