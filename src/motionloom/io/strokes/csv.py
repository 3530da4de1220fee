"""Pen strokes: CSV with `t,x,y`; a stroke is a clip with one joint, x right, y up, z 0."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from motionloom.core import Clip, FloatArray, FormatError, Skeleton
from motionloom.core.files import open_regular, read_regular
from motionloom.core.origin import from_file
from motionloom.io import units_and_axes as conv
from motionloom.io.atomic_files import write_file
from motionloom.io.number_text import LARGEST, fault, number
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import DEFAULT, Reading

HEAD = ["t", "x", "y"]
JOINT = "pen"


def stroke_clip(points: FloatArray, fps: float, name: str = "") -> Clip:
    """A one-joint clip from points (F, 2): x right, y up."""
    points = np.asarray(points, float)
    skeleton = Skeleton((JOINT,), np.array([-1]), np.zeros((1, 3)))
    turns = np.zeros((len(points), 1, 4))
    turns[..., 0] = 1.0
    root = np.concatenate([points, np.zeros((len(points), 1))], axis=1)
    return Clip(skeleton, root, turns, fps, origin=from_file(name, len(points)))


def read_stroke(path: str | Path, reading: Reading = DEFAULT) -> Clip:
    """A stroke from a CSV file with `t,x,y`, t in seconds; x and y in metres unless a unit is given.

    Uneven times are put on even ones by linear interpolation, at the median rate or at `fps`, with a warning.
    """
    notes = reading.notes(path)
    table = _table(path, notes)
    times, points = table[:, 0], table[:, 1:]
    steps = np.diff(times)
    if len(table) < 2 or (steps <= 0).any():
        late = int(np.argmax(steps <= 0)) + 3 if len(table) > 1 else 2
        raise notes.error("a stroke needs two points at least, with times that increase", line=late)
    rate = 1 / float(np.median(steps)) if reading.fps is None else reading.fps
    rate = float(round(rate)) if abs(rate - round(rate)) < 1e-3 * rate and round(rate) else rate
    if reading.fps is not None or np.abs(steps * rate - 1).max() > 0.05:
        count = int(np.floor((times[-1] - times[0]) * rate + 1e-6)) + 1
        if count > 10_000_000:
            raise notes.error(f"{count} frames from {len(table)} points: the times are too uneven")
        even = times[0] + np.arange(count) / rate
        points = np.stack([np.interp(even, times, points[:, k]) for k in range(2)], axis=1)
        notes.warn(f"uneven times: {len(table)} points put on {count} even ones at {rate:g} per second")
    metres = 1.0 if reading.metres is None else reading.metres
    clip = stroke_clip(points * metres, rate)
    origin = from_file(Path(path).name, len(points), unit=metres, notes=notes.all)
    return Clip(clip.skeleton, clip.root, clip.rotations, rate, origin=origin)


def is_stroke(path: str | Path) -> bool:
    """Does a CSV file start with `t,x,y`?"""
    try:
        with open_regular(path) as file:
            head = file.readline(200).decode("utf-8-sig", errors="replace")
        return [cell.strip().lower() for cell in head.split(",")] == HEAD
    except (OSError, FormatError):
        return False


def write_stroke(clip: Clip, path: str | Path, *, unit: str | float | None = None, up: str | None = None) -> None:
    """Write the path of a one-joint clip as `t,x,y`; what it does in z is not written."""
    if len(clip.skeleton) != 1:
        raise FormatError(f"a stroke has one joint, this clip has {len(clip.skeleton)}", path=path)
    metres = clip.origin.unit if unit is None else conv.unit_of(unit)
    points = clip.root[:, :2] / metres
    lines = [f"{f / clip.fps:.9g},{x:.9g},{y:.9g}\n" for f, (x, y) in enumerate(points.tolist())]
    write_file(path, ["".join(["t,x,y\n", *lines]).encode()])


def _table(path: str | Path, notes: Notes) -> FloatArray:
    """(F, 3) numbers of a CSV file with the head `t,x,y`."""
    try:
        text = read_regular(path).decode("utf-8-sig")
    except OSError as error:
        raise notes.error(f"cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise notes.error("this is not a text file") from None
    rows = csv.reader(text.splitlines())
    try:
        head = [cell.strip().lower() for cell in next(rows, [])]
        if head == ["start", "end", "label"]:
            raise notes.error("this is a labels file; load the clip it stands beside", line=1)
        if head != HEAD:
            raise notes.error(f"expected 't,x,y', found {','.join(head)[:60]!r}", line=1)
        table = [_row(row, rows.line_num, notes) for row in rows if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise notes.error(str(error), line=rows.line_num) from None
    return np.array(table).reshape(-1, 3)


def _row(row: list[str], line: int, notes: Notes) -> list[float]:
    if len(row) != 3:
        raise notes.error(f"expected 3 values (t,x,y), found {len(row)}", line=line)
    values = []
    for cell in row:
        value = number(cell.strip())
        if value is None or not abs(value) <= LARGEST:
            raise notes.error(fault(cell.strip()) if value is None else f"{cell.strip()} is too large", line=line)
        values.append(value)
    return values
