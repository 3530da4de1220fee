"""A gaze map learned from files of markers and a table of their targets."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, FormatError, MotionloomError, Progress, silent
from motionloom.core.progress import each
from motionloom.io import load_markers
from motionloom.methods.gaze.displacement import Extracted, extract, extract_by_thresholds
from motionloom.methods.gaze.gaze_map import MIN_EXAMPLES, GazeMap
from motionloom.methods.gaze.takes import Marking, shift_of

COLUMNS = ("file", "yaw", "pitch")  # degrees; optional columns: start, end (s), which crop a take by hand


class TakeEntry(NamedTuple):
    """One row of the table of targets."""

    path: Path
    target: tuple[float, float]  # rad: yaw to the left, pitch upwards
    crop: tuple[float, float] | None  # s


class LearnedGaze(NamedTuple):
    """A gaze map, what was extracted from each take, and why others were left out."""

    gaze_map: GazeMap
    takes: tuple[tuple[TakeEntry, Extracted], ...]
    rejected: tuple[str, ...]


def read_targets(path: str | Path) -> list[TakeEntry]:
    """The takes of a table with the columns file, yaw, pitch (degrees) and, where given, start and end (seconds)."""
    path = Path(path)
    with path.open(newline="", encoding="utf-8") as file:
        table = csv.DictReader(file)
        missing = [c for c in COLUMNS if c not in (table.fieldnames or ())]
        if missing:
            raise FormatError(f"expected the columns {', '.join(COLUMNS)}; missing {', '.join(missing)}", path=path)
        return [_entry(path, row, line) for line, row in enumerate(table, start=2)]


def _entry(table: Path, row: dict[str, str], line: int) -> TakeEntry:
    try:
        target = (float(np.radians(float(row["yaw"]))), float(np.radians(float(row["pitch"]))))
        ends = [row.get(name, "") or "" for name in ("start", "end")]
        crop = (float(ends[0]), float(ends[1])) if all(ends) else None
    except ValueError:
        raise FormatError(
            "expected numbers: yaw and pitch in degrees, start and end in seconds", path=table, line=line
        ) from None
    if abs(target[0]) > np.pi + 1e-6 or abs(target[1]) > np.pi / 2:
        raise FormatError("expected yaw within -180..180 and pitch within -90..90 degrees", path=table, line=line)
    return TakeEntry(table.parent / row["file"], target, crop)


def read_marking(path: str | Path) -> Marking:
    """Names of the markers from a TOML file: base = ["SACR"], head = ["FHD", "LHD", "BHD", "RHD"] ..."""
    try:
        with Path(path).open("rb") as file:
            table = tomllib.load(file)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(str(error), path=Path(path)) from None
    return Marking({name: tuple(map(str, names)) for name, names in table.items()})


def learn_gaze(
    entries: Sequence[TakeEntry],
    *,
    marking: Marking | None = None,
    faithful: bool = False,
    progress: Progress | None = None,
) -> LearnedGaze:
    """A gaze map from takes; those whose rests are not found are left out, and listed.

    `faithful` extracts by HECK's thresholds and blends the nearest examples; otherwise the curve is fitted.
    """
    taken, rejected = [], []
    for entry in each(entries, progress or silent(), "reading takes"):
        try:
            straight = entry.target == (0.0, 0.0)
            markers = load_markers(entry.path)
            crop = entry.crop or ((0.2, len(markers) / markers.fps - 0.1) if straight else None)
            shift = shift_of(markers, marking, crop=crop, name=entry.path.name)
            taken.append((entry, (extract_by_thresholds if faithful else extract)(shift, entry.target)))
        except MotionloomError as error:
            rejected.append(str(error))
    if len(taken) < MIN_EXAMPLES:
        why = f" ({rejected[0]})" if rejected else ""
        raise BadRequest(f"a gaze map needs at least {MIN_EXAMPLES} takes, found {len(taken)} that can be used{why}")
    motions = [found.motion for _, found in taken]
    made = GazeMap.of(motions, weights="nearest" if faithful else "continuous")
    return LearnedGaze(made, tuple(taken), tuple(rejected))
