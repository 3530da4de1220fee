"""Gaps of clips filled by what similar captured frames do: `motionloom clean --fill`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as with_changes

import numpy as np

from motionloom.core import BadRequest, Clip, IntArray, Origin, Progress, concatenate, replace, silent
from motionloom.core.origin_joining import joined
from motionloom.core.progress import parts
from motionloom.evaluate.inbetween.gaps import hermite, past_frames
from motionloom.evaluate.inbetween.neighbours import COUNT, filled, gap_examples
from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.methods.learning import prepare

WINDOWS_EACH = 20  # windows for each neighbour: of few windows, only the nearest are near


def fill_gap(clip: Clip, first: int, stop: int, like: Sequence[Clip] = (), progress: Progress | None = None) -> Clip:
    """The clip with frames `first` to `stop` - 1 made anew, from the 0.3 s before them and frame `stop`.

    Examples are windows of the clip's other frames and of the clips `like`, put on the clip's skeleton. Where there are
    none, Hermite interpolation fills the gap. New frames have the clip and the clips of the examples as their sources.
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
    used = np.zeros(0, np.int64)
    try:
        examples = gap_examples(ready, gap, collecting)
    except NotApplicable:
        made = hermite(window, gap)
    else:
        chosen = examples.nearest(window, gap, max(1, min(COUNT, len(examples.known) // WINDOWS_EACH)))
        made = filled(window, gap, examples.departures[chosen].mean(0))
        used = examples.clips[chosen]
    inside = replace(made[past:-1], origin=_sources(clip, ready, used, gap))
    return concatenate([clip[:first], inside, clip[stop:]])


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
