"""Names of graph frames: `walk.bvh#120`, counted as in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionloom.core import BadRequest, Clip, IntArray
from motionloom.core import replace as clip_with
from motionloom.core.errors import did_you_mean
from motionloom.kinematics.mirror import mirror
from motionloom.methods.graph.graph import Graph


def with_mirrored(clips: Sequence[Clip]) -> list[Clip]:
    """The clips, then their mirror images, named `mirrored walk.bvh`."""
    images = [mirror(clip) for clip in clips]
    names = [f"mirrored {clip.name}" if clip.name else "" for clip in clips]
    return [*clips, *(clip_with(c, origin=replace(c.origin, name=n)) for c, n in zip(images, names, strict=True))]


def frame_name(graph: Graph, frame: int) -> str:
    """`walk.bvh#120` for a frame counted through all clips."""
    c = int(graph.clip_of[frame])
    at = frame - int(graph.starts[c])
    origin = graph.clips[c].origin
    which, numbers = origin.main()
    if which[at] < 0 or numbers[at] < 0:
        return f"{_name(graph, c)}#{at}"
    return f"{origin.sources[which[at]].title or _name(graph, c)}#{round(numbers[at])}"


def frame_named(graph: Graph, text: str) -> int:
    """The frame named `walk.bvh#120`, or the nearest one: a model at 30 fps has every fourth frame of a clip at 120.

    The suffix may be left out. `BadRequest` if there is no such clip, or the frame is not part of it.
    """
    name, mark, number = text.strip().rpartition("#")
    if not mark or not number.isdigit():
        raise BadRequest(f"expected clip#frame, such as walk.bvh#120, found {text!r}")
    names = [_name(graph, c) for c in range(len(graph.clips))]
    chosen = [c for c, n in enumerate(names) if name in (n, n.rpartition(".")[0])]
    if not chosen:
        raise BadRequest(f"this model has no clip {name!r}; {did_you_mean(name, names, count=3)}")
    wanted = int(number)
    best = min(chosen, key=lambda c: int(np.abs(_numbers(graph, c) - wanted).min()))
    frames = _numbers(graph, best)
    at = int(np.abs(frames - wanted).argmin())
    if abs(int(frames[at]) - wanted) > int(np.diff(frames).max(initial=1)):
        raise BadRequest(f"{text}: this model has frames {frames.min()} to {frames.max()} of {names[best]}")
    return int(graph.starts[best]) + at


def _name(graph: Graph, clip: int) -> str:
    return graph.clips[clip].name or f"clip {clip}"


def _numbers(graph: Graph, clip: int) -> IntArray:
    """The numbers of a clip's frames in its file."""
    origin = graph.clips[clip].origin
    return np.rint(origin.main()[1]).astype(np.int64) if origin.known else np.arange(len(graph.clips[clip]))
