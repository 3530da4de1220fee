"""Edits of single poses: a texton of a plan is bent through a pose (LI 6.2 and 7)."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from motionloom.constraints import PoseAt
from motionloom.core import BadRequest, Note, Skeleton
from motionloom.core.note import warning
from motionloom.kinematics.channels.sides import on_side_of
from motionloom.kinematics.local_frames import Frames, joined, pose_distance
from motionloom.methods.textons.plan.keyframes import with_poses
from motionloom.methods.textons.plan.pieces import TextonPiece, TextonPlan, with_hard
from motionloom.methods.textons.render.synthesis import Synthesizer
from motionloom.methods.textons.render.texton_coordinates import TextonCharts
from motionloom.rotation import angle_between, inverse, multiply

MAX_SPREADS = 1.0  # spreads of a texton: an edited pose farther than this from all of its frames is reported
MAX_TURN = np.radians(45.0)  # so is one with a joint turned farther than this from all of that joint's rotations
KEY_REACH = 0.1  # s: key poses nearer to an edited frame than this change with it


class PoseDistance(NamedTuple):
    """Distance of a pose from the frames of a texton."""

    spreads: float  # to the nearest observed frame, in spreads: RMS distance of the texton's frames from their mean
    metres: float  # to the same frame, RMS over joints
    joint: int  # the one that is turned farthest from all its own rotations in the texton
    turn: float  # radians: how far that is


def distance_to_texton(charts: TextonCharts, texton: int, frame: Frames) -> PoseDistance:
    """Distance of one frame from all frames that a texton was learned from, in the texton's own spread (LI 7)."""
    segments = charts.segments
    seen = joined([segments[k].frames for k in segments.of_texton(texton)])
    y = charts.observed(texton)
    own = np.broadcast_to(charts.coordinates(frame, texton), y.shape)
    away = np.linalg.norm(
        y - on_side_of(own, y, charts.space), axis=1
    )  # on the side of the chart of each observed frame
    spread = float(np.sqrt(((y - y.mean(0)) ** 2).sum(1).mean()))
    near = int(away.argmin())
    metres = float(pose_distance(frame, seen[near : near + 1], segments.skeleton)[0, 0])
    turns = angle_between(seen.turns, frame.turns).min(0)
    return PoseDistance(float(away[near]) / max(spread, 1e-9), metres, int(turns.argmax()), float(turns.max()))


def edit_pose(
    synthesizer: Synthesizer,
    plan: TextonPlan,
    frame: int,
    pose: PoseAt,
    *,
    drive: str = "observed",
    lengthening: str = "cycles",
) -> TextonPlan:
    """The plan bent through a pose at one frame (LI fig. 11); joints that the pose leaves open stay as they were.

    The frame becomes one more hard frame of its texton, which is solved again; no other texton changes, unless the
    frame lies within `KEY_REACH` of key poses: these then change alike, so that the body does not snap back. A note of
    the distance, with a warning beyond `MAX_SPREADS` or `MAX_TURN`, is added to the plan.
    """
    segments = synthesizer.segments
    starts = np.cumsum([0, *(p.length for p in plan.pieces)])
    if not 0 <= frame < starts[-1]:
        raise BadRequest(f"there is no frame {frame} in this plan of {starts[-1]} frames")
    k = int(np.searchsorted(starts, frame, side="right")) - 1
    t = frame - int(starts[k])
    pieces = list(plan.pieces)
    piece, following = pieces[k], pieces[k + 1] if k + 1 < len(pieces) else None
    rng = np.random.default_rng(0)
    was = synthesizer.piece_frames(piece, following, rng, noise=0.0, drive=drive, lengthening=lengthening)[t : t + 1]
    now = apply_pose(was, pose, segments.skeleton)
    near = max(2, round(KEY_REACH * segments.fps))
    piece = with_hard(piece, {t: now})
    if t < near and (t == 0 or 0 not in piece.hard):
        keys = _changed_alike(piece.keys, was, now)
        piece = dataclasses.replace(piece, keys=keys, hard={u: f for u, f in piece.hard.items() if u > 1})
        piece = with_hard(piece, {t: now})
    if piece.length - t <= near and following is None:
        piece = dataclasses.replace(piece, after=_changed_alike(piece.after, was, now))
    elif piece.length - t <= near and following is not None and 0 not in following.hard:
        pieces[k + 1] = dataclasses.replace(following, keys=_changed_alike(following.keys, was, now))
    pieces[k] = piece
    note = _note(synthesizer.charts, piece, pose, was, now)
    return dataclasses.replace(plan, pieces=tuple(pieces), notes=(*plan.notes, note))


def _note(charts: TextonCharts, piece: TextonPiece, pose: PoseAt, was: Frames, now: Frames) -> Note:
    skeleton = charts.segments.skeleton
    far = distance_to_texton(charts, piece.texton, now)
    moved = 100 * float(pose_distance(was, now, skeleton)[0, 0])
    text = (
        f"{pose.describe()}: bends texton {piece.texton} by {moved:.0f} cm, to {far.spreads:.2f} spreads of it "
        f"({100 * far.metres:.0f} cm) from its nearest frame"
    )
    if far.spreads > MAX_SPREADS:
        text += f": far outside (above {MAX_SPREADS:g}), so the motion may look unnatural"
        return warning(text, constraint=pose.describe())
    if far.turn > MAX_TURN:
        joint, turn = skeleton.names[far.joint], np.degrees(far.turn)
        text += f": {joint} is {turn:.0f}deg from all its rotations there, so the motion may look unnatural"
        return warning(text, constraint=pose.describe())
    return Note(text, constraint=pose.describe())


def apply_pose(frame: Frames, pose: PoseAt, skeleton: Skeleton) -> Frames:
    """One frame with the joints, and the height, that a pose fixes."""
    return with_poses(frame, *pose.target(skeleton), skeleton)


def _changed_alike(keys: Frames, was: Frames, now: Frames) -> Frames:
    """Key poses changed as one frame was changed: every joint by the same turn, the hips by the same height."""
    turns = multiply(keys.turns, multiply(inverse(was.turns), now.turns))
    root = keys.root.copy()
    root[:, 3] += now.root[0, 3] - was.root[0, 3]
    return Frames(turns, root)
