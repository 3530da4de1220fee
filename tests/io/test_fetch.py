"""Fetching public data, tried on a server of our own: going on, checksums, licences, and no network."""

from __future__ import annotations

import errno
import io
import os
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from motionloom.core import BadRequest, FormatError
from motionloom.io import load, save
from motionloom.io.download.datasets import DATASETS, checksums
from motionloom.io.download.fetch import SUMS, Unreachable, _download, _unpack, fetch
from motionloom.kinematics.resample import crop
from motionloom.samples import make


class Server:
    """Files by path; counts requests, can cut answers short, and can refuse ranges."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.seen: list[tuple[str, str]] = []
        self.cut = 0  # bytes after which the next answers end
        self.cuts = 0  # how many answers are cut
        self.ranges = True
        self.status = 200
        self.elsewhere = ""  # an address that answers redirect to
        handler = type("Handler", (_Handler,), {"server_of": self})
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server_of: Any

    def do_GET(self) -> None:
        server, asked = self.server_of, self.headers.get("Range", "")
        server.seen.append((self.path, asked))
        body = server.files.get(self.path)
        if server.elsewhere:
            self.send_response(302)
            self.send_header("Location", server.elsewhere)
            self.end_headers()
            return
        if body is None or server.status != 200:
            self.send_error(404 if body is None else server.status)
            return
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and server.ranges else 0
        if start and start >= len(body):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        stop = len(body)
        if server.cuts:
            server.cuts -= 1
            stop = start + server.cut
        self.wfile.write(body[start:stop])

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@pytest.fixture
def server() -> Iterator[Server]:
    here = Server()
    yield here
    here.http.shutdown()
    here.http.server_close()


@pytest.fixture(scope="module")
def clip_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("made") / "walk.bvh"
    save(make("walk", seconds=1, fps=30), path)
    return path.read_bytes()


PATH = "/data/001/01_99.bvh"  # a name without a known checksum


def test_a_clip_is_fetched_with_its_licence_and_its_checksum_is_kept(server, clip_bytes, tmp_path):
    server.files[PATH] = clip_bytes
    (found,) = fetch("cmu", ["01_99"], tmp_path / "cmu", base=server.url)
    assert (found.fresh, found.checked) == (True, "first")
    assert found.path.read_bytes() == clip_bytes
    assert "01_99.bvh" in (tmp_path / "cmu" / SUMS).read_text()
    clip = load(found.path)
    assert clip.origin.licence == DATASETS["cmu"].licence
    assert "NSF EIA-0196217" in (tmp_path / "cmu" / "licence.txt").read_text()


def test_what_is_here_is_not_fetched_again_and_must_not_change(server, clip_bytes, tmp_path):
    server.files[PATH] = clip_bytes
    fetch("cmu", ["01_99"], tmp_path, base=server.url)
    (again,) = fetch("cmu", ["01_99"], tmp_path, base=server.url)
    assert (again.fresh, again.checked) == (False, "again")
    assert len(server.seen) == 1
    (tmp_path / "01_99.bvh").unlink()
    server.files[PATH] = clip_bytes + b"\n"
    with pytest.raises(FormatError, match=r"expected sha256 .*SHA256SUMS.*thrown away"):
        fetch("cmu", ["01_99"], tmp_path, base=server.url)
    assert not (tmp_path / "01_99.bvh").exists()


def test_a_wrong_file_under_a_known_checksum_is_thrown_away(server, clip_bytes, tmp_path):
    assert "cmu/16_15.bvh" in checksums()
    server.files["/data/016/16_15.bvh"] = clip_bytes
    with pytest.raises(FormatError, match="our list"):
        fetch("cmu", ["16_15"], tmp_path, base=server.url)
    assert not list(tmp_path.glob("*.part"))


def test_known_checksums_are_those_of_the_real_files(mocap, server, tmp_path):
    server.files["/data/016/16_15.bvh"] = (mocap / "cmu" / "16_15.bvh").read_bytes()
    (found,) = fetch("cmu", ["16_15"], tmp_path, base=server.url)
    assert found.checked == "known"


def test_a_broken_connection_is_gone_on_with(server, clip_bytes, tmp_path):
    server.files[PATH] = clip_bytes
    server.cut, server.cuts = 1000, 2
    fetch("cmu", ["01_99"], tmp_path, base=server.url, wait=0.01)
    assert (tmp_path / "01_99.bvh").read_bytes() == clip_bytes
    assert [asked for _, asked in server.seen] == ["", "bytes=1000-", "bytes=2000-"]


def test_a_later_call_goes_on_where_the_last_one_stopped(server, clip_bytes, tmp_path):
    server.files[PATH] = clip_bytes
    server.cut, server.cuts = 500, 4
    with pytest.raises(Unreachable, match="2000 bytes are here and will be resumed"):
        fetch("cmu", ["01_99"], tmp_path, base=server.url, wait=0.01)
    fetch("cmu", ["01_99"], tmp_path, base=server.url)
    assert server.seen[-1][1] == "bytes=2000-"
    assert (tmp_path / "01_99.bvh").read_bytes() == clip_bytes


def test_a_server_without_ranges_starts_over(server, clip_bytes, tmp_path):
    server.files[PATH] = clip_bytes
    server.ranges = False
    (tmp_path / "01_99.bvh.part").write_bytes(b"something old")
    fetch("cmu", ["01_99"], tmp_path, base=server.url)
    assert (tmp_path / "01_99.bvh").read_bytes() == clip_bytes


def test_an_archive_is_unpacked_beside_its_licence(server, clip_bytes, tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("100STYLE/Angry/Angry_FW.bvh", clip_bytes)
        archive.writestr("../../outside.bvh", clip_bytes)
        archive.writestr("readme.txt", "no clip")
    server.files["/100STYLE.zip"] = packed.getvalue()
    found = fetch("100style", folder=tmp_path / "in", base=server.url)
    assert sorted(f.path.name for f in found) == ["100STYLE.zip", "Angry_FW.bvh", "outside.bvh"]
    assert all(f.path.parent == tmp_path / "in" for f in found)
    assert load(tmp_path / "in" / "Angry_FW.bvh").origin.licence == "CC BY 4.0"
    assert not any(f.fresh for f in fetch("100style", folder=tmp_path / "in", base=server.url))


def _archive(clip_bytes, how=zipfile.ZIP_DEFLATED, name="a.bvh"):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", how) as archive:
        archive.writestr(name, clip_bytes)
    return packed.getvalue()


def _patched(data, at, value, size=2):
    return data[:at] + value.to_bytes(size, "little") + data[at + size :]


def _damaged_archives(clip_bytes):
    """Archives, each with the error of the library that it led to."""
    whole = _archive(clip_bytes)
    table = whole.index(b"PK\x01\x02")
    name = _archive(clip_bytes, name="\u00e9.bvh")  # in UTF-8
    yield "BadZipFile: no archive", b"PK\x03\x04 nothing"
    yield "NotImplementedError: version 9.9 of the format", _patched(whole, table + 6, 99)
    yield "ValueError: a name that is not UTF-8", name.replace("\u00e9".encode(), b"\xff\xff")
    yield "RuntimeError: encrypted", _patched(_patched(whole, table + 8, 1), 6, 1)
    yield "NotImplementedError: patched data", _patched(_patched(whole, table + 8, 1 << 5), 6, 1 << 5)
    yield "zlib.error: damaged", _patched(whole, 40, 0xFFFF)
    yield "EOFError: cut", _patched(_patched(whole, table + 20, 50, 4), 18, 50, 4)
    yield "BadZipFile: a wrong checksum", _patched(_archive(clip_bytes, zipfile.ZIP_STORED), 60, 0x2020)
    yield "another compression", _archive(clip_bytes, zipfile.ZIP_BZIP2)


@pytest.mark.parametrize("number", range(9))
def test_a_damaged_archive_is_a_format_error(server, clip_bytes, tmp_path, number):
    _, server.files["/100STYLE.zip"] = list(_damaged_archives(clip_bytes))[number]
    with pytest.raises(FormatError, match=r"not an archive that can be unpacked|other than deflate"):
        fetch("100style", folder=tmp_path, base=server.url)
    assert not list(tmp_path.glob("*.bvh"))


def test_a_full_disk_is_not_a_missing_network(server, clip_bytes, tmp_path, monkeypatch):
    def full(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    server.files[PATH] = clip_bytes
    server.files["/100STYLE.zip"] = _archive(clip_bytes)
    fetch("100style", folder=tmp_path, base=server.url)
    (tmp_path / "a.bvh").unlink()
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(FormatError, match=r"a\.bvh: cannot be written: No space left"):
        _unpack(tmp_path / "100STYLE.zip", tmp_path)
    (tmp_path / "licence.txt").unlink()
    with pytest.raises(FormatError, match="cannot be written: No space left"):
        _download(f"{server.url}{PATH}", tmp_path / "01_99.bvh.part", None, 0.0)
    assert len(server.seen) == 2  # a second request would not help


def test_without_a_network_it_says_so(tmp_path):
    with pytest.raises(Unreachable, match=r"cannot reach http://127.0.0.1:9/.* Is there a network\?"):
        fetch("cmu", ["01_99"], tmp_path, base="http://127.0.0.1:9", wait=0.0)


def test_a_missing_file_is_told_at_once(server, tmp_path):
    with pytest.raises(Unreachable, match="404"):
        fetch("cmu", ["01_98"], tmp_path, base=server.url)
    assert len(server.seen) == 1


@pytest.mark.parametrize("address", ["ftp://127.0.0.1:9/a", "file:///etc/passwd", "data:,x"])
def test_a_redirect_leads_to_http_and_https_only(server, clip_bytes, tmp_path, address, monkeypatch):
    def connect(*_: Any, **__: Any) -> None:
        raise AssertionError("a connection by FTP")

    monkeypatch.setattr("urllib.request.ftpwrapper", connect)
    server.elsewhere = address
    with pytest.raises(Unreachable):
        fetch("cmu", ["16_15"], tmp_path, base=server.url, wait=0.0)


def test_a_partial_file_that_is_a_link_is_not_written_through(server, clip_bytes, tmp_path):
    server.files["/data/016/16_15.bvh"] = clip_bytes
    (tmp_path / "mine.txt").write_text("kept")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "16_15.bvh.part").symlink_to(tmp_path / "mine.txt")
    with pytest.raises(FormatError, match=r"16_15\.bvh\.part: a link"):
        fetch("cmu", ["16_15"], tmp_path / "data", base=server.url, wait=0.0)
    assert (tmp_path / "mine.txt").read_text() == "kept"


def test_names_that_cannot_be_are_refused_before_any_request(tmp_path):
    for name, clips, said in (
        ("nothing", [], "no data set"),
        ("cmu", ["../../etc/passwd"], "not a clip of cmu"),
        ("lafan1", ["walk"], "one archive"),
    ):
        with pytest.raises(BadRequest, match=said):
            fetch(name, clips, tmp_path / "x", base="http://127.0.0.1:9")
    assert not (tmp_path / "x").exists()


def test_the_licence_travels_with_a_clip_that_is_cut_and_saved(server, clip_bytes, tmp_path):
    server.files[PATH] = clip_bytes
    fetch("cmu", ["01_99"], tmp_path / "cmu", base=server.url)
    short: Any = crop(load(tmp_path / "cmu" / "01_99.bvh"), 0.0, 0.5)
    save(short, tmp_path / "mine" / "short.bvh")
    assert load(tmp_path / "mine" / "short.bvh").origin.licence == DATASETS["cmu"].licence
    own = make("walk", seconds=1, fps=30)
    save(own, tmp_path / "mine" / "short.bvh")  # another clip, without terms: the old file goes
    assert load(tmp_path / "mine" / "short.bvh").origin.licence == ""
    assert not Path(tmp_path / "mine" / "short.licence.txt").exists()
