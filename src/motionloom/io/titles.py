"""Titles that distinguish clips of the same name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace as with_fields
from pathlib import Path
from typing import Any

from motionloom.core import Clip, replace
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


def with_distinct_names(loaded: Sequence[tuple[Path, Any]]) -> list[tuple[Path, Any]]:
    """Clips (and other takes, which stay as they are) with their paths; those of the same name named by folder, too."""
    titles = clip_titles([path for path, _ in loaded], [take.origin.name for _, take in loaded])
    return [
        (path, _renamed(take, title) if isinstance(take, Clip) and title != take.origin.name else take)
        for (path, take), title in zip(loaded, titles, strict=True)
    ]


def _renamed(clip: Clip, title: str) -> Clip:
    sources = tuple(
        s._replace(name=title) if s.name == clip.name and not clip.origin.made else s for s in clip.origin.sources
    )
    return replace(clip, origin=with_fields(clip.origin, name=title, sources=sources))
