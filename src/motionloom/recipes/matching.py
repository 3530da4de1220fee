"""Folders of clips with their match web: built once, stored, queried by file and frames, with the user's decisions."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from motionloom.analysis.match_web import WINDOW, Match, MatchWeb, build_web, find_matches
from motionloom.core import BadRequest, Clip, FloatArray, FormatError, IntArray, Progress
from motionloom.core.files import read_regular
from motionloom.core.text import is_unicode, read_json
from motionloom.io import Reading, load
from motionloom.io.arrays.npz_data import Arrays
from motionloom.io.atomic_files import finish_interrupted, write_whole
from motionloom.io.digest import file_sha256
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import DEFAULT
from motionloom.recipes.recorded_edits import trim

VERSION = 2


@dataclass(frozen=True, eq=False)
class Library:
    """The clips of a folder, and their web."""

    web: MatchWeb
    files: tuple[str, ...]  # paths below the folder
    digests: tuple[str, ...]  # sha256 of the files
    rates: FloatArray  # (N,) frames per second of the files
    first: IntArray  # (N,) frame of the file that is frame 0 of the clip: 1 where a T-pose was dropped
    reading: tuple[str, ...] = ()  # how the files were read, where it differs from the defaults: `fps=60.0`


class FileSpan(NamedTuple):
    """A stretch of a file."""

    clip: int
    first: int  # frame of the file
    last: int


def build_library(
    paths: Sequence[Path],
    clips: Sequence[Clip],
    folder: Path,
    *,
    threshold: float,
    window: float = WINDOW,
    joints: Sequence[str] = ("all",),
    fps: float | None = 30.0,
    reading: Reading = DEFAULT,
    progress: Progress | None = None,
) -> Library:
    """The web of clips that were read, as `reading` states, from files below a folder."""
    web = build_web(clips, fps=fps, threshold=threshold, window=window, joints=joints, progress=progress)
    files = tuple(path.absolute().relative_to(folder.absolute()).as_posix() for path in paths)  # links are not followed
    first = [int(clip.origin.main()[1][0]) for clip in clips]
    rates = np.array([clip.fps for clip in clips])
    return Library(web, files, digests_of(paths), rates, np.array(first, np.int64), _changes(reading))


def _changes(reading: Reading) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in sorted(reading.changes().items()))


def digests_of(paths: Sequence[Path]) -> tuple[str, ...]:
    """sha256 of each file."""
    return tuple(file_sha256(path) for path in paths)


def load_current(
    stored: Path,
    folder: Path,
    clips: Sequence[Path],
    *,
    threshold: float,
    window: float,
    joints: Sequence[str],
    reading: Reading = DEFAULT,
) -> Library | None:
    """The stored library of a folder, or None if it must be built (again).

    That is so where nothing is stored, where clips were added, or where clips or settings have changed, also those by
    which clips are read.
    """
    if not stored.exists():
        return None
    library = load_library(stored)
    paths = [folder / name for name in library.files]
    present = {path.resolve() for path in clips}
    settings = (library.web.threshold, library.web.window, library.web.joints, library.reading)
    same = settings == (threshold, window, tuple(joints), _changes(reading)) and present == {
        path.resolve() for path in paths
    }
    if not same or digests_of(paths) != library.digests:  # links that lead elsewhere are not read
        return None
    return library


def span_clip(
    library: Library, span: FileSpan, folder: Path, reading: Reading = DEFAULT, *, margin: float = 0.0
) -> Clip:
    """The clip of a stretch, with up to `margin` seconds before and after it, and with its recipe."""
    clip = load(folder / library.files[span.clip], reading)
    begin = span.first - int(library.first[span.clip])
    rate, more = clip.fps, round(margin * clip.fps)
    end = begin + span.last - span.first + 1
    return trim(clip, start=max(0, begin - more) / rate, end=min(end + more, len(clip)) / rate)


def save_library(library: Library, path: str | Path) -> None:
    """Write a library into one file."""
    web = library.web
    arrays: dict[str, Any] = {
        name: getattr(web, name)
        for name in (
            "names",
            "lengths",
            "fps",
            "threshold",
            "pairs",
            "ends",
            "cells",
            "values",
            "skipped",
            "window",
            "joints",
        )
    }
    arrays |= {name: getattr(library, name) for name in ("files", "digests", "rates", "first", "reading")}
    held = io.BytesIO()
    np.savez_compressed(held, version=VERSION, **arrays)
    write_whole(path, [held.getvalue()])


def load_library(path: str | Path) -> Library:
    """Read what `save_library` wrote; `FormatError` if it is not whole."""
    name = Path(path).name
    finish_interrupted(path)
    try:
        held = Arrays(path, Notes(str(path)))
        if held.numbers("version").item() != VERSION:
            raise FormatError(f"{name}: a match web of another version; delete it, and it is built again")
        texts = {key: _texts(held[key]) for key in ("names", "files", "digests", "joints")}
        if any(PurePosixPath(file).is_absolute() or ".." in PurePosixPath(file).parts for file in texts["files"]):
            raise FormatError("it names files outside of its folder")
        whole = {key: held.numbers(key).astype(np.int64) for key in ("lengths", "pairs", "ends", "cells", "first")}
        fps, threshold, skipped, window = (held.numbers(k).item() for k in ("fps", "threshold", "skipped", "window"))
        web = MatchWeb(
            texts["names"], whole["lengths"], fps, threshold, whole["pairs"], whole["ends"], whole["cells"],
            held.numbers("values"), int(skipped), float(window), texts["joints"],
        )  # fmt: skip
        reading = _texts(held["reading"]) if "reading" in held and len(held["reading"]) else ()
        library = Library(web, texts["files"], texts["digests"], held.numbers("rates"), whole["first"], reading)
    except (ValueError, TypeError, FormatError) as error:
        raise FormatError(f"{name}: not a match web: {error}") from None
    _check(library, name)
    return library


def _texts(array: Any) -> tuple[str, ...]:
    texts = tuple(map(str, array)) if array.ndim == 1 and array.dtype.kind == "U" else ("\0",)
    if not all(is_unicode(text) and "\0" not in text for text in texts):
        raise ValueError("expected a list of names")
    return texts


def _check(library: Library, name: str) -> None:
    web, count = library.web, len(library.files)
    for array in (web.lengths, web.ends, web.values, library.rates, library.first):
        if array.ndim != 1:
            raise FormatError(f"{name}: not a match web: its arrays do not fit together")
    sizes = {len(web.names), len(web.lengths), len(library.digests), len(library.rates), len(library.first)}
    if sizes != {count} or web.pairs.shape != (len(web.ends), 2) or web.cells.shape != (len(web.values), 2):
        raise FormatError(f"{name}: not a match web: its arrays do not fit together")
    rates = np.append(library.rates, web.fps)
    positive = (web.lengths > 0).all() and (library.first >= 0).all() and ((rates > 0.01) & (rates < 1e5)).all()
    steps = np.diff(np.concatenate([[0], web.ends]))
    whole = len(web.ends) == 0 or (steps.min() > 0 and web.ends[-1] == len(web.cells))
    if not whole or not positive:
        raise FormatError(f"{name}: not a match web: its paths are broken")
    if len(web.ends):
        if web.pairs.min() < 0 or web.pairs.max() >= count:
            raise FormatError(f"{name}: not a match web: a path between clips that are not there")
        most = web.lengths[np.repeat(web.pairs, steps, axis=0)]
        if (web.cells < 0).any() or (web.cells >= most).any():
            raise FormatError(f"{name}: not a match web: a path leaves its clips")


def query_span(library: Library, text: str, folder: Path) -> FileSpan:
    """The clip and the frames of a query: `walk.bvh`, or `walk.bvh#120-190` in frames of the file."""
    file, _, frames = text.partition("#")
    names = {name: k for k, name in enumerate(library.files)}
    given = Path(file)
    k = names.get(given.as_posix())
    if k is None:
        wanted = given.resolve()
        k = next((k for name, k in names.items() if (folder / name).resolve() == wanted), None)
    if k is None:
        raise BadRequest(f"query: {file[:80]} is not one of the {len(names)} clips in {folder}")
    scale = library.rates[k] / library.web.fps
    end = int(library.first[k] + round((library.web.lengths[k] - 1) * scale))
    if not frames:
        return FileSpan(k, int(library.first[k]), end)
    try:
        first, last = (int(part) for part in frames.split("-"))
    except ValueError:
        raise BadRequest(f"query: expected frames as walk.bvh#120-190, found {text[:80]!r}") from None
    if not 0 <= first < last <= end:
        raise BadRequest(f"query: expected frames from 0 to {end}, the first before the last, found {frames[:40]}")
    return FileSpan(k, first, last)


def find_spans(
    library: Library,
    query: FileSpan,
    *,
    rounds: int,
    support: int = 1,
    rejected: Sequence[FileSpan] = (),
    progress: Progress | None = None,
) -> list[tuple[FileSpan, Match]]:
    """The stretches like a query, in frames of their files, ranked; see `find_matches`."""
    found = find_matches(
        library.web, *_in_web(library, query), rounds=rounds, support=support,
        rejected=[_in_web(library, s) for s in rejected], progress=progress,
    )  # fmt: skip
    return [(_in_file(library, match), match) for match in found]


def _in_web(library: Library, span: FileSpan) -> tuple[int, int, int]:
    k, scale = span.clip, library.web.fps / library.rates[span.clip]
    first, last = (max(0, round((f - int(library.first[k])) * scale)) for f in (span.first, span.last))
    return k, first, last


def _in_file(library: Library, match: Match) -> FileSpan:
    scale, start = library.rates[match.clip] / library.web.fps, int(library.first[match.clip])
    return FileSpan(match.clip, start + round(match.first * scale), start + round(match.last * scale))


def span_name(library: Library, span: FileSpan) -> str:
    """`walk.bvh#120-190`."""
    return f"{library.files[span.clip]}#{span.first}-{span.last}"


def load_decisions(path: Path) -> dict[str, dict[str, bool]]:
    """What the user decided: for each query, by stretch, whether it is a match."""
    if not path.exists():
        return {}
    try:
        found = read_json(read_regular(path))
        if not all(isinstance(yes, bool) for rows in found.values() for yes in rows.values()):
            raise ValueError("expected true or false for every match")
        return {str(query): dict(rows) for query, rows in found.items()}
    except (ValueError, AttributeError, OSError) as error:
        raise FormatError(f"{path.name}: not a file of decisions: {str(error)[:200]}") from None


def save_decisions(decisions: Mapping[str, Mapping[str, bool]], path: Path) -> None:
    """Write decisions as JSON."""
    write_whole(path, [json.dumps(decisions, indent=1, sort_keys=True).encode()])


def rejected_spans(library: Library, rows: Mapping[str, bool], folder: Path) -> list[FileSpan]:
    """The stretches that the user declined."""
    return [query_span(library, str(folder / name), folder) for name, yes in rows.items() if not yes]
