"""SHA-256 of files and clips, by which recipes identify their inputs."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from motionloom.core import Clip, FormatError, Markers
from motionloom.core.files import open_regular

MIN_THREADED_BYTES = 1 << 18  # bytes: smaller files are not worth a thread


def file_sha256(path: str | Path) -> str:
    """The SHA-256 of a file's bytes."""
    try:
        with open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path=path) from None


def start_sha256(path: str | Path) -> Callable[[], str]:
    """Start to hash a file while it is parsed; calling the result waits for the SHA-256."""
    path = Path(path)
    if not path.is_file() or path.stat().st_size < MIN_THREADED_BYTES:
        return lambda: file_sha256(path)
    found: list[str | FormatError] = []

    def work() -> None:
        try:
            found.append(file_sha256(path))
        except FormatError as error:
            found.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()

    def finish() -> str:
        thread.join()
        if isinstance(found[0], FormatError):
            raise found[0]
        return found[0]

    return finish


def clip_sha256(clip: Clip | Markers) -> str:
    """The SHA-256 of a clip (names, parents, offsets, frame rate, root, rotations, slides, labels) or of markers."""
    if isinstance(clip, Markers):
        head = "\n".join((*clip.names, repr(clip.fps))).encode()
        return hashlib.sha256(head + np.ascontiguousarray(clip.positions).tobytes()).hexdigest()
    digest = hashlib.sha256("\n".join((*clip.skeleton.names, *clip.label_names, repr(clip.fps))).encode())
    for array in (clip.skeleton.parents, clip.skeleton.offsets, clip.root, clip.rotations, clip.slides, clip.labels):
        digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
