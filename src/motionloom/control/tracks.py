"""Tracks of a crowd, as pedestrian simulators write them: CSV rows id, t, x, z."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from motionloom.constraints.fields import MAX_COORDINATE
from motionloom.core import BadRequest, Clip, FloatArray, FormatError, IntArray
from motionloom.core.text import csv_rows, read_text

SIGHT = 1.5  # m: how far ahead on its track a character aims


def read_tracks(path: str | Path) -> list[list[float]]:
    """Rows id, t, x, z of a CSV file, with or without a header; `FormatError` with the line if it is none."""
    out = []
    for line, row in csv_rows(read_text(path), path):
        if not row:
            continue
        try:
            values = [float(cell) for cell in row]
        except ValueError:
            if line == 1:  # a header
                continue
            values = []
        if len(values) != 4 or not np.isfinite(values).all():
            raise FormatError(f"expected four numbers id,t,x,z, found {','.join(row)[:60]!r}", path=path, line=line)
        out.append(values)
    return out


def off_tracks(rows: Sequence[Sequence[float]], clips: Mapping[int, Clip]) -> str:
    """How far the hips of members, by their numbers, are from where their tracks are at the time; or "" without any."""
    found = []
    lines = Tracks(rows, 1 + int(max(row[0] for row in rows))).lines
    for i in sorted(clips.keys() & lines.keys()):
        line, clip = lines[i], clips[i]
        time = np.arange(len(clip)) / clip.fps
        during = (time >= line.times[0]) & (time <= line.times[-1])
        if line.length > 0 and during.any():
            due = np.stack([np.interp(time, line.times, line.places[:, d]) for d in (0, 1)], 1)
            off = np.where(during, np.linalg.norm(clip.root[:, [0, 2]] - due, axis=1), np.nan)
            found.append((float(np.nanmean(off)), float(np.nanmax(off)), i, float(time[np.nanargmax(off)])))
    if not found:
        return ""
    _, worst, member, when = max(found, key=lambda entry: entry[1])
    mean = np.mean([entry[0] for entry in found])
    return f"hips off the tracks by {mean:.2f} m on average, {worst:.2f} m at most (member {member} at {when:.1f} s)"


class Tracks:
    """The tracks of a crowd: where each character is at which time.

    A character with several rows begins at the first of them and follows the line through them; it is never sent back
    to a place that it has passed. A single row is a goal.
    """

    def __init__(self, rows: Sequence[Sequence[float]], count: int) -> None:
        table = np.array(rows, float)
        if table.ndim != 2 or table.shape[1] != 4 or not np.isfinite(table).all():
            raise BadRequest("tracks: expected rows of id, t, x, z")
        if np.abs(table[:, 1:]).max() > MAX_COORDINATE:
            raise BadRequest(f"tracks: expected times and places within {MAX_COORDINATE:g} s and m")
        wrong = (table[:, 0] < 0) | (table[:, 0] >= count) | (table[:, 0] % 1 != 0)
        if wrong.any():
            raise BadRequest(f"tracks: expected ids from 0 to {count - 1}, found {table[wrong][0, 0]:g}")
        table = table[np.lexsort((table[:, 1], table[:, 0]))]
        twice = np.flatnonzero((np.diff(table[:, :2], axis=0) == 0).all(1))
        if len(twice):
            id, time = table[twice[0], :2]
            raise BadRequest(f"tracks: expected one row of id {id:g} at {time:g} s, found two")
        ids, first = np.unique(table[:, 0], return_index=True)
        tracks = np.split(table[:, 1:], first[1:])
        self.lines = {int(i): _Line(own) for i, own in zip(ids, tracks, strict=True)}

    def begin(self, places: FloatArray, headings: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Places (N, 2) and headings (N,) at which characters begin: at their tracks, others where they are."""
        places, headings = places.copy(), headings.copy()
        for i, line in self.lines.items():
            if line.length > 0:
                places[i] = line.at(0.0)
                headings[i] = math.atan2(*(line.at(min(line.length, SIGHT)) - places[i]))
        return places, headings

    def goals(
        self, members: Sequence[int] | IntArray, place: FloatArray, time: float, sight: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """For characters at `place` (N, 2): the places to go to (N, 2) and speeds (N,); NaN without a track.

        `sight` (N,) is how far ahead on its track each aims at least, by default `SIGHT`.
        """
        far = np.full(len(members), SIGHT) if sight is None else sight
        goals, speeds = np.full((len(members), 2), np.nan), np.full(len(members), np.nan)
        for n, i in enumerate(members):
            if int(i) in self.lines:
                goals[n], speeds[n] = self.lines[int(i)].goal(place[n], time, float(far[n]))
        return goals, speeds


class _Line:
    """The polyline of one track, by its length; `passed` is how far a character has come."""

    def __init__(self, rows: FloatArray) -> None:
        far = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(rows[:, 1:], axis=0), axis=1))]
        self.times, self.far, self.places = rows[:, 0], far, rows[:, 1:]
        self.length, self.passed = float(far[-1]), 0.0

    def at(self, far: float) -> FloatArray:
        """(2,) the place after `far` metres."""
        return np.array([np.interp(far, self.far, self.places[:, d]) for d in (0, 1)])

    def goal(self, place: FloatArray, time: float, sight: float) -> tuple[FloatArray, float]:
        """The place `sight` ahead, and the speed by which the track is followed in time (NaN: any)."""
        if self.length == 0:
            return self.places[-1], math.nan
        ahead = self.passed + np.linspace(0.0, SIGHT, 25)
        ahead = ahead[ahead <= self.length + 1e-9]
        off = np.linalg.norm(np.stack([self.at(x) for x in ahead]) - place, axis=1)
        self.passed = float(ahead[off.argmin()])
        due = float(np.interp(time + 1.0, self.times, self.far))
        return self.at(max(self.passed + sight, due)), max(due - self.passed, 0.0)
