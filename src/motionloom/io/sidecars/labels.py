"""Labels of a clip in the CSV file beside it: `start,end,label` in seconds, end excluded."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from motionloom.core import BoolArray, Clip, FormatError, with_labels
from motionloom.core.files import read_regular
from motionloom.core.numbers import runs
from motionloom.io.atomic_files import write_whole
from motionloom.io.number_text import fault, number
from motionloom.io.sidecars.names import EMPTY, find_side_file, side_path

MAX_LABELS = 1000  # different labels of one clip: each takes a byte per frame
HEAD = ["start", "end", "label"]
_SLACK = 1e-3  # frames: times are written as decimals, so a frame's own time may come out a little late


def labels_path(clip: str | Path) -> Path:
    """The file with the labels of a clip, existing or to be written: `walk.labels.csv` for `walk.bvh`, see `names`."""
    return side_path(clip, "labels")


def with_file_labels(clip: Clip, path: str | Path) -> Clip:
    """The clip with the labels from the file beside it, if there is one."""
    beside = find_side_file(path, "labels")
    return clip if beside is None else with_labels(clip, read_labels(beside, len(clip), clip.fps))


def read_labels(path: str | Path, frames: int, fps: float) -> dict[str, BoolArray]:
    """Each label as (F,) bool. Frame f is at f / fps seconds; spans may overlap and extend past the end."""
    try:
        text = read_regular(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"cannot be read: {error}", path=path) from None
    reader = csv.reader(io.StringIO(text, newline=""))
    found: dict[str, BoolArray] = {}
    try:
        head = [cell.strip().lower() for cell in next(reader, [])]
        if head != HEAD:
            raise FormatError(f"expected 'start,end,label', found {','.join(head)[:60]!r}", path=path, line=1)
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            line = reader.line_num
            if len(row) != 3:
                raise FormatError(f"expected 3 values (start,end,label), found {len(row)}", path=path, line=line)
            start, end = (_seconds(cell, path, line) for cell in row[:2])
            label = row[2].strip()
            if not label:
                raise FormatError("expected the name of a label, found an empty cell", path=path, line=line)
            if end < start:
                raise FormatError(f"ends at {end:g} s, before it starts at {start:g} s", path=path, line=line)
            if len(found) == MAX_LABELS and label not in found:
                raise FormatError(f"more than {MAX_LABELS} different labels", path=path, line=line)
            on = found.setdefault(label, np.zeros(frames, bool))
            on[_frame(start, fps, frames) : _frame(end, fps, frames)] = True
    except csv.Error as error:
        raise FormatError(str(error), path=path, line=reader.line_num) from None
    return found


def write_labels(clip: Clip, path: str | Path) -> None:
    """Write the labels of a clip to a labels file."""
    write_whole(path, [(labels_text(clip) or EMPTY["labels"]).encode("utf-8")])


def labels_text(clip: Clip) -> str:
    """The content of a labels file; "" for a clip without labels."""
    rows = [(a / clip.fps, b / clip.fps, name) for name in clip.label_names for a, b in runs(clip.label(name))]
    if not rows:
        return ""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows((_decimal(a), _decimal(b), name) for a, b, name in sorted(rows, key=lambda r: r[:2]))
    return text.getvalue()


def _seconds(cell: str, path: str | Path, line: int) -> float:
    value = number(cell.strip())
    if value is None:
        raise FormatError(fault(cell.strip()), path=path, line=line)
    return value


def _frame(seconds: float, fps: float, frames: int) -> int:
    """The first frame at or after a time."""
    return int(np.clip(np.ceil(seconds * fps - _SLACK), 0, frames))


def _decimal(seconds: float) -> str:
    return f"{seconds:.6f}".rstrip("0").rstrip(".")
