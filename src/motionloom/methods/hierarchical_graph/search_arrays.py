"""What the compiled search reads: the material, the trees over its edges, and what is asked, as plain arrays."""

from __future__ import annotations

from typing import NamedTuple

from motionloom.core import BoolArray, FloatArray, IntArray

TERMS = ("smoothness", "length", "body", "joints", "style", "obstacles")
"""The parts of a score, in the order of its columns (GUAN eq. 2.18, and two more)."""


class Material(NamedTuple):
    """Frames of all clips in a row, the transitions between them, and the trees over these."""

    clip: IntArray  # (N, 2) the first frame of each frame's clip and the end of it
    heading: FloatArray  # (N,) radians
    edge: IntArray  # (T, 2) frames a and b of each transition, at the middle of its blend
    move: FloatArray  # (T, 4) its cost (1: the worst there is), and how b's clip lies on a's ground: turn, shift
    first_out: IntArray  # (N + 1,) the transitions that leave at each frame
    half: int  # frames on each side of a blend
    node: IntArray  # (M, 5) of the trees: first leaf, end, medoid, latest a and earliest b of its leaves
    centre: FloatArray  # (M, 2)
    order: IntArray  # (T,) leaves from left to right
    home: IntArray  # (T,) the node that is a transition alone
    roots: IntArray  # (R,) the edges of G1 by the clips that they join
    pair: IntArray  # (C * C + 1,) those from clip s to clip t are roots[pair[s C + t] : pair[s C + t + 1]]
    number: IntArray  # (N,) the clip of each frame
    out: IntArray  # (R,) the edges of G1 by their latest a
    latest: IntArray  # (R,) increasing: that a


class Hard(NamedTuple):
    """What every way must keep about the frames that it shows."""

    time: IntArray  # (K,) hard poses: at these times,
    mask: BoolArray  # (K, N) one of these frames is shown, outside blends
    span: IntArray  # (L, 2) hard styles: from the first of these frames to before the second
    carried: IntArray  # (L, N + 1) all carry a label: how many of the frames before each do


class Terms(NamedTuple):
    """What a way is scored by; weights hold the method's weight and the constraint's own."""

    frames: int  # length that is asked for
    begin: FloatArray  # (3,) x, z and heading of the first frame
    smoothness: float  # weight of the transitions' costs
    length: float  # weight of a missing frame
    tables: FloatArray  # (K, N, 3) places of the hips, then of joints that are asked for, as the clips lie
    points: FloatArray  # (., 9) time, table, wanted x y z, do x and z, does y count, column of the score, weight
    headings: FloatArray  # (., 3) time, wanted, weight
    poses: FloatArray  # (., 3) time, row of `unlike`, weight
    unlike: FloatArray  # (., N) how far each frame is from a pose, radians
    spans: FloatArray  # (., 4) first frame, end, row of `carried`, weight
    carried: IntArray  # (., N + 1) how many of the frames before each carry a label
    reaches: FloatArray  # (., 7) last frame, x, z, heading, does it count?, metres per radian, weight
    circles: FloatArray  # (., 5) x, z, radius, weight, weight of each moment inside
    ways: FloatArray  # (., 5) first frame, last frame, first sample, end, weight
    samples: FloatArray  # (., 2) points of the asked paths, at equal steps
    stride: int  # frames between the places at which circles and arrivals are looked at; for paths, every other
