"""Notes of a reader on a file: kept with the clip, or raised as errors when the reader is strict."""

from __future__ import annotations

from motionloom.core import FormatError, Note


class Notes:
    """Collects notes while one file is read. `all` goes into `clip.origin.notes`."""

    def __init__(self, path: str, *, strict: bool = False) -> None:
        self.path, self.strict = path, strict
        self._found: list[Note] = []

    @property
    def all(self) -> tuple[Note, ...]:
        """The notes so far."""
        return tuple(self._found)

    def info(self, message: str, *, topic: str = "file", detail: str = "") -> None:
        """Add a note of level "info"."""
        self.add(Note(message, topic=topic, detail=detail))

    def warn(self, message: str, line: int | None = None) -> None:
        """Add a warning about something irregular; an error if the reader is strict."""
        if self.strict:
            raise self.error(message, line=line)
        self.add(Note(f"line {line}: {message}" if line is not None else message, "warning", topic="file"))

    def add(self, note: Note) -> None:
        """Add a note; a warning is an error if the reader is strict."""
        if self.strict and note.level == "warning":
            raise self.error(note.text)
        self._found.append(note)

    def error(self, message: str, *, line: int | None = None) -> FormatError:
        """The error to raise, with the file's name and the line."""
        return FormatError(message, path=self.path, line=line)
