"""Access to files: only regular ones of bounded size and, for names found in files, only inside the root."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path

from motionloom.core.arrays import put
from motionloom.core.errors import BadRequest, FormatError, Where
from motionloom.core.limits import Limits

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def open_regular(path: str | Path, limits: Limits | None = None) -> BufferedReader:
    """Open a file for reading. `FormatError` for a pipe, a device, a folder or a file above the size limit.

    A file that is missing or may not be read is an `OSError`, as with `open`.
    """
    _check(os.stat(path), path, limits)  # before it is opened: opening a device may have effects
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    number = os.open(path, flags)
    try:
        _check(os.fstat(number), path, limits)  # it may have been replaced meanwhile
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def read_regular(path: str | Path, limits: Limits | None = None) -> bytes:
    """All bytes of a file, opened as by `open_regular`."""
    with open_regular(path, limits) as file:
        return file.read()


def check_regular(path: str | Path, limits: Limits | None = None) -> None:
    """Raise what `open_regular` would raise, for libraries that open the file themselves."""
    open_regular(path, limits).close()


def _check(found: os.stat_result, path: str | Path, limits: Limits | None) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(found.st_mode)), "something else")
        raise FormatError(f"cannot be read: expected a regular file, found {kind}", path=path)
    if why := (limits or Limits.current()).exceeded(bytes=found.st_size):
        raise FormatError(f"cannot be read: {why}", path=path)


@dataclass(frozen=True)
class Files:
    """The folders (the root) that the file names in a request may lead to, and the limits of those files.

    >>> Files("clips").resolve("../secrets.csv")
    Traceback (most recent call last):
    motionloom.core.errors.BadRequest: '../secrets.csv' leads outside the folders that may be read (clips)
    """

    root: tuple[Path, ...]
    limits: Limits = field(default_factory=Limits.current)

    def __init__(self, root: str | Path | Iterable[str | Path] = ".", limits: Limits | None = None) -> None:
        folders = [root] if isinstance(root, (str, Path)) else list(root)
        put(self, "root", tuple(dict.fromkeys(Path(folder) for folder in folders)))
        put(self, "limits", limits or Limits.current())

    def resolve(self, name: str, where: Where = ()) -> Path:
        """The file of this name, looked for in the root's folders in their order; links are followed.

        `BadRequest` (at `where`) if it leads outside the root, by `..`, as an absolute path or through a link, and if
        there is no such file. Files outside are not examined.
        """
        shown = ", ".join(str(folder) for folder in self.root)
        try:
            found = [(folder / name).resolve() for folder in self.root]
            inside = [path for path in found if self._contains(path)]
            existing = next((path for path in inside if path.exists()), None)
        except (OSError, ValueError, RuntimeError):  # a name too long; a NUL; links in a circle (until Python 3.12)
            raise BadRequest(f"{name[:80]!r} is not the name of a file", where=where) from None
        if existing is not None:
            return existing
        if not inside:
            why = f"{name!r} leads outside the folders that may be read ({shown})"
        else:
            why = f"no such file: {name!r} (looked for in {shown})"
        raise BadRequest(why, where=where)

    def read(self, name: str, where: Where = ()) -> bytes:
        """The bytes of the file of this name."""
        return read_regular(self.resolve(name, where), self.limits)

    def _contains(self, path: Path) -> bool:
        return any(path.is_relative_to(folder.resolve()) for folder in self.root)


def side_file(clip: str | Path, name: str) -> Path | None:
    """The file of this name beside a clip (labels, roles, licence), if there is one.

    `FormatError` if it is not a regular file, or a link that leads out of the clip's folder (or, if the clip is a link
    itself, out of the folder that it leads to).
    """
    clip = Path(clip)
    path = clip.parent / name
    if not os.path.lexists(path) or path.is_dir():
        return None
    try:
        files = Files((clip.parent, clip.resolve().parent))
        inside = files._contains(path.resolve())
    except (OSError, RuntimeError):  # links in a circle: RuntimeError until Python 3.12
        inside = False
    if not inside:
        raise FormatError("a link that leads outside the folder of its clip is not read", path=path)
    if not path.exists():
        return None
    _check(os.stat(path), path, None)
    return path
