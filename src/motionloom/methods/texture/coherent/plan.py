"""The choice of example frames for all parts of the body, one part after the other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from motionloom.constraints import Pace, Plant, PoseAlong, PoseAt, Request, RootAt, Style
from motionloom.core import BoolArray, Clip, FloatArray, IntArray, Progress
from motionloom.core.numbers import squared_distances
from motionloom.core.progress import parts as split
from motionloom.methods.texture.coherent.choose import IMPOSSIBLE, Prices, choose_frames, intervals
from motionloom.methods.texture.coherent.frame_prices import (
    Price,
    RootGuide,
    Wanted,
    along_prices,
    example_rates,
    guide,
    height_prices,
    pace_prices,
    plant_prices,
    pose_prices,
    style_prices,
)
from motionloom.methods.texture.coherent.links import GAP, WINDOW, Clips, FrameLinks
from motionloom.methods.texture.coherent.parts import JointGroup
from motionloom.methods.texture.config import Options

Float32 = NDArray[np.float32]

CARRIER = Prices(jump=10.0, each=0.003, stay=0.03, extra=0.05, repeat=0.0018)
LIMB = Prices(jump=10.0, each=0.003, stay=0.02, extra=0.4, repeat=0.0002)
OWN = 0.005  # m^2: a limb that comes from the same stretch as the legs, in one frame
COPY, LEAVE = 1.3, 0.35  # s that all parts may show one stretch, and s at the end of it in which the last part leaves
COPIED = 128.0  # times `OWN` that staying costs then
ROUGH = 0.02  # m^2: a frame whose accelerations are twice what is usual at most
SEAM, SEAM_TIME = 0.5, 0.1  # a seam shows if it changes the legs by more than this share of what s of motion do
LEG_INTERVAL, LIMB_INTERVAL = (0.7, 1.1), (0.5, 0.9)  # s: in each a part jumps once to another stretch
BROKEN = 1e-3  # of what is impossible: a broken frame, which is shown only where nothing else keeps the request


class ExampleArrays(NamedTuple):
    """The examples as the choice reads them."""

    clips: Sequence[Clip]
    ends: Clips
    parts: tuple[JointGroup, ...]
    features: tuple[FloatArray, ...]  # (N, D) of each part
    links: tuple[FrameLinks, ...]
    influence: FloatArray  # (J, J)
    broken: BoolArray  # (N,) frames that `motionloom check` calls broken
    rough: tuple[FloatArray, ...]  # (N,) of each part: see `roughness`

    def part_weights(self) -> FloatArray:
        """(P, P) how much part q counts in the choice of part p, for q < p: the mean of M over their joints."""
        out = np.zeros((len(self.parts), len(self.parts)))
        for p, own in enumerate(self.parts):
            for q, other in enumerate(self.parts[:p]):
                out[p, q] = self.influence[np.ix_(own.joints, other.joints)].mean()
        total = out.sum(1, keepdims=True)
        return np.divide(out, total, out=np.zeros_like(out), where=total > 0)


def choose_parts(
    material: ExampleArrays,
    request: Request,
    frames: int,
    options: Options,
    rng: Generator,
    progress: Progress,
    more: Sequence[Price] = (),
) -> list[IntArray]:
    """(F,) example frames of each part; `more` prices of them count for every part."""
    fps = material.clips[0].fps
    steps = split(progress, [2.0] + [1.0] * (len(material.parts) - 1))
    rates, apart = example_rates(material.clips), round(options.blend * fps)
    lead = guide(request, frames, fps)
    shown: list[IntArray] = []
    for number, (part, links) in enumerate(zip(material.parts, material.links, strict=True)):
        wanted = _wanted(material, request, part, frames, lead if number == 0 else None, number == 0, rates)
        wanted = wanted._replace(prices=(*wanted.prices, *more))
        prices = LIMB if number else CARRIER
        if number == 0:
            prices = prices._replace(visible=_visible(material.features[0], material.ends, fps))
        last = intervals(frames, fps, LIMB_INTERVAL if number else LEG_INTERVAL, rng)
        beside = _Beside(material, number, shown, wanted, fps)
        seams = partial(_loop_seams, material, number, prices) if options.loop else None
        shown.append(
            choose_frames(
                beside.costs, frames, links, material.ends, fps, prices, last, apart, rng, steps[number], seams
            )
        )
    return shown


def _visible(rows: FloatArray, ends: Clips, fps: float) -> float:
    """m^2: the cost of a link from which on a seam shows, for features (N, D): relative to how fast the body moves."""
    step = max(1, round(SEAM_TIME * fps))
    later = np.arange(len(rows)) + step
    rows_after = rows[np.minimum(later, ends.last)]
    change = ((rows_after - rows) ** 2).sum(1)[later <= ends.last]
    return SEAM**2 * max(float(np.median(change)) if len(change) else 0.0, 1e-6)


def _loop_seams(material: ExampleArrays, number: int, prices: Prices, first: int) -> FloatArray:
    """(N,) what it costs to show frame `first` after each example frame: nothing after the one before it."""
    rows, count = material.features[number], len(material.ends.first)
    half = max(1, round(2 * WINDOW * material.clips[0].fps))
    after = np.minimum(np.arange(count) + 1, material.ends.last)
    total = np.zeros(count)
    for m in range(-half, half + 1):
        a = np.clip(after + m, material.ends.first, material.ends.last)
        b = int(np.clip(first + m, material.ends.first[first], material.ends.last[first]))
        total += ((rows[a] - rows[b]) ** 2).sum(1)
    out = prices.jump * total / (2 * half + 1) + prices.each
    if first > material.ends.first[first]:
        out[first - 1] = 0.0
    return np.asarray(out)


def _wanted(
    material: ExampleArrays,
    request: Request,
    part: JointGroup,
    frames: int,
    lead: RootGuide | None,
    rooted: bool,
    rates: tuple[FloatArray, FloatArray],
) -> Wanted:
    asked, clips = request.constraints, material.clips
    prices = style_prices((c for c in asked if isinstance(c, Style)), clips, part, frames)
    if material.broken.any() and not material.broken.all():
        prices.append(Price(0, frames, np.where(material.broken, BROKEN * IMPOSSIBLE, 0.0)))
    rough = material.rough[material.parts.index(part)]
    if rough.any() and len(material.parts) > 1:  # joints of one frame keep their noise to themselves
        prices.append(Price(0, frames, ROUGH * rough))
    prices += pose_prices((c for c in asked if isinstance(c, PoseAt)), clips, part, frames)
    prices += along_prices((c for c in asked if isinstance(c, PoseAlong)), clips, part, frames)
    if rooted:
        prices += pace_prices((c for c in asked if isinstance(c, Pace)), clips, frames)
        prices += plant_prices((c for c in asked if isinstance(c, Plant)), clips, frames, rates[0])
        prices += height_prices((c for c in asked if isinstance(c, RootAt)), clips, frames, request.ground)
    return Wanted(tuple(prices), lead, rates)


class _Beside:
    """The prices of the example frames of a part beside what the parts chosen before it show.

    A frame is dear where those parts looked different in it, as far as they count for this one (M); and dear, too, if
    it belongs to the stretch that the first part shows: a limb from there brings nothing new. Where all parts have
    shown one stretch for long, it is much dearer for the last one for a while, so that no long piece is copied.
    """

    def __init__(
        self, material: ExampleArrays, number: int, shown: Sequence[IntArray], wanted: Wanted, fps: float
    ) -> None:
        self.wanted, self.shown, self.ends = wanted, shown, material.ends
        weights = np.sqrt(material.part_weights()[number, :number])
        self.rows = [(w * rows).astype(np.float32) for w, rows in zip(weights, material.features, strict=False)]
        self.all_rows = np.concatenate(self.rows, 1) if self.rows else None
        self.gap = max(2, round(GAP * fps))
        leaving = np.mod(copied(shown) / fps, COPY) >= COPY - LEAVE
        leaving &= number == len(material.parts) - 1  # the head, or a tail: what shows least
        self.own = np.where(leaving, COPIED * OWN, OWN).astype(np.float32)

    def costs(self, first: int, stop: int) -> Float32:
        out = self.wanted.costs(first, stop)
        if self.all_rows is not None:
            here = [rows[shown[first:stop]] for rows, shown in zip(self.rows, self.shown, strict=True)]
            out += squared_distances(np.concatenate(here, 1), self.all_rows)
            near = self.shown[0][first:stop]
            low = np.maximum(near - self.gap, self.ends.first[near])
            high = np.minimum(near + self.gap, self.ends.last[near])
            at = np.arange(out.shape[1])
            out += self.own[first:stop, None] * ((at >= low[:, None]) & (at <= high[:, None]))
        return out


def copied(shown: Sequence[IntArray]) -> FloatArray:
    """(F,) for how many frames all parts have shown one stretch of the examples together; 0 without parts.

    >>> copied([np.array([3, 4, 5, 6, 9]), np.array([3, 4, 5, 7, 9])])
    array([0., 1., 2., 0., 0.])
    """
    if not shown:
        return np.zeros(0)
    same = np.all([row == shown[0] for row in shown], axis=0)
    on = np.concatenate([[False], (np.diff(shown[0]) == 1) & same[1:] & same[:-1]])
    frames = np.arange(len(on))
    return (frames - np.maximum.accumulate(np.where(on, 0, frames))).astype(float)
