"""Valid files of every reader of clips and markers, small, so that damage to their structure is likely."""

from __future__ import annotations

import base64
import io
import json
import os
import pickle
import struct
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from motionloom.core import Clip, FormatError, Markers, replace, with_labels
from motionloom.io import isolated_reading, save
from motionloom.io.formats import save_markers
from motionloom.samples import make

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "io"))  # files made for the tests of readers
from c3d_files import c3d_bytes
from fbx_files import fbx_text

FRAMES = 6
ISOLATED_LIMITS = (isolated_reading.SECONDS, isolated_reading.MEMORY)  # for a small file


@cache
def small() -> Clip:
    clip = make("walk", seconds=1, fps=30)[:FRAMES]
    slides = np.zeros((FRAMES, len(clip.skeleton), 3))
    slides[:, 4, 0] = np.linspace(0, 0.1, FRAMES)
    return replace(with_labels(clip, {"step": np.arange(FRAMES) > 3}), slides=slides)


def saved(name: str) -> Callable[[Path], bytes]:
    def make_bytes(folder: Path) -> bytes:
        path = folder / f"valid.{name}"
        save(replace(small(), slides=None) if name == "bvh" else small(), path)
        return path.read_bytes()

    return make_bytes


def gltf(folder: Path) -> bytes:
    """A glTF of another program: JSON with its buffer inside."""
    glb = saved("glb")(folder)
    size = struct.unpack_from("<I", glb, 12)[0]
    tree = json.loads(glb[20 : 20 + size])
    tree["asset"].pop("extras", None)
    tree["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(glb[28 + size :]).decode()
    return json.dumps(tree).encode()


def npz(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def smpl(folder: Path) -> bytes:
    poses = np.zeros((FRAMES, 72))
    poses[:, 0] = np.pi / 2
    return npz(poses=poses, trans=np.ones((FRAMES, 3)), mocap_framerate=np.array(60.0))


def stroke(folder: Path) -> bytes:
    return b"t,x,y\n" + b"".join(b"%.3f,%.4f,%.4f\n" % (k / 50, k / 100, (k % 7) / 50) for k in range(20))


def markers() -> Markers:
    points = np.random.default_rng(1).normal(size=(FRAMES, 4, 3))
    points[2, 1] = np.nan
    return Markers(("a", "b", "c", "d"), points, 100.0)


def marker_file(suffix: str) -> Callable[[Path], bytes]:
    def make_bytes(folder: Path) -> bytes:
        save_markers(markers(), folder / f"valid{suffix}")
        return (folder / f"valid{suffix}").read_bytes()

    return make_bytes


def c3d(machine: int, *, floats: bool = True) -> Callable[[Path], bytes]:
    def make_bytes(folder: Path) -> bytes:
        points = np.random.default_rng(1).normal(size=(FRAMES, 4, 3))
        given = {"POINT:LABELS": ["a", "b", "c", "d"], "POINT:UNITS": ["mm"]}
        return c3d_bytes(points, machine=machine, floats=floats, parameters=given, analog=2 * (not floats))

    return make_bytes


def mat(folder: Path) -> bytes:
    from scipy.io import savemat

    def cells(values: list[Any]) -> np.ndarray:
        out = np.empty((1, len(values)), object)
        out[0] = values
        return out

    lines = [np.stack([np.ones(8), np.zeros(8), np.linspace(0, 1, 8)]) for _ in range(2)]
    out = io.BytesIO()
    savemat(out, {"xtrain": cells(lines), "ytrain": np.array([[2, 1]], np.uint8), "key": cells(["a", "b"])})
    return out.getvalue()


ASF = b""":version 1.10
:name small
:units
  mass 1.0
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name thigh
    direction 0 -1 0
    length 7
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
    id 2
    name shin
    direction 0.3 -0.9 0
    length 7
    axis 0 0 20 XYZ
    dof rx
    limits (-10.0 170.0)
  end
:hierarchy
  begin
    root thigh
    thigh shin
  end
"""
AMC = b"#!OML:ASF\n:FULLY-SPECIFIED\n:DEGREES\n" + b"".join(
    b"%d\nroot %d 17 3 1 2 3\nthigh 4 5 6\nshin %d\n" % (k + 1, k, 10 * k) for k in range(FRAMES)
)


def fbx(folder: Path) -> bytes:
    bones = [("Hips", (0.0, 90.0, 0.0), (0.0, 0.0, 0.0)), ("Spine", (0.0, 20.0, 0.0), (0.0, 0.0, 10.0))]
    return fbx_text(bones, [0.0, 0.1, 0.2], {(0, "T"): [[0, 90, k] for k in range(3)]}).encode()


def in_forked_process(read: Callable[[Path], Any]) -> Callable[[Path], Any]:
    """Reads an FBX file in a copy of this process instead of a new one: hundred times as many cases in the same time.

    The limits, the library and what is made of its answer are the same; the kind `x.fbx` starts real processes.
    """

    def forked(task: Callable[..., Any], path: Path, *arguments: Any, modules: tuple[str, ...], **_: Any) -> Any:
        for module in modules:
            import_module(module)
        inward, outward = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(inward)
            try:
                answer = isolated_reading._limited(task, modules, *ISOLATED_LIMITS, str(path), *arguments)
            except Exception as error:
                answer = error
            with os.fdopen(outward, "wb") as file:
                pickle.dump(answer, file)
            os._exit(0)
        os.close(outward)
        with os.fdopen(inward, "rb") as file:
            data = file.read()
        if os.waitpid(child, 0)[1]:
            raise FormatError("the library failed", path=path)
        answer = pickle.loads(data)
        if isinstance(answer, MemoryError):
            raise FormatError("needs too much memory", path=path)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def run(folder: Path) -> Any:
        with patch("motionloom.io.fbx.read_in_own_process", forked):
            return read(folder)

    return run


BVH = b"""HIERARCHY
ROOT Hips
{
\tOFFSET 0 0 0
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT LeftUpLeg
\t{
\t\tOFFSET 9 -5 0
\t\tCHANNELS 3 Zrotation Xrotation Yrotation
\t\tJOINT LeftFoot
\t\t{
\t\t\tOFFSET 0 -80 0
\t\t\tCHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation
\t\t\tEnd Site
\t\t\t{
\t\t\t\tOFFSET 0 -5 12
\t\t\t}
\t\t}
\t}
}
MOTION
Frames: 4
Frame Time: 0.033333
""" + b"".join(b"0 90 %d 1 2 3 10 %d 0 0 -80 0 5 0 0\n" % (k, 3 * k) for k in range(4))


def beside(folder: Path) -> None:
    """A clip for a side file to belong to."""
    (folder / "x.bvh").write_bytes(BVH)
