"""TRC reader and writer: markers as a table with tabs, as OpenSim and Motion Analysis use it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from motionloom.core import FormatError, Markers
from motionloom.io import units_and_axes as conv
from motionloom.io.atomic_files import write_whole
from motionloom.io.markers.rows import even_rate, read_lines, table_of
from motionloom.io.markers.units import make_markers
from motionloom.io.number_text import number
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import DEFAULT, Reading

_NUMBERED = re.compile(r"[XYZ]\d*", re.IGNORECASE)


def read_trc(path: str | Path, reading: Reading = DEFAULT) -> Markers:
    """Markers from a TRC file. Blank cells, `nan` and 0 0 0 are gaps; the counts of the header are not needed.

    TRC states no up axis: it is estimated from heads and feet by their names, else y as in OpenSim.
    """
    notes = reading.notes(path)
    lines = read_lines(path, notes)
    facts, head = _header(lines, notes)
    names = _names(lines[head], head + 1, notes)
    start = head + 1
    if start < len(lines) and all(_NUMBERED.fullmatch(cell.strip()) for cell in lines[start].split()):
        start += 1
    table = table_of(lines, start, 2 + 3 * len(names), "\t" if "\t" in lines[head] else None, notes)
    times = table[:, 1]
    stated = facts.get("datarate", "")
    rate = number(stated)
    if rate is None or not 1e-3 <= rate <= 1e6:
        notes.warn(f"DataRate {stated[:20]!r} is not a frame rate: estimated from the times")
        rate = even_rate(times, notes)
    declared = number(facts.get("numframes", ""))
    if declared is not None and declared != len(table):
        notes.warn(f"expected {declared:g} frames (NumFrames), found {len(table)}")
    return make_markers(
        notes,
        names,
        table[:, 2:].reshape(len(table), len(names), 3),
        rate if reading.fps is None else reading.fps,
        stated_unit=facts.get("units", ""),
        stated_up=None,
        usual_up="y",
        reading=reading,
    )


def write_trc(markers: Markers, path: str | Path, *, unit: str | float | None = None, up: str | None = None) -> None:
    """Write markers as TRC, y up and in millimetres unless given otherwise; a gap is three blank cells."""
    metres, axis = 0.001 if unit is None else conv.unit_of(unit), "y" if up is None else conv.up_of(up)
    word = next((n for n, size in conv.UNITS.items() if np.isclose(size, metres, rtol=1e-9)), None)
    if word not in ("m", "cm", "mm"):
        raise FormatError(f"TRC has m, cm or mm, not {conv.unit_name(metres)}", path=path)
    places = conv.vectors_outside(markers.positions, axis) / metres
    count, rate = len(markers), f"{markers.fps:.9g}"
    names = [re.sub(r"[\t\r\n]", " ", name) for name in markers.names]
    head = [
        f"PathFileType\t4\t(X/Y/Z)\t{Path(path).name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate}\t{rate}\t{count}\t{len(names)}\t{word}\t{rate}\t1\t{count}",
        "Frame#\tTime\t" + "\t\t\t".join(names) + "\t\t",
        "\t\t" + "\t".join(f"X{k}\tY{k}\tZ{k}" for k in range(1, len(names) + 1)),
        "",
    ]
    rows = (
        f"{f + 1}\t{f / markers.fps:.6f}\t" + "\t".join("" if x != x else f"{x:.9g}" for x in row)
        for f, row in enumerate(places.reshape(count, -1).tolist())
    )
    write_whole(path, ["\n".join([*head, *rows, ""]).encode()])


def _header(lines: list[str], notes: Notes) -> tuple[dict[str, str], int]:
    """The facts of the header (DataRate, NumFrames, Units ... in lower case), and the line number of the names."""
    facts: dict[str, str] = {}
    for k, line in enumerate(lines[:40]):
        cells = line.split("\t") if "\t" in line else line.split()
        first = cells[0].strip().lower() if cells else ""
        if first == "datarate" and k + 1 < len(lines):
            below = lines[k + 1].split("\t") if "\t" in lines[k + 1] else lines[k + 1].split()
            facts = {a.strip().lower(): b.strip() for a, b in zip(cells, below, strict=False)}
        if first.startswith("frame"):
            return facts, k
    raise notes.error("not a TRC file: no line that starts with 'Frame#'")


def _names(line: str, number_of_line: int, notes: Notes) -> list[str]:
    """The names of the markers, each over three columns; with blanks instead of tabs they stand one after the other."""
    if "\t" not in line:
        names = line.split()[2:]
    else:
        cells = line.rstrip("\r\n").split("\t")[2:]
        while cells and not cells[-1].strip():
            cells.pop()
        spread = all(not c.strip() for k, c in enumerate(cells) if k % 3)
        names = [c.strip() for c in (cells[::3] if spread else cells) if spread or c.strip()]
    if not names:
        raise notes.error("no marker names after 'Frame#' and 'Time'", line=number_of_line)
    return names
