"""Clips as channels, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, replace, require_same_hierarchy
from motionloom.kinematics.channels.centred import from_centred_angles
from motionloom.kinematics.channels.layout import ROOT_COLUMNS, Layout
from motionloom.kinematics.local_frames import Frames, observe, restore
from motionloom.kinematics.travel import Travel, body_axes, path_motion, travel
from motionloom.rotation import average, continuous_log, exp, inverse, multiply


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

    >>> from motionloom.samples import make
    >>> channels = to_channels(make("walk", seconds=1))
    >>> channels.values.shape, channels.layout.names[:4]
    ((60, 76), ('root.left', 'root.forward', 'root.turn', 'root.height'))
    """
    if layout is None:
        sliding = () if clip.slides is None else tuple(range(len(clip.skeleton)))
        layout = Layout(clip.skeleton, clip.fps, sliding=sliding)
    require_same_hierarchy(layout.skeleton, clip.skeleton, names=("layout", clip.name))
    if clip.fps != layout.fps:
        raise BadRequest(f"the channels are at {layout.fps:g} fps, the clip at {clip.fps:g}: resample it first")
    assert layout.centre is not None
    frames, path = observe(clip), travel(clip)
    values = np.empty((len(clip), layout.count))
    values[:, :3] = frames.root[:, :3] / clip.fps
    if layout.root == "place":
        values[:, :2], values[:, 2] = path.place, path.heading
    values[:, 3] = frames.root[:, 3]
    values[:, 4:ROOT_COLUMNS] = continuous_log(multiply(frames.turns[:, 0], body_axes(clip.skeleton)))
    joints = list(layout.moving)
    end = ROOT_COLUMNS + 3 * len(joints)
    local = multiply(inverse(layout.centre[joints]), clip.rotations[:, joints])
    values[:, ROOT_COLUMNS:end] = continuous_log(local).reshape(len(clip), -1)
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
    start, motion = Travel(np.array([[x, z]]), np.array([heading])), values[:, :3]
    if layout.root == "place":
        path = Travel(values[:, :2], values[:, 2])
        start, motion = Travel(path.place[:1], path.heading[:1]), path_motion(path)
    turns = np.tile(layout.centre, (len(values), 1, 1))
    turns[:, 0] = multiply(exp(values[:, 4:ROOT_COLUMNS]), inverse(body_axes(layout.skeleton)))
    joints = list(layout.moving)
    end = ROOT_COLUMNS + 3 * len(joints)
    angles = values[:, ROOT_COLUMNS:end].reshape(len(values), -1, 3)
    turns[:, joints] = from_centred_angles(angles, layout.centre[joints])
    root = np.concatenate([motion * layout.fps, values[:, 3:4]], 1)
    clip = restore(Frames(turns, root), layout.skeleton, layout.fps, start)
    if not layout.sliding and layout.slides is None:
        return clip
    still = np.zeros((len(layout.skeleton), 3)) if layout.slides is None else layout.slides
    slides = np.tile(still, (len(values), 1, 1))
    slides[:, list(layout.sliding)] = values[:, end:].reshape(len(values), -1, 3)
    return replace(clip, slides=slides)
