"""Counts of transitions between textons, from which LI's matrix M is made."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from motionloom.core import FloatArray
from motionloom.methods.textons.segments import Segment


def count_transitions(segments: Sequence[Segment], count: int) -> FloatArray:
    """(N, N) how often a texton was followed by another; borders between clips do not count."""
    counts = np.zeros((count, count))
    for a, b in itertools.pairwise(segments):
        if a.clip == b.clip:
            counts[a.label, b.label] += 1
    return counts
