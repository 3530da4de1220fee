"""What a reader has to say about a file: kept with the clip, or raised when the reader is strict."""

from __future__ import annotations

from motionloom.core import FormatError


class Notes:
    """Collects remarks while one file is read. `said` goes into `clip.origin.notes`."""

    def __init__(self, path: str, *, strict: bool = False) -> None:
        self.path, self.strict = path, strict
        self.said: list[str] = []

    def say(self, message: str) -> None:
        """A remark: nothing is wrong."""
        self.said.append(message)

    def warn(self, message: str, line: int | None = None) -> None:
        """Something is wrong but can be read; strict readers refuse."""
        if self.strict:
            raise self.error(message, line=line)
        self.said.append(f"line {line}: {message}" if line is not None else message)

    def error(self, message: str, *, line: int | None = None) -> FormatError:
        """The error to raise, with the file's name and the line."""
        return FormatError(message, path=self.path, line=line)
