"""Baked files as an engine reads them: glTF JSON and samplers by hand, without our own reader."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app
from motionloom.methods import learn, save_model
from motionloom.recipes.repeat import CannotRepeat, again, recipe_of
from motionloom.samples import make


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    walks = [make("walk", seed=1, turn=t, seconds=3, fps=30) for t in (-0.6, 0.0, 0.6)]
    model = learn("parametric-space", walks, {"parameter": ["turn_rate"], "samples": 64})
    out = tmp_path_factory.mktemp("baked")
    save_model(model, out / "walk.loom")
    ran = CliRunner().invoke(app, ["bake", str(out / "walk.loom"), "-o", str(out / "engine")])
    assert ran.exit_code == 0, ran.output
    return out / "engine"


def read_glb(path):
    """The JSON of a GLB file, and its binary chunk."""
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), data[20 + size + 8 :]


def floats(document, binary, index):
    """The numbers of an accessor (count, width)."""
    accessor = document["accessors"][index]
    view = document["bufferViews"][accessor["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    stride = view.get("byteStride", 4 * width)
    assert accessor["componentType"] == 5126
    return np.array(
        [struct.unpack_from(f"<{width}f", binary, start + n * stride) for n in range(accessor["count"])], float
    )


def root_track(path):
    """Seconds and places (F, 3) of the root of the animation."""
    document, binary = read_glb(path)
    animation = document["animations"][0]
    channel = next(c for c in animation["channels"] if c["target"]["path"] == "translation")
    sampler = animation["samplers"][channel["sampler"]]
    return floats(document, binary, sampler["input"])[:, 0], floats(document, binary, sampler["output"])


def test_every_file_holds_its_parameters_and_foot_phases_as_the_list_does(folder):
    facts = json.loads((folder / "space.json").read_text())
    for vertex in facts["vertices"]:
        extras = read_glb(folder / vertex["file"])[0]["animations"][0]["extras"]
        assert extras["parameters"] == vertex["parameters"]
        assert extras["feet"] == vertex["feet"]


def test_feet_come_down_at_the_same_phase_in_all_clips(folder):
    facts = json.loads((folder / "space.json").read_text())
    phases = [
        next(e["phase"] for e in vertex["feet"] if e["foot"] == "right_foot" and e["event"] == "down")
        for vertex in facts["vertices"]
    ]
    assert np.ptp(phases) < 0.05


def test_clips_played_at_one_phase_turn_as_their_parameter_says(folder):
    """An engine blends the root motion of two clips by their nominal parameters: the mean of the two turns results."""
    facts = json.loads((folder / "space.json").read_text())
    for vertex in facts["vertices"]:
        seconds, places = root_track(folder / vertex["file"])
        assert seconds[-1] == pytest.approx(vertex["seconds"], abs=1e-3)
        far = np.linalg.norm(np.diff(places[:, [0, 2]], axis=0), axis=1).sum()
        assert far / vertex["seconds"] == pytest.approx(vertex["speed"], rel=0.05)
    low, high = (facts["parameters"][0][key] for key in ("low", "high"))
    at = {k: vertex["parameters"]["turn_rate"] for k, vertex in enumerate(facts["vertices"])}
    assert min(at.values()) == pytest.approx(low)
    assert max(at.values()) == pytest.approx(high)
    assert sorted({k for cell in facts["simplices"] for k in cell}) == sorted(at)


def test_a_baked_clip_has_a_recipe_that_names_its_model(folder):
    [step] = recipe_of(folder / "vertex_000.glb")
    assert (step.command, step.method, step.model.name) == ("bake", "parametric-space", "walk.loom")
    with pytest.raises(CannotRepeat, match="run `motionloom bake` on its model again"):
        again(folder / "vertex_000.glb", sources=folder.parent, out=folder / "again.glb")
