"""Poses to pass through: the observed frames nearest to them, and the best way from one to the next (LI 5.2)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from motionloom.constraints import PoseAt
from motionloom.core import BadRequest, FloatArray, IntArray, NoPath, Note
from motionloom.kinematics.local_frames import Frames, joined, paired_distance
from motionloom.kinematics.travel import without_heading
from motionloom.methods.textons.plan import shortest_paths as paths
from motionloom.methods.textons.plan.pieces import LEAST, Piece, cut, fitted, piece_of, usual_times
from motionloom.methods.textons.plan.transitions import EDGE
from motionloom.rotation import inverse, multiply

if TYPE_CHECKING:
    from motionloom.methods.textons.plan.random_walk import Walk

UNEVEN = 300.0  # nats that a path may be less probable for being nearer to the length wanted: times log(ratio)^2
STRETCH = 1.5  # how much longer or shorter than observed a texton is made when a pose must be reached in time


class Goal(NamedTuple):
    """A pose to pass through: what leads to it inside its observed segment, and what goes on from it."""

    lead: Piece | None  # None where the pose is near the segment's key pose
    on: Piece
    note: Note

    @property
    def room(self) -> int:
        """Frames of what leads to it."""
        return 0 if self.lead is None else self.lead.length


def nearest(walk: Walk, constraint: PoseAt) -> Goal:
    """The observed frame nearest to a pose, its texton cut there so that it takes the pose exactly; says how far.

    Any frame of a segment will do that leaves `LEAST` frames on both sides, and every key pose.
    """
    model = walk.model
    joints, rotations, height = constraint.target(model.skeleton)
    usable = walk.joins.inside.tolist() or list(range(len(model.observed)))
    places = [(k, f) for k in usable for f in (0, *range(LEAST, model.observed[k].length - LEAST + 1))]
    pairs = joined([model.observed[k].frames[[f, f + 1]] for k, f in places])
    seen = pairs[::2]
    wanted = with_poses(seen, joints, rotations, height, model.skeleton)
    apart = paired_distance(seen, wanted, model.skeleton)
    best = int(apart.argmin())
    k, f = places[best]
    keys = with_pose(pairs[2 * best : 2 * best + 2], joints, rotations, height, model.skeleton)
    whole, far = piece_of(model, k), float(apart[best])
    on = dataclasses.replace(whole, keys=keys, length=whole.length - f, span=(f, whole.length) if f else None)
    lead = dataclasses.replace(whole, length=f, after=keys, span=(0, f)) if f else None
    which = f"{f} frames into" if f else "the key pose of"
    where = f"{which} texton {whole.texton}, frame {model.observed[k].frame} of {model.observed[k].source} on"
    text = f"{constraint.describe()}: the nearest pose ({where}) is {far * 100:.0f} cm away (RMS over joints)"
    return Goal(lead, on, Note(text, constraint=constraint.describe()))


def before(walk: Walk, goal: Goal, frames: int) -> list[Piece]:
    """Pieces that lead to a pose and last `frames`; if its own segment is long enough, the frames before it."""
    if frames == 0:
        return []
    if frames < LEAST:
        raise BadRequest(f"a pose at frame {frames} is too near to the start: textons need {LEAST} frames")
    if goal.lead is not None and goal.room >= frames:
        first = goal.room - frames
        keys = walk.model.observed[goal.lead.observed].frames[first : first + 2]
        return [dataclasses.replace(goal.lead, length=frames, keys=keys, span=(first, goal.room))]
    back = paths.probabilities(walk.joins.chances.T)
    pieces: list[Piece] = [] if goal.lead is None else [goal.lead]
    at = goal.on.observed
    while sum(p.length for p in pieces) < frames / STRETCH or not pieces:
        if back[at].sum() <= 0:
            if not pieces:
                pieces = [walk.piece(goal.on.observed)]
            break
        at = int(walk.rng.choice(len(back), p=back[at]))
        pieces.insert(0, walk.piece(at))
    return fitted(pieces, frames)


def between(walk: Walk, start: Piece, goal: Goal, frames: int | None) -> list[Piece]:
    """Pieces from one pose to the next, along the best path (`options.way`), that last exactly `frames`.

    Without `frames` they last as long as they were observed.
    """
    if frames is not None and frames < LEAST:
        raise BadRequest(f"two poses {frames} frames apart are too near: textons need {LEAST} frames")
    if walk.options.way == "cheapest" or frames is None:
        pieces = _cheapest(walk, start, goal)
    else:
        pieces = _in_time(walk, start, goal, frames)
    if pieces is None:
        raise NoPath(
            f"no way leads from texton {start.texton} to texton {goal.on.texton} in these clips: no join that was "
            f"seen, nor one nearer than {100 * walk.joins.limit:.0f} cm (the option `unseen`)"
        )
    if frames is None:
        return pieces
    return fitted(pieces, frames, usual_times(walk.model, pieces, walk.options.length))


def _in_time(walk: Walk, start: Piece, goal: Goal, frames: int) -> list[Piece] | None:
    """The best path whose segments, as long as they were observed, come near to `frames`.

    LI 5.2.2, with time instead of a number of textons: of all times of arrival, the most probable path, less what
    it costs to stretch or squeeze it to fit. If none comes within `STRETCH`, the nearest. Segments may be left early
    where they come near to the beginning of another (`joins.find_exits`), but none is shorter than T_min by that.
    """
    model, exits = walk.model, walk.exits

    def scaled(frames: Any) -> IntArray:
        return np.asarray(np.maximum(LEAST, np.round(np.asarray(frames) * walk.options.length)).astype(np.int64))

    lengths = scaled([o.length for o in model.observed])
    whole = paths.edges_of(walk.joins.likely, lengths)
    early = paths.Edges(exits.source, exits.target, scaled(exits.frame), exits.score)
    own = exits.frame >= round(model.config.shortest * model.fps)
    edges = paths.joined_edges([whole, early.only(own)])
    cuts = np.concatenate([np.full(len(whole.source), -1), exits.frame[own]])
    first, firsts = _ways_out(start, whole, early, exits.frame, scaled)
    most = int(np.ceil(STRETCH * frames)) + int(lengths.max())
    found = paths.paths_in_time(first, edges, len(lengths), most)
    room = 0 if goal.lead is None else int(scaled(goal.room))
    arrival = np.flatnonzero(np.isfinite(found.best[:, goal.on.observed]))
    score, total = found.best[arrival, goal.on.observed], arrival + room
    straight = goal.lead is not None and goal.lead.observed == start.observed and goal.room - _begin(start) >= LEAST
    if straight:
        arrival, score = np.append(arrival, -1), np.append(score, 0.0)
        total = np.append(total, int(scaled(goal.room - _begin(start))))
    if not len(arrival):
        return None
    stretch = np.abs(np.log(frames / total))
    score = score - UNEVEN * stretch**2
    far = stretch > np.log(STRETCH)
    score[far] = -stretch[far] * 1e6 if far.all() else -np.inf
    at = int(arrival[score.argmax()])
    if at < 0:
        return [cut(model, start, goal.room)]
    way, rest = found.path(goal.on.observed, at)
    pieces = [start if firsts[way] < 0 else cut(model, start, int(firsts[way]))]
    for edge in rest:
        piece = walk.piece(int(edges.source[edge]))
        pieces.append(piece if cuts[edge] < 0 else cut(model, piece, int(cuts[edge])))
    pieces = [dataclasses.replace(p, length=int(scaled(p.length))) if p.span is not None else p for p in pieces]
    return pieces if goal.lead is None else [*pieces, dataclasses.replace(goal.lead, length=room)]


def _ways_out(
    start: Piece, whole: paths.Edges, early: paths.Edges, at: IntArray, scaled: Any
) -> tuple[paths.Edges, IntArray]:
    """The edges out of where a way starts, inside a segment; and the frames at which that is left (-1: its end)."""
    ends = whole.only(whole.source == start.observed)
    mine = (early.source == start.observed) & (at - _begin(start) >= EDGE)
    soon = early.only(mine)
    ends = ends._replace(frames=np.full(len(ends.frames), int(scaled(start.length))))
    soon = soon._replace(frames=scaled(at[mine] - _begin(start)))
    return paths.joined_edges([ends, soon]), np.concatenate([np.full(len(ends.source), -1), at[mine]])


def _begin(piece: Piece) -> int:
    return 0 if piece.span is None else piece.span[0]


def _cheapest(walk: Walk, start: Piece, goal: Goal) -> list[Piece] | None:
    """The most probable path, whatever its length, each texton repeated as M says (LI 5.2.1)."""
    try:
        path = paths.cheapest_path(walk.joins.likely, start.observed, goal.on.observed)
    except NoPath:
        return None
    if len(path) == 1 and goal.lead is not None and goal.room - _begin(start) >= LEAST:
        return [cut(walk.model, start, goal.room)]
    pieces = [start]
    for k in path[:-1] or [start.observed]:
        if len(pieces) > 1 or k != start.observed:
            pieces.append(walk.piece(k))
        texton = walk.model.observed[k].texton
        for _ in range(paths.repetitions(walk.chances, texton, walk.rng)):
            pieces.append(walk.draw(pieces[-1], texton))
    return pieces if goal.lead is None else [*pieces, goal.lead]


def with_pose(
    keys: Frames, joints: Sequence[int], rotations: FloatArray, height: float | None, skeleton: Any
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
    frames: Frames, joints: Sequence[int], rotations: FloatArray, height: float | None, skeleton: Any
) -> Frames:
    """Every frame with the joints, and the height, that a pose fixes; the root's rotation loses its heading."""
    turns, root = frames.turns.copy(), frames.root.copy()
    pose = _without_heading(joints, rotations, skeleton)
    turns[:, joints] = pose
    if height is not None:
        root[:, 3] = height
    return Frames(turns, root)


def _without_heading(joints: Sequence[int], rotations: FloatArray, skeleton: Any) -> FloatArray:
    """(n, 4) the rotations of a pose's joints; the root's, if it is among them, without its heading."""
    pose = np.array(rotations)
    if 0 in joints:
        at = list(joints).index(0)
        pose[at] = without_heading(pose[at], skeleton)
    return pose
