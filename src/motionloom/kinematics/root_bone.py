"""Root motion for game engines: a bone on the floor that carries the travel of the body."""

from __future__ import annotations

import numpy as np

from motionloom.core import BadRequest, Clip, End, Skeleton, replace
from motionloom.kinematics.body.rest_pose import stands
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.travel import travel
from motionloom.rotation import IDENTITY, average, inverse, multiply, rotate, yaw

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


def below_root_bone(clip: Clip) -> Clip:
    """The body from the hips on, with the motion of all bones above them in its root; other bones are left out.

    The clip itself if its hips are joint 0, or if a joint with a role does not hang on them.
    """
    body = clip.skeleton
    hips = body.find("hips") or 0
    kept = body.below(hips)
    if not hips or {j for j, role in enumerate(body.roles) if role} - set(kept):
        return clip
    places, turns = fk_rotations(clip)
    at = {j: k for k, j in enumerate(kept)}
    skeleton = Skeleton(
        tuple(body.names[j] for j in kept),
        np.array([-1, *(at[int(body.parents[j])] for j in kept[1:])]),
        np.concatenate([np.zeros((1, 3)), body.offsets[kept[1:]]]),
        tuple(body.roles[j] for j in kept),
        tuple(End(at[e.joint], e.offset, e.name) for e in body.ends if e.joint in at),
    )
    rotations = clip.rotations[:, kept].copy()
    rotations[:, 0] = turns[:, hips]
    slides = None if clip.slides is None else clip.slides[:, kept].copy()
    if slides is not None:
        slides[:, 0] = 0.0
    return replace(clip, skeleton=skeleton, root=places[:, hips], rotations=rotations, slides=slides)


def on_root_bone(clip: Clip, rig: Clip) -> Clip:
    """The motion of a body from `below_root_bone(rig)` on all bones of the rig: joint 0 on the floor below the hips.

    It faces where the hips face, as in the rest pose of the rig if that stands, else as on average in its frames.
    Bones that the body does not have keep their angle to the bone above them; the hips slide.
    """
    body = rig.skeleton
    if len(body) == len(clip.skeleton):
        return clip
    shown = Clip(body, np.zeros((1, 3)), np.tile(IDENTITY, (1, len(body), 1)), rig.fps) if stands(body) else rig
    facing = average(multiply(yaw(-travel(below_root_bone(shown)).heading), shown.rotations[:, 0]))
    path = travel(clip)
    rotations = np.tile(average(shown.rotations), (len(clip), 1, 1))
    rotations[:, 0] = multiply(yaw(path.heading), facing)
    floor = np.stack([path.place[:, 0], np.zeros(len(clip)), path.place[:, 1]], 1)
    return with_body(replace(clip, skeleton=body, root=floor, rotations=rotations, slides=None), clip)


def with_body(clip: Clip, body: Clip) -> Clip:
    """The clip with another motion of its body from the hips on (`below_root_bone`), and with the body's labels.

    All other bones move as they do; the hips slide from their place.
    """
    hips = clip.skeleton.joint("hips")
    kept = clip.skeleton.below(hips)
    slides = np.zeros((len(clip), len(clip.skeleton), 3)) if clip.slides is None else clip.slides.copy()
    slides[:, kept] = 0.0 if body.slides is None else body.slides
    slides[:, hips] = 0.0
    places, turns = fk_rotations(replace(clip, slides=slides))
    above = inverse(turns[:, clip.skeleton.parents[hips]])
    rotations = clip.rotations.copy()
    rotations[:, kept] = body.rotations
    rotations[:, hips] = multiply(above, body.rotations[:, 0])
    slides[:, hips] = rotate(above, body.root - places[:, hips])
    return replace(body, skeleton=clip.skeleton, root=clip.root, rotations=rotations, slides=slides)
