"""Notes on a clip by readers, methods and edits, with a level: info or warning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

Level = Literal["info", "warning"]


@dataclass(frozen=True)
class Note:
    """One remark about a clip or a model; `frame` and `constraint` state what it is about, where that is known.

    `detail` is evidence that differs from clip to clip, so that equal notes on many clips can be listed once. `earlier`
    notes were stored with the file, by a step that made it; that is no part of what a note states, and is not stored.

    >>> str(Note("the budget was spent", "warning"))
    'warning: the budget was spent'
    >>> str(Note("unit cm, estimated", topic="unit", detail="stature 1.69 m"))
    'unit cm, estimated (stature 1.69 m)'
    """

    text: str
    level: Level = "info"
    frame: int | None = None  # of the clip
    constraint: str = ""  # as `Constraint.describe` writes it
    topic: str = ""  # "unit", "up" or "path": the subject, where programs select notes by it
    detail: str = ""
    earlier: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        if self.level not in get_args(Level):
            raise ValueError(f"level: expected {' or '.join(get_args(Level))}, found {self.level!r}")

    def __str__(self) -> str:
        text = f"{self.text} ({self.detail})" if self.detail else self.text
        return f"warning: {text}" if self.level == "warning" else text

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; empty fields are left out."""
        return {name: value for name, value in asdict(self).items() if value not in (None, "") and name != "earlier"}


def info(*texts: str) -> tuple[Note, ...]:
    """A note of level "info" for each text."""
    return tuple(map(Note, texts))


def warning(text: str, *, frame: int | None = None, constraint: str = "") -> Note:
    """A note of level "warning"."""
    return Note(text, "warning", frame, constraint)


def as_dicts(notes: Iterable[Note]) -> list[dict[str, Any]]:
    """Notes as plain values, for JSON."""
    return [note.as_dict() for note in notes]
