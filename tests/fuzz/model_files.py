"""Models of every method, learned once and kept, and requests for them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from mutations import damaged_bytes, damaged_model, model_parts

from motionloom.constraints import Request
from motionloom.control import record
from motionloom.core import Clip, FormatError, MotionloomError
from motionloom.core.files import Files
from motionloom.core.poses import commands
from motionloom.io import load
from motionloom.kinematics import fk
from motionloom.methods import METHODS, attempt, learn, load_model, problems, save_model, synthesize
from motionloom.methods.space.model import SpaceModel
from motionloom.samples import make
from motionloom.samples.gaze_takes import make_take

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from learning_inputs import SPECIAL

FOLDER: list[Path] = []  # where models are kept from run to run; set by the worker
_MODELS: dict[str, Any] = {}


def _inputs(method: str) -> list[Any]:
    if METHODS[method].learns_from_any_clips:
        return [make("walk", seed=s, speed=1.3 + 0.1 * s, turn=0.3 * s, seconds=4, fps=30) for s in range(3)]
    return [make_take(target, fps=30.0).markers for target in ((-1.2, 0.0), (1.2, 0.0), (0.4, 0.2))]


def _path(method: str) -> Path:
    path = FOLDER[0] / f"{method}.loom"
    with suppress(FormatError):  # there is none, or an earlier version wrote it
        if path.exists():
            load_model(path)
            return path
    save_model(SPECIAL[method](model) if method in SPECIAL else learn(method, _inputs(method)), path)
    return path


def model(method: str) -> Any:
    """A model of this method."""
    if method not in _MODELS:
        _MODELS[method] = load_model(_path(method))
    return _MODELS[method]


def synthesized(method: str) -> Clip:
    return synthesize(model(method), Request(seconds=1))


def model_bytes(method: str) -> Callable[[Path], bytes]:
    return lambda folder: _path(method).read_bytes()


def damage(data: bytes, rng: np.random.Generator) -> bytes:
    if rng.random() < 0.02:
        return damaged_bytes(data, rng)
    return damaged_model(*_parts(data), rng)


_PARTS: dict[int, tuple[Any, Any]] = {}


def _parts(data: bytes) -> tuple[Any, Any]:
    """The arrays and the description of a valid model, which is the same for many cases."""
    if id(data) not in _PARTS:
        _PARTS.clear()
        _PARTS[id(data)] = model_parts(data)
    return _PARTS[id(data)]


def run_model(folder: Path) -> Any:
    """Read a model; if that succeeds, make a clip with it, and let live characters walk."""
    found = load_model(folder / "x.loom")
    cyclic = not isinstance(found, SpaceModel) or found.space.rows.cyclic
    clip = synthesize(found, Request(seconds=1) if cyclic else Request())
    assert np.isfinite(fk(clip[:2])).all()
    live = getattr(found, "live", None)
    if live is not None:
        state = live.begin(np.arange(3))
        walking = {"heading": np.array([0.5]), "speed": np.array([1.2])}
        wanted = commands(**{name: value for name, value in walking.items() if name in live.accepts})
        steps = []
        for _ in range(20):
            state, poses = live.step(state, wanted, 1 / 30)
            steps.append((state, poses))
        assert np.isfinite(poses.rotations).all()
        live.status(state)
        assert live.sources(state).which.shape[0] == 3
        assert len(record(live, steps, 30)) == len(steps)
    return clip


LINES = """pose_at: {time: 0.4, pose: x.bvh#2, joints: [LeftUpLeg], weight: 1}
position_at: {joint: left_foot, time: 0.5, target: [0.2, 0.1, 0.6], weight: 1}
plant: {joint: left_foot, span: [0.2, 0.4], weight: 1}
root_at: {time: 0.8, position: [0.1, 1], height: 0.9, heading: 20deg, weight: 1}
root_path: {points: [[0, 0], [0.1, 1], [1, 3]], tolerance: 90cm, weight: 1}
reach: {position: [0.3, 1], heading: 20deg, by: 0.9, weight: 1}
style: {label: walk, span: [0, 0.5], weight: 1}
parameters: {values: {turn: 20deg, speed: 1.4}, span: [0, 1]}
parameters: {values: {speed: 1.35}}
parameters: {values: {turn: 5deg}}
look_at: {path: [[0, 1, 1.6, 4], [1, 2, 1.6, 4]], weight: 1}
look_at: {yaw: 20deg, pitch: -5deg, span: [0.2, 0.8]}
avoid: {center: [3, 1], radius: 50cm, weight: 2}
pace: {speed: [1.2, 1.4], span: [0, 1], weight: 1}
style_along: {label: walk, stretch: [0.2, 1], weight: 1}
head_for: {heading: 10deg, span: [0, 0.5]}
act: {action: walk, span: [0, 0.5]}""".splitlines()


def request_text(method: str) -> Callable[[Path], bytes]:
    """A short request of all lines that this method accepts."""

    def make_bytes(folder: Path) -> bytes:
        head = "seconds: 1\nstart: {position: [0, 0], heading: 10deg}\noptions: {}\n"
        learned, lines = model(method), []
        for line in LINES:
            with suppress(MotionloomError):
                request = Request.from_yaml(f"{head}constraints: [{{{line}}}]", load, Files(folder))
                if not problems(learned, request):
                    lines.append(f"- {line}\n")
        return (head + ("constraints:\n" if lines else "") + "".join(lines)).encode()

    return make_bytes


def run_request(method: str) -> Callable[[Path], Any]:
    def run(folder: Path) -> Any:
        request = Request.from_file(folder / "x.yaml", load)
        if request.seconds is not None and request.seconds > 3:
            return None  # valid, and slow
        return attempt(model(method), request)

    return run
