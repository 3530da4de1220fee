"""The parametric gaze map: a gaze displacement motion for every change of yaw and pitch (HECK 5.2.2.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from motionloom.core import BadRequest, FloatArray, FormatError, IntArray
from motionloom.core.arrays import frozen, put
from motionloom.methods.gaze._kernels_map import beyond, blend_rows, triangulated
from motionloom.methods.gaze.displacement_motions import GazeMotion, progress_at
from motionloom.rotation import angle_between, exp, multiply, rotate, wrap_angle

MIN_EXAMPLES = 3
TOGETHER = 3  # examples that are blended for a sample: one and others among
NEIGHBOURS = 12  # its nearest
SPACING = math.radians(4.0)  # between a target and the nearest sample
MAX_BLENDS = 3000
EASE = math.radians(3.0)  # beyond the border of the examples
MIN_HEAD_SPEED = math.radians(60.0)  # rad/s: heads of maps in which the eyes do everything are not slower
Weights = Literal["continuous", "nearest"]


@dataclass(frozen=True, eq=False)
class GazeMap:
    """Examples of gaze shifts, blended by yaw and pitch.

    "continuous" interpolates by cubic curves (C1) on the grid of the examples' yaws and pitches; nodes without an
    example are those of a triangulation. "nearest" is HECK's: blends of examples are sampled, each with the target that
    it reaches (3.5), and the k nearest samples get weights 1/d_i - 1/d_k.
    """

    examples: FloatArray  # (E, 24) rows of `GazeMotion`
    weights: Weights = "continuous"
    neighbours: int = 4  # k of "nearest"
    samples: FloatArray | None = None  # (S, 24) rows that "nearest" uses; by default `sample_blends`

    def __post_init__(self) -> None:
        put(self, "examples", frozen(self.examples, np.float64, (None, 24), "gaze examples"))
        if len(self.examples) < MIN_EXAMPLES:
            raise BadRequest(f"a gaze map needs at least {MIN_EXAMPLES} examples, found {len(self.examples)}")
        if self.weights not in ("continuous", "nearest"):
            raise BadRequest(f"weights: expected continuous or nearest, found {self.weights!r}")
        if not np.isfinite(self.examples).all():
            raise FormatError("gaze map: expected finite numbers")
        if (self.examples[:, 17] <= 0).any():
            raise FormatError("gaze map: expected positive lengths of shifts")
        if self.weights == "nearest":
            samples = sample_blends(self.examples) if self.samples is None else self.samples
            put(self, "samples", frozen(samples, np.float64, (None, 24), "gaze samples"))

    @staticmethod
    def of(motions: Sequence[GazeMotion], **options: Any) -> GazeMap:
        """The map of these motions."""
        return GazeMap(np.stack([m.row() for m in motions]) if motions else np.zeros((0, 24)), **options)

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """(2,) least and greatest yaw and pitch of the examples, rad."""
        return self.examples[:, :2].min(0), self.examples[:, :2].max(0)

    @property
    def fastest(self) -> float:
        """rad/s: the fastest head of the examples, with overshoot.

        A map whose strength was reduced counts as before: the head that reaches a target with its example's eyes.
        """
        time = np.linspace(0, 1, 200)
        best = MIN_HEAD_SPEED
        for motion in map(GazeMotion.of, self.examples):
            share = progress_at(time[:, None], motion.starts, np.array(motion.peak), np.array(motion.overshoot))
            needed = np.hypot(motion.yaw, motion.pitch) - np.linalg.norm(motion.turns[4])
            slowest = float(np.diff(share, axis=0).max(0).min())  # of the joint that starts first
            head = np.tile([1.0, 0.0, 0.0, 0.0], (len(time), 1))
            for j in range(4):
                head = multiply(head, exp(share[:, j, None] * motion.turns[j]))
            step = max(float(angle_between(head[1:], head[:-1]).max()), needed * slowest)
            best = max(best, step * (len(time) - 1) / motion.seconds)
        return best

    @cached_property
    def grid(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Yaws, pitches and the rows on them (columns, rows, 24): examples, and between them linear in triangles."""
        places = np.round(self.examples[:, :2], 6)
        _, first, column = np.unique(places[:, 0], return_index=True, return_inverse=True)
        _, start, row = np.unique(places[:, 1], return_index=True, return_inverse=True)
        yaws, pitches = self.examples[first, 0], self.examples[start, 1]
        table = np.empty((len(first), len(start), 24))
        if len(first) * len(start) > len(places):
            rows, triangles, border = np.array(self.examples), *self._triangles
            for i, yaw in enumerate(yaws):
                for j, pitch in enumerate(pitches):
                    triangulated(rows, triangles, border, yaw, pitch, table[i, j])
        table[column, row] = self.examples
        return yaws, pitches, table

    @property
    def _triangles(self) -> tuple[IntArray, IntArray]:
        """(T, 3) the triangles between the examples, and (H, 2) their border."""
        from scipy.spatial import Delaunay, QhullError

        try:
            found = Delaunay(self.examples[:, :2])
        except QhullError:
            raise BadRequest("gaze map: the targets lie on one line; add some above or below") from None
        return found.simplices.astype(np.int64), found.convex_hull.astype(np.int64)

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """The map as the kernels take it."""
        if self.samples is None:
            lines = smooth_table(*self.grid)
            samples = np.zeros((0, 24))
        else:
            lines, samples = (np.zeros(0), np.zeros(0), np.zeros((0, 0, 4, 24))), np.array(self.samples)
        return (*lines, samples, np.array(samples[:, :2]), *map(np.array, self.limits), self.neighbours, self.fastest)

    def blend(self, yaw: FloatArray, pitch: FloatArray) -> FloatArray:
        """(N, 24) blended rows for requests (N,); beyond the examples, those near the border."""
        asked = np.stack(np.broadcast_arrays(np.asarray(yaw, float), np.asarray(pitch, float)), -1)
        out = np.empty((len(asked), 24))
        blend_rows(self.arrays, asked, out)
        return out

    def at(self, yaw: float, pitch: float) -> GazeMotion:
        """The motion for one request."""
        return GazeMotion.of(self.blend(np.array([yaw]), np.array([pitch]))[0])

    def seconds(self, yaw: float, pitch: float) -> float:
        """How long a shift by this much takes, also from one side to the other: beyond the examples, longer."""
        return self.at(yaw, pitch).seconds * beyond(self.arrays, float(yaw))

    def scaled(self, *, strength: float = 1.0, speed: float = 1.0, shares: Sequence[float] | None = None) -> GazeMap:
        """Another map: spine and neck turn `strength` times as far (the eyes make up for it), `speed` times as fast.

        `shares` multiplies pelvis, lower spine, upper spine and neck one by one.
        """
        if not speed > 0:
            raise BadRequest(f"speed: expected more than 0, found {speed}")
        factors = strength * np.asarray([1.0] * 4 if shares is None else shares, float)

        def changed(rows: FloatArray) -> FloatArray:
            rows = rows.copy()
            rows[:, 2:14] *= np.repeat(factors, 3)
            rows[:, 17] /= speed
            return rows

        samples = None if self.samples is None else changed(self.samples)  # with the targets that they had
        return replace(self, examples=changed(self.examples), samples=samples)

    def achieved(self, yaw: FloatArray, pitch: FloatArray) -> FloatArray:
        """(N, 3) the directions that the blended displacements reach from straight ahead, before any correction."""
        return reached(self.blend(yaw, pitch))


def reached(rows: FloatArray) -> FloatArray:
    """(N, 3) the directions in which the displacements of rows (N, 24) turn a gaze straight ahead."""
    turns = exp(rows[:, 2:17].reshape(-1, 5, 3))
    whole = turns[:, 0]
    for j in range(1, 5):
        whole = multiply(whole, turns[:, j])
    return rotate(whole, [0.0, 0.0, 1.0])


def smooth_table(yaws: FloatArray, pitches: FloatArray, table: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Yaws, pitches and nodes (columns, rows, 4, 24) of C1 curves through the table (columns, rows, 24).

    Slopes are those of parabolas through three neighbours: linear in the values, so that turns that add up to the
    target at the examples do so between them. At the border there is one more node to each side.
    """
    across, along = slopes(yaws, table, 0), slopes(pitches, table, 1)
    pairs = [(table, across), (along, slopes(yaws, along, 0))]
    yaws = np.array([yaws[0] - 2 * EASE, *yaws, yaws[-1] + 2 * EASE])
    (table, across), (along, twist) = (eased_border(*pair, axis=0) for pair in pairs)
    pitches = np.array([pitches[0] - 2 * EASE, *pitches, pitches[-1] + 2 * EASE])
    (table, along), (across, twist) = (eased_border(*pair, axis=1) for pair in ((table, along), (across, twist)))
    return yaws, pitches, np.stack([table, across, along, twist], 2)


def slopes(at: FloatArray, values: FloatArray, axis: int) -> FloatArray:
    """The slopes at each place along an axis."""
    return np.gradient(values, at, axis=axis) if len(at) > 1 else np.zeros_like(values)


def eased_border(values: FloatArray, slope: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
    """Both with one more entry at each end, 2 `EASE` away: curves run on by `EASE` beyond the border and level out."""
    first, last = (
        np.take(values, [k], axis) + side * EASE * np.take(slope, [k], axis) for k, side in ((0, -1), (-1, 1))
    )
    still = np.zeros_like(first)
    return np.concatenate([first, values, last], axis), np.concatenate([still, slope, still], axis)


def sample_blends(examples: FloatArray) -> FloatArray:
    """(S, 24) the examples, and random blends of neighbours among them with the yaw and pitch that each one reaches.

    HECK 3.5 (KG04): the target of a blend is not the blend of the targets, so it is measured. Blends are drawn until
    no target within the examples' range is farther than `SPACING` from a sample, or there are `MAX_BLENDS`.
    """
    from scipy.spatial import cKDTree

    places = examples[:, :2]
    low, ranges = places.min(0), np.ptp(places, axis=0)
    near = np.argsort(((places[:, None] - places[None]) ** 2).sum(-1), axis=1, kind="stable")[:, 1:NEIGHBOURS]
    ticks = [np.linspace(0, size, max(2, round(size / SPACING))) for size in ranges]
    lattice = low + np.stack(np.meshgrid(*ticks), -1).reshape(-1, 2)
    rng, rows, each = np.random.default_rng(0), examples, np.arange(len(examples))[:, None]
    for _ in range(0, MAX_BLENDS, len(examples)):
        others = np.argsort(rng.random(near.shape), axis=1)[:, : TOGETHER - 1]
        chosen = np.concatenate([each, np.take_along_axis(near, others, 1)], 1)
        weights = np.zeros((len(examples), len(examples)))
        np.put_along_axis(weights, chosen, rng.dirichlet(np.full(chosen.shape[1], 0.5), len(examples)), 1)
        blends = weights @ examples
        line = reached(blends)
        yaw, pitch = np.arctan2(line[:, 0], line[:, 2]), np.arcsin(np.clip(line[:, 1], -1, 1))
        blends[:, 0] += wrap_angle(yaw - blends[:, 0])  # behind the back, of the side that was turned to
        blends[:, 1] = pitch
        rows = np.concatenate([rows, blends])
        if cKDTree(rows[:, :2]).query(lattice)[0].max() < SPACING:
            break
    return rows
