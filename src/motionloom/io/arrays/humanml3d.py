"""Writer of HumanML3D-style features (`.npy`): (F - 1, 263) numbers at 20 frames a second, for text-to-motion models.

Guo et al. 2022, "Generating Diverse and Natural 3D Human Motions from Text". A frame holds, with y up, the body on the
floor, starting at the origin and facing +z:

| columns | what |
| --- | --- |
| 0 | half of the root's turn about y until the next frame, radians, positive turning right |
| 1-2 | the root's velocity in x and z, in the heading frame, metres a frame |
| 3 | the root's height |
| 4-66 | places of joints 1-21, relative to the root on the ground, in the heading frame |
| 67-192 | rotations of joints 1-21 in 6-D |
| 193-258 | velocities of joints 0-21 in the heading frame, metres a frame |
| 259-262 | contacts: left ankle and toe, right ankle and toe |

Known flaw of the rotation block, kept because models were trained on it: rotations are shortest arcs from bone
directions, so twist about a bone is lost; each is stored with the bone's far joint; and a chain's first is taken
against the inverse of the heading, so it changes with heading. They are not SMPL's rotations: those are in `.smpl.npz`.
What differs here: bodies of other joints are retargeted to an average body, not to the data set's own; and the heading
follows hips plus shoulders as in the paper, while the data set's code subtracts the hips by a slip.
"""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, FormatError, Progress, part, silent
from motionloom.io.arrays.smpl_body import average_body, smpl_names
from motionloom.io.atomic_files import write_file
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.kinematics.retarget import retarget
from motionloom.rotation import between, inverse, multiply, rotate, to_matrix

FPS = 20.0
MAX_FOOT_STEP = 0.002  # m^2: the data set's own threshold on the squared distance that a foot moves in a frame
HIPS, SHOULDERS = (2, 1), (17, 16)  # right, left
FEET = (7, 10, 8, 11)  # left ankle and toe, right ankle and toe
CHAINS = ((0, 2, 5, 8, 11), (0, 1, 4, 7, 10), (0, 3, 6, 9, 12, 15), (9, 14, 17, 19, 21), (9, 13, 16, 18, 20))
X, Y, Z = np.eye(3)
# the data set's rest directions of the bones that end in joints 1-21
RAW = np.array([0 * X, X, -X, Y, -Y, -Y, Y, -Y, -Y, Y, Z, Z, Y, X, -X, Z, -Y, -Y, -Y, -Y, -Y, -Y])


def write_humanml3d(
    clip: Clip,
    path: str | Path,
    *,
    unit: str | float | None = None,
    up: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Write a clip's features; at least three frames at 20 a second are needed."""
    report = progress or silent()
    if unit is not None or up is not None:
        raise BadRequest("HumanML3D features are in metres with y up: no unit or up axis can be given")
    if len(clip.skeleton) < 2:
        raise FormatError("a body is needed, this clip has one joint", path=path)
    if clip.skeleton.names[:22] != smpl_names(22):
        clip = retarget(clip, average_body(22), progress=part(report, 0.0, 0.9))[0]
    clip = resample(clip, FPS)
    if len(clip) < 3:
        raise FormatError(f"{len(clip)} frames at {FPS:g} a second are too few: at least 3", path=path)
    out = io.BytesIO()
    np.save(out, features(fk(clip)[:, :22]).astype(np.float32), allow_pickle=False)
    write_file(path, [out.getvalue()])
    report(1.0, "writing")


def features(places: FloatArray) -> FloatArray:
    """(F - 1, 263) from world positions (F, 22, 3) of SMPL's body joints at 20 frames a second, y up."""
    places = places - [0.0, places[..., 1].min(), 0.0]
    places = places - places[0, 0] * [1.0, 0.0, 1.0]
    places = rotate(between(_forward(places[:1])[0], Z), places)
    ahead = _forward(places, smooth=True)
    turn = between(ahead, Z)  # (F, 4) into the heading frame
    turn[0] = [1.0, 0.0, 0.0, 0.0]
    steps = np.diff(places, axis=0)
    spin = multiply(turn[1:], inverse(turn[:-1]))
    velocity = rotate(turn[1:], steps[:, 0])
    local = rotate(turn[:, None], places - places[:, :1] * [1.0, 0.0, 1.0])
    contact = (np.einsum("fjc,fjc->fj", steps[:, FEET], steps[:, FEET]) < MAX_FOOT_STEP).astype(float)
    blocks = [
        np.arcsin(np.clip(spin[:, 2:3], -1, 1)),
        velocity[:, [0, 2]],
        places[:-1, 0, 1:2],
        local[:-1, 1:],
        _arcs(places, turn)[:-1],
        rotate(turn[:-1, None], steps),
        contact,
    ]
    return np.concatenate([block.reshape(len(steps), -1) for block in blocks], axis=1)


def _forward(places: FloatArray, *, smooth: bool = False) -> FloatArray:
    """(F, 3) where the body faces, level: across hips and shoulders, turned by a quarter."""
    across = sum(places[:, right] - places[:, left] for right, left in (HIPS, SHOULDERS))
    ahead = np.cross(Y, across)
    if smooth:
        from scipy.ndimage import gaussian_filter1d

        ahead = gaussian_filter1d(ahead, 20, axis=0, mode="nearest")
    ahead[:, 1] = 0.0
    return ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-12)


def _arcs(places: FloatArray, turn: FloatArray) -> FloatArray:
    """(F, 21, 6): shortest arcs from rest directions to bones, each against the one before it in its chain."""
    out = np.zeros((len(places), 22, 6))
    for chain in CHAINS:
        before = turn
        for j, k in pairwise(chain):
            line = places[:, k] - places[:, j]
            arc = between(RAW[k], np.where(np.abs(line).max(1, keepdims=True) > 1e-9, line, RAW[k]))
            matrix = to_matrix(multiply(inverse(before), arc))
            out[:, k] = np.concatenate([matrix[..., 0], matrix[..., 1]], -1)
            before = arc
    return out[:, 1:]
