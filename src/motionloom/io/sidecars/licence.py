"""Licence of a clip: from `walk.licence.txt` beside it, or from `licence.txt` or `LICENSE` of its folder.

Most motion formats have no field for it. `fetch` writes the folder's file; `save` writes the clip's, so that it is kept
when a clip is converted, cut or retargeted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace as with_changes
from pathlib import Path

from motionloom.core import Clip, replace
from motionloom.core.files import open_regular, side_file
from motionloom.io.sidecars.names import find_side_file

FOLDER = "licence.txt"
DATASET_LICENCES = ("LICENSE", "LICENSE.txt")  # as data sets have them
MAX_CHARACTERS = 2000  # characters of a line


def one_line(text: object) -> str:
    """A licence as one line of bounded length; "" if it is not text."""
    return " ".join(text[:MAX_CHARACTERS].split()) if isinstance(text, str) else ""


def licence_file(path: str | Path) -> Path | None:
    """The licence file that applies to a clip: its own, else that of its folder; None if there is none."""
    return next(_licence_files(path), None)


def _licence_files(path: str | Path) -> Iterator[Path]:
    own = find_side_file(path, "licence")
    yield from filter(None, (own, *(side_file(path, name) for name in (FOLDER, *DATASET_LICENCES))))


def with_licence(clip: Clip, path: str | Path) -> Clip:
    """The clip with the first line of its licence file or of its folder's, if its own file states no licence."""
    line = "" if clip.origin.licence else licence_line(path)
    return replace(clip, origin=with_changes(clip.origin, licence=line)) if line else clip


def licence_line(path: str | Path) -> str:
    """The first line of the licence file of a clip or of its folder; "" if there is none."""
    for found in _licence_files(path):
        with suppress(OSError):
            if line := _first_line(found):
                return line
    return ""


def _first_line(path: Path) -> str:
    with open_regular(path) as file:
        return one_line(file.readline(4 * MAX_CHARACTERS).decode("utf-8", errors="replace"))
