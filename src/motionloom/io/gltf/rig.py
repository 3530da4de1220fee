"""The rig of a glTF file: its own joint axes, and a clip with these.

Reading lays the local frames of joints along the world's axes in the rest pose (`rest_pose.rebased`). For a rig that is
undone here: node rotations are those that its bones, skin and engine expect.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from motionloom.core import Clip, End, Skeleton, replace
from motionloom.kinematics.fk import world
from motionloom.rotation import IDENTITY, inverse, multiply, rotate

HEADER = "gltf"  # in `Origin.header`


class Rig(NamedTuple):
    """A clip's skeleton as its glTF file has it."""

    file: str  # absolute path
    sha256: str
    joints: tuple[str, ...]  # names of the joints in the clip
    nodes: tuple[int, ...]  # their nodes
    rest: tuple[tuple[float, ...], ...]  # local rotations of the rest pose, w x y z; hips: with those above
    above: tuple[float, ...]  # what stands above the hips, at rest: place (3), rotation (4)
    offsets: tuple[tuple[float, ...], ...]  # of the joints in the clip, m
    scales: tuple[float, ...]  # metres per unit of each node's translation
    axes: str = "world"  # local frames of joints in BVH: along the "world" axes at rest, or those of the "rig"

    def header(self) -> dict[str, Any]:
        """The value for `Origin.header`."""
        return dict(self._asdict())


def rig_of(clip: Clip) -> Rig | None:
    """The rig of the file that a clip's skeleton came from, if it still has that file's joints and bones."""
    known = clip.origin.header.get(HEADER)
    if not known:
        return None
    rig = Rig(**known)
    same = rig.joints == clip.skeleton.names and np.allclose(rig.offsets[1:], clip.skeleton.offsets[1:], atol=1e-5)
    return rig if same else None


def with_rig_axes(clip: Clip, rig: Rig) -> Clip:
    """The clip with the local frames that the rig's joints have: the inverse of `rebased` for its rest pose.

    With the world rotations G of that pose, local rotations become G_parent^-1 L G, offsets and slides G_parent^-1 o.
    """
    body = clip.skeleton
    turns = world(body, np.zeros((1, 3)), np.array(rig.rest)[None])[1][0]
    back = inverse(turns)
    above = np.concatenate([IDENTITY[None], back[body.parents[1:]]])
    ends = tuple(End(e.joint, tuple(rotate(back[e.joint], e.offset).tolist()), e.name) for e in body.ends)
    return replace(
        clip,
        skeleton=Skeleton(body.names, body.parents, rotate(above, body.offsets), body.roles, ends),
        rotations=multiply(above, multiply(clip.rotations, turns)),
        slides=None if clip.slides is None else rotate(above, clip.slides),
    )


def with_axes(clip: Clip, axes: str) -> Clip:
    """The clip with a choice of local frames for BVH, where its skeleton came from a glTF file: see `Rig.axes`."""
    rig = rig_of(clip)
    if rig is None or rig.axes == axes:
        return clip
    header = {**clip.origin.header, HEADER: rig._replace(axes=axes).header()}
    return replace(clip, origin=dataclasses.replace(clip.origin, header=header))
