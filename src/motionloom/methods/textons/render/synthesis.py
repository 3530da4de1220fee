"""The frames of one texton, fast: what does not change from piece to piece is worked out once and kept."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray, FloatArray, IntArray, Source
from motionloom.kinematics.charts import ROOT, Space, along, beside
from motionloom.kinematics.feet.grounding import part_places
from motionloom.kinematics.local_frames import Frames, joined
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.learn.lds import Dynamics
from motionloom.methods.textons.plan.pieces import Piece
from motionloom.methods.textons.plan.transitions import Exits, Joins, find_exits, find_joins
from motionloom.methods.textons.render.durations import at_length
from motionloom.methods.textons.render.trajectory import constrained_run, eased, free_run, push_of

if TYPE_CHECKING:
    from motionloom.methods.textons.model import TextonModel

MOST_BYTES = 64 * 2**20  # of what is kept, for each of factors and drives
REACH = 12  # frames over which the slope of what the basis cannot express dies out
LINGERS = 0.3  # s: in which what the basis cannot express dies out of a free run
ROOM = 32  # frames more than asked for are factored, so that the next longer piece finds them


class Kept:
    """Results by key, up to a bound in bytes; when it is full, it starts anew."""

    def __init__(self, most: int) -> None:
        self.most, self.size = most, 0
        self.held: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        """What is held under a key, or made now."""
        found = self.held.get(key)
        if found is None:
            found = make()
            if self.size + size(found) > self.most:
                self.held, self.size = {}, 0
            self.held[key] = found
            self.size += size(found)
        return found


class System(NamedTuple):
    """A texton's dynamics as `_kernels_frames.solve_run` takes them."""

    p0: FloatArray
    p1: FloatArray
    p2: FloatArray
    row: FloatArray  # (d, 3d)  [-W A2, -W A1, W] with W = B^-1
    lean: FloatArray  # (d,) W D


class Drive(NamedTuple):
    """An observed segment at some length, as what drives a texton."""

    push: FloatArray  # (l + 2, d)
    rest: FloatArray  # (l + 2, D) what the basis leaves out of it
    y: FloatArray  # (l + 2, D) its coordinates: they say on which side of the chart joints are that turn far
    contacts: BoolArray  # (l + 2, L)
    slip: FloatArray  # (l + 2, P, 2) m: how each foot part moves over the ground to the next frame
    high: FloatArray  # (l + 2, P) m: how far each foot part is above its usual height on the floor
    turn: FloatArray  # (l + 2,) rad/s: how fast it turns


def turned_by(frames: Frames, angle: float, fps: float) -> Frames:
    """Frames that turn by so much more in all (rad): most in the middle, and not in the first two, the key poses."""
    count = len(frames) - 2
    bell = np.sin(np.pi * np.arange(1, count + 1) / (count + 1)) ** 2
    root = frames.root.copy()
    root[2:, 2] += angle * fps * bell / bell.sum()
    return Frames(frames.turns, root)


def slow_noise(shape: tuple[int, int], deviation: float, rng: Generator) -> FloatArray:
    """(F, d) noise of unit variance that changes over about `deviation` frames; below one it is white.

    White noise under three running means, which together are nearly a Gaussian of that deviation: three of width w
    have a variance of (w^2 - 1) / 4.
    """
    frames, size = shape
    width = round(np.sqrt(4 * deviation**2 + 1)) if deviation >= 1 else 1
    out = rng.standard_normal((frames + 3 * (width - 1), size))
    if width == 1:
        return out
    for _ in range(3):
        sums = np.zeros((len(out) + 1, size))
        np.cumsum(out, axis=0, out=sums[1:])
        out = sums[width:] - sums[:-width]
    box = np.ones(width)
    return np.asarray(out / np.linalg.norm(np.convolve(np.convolve(box, box), box)))


def system_of(dynamics: Dynamics) -> System:
    """The blocks of LI eq. 8, whitened: what every free frame of a run adds to the normal equations."""
    w = np.linalg.inv(dynamics.noise)
    r0, r1, r2 = -w @ dynamics.a2, -w @ dynamics.a1, w
    row = np.concatenate([r0, r1, r2], 1)
    p0 = r0.T @ r0 + r1.T @ r1 + r2.T @ r2
    return System(p0, r2.T @ r1 + r1.T @ r0, r2.T @ r0, row, w @ dynamics.drift)


class Bench:
    """What making frames needs of a model; kept with it, within a bound of memory."""

    def __init__(self, model: TextonModel) -> None:
        self.model = model
        self.systems: dict[int, System] = {}
        self.forget()
        self.ways: dict[tuple[Any, ...], Joins] = {}
        self.early: dict[tuple[Any, ...], Exits] = {}
        self.spreads: dict[int, FloatArray] = {}
        self.column = columns(model.space)

    def forget(self) -> None:
        """Drop what is kept from one piece to the next."""
        self.factors, self.drives = Kept(MOST_BYTES), Kept(MOST_BYTES)

    def make(
        self,
        piece: Piece,
        ends: Frames | None,
        rng: Generator,
        *,
        noise: float,
        push: str,
        longer: str,
        sway: float = 0.0,
    ) -> Frames:
        """The frames of a piece, and the two after it: `ends`, or, without any, where the run happens to lead.

        Noise is white, as LI's; only beside an observed push, it comes and goes within `sway` seconds.
        """
        texton = self.model.textons[piece.texton]
        dynamics = texton.dynamics
        length = piece.length + 2
        drive = slow_noise((length, dynamics.size), sway * self.model.fps if push == "observed" else 0.0, rng)
        drive *= noise
        lent = self.drive(piece, longer)
        rest = None
        if push == "observed":
            drive += lent.push
            rest = lent.rest
        if ends is None:
            y = self._free(piece, drive, rest, lent.y)
        elif piece.hard or length < 6:
            y = self._through(piece, ends, drive, rest, lent.y)
        else:
            y = self._between(piece, ends, drive, rest, lent.y)
        return self.frames(y, texton.base)

    def joins(self, options: Options) -> Joins:
        """`find_joins`, once for every choice of options."""
        key = (options.unseen, options.nearness, options.evenly)
        if key not in self.ways:
            self.ways[key] = find_joins(self.model, options)
        return self.ways[key]

    def exits(self, options: Options) -> Exits:
        """`find_exits`, once for every choice of options."""
        key = (options.unseen, options.nearness, options.evenly)
        if key not in self.early:
            self.early[key] = find_exits(self.model, self.joins(options))
        return self.early[key]

    def varied(self, piece: Piece, most: float, rng: Generator) -> Frames:
        """The key poses of a piece, both turned by the same small offset: a smoothed P(X_1) of LI 4.1.

        The offset is drawn from the spread of the texton's states, without the root's place, and scaled so that the
        joint that turns most turns by `most` radians.
        """
        texton = self.model.textons[piece.texton]
        space, basis = self.model.space, texton.dynamics.basis
        offset = basis @ (rng.standard_normal(basis.shape[1]) * self.spread(piece.texton))
        whole = np.zeros(len(space.moving))
        whole[space.moving] = offset
        whole[3 * len(space.base) :] = 0.0
        turns = np.linalg.norm(whole[: 3 * len(space.base)].reshape(-1, 3) / space.scale[:, None], axis=1)
        if turns.max(initial=0.0) <= 0:
            return piece.keys
        y = self.coordinates(piece.keys, texton.base) + (most / turns.max()) * whole[space.moving]
        return self.frames(y, texton.base)

    def spread(self, texton: int) -> FloatArray:
        """(d,) deviation of a texton's states over its observed segments."""
        if texton not in self.spreads:
            t, seen = self.model.textons[texton], [self.model.observed[k] for k in self.model.of_texton(texton)]
            y = np.concatenate([self.unbroken(o.frames, t.base) for o in seen]) - t.dynamics.mean
            self.spreads[texton] = (y @ t.dynamics.basis).std(0)
        return self.spreads[texton]

    @cached_property
    def origins(self) -> tuple[tuple[Source, ...], IntArray]:
        """The clips that segments come from; and for each segment, which of them."""
        names = list(dict.fromkeys(o.source for o in self.model.observed))
        known = {learned.name: learned.source for learned in self.model.sources}
        sources = tuple(known.get(name, Source(name)) for name in names)
        return sources, np.array([names.index(o.source) for o in self.model.observed])

    def _between(
        self, piece: Piece, ends: Frames, drive: FloatArray, rest: FloatArray | None, like: FloatArray
    ) -> FloatArray:
        """(l + 2, D) the usual run, from its own key poses to those that follow."""
        from motionloom.methods.textons.render._kernels import ease_between

        texton = self.model.textons[piece.texton]
        dynamics, length = texton.dynamics, len(drive)
        wanted = self.coordinates(joined([piece.keys, ends]), texton.base, like[[0, 1, -2, -1]]) - dynamics.mean
        states = wanted @ dynamics.basis
        x = self.run(piece.texton, states, drive)
        missing = wanted - states @ dynamics.basis.T
        if rest is None:
            y = x @ dynamics.basis.T + dynamics.mean
        else:
            y = x @ dynamics.basis.T + rest
            y += dynamics.mean
            missing -= rest[[0, 1, -2, -1]]
        ease_between(missing, length, REACH, y)
        return y

    def run(self, texton: int, ends: FloatArray, drive: FloatArray) -> FloatArray:
        """`constrained_run` between four given frames (the first two and the last two), by blocks."""
        from motionloom.methods.textons.render._kernels import solve_run

        s = self.system(texton)
        x = solve_run(self.factor(texton, len(drive) - 4), s.p1, s.p2, s.row, drive + s.lean, ends)
        return cast("FloatArray", x)

    def _free(self, piece: Piece, drive: FloatArray, rest: FloatArray | None, like: FloatArray) -> FloatArray:
        """(l + 2, D) a run from its key poses that leads anywhere; what the basis cannot express of them dies out."""
        texton = self.model.textons[piece.texton]
        dynamics = texton.dynamics
        wanted = self.coordinates(piece.keys, texton.base, like[:2]) - dynamics.mean
        states = wanted @ dynamics.basis
        y = dynamics.mean + free_run(dynamics, states, drive) @ dynamics.basis.T
        missing = wanted - states @ dynamics.basis.T
        if rest is not None:
            y += rest
            missing = missing - rest[:2]
        y[:1] += missing[:1]
        time = np.arange(len(y) - 1) / self.model.fps / LINGERS
        y[1:] += ((1 + time) * np.exp(-time))[:, None] * missing[1]
        return y

    def _through(
        self, piece: Piece, ends: Frames, drive: FloatArray, rest: FloatArray | None, like: FloatArray
    ) -> FloatArray:
        """(l + 2, D) a run through more frames than its ends."""
        texton = self.model.textons[piece.texton]
        dynamics, length = texton.dynamics, len(drive)
        hard = {0: piece.keys[:1], 1: piece.keys[1:], length - 2: ends[:1], length - 1: ends[1:], **piece.hard}
        at = sorted(hard)
        wanted = self.coordinates(joined([hard[t] for t in at]), texton.base, like[at]) - dynamics.mean
        states = wanted @ dynamics.basis
        x = constrained_run(dynamics, dict(zip(at, states, strict=True)), drive)
        rest = np.zeros((length, len(dynamics.mean))) if rest is None else rest
        missing = wanted - states @ dynamics.basis.T - rest[at]
        offset = eased(dict(zip(at, missing, strict=True)), length, reach=REACH)
        return dynamics.mean + x @ dynamics.basis.T + rest + offset

    def system(self, texton: int) -> System:
        if texton not in self.systems:
            self.systems[texton] = system_of(self.model.textons[texton].dynamics)
        return self.systems[texton]

    def factor(self, texton: int, frames: int) -> FloatArray:
        """Factors of at least `frames` free frames (see `_kernels_frames.factor_run`); one serves all lengths."""
        from motionloom.methods.textons.render._kernels import factor_run

        rounds = -(-frames // ROOM) * ROOM  # by steps, so that a longer piece does not always factor anew
        for longer in range(rounds, rounds + 4 * ROOM, ROOM):
            if (texton, longer) in self.factors.held:
                return cast("FloatArray", self.factors.held[texton, longer])
        s = self.system(texton)
        return cast(
            "FloatArray",
            self.factors.get((texton, rounds), lambda: factor_run(s.p0, s.p1, s.p2, rounds), lambda f: int(f.nbytes)),
        )

    def drive(self, piece: Piece, longer: str) -> Drive:
        """The observed segment of a piece at the piece's length."""
        key = (piece.observed, piece.span, piece.length, longer)
        return cast(
            "Drive", self.drives.get(key, lambda: self._drive(*key), lambda d: sum(int(part.nbytes) for part in d))
        )

    def _drive(self, observed: int, span: tuple[int, int] | None, length: int, longer: str) -> Drive:
        seen = self.model.observed[observed]
        first, last = (0, seen.length) if span is None else span
        texton = self.model.textons[seen.texton]
        dynamics = texton.dynamics
        y = self.unbroken(seen.frames, texton.base)[first : last + 2] - dynamics.mean
        timed = at_length(y, length + 2, self.model.fps, longer=longer)
        x = timed.y @ dynamics.basis
        rest = timed.y - x @ dynamics.basis.T
        at = first + timed.frame
        slip = seen.slip[at] * timed.pace
        played = self.frames(timed.y + dynamics.mean, texton.base)
        return Drive(
            push_of(dynamics, x),
            rest,
            timed.y + dynamics.mean,
            seen.contacts[at],
            slip,
            self.high(played) - self.floor(observed),
            played.root[:, 2],
        )

    def high(self, frames: Frames) -> FloatArray:
        """(F, P) m: how far each foot part is above its usual height, were the floor where it usually is."""
        return part_places(frames, self.model.skeleton)[..., 1] - self.model.heights

    def floor(self, observed: int) -> float:
        """m: how high the floor of an observed segment's take lies."""
        seen = self.model.observed[observed]
        high = self.high(seen.frames[:1])
        return float(high.min() - seen.low[0]) if high.size else 0.0

    def unbroken(self, frames: Frames, base: FloatArray) -> FloatArray:
        """Coordinates of the frames of a segment, without jumps."""
        return along(self.coordinates(frames, base), self.model.space)

    def coordinates(self, frames: Frames, base: FloatArray, like: FloatArray | None = None) -> FloatArray:
        """`charts.to_coordinates`, compiled; on the side of the chart on which those of `like` are, if given."""
        from motionloom.kinematics._kernels_charts import chart

        turns, root = np.ascontiguousarray(frames.turns), np.ascontiguousarray(frames.root)
        space = self.model.space
        y = cast("FloatArray", chart(turns, root, base, space.scale, ROOT, self.column, space.size))
        return y if like is None else beside(y, like, space)

    def frames(self, y: FloatArray, base: FloatArray) -> Frames:
        """`charts.to_frames`, compiled."""
        from motionloom.kinematics._kernels_charts import unchart

        space = self.model.space
        return Frames(*unchart(y, base, space.scale, ROOT, self.column, space.still))


def columns(space: Space) -> Any:
    """(3 J + 4,) the column of every number of a frame, -1 for those that do not vary."""
    return np.where(space.moving, np.cumsum(space.moving) - 1, -1)
