"""`motionloom variation`: the table, JSON and pictures of a model."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app
from motionloom.io import save
from motionloom.io.strokes.csv import stroke_clip
from motionloom.methods import learn, save_model
from motionloom.methods.variation import Config, fit
from motionloom.samples import make


@pytest.fixture(scope="module")
def letter(tmp_path_factory):
    """A model of four pen strokes."""
    path = tmp_path_factory.mktemp("models") / "letter.loom"
    strokes = [make("stroke", seed=s) for s in range(4)]
    save_model(fit(strokes, Config(fps=None, rounds=1), rng=np.random.default_rng(0)), path)
    return path


def test_nodes_are_listed_with_their_range_and_parents(letter):
    done = CliRunner().invoke(app, ["variation", str(letter)])
    assert done.exit_code == 0
    assert "root.height" in done.output
    assert "neighbours 30, kernel_width 0.2" in done.output
    told = json.loads(CliRunner().invoke(app, ["variation", str(letter), "--json"]).stdout)
    assert [node["name"] for node in told["nodes"]] == ["root.x", "root.height"]
    assert [node["unit"] for node in told["nodes"]] == ["m", "m"]
    assert len(told["takes"]) == 4
    assert set(told["scores"]) == {"prior", "transition"}
    assert told["edges"]["prior"] == sum(len(names) for node in told["nodes"] for names in node["prior_parents"])
    assert told["edges"]["transition"] == sum(len(node["parents"]) + 2 for node in told["nodes"])  # two are its own


def test_pictures_show_takes_variants_and_networks(letter, tmp_path):
    pytest.importorskip("matplotlib")
    done = CliRunner().invoke(app, ["variation", str(letter), "-o", str(tmp_path / "pictures")])
    assert done.exit_code == 0
    assert {p.name for p in (tmp_path / "pictures").iterdir()} == {"curves.png", "bodies.png", "networks.png"}


def test_a_model_of_another_method_is_refused(tmp_path):
    save_model(learn("cuts", [make("walk", seconds=2)]), tmp_path / "cuts.loom")
    done = CliRunner().invoke(app, ["variation", str(tmp_path / "cuts.loom")])
    assert done.exit_code != 0


def test_takes_that_the_others_make_superfluous_are_listed(tmp_path):
    for s in range(3):
        save(make("stroke", seed=s), tmp_path / f"a{s}.csv")
    quick = ["variation", "compress", str(tmp_path), "--tolerance", "5", "--json"]
    done = CliRunner().invoke(app, quick)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert len(found["superfluous"]) == 1  # two are always kept
    assert len(found["kept"]) == 2
    listed = CliRunner().invoke(app, quick[:-1])
    assert "1 of 3 clips can be left out: mixtures of the ones that are kept come within 500 cm" in listed.output
    assert listed.output.count("keep: two at least") == 2


def test_odd_takes_are_dropped(tmp_path):
    turn, rng = np.linspace(0, 2 * np.pi, 40), np.random.default_rng(0)
    for s in range(6):
        sizes = 0.1 + 0.004 * rng.normal(size=2)
        points = np.stack([np.cos(turn), np.sin(-turn if s == 5 else turn)], 1) * sizes
        save(stroke_clip(points, 60.0), tmp_path / f"{'odd' if s == 5 else s}.csv")
    trusted = [part for s in range(5) for part in ("--trusted", str(tmp_path / f"{s}.csv"))]
    done = CliRunner().invoke(app, ["select", str(tmp_path / "*.csv"), *trusted, "--json"])
    assert done.exit_code == 0, done.output
    assert "odd" in json.loads(done.stdout)["dropped"][0]["name"]
    listed = CliRunner().invoke(app, ["select", str(tmp_path / "*.csv"), *trusted])
    assert "times as far from them as they are from each other" in listed.output
    [typed] = re.findall(r"learn from them: motionloom (learn variation .*) -o MODEL.loom", listed.output)
    assert "odd.csv" not in typed
    assert CliRunner().invoke(app, [*typed.split(), "-o", str(tmp_path / "kept.loom")]).exit_code == 0


def test_one_take_is_learned_with_the_structure_of_another_model_and_repeated(letter, tmp_path):
    save(make("stroke", seed=9), tmp_path / "one.csv")
    given = ["learn", "variation", str(tmp_path / "one.csv"), "--fps", "none", "-o", str(tmp_path / "one.loom")]
    alone = CliRunner().invoke(app, given)
    assert alone.exit_code == 2
    assert "--structure MODEL.loom" in alone.output
    assert CliRunner().invoke(app, [*given, "--structure", str(letter)]).exit_code == 0
    made, again = tmp_path / "made" / "new.csv", tmp_path / "again" / "new.csv"
    made.parent.mkdir()
    again.parent.mkdir()
    done = CliRunner().invoke(app, ["synthesize", str(tmp_path / "one.loom"), "-o", str(made)])
    assert done.exit_code == 0, done.output
    (tmp_path / "one.loom").unlink()
    repeat = ["again", str(made), "--sources", str(tmp_path), "-o", str(again)]
    missing = CliRunner().invoke(app, repeat)
    assert missing.exit_code == 1
    assert "letter.loom" in missing.output
    (tmp_path / "letter.loom").write_bytes(letter.read_bytes())
    done = CliRunner().invoke(app, repeat)
    assert done.exit_code == 0, done.output
    assert again.read_bytes() == made.read_bytes()
    cuts = tmp_path / "cuts.loom"
    save_model(learn("cuts", [make("walk", seconds=2)]), cuts)
    assert CliRunner().invoke(app, [*given, "--structure", str(cuts)]).exit_code == 2
