"""Ratings as CSV: one row for each clip that a participant was shown."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from motionloom.core import FormatError
from motionloom.core.text import csv_rows, read_text
from motionloom.io.atomic_files import write_whole

COLUMNS = ("participant", "question", "group", "clip", "rating")
LOWEST, HIGHEST = 1, 9
RATINGS = tuple(str(n) for n in range(LOWEST, HIGHEST + 1))


class Rating(NamedTuple):
    """What one participant thought of one clip; None if they did not answer."""

    participant: str
    question: str
    group: str
    clip: str
    rating: int | None


class Ratings(NamedTuple):
    """The ratings of a file, and the questions of its rows without one."""

    answers: tuple[Rating, ...]
    unanswered: tuple[str, ...] = ()

    @property
    def missing(self) -> int:
        """How many rows have no rating."""
        return len(self.unanswered)


def write_ratings(ratings: Iterable[Rating], path: str | Path) -> None:
    """Write ratings as CSV with a header; a missing one is an empty field."""
    lines = [",".join(COLUMNS)]
    for row in ratings:
        fields = [*row[:4], "" if row.rating is None else str(row.rating)]
        lines.append(",".join(_quoted(field) for field in fields))
    write_whole(path, ["\n".join([*lines, ""]).encode()])


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\r\n') else text


def read_ratings(path: str | Path) -> Ratings:
    """Read ratings; rows without a rating are counted and left out, wrong ones are a `FormatError` with the line."""
    path = Path(path)
    rows = [row for _, row in csv_rows(read_text(path), path)]
    if not rows or tuple(field.strip() for field in rows[0]) != COLUMNS:
        found = ",".join(rows[0])[:80] if rows else "nothing"
        raise FormatError(f"{path.name}:1: expected the header {','.join(COLUMNS)}, found {found}")
    answers, unanswered = [], []
    for number, row in enumerate(rows[1:], 2):
        if not row:
            continue
        if len(row) != len(COLUMNS):
            raise FormatError(f"{path.name}:{number}: expected {len(COLUMNS)} values, found {len(row)}")
        participant, question, group, clip, rating = (field.strip() for field in row)
        if not participant or not group:
            raise FormatError(f"{path.name}:{number}: expected a participant and a group")
        if rating in ("", "NA", "nan"):
            unanswered.append(question)
            continue
        if rating not in RATINGS:
            raise FormatError(
                f"{path.name}:{number}: expected a rating from {LOWEST} to {HIGHEST}, found {rating[:40]!r}"
            )
        answers.append(Rating(participant, question, group, clip, int(rating)))
    return Ratings(tuple(answers), tuple(unanswered))
