"""Atomic file writing: a file appears under its name complete or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from motionloom.core import FormatError


def write_whole(path: str | Path, parts: Iterable[Any]) -> None:
    """Write bytes in pieces; the file appears when all of it is there. Missing folders are made."""
    path = Path(path)
    check_place(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            try:
                for part in parts:
                    file.write(part)
                file.close()
                os.chmod(file.name, 0o666 & ~_umask())
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror or error}", path=path) from None


def check_place(path: str | Path) -> None:
    """`FormatError` if no file can be written here: it is a folder, or below a file."""
    path = Path(path)
    blocked = next((folder for folder in path.parents if folder.is_file()), None)
    if blocked is not None:
        raise FormatError(f"cannot be written: {blocked} is a file, not a folder", path=path)
    if path.is_dir():
        raise FormatError("cannot be written: it is a folder", path=path)


def _umask() -> int:
    """The user's file mask; reading it means setting it for a moment."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
