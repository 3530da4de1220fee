"""Editing what textons make: textons of a plan swapped, and poses changed inside them (LI 5.1, 6.2 and 7)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import PoseAt
from motionloom.core import BadRequest, Note
from motionloom.core.note import warning
from motionloom.kinematics.charts import beside, to_coordinates
from motionloom.kinematics.local_frames import Frames, joined, pose_distance
from motionloom.kinematics.travel import without_heading
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.plan.notation import check_path, read_step, whole
from motionloom.methods.textons.plan.pieces import Piece, Plan, piece_of
from motionloom.methods.textons.plan.random_walk import Walk
from motionloom.methods.textons.plan.shortest_paths import probabilities
from motionloom.rotation import angle_between, inverse, multiply

if TYPE_CHECKING:
    from motionloom.methods.textons.model import TextonModel

FAR = 1.0  # spreads of a texton: an edited pose farther than this from all of its frames is warned of
FAR_TURN = np.radians(45.0)  # so is one with a joint turned farther than this from all of that joint's turns there
CARRIED = 0.1  # s: key poses nearer to an edited frame than this take part in the change


def swap_texton(
    model: TextonModel, plan: Plan, at: int, texton: int, rng: Generator, *, options: Options | None = None
) -> Plan:
    """The plan with another texton in place `at`; the others stay as they are, but bend to meet it."""
    return _spliced(model, plan, at, at + 1, texton, rng, options)


def insert_texton(
    model: TextonModel, plan: Plan, at: int, texton: int, rng: Generator, *, options: Options | None = None
) -> Plan:
    """The plan with a texton more, before the one in place `at`; at the plan's length it becomes the last."""
    return _spliced(model, plan, at, at, texton, rng, options)


def delete_texton(model: TextonModel, plan: Plan, at: int) -> Plan:
    """The plan without the texton in place `at`; those around it meet, if the second may follow the first."""
    _check_place(plan, at, len(plan.pieces) - 1)
    if len(plan.pieces) == 1:
        raise BadRequest("a path has at least one texton: the last one cannot be deleted")
    before, after = plan.pieces[:at], plan.pieces[at + 1 :]
    check_path(model, [p.texton for p in (*before[-1:], *after[:1])], begin=max(at - 1, 0))
    return whole([*before, *after], plan.notes)


def _spliced(
    model: TextonModel, plan: Plan, start: int, stop: int, texton: int, rng: Generator, options: Options | None
) -> Plan:
    _check_place(plan, start, len(plan.pieces) - (stop - start))
    read_step(model, str(texton), start)
    before, after = plan.pieces[:start], plan.pieces[stop:]
    around = [*(p.texton for p in before[-1:]), texton, *(p.texton for p in after[:1])]
    check_path(model, around, options, begin=max(start - 1, 0))
    walk = Walk(model, model.usual_options if options is None else options, rng)
    fresh = walk.draw(before[-1], texton) if before else piece_of(model, int(rng.choice(model.of_texton(texton))))
    return whole([*before, fresh, *after], plan.notes)


def _check_place(plan: Plan, at: int, last: int) -> None:
    if not 0 <= at <= last:
        raise BadRequest(f"there is no place {at} in this path of {len(plan.pieces)} textons; expected 0 to {last}")


class Choices(NamedTuple):
    """What may be done at one place of a path."""

    texton: int
    chance: float | None  # probability of the transition to the next; None for the last
    swap: tuple[int, ...]  # textons that may stand here instead
    insert: tuple[int, ...]  # textons that may come between this one and the next, or after the last
    delete: bool


def choices(model: TextonModel, path: Sequence[int]) -> list[Choices]:
    """What an editor of a path may do at each of its places: every transition must have been seen, or be near."""
    check_path(model, path)
    seen = model.may_follow
    chances = probabilities(model.counts)
    every = np.ones(len(seen), bool)
    out = []
    for k, texton in enumerate(path):
        last = k == len(path) - 1
        here = (seen[path[k - 1]] if k else every) & (every if last else seen[:, path[k + 1]])
        here[texton] = False
        between = seen[texton] & (every if last else seen[:, path[k + 1]])
        closes = k == 0 or last or bool(seen[path[k - 1], path[k + 1]])
        chance = None if last else float(chances[texton, path[k + 1]])
        swap, insert = (tuple(int(t) for t in np.flatnonzero(who)) for who in (here, between))
        out.append(Choices(texton, chance, swap, insert, closes and len(path) > 1))
    return out


def with_hard(piece: Piece, frames: Mapping[int, Frames]) -> Piece:
    """The piece with more frames that it must pass through (counted from its start)."""
    for t in frames:
        if not 0 <= t < piece.length:
            raise BadRequest(f"frame {t} is not inside this texton of {piece.length} frames (0 to {piece.length - 1})")
    return dataclasses.replace(piece, hard={**piece.hard, **frames})


class Distance(NamedTuple):
    """How far a pose lies from the frames of a texton."""

    spreads: float  # to the nearest observed frame, in spreads: RMS distance of the texton's frames from their mean
    metres: float  # to the same frame, RMS over joints
    joint: int  # the one that is turned farthest from all its own turns in the texton
    turn: float  # radians: how far that is


def distance_to_texton(model: TextonModel, texton: int, frame: Frames) -> Distance:
    """How far one frame lies from all frames that a texton was learnt from, in the texton's own spread (LI 7)."""
    base = model.textons[texton].base
    parts = [model.observed[k].frames for k in model.of_texton(texton)]
    seen, y = joined(parts), np.concatenate([model.bench.unbroken(part, base) for part in parts])
    own = np.broadcast_to(to_coordinates(frame, model.space, base), y.shape)
    away = np.linalg.norm(y - beside(own, y, model.space), axis=1)  # on whichever side of the chart it was seen
    spread = float(np.sqrt(((y - y.mean(0)) ** 2).sum(1).mean()))
    near = int(away.argmin())
    metres = float(pose_distance(frame, seen[near : near + 1], model.skeleton)[0, 0])
    turns = angle_between(seen.turns, frame.turns).min(0)
    return Distance(float(away[near]) / max(spread, 1e-9), metres, int(turns.argmax()), float(turns.max()))


def edit_pose(
    model: TextonModel, plan: Plan, frame: int, pose: PoseAt, *, push: str = "observed", longer: str = "cycles"
) -> Plan:
    """The plan bent through a pose at one frame (LI fig. 11); joints that the pose leaves open stay as they were.

    The frame becomes one more hard frame of its texton, which is solved again; no other texton changes, unless the
    frame lies within `CARRIED` of key poses: these then change alike, so that the body is not whipped back. What is
    said of the pose, with a warning beyond `FAR` spreads or `FAR_TURN`, is added to the plan.
    """
    starts = np.cumsum([0, *(p.length for p in plan.pieces)])
    if not 0 <= frame < starts[-1]:
        raise BadRequest(f"there is no frame {frame} in this plan of {starts[-1]} frames")
    k = int(np.searchsorted(starts, frame, side="right")) - 1
    t = frame - int(starts[k])
    pieces = list(plan.pieces)
    piece, following = pieces[k], pieces[k + 1] if k + 1 < len(pieces) else None
    was = model.piece_frames(piece, following, np.random.default_rng(0), noise=0.0, push=push, longer=longer)[t : t + 1]
    now = posed(was, pose, model)
    near = max(2, round(CARRIED * model.fps))
    piece = with_hard(piece, {t: now})
    if t < near and (t == 0 or 0 not in piece.hard):
        keys = _carried(piece.keys, was, now)
        piece = dataclasses.replace(piece, keys=keys, hard={u: f for u, f in piece.hard.items() if u > 1})
        piece = with_hard(piece, {0: now} if t == 0 else {t: now})
    if piece.length - t <= near and following is None:
        piece = dataclasses.replace(piece, after=_carried(piece.after, was, now))
    elif piece.length - t <= near and following is not None and 0 not in following.hard:
        pieces[k + 1] = dataclasses.replace(following, keys=_carried(following.keys, was, now))
    pieces[k] = piece
    return dataclasses.replace(plan, pieces=tuple(pieces), notes=(*plan.notes, _note(model, piece, pose, was, now)))


def _note(model: TextonModel, piece: Piece, pose: PoseAt, was: Frames, now: Frames) -> Note:
    far = distance_to_texton(model, piece.texton, now)
    moved = 100 * float(pose_distance(was, now, model.skeleton)[0, 0])
    text = (
        f"{pose.describe()}: bends texton {piece.texton} by {moved:.0f} cm, to {far.spreads:.2f} spreads of it "
        f"({100 * far.metres:.0f} cm) from its nearest frame"
    )
    if far.spreads > FAR:
        return warning(f"{text}: far outside (above {FAR:g}), so the texton may be spoilt", constraint=pose.describe())
    if far.turn > FAR_TURN:
        joint, turn = model.skeleton.names[far.joint], np.degrees(far.turn)
        text += f": far outside, {joint} is {turn:.0f}deg from all its turns there, so the texton may be spoilt"
        return warning(text, constraint=pose.describe())
    return Note(text, constraint=pose.describe())


def posed(frame: Frames, pose: PoseAt, model: TextonModel) -> Frames:
    """One frame with the joints, and the height, that a pose fixes."""
    joints, rotations, height = pose.target(model.skeleton)
    turns, root = frame.turns.copy(), frame.root.copy()
    turns[0, joints] = rotations
    if 0 in joints:
        turns[0, 0] = without_heading(turns[0, 0], model.skeleton)
    if height is not None:
        root[0, 3] = height
    return Frames(turns, root)


def _carried(keys: Frames, was: Frames, now: Frames) -> Frames:
    """Key poses changed as one frame was changed: every joint by the same turn, the hips by the same height."""
    turns = multiply(keys.turns, multiply(inverse(was.turns), now.turns))
    root = keys.root.copy()
    root[:, 3] += now.root[0, 3] - was.root[0, 3]
    return Frames(turns, root)
