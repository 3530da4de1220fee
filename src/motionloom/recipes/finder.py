"""Finding the inputs of a recipe in a folder by their SHA-256, whatever their names."""

from __future__ import annotations

from pathlib import Path

from motionloom.core import FormatError
from motionloom.io.digest import file_sha256


class Finder:
    """Finds the files of a folder, and of all below it, by SHA-256; files are hashed as they are needed."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise FormatError("no such folder", path=self.folder)
        self._left = sorted(p for p in self.folder.rglob("*") if p.is_file())
        self._found: dict[str, Path] = {}

    def find(self, sha256: str, name: str = "") -> Path | None:
        """The file with this content; those called `name` are looked at first."""
        self._left.sort(key=lambda path: path.name != Path(name).name)  # stable: the others keep their order
        while sha256 not in self._found and self._left:
            path = self._left.pop(0)
            self._found.setdefault(file_sha256(path), path)
        return self._found.get(sha256)

    def changed(self, name: str) -> Path | None:
        """A file that is called `name`, whatever it contains."""
        return next(iter(sorted(p for p in self.folder.rglob(Path(name).name) if p.is_file())), None)
