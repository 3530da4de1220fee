"""Learning for gaze: examples of gaze shifts from takes of markers, or from clips."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import (
    BadRequest,
    Clip,
    FloatArray,
    FormatError,
    Markers,
    MotionloomError,
    Note,
    Progress,
    part,
    silent,
)
from motionloom.core.text import read_text, read_toml
from motionloom.kinematics.travel import placed
from motionloom.methods.gaze.config import DEFAULT, Config
from motionloom.methods.gaze.displacement_motions import GazeMotion
from motionloom.methods.gaze.extract_displacements import Extracted, extract_all, extract_by_thresholds
from motionloom.methods.gaze.gaze_map import MIN_EXAMPLES, GazeMap
from motionloom.methods.gaze.marker_takes import Marking, Shift, shift_of
from motionloom.methods.gaze.model import GazeModel
from motionloom.methods.gaze.shifts_from_clips import found_shifts, shifts_of_clip
from motionloom.samples import make

COLUMNS = ("file", "yaw", "pitch")  # degrees; optional columns: start, end (s), which crop a take by hand
NAMED = re.compile(r"_(?P<yaw>[-+]?\d+(?:\.\d+)?)_(?P<pitch>[-+]?\d+(?:\.\d+)?)$")  # me_-72_12.trc
MOST_OVERSHOOT, MOST_LENGTH = 2.0, 2.0  # times the way to the end, and the length of the take, of a gaze shift
STILL = np.radians(1.0)  # a take with a target nearer to straight ahead, or in which no joint turns farther, shows none
EDGES = (0.2, 0.1)  # s left out at both ends of the take that looks straight ahead


class TakeTarget(NamedTuple):
    """Where a take looks at its end, and its ends if they are given by hand."""

    yaw: float  # rad, to the left
    pitch: float  # rad, upwards
    crop: tuple[float, float] | None = None  # s


class Example(NamedTuple):
    """One gaze shift of a take."""

    name: str
    found: Extracted


def fit(
    takes: Sequence[Clip | Markers],
    config: Config = DEFAULT,
    *,
    rng: Generator | None = None,
    progress: Progress | None = None,
) -> GazeModel:
    """A gaze map; takes that cannot be used are left out and listed in the notes."""
    targets = {} if config.targets is None else read_targets(config.targets)
    marking = None if config.markers is None else read_marking(config.markers)
    fitted = config.extraction == "fitted"
    names: list[str] = []
    shifts: list[tuple[Shift, TakeTarget]] = []
    left_out: list[str] = []
    report = progress or silent()
    for k, take in enumerate(takes):
        report(0.2 * k / len(takes), "finding rests")
        name = take.origin.name or f"take {k}"
        try:
            found = _shifts(take, name, targets, marking, rigid=fitted)
        except MotionloomError as error:
            text = str(error)
            left_out.append(text if name in text else f"{name}: {text}")
            continue
        shifts += found
        names += [name] * len(found)
        if isinstance(take, Clip) and name not in targets and len(found) < (every := len(found_shifts(take))):
            left_out.append(f"{name}: {every - len(found)} of its {every} gaze shifts do not begin straight ahead")
    _require_examples(len(shifts), left_out)
    aims = [(target.yaw, target.pitch) for _, target in shifts]
    if fitted:
        motions = extract_all([shift for shift, _ in shifts], aims, progress=part(report, 0.2, 1.0))
    else:
        motions = [extract_by_thresholds(shift, aim) for (shift, _), aim in zip(shifts, aims, strict=True)]
    examples = list[Example]()
    for name, (shift, _), found_motion in zip(names, shifts, motions, strict=True):
        if _is_shift(shift, found_motion.motion):
            examples.append(Example(name, found_motion))
        else:
            left_out.append(
                f"{name}: noise, or no shift between its rests; give its ends by hand (columns start and end)"
            )
    _require_examples(len(examples), left_out)
    report(1.0, "fitting shifts")
    rows, lost, titles = _one_for_each_target(examples)
    rows = with_usual_timing(rows)
    body = _standing(takes)
    GazeMap(rows).arrays  # noqa: B018 -- raises if the targets span no map
    return GazeModel(
        skeleton=body.skeleton,
        config=config,
        fps=takes[0].fps if config.fps is None else config.fps,
        examples=rows.astype(np.float32),
        lost=lost.astype(np.float32),
        names=titles,
        standing=body.rotations[0],
        height=float(body.root[0, 1]),
        notes=tuple(Note(f"left out: {text}", "warning") for text in left_out),
    )


def _is_shift(shift: Shift, motion: GazeMotion) -> bool:
    """Is a fitted motion a gaze shift: not far longer than its take, and not far beyond its end?"""
    return motion.overshoot <= MOST_OVERSHOOT and motion.seconds <= MOST_LENGTH * len(shift.turns) / shift.fps


def _require_examples(count: int, left_out: Sequence[str]) -> None:
    if count < MIN_EXAMPLES:
        more = f"; {len(left_out) - 1} more left out" if len(left_out) > 1 else ""
        why = f" ({left_out[0]}{more})" if left_out else ""
        raise BadRequest(f"a gaze map needs at least {MIN_EXAMPLES} examples, found {count}{why}")


def _shifts(
    take: Clip | Markers, name: str, targets: Mapping[str, TakeTarget], marking: Marking | None, *, rigid: bool
) -> list[tuple[Shift, TakeTarget]]:
    """The gaze shifts of a take with their targets: one of markers, any number of a clip."""
    target = targets.get(name) or _named_target(name)
    if isinstance(take, Clip):
        found = shifts_of_clip(take, crop=None if target is None else target.crop)
        return [(shift, TakeTarget(*(aim if target is None else target[:2]))) for shift, aim in found]
    if target is None:
        known = "it is not in the table of targets" if targets else "give a table of targets, or names as me_-72_12.trc"
        raise BadRequest(f"{name}: its target is not known; {known}")
    crop = target.crop
    if crop is None and target[:2] == (0.0, 0.0):  # there is no shift to find
        crop = (EDGES[0], len(take) / take.fps - EDGES[1])
    return [(shift_of(take, marking, crop=crop, name=name, rigid=rigid), target)]


def _named_target(name: str) -> TakeTarget | None:
    found = NAMED.search(Path(name).stem)
    return None if found is None else _target(found["yaw"], found["pitch"], None)


def _target(yaw: str, pitch: str, crop: tuple[float, float] | None) -> TakeTarget:
    found = TakeTarget(float(np.radians(float(yaw))), float(np.radians(float(pitch))), crop)
    if abs(found.yaw) > np.pi + 1e-6 or abs(found.pitch) > np.pi / 2:
        raise BadRequest("expected yaw within -180..180 and pitch within -90..90 degrees")
    return found


def _one_for_each_target(examples: Sequence[Example]) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Rows (E, 24), losses (E,) and names; of several takes of one target the means."""
    groups: dict[tuple[float, float], list[Example]] = {}
    for example in examples:
        motion = example.found.motion
        groups.setdefault((round(motion.yaw, 6), round(motion.pitch, 6)), []).append(example)
    rows = np.stack([np.mean([e.found.motion.row() for e in group], axis=0) for group in groups.values()])
    lost = np.array([np.mean([e.found.lost for e in group]) for group in groups.values()])
    return rows, lost, tuple(" + ".join(e.name for e in group) for group in groups.values())


def with_usual_timing(rows: FloatArray) -> FloatArray:
    """Rows (E, 24) in which takes that show no shift, as that with the target straight ahead, are timed as the others.

    Length, starts, peak and overshoot are those of lines fitted to the others, by the angles of the targets, and within
    their range. The length of such a take is that of the recording, which would slow down the small looks beside it.
    """
    size = np.hypot(rows[:, 0], rows[:, 1])
    still = np.minimum(size, np.linalg.norm(rows[:, 2:14].reshape(-1, 4, 3), axis=2).max(1)) < STILL
    if not still.any() or still.all():
        return rows
    timing, away = rows[~still, 17:], size[~still] - size[~still].mean()
    slope = away @ timing / max(float(away @ away), 1e-12)
    out = rows.copy()
    out[still, 17:] = np.clip(timing.mean(0) - slope * size[~still].mean(), timing.min(0), timing.max(0))
    return out


def _standing(takes: Sequence[Clip | Markers]) -> Clip:
    """The body for requests without a base motion: that of the first clip, or a sample person."""
    clip = next((take for take in takes if isinstance(take, Clip)), None)
    if clip is None:
        clip = make("stand", seconds=1.0)

    return placed(clip[:1], (0.0, 0.0), 0.0)


def read_targets(path: str | Path) -> dict[str, TakeTarget]:
    """The targets of takes by file name: columns file, yaw, pitch (degrees) and, where given, start and end (s)."""
    path = Path(path)
    rows = csv.DictReader(read_text(path).splitlines())
    try:
        missing = [c for c in COLUMNS if c not in (rows.fieldnames or ())]
        if missing:
            raise FormatError(f"expected the columns {', '.join(COLUMNS)}; missing {', '.join(missing)}", path=path)
        return {Path(row["file"] or "").name: _entry(path, row, line) for line, row in enumerate(rows, start=2)}
    except csv.Error as error:
        raise FormatError(f"expected a CSV file: {error}", path=path) from None


def _entry(path: Path, row: dict[str, str], line: int) -> TakeTarget:
    try:
        ends = [row.get(name) or "" for name in ("start", "end")]
        crop = (float(ends[0]), float(ends[1])) if all(ends) else None
        return _target(row["yaw"], row["pitch"], crop)
    except (ValueError, TypeError):
        text = "expected numbers: yaw and pitch in degrees, start and end in seconds"
        raise FormatError(text, path=path, line=line) from None
    except BadRequest as error:
        raise FormatError(str(error), path=path, line=line) from None


def read_marking(path: str | Path) -> Marking:
    """Names of the markers from a TOML file: base = ["SACR"], head = ["FHD", "LHD", "BHD", "RHD"] ..."""
    table = read_toml(path)
    if not all(isinstance(names, list) for names in table.values()):
        raise FormatError('expected lists of names, as base = ["SACR"]', path=Path(path))
    return Marking({name: tuple(map(str, names)) for name, names in table.items()})
