"""Channels: a clip as a plain (F, D) array of numbers, and back. Every statistical method works on these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, Skeleton, require_same_hierarchy
from motionloom.core.arrays import frozen, put
from motionloom.kinematics.travel import Travel, body_axes, from_root_motion, root_motion, travel
from motionloom.rotation import average, continuous_log, exp, inverse, log, multiply, yaw


@dataclass(frozen=True, eq=False)
class Layout:
    """What each column means: the key between clips and arrays.

    Columns, in this order:
    root "motion": left, forward (m) and turn (rad) from this frame to the next, in this frame's heading; the last row
    repeats the one before it, as nothing follows. Or root "place": x, z (m) and heading (rad) in the world, for pen
    strokes and motions on the spot.
    height (m) of the hips; tilt.x, tilt.z (rad): the exponential map of the hips' rotation without its heading, in
    body axes (leaning forward, leaning right); its y part is always zero.
    Then x, y, z (rad) of each joint in `joints`: the exponential map of its rotation relative to `centre`, continuous
    in time, so it may run past pi. Then x, y, z (m) of each joint in `sliding`.
    """

    skeleton: Skeleton
    fps: float
    root: str = "motion"
    joints: tuple[int, ...] | None = None  # all but the root
    centre: FloatArray | None = (
        None  # (J, 4) local rotations that the exponential maps start from; also of joints left out
    )
    sliding: tuple[int, ...] = ()
    slides: FloatArray | None = None  # (J, 3) constant slides of the others

    def __post_init__(self) -> None:
        count = len(self.skeleton)
        if self.root not in ("motion", "place"):
            raise BadRequest(f"root channels are 'motion' or 'place', not {self.root!r}")
        put(self, "joints", tuple(range(1, count)) if self.joints is None else tuple(int(j) for j in self.joints))
        centre = np.tile([1.0, 0, 0, 0], (count, 1)) if self.centre is None else self.centre
        put(self, "centre", frozen(centre, np.float64, (count, 4), "centre"))
        put(self, "sliding", tuple(int(j) for j in self.sliding))
        if self.slides is not None:
            put(self, "slides", frozen(self.slides, np.float64, (count, 3), "slides"))

    @property
    def moving(self) -> tuple[int, ...]:
        assert self.joints is not None
        return self.joints

    @property
    def names(self) -> tuple[str, ...]:
        """One per column: "root.forward", "LeftLeg.x", "Hips.slide.y" ..."""
        first = ("left", "forward", "turn") if self.root == "motion" else ("x", "z", "heading")
        head = [f"root.{n}" for n in (*first, "height", "tilt.x", "tilt.z")]
        turns = [f"{self.skeleton.names[j]}.{a}" for j in self.moving for a in "xyz"]
        return (*head, *turns, *(f"{self.skeleton.names[j]}.slide.{a}" for j in self.sliding for a in "xyz"))

    @property
    def units(self) -> tuple[str, ...]:
        """One per column: "m" or "rad" (displacements are per frame)."""
        head = ("m", "m", "rad", "m", "rad", "rad")
        return (*head, *("rad",) * (3 * len(self.moving)), *("m",) * (3 * len(self.sliding)))

    @property
    def count(self) -> int:
        return 6 + 3 * len(self.moving) + 3 * len(self.sliding)

    def columns(self, joint: int) -> slice:
        """The three columns of a joint's rotation; the root has its first six."""
        if joint == 0:
            return slice(0, 6)
        at = 6 + 3 * self.moving.index(joint)
        return slice(at, at + 3)


class Channels(NamedTuple):
    """Numbers, what they mean, and where the body starts on the ground."""

    values: FloatArray  # (F, D)
    layout: Layout
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)  # x, z (m), heading (rad) of the first frame


def fit_layout(clips: Sequence[Clip], *, root: str = "motion", joints: Sequence[int] | None = None) -> Layout:
    """A layout for all these clips: centred on their mean pose, so that no exponential map comes near its edge at pi.

    Joints whose slides move by over 0.1 mm get columns for them; the mean slides of the others are kept.
    """
    if not clips:
        raise BadRequest("a layout needs at least one clip")
    first = clips[0]
    for clip in clips[1:]:
        require_same_hierarchy(first.skeleton, clip.skeleton, names=(first.name, clip.name))
        if clip.fps != first.fps:
            raise BadRequest(f"clips at {first.fps:g} and {clip.fps:g} fps: resample them first")
    centre = average(np.concatenate([c.rotations for c in clips]))
    sliding, slides = _slides(clips)
    return Layout(first.skeleton, first.fps, root, None if joints is None else tuple(joints), centre, sliding, slides)


def _slides(clips: Sequence[Clip]) -> tuple[tuple[int, ...], FloatArray | None]:
    given = [np.zeros((len(c), len(c.skeleton), 3)) if c.slides is None else c.slides for c in clips]
    if all(c.slides is None for c in clips):
        return (), None
    every = np.concatenate(given)
    moves = np.ptp(every, axis=0).max(-1) > 1e-4
    return tuple(np.flatnonzero(moves).tolist()), every.mean(0)


def to_channels(clip: Clip, layout: Layout | None = None) -> Channels:
    """The clip as channels. `from_channels` gives it back exactly; labels and provenance are not channels.

    Without a layout: all joints, uncentred, with every slide the clip has.
    """
    if layout is None:
        sliding = () if clip.slides is None else tuple(range(len(clip.skeleton)))
        layout = Layout(clip.skeleton, clip.fps, sliding=sliding)
    require_same_hierarchy(layout.skeleton, clip.skeleton, names=("layout", clip.name))
    if clip.fps != layout.fps:
        raise BadRequest(f"the channels are at {layout.fps:g} fps, the clip at {clip.fps:g}: resample it first")
    assert layout.centre is not None
    path = travel(clip)
    values = np.empty((len(clip), layout.count))
    if layout.root == "place":
        values[:, :2], values[:, 2] = path.place, path.heading
    else:
        values[:, :3] = root_motion(clip)
        values[-1, :3] = values[-2, :3] if len(clip) > 1 else 0.0
    values[:, 3] = clip.root[:, 1]
    tilt = log(multiply(multiply(yaw(-path.heading), clip.rotations[:, 0]), body_axes(clip.skeleton)))
    values[:, 4:6] = tilt[:, [0, 2]]
    joints = list(layout.moving)
    end = 6 + 3 * len(joints)
    local = multiply(inverse(layout.centre[joints]), clip.rotations[:, joints])
    values[:, 6:end] = continuous_log(local).reshape(len(clip), -1)
    if layout.sliding:
        slides = np.zeros((len(clip), len(clip.skeleton), 3)) if clip.slides is None else clip.slides
        values[:, end:] = slides[:, list(layout.sliding)].reshape(len(clip), -1)
    place, heading = path.place[0], path.heading[0]
    return Channels(values, layout, (float(place[0]), float(place[1]), float(heading)))


def from_channels(channels: Channels) -> Clip:
    """The clip that these channels describe: any numbers make a valid one."""
    values, layout = np.asarray(channels.values, float), channels.layout
    if values.ndim != 2 or values.shape[1] != layout.count:
        raise BadRequest(f"expected (frames, {layout.count}) channels, found {values.shape}")
    assert layout.centre is not None
    x, z, heading = channels.start
    path = Travel(values[:, :2], values[:, 2])
    if layout.root == "motion":
        path = from_root_motion(values[:, :3], (x, z), heading)
    root = np.stack([path.place[:, 0], values[:, 3], path.place[:, 1]], 1)
    tilt = np.stack([values[:, 4], np.zeros(len(values)), values[:, 5]], 1)
    rotations = np.tile(layout.centre, (len(values), 1, 1))
    hips_from_body = inverse(body_axes(layout.skeleton))
    rotations[:, 0] = multiply(multiply(yaw(path.heading), exp(tilt)), hips_from_body)
    joints = list(layout.moving)
    end = 6 + 3 * len(joints)
    turns = exp(values[:, 6:end].reshape(len(values), -1, 3))
    rotations[:, joints] = multiply(layout.centre[joints], turns)
    slides = None
    if layout.sliding or layout.slides is not None:
        still = np.zeros((len(layout.skeleton), 3)) if layout.slides is None else layout.slides
        slides = np.tile(still, (len(values), 1, 1))
        slides[:, list(layout.sliding)] = values[:, end:].reshape(len(values), -1, 3)
    return Clip(layout.skeleton, root, rotations, layout.fps, slides=slides)
