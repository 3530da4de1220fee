"""Root motion for game engines: a bone on the floor that carries the travel of the body."""

from __future__ import annotations

import numpy as np

from motionloom.core import BadRequest, Clip, End, Skeleton, replace
from motionloom.kinematics.travel import travel
from motionloom.rotation import inverse, multiply, rotate, yaw

NAME = "root"


def with_root_bone(clip: Clip, name: str = NAME) -> Clip:
    """The clip with a joint above the hips that moves over the floor: below the hips, facing where they face.

    The hips then move relative to it. Readers that fold joints above the hips into them (ours too) show the same
    motion.
    """
    body = clip.skeleton
    if name in body.names:
        raise BadRequest(f"the skeleton already has a joint {name!r}")
    path = travel(clip)
    floor = np.stack([path.place[:, 0], np.zeros(len(clip)), path.place[:, 1]], 1)
    turn = yaw(path.heading)
    hips = rotate(inverse(turn), clip.root - floor)
    middle = (hips.min(0) + hips.max(0)) / 2
    skeleton = Skeleton(
        (name, *body.names),
        np.concatenate([[-1], body.parents + 1]),
        np.concatenate([np.zeros((1, 3)), middle[None], body.offsets[1:]]),
        ("", *body.roles),
        tuple(End(e.joint + 1, e.offset, e.name) for e in body.ends),
    )
    rotations = np.concatenate([turn[:, None], clip.rotations], 1)
    rotations[:, 1] = multiply(inverse(turn), clip.rotations[:, 0])
    slides = np.zeros((len(clip), len(skeleton), 3))
    slides[:, 1] = hips - middle
    if clip.slides is not None:
        slides[:, 2:] = clip.slides[:, 1:]
    return replace(clip, skeleton=skeleton, root=floor, rotations=rotations, slides=slides)
