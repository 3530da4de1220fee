"""The sources of a clip along time, ready to draw: a track for each body part, made of bands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, Origin
from motionloom.plot.style import PAPER, RGB, SOURCES, mix, rgb


class SourceBand(NamedTuple):
    """Frames of a clip that follow each other in one source, or blend the same sources."""

    start: int  # first frame of the clip
    frames: int
    sources: tuple[str, ...]  # the clips, in the order in which they are entered; or the method that made the frames
    first: tuple[float, ...]  # frame in each source, as the file counts them; -1 if it is not a single one
    last: tuple[float, ...]
    weights: FloatArray  # (frames, sources)

    @property
    def title(self) -> str:
        """Its sources in one line: `walk.bvh + jog.bvh`."""
        return " + ".join(self.sources)


def tracks(clip: Clip) -> dict[str, list[SourceBand]]:
    """The bands of each body part, by its name. `BadRequest` if no source of the clip is known."""
    origin = clip.origin
    if not origin.known:
        raise BadRequest(
            f"{clip.name or 'this clip'}: the sources of its frames are not known "
            "(motionloom stores them next to the clip, in walk.origin.json for walk.bvh)"
        )
    return {name: _bands(origin, part) for part, name in enumerate(origin.parts)}


def source_colours(bands: list[SourceBand]) -> dict[str, RGB]:
    """A colour for each source, in order of appearance; past eight they come again, paler."""
    paper = rgb(PAPER)
    return {
        name: mix(rgb(SOURCES[i % len(SOURCES)]), paper, min(0.3 * (i // len(SOURCES)), 0.75))
        for i, name in enumerate(dict.fromkeys(name for band in bands for name in band.sources))
    }


def _bands(origin: Origin, part: int) -> list[SourceBand]:
    maker = (origin.made[-1].method or origin.made[-1].command) if origin.made else "unknown"
    out = []
    for span in origin.spans(part):
        rows = slice(span.start, span.start + span.frames)
        used = origin.weights[span.start, part] > 0
        titles = tuple(source.title or maker for source in span.sources)
        weights = origin.weights[rows, part][:, used] if titles else np.ones((span.frames, 1))
        out.append(
            SourceBand(
                span.start, span.frames, titles or (maker,), span.first or (-1.0,), span.last or (-1.0,), weights
            )
        )
    return out
