"""Files that are replaced as a whole: one file, or a clip together with its side files.

New files are written into a staging folder, `.walk.bvh.saving` beside `walk.bvh`, and flushed to disk. A journal in
that folder then marks them as complete, and they are moved to their names. A process that is killed before the journal
exists leaves the old files unchanged; one that is killed later leaves the journal, and the next `load` or `save` of
the same file finishes the moves. So a mix of old and new files is never read.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from motionloom.core import FormatError
from motionloom.core.watched import pass_on_reports

STAGING = ".saving"  # suffix of staging folders
JOURNAL = "journal.json"  # in the staging folder: the files in it are complete
WAIT = 10.0  # seconds that a writer waits for another process that writes the same file
ABANDONED = 600.0  # seconds after which a staging folder is deleted on systems without file locks


def write_file(path: str | Path, parts: Iterable[Any]) -> None:
    """Write bytes in pieces and flush them to disk; for files in a staging folder."""
    with writing_errors(Path(path)), open(path, "wb") as file:
        for part in parts:
            file.write(part)
        file.flush()
        os.fsync(file.fileno())


def write_whole(path: str | Path, parts: Iterable[Any]) -> None:
    """Write bytes in pieces; the file appears under its name when it is complete. Missing folders are created."""
    with replacing(path) as staged:
        write_file(staged / Path(path).name, parts)


def check_place(path: str | Path) -> None:
    """`FormatError` if no file can be written here: it is a folder, or below a file."""
    path = Path(path)
    blocked = next((folder for folder in path.parents if folder.is_file()), None)
    if blocked is not None:
        raise FormatError(f"cannot be written: {blocked} is a file, not a folder", path=path)
    if path.is_dir():
        raise FormatError("cannot be written: it is a folder", path=path)


@contextmanager
def replacing(path: str | Path, beside: Iterable[str] = (), allowed: Iterable[str] = ()) -> Iterator[Path]:
    """Replace a file and the files named `beside` it, together or not at all.

    Yields an empty staging folder. The files that the block writes into it replace those of the same names beside
    `path`; files named in `beside` that the block does not write are deleted. If the block raises an error, nothing
    changes. `allowed` are the names that an earlier, interrupted replacement may have involved.
    """
    path = Path(path)
    check_place(path)
    with writing_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked_staging(path, allowed) as staged:
            yield staged
            pass_on_reports()
            removed = [name for name in beside if not (staged / name).exists() and os.path.lexists(path.parent / name)]
            if removed or len(os.listdir(staged)) > 1:
                _flush_folder(staged)
                write_file(staged / f"{JOURNAL}.part", [json.dumps({"remove": removed}).encode()])
                os.replace(staged / f"{JOURNAL}.part", staged / JOURNAL)
                _flush_folder(staged)
            _move(staged, path, removed)


def finish_interrupted(path: str | Path, allowed: Iterable[str] = ()) -> None:
    """Finish the replacement of a file that was interrupted after its new files were complete, if there was one.

    What an interrupted replacement left before that is deleted.
    `FormatError` if it involves names other than the file itself and those in `allowed`.
    """
    path = Path(path)
    staged = staging_folder(path)
    if not staged.is_dir() or staged.is_symlink():
        return
    if not (staged / JOURNAL).is_file():
        _remove_abandoned(staged)
        return
    names = {path.name, *allowed}
    try:
        with open(staged / JOURNAL, "rb") as file:
            listed = json.loads(file.read(1 << 16))["remove"]
        removed = [name for name in listed if name in names]
        unexpected = set(os.listdir(staged)) - names - {JOURNAL}
        if unexpected or len(removed) < len(listed):
            raise ValueError("it lists other files")
    except FileNotFoundError:
        return  # another process has just finished it
    except (OSError, ValueError, TypeError, KeyError) as error:
        why = f"the journal of an interrupted save is invalid ({error}): delete {staged.name}"
        raise FormatError(why, path=path) from None
    try:
        _move(staged, path, removed)
    except OSError as error:
        why = f"a save was interrupted and cannot be finished here: {error.strerror or error}"
        raise FormatError(why, path=path) from None


def staging_folder(path: Path) -> Path:
    """Where the new versions of a file and of the files beside it are collected."""
    return path.parent / f".{path.name}{STAGING}"


def is_staged(path: Path) -> bool:
    """Is this a file in a staging folder?"""
    return path.parent.name.startswith(".") and path.parent.name.endswith(STAGING)


def _move(staged: Path, path: Path, removed: Iterable[str]) -> None:
    """Move complete files to their names and delete others; the journal disappears last. Can be repeated."""
    names = sorted(name for name in os.listdir(staged) if name != JOURNAL)
    for name in names:
        with suppress(FileNotFoundError):  # moved by another process that finishes the same journal
            os.replace(staged / name, path.parent / name)
    for name in removed:
        (path.parent / name).unlink(missing_ok=True)
    _flush_folder(path.parent)
    (staged / JOURNAL).unlink(missing_ok=True)
    shutil.rmtree(staged, ignore_errors=True)


@contextmanager
def _locked_staging(path: Path, allowed: Iterable[str]) -> Iterator[Path]:
    """A new staging folder, deleted at the end; one that a killed process left behind is finished or deleted."""
    staged, deadline = staging_folder(path), time.monotonic() + WAIT
    unlock = None
    try:
        while unlock is None:
            try:
                os.mkdir(staged)
            except FileExistsError:
                finish_interrupted(path, allowed)
                if _remove_abandoned(staged):
                    continue
                if time.monotonic() > deadline:
                    raise FormatError("cannot be written: another process is writing it", path=path) from None
                time.sleep(0.02)
                continue
            unlock = _lock(staged)
        yield staged
    finally:
        if unlock is None:  # interrupted before it was locked
            _remove_abandoned(staged)
        else:
            shutil.rmtree(staged, ignore_errors=True)
            unlock()


def _remove_abandoned(staged: Path) -> bool:
    """Delete a staging folder that no process is using; whether it is gone."""
    unlock = _lock(staged)
    if unlock is None:
        return not staged.exists()
    shutil.rmtree(staged, ignore_errors=True)
    unlock()
    return True


def _lock(folder: Path) -> Callable[[], None] | None:
    """Lock a folder until the returned function is called or the process ends; None if it is locked or gone.

    On systems without file locks, a folder counts as locked until it is `ABANDONED` seconds old.
    """
    try:
        import fcntl
    except ImportError:
        return _age_lock(folder)
    try:
        number = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(number).st_ino == os.stat(folder).st_ino:  # not replaced in the meantime
            return lambda: os.close(number)
    except OSError:
        pass
    os.close(number)
    return None


def _age_lock(folder: Path) -> Callable[[], None] | None:
    try:
        age = time.time() - os.stat(folder).st_mtime
    except OSError:
        return None
    return (lambda: None) if age > ABANDONED or not os.listdir(folder) else None


def _flush_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, where the system can."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


@contextmanager
def writing_errors(path: Path) -> Iterator[None]:
    """`FormatError` for what the system reports while a file is written: a full disk, a read-only folder."""
    try:
        yield
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror or error}", path=path) from None
