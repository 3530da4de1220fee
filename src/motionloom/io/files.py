"""Writing files whole or not at all, and finding the files that patterns and folders stand for."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from glob import glob, has_magic
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


def expand_paths(patterns: Iterable[str | Path], suffixes: Iterable[str] | None = None) -> list[Path]:
    """The files that names, wildcards (`*.bvh`, `**/walk*.bvh`) and folders stand for, each once, in order.

    From a folder, and from all below it, files that can be read are taken (`suffixes`; all readable ones by default); a
    CSV file only if it holds a stroke. Labels that were named together with their clip (`stroke_*.csv`) are left out.
    A pattern that stands for nothing is an error.
    """
    from motionloom.io.formats import FORMATS
    from motionloom.io.sidecars.labels import labels_path

    known = {s for s, f in FORMATS.items() if f.read} if suffixes is None else {s.lower() for s in suffixes}
    out: dict[Path, None] = {}
    for pattern in patterns:
        path = Path(pattern)
        if path.is_dir():
            found = sorted(p for p in path.rglob("*") if _readable(p, known))
        elif path.is_file():
            found = [path]
        else:
            matches = sorted(Path(p) for p in glob(str(pattern), recursive=True))
            found = [p for p in matches if p.is_file()]
            found += [q for p in matches if p.is_dir() for q in sorted(p.rglob("*")) if _readable(q, known)]
        if not found:
            nothing = f"nothing matches {pattern}" if has_magic(str(pattern)) else f"no such file: {pattern}"
            raise FormatError(f"no clip in folder {path}" if path.is_dir() else nothing)
        out.update(dict.fromkeys(found))
    labels = {labels_path(p) for p in out}
    return [p for p in out if p not in labels]


def _readable(path: Path, known: set[str]) -> bool:
    from motionloom.io.strokes.csv import is_stroke

    suffix = path.suffix.lower()
    return suffix in known and path.is_file() and (suffix != ".csv" or is_stroke(path))
