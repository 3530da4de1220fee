"""The MOTION section of a BVH file: frame count, frame time, and one row of numbers per frame."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from motionloom.core import FloatArray
from motionloom.core.compiling import kernels_wanted
from motionloom.io.number_text import CUT, LARGEST, fault, number
from motionloom.io.reader_notes import Notes

MAX_PLAIN = 4 << 20  # bytes of rows up to which numpy parses them as fast as numba is imported
BLOCK_VALUES = 2**20  # numbers that are parsed in one call: some tens of milliseconds
_NOTHING = re.compile(rb"[ \t\v\f]*(?:(?:#|//)[^\r\n]*)?(?:\r\n|\n|\r)|[ \t\v\f]+")
_FRAMES = re.compile(rb"frames[ \t]*:?[ \t]*([^\s]{0,80})", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"frame[ \t]*time[ \t]*:?[ \t]*([^\s]{0,80})", re.IGNORECASE)
_RATES = (24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 200, 240, 24 / 1.001, 30 / 1.001, 60 / 1.001, 120 / 1.001)


class Rows(NamedTuple):
    """The content of MOTION: the values (F, C) as written, the rate, and the frame time as in the file."""

    values: FloatArray
    fps: float
    frame_time: str


def read_motion(data: Any, start: int, width: int, notes: Notes, fps: float | None) -> Rows:
    """Read all rows from byte `start`, just behind the word MOTION. `width`: how many values HIERARCHY declares.

    Rows are trusted more than "Frames:"; a short last row is dropped; both are warnings, and errors when strict.
    """
    at, line = start, 1 + _line_ends(data, start)
    declared, at, line = _frames(data, at, line, notes)
    said_in = line
    frame_time, at, line = _frame_time(data, at, line, notes, fps)
    values = _rows(data, at, line, width, declared, notes)
    if len(values) == 0:
        raise notes.error(f'expected {declared} frames ("Frames: {declared}"), found 0', line=said_in)
    if len(values) != declared:
        notes.warn(f'expected {declared} frames ("Frames: {declared}"), found {len(values)}', said_in)
    rate = rate_of(frame_time) if fps is None else fps
    if frame_time and rate != rate_of(frame_time):
        notes.info(f"{rate:g} frames per second, as given; the file states {rate_of(frame_time):g}")
    if fps is None and not 10 <= rate <= 1000:
        notes.warn(
            f"{rate:g} frames per second (Frame Time {frame_time}) is unusual; --source-fps (`fps`) sets another", line
        )
    return Rows(values, rate, frame_time)


def rate_of(frame_time: str) -> float:
    """Frames per second behind a frame time that was rounded to so many digits: .0083333 is 120, not 120.0005.

    A common rate is taken if the written digits are its own, rounded or cut; other times are taken as they are.
    """
    seconds = float(frame_time)
    mantissa, _, exponent = frame_time.lower().partition("e")
    last_digit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    near = min(_RATES, key=lambda rate: abs(1 / rate - seconds))
    if abs(1 / near - seconds) < last_digit and abs(near * seconds - 1) < 0.011:
        return float(near)
    whole = round(1 / seconds)
    return float(whole) if whole and abs(whole * seconds - 1) < 1e-5 else 1 / seconds


def _line_ends(data: Any, stop: int) -> int:
    head = bytes(data[:stop])
    return head.count(b"\n") + head.count(b"\r") - head.count(b"\r\n")


def _skip(data: Any, at: int, line: int) -> tuple[int, int]:
    """Over blanks, line ends and comments: the next byte with content, and its line."""
    while match := _NOTHING.match(data, at):
        text = match.group()
        line += 1 if text.endswith((b"\n", b"\r")) else 0
        at = match.end()
    return at, line


def _frames(data: Any, at: int, line: int, notes: Notes) -> tuple[int, int, int]:
    at, line = _skip(data, at, line)
    match = _FRAMES.match(data, at)
    if not match:
        raise notes.error(f"expected 'Frames: N' after MOTION, found {_start(data, at)!r}", line=line)
    count = match.group(1).decode("latin-1")
    if not re.fullmatch(r"\d{1,18}", count, re.ASCII):
        raise notes.error(f"expected a number of frames after 'Frames:', found {count[:40]!r}", line=line)
    return int(count), match.end(), line


def _frame_time(data: Any, at: int, line: int, notes: Notes, fps: float | None) -> tuple[str, int, int]:
    at, line = _skip(data, at, line)
    match = _FRAME_TIME.match(data, at)
    if not match:
        raise notes.error(f"expected 'Frame Time: seconds', found {_start(data, at)!r}", line=line)
    text = match.group(1).decode("latin-1")
    value = number(text)
    if value is not None and 1e-9 < value < 1e9:
        return text, match.end(), line
    wrong = fault(text) if value is None else f"Frame Time {text[:40]} is not a time that a frame can take"
    if fps is None:
        raise notes.error(f"{wrong}; with --source-fps (`fps`) the file is read all the same", line=line)
    notes.warn(f"{wrong}; read at {fps:g} frames per second, as given", line)
    return "", match.end(), line


def _start(data: Any, at: int) -> str:
    return bytes(data[at : at + 40]).splitlines()[0].decode("latin-1").rstrip() if at < len(data) else ""


def rows_in_numpy(text: bytes, width: int) -> FloatArray | None:
    """Rows (F, width) of plain numbers without compiled code; None if any of the text is unusual or wrong.

    The kernel then finds out what it is: comments, rows of other lengths, words that are no numbers, huge values.
    """
    if len(text) > MAX_PLAIN or not width or text.translate(None, b"0123456789+-.eE \t\r\n"):
        return None
    lengths = {len(line.split()) for line in text.splitlines()} - {0}
    if lengths != {width}:
        return None
    try:
        values: FloatArray = np.array(text.split()).astype(float).reshape(-1, width)
    except ValueError:
        return None
    return values if np.abs(values).max() <= LARGEST else None


def _rows(data: Any, at: int, line: int, width: int, declared: int, notes: Notes) -> FloatArray:
    """All rows (F, width). Memory grows with the rows that are there, not with the number that is declared."""
    if not kernels_wanted() and (plain := rows_in_numpy(bytes(data[at:]), width)) is not None:
        return plain
    from motionloom.io.bvh import _kernels as k

    bytes_: NDArray[np.uint8] = np.frombuffer(data, np.uint8)
    if not width:
        raise notes.error("HIERARCHY declares no channels, so nothing can move", line=line)
    most = (len(bytes_) - at) // (2 * width) + 2  # a value takes two bytes at least
    values = np.empty((min(max(declared, 1), most), width))
    row = 0
    while True:
        block = values[: row + max(1, BLOCK_VALUES // width)]  # so that Ctrl-C is noticed between two blocks
        status, at, line, row, column, token = k.parse_rows(bytes_, at, line, block, row)
        if status != k.FULL:
            break
        if row < len(values):
            continue
        grown = np.empty((min(2 * len(values) + 16, most), width))
        grown[:row] = values[:row]
        values = grown
    stated = f"(HIERARCHY declares {width} channels)"
    if status == k.NOT_A_NUMBER:
        stop = token
        while stop < min(token + 80, len(bytes_)) and bytes_[stop] > 32:
            stop += 1
        word = bytes(data[token:stop]).decode("utf-8", "replace")
        if stop == len(bytes_) and column < width and CUT.fullmatch(word):
            status = k.SHORT_LAST_ROW
        else:
            raise notes.error(f"value {column + 1} of {width}: {fault(word)}", line=line)
    if status in (k.SHORT_ROW, k.LONG_ROW):
        raise notes.error(f"expected {width} values {stated}, found {column}", line=line)
    if status == k.SHORT_LAST_ROW:
        notes.warn(f"expected {width} values {stated}, found {column} in the last row, which is dropped", line)
    values = values[:row]
    if row:
        low, high = float(values.min()), float(values.max())
        if low < -LARGEST or high > LARGEST:
            f, c = (int(i) for i in np.argwhere(~(np.abs(values) <= LARGEST))[0])
            raise notes.error(f"frame {f}, value {c + 1}: {values[f, c]:g} is beyond any place or angle", line=None)
    return values
