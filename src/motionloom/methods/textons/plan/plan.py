"""Plans of a motion: textons in order, each with key poses and a length (LI 5.1-5.2, 6.2)."""

from __future__ import annotations

from collections.abc import Mapping

from motionloom.constraints import PoseAt
from motionloom.core import Progress
from motionloom.core.note import Note
from motionloom.core.progress import each
from motionloom.methods.textons.plan.drawn_walk import UsualPace, draw_walk
from motionloom.methods.textons.plan.joins import far_join_notes
from motionloom.methods.textons.plan.keyframes import nearest_frame, pieces_before, pieces_between
from motionloom.methods.textons.plan.pieces import TextonPiece, TextonPlan, length_notes, repeat_notes, rushed_notes
from motionloom.methods.textons.plan.random_walk import SegmentWalk


def plan_walk(walk: SegmentWalk, frames: int, usual: UsualPace, progress: Progress, width: int) -> TextonPlan:
    """A plan of `frames` frames, sampled from the textons that can follow each other without end."""
    pieces, noise = draw_walk(walk, frames, usual, progress, width)
    return TextonPlan(tuple(pieces), frames, tuple(repeat_notes(walk.segments, pieces)), noise)


def plan_through(walk: SegmentWalk, frames: int, poses: Mapping[int, PoseAt], progress: Progress) -> TextonPlan:
    """A plan of `frames` frames that passes through the requested poses; `NoPath` if these textons cannot.

    Between two poses: the best path (`options.route`), its lengths stretched to fit. After the last pose: a walk.
    """
    segments, length = walk.segments, walk.options.length_factor
    pieces: list[TextonPiece] = []
    notes: list[Note] = []
    done = 0
    for at in each(sorted(poses), progress, "searching paths"):
        goal = nearest_frame(walk, poses[at])
        notes.append(goal.note)
        if not pieces:
            pieces = pieces_before(walk, goal, at)
        else:
            pieces[-1:] = pieces_between(walk, pieces[-1], goal, at - done)
        pieces.append(goal.on)
        done = at
    path = pieces[:-1]  # the last one begins with the last pose: it is played as observed
    notes += rushed_notes(segments, path, length) or length_notes(segments, path, length)
    notes += far_join_notes(segments, path, walk.joins.limit)
    walk.extend(pieces, frames)
    return TextonPlan(tuple(pieces), frames, tuple(notes))


def plan_between(walk: SegmentWalk, first: PoseAt, last: PoseAt) -> TextonPlan:
    """The most probable path from one pose to another, of its natural length (LI 5.2.1).

    Every texton lasts as long as one of its observed segments, and is repeated as sampled from its self-transition.
    """
    start, goal = nearest_frame(walk, first), nearest_frame(walk, last)
    path = pieces_between(walk, start.on, goal, None)
    frames = sum(p.length for p in path) + 1
    notes = (start.note, goal.note, *far_join_notes(walk.segments, path, walk.joins.limit))
    return TextonPlan((*path, goal.on), frames, notes)
