"""Hips that follow corrected feet, so that knees bend as in the source."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import BoolArray, FloatArray
from motionloom.kinematics.body.roles import Foot

STRAIGHT = np.sin(np.radians(10.0))  # a knee straighter than 10 degrees weighs no more than one at 10 degrees
PULL = 0.1  # (rad/m)^2: weight of the distance between the hips and their place in the source
BEND = 30.0  # (rad/m)^2: weight of the second differences of displacements of the hips
HOLD = 1e10  # (rad/m)^2: weight of frames at which the hips must stay
NEGLIGIBLE = 1e-5  # m: smaller displacements are left out, so that frames far from any correction do not change


def hips_shift(legs: Sequence[Foot], shifts: Sequence[FloatArray], places: FloatArray, fixed: BoolArray) -> FloatArray:
    """(F, 3) metres by which the hips move, so that correcting the feet changes the angles of the knees least.

    `shifts` (F, 3) are the displacements c of each ankle, `places` (F, J, 3) the joints of the source. A leg with bones
    a, b and knee angle K spans r = |ankle - hip|, r^2 = a^2 + b^2 - 2ab cos K, so a hip that moves by d along the leg's
    direction u changes K by s u.(d - c), s = r / (ab sin K). This minimises over all frames

        sum_t [ sum_legs (s u.(d - c))^2 + PULL |d|^2 ] + BEND sum_t |d[t-1] - 2 d[t] + d[t+1]|^2

    with d = 0 at `fixed` frames (F,): a banded, symmetric system of 3F equations.
    """
    from scipy.linalg import solveh_banded

    frames = len(places)
    if frames < 3 or not any(np.any(shift) for shift in shifts):
        return np.zeros((frames, 3))
    weights, targets = np.zeros((frames, 3, 3)), np.zeros((frames, 3))
    for foot, shift in zip(legs, shifts, strict=True):
        hip, knee, ankle = (places[:, j] for j in (foot.thigh, foot.shin, foot.ankle))
        a, b, reach = (np.linalg.norm(v, axis=-1) for v in (knee - hip, ankle - knee, ankle - hip))
        cosine = (a**2 + b**2 - reach**2) / (2 * a * b)
        rate = reach / (a * b * np.sqrt(np.maximum(1 - cosine**2, STRAIGHT**2)))
        along = rate[:, None] * (ankle - hip) / reach[:, None]
        weights += along[:, :, None] * along[:, None, :]
        targets += along * np.einsum("fi,fi->f", along, shift)[:, None]
    weights += (PULL + HOLD * fixed)[:, None, None] * np.eye(3)
    shift = solveh_banded(_bands(weights, BEND), targets.reshape(-1)).reshape(frames, 3)
    shift[fixed | (np.abs(shift).max(1) < NEGLIGIBLE)] = 0.0
    return np.asarray(shift)


def _bands(blocks: FloatArray, bend: float) -> FloatArray:
    """(7, 3F) upper bands of the matrix with these (F, 3, 3) blocks plus `bend` times squared second differences."""
    frames = len(blocks)
    bands = np.zeros((7, 3 * frames))
    for row in range(3):
        for column in range(row, 3):
            bands[6 - (column - row), column::3] = blocks[:, row, column]
    second = np.array([1.0, -2.0, 1.0])
    for i, left in enumerate(second):
        for j in range(i, 3):
            for axis in range(3):
                at = 3 * (np.arange(frames - 2) + j) + axis
                np.add.at(bands[6 - 3 * (j - i)], at, bend * left * second[j])
    return bands
