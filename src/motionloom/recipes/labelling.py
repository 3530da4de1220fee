"""Labels of many files: set, remove, list; each clip's labels file is rewritten, the clip itself is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from motionloom.core import BadRequest, Progress, silent, with_labels
from motionloom.core.numbers import runs
from motionloom.core.progress import each
from motionloom.core.units import Span, frames_of
from motionloom.io import Reading, expand_paths, load
from motionloom.io.reader_settings import DEFAULT
from motionloom.io.sidecars.labels import labels_path, write_labels


@dataclass(frozen=True)
class LabelledFile:
    """The labels of one clip: spans in seconds."""

    path: Path
    labels: dict[str, list[tuple[float, float]]]
    written: Path | None = None  # the labels file, if it was changed


def label_files(
    paths: Sequence[str | Path],
    label: str = "",
    *,
    span: Span = None,
    remove: bool = False,
    reading: Reading = DEFAULT,
    progress: Progress | None = None,
) -> Iterator[LabelledFile]:
    """Set (or `remove`) a label over a span of each clip, by default all of it; without a label, only list them."""
    if label and (label != label.strip() or any(c in label for c in "\r\n")):
        raise BadRequest(f"expected a label in one line, without spaces around it, found {label!r}")
    found = expand_paths(paths)
    for path in each(found, progress or silent(), "labelling"):
        clip = load(path, reading)
        written = None
        if label and (not remove or np.any(clip.label(label))):
            on = clip.label(label).copy()
            part = frames_of(span, len(clip), clip.fps, ("span",), "clip")
            on[part.start : part.stop] = not remove
            clip = with_labels(clip, {label: on})
            written = labels_path(path)
            write_labels(clip, written)
        named = {n: clip.label(n) for n in clip.label_names if np.any(clip.label(n))}
        table = {n: [(a / clip.fps, b / clip.fps) for a, b in runs(on)] for n, on in named.items()}
        yield LabelledFile(path, table, written)
