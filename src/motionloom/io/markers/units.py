"""Shared by the readers of marker files: unique names, estimates of unit and up axis."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from motionloom.core import FloatArray, Markers
from motionloom.core.origin import from_file
from motionloom.io import units_and_axes as conv
from motionloom.io.number_text import LARGEST
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import Reading

_HIGH = re.compile(r"head|hd\b|fhd|bhd|c7|clav|shou|sho\b|neck", re.IGNORECASE)
_LOW = re.compile(r"toe|hee|ank|foot|mt[15]|malleol", re.IGNORECASE)
_SIZE = 1.2  # m: how far apart the outermost markers of a body usually are, as a ratio
_RARE = {"cm": 0.6}  # how much better (in powers of ten) a rare unit must fit; mm and m are common


def make_markers(
    notes: Notes,
    names: Sequence[str],
    places: FloatArray,
    fps: float,
    *,
    stated_unit: str,
    stated_up: str | None,
    usual_up: str,
    reading: Reading,
) -> Markers:
    """Markers in metres and y up from places (F, M, 3) as the file has them; NaN is a gap.

    `stated_unit` and `stated_up` are those of the file ("" and None if it states none); those of `reading` override
    them. An exact 0 0 0 is a gap too: many programs write it for a marker that was not seen.
    """
    bad = ~np.isfinite(places).all(2) | (np.abs(np.nan_to_num(places)) > LARGEST).any(2)
    zeros = (places == 0).all(2)
    if zeros.any():
        notes.info(f"{int(zeros.sum())} points at exactly 0 0 0 are read as gaps")
    places = np.where((bad | zeros)[..., None], np.nan, places)
    metres = _unit(places, stated_unit, notes) if reading.metres is None else reading.metres
    axis = _up(names, places, stated_up, usual_up, notes) if reading.axis is None else reading.axis
    lost = float(np.isnan(places[..., 0]).mean())
    if lost:
        notes.info(f"{100 * lost:.1f} % of all points are gaps")
    origin = from_file(Path(notes.path).name, len(places), unit=metres, up=axis, notes=notes.all)
    return Markers(unique(names, notes), conv.vectors_inside(places, axis) * metres, fps, origin)


def unique(names: Sequence[str], notes: Notes) -> tuple[str, ...]:
    """Names without blanks and repetitions: `M7` for one that is missing, `HEAD_2` for one that repeats."""
    out: list[str] = []
    taken = {name.strip() for name in names}
    seen: set[str] = set()
    used: dict[str, int] = {}  # the last number of each name that repeats
    for k, name in enumerate(names):
        base = name.strip() or f"M{k + 1}"
        new, n = base, used.get(base, 1)
        while new in seen or (new != name.strip() and new in taken):
            n += 1
            new = f"{base}_{n}"
        seen.add(new)
        used[base] = n
        out.append(new)
    if changed := [new for new, old in zip(out, names, strict=True) if new != old.strip()]:
        notes.info(f"{len(changed)} markers have no name of their own: called {', '.join(changed[:4])}")
    return tuple(out)


def _unit(places: FloatArray, stated: str, notes: Notes) -> float:
    """Metres per unit, as stated by the file, or estimated from how far apart the markers are."""
    known = {"meters": "m", "metres": "m", "millimeters": "mm", "centimeters": "cm", "inches": "inch", "in": "inch"}
    word = known.get(stated.strip().lower(), stated.strip().lower())
    if word in conv.UNITS:
        return conv.UNITS[word]
    seen = ~np.isnan(places[..., 0])
    size = 0.0
    if seen.any():
        full = places[seen.sum(1) == seen.sum(1).max()]  # frames with as many markers as there ever are
        size = float(np.median((np.nanmax(full, 1) - np.nanmin(full, 1)).max(1)))
        size = size or float(np.nanmax(np.abs(full)))
    units = ("mm", "m", "cm")
    fits = {n: abs(np.log10(size * conv.UNITS[n] / _SIZE)) + _RARE.get(n, 0.0) for n in units} if size else {}
    best = min(fits, key=lambda n: fits[n]) if fits else "mm"
    what = f"unit {stated.strip()[:20]!r} is not known" if stated.strip() else "no unit is given"
    notes.info(f"{what}: {best} assumed", topic="unit", detail=f"markers are {size * conv.UNITS[best]:.2f} m apart")
    return conv.UNITS[best]


def _up(names: Sequence[str], places: FloatArray, stated: str | None, usual: str, notes: Notes) -> str:
    """The up axis: as stated by the file, else from heads to feet, else the usual one of the format."""
    if stated is not None:
        return stated
    means = np.array([[np.nanmean(p) if np.isfinite(p).any() else np.nan for p in m.T] for m in places.swapaxes(0, 1)])
    high, low = ([k for k, name in enumerate(names) if rule.search(name)] for rule in (_HIGH, _LOW))
    high, low = ([k for k in ks if np.isfinite(means[k]).all()] for ks in (high, low))
    if not high or not low:
        notes.info(f"up axis {usual} assumed", topic="up")
        return usual
    line = means[high].mean(0) - means[low].mean(0)
    at = int(np.abs(line).argmax())
    found = ("-" if line[at] < 0 else "") + "xyz"[at]
    notes.info(f"up axis {found}", topic="up", detail="from feet to head")
    return found
