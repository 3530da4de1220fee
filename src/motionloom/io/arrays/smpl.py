"""SMPL bodies in NPZ files (AMASS and similar), reader and writer: axis-angle vectors of 22, 24, 52 or 55 joints.

Which body it is follows from the shape: 72 values a frame are SMPL's 24 joints, 156 SMPL-H's 52, 165 SMPL-X's 55. Bone
lengths need the licensed body model. They are taken from joints in the file where it has them (rest joints `J`, or
positions `joints`); otherwise average proportions are used, with a note. Rotations do not depend on it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, FormatError, Progress, Skeleton, silent
from motionloom.core.origin import from_file
from motionloom.io import units_and_axes as conv
from motionloom.io.arrays.npz_data import Arrays, finite, npz_bytes
from motionloom.io.arrays.smpl_body import average_body, smpl_names, with_offsets
from motionloom.io.atomic_files import write_file
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import DEFAULT, Reading
from motionloom.kinematics.fk import positions, world
from motionloom.kinematics.retarget import retarget
from motionloom.rotation import exp, from_matrix, inverse, log, multiply, rotate

POSES = ("poses", "fullpose", "full_pose", "smpl_poses", "pose")
TRANS = ("trans", "transl", "translation", "smpl_trans", "root_trans")
RATES = ("mocap_frame_rate", "mocap_framerate", "frame_rate", "framerate", "fps", "mocap_fps")
ROOT, BODY = ("root_orient", "global_orient"), ("pose_body", "body_pose")
JAW, EYES, HANDS = ("pose_jaw", "jaw_pose"), ("pose_eye", "eye_pose"), ("pose_hand", "hand_pose")
REST, PLACES = ("J", "rest_joints", "joints_rest"), ("joints", "Jtr", "joints3d")
WIDTHS = {66: 22, 72: 24, 156: 52, 165: 55}


def is_smpl(arrays: Arrays) -> bool:
    """Does a file hold a body's pose parameters?"""
    return any(name in arrays for name in (*POSES, *BODY))


def smpl_clip(arrays: Arrays, notes: Notes, reading: Reading = DEFAULT) -> Clip:
    """A clip from pose parameters. AMASS is z up, others y up: it is estimated from the posture, unless given."""
    turns = _turns(arrays, notes)
    frames = len(turns)
    metres = 1.0 if reading.metres is None else reading.metres
    trans = arrays.first(*TRANS)
    place = np.zeros((frames, 3)) if trans is None else finite(trans, "trans", notes) * metres
    if trans is None:
        notes.warn("no 'trans': the body stays in its place")
    if place.shape != (frames, 3):
        raise notes.error(f"trans: expected ({frames}, 3), found {place.shape}")
    body, root, exact = _body(arrays, turns, place, metres, notes)
    axis = _up(body, root, turns, notes) if reading.axis is None else reading.axis
    turn = from_matrix(conv.vectors_inside(np.eye(3), axis).T)  # only the root: the body's own frames are y up already
    rotations = np.array(turns)
    rotations[:, 0] = multiply(turn, turns[:, 0])
    header = {"pelvis": body.offsets[0].tolist() if exact else [0.0, 0.0, 0.0]}
    for name in ("gender", "betas"):
        if name in arrays:
            header[name] = arrays[name].tolist()
    origin = from_file(Path(notes.path).name, frames, unit=metres, up=axis, header={"smpl": header}, notes=notes.all)
    return Clip(body, rotate(turn, root), rotations, _rate(arrays, reading.fps, notes), origin=origin)


def write_smpl(
    clip: Clip,
    path: str | Path,
    *,
    unit: str | float | None = None,
    up: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Write pose parameters as AMASS has them: `poses`, `trans`, `mocap_framerate`, z up, and `joints` as they are.

    A clip that was read from such a file goes back with its own shape. Any other is retargeted to an average body with
    SMPL-H's joints; `betas` are then 0, which is the model's average body, not the performer's.
    """
    if unit is not None and conv.unit_of(unit) != 1.0:
        raise BadRequest("SMPL is in metres: no other unit can be given")
    known, report = clip.origin.header.get("smpl"), progress or silent()
    body = clip.skeleton
    if known is None or body.names not in [smpl_names(n) for n in (22, 24, 52, 55)]:
        if len(body) < 2:
            raise FormatError("a body is needed, this clip has one joint", path=path)
        known, clip = {"pelvis": [0.0, 0.0, 0.0]}, retarget(clip, average_body(52), progress=report)[0]
    if clip.slides is not None:
        raise FormatError("joints of SMPL do not slide: load the clip with drop_slides", path=path)
    axis = (clip.origin.up if known.get("gender") is not None else "z") if up is None else conv.up_of(up)
    turn = from_matrix(conv.vectors_inside(np.eye(3), axis).T)
    turns = np.array(clip.rotations)
    turns[:, 0] = multiply(inverse(turn), turns[:, 0])
    root = rotate(inverse(turn), clip.root)
    places = positions(clip.skeleton, root, turns)
    arrays: dict[str, Any] = {
        "poses": log(turns).reshape(len(clip), -1),
        "trans": root - np.array(known["pelvis"]),
        "mocap_framerate": np.array(clip.fps),
        "gender": np.array(known.get("gender", "neutral")),
        "betas": np.array(known.get("betas", [0.0] * 16)),
        "joints": places,
    }
    write_file(path, [npz_bytes(arrays)])
    report(1.0, "writing")


def _turns(arrays: Arrays, notes: Notes) -> FloatArray:
    """Local rotations (F, J, 4) from whatever the file calls them."""
    poses = arrays.first(*POSES)
    if poses is None:
        parts = [arrays.first(*names) for names in (ROOT, BODY, JAW, EYES, HANDS)]
        if parts[0] is None or parts[1] is None:
            raise notes.error("pose parameters without the root's: expected 'root_orient' and 'pose_body'")
        frames = len(parts[1])
        rows = [_flat(part, frames, notes) for part in parts if part is not None and part.size]
        poses = np.concatenate(rows, axis=1)
        if poses.shape[1] not in WIDTHS:  # hands or face are there, but not all of them
            notes.info(
                f"{poses.shape[1]} pose values per frame match no known body: the first 66 (without hands) are read"
            )
            poses = poses[:, :66]
    else:
        poses = finite(poses, "poses", notes)
    if poses.ndim == 4 and poses.shape[2:] == (3, 3) and poses.shape[1] in WIDTHS.values():
        return from_matrix(poses)
    values = _flat(poses, len(poses) if poses.ndim else 0, notes)
    joints = WIDTHS.get(values.shape[1])
    if joints is None or not len(values):
        known = ", ".join(f"{w} ({j} joints)" for w, j in WIDTHS.items())
        raise notes.error(f"poses: expected {known} values a frame, found shape {poses.shape}")
    if np.abs(values).max() > 100:
        raise notes.error("poses: expected rotation vectors, found angles of over 100 radians")
    notes.info(f"{ {22: 'SMPL body without hands', 24: 'SMPL', 52: 'SMPL-H', 55: 'SMPL-X'}[joints] }: {joints} joints")
    return exp(values.reshape(len(values), joints, 3))


def _flat(part: Any, frames: int, notes: Notes) -> FloatArray:
    values = finite(part, "poses", notes)
    if values.ndim not in (2, 3) or len(values) != frames or not values.size:
        raise notes.error(f"poses: expected {frames or 'some'} frames of rotation vectors, found shape {values.shape}")
    return values.reshape(frames, -1)


def _rate(arrays: Arrays, fps: float | None, notes: Notes) -> float:
    found = arrays.first(*RATES)
    if fps is not None:
        return fps
    if found is None or found.size != 1 or found.dtype.kind not in "fiu":
        raise notes.error(f"no frame rate ({', '.join(RATES[:3])} ...): give it with fps")
    rate = float(found.reshape(()))
    if not 1e-3 <= rate <= 1e6:
        raise notes.error(f"expected a plausible frame rate, found {rate} frames per second")
    return rate


def _body(
    arrays: Arrays, turns: FloatArray, place: FloatArray, metres: float, notes: Notes
) -> tuple[Skeleton, FloatArray, bool]:
    """The skeleton, the root's path, and whether bone lengths are the performer's own."""
    frames, joints = turns.shape[:2]
    draft = average_body(joints)
    rest = arrays.first(*REST)
    if rest is not None and rest.ndim == 2 and rest.shape[0] >= joints and rest.shape[1] == 3:
        offsets = finite(rest, "J", notes)[:joints] * metres
        offsets[1:] -= offsets[draft.parents[1:]]
        notes.info("bone lengths from the rest joints in the file")
        return with_offsets(offsets), place + offsets[0], True
    seen = arrays.first(*PLACES)
    if seen is not None and seen.ndim == 3 and len(seen) == frames and seen.shape[1] >= joints and seen.shape[2] == 3:
        points = finite(seen, "joints", notes)[:, :joints] * metres
        around = world(draft, points[:, 0], turns)[1]
        bones = points[:, 1:] - points[:, draft.parents[1:]]
        local = rotate(inverse(around[:, draft.parents[1:]]), bones)
        spread = float(np.ptp(local, axis=0).max()) if frames > 1 else 0.0
        notes.info("bone lengths from the joint positions in the file", detail=f"steady to {1000 * spread:.1f} mm")
        offsets = np.concatenate([(points[:, 0] - place).mean(0)[None], local.mean(0)])
        return with_offsets(offsets), points[:, 0], True
    notes.warn(
        "bone lengths are not in the file, and the body model that has them is licensed: average proportions stand in "
        "(1.70 m); rotations and path are the file's own"
    )
    return draft, place, False


def _up(body: Skeleton, root: FloatArray, turns: FloatArray, notes: Notes) -> str:
    some = np.unique(np.linspace(0, len(root) - 1, 24).astype(int))
    axis, ground = conv.estimate_up(positions(body, root[some], turns[some]), body.roles)
    notes.info(f"up axis {axis}", topic="up", detail=conv.UP_GROUNDS[ground])
    return axis
