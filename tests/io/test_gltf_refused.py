"""glTF that is broken or sly is refused, in words."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from motionloom.core import FormatError
from motionloom.io import load

_spec = importlib.util.spec_from_file_location("gltf_files", Path(__file__).with_name("gltf_files.py"))
assert _spec is not None
assert _spec.loader is not None
files = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(files)
QUARTER, with_skin = files.QUARTER, files.with_skin


@pytest.fixture
def arm_file():
    """Hips at 1 m with a head 0.5 m above, as plain nodes."""
    return files.arm()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t["nodes"][1].update(children=[0]), "cycle"),
        (lambda t: t["nodes"][1].update(children=[1]), "on itself"),
        (lambda t: t["nodes"][0].update(children=[1, 1]), "hangs on two"),
        (lambda t: t["nodes"][0].update(children=[7]), "expected one of 2 nodes, found 7"),
        (lambda t: t["accessors"][1].update(count=1000), "out of bounds"),
        (lambda t: t["accessors"][1].update(byteOffset=1 << 30), "out of bounds"),
        (lambda t: t["bufferViews"][1].update(byteLength=1 << 30), "out of bounds"),
        (lambda t: t["accessors"][1].update(count=-1), "expected a whole count"),
        (lambda t: t["accessors"][1].update(componentType=1), "unknown component type"),
        (lambda t: t["animations"][0]["samplers"][0].update(output=99), "expected one of 2 accessors"),
        (lambda t: t["animations"][0]["samplers"][0].update(interpolation="BEZIER"), "unknown interpolation"),
        (lambda t: t["nodes"][0].update(translation=[0, 1]), "expected 3 numbers"),
        (lambda t: t["skins"][0].update(joints=[]), "no joints"),
        (lambda t: t["asset"].update(version="1.0"), "expected glTF 2.x"),
        (lambda t: t.update(extensionsRequired=["EXT_meshopt_compression"]), "compressed"),
        (lambda t: t.update(nodes=[]), "no nodes"),
    ],
)
def test_broken_files_are_refused(arm_file, tmp_path, change, message):
    with_skin(arm_file).animate(1, "rotation", [0, 1], [[0, 0, 0, 1], QUARTER])
    change(arm_file.tree)
    with pytest.raises(FormatError, match=message):
        load(arm_file.write(tmp_path / "arm.gltf"))


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.bin",
        "/etc/passwd",
        "file:///etc/passwd",
        "http://example.org/a.bin",
        "a/../../b.bin",
        "..%2fsecret.bin",
        "..\\x",
        "C:\\x",
    ],
)
def test_addresses_that_leave_the_folder_are_refused(arm_file, tmp_path, uri):
    (tmp_path / "secret.bin").write_bytes(b"\0" * 1000)
    (tmp_path / "sub").mkdir()
    with_skin(arm_file).animate(1, "rotation", [0, 1], [[0, 0, 0, 1], QUARTER])
    path = arm_file.write(tmp_path / "sub" / "arm.gltf")
    tree = json.loads(path.read_text())
    tree["buffers"][0]["uri"] = uri
    path.write_text(json.dumps(tree))
    with pytest.raises(FormatError, match="leaves the file's folder: refused"):
        load(path)


def test_a_link_that_leaves_the_folder_is_refused_and_a_file_beside_is_read(arm_file, tmp_path):
    with_skin(arm_file).animate(1, "rotation", [0, 1], [[0, 0, 0, 1], QUARTER])
    (tmp_path / "sub").mkdir()
    path = arm_file.write(tmp_path / "sub" / "arm.gltf")
    (tmp_path / "far.bin").write_bytes(arm_file.data)
    (tmp_path / "sub" / "link.bin").symlink_to(tmp_path / "far.bin")
    (tmp_path / "sub" / "near arm.bin").write_bytes(arm_file.data)
    tree = json.loads(path.read_text())
    tree["buffers"][0]["uri"] = "link.bin"
    path.write_text(json.dumps(tree))
    with pytest.raises(FormatError, match="leaves the file's folder"):
        load(path)
    tree["buffers"][0]["uri"] = "near%20arm.bin"
    path.write_text(json.dumps(tree))
    assert len(load(path, fps=1)) == 2


def test_two_keys_far_apart_do_not_make_a_billion_frames(arm_file, tmp_path):
    with_skin(arm_file).animate(1, "rotation", [0, 9e6], [[0, 0, 0, 1], QUARTER])
    with pytest.raises(FormatError, match="too many"):
        load(arm_file.write(tmp_path / "arm.gltf"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"glTF\x02\0\0\0", "ends in its header"),
        (b"glTF\x01\0\0\0" + b"\0" * 20, "expected GLB version 2"),
        (b"glTF\x02\0\0\0\xff\xff\xff\x7f" + b"\0" * 20, "cut short"),
        (b"HIERARCHY\n", "not a glTF file"),
        (b"{}", "no 'asset'"),
        (b"{" * 100_000, "JSON cannot be read"),
        (b"", "empty"),
    ],
)
def test_what_is_no_gltf_is_said(tmp_path, data, message):
    (tmp_path / "x.glb").write_bytes(data)
    with pytest.raises(FormatError, match=message):
        load(tmp_path / "x.glb")


def test_wrappers_that_a_file_of_ours_claims_do_not_tear_its_tree(arm_file, tmp_path):
    """Only joints above the hips may be folded into the root; hips with two children are not."""
    arm_file.tree["nodes"].append({"name": "Tail", "translation": [0, 0, -0.2]})
    arm_file.tree["nodes"][0]["children"].append(2)
    with_skin(arm_file).animate(1, "rotation", [0, 1], [[0, 0, 0, 1], QUARTER])
    arm_file.tree["skins"][0]["joints"] = [0, 1, 2]
    arm_file.tree["asset"]["extras"] = {"motionloom": {"wrappers": 1}}
    assert len(load(arm_file.write(tmp_path / "arm.gltf")).skeleton) == 3
