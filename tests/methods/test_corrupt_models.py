"""A model file with any number out of range is rejected when it is read, before a kernel can use the number."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from motionloom.constraints import Request
from motionloom.core import FormatError
from motionloom.methods import METHODS, load_model, save_model, synthesize
from motionloom.methods.store import _checksum


def read(path):
    """The arrays and the description of a model file."""
    with safe_open(str(path), framework="numpy") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, json.loads(file.metadata()["motionloom"])  # noqa: SIM118


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
            assert ".origin." in name, f"{name} is used unchecked"
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
