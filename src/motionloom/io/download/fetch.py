"""Resumable, checksum-verified downloads of public motion data, with the licence beside it."""

from __future__ import annotations

import hashlib
import http.client
import os
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from motionloom.core import BadRequest, FormatError, MotionloomError
from motionloom.core.text import read_text
from motionloom.io.atomic_files import finish_interrupted, write_whole, writing_errors
from motionloom.io.download.datasets import DATASETS, Dataset, checksums
from motionloom.io.sidecars.licence import FOLDER

SUMS = "SHA256SUMS"
PIECE = 1 << 20
TRIES = 4
PATIENCE = 30.0  # s without a byte
UNPACKED = 8 << 30  # bytes that an archive may hold
LARGEST = 8 << 30  # bytes of one download
SCHEMES = ("https", "http")

Watch = Callable[[str, int, int], None]  # the file, bytes there, bytes in all (0: not known)


class Unreachable(MotionloomError):
    """An address that does not answer. Partial downloads are kept and resumed by the next call."""


class Fetched(NamedTuple):
    """One file that is here now."""

    path: Path
    fresh: bool  # fetched now, not found in place
    checked: str  # "known": a checksum from our list; "first": recorded just now; "again": as recorded before


def fetch(
    name: str,
    clips: Sequence[str] = (),
    folder: str | Path | None = None,
    *,
    base: str | None = None,
    watch: Watch | None = None,
    wait: float = 1.0,
) -> list[Fetched]:
    """Fetch clips of a data set (`DATASETS`) into a folder, by default one of its name; archives are unpacked there.

    Complete files with the right checksum are not fetched again; partial ones are resumed.
    Where no checksum is known, that of the first download is kept in SHA256SUMS beside the files, and later ones must
    agree (trust on first use). `licence.txt` states the licence, and `load` puts its first line into every clip. `base`
    is another address with the same files below it; `wait` seconds, doubled each time, pass between tries.
    """
    if name not in DATASETS:
        raise BadRequest(f"no data set {name!r}; there are {', '.join(DATASETS)}")
    data = DATASETS[name]
    if data.archive and clips:
        data.path_of(clips[0])
    paths = [data.archive] if data.archive else [data.path_of(clip) for clip in clips or data.starter]
    scheme = urllib.parse.urlsplit(base or data.base).scheme
    if scheme not in SCHEMES:
        raise BadRequest(f"expected an address that starts with https:// or http://, found {(base or '')[:80]!r}")
    target = Path(name if folder is None else folder)
    _say_terms(data, target)
    out = []
    for path in paths:
        at = target / PurePosixPath(path).name
        out.append(_one(f"{(base or data.base).rstrip('/')}/{path}", at, data, watch, wait))
        if data.archive:
            out += _unpack(at, target)
    return out


def _one(url: str, path: Path, data: Dataset, watch: Watch | None, wait: float) -> Fetched:
    """One file fetched, or found in place; its checksum compared."""
    known = checksums().get(f"{data.name}/{path.name}")
    kept = _sums(path.parent).get(path.name)
    wanted = known or kept
    if path.is_file() and wanted == _digest(path):
        return Fetched(path, False, "known" if known else "again")
    part = path.with_name(path.name + ".part")
    _download(url, part, watch, wait)
    found = _digest(part)
    if wanted is not None and found != wanted:
        part.unlink()
        where = "our list" if known else SUMS
        raise FormatError(f"expected sha256 {wanted} ({where}), found {found}: thrown away", path=path)
    with writing_errors(path):
        os.replace(part, path)
    _keep_sum(path, found)
    return Fetched(path, True, "known" if known else "again" if kept else "first")


class _Interrupted(Exception):
    """One request that failed; the next one may succeed."""


def _download(url: str, part: Path, watch: Watch | None, wait: float) -> None:
    """All bytes of an address into `part`, from where it ends; a few tries, each from where the last one stopped."""
    for turn in range(TRIES):
        try:
            _resume(url, part, watch)
            return
        except _Interrupted as error:
            why = str(error)
        if turn + 1 < TRIES:
            time.sleep(wait * 2**turn)
    there = part.stat().st_size if part.is_file() else 0
    rest = f"; {there} bytes are here and will be resumed by the next call" if there else ""
    raise Unreachable(f"cannot reach {url}: {why}. Is there a network?{rest}")


def _resume(url: str, part: Path, watch: Watch | None) -> None:
    """One request, for the bytes that are missing (RFC 9110, Range)."""
    if os.path.lexists(part) and (part.is_symlink() or not part.is_file()):
        raise FormatError("a link, or not a regular file: delete it", path=part)
    have = part.stat().st_size if part.is_file() else 0
    answer = _request(url, have)
    if answer is None:
        return
    with answer, writing_errors(part):
        if answer.status != 206:
            have = 0
        length = answer.headers.get("Content-Length", "")
        total = have + int(length) if length.isdigit() and len(length) < 19 else 0
        if total > LARGEST:
            raise FormatError(f"{total} bytes are more than the limit of {LARGEST >> 30} GB", path=part)
        part.parent.mkdir(parents=True, exist_ok=True)
        with open(part, "ab" if have else "wb") as file:
            for piece in _received(answer):
                have += len(piece)
                if have > LARGEST:
                    raise FormatError(f"larger than {LARGEST >> 30} GB: not downloaded further", path=part)
                file.write(piece)
                if watch is not None:
                    watch(part.name.removesuffix(".part"), have, total)
            file.flush()
            os.fsync(file.fileno())
        if total and have < total:
            raise _Interrupted(f"the connection ended after {have} of {total} bytes")


def _request(url: str, have: int) -> http.client.HTTPResponse | None:
    """The server's answer; None if nothing is missing."""
    request = urllib.request.Request(url, headers={"User-Agent": "motionloom"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        answer: http.client.HTTPResponse = _web().open(request, timeout=PATIENCE)
        return answer
    except urllib.error.HTTPError as error:
        if error.code == 416 and have:  # nothing is missing, or the file has changed: see its checksum
            return None
        why = f"the server answered {error.code} {error.reason}"
        if error.code < 500 and error.code != 429:
            raise Unreachable(f"{url}: {why}") from None
        raise _Interrupted(why) from None
    except (OSError, http.client.HTTPException) as error:  # no route, a timeout; an answer that is not HTTP
        raise _Interrupted(str(getattr(error, "reason", "") or error or type(error).__name__)) from None


@cache
def _web() -> urllib.request.OpenerDirector:
    """Opens http and https only, also when a server redirects to another address."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.UnknownHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPRedirectHandler,
        urllib.request.HTTPErrorProcessor,
    ):
        opener.add_handler(handler())
    return opener


def _received(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    """The body of an answer in pieces."""
    try:
        yield from _pieces(answer)
    except (OSError, http.client.HTTPException) as error:  # a reset or a timeout; IncompleteRead
        raise _Interrupted(str(error) or type(error).__name__) from None


def _pieces(source: IO[bytes] | http.client.HTTPResponse) -> Iterator[bytes]:
    while piece := source.read(PIECE):
        yield piece


def _unpack(archive: Path, folder: Path) -> list[Fetched]:
    """The BVH files of an archive, side by side in the folder; those of the right size are left as they are."""
    out = []
    with _opened(archive) as source:
        inside = [i for i in source.infolist() if i.filename.lower().endswith(".bvh") and not i.is_dir()]
        if sum(i.file_size for i in inside) > UNPACKED:
            raise FormatError(f"holds over {UNPACKED >> 30} GB", path=archive)
        names: set[str] = set()
        for info in inside:
            at = folder / PurePosixPath(info.filename.replace("\\", "/")).name
            if at.name.startswith("._"):  # what macOS puts beside files
                continue
            if at.name.lower() in names:
                raise FormatError(f"holds two files of the name {at.name!r}", path=archive)
            names.add(at.name.lower())
            fresh = not (at.is_file() and at.stat().st_size == info.file_size)
            if fresh:
                write_whole(at, _member(source, info, archive))
            out.append(Fetched(at, fresh, "known"))
    return out


def _opened(archive: Path) -> zipfile.ZipFile:
    # NotImplementedError: a member needs a later version of the format; ValueError: a table that begins before the
    # file, or a name that is not UTF-8; OSError: the file itself cannot be read
    try:
        return zipfile.ZipFile(archive)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise _not_unpacked(error, archive) from None


def _member(source: zipfile.ZipFile, info: zipfile.ZipInfo, archive: Path) -> Iterator[bytes]:
    """One file of an archive in pieces."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise FormatError(f"{info.filename!r} has a compression other than deflate", path=archive)
    # NotImplementedError: patched data; RuntimeError: encrypted; zlib.error, EOFError: damaged or cut data; ValueError:
    # the file begins before the archive
    try:
        with source.open(info) as file:
            yield from _pieces(file)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError, ValueError) as error:
        raise _not_unpacked(error, archive) from None


def _not_unpacked(error: Exception, archive: Path) -> FormatError:
    return FormatError(f"not an archive that can be unpacked: {error}", path=archive)


def _say_terms(data: Dataset, folder: Path) -> None:
    """The licence file of the folder; its first line is what clips carry."""
    lines = [data.licence, f"Credit: {data.credit}", f"From: {data.home}", f"What: {data.what}"]
    write_whole(folder / FOLDER, ["\n".join([*lines, ""]).encode()])


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sums(folder: Path) -> dict[str, str]:
    """Checksums that were kept in a folder, by file name."""
    finish_interrupted(folder / SUMS)
    try:
        rows = [line.split(maxsplit=1) for line in read_text(folder / SUMS).splitlines()]
    except FormatError:
        return {}
    return {row[1].strip(): row[0] for row in rows if len(row) == 2}


def _keep_sum(path: Path, digest: str) -> None:
    kept = _sums(path.parent) | {path.name: digest}
    lines = [f"{value}  {name}\n" for name, value in sorted(kept.items())]
    write_whole(path.parent / SUMS, ["".join(lines).encode()])
