"""Leading a clip into its hard constraints: the path over the ground, then poses and heights.

Methods lead what they have found into the keys that it is near, within their own limits; `solve` leads any clip, and
aims the head and moves limbs, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.constraints.base import Constraint
from motionloom.constraints.bend_around_obstacles import around
from motionloom.constraints.bend_to_path import follow
from motionloom.constraints.bend_travel import Key, steer
from motionloom.constraints.displace import displaced_rotations, spread, with_heading
from motionloom.constraints.pose import PoseAt
from motionloom.constraints.pose_along import PoseAlong
from motionloom.constraints.reach_points import approach_points
from motionloom.constraints.root import Avoid, Reach, RootAt, RootPath
from motionloom.core import Clip, FloatArray, replace
from motionloom.kinematics.travel import travel

FADE = 0.4  # s before and after a key in which poses and heights change


def lead_path(clip: Clip, hard: Sequence[Constraint], fade: float = FADE) -> Clip:
    """The clip along its paths and round its obstacles, then through its places and headings, which hold exactly."""
    for c in hard:
        if isinstance(c, RootPath) and not c.met(clip):
            clip = follow(clip, c)
        if isinstance(c, Avoid) and not c.met(clip):
            clip = around(clip, c, fade * clip.fps)
    keys = _root_keys(clip, hard)
    if keys and not all(c.met(clip) for c in hard if isinstance(c, (RootAt, Reach))):
        now = travel(clip)
        if 0 not in keys:
            keys[0] = Key((float(now.place[0, 0]), float(now.place[0, 1])), float(now.heading[0]))
        clip = steer(clip, keys)
    return approach_points(clip, hard, keys)


def _root_keys(clip: Clip, hard: Sequence[Constraint]) -> dict[int, Key]:
    keys: dict[int, Key] = {}
    for c in hard:
        if isinstance(c, RootAt) and (c.position is not None or c.heading is not None):
            frame = c.frame(len(clip), clip.fps)
            old = keys.get(frame, Key())
            keys[frame] = Key(
                old.place if c.position is None else c.position, old.heading if c.heading is None else c.heading
            )
    for c in hard:
        if isinstance(c, Reach) and not c.met(clip) and (frame := c.frame(len(clip), clip.fps)) not in keys:
            keys[frame] = Key(c.position, c.heading)
    return keys


def lead_poses(clip: Clip, hard: Sequence[Constraint], fade: float = FADE) -> Clip:
    """The clip with its given local rotations, tilts of the root and heights; changes fade within `fade` seconds."""
    turns: dict[int, dict[int, FloatArray]] = {}
    heights: dict[int, float] = {}
    for c in hard:
        if isinstance(c, PoseAt):
            frame = c.frame(len(clip), clip.fps)
            joints, rotations, height = c.target(clip.skeleton)
            for joint, q in zip(joints, rotations, strict=True):
                turns.setdefault(joint, {})[frame] = q if joint else with_heading(clip, frame, q)
            if height is not None:
                heights[frame] = height
        elif isinstance(c, PoseAlong):
            _add_clip(clip, c, turns, heights)
    for c in hard:
        if isinstance(c, RootAt) and c.height is not None:
            heights[c.frame(len(clip), clip.fps)] = c.height
    done = all(c.met(clip) for c in hard if isinstance(c, (PoseAt, PoseAlong, RootAt)))
    if done or not (turns or heights):
        return clip
    width = fade * clip.fps
    changed = clip.rotations.copy()
    for joint, wanted in turns.items():
        changed[:, joint] = displaced_rotations(clip, joint, wanted, np.zeros(0, np.int64), width)
    root = clip.root.copy()
    if heights:
        keys = np.array(sorted(heights))
        missing = np.array([heights[int(k)] - clip.root[k, 1] for k in keys])
        root[:, 1] += spread(keys, missing, len(clip), width)
        root[keys, 1] = [heights[int(k)] for k in keys]
    return replace(clip, root=root, rotations=changed)


def _add_clip(clip: Clip, c: PoseAlong, turns: dict[int, dict[int, FloatArray]], heights: dict[int, float]) -> None:
    """Add what a clip fixes over its span to rotations (by joint and frame) and heights (by frame)."""
    span, own = c.frames(len(clip), clip.fps), c.given(clip.skeleton, len(clip), clip.fps)
    for joint in c.chosen(clip.skeleton):
        wanted = turns.setdefault(joint, {})
        for k, frame in enumerate(span):
            q = own.rotations[k, joint]
            wanted[frame] = q if joint else with_heading(clip, frame, q)
            if not joint:
                heights[frame] = float(own.root[k, 1])
