"""A learned filler of gaps: Hermite interpolation, corrected as the nearest training windows depart from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motionloom.core import Clip, FloatArray, Progress, replace, silent
from motionloom.core.progress import each
from motionloom.evaluate.inbetween.gaps import GAPS, PAST, hermite
from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.kinematics.travel import headings, moved, turned
from motionloom.rotation import continuous, exp, inverse, log, multiply

SEEN = (0, 3, 6, 8, 9)  # past frames by which windows are compared, with the target
MODES = 5  # sines over the gap, zero at both ends
STEP = 6  # frames between training windows
LEAST_DEVIATION = 0.05  # m, rad: of an input, so that joints that hardly move do not count
COUNT = 30  # neighbours


class GapExamples(NamedTuple):
    """Training windows with gaps of one length."""

    known: FloatArray  # (N, inputs) see `inputs`
    departures: FloatArray  # (N, K * channels) sines of `departure`

    @property
    def deviation(self) -> FloatArray:
        """(inputs,) what the inputs are divided by to be compared."""
        return np.asarray(np.maximum(self.known.std(0), LEAST_DEVIATION))


@dataclass(frozen=True, eq=False)
class Neighbours:
    """A `Filler`: the mean departure of the `count` training windows whose known frames are nearest.

    The mean of many neighbours is nearer to the true frames than any one of them that the known frames can select: an
    L2 error rewards the mean of what may happen, not an example of it.
    """

    examples: Mapping[int, GapExamples]
    count: int = COUNT

    def __call__(self, window: Clip, gap: int) -> Clip:
        """The window with the gap filled; only gaps of `GAPS` are learned."""
        found = self.examples[gap]
        here = facing(window[: PAST + gap + 1])
        away = (((found.known - inputs(here, gap)) / found.deviation) ** 2).sum(1)
        return filled(window, gap, found.departures[np.argsort(away, kind="stable")[: self.count]].mean(0))


def learn_neighbours(training: Sequence[Clip], *, count: int = COUNT, progress: Progress | None = None) -> Neighbours:
    """The windows of training clips at 30 fps, for each gap of `GAPS`."""
    order = each(GAPS, progress or silent(), "collecting gaps")
    return Neighbours({gap: gap_examples(training, gap) for gap in order}, count)


def gap_examples(training: Sequence[Clip], gap: int) -> GapExamples:
    """Known frames and departures of every training window with this gap."""
    size = PAST + gap + 1
    rows, targets = [], []
    for clip in training:
        clip = replace(clip, rotations=continuous(clip.rotations))
        for start in range(0, len(clip) - size, STEP):
            window = facing(clip[start : start + size])
            rows.append(inputs(window, gap))
            targets.append(departure(window, gap))
    if not rows:
        raise NotApplicable(f"no training clip is longer than {size} frames")
    return GapExamples(np.array(rows), np.array(targets))


def facing(window: Clip) -> Clip:
    """The window with the hips of frame 9 over the origin, facing +z."""
    middle = moved(window, -window.root[PAST - 1, [0, 2]])
    return turned(middle, -float(headings(middle[PAST - 1 : PAST])[0]))


def inputs(window: Clip, gap: int) -> FloatArray:
    """Root and rotation vectors of the known frames."""
    known = [*SEEN, PAST + gap]
    return np.concatenate([window.root[known].ravel(), log(window.rotations[known]).ravel()])


def departure(window: Clip, gap: int) -> FloatArray:
    """(K * (3 + 3 J),) how the frames of the gap differ from Hermite interpolation: metres, radians, as K sines."""
    base, inside = hermite(window, gap), slice(PAST, PAST + gap)
    turns = log(multiply(inverse(base.rotations[inside]), window.rotations[inside]))
    return (modes(gap).T @ np.concatenate([window.root[inside] - base.root[inside], turns.reshape(gap, -1)], 1)).ravel()


def filled(window: Clip, gap: int, by: FloatArray) -> Clip:
    """The window filled by Hermite interpolation and a `departure` from it, which is seen from frame 9."""
    by = modes(gap) @ by.reshape(modes(gap).shape[1], -1)
    base, inside = hermite(facing(window[: PAST + gap + 1]), gap), slice(PAST, PAST + gap)
    root, rotations = base.root.copy(), base.rotations.copy()
    root[inside] += by[:, :3]
    rotations[inside] = multiply(rotations[inside], exp(by[:, 3:].reshape(gap, -1, 3)))
    made = turned(replace(base, root=root, rotations=rotations), float(headings(window[PAST - 1 : PAST])[0]))
    made = moved(made, window.root[PAST - 1, [0, 2]] - made.root[PAST - 1, [0, 2]])
    root, rotations = window.root.copy(), window.rotations.copy()
    root[inside], rotations[inside] = made.root[inside], made.rotations[inside]
    return replace(window, root=root, rotations=rotations)


def modes(gap: int) -> FloatArray:
    """(gap, K) orthonormal sines that are zero at frame 9 and at the target."""
    u = np.arange(1, gap + 1) / (gap + 1)
    return np.stack([np.sin(np.pi * k * u) for k in range(1, min(gap, MODES) + 1)], 1) * np.sqrt(2 / (gap + 1))
