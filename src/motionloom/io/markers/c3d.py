"""C3D reader: optical markers. Written here, because a broken file must not end the program."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from motionloom.core import FloatArray, Markers
from motionloom.core.files import read_regular
from motionloom.io.markers.c3d_parameters import DEC, MIPS, Header, Value, read_head, reals
from motionloom.io.markers.units import make_markers
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import DEFAULT, Reading
from motionloom.io.sniff import what_is

LAST = 65535  # the highest frame number that the header has room for


def read_c3d(path: str | Path, reading: Reading = DEFAULT) -> Markers:
    """Markers from a C3D file: metres, y up, NaN where a marker was not seen (its residual is negative).

    Numbers of Intel, DEC and MIPS machines, points as integers or floats; missing parameters are taken from the header
    or estimated, with a note. Analog channels are skipped.
    """
    notes = reading.notes(path)
    try:
        raw = read_regular(path)
    except OSError as error:
        raise notes.error(f"cannot be read: {error.strerror or error}") from None
    return parse_c3d(raw, notes, reading)


def parse_c3d(raw: bytes, notes: Notes, reading: Reading = DEFAULT) -> Markers:
    """The same from bytes that are already there."""
    if (what := what_is(raw[:4096])) and "C3D" not in what and what != "a binary file":
        raise notes.error(f"this is {what}")
    header, processor, parameters = read_head(raw, notes)
    points = _points(header, parameters, notes)
    start = header.data if header.data > 0 else int(_number(parameters, "POINT:DATA_START", 0) - 1) * 512
    if not 0 < start < len(raw):
        raise notes.error(f"the frames start at byte {start}, but the file has {len(raw)}")
    scale = header.scale if header.scale and np.isfinite(header.scale) else _number(parameters, "POINT:SCALE", -1.0)
    size = 4 if scale < 0 else 2
    width = 4 * points + header.analog
    frames = _frames(header, parameters, (len(raw) - start) // (width * size), notes)
    body = raw[start : start + frames * width * size]
    if size == 4:
        table = reals(body, processor).reshape(frames, width)[:, : 4 * points].reshape(frames, points, 4)
        places: FloatArray = np.array(table[..., :3])
    else:
        whole = np.frombuffer(body, ">i2" if processor == MIPS else "<i2").reshape(frames, width)
        table = whole[:, : 4 * points].reshape(frames, points, 4)
        places = table[..., :3] * float(scale)
    places[~(table[..., 3] >= 0)] = np.nan
    rate = _rate(header, parameters, notes) if reading.fps is None else reading.fps
    named = {DEC: "DEC", MIPS: "MIPS"}.get(processor)
    if named:
        notes.info(f"numbers of a {named} machine")
    return make_markers(
        notes,
        _names(parameters, points),
        places,
        rate,
        stated_unit=(_texts(parameters, "POINT:UNITS") or ("",))[0],
        stated_up=_up(parameters),
        usual_up="z",
        reading=reading,
    )


def _points(header: Header, parameters: dict[str, Value], notes: Notes) -> int:
    used = int(_number(parameters, "POINT:USED", header.points))
    points = header.points or used
    if points <= 0 or points > LAST:
        raise notes.error("no markers in this file" if points == 0 else f"expected at least one marker, found {points}")
    if used != header.points:
        notes.warn(f"the header declares {header.points} markers, POINT:USED {used}: {points} are read")
    return points


def _frames(header: Header, parameters: dict[str, Value], room: int, notes: Notes) -> int:
    """How many frames there are: the count of those declared that the file has room for.

    The header ends at 65535. Longer files state their length in TRIAL:ACTUAL_START_FIELD and ACTUAL_END_FIELD (two
    words each, the low one first), in POINT:LONG_FRAMES or in POINT:FRAMES; some state it nowhere, and it follows from
    their size.
    """
    if room < 1:
        raise notes.error("the file ends before its first frame does")
    counts = [header.last - header.first + 1]
    ends = [_whole(parameters, f"TRIAL:ACTUAL_{word}_FIELD") for word in ("START", "END")]
    if ends[0] is not None and ends[1] is not None:
        counts.insert(0, ends[1] - ends[0] + 1)
    for name in ("POINT:LONG_FRAMES", "POINT:FRAMES"):
        if name in parameters:
            counts.append(int(_number(parameters, name, 0)))
    good = [n for n in counts if 0 < n <= room]
    if header.last >= LAST and room > LAST >= max(good, default=0):
        notes.info(f"{room} frames by the size of the file: its header ends at {LAST}")
        return room
    if good:
        return max(good)
    notes.warn(f"expected {max(counts)} frames, found {room}")
    return room


def _rate(header: Header, parameters: dict[str, Value], notes: Notes) -> float:
    rates = [_number(parameters, "POINT:RATE", 0.0), header.rate, _number(parameters, "TRIAL:CAMERA_RATE", 0.0)]
    good = [r for r in rates if np.isfinite(r) and 1e-3 <= r <= 1e6]
    if not good:
        raise notes.error("no frame rate is given: pass fps")
    return float(np.float32(good[0])) if abs(good[0] - round(good[0])) > 1e-3 else float(round(good[0]))


def _names(parameters: dict[str, Value], points: int) -> list[str]:
    """Labels: 255 in POINT:LABELS, further ones in LABELS2, LABELS3 and so on; "" for those without."""
    names: list[str] = []
    for n in ("", *range(2, 300)):
        if len(names) >= points or (n and f"POINT:LABELS{n}" not in parameters):
            break
        names += _texts(parameters, f"POINT:LABELS{n}")
    return [*names[:points], *[""] * (points - len(names))]


def _up(parameters: dict[str, Value]) -> str | None:
    """The axis that points up the screen, if POINT:Y_SCREEN states it."""
    stated = (_texts(parameters, "POINT:Y_SCREEN") or ("",))[0].lower().lstrip("+")
    return stated if stated in ("x", "y", "z", "-x", "-y", "-z") else None


def _texts(parameters: dict[str, Value], name: str) -> tuple[str, ...]:
    value = parameters.get(name, ())
    return value if isinstance(value, tuple) else ()


def _number(parameters: dict[str, Value], name: str, otherwise: float) -> float:
    value = parameters.get(name, ())
    if isinstance(value, tuple) or not len(value) or not np.isfinite(value[0]) or abs(value[0]) > 1e12:
        return otherwise
    return float(value[0])


def _whole(parameters: dict[str, Value], name: str) -> int | None:
    """A number of two words, the low one first."""
    value = parameters.get(name, ())
    if isinstance(value, tuple) or not len(value) or not np.isfinite(value[:2]).all() or np.abs(value[:2]).max() > 1e9:
        return None
    return int(value[0]) + (65536 * int(value[1]) if len(value) > 1 else 0)
