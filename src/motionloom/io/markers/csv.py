"""Markers as CSV, in and out: `t,HEAD.x,HEAD.y,HEAD.z,...`, a row for each frame, blank cells in gaps."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np

from motionloom.core import FormatError, Markers
from motionloom.core.files import open_regular
from motionloom.io import units_and_axes as conv
from motionloom.io.atomic_files import write_whole
from motionloom.io.markers.rows import even_rate, read_lines, table_of
from motionloom.io.markers.units import make_markers
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import DEFAULT, Reading

MAX_CHARACTERS = 300  # characters of a column's name
_COLUMN = re.compile(r"(.+?)[ ._:/-]?([xyz])(?:\s*[\[(](\w+)[\])])?", re.IGNORECASE)
_TIMES = {"t", "time", "time (s)", "time [s]", "seconds", "time (seconds)"}
_COUNTS = {"frame", "frame#", "#", "index", ""}


def read_marker_csv(path: str | Path, reading: Reading = DEFAULT) -> Markers:
    """Markers from a CSV file whose head names a time and three columns for each marker (`HEAD.x`, `HEAD_X`, `HEAD X`).

    The header may state a unit (`HEAD.x [mm]`); otherwise it is estimated, with a note.
    """
    notes = reading.notes(path)
    lines = read_lines(path, notes)
    comma = next((c for c in (",", ";", "\t") if c in lines[0]), ",")
    try:
        head = next(csv.reader([lines[0]], delimiter=comma), [])
    except csv.Error as error:
        raise notes.error(str(error), line=1) from None
    first, names, stated = _columns(head, notes)
    table = table_of(lines, 1, len(head), comma, notes)
    when = next((k for k in range(first) if head[k].strip().lower() in _TIMES), None)
    if reading.fps is None and when is None:
        raise notes.error("the header has no column 't' or 'time': pass the frame rate (fps)", line=1)
    rate = reading.fps if reading.fps is not None or when is None else even_rate(table[:, when], notes)
    assert rate is not None
    return make_markers(
        notes,
        names,
        table[:, first:].reshape(len(table), len(names), 3),
        rate,
        stated_unit=stated,
        stated_up=None,
        usual_up="y",
        reading=reading,
    )


def is_marker_csv(path: str | Path) -> bool:
    """Does a CSV file start with a time or a frame number, and then three columns for each marker?"""
    try:
        with open_regular(path) as file:
            line = file.readline(1 << 20).decode("utf-8-sig", errors="replace").rstrip("\r\n")
        comma = next((c for c in (",", ";", "\t") if c in line), ",")
        _columns(next(csv.reader([line], delimiter=comma), []), Notes(str(path)))
    except (OSError, csv.Error, FormatError):
        return False
    return True


def write_marker_csv(
    markers: Markers, path: str | Path, *, unit: str | float | None = None, up: str | None = None
) -> None:
    """Write markers as CSV: metres and y up unless given otherwise; the header states the unit, gaps are blank."""
    metres, axis = 1.0 if unit is None else conv.unit_of(unit), "y" if up is None else conv.up_of(up)
    word = next((n for n, size in conv.UNITS.items() if np.isclose(size, metres, rtol=1e-9)), f"{metres:g}m")
    names = [re.sub(r'[",;\r\n]', " ", name) for name in markers.names]
    head = ",".join(["t", *(f"{name}.{axis_} [{word}]" for name in names for axis_ in "xyz")])
    places = (conv.vectors_outside(markers.positions, axis) / metres).reshape(len(markers), -1)
    rows = (
        f"{f / markers.fps:.9g}," + ",".join("" if x != x else f"{x:.9g}" for x in row)
        for f, row in enumerate(places.tolist())
    )
    write_whole(path, ["\n".join([head, *rows, ""]).encode()])


def _columns(head: list[str], notes: Notes) -> tuple[int, list[str], str]:
    """The first column of a marker, the markers' names, and their unit ("" if none is stated)."""
    first = 0
    while first < min(len(head), 2) and head[first].strip().lower() in _TIMES | _COUNTS:
        first += 1
    cells = [cell.strip() for cell in head[first:]]
    while cells and not cells[-1]:
        cells.pop()
    found = [_COLUMN.fullmatch(cell) if len(cell) <= MAX_CHARACTERS else None for cell in cells]
    expected = "expected a time, then NAME.x, NAME.y, NAME.z for each marker"
    if not first or not found or len(found) % 3 or len(cells) != len(head) - first:
        raise notes.error(f"{expected}; found {','.join(head)[:60]!r}", line=1)
    names = []
    for k in range(0, len(found), 3):
        three = [m for m in found[k : k + 3] if m is not None]
        axes = "".join(m[2].lower() for m in three)
        if axes != "xyz" or len({m[1] for m in three}) != 1:
            raise notes.error(f"{expected}; found {','.join(cells[k : k + 3])[:60]!r}", line=1)
        names.append(three[0][1])
    units = {m[3] for m in found if m is not None and m[3]}
    return first, names, units.pop() if len(units) == 1 else ""
