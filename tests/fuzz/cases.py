"""What is fuzzed: valid files of every kind, and how each kind is read. Case n of a kind is always the same."""

from __future__ import annotations

import base64
import dataclasses
import io
import json
import struct
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from mutations import damaged_bytes, damaged_model, model_parts

from motionloom.constraints import Request
from motionloom.core import Clip, Markers, MotionloomError, UnsupportedConstraint, replace, with_labels
from motionloom.core.files import Files
from motionloom.core.poses import commands
from motionloom.io import load, load_many, load_markers, save
from motionloom.io.formats import save_markers
from motionloom.io.sidecars.origin import origin_text
from motionloom.kinematics import fk
from motionloom.methods import METHODS, learn, load_model, save_model, synthesize
from motionloom.methods.request_check import check_request
from motionloom.samples import make
from motionloom.samples.gaze_takes import make_take

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "io"))  # files made for the tests of readers
from c3d_files import c3d_bytes
from fbx_files import fbx_text

LONGEST = 3000  # characters of a message
FRAMES = 6  # of the small clips: damage to their structure is as likely as damage to their numbers


class Kind(NamedTuple):
    """A kind of input: the valid file, the other files that are needed with it, and how it is read."""

    name: str
    valid: Callable[[Path], bytes]  # makes the file; the folder already has the others
    read: Callable[[Path], Any]
    others: Callable[[Path], None] = lambda folder: None
    damage: Callable[[bytes, np.random.Generator], bytes] = damaged_bytes
    slow: bool = False  # a process is started for each: a hundredth of the cases


@cache
def small() -> Clip:
    clip = make("walk", seconds=1, fps=30)[:FRAMES]
    slides = np.zeros((FRAMES, len(clip.skeleton), 3))
    slides[:, 4, 0] = np.linspace(0, 0.1, FRAMES)
    return replace(with_labels(clip, {"step": np.arange(FRAMES) > 3}), slides=slides)


def _saved(name: str) -> Callable[[Path], bytes]:
    def make_bytes(folder: Path) -> bytes:
        path = folder / f"valid.{name}"
        save(replace(small(), slides=None) if name == "bvh" else small(), path)
        return path.read_bytes()

    return make_bytes


def _gltf(folder: Path) -> bytes:
    """A glTF of another program: JSON with its buffer inside."""
    glb = _saved("glb")(folder)
    size = struct.unpack_from("<I", glb, 12)[0]
    tree = json.loads(glb[20 : 20 + size])
    tree["asset"].pop("extras", None)
    tree["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(glb[28 + size :]).decode()
    return json.dumps(tree).encode()


def _npz(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def _smpl(folder: Path) -> bytes:
    poses = np.zeros((FRAMES, 72))
    poses[:, 0] = np.pi / 2
    return _npz(poses=poses, trans=np.ones((FRAMES, 3)), mocap_framerate=np.array(60.0))


def _stroke(folder: Path) -> bytes:
    return b"t,x,y\n" + b"".join(b"%.3f,%.4f,%.4f\n" % (k / 50, k / 100, (k % 7) / 50) for k in range(20))


def _markers() -> Markers:
    points = np.random.default_rng(1).normal(size=(FRAMES, 4, 3))
    points[2, 1] = np.nan
    return Markers(("a", "b", "c", "d"), points, 100.0)


def _marker_file(suffix: str) -> Callable[[Path], bytes]:
    def make_bytes(folder: Path) -> bytes:
        save_markers(_markers(), folder / f"valid{suffix}")
        return (folder / f"valid{suffix}").read_bytes()

    return make_bytes


def _c3d(folder: Path) -> bytes:
    points = np.random.default_rng(1).normal(size=(FRAMES, 4, 3))
    return c3d_bytes(points, parameters={"POINT:LABELS": ["a", "b", "c", "d"], "POINT:UNITS": ["mm"]})


def _mat(folder: Path) -> bytes:
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


def _fbx(folder: Path) -> bytes:
    bones = [("Hips", (0.0, 90.0, 0.0), (0.0, 0.0, 0.0)), ("Spine", (0.0, 20.0, 0.0), (0.0, 0.0, 10.0))]
    return fbx_text(bones, [0.0, 0.1, 0.2], {(0, "T"): [[0, 90, k] for k in range(3)]}).encode()


def _beside(folder: Path) -> None:
    """A clip for a side file to belong to."""
    if not (folder / "x.bvh").exists():
        save(replace(small(), slides=None, label_names=(), labels=None), folder / "x.bvh")


def _clip(name: str) -> Callable[[Path], Any]:
    def read(folder: Path) -> Any:
        clip = load(folder / name, strict=zlib.crc32((folder / name).read_bytes()) % 5 == 0)
        assert np.isfinite(fk(clip[:2])).all()
        return clip

    return read


def _origin(folder: Path) -> bytes:
    from hashlib import sha256

    clip = load(folder / "x.bvh")
    made = synthesized("cuts", folder)
    clip = replace(clip, origin=dataclasses.replace(made.origin[: len(clip)], made=made.origin.made))
    return origin_text(clip, sha256((folder / "x.bvh").read_bytes()).hexdigest(), {}).encode()


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


def _request_files(folder: Path) -> None:
    _beside(folder)
    (folder / "ground.csv").write_text("x,z,y\n0,0,0\n0,1,0\n1,0,0.1\n1,1,0.1\n")
    model(METHOD_OF_REQUESTS, folder)


METHOD_OF_REQUESTS = "hierarchical-graph"


def _request(folder: Path) -> Any:
    request = Request.from_file(folder / "x.yaml", load)
    with suppress(UnsupportedConstraint):  # no method honours all of them
        check_request(model(METHOD_OF_REQUESTS, folder), request)
    return request


def _heights(folder: Path) -> Any:
    return Request.from_yaml("{seconds: 1, ground: {heights: x.csv}}", None, Files(folder))


_MODELS: dict[str, Any] = {}


def _inputs(method: str) -> list[Any]:
    if METHODS[method].learns_from_any_clips:
        return [make("walk", seed=s, speed=1.3 + 0.1 * s, turn=0.3 * s, seconds=4, fps=30) for s in range(3)]
    return [make_take(target, fps=30.0).markers for target in ((-1.2, 0.0), (1.2, 0.0), (0.4, 0.2))]


def model(method: str, folder: Path) -> Any:
    """A model of this method, learned once into a file in the folder of all cases."""
    if method not in _MODELS:
        path = folder.parent / f"{method}.loom"
        if not path.exists():
            save_model(learn(method, _inputs(method)), path)
        _MODELS[method] = load_model(path)
    return _MODELS[method]


def synthesized(method: str, folder: Path) -> Clip:
    return synthesize(model(method, folder), Request(seconds=1))


def _model_bytes(method: str) -> Callable[[Path], bytes]:
    def make_bytes(folder: Path) -> bytes:
        model(method, folder)
        return (folder.parent / f"{method}.loom").read_bytes()

    return make_bytes


def _damaged_model(data: bytes, rng: np.random.Generator) -> bytes:
    if rng.random() < 0.02:
        return damaged_bytes(data, rng)
    return damaged_model(*model_parts(data), rng)


def _run_model(folder: Path) -> Any:
    """Read a model; if that succeeds, make a clip with it, and let live characters walk."""
    found = load_model(folder / "x.loom")
    clip = synthesize(found, Request(seconds=1))
    assert np.isfinite(fk(clip[:2])).all()
    live = getattr(found, "live", None)
    if live is not None:
        state = live.begin(np.arange(3))
        walking = {"heading": np.array([0.5]), "speed": np.array([1.2])}
        wanted = commands(**{name: value for name, value in walking.items() if name in live.accepts})
        for _ in range(20):
            state, poses = live.step(state, wanted, 1 / 30)
        assert np.isfinite(poses.rotations).all()
    return clip


KINDS: tuple[Kind, ...] = (
    Kind("x.bvh", _saved("bvh"), _clip("x.bvh")),
    Kind("x.glb", _saved("glb"), _clip("x.glb")),
    Kind("x.gltf", _gltf, _clip("x.gltf")),
    Kind("x.npz", _saved("npz"), _clip("x.npz")),
    Kind("s.npz", _smpl, _clip("s.npz")),
    Kind("x.amc", lambda _: AMC, _clip("x.amc"), lambda folder: (folder / "x.asf").write_bytes(ASF) and None),
    Kind("x.asf", lambda _: ASF, _clip("x.amc"), lambda folder: (folder / "x.amc").write_bytes(AMC) and None),
    Kind("x.csv", _stroke, _clip("x.csv")),
    Kind("m.csv", _marker_file(".csv"), lambda folder: load_markers(folder / "m.csv")),
    Kind("x.trc", _marker_file(".trc"), lambda folder: load_markers(folder / "x.trc")),
    Kind("x.c3d", _c3d, lambda folder: load_markers(folder / "x.c3d")),
    Kind("x.mat", _mat, lambda folder: load_many(folder / "x.mat")),
    Kind("x.fbx", _fbx, _clip("x.fbx"), slow=True),
    Kind("x.usda", _saved("usda"), _clip("x.usda"), slow=True),
    Kind("x.usdc", _saved("usdc"), _clip("x.usdc"), slow=True),
    Kind(
        "x.labels.csv", lambda _: b"start,end,label\n0,0.1,walk\n0.1,0.2,contact:left_heel\n", _clip("x.bvh"), _beside
    ),
    Kind("x.roles.toml", lambda _: b'[roles]\nhips = "Hips"\nleft_foot = "LeftFoot"\n', _clip("x.bvh"), _beside),
    Kind("x.licence.txt", lambda _: b"CC BY 4.0, by A. N. Other\n", _clip("x.bvh"), _beside),
    Kind("x.origin.json", _origin, _clip("x.bvh"), _beside),
    Kind("x.yaml", lambda _: REQUEST, _request, _request_files),
    Kind("ground/x.csv", lambda _: b"x,z,y\n0,0,0\n0,1,0\n1,0,0.1\n1,1,0.1\n", _heights),
    *(Kind(f"{m}/x.loom", _model_bytes(m), _run_model, damage=_damaged_model) for m in METHODS),
)
BY_NAME = {kind.name: kind for kind in KINDS}


def prepare(kind: Kind, top: Path) -> tuple[Path, bytes]:
    """The folder of a kind with its other files, and the valid bytes."""
    folder = top / kind.name.replace("/", "_").replace(".", "_")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / Path(kind.name).name).unlink(missing_ok=True)  # the last damaged file of an earlier run
    kind.others(folder)
    return folder, kind.valid(folder)


def run_case(kind: Kind, folder: Path, valid: bytes, number: int) -> bool:
    """Whether damaged file `number` could be read; anything but a `MotionloomError` is raised. Case -1 is valid."""
    rng = np.random.default_rng([zlib.crc32(kind.name.encode()), number + 1])
    (folder / Path(kind.name).name).write_bytes(valid if number < 0 else kind.damage(valid, rng))
    try:
        kind.read(folder)
    except MotionloomError as error:
        if number < 0:
            raise
        if len(str(error)) > LONGEST:
            raise ValueError(f"a message of {len(str(error))} characters") from error
        return False
    return True
