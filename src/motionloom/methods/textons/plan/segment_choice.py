"""Segments of given textons, chosen together so that they meet best."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from motionloom.methods.textons.plan.joins import pieces_distance
from motionloom.methods.textons.plan.pieces import TextonPiece
from motionloom.methods.textons.plan.random_walk import SegmentWalk


def choose_pieces(walk: SegmentWalk, choices: Sequence[Sequence[TextonPiece]]) -> list[TextonPiece]:
    """One piece for each place of a path: those with the least sum of distances where they meet.

    These are the most probable ones under the option `distance_penalty`, found by dynamic programming; pieces that are
    equally good are drawn at random, so without a penalty (`variant: faithful`) all are.
    """
    drawn = [[own[k] for k in walk.rng.permutation(len(own))] for own in choices]
    cost = np.zeros(len(drawn[0]))
    came = []
    for a, b in itertools.pairwise(drawn):
        total = cost[:, None] + walk.options.distance_penalty * pieces_distance(a, b, walk.segments)
        came.append(total.argmin(0))
        cost = total.min(0)
    best = int(cost.argmin())
    out = [drawn[-1][best]]
    for place in range(len(came) - 1, -1, -1):
        best = int(came[place][best])
        out.append(drawn[place][best])
    return out[::-1]
