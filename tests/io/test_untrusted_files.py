"""Files of unknown origin: the smallest ones that once ended in a traceback, a hang or a read outside their folder."""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from motionloom.cli.options import print_json, print_line
from motionloom.core import BadRequest, Clip, FormatError, Skeleton
from motionloom.core.limits import MAX_DEPTH
from motionloom.core.text import printable
from motionloom.io import load, save
from motionloom.io.arrays.npz import clip_arrays
from motionloom.io.download import fetch as fetching
from motionloom.io.gltf.write import glb_parts
from motionloom.io.sidecars.labels import MAX_LABELS
from motionloom.io.titles import clip_titles
from motionloom.samples import make


def gltf(clip: Clip) -> dict:
    """The JSON of a clip as glTF, with its buffer inside."""
    import base64
    import struct

    glb = b"".join(bytes(part) for part in glb_parts(clip))
    size = struct.unpack_from("<I", glb, 12)[0]
    tree = json.loads(glb[20 : 20 + size])
    tree["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(glb[28 + size :]).decode()
    return tree


@pytest.mark.parametrize("value", [[], {}, [[]]])
@pytest.mark.parametrize("field", ["path", "interpolation", "type", "componentType"])
def test_a_gltf_field_that_is_a_list_is_an_error_or_ignored(tiny, tmp_path, field, value):
    tree = gltf(tiny)
    animation = tree["animations"][0]
    owner = {"path": animation["channels"][0]["target"], "interpolation": animation["samplers"][0]}
    owner.get(field, tree["accessors"][animation["samplers"][0]["input"]])[field] = value
    (tmp_path / "x.gltf").write_text(json.dumps(tree))
    if field == "path":  # a channel for something that is not known
        assert len(load(tmp_path / "x.gltf")) == len(tiny)
    else:
        with pytest.raises(FormatError):
            load(tmp_path / "x.gltf")


def test_gltf_buffers_that_are_no_objects_are_an_error(tiny, tmp_path):
    tree = gltf(tiny)
    tree["buffers"].append(3)
    (tmp_path / "x.gltf").write_text(json.dumps(tree))
    with pytest.raises(FormatError, match="not a list of objects"):
        load(tmp_path / "x.gltf")


def test_many_gltf_nodes_take_time_in_proportion(tiny, tmp_path):
    """Each child was looked up in a list that was checked as a whole every time."""
    from motionloom.io.gltf.container import Document
    from motionloom.io.reader_notes import Notes

    class Counted(dict):
        gets = 0

        def get(self, *key):
            Counted.gets += 1
            return super().get(*key)

    nodes = [{"children": list(range(1, 3000))}, *({} for _ in range(2999))]
    document = Document(Counted(nodes=nodes), b"", tmp_path, Notes("x"))
    from motionloom.io.gltf.read import read_nodes

    assert len(read_nodes(document)) == 3000
    assert Counted.gets == 1


def test_half_characters_in_names_do_not_reach_other_files(tiny, tmp_path):
    tree = gltf(tiny)
    tree["nodes"][1]["name"] = "\ud800"
    tree["asset"]["copyright"] = "\udfff by nobody"
    (tmp_path / "x.gltf").write_text(json.dumps(tree))
    clip = load(tmp_path / "x.gltf")
    save(clip, tmp_path / "y.bvh")
    assert load(tmp_path / "y.bvh").origin.licence == "? by nobody"
    arrays = clip_arrays(tiny) | {"names": np.array(["Hips", "\ud800", "Top"])}
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(FormatError, match="not valid text"):
        load(tmp_path / "x.npz")


@pytest.mark.parametrize(
    "head", [b"{'descr': '<f8', 'fortran_order': False, 'shape': (1e3,), }", b"(" * 200, b"{'a': b''}"]
)
def test_npz_header_tokens_are_an_error(tiny, tmp_path, head):
    np.savez(tmp_path / "x.npz", **clip_arrays(tiny))
    out = io.BytesIO()
    with zipfile.ZipFile(tmp_path / "x.npz") as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "root.npy":
                padded = head.ljust(117) + b"\n"
                data = b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded + bytes(240)
            new.writestr(name, data)
    (tmp_path / "x.npz").write_bytes(out.getvalue())
    with pytest.raises(FormatError):
        load(tmp_path / "x.npz")


@pytest.mark.parametrize("value", [10**400, 1e308, -1, "nan", [], None])
def test_an_origin_that_overflows_is_an_error_or_not_used(tiny, tmp_path, value):
    facts = {"format": 1, "parts": ["body"], "weights": [], "notes": [], "sources": [], "made": []}
    arrays = clip_arrays(tiny)
    save(tiny, tmp_path / "x.bvh")
    for runs in ([[[10, [[0, value, 1]], None]]], [[[value, [[0, 0, 1]], None]]], [[[10, [[value, 0, 1]], None]]]):
        text = json.dumps(facts | {"runs": runs})
        np.savez(tmp_path / "x.npz", **arrays, origin=np.frombuffer(text.encode(), np.uint8))
        (tmp_path / "x.origin.json").write_text(text)
        for name in ("x.npz", "x.bvh"):
            with suppress(FormatError):
                load(tmp_path / name)


def chain(count: int) -> Clip:
    names = tuple(f"j{k}" for k in range(count))
    offsets = np.tile([0.0, 0.01, 0.0], (count, 1))
    skeleton = Skeleton(names, np.arange(-1, count - 1), offsets)
    return Clip(skeleton, np.zeros((1, 3)), np.tile([1.0, 0, 0, 0], (1, count, 1)), 30.0)


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".npz", ".usda"])
def test_writers_and_readers_have_one_limit_of_depth(tmp_path, suffix):
    if suffix == ".usda":
        pytest.importorskip("pxr", reason="needs the extra usd")
    with pytest.raises(FormatError, match=f"a chain of {MAX_DEPTH + 1} joints; at most {MAX_DEPTH}"):
        save(chain(MAX_DEPTH + 1), tmp_path / f"x{suffix}")
    assert not list(tmp_path.iterdir())
    if suffix != ".usda":
        save(chain(MAX_DEPTH), tmp_path / f"x{suffix}")
        assert len(load(tmp_path / f"x{suffix}").skeleton) == MAX_DEPTH


def test_a_chain_of_a_thousand_joints_in_any_file_is_an_error(tmp_path):
    np.savez(tmp_path / "x.npz", **clip_arrays(chain(1000)))
    with pytest.raises(FormatError, match="a chain of 1000 joints"):
        load(tmp_path / "x.npz")


def test_deep_tables_and_huge_numbers_in_a_roles_file_are_an_error(tiny, tmp_path):
    save(tiny, tmp_path / "x.bvh")
    for text in ("a = " + "[" * 5000, "a." * 5000 + "a = 1", "[roles]\nhips = " + "9" * 5000, "[roles]\nhips = [1]"):
        (tmp_path / "x.roles.toml").write_text(text)
        with pytest.raises(FormatError, match=r"roles\.toml") as caught:
            load(tmp_path / "x.bvh")
        assert len(str(caught.value)) < 400


def test_a_labels_file_cannot_take_a_gigabyte(tiny, tmp_path):
    save(tiny, tmp_path / "x.bvh")
    rows = "".join(f"0,1,l{k}\n" for k in range(MAX_LABELS + 1))
    (tmp_path / "x.labels.csv").write_text(f"start,end,label\n{rows}")
    with pytest.raises(FormatError, match=f"x.labels.csv:{MAX_LABELS + 2}: more than"):
        load(tmp_path / "x.bvh")


def test_control_characters_are_printed_escaped(tiny, tmp_path, capsys):
    name = "walk\x1b[2J\x9b1m\u202eexe"
    assert printable(name) == "walk\\u001b[2J\\u009b1m\\u202eexe"
    print_line(name)
    print_json({"name": name})
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    assert json.loads(shown.split("\n", 1)[1])["name"] == name


def test_fetch_accepts_web_addresses_only(tmp_path):
    for base in ("file:///etc", "data:text/plain,", "ftp://host/x", "/etc"):
        with pytest.raises(BadRequest, match="starts with https"):
            fetching.fetch("cmu", ["01_99"], tmp_path, base=base)
    assert not list(tmp_path.iterdir())


def test_an_archive_with_two_files_of_one_name_is_an_error(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as out:
        out.writestr("a/walk.bvh", "1")
        out.writestr("b/WALK.bvh", "2")
    with pytest.raises(FormatError, match="two files of the name"):
        fetching._unpack(tmp_path / "x.zip", tmp_path / "out")


@pytest.mark.parametrize("scale", [1 / 3, 2.0])
def test_a_stature_that_no_person_has_is_reported_with_other_units(tmp_path, scale):
    clip = make("walk", seconds=1, fps=30)
    body = clip.skeleton
    sized = Skeleton(body.names, body.parents, scale * body.offsets, body.roles)
    save(Clip(sized, scale * clip.root, clip.rotations, clip.fps), tmp_path / "x.bvh")
    notes = [note for note in load(tmp_path / "x.bvh").origin.notes if "stature" in note.text]
    assert [note.level for note in notes if "if the body is a person, --unit" in note.text] == ["warning"]
    save(clip, tmp_path / "y.bvh")
    assert not [n for n in load(tmp_path / "y.bvh").origin.notes if n.level == "warning" and "stature" in n.text]


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text elsewhere")
def test_a_file_name_that_is_not_utf8_can_be_drawn_and_learned_from(tmp_path):
    """Half a character in the name of a clip ended `view` in a traceback, and made models that could not be read."""
    from motionloom.methods import learn, load_model, save_model
    from motionloom.plot.filmstrip import save_filmstrip
    from motionloom.plot.player import write_player

    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/wa\xfflk\x1b.bvh"))
    save(make("walk", seconds=1, fps=30), path)
    clip = load(path)
    assert clip.name == "wa?lk\x1b.bvh"
    titles = clip_titles([path], [clip.name])
    write_player([clip], tmp_path / "page.html", titles=titles)
    save_filmstrip([clip], tmp_path / "strip.svg", titles=titles)
    ElementTree.parse(tmp_path / "strip.svg")  # without control characters, which XML cannot contain
    save_model(learn("cuts", [clip]), tmp_path / "x.loom")
    assert load_model(tmp_path / "x.loom").sources[0].name == clip.name
