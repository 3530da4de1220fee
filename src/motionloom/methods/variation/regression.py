"""Conditional distributions (LAU 5.2): k nearest instances, weighed by a kernel. What the kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.methods.variation.config import Config


class Rules(NamedTuple):
    """The settings of the regression, as kernels take them."""

    neighbours: int  # k
    width: float  # K_W^2, in squared units of the distance
    velocity: float  # squared weight of the velocity term
    effective: bool  # n_k is (sum w)^2 / sum w^2 instead of k
    delta: bool  # predict changes from the frame before instead of values


class SequenceFrames(NamedTuple):
    """All frames of all sequences, one after the other, as kernels take them.

    An instance of the transition network is three frames f, f + 1, f + 2 of one sequence; it is called f.
    """

    values: FloatArray  # (D, T) a row per degree of freedom
    starts: IntArray  # (S + 1,) first frame of each sequence, and T
    targets: FloatArray  # (D, T) what instance f predicts: X[f + 2] - X[f + 1], or X[f + 2]; 0 past the end
    absolute: BoolArray  # (D,) are the targets values, not changes?
    scales: FloatArray  # (D,) squared: what squared differences are multiplied by
    floors: FloatArray  # (D,) the smallest variance of a prediction

    @property
    def sequences(self) -> int:
        return len(self.starts) - 1


def material_of(
    sequences: Sequence[FloatArray], displacement: BoolArray, scales: FloatArray, *, delta: bool, floor: float
) -> SequenceFrames:
    """The material of sequences (F, D); a variance is at least `floor` times that of the targets."""
    values = np.ascontiguousarray(np.concatenate(sequences).T)
    starts = np.concatenate([[0], np.cumsum([len(s) for s in sequences])]).astype(np.int64)
    absolute = displacement | (not delta)
    targets = np.zeros_like(values)
    inside = np.zeros(values.shape[1], bool)
    for a, b in pairwise(starts):
        targets[:, a : b - 2] = values[:, a + 2 : b] - np.where(absolute[:, None], 0.0, values[:, a + 1 : b - 1])
        inside[a : b - 2] = True
    floors = np.maximum(floor * targets[:, inside].var(1), 1e-12)
    return SequenceFrames(values, starts, targets, absolute, scales**2, floors)


def regression_of(
    sequences: Sequence[FloatArray], displacement: BoolArray, scales: FloatArray, config: Config
) -> tuple[SequenceFrames, Rules]:
    """The material of sequences (F, D), and the rules by the settings of a config.

    K_W is a share of the root mean square deviation of the degrees of freedom, scaled.
    """
    delta = config.target == "delta"
    material = material_of(sequences, displacement, scales, delta=delta, floor=config.floor)
    width = float(config.kernel_width**2 * (material.values.var(1) * material.scales).mean())
    return material, Rules(config.neighbours, width, config.velocity**2, config.neighbour_count == "effective", delta)
