"""A learned filler of gaps: Hermite interpolation, corrected by a linear regression from the known frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, Progress, replace, silent
from motionloom.core.progress import each
from motionloom.evaluate.inbetween.gaps import GAPS, PAST, hermite
from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.kinematics.travel import headings, moved, turned
from motionloom.rotation import continuous, exp, inverse, log, multiply

SEEN = (0, 3, 6, 8, 9)  # past frames that the regression uses
MODES = 5  # sines over the gap, zero at both ends
STEP = 6  # frames between training windows
LEAST_DEVIATION = 0.05  # m, rad: of an input, so that joints that hardly move do not count
RIDGES = (0.5, 1.5, 5.0, 15.0, 50.0)  # by the number of training windows
FOLDS = 3


@dataclass(frozen=True, eq=False)
class Regression:
    """The corrections of `fit_regression`; a `Filler`."""

    mean: dict[int, FloatArray]  # of the inputs, by gap
    deviation: dict[int, FloatArray]
    weights: dict[int, FloatArray]  # (inputs + 1, MODES * channels)
    ridge: dict[int, float]  # chosen for each gap

    def __call__(self, window: Clip, gap: int) -> Clip:
        """The window with the gap filled; gaps of other lengths than `GAPS` are not learned."""
        here = facing(window[: PAST + gap + 1])
        x = np.append((inputs(here, gap) - self.mean[gap]) / self.deviation[gap], 1.0)
        made = corrected(here, gap, modes(gap) @ (x @ self.weights[gap]).reshape(modes(gap).shape[1], -1))
        place = turned(made, float(headings(window[PAST - 1 : PAST])[0]))
        place = moved(place, window.root[PAST - 1, [0, 2]] - place.root[PAST - 1, [0, 2]])
        root, rotations = window.root.copy(), window.rotations.copy()
        inside = slice(PAST, PAST + gap)
        root[inside], rotations[inside] = place.root[inside], place.rotations[inside]
        return replace(window, root=root, rotations=rotations)


def fit_regression(training: Sequence[Clip], progress: Progress | None = None) -> Regression:
    """Learn, for each gap of `GAPS`, how captured motion departs from Hermite interpolation.

    y = W [x, 1] by ridge regression: x are the root and the exponential maps of all local rotations in the frames
    `SEEN` and in the target, seen from frame 9; y the first sines of the departure over the gap. The ridge is the one
    of `RIDGES` with the least error on thirds of the training clips, each predicted from the others. (Neighbours in the
    list, often of one subject, are in one third.)
    """
    mean, deviation, weights, ridges = {}, {}, {}, {}
    for gap in each(GAPS, progress or silent(), "learning to fill gaps"):
        x, y, clip = _examples(training, gap)
        mean[gap] = x.mean(0)
        deviation[gap] = np.maximum(x.std(0), LEAST_DEVIATION)
        x = np.concatenate([(x - mean[gap]) / deviation[gap], np.ones((len(x), 1))], 1)
        parts = [clip * FOLDS // len(training) == fold for fold in range(FOLDS)]
        errors = [sum(_error(x, y, out, r) for out in parts if out.any() and not out.all()) for r in RIDGES]
        ridges[gap] = RIDGES[int(np.argmin(errors))]
        weights[gap] = _solved(x, y, ridges[gap])
    return Regression(mean, deviation, weights, ridges)


def _examples(training: Sequence[Clip], gap: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Inputs, departures and the number of the clip of every training window."""
    size = PAST + gap + 1
    rows, targets, owners = [], [], []
    for k, clip in enumerate(training):
        clip = replace(clip, rotations=continuous(clip.rotations))
        for start in range(0, len(clip) - size, STEP):
            window = facing(clip[start : start + size])
            rows.append(inputs(window, gap))
            targets.append((modes(gap).T @ departure(window, gap)).ravel())
            owners.append(k)
    if not rows or min(owners) == max(owners):
        raise NotApplicable(f"no two training clips are longer than {size} frames")
    return np.array(rows), np.array(targets), np.array(owners)


def _error(x: FloatArray, y: FloatArray, out: BoolArray, ridge: float) -> float:
    """The squared error on the examples `out`, learned from the others."""
    return float(((x[out] @ _solved(x[~out], y[~out], ridge) - y[out]) ** 2).sum())


def _solved(x: FloatArray, y: FloatArray, ridge: float) -> FloatArray:
    return np.asarray(np.linalg.solve(x.T @ x + ridge * len(x) * np.eye(x.shape[1]), x.T @ y))


def facing(window: Clip) -> Clip:
    """The window with the hips of frame 9 over the origin, facing +z."""
    middle = moved(window, -window.root[PAST - 1, [0, 2]])
    return turned(middle, -float(headings(middle[PAST - 1 : PAST])[0]))


def inputs(window: Clip, gap: int) -> FloatArray:
    """Root and rotation vectors of the known frames."""
    known = [*SEEN, PAST + gap]
    return np.concatenate([window.root[known].ravel(), log(window.rotations[known]).ravel()])


def departure(window: Clip, gap: int) -> FloatArray:
    """(gap, 3 + 3 J) by how much the frames of the gap differ from Hermite interpolation: metres, radians."""
    base, inside = hermite(window, gap), slice(PAST, PAST + gap)
    turns = log(multiply(inverse(base.rotations[inside]), window.rotations[inside]))
    return np.concatenate([window.root[inside] - base.root[inside], turns.reshape(gap, -1)], 1)


def corrected(window: Clip, gap: int, by: FloatArray) -> Clip:
    """Hermite interpolation with a departure (gap, 3 + 3 J) added: the inverse of `departure`."""
    base, inside = hermite(window, gap), slice(PAST, PAST + gap)
    root, rotations = base.root.copy(), base.rotations.copy()
    root[inside] += by[:, :3]
    rotations[inside] = multiply(rotations[inside], exp(by[:, 3:].reshape(gap, -1, 3)))
    return replace(window, root=root, rotations=rotations)


def modes(gap: int) -> FloatArray:
    """(gap, K) orthonormal sines that are zero at frame 9 and at the target."""
    u = np.arange(1, gap + 1) / (gap + 1)
    return np.stack([np.sin(np.pi * k * u) for k in range(1, min(gap, MODES) + 1)], 1) * np.sqrt(2 / (gap + 1))
