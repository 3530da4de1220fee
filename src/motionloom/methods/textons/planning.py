"""The plan of a motion: textons in order, each with key poses and a length (LI 5.1-5.2, 6.2)."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import PoseAt
from motionloom.core import BadRequest, FloatArray, IntArray, NoPath
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.textons import paths
from motionloom.methods.textons.joins import SCALE
from motionloom.methods.textons.observe import Frames, joined, paired_distance, upright
from motionloom.rotation import inverse, multiply

if TYPE_CHECKING:
    from motionloom.methods.textons.model import TextonModel

LEAST = 4  # frames: two key poses, and two of the next
AGAIN = 0.4  # a segment shown once more than another is this much less likely
HOMESICK = 0.25  # m: at the edge of the stage, a segment that leads so much less far back is e times less likely
UNEVEN = 40.0  # nats that a path may be less probable for being e times nearer to the length that is wanted
QUICK = 0.6  # of its observed time: a texton made in less is warned of
STRETCH = 1.5  # how much longer or shorter than observed a texton is made when a pose must be reached in time


@dataclass(frozen=True, eq=False)
class Piece:
    """One texton of a plan."""

    texton: int
    observed: int  # which observed segment lends key poses and length
    length: int  # frames until the next texton's key poses
    keys: Frames  # the two frames that it starts with
    after: Frames  # the two frames that follow it if nothing else does
    hard: Mapping[int, Frames] = field(default_factory=dict)  # more frames that it must pass through
    span: tuple[int, int] | None = None  # frames [first, last) of the observed segment that it plays; None: all


@dataclass(frozen=True, eq=False)
class Plan:
    """Textons in order, and how many frames are wanted of them."""

    pieces: tuple[Piece, ...]
    frames: int
    said: tuple[str, ...] = ()  # how far the poses asked for lay from what was learnt

    @property
    def path(self) -> list[int]:
        return [p.texton for p in self.pieces]


def piece_of(model: TextonModel, observed: int, length: int | None = None) -> Piece:
    """An observed segment as a piece, at its own length or another."""
    seen = model.observed[observed]
    return Piece(seen.texton, observed, seen.length if length is None else length, seen.keys, seen.after)


def plan_motion(model: TextonModel, frames: int, poses: Mapping[int, PoseAt], options: Any, rng: Generator) -> Plan:
    """Any number of frames that passes through the poses asked for; `NoPath` if these textons cannot.

    Between two poses: the most probable path of fixed length whose textons, as long as they were observed, come
    nearest to the frames there are; their lengths are then stretched to fit. After the last pose, and without any:
    a walk sampled from the transitions inside the textons that can follow each other for ever.
    """
    walk = Walk(model, options, rng)
    pieces: list[Piece] = []
    said: list[str] = []
    done = 0
    for at in sorted(poses):
        goal = walk.nearest(poses[at])
        said.append(goal.note)
        if not pieces:
            pieces = walk.before(goal, at)
        else:
            pieces[-1:] = walk.between(pieces[-1], goal, at - done)
        pieces.append(goal.on)
        done = at
    if pieces:
        said += rushed(model, pieces, options.length)
        walk.onwards(pieces, frames)
    else:
        pieces = walk.alone(frames)
    return Plan(tuple(pieces), frames, tuple(said))


class Goal(NamedTuple):
    """A pose to pass through: what leads to it inside its observed segment, and what goes on from it."""

    lead: Piece | None  # None where the pose is near the segment's key pose
    on: Piece
    note: str

    @property
    def room(self) -> int:
        """Frames of what leads to it."""
        return 0 if self.lead is None else self.lead.length


class Walk:
    """One walk over the observed segments in the making: the joins, the options and the random choices."""

    def __init__(self, model: TextonModel, options: Any, rng: Generator) -> None:
        self.model, self.options, self.rng = model, options, rng
        self.joins = model.joins(options)
        self.chances = paths.probabilities(model.counts)
        self.of = [model.of_texton(i) for i in range(len(model.textons))]
        self.visits = np.zeros(len(model.observed))
        self.moves = np.array([o.move for o in model.observed])
        self.usual = self.joins.chances @ self.moves[:, :2]  # (n, 2) how far what follows a segment travels, on average
        self.place, self.heading = np.zeros(2), 0.0
        self.trail: list[Piece] = []  # shown, but where they led is only guessed

    def first(self) -> Piece:
        among = self.joins.inside if len(self.joins.inside) else np.arange(len(self.model.observed))
        return self.varied(self.piece(int(self.rng.choice(among))))

    def piece(self, observed: int) -> Piece:
        """An observed segment as a piece, as long as the options ask."""
        own = piece_of(self.model, observed)
        return dataclasses.replace(own, length=max(LEAST, round(own.length * self.options.length)))

    def varied(self, piece: Piece) -> Piece:
        """The piece with its key poses turned a little, the same way in both (see the option `vary`)."""
        if self.options.vary <= 0:
            return piece
        return dataclasses.replace(piece, keys=self.model.bench.varied(piece, self.options.vary, self.rng))

    def alone(self, frames: int) -> list[Piece]:
        """Sampled pieces for so many frames. They are made as they are drawn, to see where they really lead."""
        from motionloom.methods.textons.weaving import travelled

        drawn: list[Piece] = []

        def pieces() -> Iterator[Piece]:
            for piece in self.endless():
                drawn.append(piece)
                yield piece

        noise = np.random.default_rng(self.rng.integers(2**63))
        try:
            for _ in travelled(self.model, pieces(), noise, self.options, walk=self):
                if sum(p.length for p in drawn) >= frames:
                    break
        except NoPath as error:
            total = sum(p.length for p in drawn)
            if total < frames:
                best = self.model.render(Plan(tuple(drawn), total), self.rng, self.options)
                raise NoPath(f"{error}, after {total / self.model.fps:.1f} s", best=best) from None
        ends = np.cumsum([p.length for p in drawn])
        return drawn[: int(np.searchsorted(ends, frames)) + 1]

    def copy(self, rng: Generator) -> Walk:
        """A walk that goes on from here by itself."""
        other = copy.copy(self)
        other.rng, other.visits, other.trail = rng, self.visits.copy(), list(self.trail)
        return other

    def endless(self) -> Iterator[Piece]:
        """Pieces for ever; `NoPath` where nothing follows."""
        piece = self.first()
        while True:
            self.go(piece)
            yield piece
            following = self.step(piece)
            if following is None:
                raise NoPath(self.stuck(piece, "the stream"))
            piece = following

    def stuck(self, piece: Piece, what: str) -> str:
        return (
            f"nothing ever followed texton {piece.texton} in the clips, so {what} ends there (raise `tolerance` when "
            f"learning, so that textons are shared, or the option `unseen`, which is {self.options.unseen:g})"
        )

    def onwards(self, pieces: list[Piece], frames: int) -> None:
        """Append sampled pieces until there are enough frames."""
        total = sum(p.length for p in pieces)
        for p in pieces:
            self.go(p)
        while total < frames:
            piece = self.step(pieces[-1])
            if piece is None:
                raise NoPath(
                    self.stuck(pieces[-1], f"this way of {total / self.model.fps:.1f} s"),
                    best=self.model.render(Plan(tuple(pieces), total), self.rng, self.options),
                )
            pieces.append(piece)
            self.go(piece)
            total += piece.length

    def step(self, last: Piece) -> Piece | None:
        """A successor, sampled; off the stage, those that lead back are preferred.

        With `evenly`, segments that were shown more often than others are less likely to come again.
        """
        chances = self.joins.chances[last.observed].copy()
        if not chances.any():
            return None
        may = np.flatnonzero(chances)
        if self.options.evenly:
            chances[may] *= AGAIN ** (self.visits[may] - self.visits[may].min())
        off = float(np.linalg.norm(self.place)) / self.options.stage
        if off > 1:
            far = self._far_after(may)
            chances[may] *= np.exp(-(far - far.min()) * off**2 / HOMESICK)
        chosen = int(self.rng.choice(len(chances), p=chances / chances.sum()))
        return self.varied(self.piece(chosen))

    def draw(self, last: Piece, texton: int) -> Piece:
        """An observed segment of a texton, those whose key pose lies near the end of the last one more often."""
        choices = self.of[texton]
        apart = self.joins.distance[last.observed, choices]
        unit = max(SCALE * float(np.median(self.joins.distance)), 1e-9)
        weights = np.exp(-self.options.nearness * (apart - apart.min()) / unit)
        return self.piece(int(self.rng.choice(choices, p=weights / weights.sum())))

    def go(self, piece: Piece) -> None:
        """Keep in mind that a piece was shown, and where it led."""
        self._move(piece)
        self.trail.append(piece)
        self.visits[piece.observed] += 1
        if len(self.joins.inside):  # only differences count: they stay small for ever
            self.visits = np.maximum(self.visits - self.visits[self.joins.inside].min(), 0.0)

    def _far_after(self, segments: IntArray) -> FloatArray:
        """(k,) metres from the middle of the stage after each of these segments and what usually follows it."""
        move = self.moves[segments]
        then = ground_turn(self.heading + move[:, 2], self.usual[segments])
        return np.linalg.norm(self.place + ground_turn(self.heading, move[:, :2]) + then, axis=1)

    def _move(self, piece: Piece) -> None:
        move = self.moves[piece.observed]
        self.place = self.place + ground_turn(self.heading, move[:2])
        self.heading += float(move[2])

    def correct(self, count: int, place: FloatArray, heading: float) -> None:
        """Say where the motion really was after `count` more of the pieces that were shown."""
        self.trail = self.trail[count:]
        self.place, self.heading = place, heading
        for piece in self.trail:
            self._move(piece)

    def nearest(self, constraint: PoseAt) -> Goal:
        """The observed frame nearest to a pose, its texton cut there so that it takes the pose exactly; says how far.

        Any frame of a segment will do that leaves `LEAST` frames on both sides, and every key pose.
        """
        model = self.model
        joints, rotations, height = constraint.target(model.skeleton)
        usable = self.joins.inside.tolist() or list(range(len(model.observed)))
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
        note = f"{constraint.describe()}: the nearest pose ({where}) is {far * 100:.0f} cm away (RMS over joints)"
        return Goal(lead, on, note)

    def before(self, goal: Goal, frames: int) -> list[Piece]:
        """Pieces that lead to a pose and last `frames`; if its own segment is long enough, the frames before it."""
        if frames == 0:
            return []
        if frames < LEAST:
            raise BadRequest(f"a pose at frame {frames} is too near to the start: textons need {LEAST} frames")
        if goal.lead is not None and goal.room >= frames:
            first = goal.room - frames
            keys = self.model.observed[goal.lead.observed].frames[first : first + 2]
            return [dataclasses.replace(goal.lead, length=frames, keys=keys, span=(first, goal.room))]
        back = paths.probabilities(self.joins.chances.T)
        pieces: list[Piece] = [] if goal.lead is None else [goal.lead]
        at = goal.on.observed
        while sum(p.length for p in pieces) < frames / STRETCH or not pieces:
            if back[at].sum() <= 0:
                if not pieces:
                    pieces = [self.piece(goal.on.observed)]
                break
            at = int(self.rng.choice(len(back), p=back[at]))
            pieces.insert(0, self.piece(at))
        return fitted(pieces, frames)

    def between(self, start: Piece, goal: Goal, frames: int) -> list[Piece]:
        """Pieces from one pose to the next that last exactly `frames`, along the best path (`options.way`)."""
        if frames < LEAST:
            raise BadRequest(f"two poses {frames} frames apart are too near: textons need {LEAST} frames")
        if self.options.way == "cheapest":
            path = self._cheapest(start.observed, goal.on.observed)
        else:
            path = self._fixed(start, goal, frames)
        if path is None:
            raise NoPath(
                f"no way leads from texton {start.texton} to texton {goal.on.texton} in these clips: no join that was "
                f"seen, nor one nearer than {100 * self.joins.limit:.0f} cm (the option `unseen`)"
            )
        lead = [] if goal.lead is None else [goal.lead]
        return fitted([start, *(self.piece(k) for k in path[1:]), *lead], frames)

    def _fixed(self, start: Piece, goal: Goal, frames: int) -> list[int] | None:
        """The best path whose segments, as long as they were observed, come near to `frames`: the goal left out.

        LI 5.2.2, with time instead of a number of textons: of all times of arrival, the most probable path, less what
        it costs to stretch or squeeze it to fit. If none comes within `STRETCH`, the nearest.
        """
        lengths = np.array([max(LEAST, round(o.length * self.options.length)) for o in self.model.observed])
        most = int(np.ceil(STRETCH * frames)) + int(lengths.max())
        way = (self.joins.chances, lengths, start.observed, start.length, goal.on.observed)
        found = paths.paths_in_time(*way, most)
        arrival = np.flatnonzero(np.isfinite(found))
        if not len(arrival):
            return None
        stretch = np.abs(np.log(frames / (arrival + goal.room)))
        best = found[arrival] - UNEVEN * stretch
        far = stretch > np.log(STRETCH)
        best[far] = -stretch[far] * 1e6 if far.all() else -np.inf
        return paths.path_in_time(*way, int(arrival[best.argmax()]))[:-1]

    def _cheapest(self, start: int, goal: int) -> list[int] | None:
        """The most probable path, whatever its length, each texton repeated as M says (LI 5.2.1)."""
        try:
            path = paths.cheapest_path(self.joins.chances, start, goal)
        except NoPath:
            return None
        out: list[int] = []
        for k in path[:-1] or [start]:
            out.append(k)
            texton = self.model.observed[k].texton
            for _ in range(paths.repetitions(self.chances, texton, self.rng)):
                out.append(self.draw(self.piece(out[-1]), texton).observed)
        return out


def fitted(pieces: Sequence[Piece], frames: int) -> list[Piece]:
    """The pieces stretched or shortened alike so that together they last exactly `frames`."""
    kept = list(pieces)
    while len(kept) > 1 and frames < LEAST * len(kept):
        kept.pop(1)
    ends = np.cumsum([p.length for p in kept])
    ends = np.round(ends * (frames / ends[-1])).astype(int)
    lengths = np.maximum(np.diff([0, *ends]), LEAST)
    lengths[int(lengths.argmax())] += frames - int(lengths.sum())
    return [dataclasses.replace(p, length=int(n)) for p, n in zip(kept, lengths, strict=True)]


def rushed(model: TextonModel, pieces: Sequence[Piece], usual: float = 1.0) -> list[str]:
    """A warning if textons are made in much less time than they were observed to take, times `usual`."""
    own = [model.observed[p.observed].length if p.span is None else p.span[1] - p.span[0] for p in pieces]
    ratios = np.array([p.length for p in pieces]) / (np.array(own) * min(usual, 1.0))
    quick = int((ratios < QUICK).sum())
    if not quick:
        return []
    said = f"a texton of the path is made in {ratios.min():.0%} of its time"
    if quick > 1:
        said = f"{quick} textons of the path are made in as little as {ratios.min():.0%} of their time"
    return [f"{said} (below {QUICK:.0%}): the motion is rushed, feet will slide"]


def with_pose(
    keys: Frames, joints: Sequence[int], rotations: FloatArray, height: float | None, skeleton: Any
) -> Frames:
    """Key poses that start in a given pose and move on as before; the root's rotation loses its heading."""
    turns, root = keys.turns.copy(), keys.root.copy()
    pose = np.array(rotations)
    if 0 in joints:
        pose[list(joints).index(0)] = upright(pose[list(joints).index(0)], skeleton)
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
    pose = np.array(rotations)
    if 0 in joints:
        pose[list(joints).index(0)] = upright(pose[list(joints).index(0)], skeleton)
    turns[:, joints] = pose
    if height is not None:
        root[:, 3] = height
    return Frames(turns, root)
