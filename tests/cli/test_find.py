"""`motionloom find`: the stored web, decisions, clips cut out, wrong queries."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app
from motionloom.core import FormatError
from motionloom.io import load, save
from motionloom.recipes.matching import build_library, load_library, save_library
from motionloom.samples import make


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("clips")
    for s, v in ((1, 1.2), (2, 1.4)):
        save(make("walk", seed=s, speed=v, seconds=3, fps=30), out / f"walk_{s}.bvh")
    return out


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    """Webs are stored in the current folder."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def run(*words):
    return CliRunner().invoke(app, [str(w) for w in words])


def test_matches_are_listed_decided_and_cut(folder, tmp_path):
    query = f"{folder / 'walk_1.bvh'}#20-52"
    listed = run("find", query, folder, "--json")
    assert listed.exit_code == 0, listed.output
    found = json.loads(listed.stdout)
    assert any(row["clip"] == "walk_2.bvh" for row in found)
    web = Path(f"{folder.name}.matches")
    when = web.stat().st_mtime_ns
    again = run("find", query, folder, "--reject", "1", "--cut", tmp_path / "cuts")
    assert again.exit_code == 0, again.output
    assert web.stat().st_mtime_ns == when  # answered from what is stored
    first = f"{found[0]['clip']}#{found[0]['first']}-{found[0]['last']}"
    assert json.loads(Path(f"{web}.json").read_text()) == {"walk_1.bvh#20-52": {first: False}}
    assert first not in run("find", query, folder).stdout
    cuts = sorted((tmp_path / "cuts").glob("*.bvh"))
    assert (tmp_path / "cuts" / "walk_1_20-52.bvh") in cuts
    assert len(load(tmp_path / "cuts" / "walk_1_20-52.bvh")) == 33 + 2 * 8  # with a quarter of a second at both ends
    run("find", query, folder, "--cut", tmp_path / "exact", "--margin", "0")
    assert len(load(tmp_path / "exact" / "walk_1_20-52.bvh")) == 33


def test_a_folder_of_links_is_searched(folder, tmp_path):
    for path in folder.glob("*.bvh"):
        (tmp_path / path.name).symlink_to(path)
    found = run("find", f"{tmp_path / 'walk_1.bvh'}#20-52", tmp_path, "--json")
    assert found.exit_code == 0, found.output
    assert "walk_2.bvh" in {row["clip"] for row in json.loads(found.stdout)}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("walk_1.bvh#5", "expected frames"),
        ("walk_1.bvh#20-25", "expected 0.3 s or more"),
        ("walk_1.bvh#50-20", "the first before the last"),
        ("run.bvh", "is not one of"),
    ],
)
def test_wrong_queries_are_named(folder, query, message):
    result = run("find", folder / query, folder)
    assert result.exit_code != 0
    assert message in result.output.replace("\n", " ")


def test_a_broken_web_is_a_format_error(folder, tmp_path):
    (tmp_path / "web.npz").write_bytes(b"PK\x03\x04 nothing")
    result = run("find", f"{folder / 'walk_1.bvh'}#20-52", folder, "--web", tmp_path / "web.npz")
    assert result.exit_code != 0
    assert "not a match web" in result.output
    run("find", f"{folder / 'walk_1.bvh'}#20-52", folder)
    assert load_library(f"{folder.name}.matches").web.fps == 30
    assert not list(folder.glob("*.matches*"))  # nothing is written among the captures


def test_a_stored_web_that_names_files_elsewhere_is_not_followed(folder, tmp_path):
    """/dev/zero would be read without end."""
    for path in folder.glob("*.bvh"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    only = sorted(tmp_path.glob("*.bvh"))[:1]
    library = build_library(only, [load(only[0])], tmp_path, threshold=0.1)
    web = f"{tmp_path.name}.matches"
    for name in ("/dev/zero", "../x.bvh", "x\0.bvh"):
        save_library(replace(library, files=(name,)), web)
        done = run("find", tmp_path / "walk_1.bvh", tmp_path)
        assert done.exit_code == 1
        assert "not a match web" in done.output
    (tmp_path / "zero.bvh").symlink_to("/dev/zero")
    save_library(replace(library, files=("zero.bvh",)), web)
    done = run("find", tmp_path / "walk_1.bvh", tmp_path)
    assert done.exit_code == 0, done.output
    assert load_library(web).files == ("walk_1.bvh", "walk_2.bvh")  # built again


def test_a_web_that_unpacks_to_much_is_refused(tmp_path):
    arrays = {name: np.zeros(2) for name in ("version", "names", "files", "digests")}
    np.savez_compressed(tmp_path / "web.matches", **arrays, lengths=np.zeros(20_000_000))
    with pytest.raises(FormatError):
        load_library(tmp_path / "web.matches")


def test_a_web_is_built_again_when_a_clip_has_changed_or_is_new(folder, tmp_path):
    for path in folder.glob("*.bvh"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert run("find", tmp_path / "walk_1.bvh", tmp_path).exit_code == 0
    assert "2 clips" not in run("find", tmp_path / "walk_1.bvh", tmp_path).output
    save(make("walk", seed=3, seconds=3, fps=30), tmp_path / "walk_2.bvh")
    again = run("find", tmp_path / "walk_1.bvh", tmp_path)
    assert again.exit_code == 0, again.output
    assert "2 clips" in again.output
    save(make("walk", seed=4, seconds=3, fps=30), tmp_path / "walk_3.bvh")
    again = run("find", tmp_path / "walk_3.bvh", tmp_path)
    assert "3 clips" in again.output, again.output


def test_a_web_is_built_again_for_clips_that_are_read_otherwise(folder):
    query = f"{folder / 'walk_1.bvh'}#20-52"
    assert "2 clips" in run("find", query, folder).output
    assert "2 clips" in run("find", query, folder, "--source-fps", "15").output
    assert load_library(f"{folder.name}.matches").rates.tolist() == [15.0, 15.0]
    assert "2 clips" not in run("find", query, folder, "--source-fps", "15").output


@pytest.mark.parametrize("rates", [[0.0], [-30.0], [np.nan], [1e300], [30.0, 30.0]])
def test_a_stored_web_with_wrong_rates_is_a_format_error(folder, tmp_path, rates):
    path = sorted(folder.glob("walk_*.bvh"))[0]
    library = build_library([path], [load(path)], folder, threshold=0.1)
    save_library(replace(library, rates=np.array(rates)), tmp_path / "web.npz")
    with pytest.raises(FormatError, match="not a match web"):
        load_library(tmp_path / "web.npz")
