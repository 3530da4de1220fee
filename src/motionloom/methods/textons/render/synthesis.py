"""Synthesis of the frames of one texton; results that recur from piece to piece are cached."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
from numpy.random import Generator

from motionloom.core import FloatArray, FormatError, IntArray
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.channels.metric import MetricSpace
from motionloom.kinematics.feet.smoothing import away_from
from motionloom.kinematics.local_frames import Frames, joined
from motionloom.methods.textons.learn.lds import Dynamics, Texton
from motionloom.methods.textons.plan.pieces import TextonPiece
from motionloom.methods.textons.render.cache import ByteCache
from motionloom.methods.textons.render.joint_ranges import JointRanges, joint_ranges
from motionloom.methods.textons.render.reference import ReferenceSegment, reference_segment
from motionloom.methods.textons.render.texton_coordinates import TextonCharts
from motionloom.methods.textons.render.trajectory import constrained_run, eased, free_run, slow_noise, varied_drive
from motionloom.methods.textons.segments import Segments

CACHE_BYTES = 64 * 2**20  # for each of factors and reference segments
SLOPE_FRAMES = 12  # frames over which the slope of the residual outside the basis dies out
RESIDUAL_TIME = 0.3  # s: time constant with which the residual outside the basis dies out of a free run
FACTOR_STEP = 32  # lengths are factored in steps of this many frames, so that one serves several lengths
LEG_SHARE = 0.4  # of the option `drive_variation` and of the noise beside an observed push, for the root and the legs
VARIED_UP_TO = 2.0  # Hz: slower parts of an observed drive are varied; faster ones would shake the body
PUSHED_NOISE = 1 / 3  # of the usual noise beside an observed push, which has the variation of its segment
NOISE_FADE = 0.4  # s from the ends of a run in which the deviation by noise beside an observed push begins and ends


class NormalEquations(NamedTuple):
    """A texton's dynamics as `_kernels.solve_run` takes them."""

    p0: FloatArray
    p1: FloatArray
    p2: FloatArray
    row: FloatArray  # (d, 3d)  [-W A2, -W A1, W] with W = B^-1
    lean: FloatArray  # (d,) W D


def normal_equations(dynamics: Dynamics) -> NormalEquations:
    """The blocks of LI eq. 8, whitened: the contribution of every free frame of a run to the normal equations."""
    w = np.linalg.inv(dynamics.noise)
    r0, r1, r2 = -w @ dynamics.a2, -w @ dynamics.a1, w
    row = np.concatenate([r0, r1, r2], 1)
    p0 = r0.T @ r0 + r1.T @ r1 + r2.T @ r2
    return NormalEquations(p0, r2.T @ r1 + r1.T @ r0, r2.T @ r0, row, w @ dynamics.drift)


class Synthesizer:
    """Frames of textons. It caches factors and reference segments, within a bound of memory."""

    def __init__(self, segments: Segments, textons: Sequence[Texton], space: MetricSpace, noise: float = 1.0) -> None:
        self.segments, self.textons, self.noise = segments, textons, noise
        self.charts = TextonCharts(textons, segments, space)
        self._equations: dict[int, NormalEquations] = {}
        self.clear_cache()

    def clear_cache(self) -> None:
        """Drop the results kept from earlier pieces."""
        self._factors, self._references = ByteCache(CACHE_BYTES), ByteCache(CACHE_BYTES)

    def noise_amount(self, noise: float | None, drive: str) -> float:
        """The given amount of noise, or the default: less beside an observed push, which varies by itself."""
        usual = self.noise * PUSHED_NOISE if drive == "observed" else self.noise
        return usual if noise is None else noise

    def piece_frames(
        self,
        piece: TextonPiece,
        following: TextonPiece | None,
        rng: Generator,
        *,
        noise: float,
        drive: str = "observed",
        lengthening: str = "cycles",
        ends: str = "met",
        noise_time: float = 0.0,
        variation: float = 0.0,
    ) -> Frames:
        """The frames of a piece; the two after its last one are the key poses of the following piece, so both meet.

        Key poses go through rotations into the texton's chart; their residual outside its basis is added as a smooth
        offset, so that they are met exactly. With `drive` "observed" the run is driven as the observed segment was,
        with that segment's residual, and noise with the correlation time `noise_time` (s) is added; a share `variation`
        of the drive's power is drawn anew (`varied_drive`). Joints of varied runs stay near their ranges.
        `lengthening` is how that segment is made longer: by repeated "cycles", or by "slowing". With `ends` "free" the
        run leads anywhere (LI 5.3), and its two frames after the last one are returned too.
        """
        last = None if ends == "free" else piece.after if following is None else following.keys
        frames = self._frames(
            piece,
            last,
            rng,
            noise=noise,
            drive=drive,
            lengthening=lengthening,
            noise_time=noise_time,
            variation=variation,
        )
        return frames if last is None else frames[: piece.length]

    def _frames(
        self,
        piece: TextonPiece,
        ends: Frames | None,
        rng: Generator,
        *,
        noise: float,
        drive: str,
        lengthening: str,
        noise_time: float,
        variation: float,
    ) -> Frames:
        """The frames of a piece and the two after it: `ends`, or, without any, those that the run leads to.

        Noise is white, as LI's; only beside an observed push, it is correlated over `noise_time` seconds.
        """
        dynamics = self.textons[piece.texton].dynamics
        length = piece.length + 2
        force = slow_noise((length, dynamics.size), noise_time * self.segments.fps if drive == "observed" else 0.0, rng)
        force *= noise
        reference = self.reference(piece, lengthening)
        if drive != "observed":
            return self._driven(piece, ends, force, None, reference.y)
        varied = variation > 0 or noise > 0
        seed, highest = int(rng.integers(2**63)), VARIED_UP_TO / self.segments.fps

        def made(share: float) -> Frames:
            push = varied_drive(reference.push, share * variation, highest, np.random.default_rng(seed))
            return self._driven(piece, ends, push, reference.rest, reference.y, share * force if varied else None)

        whole = made(1.0)
        if not varied or not len(self._legs):
            return whole
        legs = made(LEG_SHARE)  # they vary less: feet have to stand
        turns = whole.turns.copy()
        turns[:, self._legs] = legs.turns[:, self._legs]
        return Frames(turns, legs.root)

    @cached_property
    def ranges(self) -> JointRanges:
        """How far each joint turns in the clips."""
        return joint_ranges([o.frames for o in self.segments.observed], self.charts.space)

    @cached_property
    def _legs(self) -> IntArray:
        """Joints that carry the body: the root and all joints of the legs; none where there are no feet."""
        skeleton = self.segments.skeleton
        below = {j for foot in feet(skeleton) for j in skeleton.below(foot.thigh)}
        return np.array(sorted({0, *below}) if below else [], np.int64)

    def _driven(
        self,
        piece: TextonPiece,
        ends: Frames | None,
        force: FloatArray,
        rest: FloatArray | None,
        like: FloatArray,
        noise: FloatArray | None = None,
    ) -> Frames:
        """The run of a piece under a force, as frames.

        A varied run has `noise`, too: force that is faded where the run has given ends. Its joints stay near
        their `ranges` (live characters have no such limit, so joins are tried without it).
        """
        whole = force if noise is None else force + noise
        if ends is None:
            y = self._free(piece, whole, rest, like)
        elif piece.hard or piece.length + 2 < 6:
            y = self._through(piece, ends, whole, rest, like)
        else:
            y = self._between(piece, ends, force, rest, like, noise)
        return self.charts.frames(y, piece.texton)

    def _between(
        self,
        piece: TextonPiece,
        ends: Frames,
        force: FloatArray,
        rest: FloatArray | None,
        like: FloatArray,
        noise: FloatArray | None = None,
    ) -> FloatArray:
        """(l + 2, D) the usual run, from its own key poses to those that follow."""
        from motionloom.methods.textons.render._kernels import ease_between

        dynamics, length = self.textons[piece.texton].dynamics, len(force)
        keys = joined([piece.keys, ends])
        goals = self.charts.coordinates(keys, piece.texton, like[[0, 1, -2, -1]]) - dynamics.mean
        states = goals @ dynamics.basis
        x = self.run(piece.texton, states, force)
        if noise is not None and noise.any():  # faded: only velocities are met at the ends, not accelerations
            fade = away_from(np.array([0, length - 1]), length, max(1, round(NOISE_FADE * self.segments.fps)))
            x += fade[:, None] * (self.run(piece.texton, states, force + noise) - x)
        y = x @ dynamics.basis.T + dynamics.mean
        if rest is not None:
            y += rest
        if noise is not None:
            y = self.ranges.within(y)
        missing = goals + dynamics.mean - y[[0, 1, -2, -1]]
        ease_between(missing, length, SLOPE_FRAMES, y)
        return y

    def _free(self, piece: TextonPiece, force: FloatArray, rest: FloatArray | None, like: FloatArray) -> FloatArray:
        """(l + 2, D) a run from its key poses that leads anywhere; their residual outside the basis dies out."""
        dynamics = self.textons[piece.texton].dynamics
        goals = self.charts.coordinates(piece.keys, piece.texton, like[:2]) - dynamics.mean
        states = goals @ dynamics.basis
        y = dynamics.mean + free_run(dynamics, states, force) @ dynamics.basis.T
        missing = goals - states @ dynamics.basis.T
        if rest is not None:
            y += rest
            missing = missing - rest[:2]
        y[:1] += missing[:1]
        time = np.arange(len(y) - 1) / self.segments.fps / RESIDUAL_TIME
        y[1:] += ((1 + time) * np.exp(-time))[:, None] * missing[1]
        return y

    def _through(
        self, piece: TextonPiece, ends: Frames, force: FloatArray, rest: FloatArray | None, like: FloatArray
    ) -> FloatArray:
        """(l + 2, D) a run through more frames than its ends."""
        dynamics, length = self.textons[piece.texton].dynamics, len(force)
        hard = {0: piece.keys[:1], 1: piece.keys[1:], length - 2: ends[:1], length - 1: ends[1:], **piece.hard}
        at = sorted(hard)
        goals = self.charts.coordinates(joined([hard[t] for t in at]), piece.texton, like[at]) - dynamics.mean
        states = goals @ dynamics.basis
        x = constrained_run(dynamics, dict(zip(at, states, strict=True)), force)
        rest = np.zeros((length, len(dynamics.mean))) if rest is None else rest
        missing = goals - states @ dynamics.basis.T - rest[at]
        offset = eased(dict(zip(at, missing, strict=True)), length, reach=SLOPE_FRAMES)
        return dynamics.mean + x @ dynamics.basis.T + rest + offset

    def run(self, texton: int, ends: FloatArray, force: FloatArray) -> FloatArray:
        """`constrained_run` between four given frames (the first two and the last two), by blocks."""
        from motionloom.methods.textons.render._kernels import solve_run

        e = self._equations_of(texton)
        x = solve_run(self._factor(texton, len(force) - 4), e.p1, e.p2, e.row, force + e.lean, ends)
        return cast("FloatArray", x)

    def _equations_of(self, texton: int) -> NormalEquations:
        if texton not in self._equations:
            self._equations[texton] = normal_equations(self.textons[texton].dynamics)
        return self._equations[texton]

    def _factor(self, texton: int, frames: int) -> FloatArray:
        """Factors of at least `frames` free frames (see `_kernels.factor_run`); one serves all lengths."""
        from motionloom.methods.textons.render._kernels import factor_run

        rounded = -(-frames // FACTOR_STEP) * FACTOR_STEP
        for longer in range(rounded, rounded + 4 * FACTOR_STEP, FACTOR_STEP):
            if (texton, longer) in self._factors.held:
                return cast("FloatArray", self._factors.held[texton, longer])
        e = self._equations_of(texton)

        def factored() -> FloatArray:
            try:
                return np.asarray(factor_run(e.p0, e.p1, e.p2, rounded))
            except np.linalg.LinAlgError:  # no learning gives such dynamics
                raise FormatError(f"textons.{texton}.dynamics: expected equations that can be solved") from None

        return cast("FloatArray", self._factors.get((texton, rounded), factored, lambda f: int(f.nbytes)))

    def reference(self, piece: TextonPiece, lengthening: str) -> ReferenceSegment:
        """The observed segment of a piece at the piece's length."""
        key = (piece.observed, piece.span, piece.length, lengthening)
        found = self._references.get(
            key, lambda: reference_segment(self.charts, *key), lambda r: sum(int(part.nbytes) for part in r)
        )
        return cast("ReferenceSegment", found)
