"""Titles that distinguish clips of the same name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from motionloom.core.text import printable


def clip_titles(paths: Sequence[Path], names: Sequence[str]) -> list[str]:
    """The clips' names, with their folders where two clips have the same name."""
    near = [f"{path.parent.name}/{path.name}" if path.parent.name else path.name for path in paths]
    same_name, same_folder = Counter(names), Counter(near)
    return [
        printable(name if same_name[name] == 1 else folder if same_folder[folder] == 1 else str(path))
        for path, name, folder in zip(paths, names, near, strict=True)
    ]


def with_title(message: str, path: Path, title: str) -> str:
    """An error message about a file, with its title instead of the name that it begins with."""
    return title + message.removeprefix(path.name) if message.startswith(path.name) else message
