"""Under which terms a clip is: `walk.licence.txt` beside the clip, or `licence.txt` for its whole folder.

Most motion files have no place for it. `fetch` writes the folder's file, and data sets come with a `LICENSE` of their
own; `save` writes the clip's, so terms stay known when a clip is converted, cut or retargeted.
"""

from __future__ import annotations

from dataclasses import replace as with_changes
from pathlib import Path

from motionloom.core import Clip, replace
from motionloom.core.files import open_regular, side_file
from motionloom.io.files import write_whole

FOLDER = "licence.txt"
OTHERS = ("LICENSE", "LICENSE.txt")  # as data sets have them
LONGEST = 2000  # characters of a line


def licence_path(clip: str | Path) -> Path:
    """Where the terms of a clip file are: `walk.licence.txt` for `walk.bvh`."""
    return Path(clip).with_suffix(".licence.txt")


def one_line(text: object) -> str:
    """Terms as a file states them, in one line of bounded length; "" for what is no text."""
    return " ".join(text[:LONGEST].split()) if isinstance(text, str) else ""


def licence_file(path: str | Path) -> Path | None:
    """The licence file that holds for a clip file: its own, else its folder's; None if there is none."""
    names = (licence_path(path).name, FOLDER, *OTHERS)
    return next((found for name in names if (found := side_file(path, name)) is not None), None)


def with_licence(clip: Clip, path: str | Path) -> Clip:
    """The clip with the first line of the licence file that stands beside it, or in its folder, if it has none yet."""
    if clip.origin.licence:
        return clip
    for name in (licence_path(path).name, FOLDER, *OTHERS):
        try:
            beside = side_file(path, name)
            line = "" if beside is None else _first_line(beside)
        except OSError:
            continue
        if line:
            return replace(clip, origin=with_changes(clip.origin, licence=line))
    return clip


def _first_line(path: Path) -> str:
    with open_regular(path) as file:
        return one_line(file.readline(4 * LONGEST).decode("utf-8", errors="replace"))


def write_licence(clip: Clip, path: str | Path) -> None:
    """Write the clip's terms beside its file; an old file of another clip is taken away."""
    beside = licence_path(path)
    if clip.origin.licence:
        write_whole(beside, [f"{clip.origin.licence}\n".encode()])
    else:
        beside.unlink(missing_ok=True)
