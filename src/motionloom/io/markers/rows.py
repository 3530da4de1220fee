"""Tables of numbers with gaps, for the readers of TRC and marker CSV."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from motionloom.core import FloatArray
from motionloom.core.files import read_regular
from motionloom.io.number_text import LARGEST, fault, number
from motionloom.io.reader_notes import Notes
from motionloom.io.sniff import what_is

GROWTH = 64  # a table may take this many times the bytes of its file: rows that are mostly blank are not worth more
_GAPS = {"", "nan", "na", "null", "none", "-nan"}


def read_lines(path: str | Path, notes: Notes) -> list[str]:
    """The lines of a text file: UTF-8, else Latin-1."""
    try:
        raw = read_regular(path)
    except OSError as error:
        raise notes.error(f"cannot be read: {error.strerror or error}") from None
    if what := what_is(raw[:4096]):
        raise notes.error(f"this is {what}")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def table_of(lines: list[str], start: int, width: int, separator: str | None, notes: Notes) -> FloatArray:
    """(F, width) numbers of the lines from `start` on; NaN in blank cells. Blank lines are skipped.

    A row may stop early where its last markers were not seen; `separator` None means any blanks, and then it may not.
    """
    rows = [k for k in range(start, len(lines)) if lines[k].strip()]
    if not rows:
        raise notes.error("no frames", line=start + 1)
    if len(rows) * width * 8 > GROWTH * sum(map(len, lines)) + (1 << 20):
        raise notes.error(f"{len(rows)} rows of {width} columns are mostly blank: that cannot be right")
    out = np.full((len(rows), width), np.nan)
    for f, k in enumerate(rows):
        cells = lines[k].split(separator)
        while len(cells) > width and not cells[-1].strip():
            cells.pop()
        last = f == len(rows) - 1
        if len(cells) > width or (len(cells) < width and (separator is None or len(cells) < 3)):
            if last and len(cells) < width and f:
                notes.warn(f"the last row is cut ({len(cells)} of {width} values): dropped", line=k + 1)
                return out[:-1]
            raise notes.error(f"expected {width} values, found {len(cells)}", line=k + 1)
        _fill(out[f], cells, k + 1, notes)
    return out


def _fill(row: FloatArray, cells: list[str], line: int, notes: Notes) -> None:
    """The numbers of one row; plain ones all at once, as that is ten times faster."""
    try:
        if any("_" in cell for cell in cells):
            raise ValueError
        row[: len(cells)] = [float(cell) if cell.strip() else np.nan for cell in cells]
    except ValueError:
        for k, cell in enumerate(cells):
            text = cell.strip().strip('"')
            value = np.nan if text.lower() in _GAPS else number(text)
            if value is None:
                raise notes.error(fault(text), line=line) from None
            row[k] = value
    with np.errstate(invalid="ignore"):
        if (np.abs(row) > LARGEST).any():
            raise notes.error(f"{row[np.abs(row) > LARGEST][0]:g} is too large", line=line)


def even_rate(times: FloatArray, notes: Notes) -> float:
    """Frames per second of a column of times, by their median step; uneven ones give a warning."""
    steps = np.diff(times[np.isfinite(times)])
    step = float(np.median(steps)) if len(steps) else 0.0
    if not 1e-6 <= step <= 1e3:
        raise notes.error("the times determine no frame rate: pass fps")
    if np.abs(steps - step).max() > 0.05 * step:
        notes.warn(f"uneven times: steps of {steps.min():g} to {steps.max():g} s, {step:g} s is used for all")
    rate = 1 / step
    return float(round(rate)) if abs(rate - round(rate)) < 1e-3 * rate and round(rate) else rate
