"""The plan of a motion: textons in order, each with key poses and a length (LI 5.1-5.2, 6.2)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from motionloom.constraints import PoseAt
from motionloom.core import BadRequest, FloatArray, IntArray, NoPath
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.textons import paths
from motionloom.methods.textons.observe import Frames, joined, pose_distance, upright
from motionloom.rotation import inverse, multiply

if TYPE_CHECKING:
    from motionloom.methods.textons.model import TextonModel

LEAST = 4  # frames: two key poses, and two of the next
TRIES = 6  # candidates that a motion which strayed off its stage chooses from
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
        key, note = walk.nearest(poses[at])
        said.append(note)
        if not pieces:
            pieces = walk.before(key, at)
        else:
            pieces[-1:] = walk.between(pieces[-1], key, at - done)
        pieces.append(key)
        done = at
    if not pieces:
        pieces = [walk.first()]
    walk.onwards(pieces, frames)
    return Plan(tuple(pieces), frames, tuple(said))


class Walk:
    """One plan in the making: the model's transitions, the options and the random choices."""

    def __init__(self, model: TextonModel, options: Any, rng: Generator) -> None:
        self.model, self.options, self.rng = model, options, rng
        self.inside: IntArray = paths.endless(model.counts)
        self.chances = paths.probabilities(model.counts)
        self.of = [model.of_texton(i) for i in range(len(model.textons))]
        lengths = [np.mean([model.observed[k].length for k in ks]) for ks in self.of]
        self.usual: FloatArray = np.array(lengths)
        self.place, self.heading = np.zeros(2), 0.0

    def first(self) -> Piece:
        among = self.inside if len(self.inside) else np.arange(len(self.of))
        return piece_of(self.model, int(self.rng.choice(np.concatenate([self.of[i] for i in among]))))

    def onwards(self, pieces: list[Piece], frames: int) -> None:
        """Append sampled pieces until there are enough frames."""
        total = sum(p.length for p in pieces)
        for p in pieces:
            self._go(p)
        while total < frames:
            piece = self.step(pieces[-1])
            if piece is None:
                lasts = total / self.model.fps
                raise NoPath(
                    f"nothing ever followed texton {pieces[-1].texton} in the clips; this way lasts {lasts:.1f} s "
                    f"(raise `tolerance` when learning, so that textons are shared)",
                    best=self.model.render(Plan(tuple(pieces), total), self.rng, noise=self.options.noise),
                )
            pieces.append(piece)
            self._go(piece)
            total += piece.length

    def step(self, last: Piece) -> Piece | None:
        """A successor, sampled; off the stage, the one of a few that leads back best."""
        chances = self.chances[last.texton].copy()
        if last.texton in self.inside:
            keep = np.zeros(len(chances), bool)
            keep[self.inside] = True
            chances[~keep] = 0.0
        if chances.sum() <= 0:
            return None
        chances /= chances.sum()
        away = float(np.linalg.norm(self.place)) > self.options.stage
        tries = [self.draw(last, int(self.rng.choice(len(chances), p=chances))) for _ in range(TRIES if away else 1)]
        return min(tries, key=self._distance_after)

    def draw(self, last: Piece, texton: int) -> Piece:
        """An observed segment of a texton, those whose key pose lies near the end of the last one more often."""
        choices = self.of[texton]
        if len(choices) == 1 or self.options.nearness == 0:
            return piece_of(self.model, int(self.rng.choice(choices)))
        starts = joined([self.model.observed[k].keys[:1] for k in choices])
        apart = pose_distance(last.after[:1], starts, self.model.skeleton)[0]
        weights = np.exp(-self.options.nearness * (apart - apart.min()) / 0.05)
        return piece_of(self.model, int(self.rng.choice(choices, p=weights / weights.sum())))

    def _moved(self, piece: Piece) -> tuple[FloatArray, float]:
        left, forward, turn = self.model.observed[piece.observed].move
        return self.place + ground_turn(self.heading, np.array([left, forward])), self.heading + float(turn)

    def _go(self, piece: Piece) -> None:
        self.place, self.heading = self._moved(piece)

    def _distance_after(self, piece: Piece) -> float:
        return float(np.linalg.norm(self._moved(piece)[0]))

    def nearest(self, constraint: PoseAt) -> tuple[Piece, str]:
        """The piece whose key pose is nearest to a pose, starting in that pose exactly; says how far it was."""
        model = self.model
        joints, rotations, height = constraint.target(model.skeleton)
        usable = [k for i in (self.inside if len(self.inside) else range(len(self.of))) for k in self.of[i]]
        wanted = [with_pose(model.observed[k].keys, joints, rotations, height, model.skeleton) for k in usable]
        apart = np.array(
            [
                pose_distance(w[:1], model.observed[k].keys[:1], model.skeleton)[0, 0]
                for w, k in zip(wanted, usable, strict=True)
            ]
        )
        best = int(apart.argmin())
        piece = dataclasses.replace(piece_of(model, usable[best]), keys=wanted[best])
        seen, far = model.observed[usable[best]], float(apart[best])
        where = f"frame {seen.frame} of {seen.source}, texton {seen.texton}"
        note = f"{constraint.describe()}: the nearest key pose ({where}) is {far * 100:.0f} cm away (RMS over joints)"
        return piece, note

    def before(self, key: Piece, frames: int) -> list[Piece]:
        """Pieces that lead to a key pose and last `frames`."""
        if frames == 0:
            return []
        if frames < LEAST:
            raise BadRequest(f"a pose at frame {frames} is too near to the start: textons need {LEAST} frames")
        back = paths.probabilities(self.model.counts.T)
        pieces: list[Piece] = []
        texton = key.texton
        while sum(p.length for p in pieces) < frames / STRETCH or not pieces:
            if back[texton].sum() <= 0:
                if not pieces:
                    pieces = [piece_of(self.model, key.observed)]
                break
            texton = int(self.rng.choice(len(back), p=back[texton]))
            pieces.insert(0, piece_of(self.model, int(self.rng.choice(self.of[texton]))))
        return fitted(pieces, frames)

    def between(self, start: Piece, goal: Piece, frames: int) -> list[Piece]:
        """Pieces from one key pose to the next that last exactly `frames`."""
        if frames < LEAST:
            raise BadRequest(f"two poses {frames} frames apart are too near: textons need {LEAST} frames")
        found: list[tuple[float, list[int]]] = []
        most = max(2, int(np.ceil(STRETCH * frames / self.usual.min())) + 1)
        for count in range(1, most + 1):
            try:
                path = paths.fixed_length_path(self.chances, start.texton, goal.texton, count + 1)[:-1]
            except NoPath:
                continue
            stretch = abs(float(np.log(frames / self.usual[path].sum())))
            unlikely = -paths.log_probability(self.chances, [*path, goal.texton]) / count
            found.append((stretch / np.log(STRETCH) + 0.2 * unlikely, path))
        if not found:
            raise NoPath(f"no way leads from texton {start.texton} to texton {goal.texton} in these clips")
        path = min(found, key=lambda f: f[0])[1]
        pieces = [start]
        for texton in path[1:]:
            pieces.append(self.draw(pieces[-1], texton))
        return fitted(pieces, frames)


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
