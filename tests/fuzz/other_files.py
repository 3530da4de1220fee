"""Valid files that are neither clips nor models: requests, side files, tables, archives, and how they are read."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import zipfile
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from clip_files import BVH, beside, small
from model_files import model, model_bytes, synthesized

from motionloom.cli.study_server import Study, serve
from motionloom.constraints import Request
from motionloom.control import stream_clip
from motionloom.core import UnsupportedConstraint, replace
from motionloom.core.files import Files
from motionloom.evaluate.compare.compare import read_contender
from motionloom.io import load, save
from motionloom.io.atomic_files import JOURNAL, finish_interrupted, staging_folder
from motionloom.io.download.fetch import _unpack
from motionloom.io.sidecars.origin import origin_path, origin_text
from motionloom.methods import load_model, synthesize
from motionloom.methods.request_check import check_request
from motionloom.methods.verbs.adverbs import adverb_table, key_table
from motionloom.recipes.matching import (
    build_library,
    find_spans,
    load_decisions,
    load_library,
    query_span,
    rejected_spans,
    save_library,
)
from motionloom.recipes.repeat import again
from motionloom.samples import make

REQUEST = b"""seconds: 2
fps: 30
start: {position: [0, 0], heading: 0deg}
options: {}
ground: {heights: ground.csv}
parameters: {speed: 1.4}
constraints:
- pose_at: {time: 0, pose: x.bvh#2, joints: [upper], weight: 3}
- pose_at: {time: 9f, rotations: {left_forearm: {order: zyx, angles: [0deg, 0deg, 90deg]}}}
- position_at: {joint: left_hand, time: 1, target: [0.4, 1.2, 0.6], tolerance: 2cm}
- plant: {joint: left_foot, span: [1.0, 1.6]}
- root_at: {time: 1, position: [2, 3], height: 0.9, heading: 90deg}
- root_path: {points: [[0, 0], [2, 1], [4, 0]], tolerance: 20cm, times: [0, 1, end]}
- reach: {position: [3, 2], heading: 180deg, by: 1.5, tolerance: 25cm, heading_tolerance: 15deg}
- style: {label: walk, span: [0, end-0.5], importance: 1, joints: [all]}
- parameters: {values: {speed: 1.4}, span: [0, 1]}
- look_at: {path: [[0, 1, 1.6, 4], [1, 2, 1.6, 4]]}
- avoid: {center: [1, 1], radius: 0.5}
- pace: {speed: [1.2, 1.4], span: [0, 1]}
- style_along: {label: walk, stretch: [8, 14]}
- pose_along: {clip: x.bvh, span: [0, 0.1], joints: [lower]}
"""
HEIGHTS = b"x,z,y\n0,0,0\n0,1,0\n1,0,0.1\n1,1,0.1\n"
GRAPH = b"""[nodes.walk]
clips = ["*.bvh"]
parameter = ["turn"]

[nodes.run]
samples = [{name = "run", turn = ["-60deg/s", "0deg/s"], seconds = 1}]

[[edges]]
from = "walk"
to = "run"
good = "12cm"

[settings]
samples = 300
"""
TRACKS = b"id,t,x,z\n0,0,0,0\n0,1,0.5,1.2\n1,0,2,0\n1,1,2.5,1.1\n"
ADVERBS = b"{x: {happy: 0.5, old: 1}}\n{x: [0.02, 0.05]}\n"
TARGETS = b"file,yaw,pitch,start,end\nlook_left.c3d,60,0,0.5,1.5\nlook_up.c3d,0,20,,\n"
MARKING = b'base = ["A"]\nlower_back = ["B"]\nupper_back = ["C"]\nneck_base = ["D"]\nhead = ["E", "F", "G"]\n'
RATINGS = b"participant,question,group,clip,rating\nann,natural,walk,a.bvh,7\nbob,natural,walk,a.bvh,\n"
CONTENDER = b"cuts: {shortest: 2s}\n"
SUMS = b"%s  a.bvh\n%s  b.bvh\n" % (b"0" * 64, b"1" * 64)


def origin(folder: Path) -> bytes:
    clip = load(folder / "x.bvh")
    made = synthesized("cuts")
    clip = replace(clip, origin=dataclasses.replace(made.origin[: len(clip)], made=made.origin.made))
    return origin_text(clip, sha256(BVH).hexdigest(), {}).encode()


def request_files(folder: Path) -> None:
    beside(folder)
    (folder / "ground.csv").write_bytes(HEIGHTS)


def read_request(folder: Path) -> Any:
    request = Request.from_file(folder / "x.yaml", load)
    with suppress(UnsupportedConstraint):  # no method honours all of them
        check_request(model("hierarchical-graph"), request)
    return request


def read_heights(folder: Path) -> Any:
    return Request.from_yaml("{seconds: 1, ground: {heights: x.csv}}", None, Files(folder))


def read_adverbs(folder: Path) -> Any:
    first, _, second = (folder / "x.yaml").read_bytes().decode(errors="replace").partition("\n")
    clip = load(folder / "x.bvh")
    return adverb_table(first, [clip]), key_table(second, [clip])


def read_method(folder: Path) -> Any:
    return read_contender((folder / "x.yaml").read_bytes().decode(errors="replace"))


@cache
def _walks() -> list[Any]:
    return [make("walk", seed=k, seconds=2, fps=30) for k in (0, 1)]


def web_files(folder: Path) -> None:
    for k in (0, 1):
        (folder / f"{k}.bvh").write_bytes(BVH)


def web(folder: Path) -> bytes:
    """The stored match web of two walks."""
    paths = [folder / "0.bvh", folder / "1.bvh"]
    save_library(build_library(paths, _walks(), folder, threshold=0.2), folder / "valid.npz")
    data = (folder / "valid.npz").read_bytes()
    with np.load(io.BytesIO(data)) as held:
        arrays = {name: held[name] for name in held.files}
    out = io.BytesIO()
    np.savez(out, **arrays)  # not compressed: damage reaches the numbers
    return out.getvalue()


def read_web(folder: Path) -> Any:
    library = load_library(folder / "x.npz")
    span = query_span(library, str(folder / library.files[0]), folder)
    return find_spans(library, span, rounds=2)


def read_decisions(folder: Path) -> Any:
    library = load_library(folder / "valid.npz")
    for rows in load_decisions(folder / "x.json").values():
        rejected_spans(library, rows, folder)


def decisions(folder: Path) -> bytes:
    web(folder)
    return json.dumps({"0.bvh#0-30": {"1.bvh#3-33": True, "1.bvh#20-50": False}}).encode()


def archive(folder: Path) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, how in (
            ("one.bvh", zipfile.ZIP_STORED),
            ("two.bvh", zipfile.ZIP_DEFLATED),
            ("x.txt", zipfile.ZIP_STORED),
        ):
            file.writestr(zipfile.ZipInfo(f"a/{name}"), BVH, how)
    return out.getvalue()


def read_archive(folder: Path) -> Any:
    out = folder / "out"
    found = _unpack(folder / "x.zip", out)
    assert all(one.path.resolve().parent == out.resolve() for one in found)
    for path in out.iterdir():
        path.unlink()


def journal(folder: Path) -> bytes:
    return json.dumps({"remove": ["x.labels.csv", "x.origin.json"]}).encode()


def read_journal(folder: Path) -> Any:
    staged = staging_folder(folder / "y.bvh")
    staged.mkdir(exist_ok=True)
    (folder / "keep.csv").write_bytes(b"kept")
    (staged / "y.bvh").write_bytes(BVH)
    (staged / JOURNAL).write_bytes((folder / "x.journal").read_bytes())
    try:
        finish_interrupted(folder / "y.bvh", ["x.labels.csv", "x.origin.json"])
    finally:
        assert (folder / "keep.csv").exists()


HTTP = (
    b"POST /begin HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nContent-Type: application/json\r\nContent-Length: 22\r\n\r\n"
    b'{"participant": "ann"}'
)


class Connection:
    """A connection in memory."""

    def __init__(self, data: bytes) -> None:
        self.data, self.answer = data, b""

    def makefile(self, mode: str, size: int) -> Any:
        return io.BytesIO(self.data)

    def sendall(self, data: bytes) -> None:
        self.answer += bytes(data)

    def settimeout(self, seconds: float) -> None:
        pass


@cache
def _server(folder: Path) -> tuple[Study, Any]:
    study = Study({"walk": _walks(), "again": _walks()}, "natural", folder / "ratings.csv", 0, 2)
    return study, serve(study, 0)


def read_http(folder: Path) -> Any:
    study, server = _server(folder)
    connection = Connection((folder / "x.http").read_bytes())
    server.RequestHandlerClass(connection, ("127.0.0.1", 1), server)
    study.sessions.clear()
    return connection.answer


SHORT = Request(seconds=1)
OBJECTS = b"name,x,y,z\nlamp,1.5,2,0\ndoor,-2,1.2,4\n"


def influence(folder: Path) -> bytes:
    """The table of all joints of a walk."""
    names = small().skeleton.names
    rows = [
        ",".join([name, *(f"{1 / (1 + abs(j - k)):.2f}" for k in range(len(names)))]) for j, name in enumerate(names)
    ]
    return "\n".join([",".join(["", *names]), *rows, ""]).encode()


def mask(folder: Path) -> bytes:
    """A performer as the light pixels of a picture."""
    from PIL import Image

    picture = Image.new("L", (24, 32))
    picture.paste(255, (8, 4, 16, 30))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def recipe(*, streamed: bool) -> Any:
    """The recipe of a clip of a model, which is beside it."""

    def make_bytes(folder: Path) -> bytes:
        (folder / "cuts.loom").write_bytes(model_bytes("motion-matching" if streamed else "cuts")(folder))
        learned = load_model(folder / "cuts.loom")
        save(stream_clip(learned, seconds=1.0) if streamed else synthesize(learned, SHORT), folder / "x.bvh")
        return origin_path(folder / "x.bvh").read_bytes()

    return make_bytes


def repeat_recipe(folder: Path) -> Any:
    text = (folder / "x.origin.json").read_bytes().decode(errors="replace")
    lengths = re.findall(r"(?:seconds|fps)\D{1,4}([\d.e+]+)", text)
    if any(float(n) > 100 for n in lengths if re.fullmatch(r"\d+(\.\d*)?(e\+?\d+)?", n)):
        return None  # valid, and slow
    return again(folder / "x.bvh", folder, folder / "again.npz")
