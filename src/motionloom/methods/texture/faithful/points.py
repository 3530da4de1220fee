"""Keys by position (EDEN 5.2.4): the joints that bring a point to its place become keys of the next synthesis."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from motionloom.constraints import Constraint, Plant, PositionAt
from motionloom.core import Clip
from motionloom.kinematics.travel import root_headings, without_heading
from motionloom.methods.texture.faithful.keys import HARD, HEADING, HEIGHT, PLACE, Keys
from motionloom.methods.texture.key_cells import with_points
from motionloom.rotation import yaw


def with_point_keys(keys: Keys, clip: Clip, constraints: Sequence[Constraint]) -> Keys:
    """The keys with those that bring points and plants to their places, as solved on a clip that is near them.

    Keys of the joints from the hips to the point, and of the root, at the frames of the constraint, with its weight;
    keys that are hard already stay.
    """
    out = keys._replace(**{name: getattr(keys, name).copy() for name in Keys._fields})
    for c in constraints:
        if not isinstance(c, (PositionAt, Plant)):
            continue
        weight = HARD if c.weight is None else c.weight
        others = [other for other in constraints if other.hard and other is not c]
        solved = with_points(clip, [dataclasses.replace(c, weight=None), *others], keys)
        if isinstance(c, PositionAt):
            frames = [c.frame(len(clip), clip.fps)]
        else:
            frames = list(c.frames(len(clip), clip.fps))
        turns = without_heading(solved.rotations[:, 0], clip.skeleton)
        headings = yaw(root_headings(solved.rotations[:, 0], clip.skeleton))
        for f in frames:
            for joint in clip.skeleton.chain(clip.skeleton.joint(c.joint)):
                if out.turn_weights[f, joint] < weight:
                    out.turns[f, joint] = solved.rotations[f, joint] if joint else turns[f]
                    out.turn_weights[f, joint] = weight
            values = {PLACE: solved.root[f, [0, 2]], HEIGHT: solved.root[f, 1], HEADING: headings[f]}
            for channel, rows in ((PLACE, out.place), (HEIGHT, out.height), (HEADING, out.heading)):
                if out.root_weights[f, channel] < weight:
                    rows[f], out.root_weights[f, channel] = values[channel], weight
    return out
