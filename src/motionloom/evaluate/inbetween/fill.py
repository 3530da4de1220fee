"""Gaps of clips filled by what similar captured frames do: `motionloom clean --fill`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as with_changes
from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, Clip, IntArray, Origin, Progress, concatenate, replace, silent
from motionloom.core.numbers import squared_distances
from motionloom.core.origin_joining import joined
from motionloom.core.progress import parts
from motionloom.evaluate.inbetween.gaps import hermite, past_frames
from motionloom.evaluate.inbetween.neighbours import GapExamples, filled, gap_examples
from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.methods.prepare_clips import prepare

COUNTS = (1, 2, 3, 5, 8, 13, 20, 30)  # neighbours, of at most a quarter of the windows
JUDGED = 30  # windows nearest to the gap, by which the number of neighbours and their weight are chosen


class Filled(NamedTuple):
    """A clip with a gap filled, and by what: so many similar windows; their weight against interpolation, 0 to 1."""

    clip: Clip
    windows: int
    weight: float

    def __str__(self) -> str:
        if self.windows == 0:
            return "interpolation: no other frames are similar enough"
        mostly = ", mostly interpolated" if self.weight < 0.5 else ""
        many = f"{self.windows} similar window{'s' * (self.windows > 1)}"
        return f"what {many} did, with a weight of {self.weight:.0%}{mostly}"


def fill_gap(clip: Clip, first: int, stop: int, like: Sequence[Clip] = (), progress: Progress | None = None) -> Filled:
    """The clip with frames `first` to `stop` - 1 made anew, from the 0.3 s before them and frame `stop`.

    Examples are windows of the clip's other frames and of the clips `like`, put on the clip's skeleton. Where there are
    none, or none is a help (`_similar`), Hermite interpolation fills the gap. New frames have the clip and the clips of
    the examples as their sources.
    """
    past, gap = past_frames(clip.fps), stop - first
    if gap < 1 or first < past or stop >= len(clip):
        raise BadRequest(
            f"expected a gap with {(past - 1) / clip.fps:.2f} s before it and a frame after it, in {clip.seconds:.2f} "
            f"s, found {first / clip.fps:.2f} to {stop / clip.fps:.2f} s"
        )
    preparing, collecting = parts(progress or silent(), [1, 2])
    window = clip[first - past : stop + 1]
    ready = prepare([clip[:first], clip[stop:], *like], clip.fps, progress=preparing).clips
    chosen, weight = np.zeros(0, np.int64), 0.0
    try:
        examples = gap_examples(ready, gap, collecting)
    except NotApplicable:
        pass
    else:
        chosen, weight = _similar(examples, window, gap)
    if weight > 0:
        made, used = filled(window, gap, weight * examples.departures[chosen].mean(0)), examples.clips[chosen]
    else:
        made, used = hermite(window, gap), chosen[:0]
    inside = replace(made[past:-1], origin=_sources(clip, ready, used, gap))
    return Filled(concatenate([clip[:first], inside, clip[stop:]]), len(used), weight)


def _similar(examples: GapExamples, window: Clip, gap: int) -> tuple[IntArray, float]:
    """The windows whose mean departure from Hermite interpolation is taken, and its weight.

    Both are those that predict best how the windows nearest to the gap depart, each from others that do not overlap it:
    where takes do not resemble each other, the weight is near 0.
    """
    size, known = past_frames(window.fps) + gap + 1, examples.known / examples.deviation
    order = examples.nearest(window, gap, len(known))
    judged = order[:JUDGED]
    away = squared_distances(known[judged], known)
    shared = examples.clips[judged][:, None] == examples.clips
    away[shared & (np.abs(examples.starts[judged][:, None] - examples.starts) < size)] = np.inf
    judged, away = judged[np.isfinite(away).any(1)], away[np.isfinite(away).any(1)]
    near = np.argsort(away, axis=1, kind="stable")[:, : max(COUNTS)]
    usable = np.isfinite(np.take_along_axis(away, near, 1))[..., None]
    means = np.cumsum(np.where(usable, examples.departures[near], 0.0), 1) / np.maximum(np.cumsum(usable, 1), 1)
    truth = examples.departures[judged]
    found = (np.inf, 1, 0.0)
    for count in COUNTS:
        if count == 1 or count <= len(known) // 4:
            guess = means[:, count - 1]
            weight = float(np.clip((truth * guess).sum() / max(float((guess**2).sum()), 1e-12), 0.0, 1.0))
            found = min(found, (float(((truth - weight * guess) ** 2).sum()), count, weight))
    return order[: found[1]], found[2]


def _sources(clip: Clip, ready: Sequence[Clip], used: IntArray, gap: int) -> Origin:
    """The origin of filled frames: computed from the clip and from the examples' clips as a whole, in equal shares."""
    origins = [clip.origin, *(ready[k].origin for k in np.unique(used))]
    whole = joined(origins, [len(o) for o in origins])
    sources = np.unique(whole.which[whole.which >= 0])
    if not len(sources):
        return clip.origin.unknown(gap)
    which = np.tile(sources, (gap, len(whole.parts), 1))
    return with_changes(
        whole, which=which, frames=np.full(which.shape, -1.0), weights=np.zeros((0, 1, 1)), notes=(), made=()
    )
