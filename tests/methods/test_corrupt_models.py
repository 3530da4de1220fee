"""A model file with any number out of range is rejected when it is read, before a kernel can use the number."""

from __future__ import annotations

import base64
import dataclasses
import json
import zlib
from contextlib import suppress

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from motionloom.constraints import Request
from motionloom.core import FormatError, MotionloomError
from motionloom.methods import METHODS, learn, load_model, save_model, synthesize
from motionloom.methods.store import LARGEST_DESCRIPTION, _checksum, description_of, packed_model
from motionloom.samples import make


def read(path):
    """The arrays and the description of a model file."""
    with safe_open(str(path), framework="numpy") as file:
        head = json.loads(description_of(file.metadata()["motionloom"]))
        return {name: file.get_tensor(name) for name in file.keys()}, head  # noqa: SIM118


def write(path, tensors, head):
    """A model file whose checksum is right: the damage is in its numbers."""
    head = {k: v for k, v in head.items() if k != "checksum"}
    whole = {"checksum": _checksum(json.dumps(head), tensors)} | head
    save_file(tensors, str(path), metadata={"motionloom": json.dumps(whole)})


def damaged(array, seed):
    """The array with one number out of range: negative, far too large, or (of floats) not finite."""
    rng = np.random.default_rng(seed)
    out = array.copy().reshape(-1)
    at = int(rng.integers(out.size))
    if array.dtype.kind == "f":
        out[at] = [np.nan, np.inf][seed % 2]
    else:
        out[at] = [-1 if array.dtype.kind == "i" else np.iinfo(array.dtype).max, np.iinfo(array.dtype).max][seed % 2]
    return out.reshape(array.shape)


@pytest.mark.parametrize("method", METHODS)
def test_a_model_with_a_number_out_of_range_is_rejected_or_harmless(method, models, tmp_path):
    """Integers that pass are no indices (the -1 of "no source", frame numbers of the source files): nothing breaks."""
    path = tmp_path / "model.loom"
    save_model(models[method], path)
    tensors, head = read(path)
    rejected = tried = 0
    for name, array in tensors.items():
        if not array.size or array.dtype.kind == "b":
            continue
        for seed in range(2):
            write(path, tensors | {name: damaged(array, seed)}, head)
            tried += 1
            try:
                model = load_model(path)
            except FormatError:
                rejected += 1
                continue
            assert array.dtype.kind in "iu", f"{name} may hold NaN"
            assert ".origin." in name or ".sources." in name, f"{name} is used unchecked"
            assert len(synthesize(model, Request(seconds=2))) == round(2 * model.fps)
    assert rejected > tried / 2


@pytest.mark.parametrize("method", METHODS)
def test_a_model_with_an_array_of_another_shape_is_rejected(method, models, tmp_path):
    path = tmp_path / "model.loom"
    save_model(models[method], path)
    tensors, head = read(path)
    for name, array in tensors.items():
        if array.ndim == 0 or len(array) < 2:
            continue
        write(path, tensors | {name: array[:-1].copy()}, head)
        with pytest.raises(FormatError):
            load_model(path)


@pytest.mark.parametrize("method", METHODS)
def test_a_model_with_a_length_beyond_all_measure_is_rejected(method, models, tmp_path):
    """Speeds of 1e300 m overflow; a walk through `cuts` then drew from probabilities that were NaN."""
    path = tmp_path / "model.loom"
    save_model(models[method], path)
    tensors, head = read(path)
    lengths = [name for name in tensors if name.endswith((".root", ".offsets", ".slides"))]
    assert lengths or models[method].skeleton is None
    for name in lengths:
        array = tensors[name].copy()
        array.reshape(-1)[:1] = 1e300
        write(path, tensors | {name: array}, head)
        with pytest.raises(FormatError):
            load_model(path)


ROWS = r"space\.rows\.(paces|times): expected"
LARGE_NUMBERS = [  # of each, one is changed, or all of them
    ("parametric-graph", "nodes.0.space.rows.paces", 6e4, False, ROWS),  # took 4.9 GB and a minute
    ("parametric-graph", "nodes.0.space.rows.paces", 1e14, False, ROWS),  # asked for 85 PiB
    ("parametric-graph", "nodes.0.space.rows.paces", 1e-9, True, ROWS),  # a cycle of no length
    ("parametric-space", "space.rows.times", 1e6, False, ROWS),  # a frame that no example has
    ("parametric-space", "space.rows.times", -300.0, False, ROWS),
    ("multilinear", "grid.paces", 6e4, False, r"grid\.paces: expected"),
    ("verbs", "splines.gaps", 40.0, False, r"splines\.gaps: expected"),  # exp(40) s
    ("verbs", "splines.gaps", -40.0, True, r"splines\.gaps: expected"),
    ("textons", "textons.0.dynamics.a1", 1e14, True, r"dynamics\.a1: expected"),  # a singular matrix
    ("textons", "space.scale", 0.0, False, r"space\.scale: expected"),  # a division by zero
]


@pytest.mark.parametrize(("method", "name", "value", "every", "message"), LARGE_NUMBERS)
def test_a_finite_number_beyond_the_material_is_rejected(method, name, value, every, message, models, tmp_path):
    path = tmp_path / "model.loom"
    save_model(models[method], path)
    tensors, head = read(path)
    array = tensors[name].copy()
    array.reshape(-1)[slice(None) if every else array.size // 2] = value
    write(path, tensors | {name: array}, head)
    with pytest.raises(FormatError, match=message):
        load_model(path)


@pytest.mark.parametrize("method", METHODS)
def test_a_model_whose_joints_have_other_roles_is_rejected_or_harmless(method, models, tmp_path):
    """Textons counted the foot parts of the skeleton by their roles, and those of the file by its arrays."""
    path = tmp_path / "model.loom"
    save_model(models[method], path)
    tensors, head = read(path)
    if head["skeleton"] is None:
        return
    for role in ("hips", "spine", "left_hand", "right_foot", "right_toe"):
        changed = json.loads(json.dumps(head))
        roles = changed["skeleton"]["fields"]["roles"]["tuple"]
        roles[roles.index(role)] = ""
        write(path, tensors, changed)
        with suppress(MotionloomError):
            synthesize(load_model(path), Request(seconds=1))


def test_a_packed_description_far_larger_than_its_file_is_rejected(tmp_path):
    """A file of 324 KB took 6 GB."""
    packed = zlib.compress(b" " * (LARGEST_DESCRIPTION + 1), 9)
    path = tmp_path / "model.loom"
    save_file({}, str(path), metadata={"motionloom": base64.b64encode(packed).decode()})
    assert path.stat().st_size < LARGEST_DESCRIPTION / 500
    with pytest.raises(FormatError, match="its description cannot be read"):
        load_model(path)


def test_arrays_that_occur_again_and_again_are_rejected(models, tmp_path):
    """A few bytes name a clip once more, and every clip takes memory and time."""
    path = tmp_path / "model.loom"
    save_model(models["cuts"], path)
    tensors, head = read(path)
    clips = head["model"]["clips"]["tuple"]
    head["model"]["clips"]["tuple"] = [*clips, *[{"same": "clips.0"}] * 100_000]
    write(path, tensors, head)
    with pytest.raises(FormatError, match="arrays occur too often"):
        load_model(path)
    head["model"]["clips"]["tuple"] = clips
    clips[-1]["fields"]["root"] = {"tensor": "clips.0.root"}
    write(path, tensors, head)
    with pytest.raises(FormatError, match=r"clips.*root: expected its own array, found 'clips\.0\.root'"):
        load_model(path)


def test_dynamics_that_cannot_be_solved_are_an_error_of_the_model(models):
    model = models["textons"]
    texton = model.textons[0]
    scale = np.full(texton.dynamics.size, 1e4)
    scale[0] = 2e-12
    dynamics = dataclasses.replace(texton.dynamics, noise=np.diag(scale))
    damaged = dataclasses.replace(model, textons=(dataclasses.replace(texton, dynamics=dynamics), *model.textons[1:]))
    with pytest.raises(FormatError, match="can be solved"):
        synthesize(damaged, Request(seconds=2))


def test_models_inside_a_model_are_checked_with_it(models):
    graph = models["parametric-graph"]
    assert dataclasses.replace(graph, variation=packed_model(models["variation"])).variation is not None
    other = learn("variation", [make("stroke", seed=i) for i in range(3)])
    for name, inner, message in (
        ("gaze_map", np.arange(100, dtype=np.uint8), "gaze_map: .*not a model file"),
        ("gaze_map", packed_model(models["variation"]), "gaze_map: expected a model of gaze, found one of variation"),
        ("variation", packed_model(graph), "expected a model of variation, found one of parametric-graph"),
        ("variation", packed_model(other), "joints of this graph"),
    ):
        with pytest.raises(FormatError, match=message):
            dataclasses.replace(graph, **{name: inner})
