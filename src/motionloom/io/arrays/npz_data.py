"""Arrays of an NPZ file, read without unpickling and with a limit on the unpacked size.

An NPZ file is a zip archive of NPY files. Sizes are taken from the archive's own directory (which the zip reader keeps
to) and compared with what the array's header promises, before anything is unpacked.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionloom.core.files import read_regular
from motionloom.io.reader_notes import Notes
from motionloom.io.sniff import what_is

MAX_MEMBERS = 10_000
MAX_BYTES = 8 << 30  # unpacked, of all arrays that are read
EARNEST = 64 << 20  # bytes that may be packed as tightly as they like
TIGHTEST = 100  # times smaller; motion packs to a half
KINDS = "fiubUS"


class Arrays:
    """The arrays of one file by name. Arrays are unpacked when they are read."""

    def __init__(self, path: str | Path, notes: Notes) -> None:
        self.notes = notes
        try:
            self._data = read_regular(path)
        except OSError as error:
            raise notes.error(f"cannot be read: {error.strerror or error}") from None
        what = what_is(self._data[:4096])
        if not self._data.startswith(b"PK"):
            raise notes.error(f"not an NPZ file: this is {what or 'something else'}")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(self._data))
            members = self._zip.infolist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError, UnicodeError) as error:
            raise notes.error(f"a broken archive: {error}") from None
        if len(members) > MAX_MEMBERS:
            raise notes.error(f"more than {MAX_MEMBERS} arrays")
        self._members = {m.filename.removesuffix(".npy"): m for m in members}
        self._unpacked = 0

    def __contains__(self, name: str) -> bool:
        return name in self._members

    @property
    def names(self) -> list[str]:
        return list(self._members)

    def first(self, *names: str) -> NDArray[Any] | None:
        """The first of these that the file has."""
        return next((self[name] for name in names if name in self), None)

    def __getitem__(self, name: str) -> NDArray[Any]:
        notes = self.notes
        if name not in self._members:
            raise notes.error(f"no array {name!r}; there are {', '.join(self.names)[:120]}")
        member = self._members[name]
        self._unpacked += member.file_size
        if member.file_size > EARNEST and member.file_size > TIGHTEST * max(member.compress_size, 1):
            raise notes.error(
                f"array {name!r} unpacks to {member.file_size >> 20} MB from {member.compress_size} bytes: refused"
            )
        if self._unpacked > MAX_BYTES:
            raise notes.error(f"unpacks to more than {MAX_BYTES >> 30} GB: refused")
        try:
            with self._zip.open(member) as file:
                head = io.BytesIO(file.read(1 << 16))
                shape, turned, dtype = _header(head)
                if dtype.hasobject or dtype.kind not in KINDS:
                    raise notes.error(f"array {name!r} holds Python objects (a pickle): never read")
                count = int(np.prod([int(n) for n in shape], dtype=object)) if shape else 1
                if count * dtype.itemsize != member.file_size - head.tell():
                    raise notes.error(f"array {name!r}: {shape} of {dtype} does not fit its {member.file_size} bytes")
                data = head.read() + file.read()
        except (
            zipfile.BadZipFile,
            zlib.error,
            ValueError,
            NotImplementedError,
            OSError,
            EOFError,
            RuntimeError,
        ) as error:
            raise notes.error(f"array {name!r} cannot be unpacked: {str(error)[:120]}") from None
        array: NDArray[Any] = np.frombuffer(data, dtype, count) if count else np.empty(0, dtype)
        return array.reshape(shape, order="F" if turned else "C")

    def numbers(self, name: str) -> NDArray[np.float64]:
        """An array of finite numbers."""
        return finite(self[name], name, self.notes)


def finite(array: NDArray[Any], name: str, notes: Notes) -> NDArray[np.float64]:
    """The array as finite floats of sensible size, or an error with its name."""
    if array.dtype.kind not in "fiub":
        raise notes.error(f"array {name!r}: expected numbers, found {array.dtype}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise notes.error(f"array {name!r} holds values that are not finite")
    out = np.ascontiguousarray(array, dtype=np.float64)
    if not (np.abs(out) < 1e9).all():
        raise notes.error(f"array {name!r} holds values beyond any place")
    return out


def _header(file: io.BytesIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and type that an NPY header states. The header is a literal, never code."""
    version = np.lib.format.read_magic(file)
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}.get(version)
    if read is None:
        raise ValueError(f"NPY version {version}")
    try:
        shape, turned, dtype = read(file, max_header_size=10_000)
    except (
        SyntaxError,
        TokenError,
        TypeError,
        KeyError,
        RecursionError,
        MemoryError,
        UnicodeError,
        IndexError,
    ) as error:
        raise ValueError(f"its header: {type(error).__name__}") from None
    if len(shape) > 8 or any(not 0 <= n < 1 << 40 for n in shape):
        raise ValueError(f"shape {shape}")
    return shape, turned, dtype


def npz_bytes(arrays: dict[str, Any]) -> bytes:
    """The bytes of an NPZ file, not packed: motion hardly packs, and this is read at once."""
    out = io.BytesIO()
    np.savez(out, allow_pickle=False, **arrays)
    return out.getvalue()
