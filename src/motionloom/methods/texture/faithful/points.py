"""Keys by position (EDEN 5.2.4): the joints that bring a point to its place become keys of the next synthesis."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from motionloom.constraints import Constraint, Plant, PositionAt
from motionloom.core import Clip
from motionloom.kinematics.travel import root_headings, without_heading
from motionloom.methods.texture.faithful.keys import HARD, HEADING, HEIGHT, PLACE, Keys
from motionloom.methods.texture.lead_into_keys import kept_places, with_points
from motionloom.rotation import yaw


def with_point_keys(keys: Keys, clip: Clip, constraints: Sequence[Constraint]) -> Keys:
    """The keys with those that bring points and plants to their places, as solved on a clip that is near them.

    Keys of the joints from the hips to the point, and of the root, at the frames of the constraint, with its weight;
    keys that are hard already stay. Hard points are solved together, soft ones each beside them.
    """
    out = keys._replace(**{name: getattr(keys, name).copy() for name in Keys._fields})
    hard = [c for c in constraints if c.hard]
    kept = kept_places(clip, keys, constraints)
    solved = with_points(clip, hard, kept)
    for c in constraints:
        if isinstance(c, (PositionAt, Plant)):
            near = solved if c.hard else with_points(clip, [dataclasses.replace(c, weight=None), *hard], kept)
            _add_keys(out, near, c)
    return out


def _add_keys(keys: Keys, solved: Clip, c: PositionAt | Plant) -> None:
    """Make the joints that a point hangs on, as they are in a solved clip, keys of the frames of a constraint."""
    weight = HARD if c.weight is None else c.weight
    turns = without_heading(solved.rotations[:, 0], solved.skeleton)
    headings = yaw(root_headings(solved.rotations[:, 0], solved.skeleton))
    count = (len(solved), solved.fps)
    for f in [c.frame(*count)] if isinstance(c, PositionAt) else c.frames(*count):
        for joint in solved.skeleton.chain(solved.skeleton.joint(c.joint)):
            if keys.turn_weights[f, joint] < weight:
                keys.turns[f, joint] = solved.rotations[f, joint] if joint else turns[f]
                keys.turn_weights[f, joint] = weight
        values = {PLACE: solved.root[f, [0, 2]], HEIGHT: solved.root[f, 1], HEADING: headings[f]}
        for channel, rows in ((PLACE, keys.place), (HEIGHT, keys.height), (HEADING, keys.heading)):
            if keys.root_weights[f, channel] < weight:
                rows[f], keys.root_weights[f, channel] = values[channel], weight
