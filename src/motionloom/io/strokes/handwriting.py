"""Reader of handwritten letters: the Character Trajectories set as MATLAB files (`xtrain`, `ytrain`, `key`).

Each cell of `xtrain` is 3 x T: pen velocity in x and y and the force on the tip, at 200 samples a second; velocities
were taken from positions by differences, smoothed and normalised, and padded with zeros so that letters align. Adding
them up gives the stroke back. The set has no unit: one unit of the sum is taken as 0.25 mm, so letters are about 1 cm.
"""

from __future__ import annotations

from dataclasses import replace as with_changes
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import Clip, FloatArray, Note, replace, with_labels
from motionloom.core.files import read_regular
from motionloom.io.number_text import LARGEST
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import DEFAULT, Reading
from motionloom.io.strokes.csv import stroke_clip
from motionloom.io.strokes.mat5 import read_mat5

RATE = 200.0  # samples a second
UNIT = 0.00025  # metres
MAX_BYTES = 64 << 20  # bytes of a file: the whole set has 4 MB


def read_handwriting(path: str | Path, reading: Reading = DEFAULT) -> list[Clip]:
    """Every letter of the file as a stroke: named `a_0001` and so on, with its letter as a label.

    Zeros before and after a letter are no motion and are left out; `origin.frames` still counts them. A stroke is in
    the plane of x and y, so `up` has no effect.
    """
    notes = reading.notes(path)
    cells, kinds, letters = _tables(path, notes)
    metres = UNIT if reading.metres is None else reading.metres
    rate = RATE if reading.fps is None else reading.fps
    out = []
    counts: dict[str, int] = {}
    for n, (cell, kind) in enumerate(zip(cells, kinds, strict=True)):
        velocity = _velocity(cell, n, notes)
        letter = letters[int(kind) - 1] if 1 <= int(kind) <= len(letters) else "letter"
        counts[letter] = counts.get(letter, 0) + 1
        moving = np.flatnonzero(np.abs(velocity).max(1) > 0)
        if len(moving) < 2:
            notes.warn(f"letter {n + 1} does not move: ignored")
            continue
        first, last = int(moving[0]), int(moving[-1]) + 1
        clip = stroke_clip(np.cumsum(velocity[first:last], axis=0) * metres, rate, f"{letter}_{counts[letter]:04d}")
        text = f"letter {n + 1} of {Path(path).name}; velocities added up, one unit taken as {1000 * metres:g} mm"
        origin = with_changes(clip.origin, unit=1.0, frames=clip.origin.frames + first, notes=(Note(text),))
        out.append(with_labels(replace(clip, origin=origin), {letter: np.ones(len(clip), bool)}))
    if not out:
        raise notes.error("no letters in this file")
    return out


def _tables(path: str | Path, notes: Notes) -> tuple[Any, Any, list[str]]:
    """The cells, their kinds (from 1) and the letters of the kinds."""
    try:
        if Path(path).stat().st_size > MAX_BYTES:
            raise notes.error(f"over {MAX_BYTES >> 20} MB: the whole set of letters is smaller")
        found = read_mat5(read_regular(path), notes)
    except OSError as error:
        raise notes.error(f"cannot be read: {error.strerror or error}") from None
    missing = [name for name in ("xtrain", "ytrain", "key") if name not in found]
    if missing:
        raise notes.error(f"expected xtrain, ytrain and key, as in the Character Trajectories set; no {missing[0]}")
    cells, kinds, key = found["xtrain"], np.asarray(found["ytrain"]).ravel(), found["key"]
    if not isinstance(cells, list) or not isinstance(key, list) or kinds.dtype.kind not in "iuf":
        raise notes.error("expected cells of letters, their kinds as numbers, and cells of names")
    if len(cells) != len(kinds) or not np.isfinite(kinds.astype(float)).all():
        raise notes.error(f"expected a kind for each letter, found {len(kinds)} for {len(cells)}")
    return cells, kinds, [k if isinstance(k, str) and k.isalnum() and len(k) < 20 else "letter" for k in key]


def _velocity(cell: Any, n: int, notes: Notes) -> FloatArray:
    """(T, 2) the velocity of one letter."""
    table = cell if isinstance(cell, np.ndarray) else np.zeros(0)
    if table.ndim != 2 or table.shape[0] != 3 or table.dtype.kind not in "iuf":
        raise notes.error(f"letter {n + 1}: expected 3 x T numbers, found {table.dtype} {table.shape}")
    velocity = np.asarray(table[:2].T, float)
    if not (np.isfinite(velocity).all() and np.abs(velocity).max(initial=0.0) < LARGEST):
        raise notes.error(f"letter {n + 1}: expected finite numbers of moderate size")
    return velocity
