"""The plan of a motion: textons in order, each with key poses and a length (LI 5.1-5.2, 6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from numpy.random import Generator

from motionloom.constraints import PoseAt
from motionloom.core.note import Note
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.plan.keyframes import before, between, nearest
from motionloom.methods.textons.plan.pieces import Piece, Plan, rushed, unusual
from motionloom.methods.textons.plan.random_walk import Walk
from motionloom.methods.textons.plan.transitions import far_joins

if TYPE_CHECKING:
    from motionloom.methods.textons.model import TextonModel


def plan_motion(model: TextonModel, frames: int, poses: Mapping[int, PoseAt], options: Options, rng: Generator) -> Plan:
    """Any number of frames that passes through the poses asked for; `NoPath` if these textons cannot.

    Between two poses: the best path (`options.way`), its lengths stretched to fit. After the last pose, and without
    any: a walk sampled from the transitions inside the textons that can follow each other for ever.
    """
    walk = Walk(model, options, rng)
    pieces: list[Piece] = []
    notes: list[Note] = []
    done = 0
    for at in sorted(poses):
        goal = nearest(walk, poses[at])
        notes.append(goal.note)
        if not pieces:
            pieces = before(walk, goal, at)
        else:
            pieces[-1:] = between(walk, pieces[-1], goal, at - done)
        pieces.append(goal.on)
        done = at
    if pieces:
        way = pieces[:-1]  # the last one begins with the last pose: it goes on as observed
        notes += rushed(model, way, options.length) or unusual(model, way, options.length)
        notes += far_joins(model, way, walk.joins.limit)
        walk.onwards(pieces, frames)
    else:
        pieces = walk.alone(frames)
    return Plan(tuple(pieces), frames, tuple(notes), walk.noise)


def plan_between(model: TextonModel, first: PoseAt, last: PoseAt, options: Options, rng: Generator) -> Plan:
    """The most probable way from one pose to another, as long as it is by itself (LI 5.2.1).

    Every texton lasts as long as one of its observed segments, and is repeated as its self-transition, sampled, says.
    """
    walk = Walk(model, options, rng)
    start, goal = nearest(walk, first), nearest(walk, last)
    way = between(walk, start.on, goal, None)
    frames = sum(p.length for p in way) + 1
    notes = (start.note, goal.note, *far_joins(model, way, walk.joins.limit))
    return Plan((*way, goal.on), frames, notes)
