"""Arrays for the compiled search: the material, the trees over its edges, and the terms of a request."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray

TERMS = ("smoothness", "length", "body", "joints", "style", "obstacles")
"""The terms of a score, in the order of its columns (GUAN eq. 2.18, and two more)."""

NO_COSTS = np.zeros(0)


class SearchMaterial(NamedTuple):
    """Frames of all clips in a row, the transitions between them, and the trees over these."""

    clip: IntArray  # (N, 2) the first frame of each frame's clip and the end of it
    heading: FloatArray  # (N,) radians
    edge: IntArray  # (T, 2) frames a and b of each transition, at the middle of its blend
    move: FloatArray  # (T, 4) its cost (1: the worst), and the alignment of b's clip with a's: turn, shift
    first_out: IntArray  # (N + 1,) the transitions that leave at each frame
    half: int  # frames on each side of a blend
    node: IntArray  # (M, 5) of the trees: first leaf, end, medoid, latest a and earliest b of its leaves
    centre: FloatArray  # (M, 2)
    order: IntArray  # (T,) leaves from left to right
    home: IntArray  # (T,) the leaf node of each transition
    root: IntArray  # (T,) the edge of G1 above each transition
    roots: IntArray  # (R,) the edges of G1 by the clips that they join
    pair: IntArray  # (C * C + 1,) those from clip s to clip t are roots[pair[s C + t] : pair[s C + t + 1]]
    number: IntArray  # (N,) the clip of each frame
    out: IntArray  # (R,) the edges of G1 by their latest a
    latest: IntArray  # (R,) increasing: that a
    steadiness: float = 0.0  # how much routes avoid changes of speed: 0 not at all, 1 as `steady_weights` does
    gone: FloatArray = NO_COSTS  # (N,) an edge e drawn at frame n is kept with the probability
    likely: FloatArray = NO_COSTS  # (T,) exp(steadiness (likely[e] - gone[n])), at most 1; empty without steadiness


class HardFrames(NamedTuple):
    """Hard poses and labels that every route must keep."""

    time: IntArray  # (K,) hard poses: at these times,
    mask: BoolArray  # (K, N) one of these frames is shown, outside blends
    span: IntArray  # (L, 2) hard styles: from the first of these frames to before the second
    carried: IntArray  # (L, N + 1) of their labels: the number of frames with it before each frame


class ScoreTerms(NamedTuple):
    """Terms of the score of a route; weights are the products of the method's and the constraint's."""

    frames: int  # requested length
    begin: FloatArray  # (3,) x, z and heading of the first frame
    smoothness: float  # weight of the transitions' costs
    length: float  # weight of a missing frame
    tables: FloatArray  # (K, N, 3) positions of the hips, then of constrained joints, in each clip's coordinates
    points: FloatArray  # (., 9) time, table, target x y z, weights of x and z, of y, column of the score, weight
    headings: FloatArray  # (., 3) time, target, weight
    poses: FloatArray  # (., 3) time, row of `unlike`, weight
    unlike: FloatArray  # (., N) difference of each frame from a pose, radians
    spans: FloatArray  # (., 4) first frame, end, row of `carried`, weight
    carried: IntArray  # (., N + 1) the number of frames with a label before each frame
    reaches: FloatArray  # (., 7) last frame, x, z, heading, whether it counts, metres per radian, weight
    circles: FloatArray  # (., 5) x, z, radius, weight, weight of each moment inside
    paths: FloatArray  # (., 5) first frame, last frame, first sample, end, weight
    samples: FloatArray  # (., 2) points of the given paths, at equal steps
    bodies: FloatArray  # (N, J, 2) all joints on the ground, in each clip's coordinates; no rows without obstacles
    stride: int  # frames between evaluations of obstacles and arrivals; for paths, every other
