"""A learned filler of gaps: Hermite interpolation, corrected as the nearest training windows depart from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motionloom.core import Clip, FloatArray, IntArray, Progress, replace, silent
from motionloom.core.progress import each, parts
from motionloom.evaluate.inbetween.gaps import FPS, GAPS, PAST, hermite, past_frames
from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.kinematics.travel import headings, moved, turned
from motionloom.rotation import continuous, exp, inverse, log, multiply

SEEN = (0, 3, 6, 8, 9)  # past frames at 30 fps by which windows are compared, with the target
MODES = 5  # sines over the gap, zero at both ends
STEP = 0.2  # s between training windows
LEAST_DEVIATION = 0.05  # m, rad: of an input, so that joints that hardly move do not count
COUNT = 30  # neighbours


class GapExamples(NamedTuple):
    """Training windows with gaps of one length."""

    known: FloatArray  # (N, inputs) see `inputs`
    departures: FloatArray  # (N, K * channels) sines of `departure`
    clips: IntArray  # (N,) which of the training clips,
    starts: IntArray  # (N,) and the first frame in it

    @property
    def deviation(self) -> FloatArray:
        """(inputs,) what the inputs are divided by to be compared."""
        return np.asarray(np.maximum(self.known.std(0), LEAST_DEVIATION))

    def nearest(self, window: Clip, gap: int, count: int) -> IntArray:
        """(count,) the windows whose known frames are nearest."""
        here = inputs(facing(window[: past_frames(window.fps) + gap + 1]), gap)
        away = (((self.known - here) / self.deviation) ** 2).sum(1)
        return np.argsort(away, kind="stable")[:count]


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
        return filled(window, gap, found.departures[found.nearest(window, gap, self.count)].mean(0))


def learn_neighbours(training: Sequence[Clip], *, count: int = COUNT, progress: Progress | None = None) -> Neighbours:
    """The windows of training clips at 30 fps, for each gap of `GAPS`."""
    steps = parts(progress or silent(), [1] * len(GAPS))
    return Neighbours({gap: gap_examples(training, gap, p) for gap, p in zip(GAPS, steps, strict=True)}, count)


def gap_examples(training: Sequence[Clip], gap: int, progress: Progress | None = None) -> GapExamples:
    """Known frames and departures of every training window with this gap; all clips have one frame rate."""
    rows, targets, owners, starts = [], [], [], []
    for k, clip in enumerate(each(training, progress or silent(), "collecting examples", [len(c) for c in training])):
        clip = replace(clip, rotations=continuous(clip.rotations))
        size = past_frames(clip.fps) + gap + 1
        for start in range(0, len(clip) - size, max(1, round(STEP * clip.fps))):
            window = facing(clip[start : start + size])
            rows.append(inputs(window, gap))
            targets.append(departure(window, gap))
            owners.append(k)
            starts.append(start)
    if not rows:
        raise NotApplicable(f"no training clip is longer than {PAST + gap + 1} frames")
    return GapExamples(np.array(rows), np.array(targets), np.array(owners), np.array(starts))


def facing(window: Clip) -> Clip:
    """The window with the hips of the last known frame over the origin, facing +z."""
    last = past_frames(window.fps) - 1
    middle = moved(window, -window.root[last, [0, 2]])
    return turned(middle, -float(headings(middle[last : last + 1])[0]))


def inputs(window: Clip, gap: int) -> FloatArray:
    """Root and rotation vectors of the known frames."""
    past = past_frames(window.fps)
    known = [*(past - 1 - round((PAST - 1 - k) * window.fps / FPS) for k in SEEN), past + gap]
    return np.concatenate([window.root[known].ravel(), log(window.rotations[known]).ravel()])


def departure(window: Clip, gap: int) -> FloatArray:
    """(K * (3 + 3 J),) how the frames of the gap differ from Hermite interpolation: metres, radians, as K sines."""
    base, past = hermite(window, gap), past_frames(window.fps)
    inside = slice(past, past + gap)
    turns = log(multiply(inverse(base.rotations[inside]), window.rotations[inside]))
    return (modes(gap).T @ np.concatenate([window.root[inside] - base.root[inside], turns.reshape(gap, -1)], 1)).ravel()


def filled(window: Clip, gap: int, by: FloatArray) -> Clip:
    """The window filled by Hermite interpolation and a `departure` from it, which is seen from the last known frame."""
    by, past = modes(gap) @ by.reshape(modes(gap).shape[1], -1), past_frames(window.fps)
    base, inside = hermite(facing(window[: past + gap + 1]), gap), slice(past, past + gap)
    root, rotations = base.root.copy(), base.rotations.copy()
    root[inside] += by[:, :3]
    rotations[inside] = multiply(rotations[inside], exp(by[:, 3:].reshape(gap, -1, 3)))
    made = turned(replace(base, root=root, rotations=rotations), float(headings(window[past - 1 : past])[0]))
    made = moved(made, window.root[past - 1, [0, 2]] - made.root[past - 1, [0, 2]])
    root, rotations = window.root.copy(), window.rotations.copy()
    root[inside], rotations[inside] = made.root[inside], made.rotations[inside]
    return replace(window, root=root, rotations=rotations)


def modes(gap: int) -> FloatArray:
    """(gap, K) orthonormal sines that are zero at frame 9 and at the target."""
    u = np.arange(1, gap + 1) / (gap + 1)
    return np.stack([np.sin(np.pi * k * u) for k in range(1, min(gap, MODES) + 1)], 1) * np.sqrt(2 / (gap + 1))
