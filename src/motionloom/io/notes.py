"""What a reader found in a file: kept with the clip, or raised when the reader is strict."""

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
        """A remark: nothing is wrong."""
        self.add(Note(message, topic=topic, detail=detail))

    def warn(self, message: str, line: int | None = None) -> None:
        """Something is wrong but can be read; strict readers refuse."""
        if self.strict:
            raise self.error(message, line=line)
        self.add(Note(f"line {line}: {message}" if line is not None else message, "warning", topic="file"))

    def add(self, note: Note) -> None:
        """A note as it is; strict readers refuse warnings."""
        if self.strict and note.level == "warning":
            raise self.error(note.text)
        self._found.append(note)

    def error(self, message: str, *, line: int | None = None) -> FormatError:
        """The error to raise, with the file's name and the line."""
        return FormatError(message, path=self.path, line=line)
