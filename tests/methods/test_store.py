"""The model file: exact, safe, and clear about what is wrong with it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from motionloom.core import Clip, FloatArray, FormatError, Skeleton, replace, with_labels
from motionloom.core.origin import from_file
from motionloom.methods import Model, load_model, model_facts, save_model
from motionloom.methods.packing import Packer, Unpacker
from motionloom.methods.store import FORMAT, _checksum, description_of


class Pair(NamedTuple):
    name: str
    values: FloatArray


@dataclass(frozen=True, eq=False)
class Inner:
    scale: float
    matrix: FloatArray


@dataclass(frozen=True, eq=False)
class Outer:
    """One of everything that a model may hold."""

    skeleton: Skeleton
    clips: tuple[Clip, ...]
    pairs: tuple[Pair, ...]
    inner: Inner | None
    nothing: Inner | None
    table: dict[str, Inner]
    shape: tuple[int, str]
    numbers: list[float] = field(default_factory=list)


def round_trip(value, hint):
    packer = Packer()
    packed = json.loads(json.dumps(packer.pack(value, "x"), allow_nan=False))
    return Unpacker(dict(packer.tensors)).unpack(packed, hint, "x")


def test_everything_a_model_may_hold_comes_back_exactly(tiny, rng):
    labelled = with_labels(tiny, {"go": np.arange(10) > 4})
    origin = from_file("a.bvh", 10, unit=0.01, up="z", header={"bvh": {"channels": [["Xrotation"], []], "n": 1.5}})
    clip = replace(labelled, slides=rng.normal(size=(10, 3, 3)), origin=origin)
    shared = rng.normal(size=(3, 2))
    value = Outer(
        tiny.skeleton,
        (clip, clip[2:5]),
        (Pair("a", shared), Pair("b", np.zeros((0, 4)))),
        Inner(0.1 + 0.2, shared.astype(np.float32)),
        None,
        {"left": Inner(float("inf"), np.arange(6, dtype=np.int16).reshape(2, 3)), "right": Inner(-0.0, shared)},
        (3, "three"),
        [1.5, float("-inf")],
    )
    back = round_trip(value, Outer)
    assert back.clips[0].skeleton is back.skeleton  # told once, built once
    assert back.skeleton.names == tiny.skeleton.names
    assert back.skeleton.ends == tiny.skeleton.ends
    for a, b in zip(back.clips, value.clips, strict=True):
        assert np.array_equal(a.rotations, b.rotations)
        assert np.array_equal(a.slides, b.slides)
        assert np.array_equal(a.labels, b.labels)
        assert a.origin.spans() == b.origin.spans()
        assert dict(a.origin.header) == dict(b.origin.header)
        assert (a.origin.unit, a.origin.up) == (0.01, "z")
    assert back.pairs[0].name == "a"
    assert np.array_equal(back.pairs[0].values, shared)
    assert back.pairs[1].values.shape == (0, 4)
    assert back.inner.scale == 0.1 + 0.2
    assert back.inner.matrix.dtype == np.float32
    assert back.nothing is None
    assert back.table["left"].scale == float("inf")
    assert back.table["left"].matrix.dtype == np.int16
    assert back.shape == (3, "three")
    assert back.numbers == [1.5, float("-inf")]
    assert not back.inner.matrix.flags.writeable


@pytest.mark.parametrize("array", [np.arange(6.0).reshape(2, 3).T, np.arange(24.0).reshape(2, 3, 4)[:, [0, 2]] / 3])
def test_arrays_are_stored_whatever_their_order_in_memory(array, tmp_path):
    packer = Packer()
    packer.pack(array, "x")
    save_file(packer.tensors, tmp_path / "x.safetensors")
    np.testing.assert_array_equal(load_file(tmp_path / "x.safetensors")["x"], array)


@pytest.mark.parametrize("bad", [object(), {1: 2}, np.array(["text"]), {1, 2}, lambda: 0, b"bytes"])
def test_what_is_neither_array_number_nor_text_cannot_be_saved(bad):
    with pytest.raises(TypeError, match=r"^x"):
        Packer().pack(bad, "x")


@pytest.fixture
def saved(models, tmp_path):
    path = tmp_path / "model.loom"
    save_model(models["cuts"], path)
    return path


def rewritten(path, change):
    """The same file with its description changed."""
    tensors = load_file(path)
    head = json.loads(head_of(path))
    change(head)
    save_file(tensors, path, metadata={"motionloom": json.dumps(head)})


def head_of(path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    return description_of(json.loads(data[8 : 8 + size])["__metadata__"]["motionloom"])


def test_a_model_file_says_what_it_holds(saved, tiny_clips):
    facts = model_facts(saved)
    assert facts["format"] == FORMAT
    assert facts["method"] == "cuts"
    assert facts["fps"] == 30
    assert [s["frames"] for s in facts["sources"]] == [120, 120, 120]
    assert all(len(s["sha256"]) == 64 for s in facts["sources"])
    head = json.loads(head_of(saved))
    assert {"format", "method", "config", "fps", "skeleton", "sources"} <= set(head)


def test_later_formats_are_refused_clearly(saved):
    rewritten(saved, lambda head: head.update(format=FORMAT + 1))
    with pytest.raises(FormatError, match=r"written by a later motionloom \(format 4; this one reads up to 3"):
        load_model(saved)


def test_earlier_formats_are_refused_with_what_to_do(saved):
    rewritten(saved, lambda head: head.update(format=1))
    with pytest.raises(FormatError, match=r"an earlier motionloom \(format 1; this one reads 2 to 3\): learn it again"):
        load_model(saved)


def test_a_method_that_is_not_here_is_named(models, saved, monkeypatch):
    monkeypatch.setattr(type(models["cuts"]), "method", "razors")
    save_model(models["cuts"], saved)
    with pytest.raises(FormatError, match="unknown method 'razors'; known: cuts"):
        load_model(saved)


def test_a_changed_description_is_noticed(saved):
    rewritten(saved, lambda head: head["notes"].append("hello"))
    with pytest.raises(FormatError, match="damaged: its checksum does not match"):
        load_model(saved)


def test_any_flipped_byte_is_noticed_and_only_format_errors_come_out(saved, rng):
    data = bytearray(saved.read_bytes())
    for at in rng.integers(0, len(data), size=200):
        broken = bytearray(data)
        broken[at] ^= 1 << int(rng.integers(8))
        saved.write_bytes(broken)
        with pytest.raises(FormatError):
            load_model(saved)


def test_a_cut_off_file_is_refused(saved, rng):
    data = saved.read_bytes()
    for size in (0, 4, 8, 100, len(data) // 2, len(data) - 1):
        saved.write_bytes(data[:size])
        with pytest.raises(FormatError):
            load_model(saved)


def test_other_files_are_named_for_what_they_are(tmp_path):
    bvh = tmp_path / "walk.bvh"
    bvh.write_text("HIERARCHY\nROOT Hips\n{\n")
    with pytest.raises(FormatError, match="this is a BVH clip: learn from it first"):
        load_model(bvh)
    with pytest.raises(FormatError, match=r"gone.loom: cannot be read"):
        load_model(tmp_path / "gone.loom")
    foreign = tmp_path / "foreign.safetensors"
    save_file({"weights": np.zeros(3)}, foreign)
    with pytest.raises(FormatError, match="a safetensors file, but not a motionloom model"):
        load_model(foreign)


def test_a_file_cannot_make_us_build_anything_but_the_model(saved):
    tensors = load_file(saved)
    head = json.loads(head_of(saved))
    head["model"]["clips"] = {"fields": {"args": "rm"}}

    head.pop("checksum")
    head = {"checksum": _checksum(json.dumps(head), tensors)} | head
    save_file(tensors, saved, metadata={"motionloom": json.dumps(head)})
    with pytest.raises(FormatError):
        load_model(saved)


def test_a_model_cannot_be_written_to(models):
    model = models["cuts"]
    with pytest.raises(ValueError, match="read-only"):
        model.cuts.seam[0] = 0
    with pytest.raises(AttributeError):
        model.fps = 60


@pytest.mark.parametrize("value", [{"tuple": {"tuple": []}}, {"tuple": ["speed"]}, {"float": "1"}, None, "x"])
def test_a_value_of_another_type_than_its_field_is_a_format_error(value):
    """A list of measured parameters that is something else reached the check of requests."""
    hint = Unpacker.hints(Model)["measured"]
    with pytest.raises(FormatError, match="measured"):
        Unpacker({}).unpack(value, hint, "measured")


def test_a_large_description_is_written_plain_because_packed_ones_are_limited(saved, monkeypatch):
    model = load_model(saved)
    monkeypatch.setattr("motionloom.methods.store.LARGEST_DESCRIPTION", 1000)
    save_model(model, saved)
    assert b'\\"format\\":3' in saved.read_bytes()
    assert load_model(saved).sources == model.sources


def test_files_of_format_2_are_read(saved, models):
    rewritten(saved, lambda head: head.update(format=2, checksum=_checksum(_without(head), load_file(saved))))
    assert load_model(saved).method == "cuts"


def _without(head):
    return json.dumps({k: v for k, v in (head | {"format": 2}).items() if k != "checksum"})
