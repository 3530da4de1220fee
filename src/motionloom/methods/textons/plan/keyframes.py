"""Poses to pass through: the observed frames nearest to them, and the best path from one to the next (LI 5.2)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from motionloom.constraints import PoseAt
from motionloom.core import BadRequest, FloatArray, IntArray, NoPath, Note, Skeleton
from motionloom.kinematics.local_frames import Frames, joined, paired_distance
from motionloom.kinematics.travel import without_heading
from motionloom.methods.textons.plan import shortest_paths as paths
from motionloom.methods.textons.plan.joins import EDGE_FRAMES
from motionloom.methods.textons.plan.pieces import (
    MIN_FRAMES,
    TextonPiece,
    fit_lengths,
    piece_of,
    start_at,
    stop_at,
    usual_times,
)
from motionloom.methods.textons.plan.random_walk import SegmentWalk
from motionloom.rotation import inverse, multiply

STRETCH_COST = 300.0  # nats times log(ratio)^2: how much less probable a path may be that needs less stretching
MAX_STRETCH = 1.5  # factor by which textons are lengthened or shortened so that a pose is reached in time


class PoseGoal(NamedTuple):
    """A pose to pass through: the part of its observed segment that leads to it, and the part that starts with it."""

    lead: TextonPiece | None  # None where the pose is near the segment's key pose
    on: TextonPiece
    note: Note

    @property
    def room(self) -> int:
        """Frames of the part that leads to it."""
        return 0 if self.lead is None else self.lead.length


def nearest_frame(walk: SegmentWalk, constraint: PoseAt) -> PoseGoal:
    """The observed frame nearest to a pose; its texton is cut there, so that it takes the pose exactly.

    Any frame of a segment is a candidate that leaves `MIN_FRAMES` frames on both sides, and every key pose. The note
    states the distance.
    """
    segments = walk.segments
    joints, rotations, height = constraint.target(segments.skeleton)
    usable = walk.joins.inside.tolist() or list(range(len(segments)))
    places = [(k, f) for k in usable for f in (0, *range(MIN_FRAMES, segments[k].length - MIN_FRAMES + 1))]
    pairs = joined([segments[k].frames[[f, f + 1]] for k, f in places])
    seen = pairs[::2]
    posed = with_poses(seen, joints, rotations, height, segments.skeleton)
    apart = paired_distance(seen, posed, segments.skeleton)
    best = int(apart.argmin())
    k, f = places[best]
    keys = with_pose(pairs[2 * best : 2 * best + 2], joints, rotations, height, segments.skeleton)
    whole, far = piece_of(segments, k), float(apart[best])
    on = dataclasses.replace(start_at(segments, whole, f) if f else whole, keys=keys)
    lead = dataclasses.replace(whole, length=f, after=keys, span=(0, f)) if f else None
    which = f"{f} frames into" if f else "the key pose of"
    where = f"{which} texton {whole.texton}, frame {segments[k].frame} of {segments[k].source} on"
    text = f"{constraint.describe()}: the nearest pose ({where}) is {far * 100:.0f} cm away (RMS over joints)"
    return PoseGoal(lead, on, Note(text, constraint=constraint.describe()))


def pieces_before(walk: SegmentWalk, goal: PoseGoal, frames: int) -> list[TextonPiece]:
    """Pieces that lead to a pose and last `frames`; if its own segment is long enough, the frames before it."""
    if frames == 0:
        return []
    if frames < MIN_FRAMES:
        raise BadRequest(f"a pose at frame {frames} is too near to the start: textons need {MIN_FRAMES} frames")
    if goal.lead is not None and goal.room >= frames:
        first = goal.room - frames
        keys = walk.segments[goal.lead.observed].frames[first : first + 2]
        return [dataclasses.replace(goal.lead, length=frames, keys=keys, span=(first, goal.room))]
    back = paths.probabilities(walk.joins.chances.T)
    pieces: list[TextonPiece] = [] if goal.lead is None else [goal.lead]
    at = goal.on.observed
    while sum(p.length for p in pieces) < frames / MAX_STRETCH or not pieces:
        if back[at].sum() <= 0:
            if not pieces:
                pieces = [walk.piece(goal.on.observed)]
            break
        at = int(walk.rng.choice(len(back), p=back[at]))
        pieces.insert(0, walk.piece(at))
    return fit_lengths(pieces, frames)


def pieces_between(walk: SegmentWalk, start: TextonPiece, goal: PoseGoal, frames: int | None) -> list[TextonPiece]:
    """Pieces from one pose to the next, along the best path (`options.route`), that last exactly `frames`.

    Without `frames` they last as long as they were observed.
    """
    if frames is not None and frames < MIN_FRAMES:
        raise BadRequest(f"two poses {frames} frames apart are too near: textons need {MIN_FRAMES} frames")
    if walk.options.route == "most_probable" or frames is None:
        pieces = _most_probable(walk, start, goal)
    else:
        pieces = _in_time(walk, start, goal, frames)
    if pieces is None:
        raise NoPath(
            f"no path leads from texton {start.texton} to texton {goal.on.texton} in these clips: no join that was "
            f"seen, nor one nearer than {100 * walk.joins.limit:.0f} cm (the option `unseen_limit`)"
        )
    if frames is None:
        return pieces
    return fit_lengths(pieces, frames, usual_times(walk.segments, pieces, walk.options.length_factor))


def _in_time(walk: SegmentWalk, start: TextonPiece, goal: PoseGoal, frames: int) -> list[TextonPiece] | None:
    """The best path whose segments, as long as they were observed, last about `frames`.

    LI 5.2.2, with time instead of a number of textons: of all times of arrival, the most probable path, less the cost
    of stretching or shortening it to fit. If none comes within `MAX_STRETCH`, the nearest. Segments may be left early
    where they come near to the beginning of another (`find_exits`), but none becomes shorter than T_min by that.
    """
    segments, exits = walk.segments, walk.exits

    def scaled(frames: Any) -> IntArray:
        return np.asarray(
            np.maximum(MIN_FRAMES, np.round(np.asarray(frames) * walk.options.length_factor)).astype(np.int64)
        )

    lengths = scaled([o.length for o in segments.observed])
    whole = paths.edges_of(walk.joins.likely, lengths)
    early = paths.Edges(exits.source, exits.target, scaled(exits.frame), exits.score)
    own = exits.frame >= segments.shortest
    edges = paths.joined_edges([whole, early.only(own)])
    cuts = np.concatenate([np.full(len(whole.source), -1), exits.frame[own]])
    first, firsts = _edges_out(start, whole, early, exits.frame, scaled)
    latest = int(np.ceil(MAX_STRETCH * frames)) + int(lengths.max())
    found = paths.paths_in_time(first, edges, len(lengths), latest)
    room = 0 if goal.lead is None else int(scaled(goal.room))
    arrival = np.flatnonzero(np.isfinite(found.best[:, goal.on.observed]))
    score, total = found.best[arrival, goal.on.observed], arrival + room
    straight = goal.lead is not None and goal.lead.observed == start.observed and goal.room - start.first >= MIN_FRAMES
    if straight:
        arrival, score = np.append(arrival, -1), np.append(score, 0.0)
        total = np.append(total, int(scaled(goal.room - start.first)))
    if not len(arrival):
        return None
    stretch = np.abs(np.log(frames / total))
    score = score - STRETCH_COST * stretch**2
    far = stretch > np.log(MAX_STRETCH)
    score[far] = -stretch[far] * 1e6 if far.all() else -np.inf
    at = int(arrival[score.argmax()])
    if at < 0:
        return [stop_at(segments, start, goal.room)]
    out, rest = found.path(goal.on.observed, at)
    pieces = [start if firsts[out] < 0 else stop_at(segments, start, int(firsts[out]))]
    for edge in rest:
        piece = walk.piece(int(edges.source[edge]))
        pieces.append(piece if cuts[edge] < 0 else stop_at(segments, piece, int(cuts[edge])))
    pieces = [dataclasses.replace(p, length=int(scaled(p.length))) if p.span is not None else p for p in pieces]
    return pieces if goal.lead is None else [*pieces, dataclasses.replace(goal.lead, length=room)]


def _edges_out(
    start: TextonPiece, whole: paths.Edges, early: paths.Edges, at: IntArray, scaled: Any
) -> tuple[paths.Edges, IntArray]:
    """The edges out of the segment that a path starts in; and the frames at which that is left (-1: its end)."""
    ends = whole.only(whole.source == start.observed)
    mine = (early.source == start.observed) & (at - start.first >= EDGE_FRAMES)
    soon = early.only(mine)
    ends = ends._replace(frames=np.full(len(ends.frames), int(scaled(start.length))))
    soon = soon._replace(frames=scaled(at[mine] - start.first))
    return paths.joined_edges([ends, soon]), np.concatenate([np.full(len(ends.source), -1), at[mine]])


def _most_probable(walk: SegmentWalk, start: TextonPiece, goal: PoseGoal) -> list[TextonPiece] | None:
    """The most probable path of textons by M, each repeated as sampled from M (LI 5.2.1), or one of N textons (5.2.2).

    Its segments are drawn by the distance of their joins. Where no seen transitions lead to the goal, the most
    probable path of segments, over joins that were not seen but are near.
    """
    same, ends = start.observed == goal.on.observed, (start.texton, goal.on.texton)
    count = walk.options.texton_count
    if same and count is None and goal.lead is not None and goal.room - start.first >= MIN_FRAMES:
        return [stop_at(walk.segments, start, goal.room)]
    try:
        if count is None:
            textons = paths.cheapest_path(walk.chances, *ends)
        else:
            textons = paths.best_path(walk.chances, *ends, count)
    except NoPath:
        return _most_probable_segments(walk, start, goal) if count is None else None
    pieces = [start]
    for k, texton in enumerate(textons[:-1] or textons):
        if k:
            pieces.append(walk.draw(pieces[-1], texton))
        for _ in range(paths.repetitions(walk.chances, texton, walk.rng) if count is None else 0):
            pieces.append(walk.draw(pieces[-1], texton))
    return pieces if goal.lead is None else [*pieces, goal.lead]


def _most_probable_segments(walk: SegmentWalk, start: TextonPiece, goal: PoseGoal) -> list[TextonPiece] | None:
    """The most probable path over segments, with joins that were not seen."""
    try:
        path = paths.cheapest_path(walk.joins.likely, start.observed, goal.on.observed)
    except NoPath:
        return None
    pieces = [start]
    for k in path[:-1] or [start.observed]:
        if len(pieces) > 1 or k != start.observed:
            pieces.append(walk.piece(k))
        texton = walk.segments[k].texton
        for _ in range(paths.repetitions(walk.chances, texton, walk.rng)):
            pieces.append(walk.draw(pieces[-1], texton))
    return pieces if goal.lead is None else [*pieces, goal.lead]


def with_pose(
    keys: Frames, joints: Sequence[int], rotations: FloatArray, height: float | None, skeleton: Skeleton
) -> Frames:
    """Key poses that start in a given pose and move on as before; the root's rotation loses its heading."""
    turns, root = keys.turns.copy(), keys.root.copy()
    pose = _without_heading(joints, rotations, skeleton)
    step = multiply(inverse(turns[0, joints]), turns[1, joints])
    turns[0, joints] = pose
    turns[1, joints] = multiply(pose, step)
    if height is not None:
        root[:, 3] += height - root[0, 3]
    return Frames(turns, root)


def with_poses(
    frames: Frames, joints: Sequence[int], rotations: FloatArray, height: float | None, skeleton: Skeleton
) -> Frames:
    """Every frame with the joints, and the height, that a pose fixes; the root's rotation loses its heading."""
    turns, root = frames.turns.copy(), frames.root.copy()
    turns[:, joints] = _without_heading(joints, rotations, skeleton)
    if height is not None:
        root[:, 3] = height
    return Frames(turns, root)


def _without_heading(joints: Sequence[int], rotations: FloatArray, skeleton: Skeleton) -> FloatArray:
    """(n, 4) the rotations of a pose's joints; the root's, if it is among them, without its heading."""
    pose = np.array(rotations)
    if 0 in joints:
        at = list(joints).index(0)
        pose[at] = without_heading(pose[at], skeleton)
    return pose
