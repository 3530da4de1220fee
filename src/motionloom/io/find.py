"""Finding clips: the files that names, wildcards and folders match."""

from __future__ import annotations

from collections.abc import Iterable
from glob import glob, has_magic
from pathlib import Path

from motionloom.core import FormatError
from motionloom.io.atomic_files import is_staged
from motionloom.io.formats import FORMATS, holds_markers
from motionloom.io.sidecars.names import side_names
from motionloom.io.strokes.csv import is_stroke


def expand_paths(
    patterns: Iterable[str | Path], suffixes: Iterable[str] | None = None, *, markers: bool = False
) -> list[Path]:
    """The files that names, wildcards (`*.bvh`, `**/walk*.bvh`) and folders match, each once, in order.

    A folder is searched with its subfolders for files with one of the `suffixes` (by default all that can be read); a
    CSV file is included only if it contains a stroke. Labels that match together with their clip (`stroke_*.csv`) are
    left out. A pattern without a match is an error. With `markers`, files of markers are found in folders, too.
    """
    known = (
        {s for s, f in FORMATS.items() if f.read or (markers and f.read_markers)}
        if suffixes is None
        else {s.lower() for s in suffixes}
    )
    out: dict[Path, None] = {}
    for pattern in patterns:
        path = Path(pattern)
        if path.is_dir():
            found = sorted(p for p in path.rglob("*") if _readable(p, known, markers))
        elif path.is_file():
            found = [path]
        else:
            matches = sorted(Path(p) for p in glob(str(pattern), recursive=True))
            found = [p for p in matches if p.is_file()]
            found += [q for p in matches if p.is_dir() for q in sorted(p.rglob("*")) if _readable(q, known, markers)]
        if not found:
            nothing = f"nothing matches {pattern}" if has_magic(str(pattern)) else f"no such file: {pattern}"
            raise FormatError(f"no clip in folder {path}" if path.is_dir() else nothing)
        out.update(dict.fromkeys(found))
    beside = {p.parent / name for p in out for name in side_names(p)}
    return [p for p in out if p not in beside]


def _readable(path: Path, known: set[str], markers: bool) -> bool:
    suffix = path.suffix.lower()
    if suffix not in known or not path.is_file() or is_staged(path):
        return False
    return suffix != ".csv" or is_stroke(path) or (markers and holds_markers(path))
