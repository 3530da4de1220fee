"""`motionloom methods`, `learn` and `synthesize`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from motionloom.io import load
from motionloom.methods import METHODS, load_model


@pytest.fixture(scope="module")
def model(run: Any, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("models") / "walks.loom"
    assert run("learn", "cuts", folder / "walk_*.bvh", "-o", path).code == 0
    return path


def test_methods_says_what_each_honours_and_its_settings_with_units(run: Any) -> None:
    answer = run("methods")
    assert answer.code == 0
    for name, method in METHODS.items():
        assert f"{name}: {method.summary}" in answer.out
    one = run("methods", "cuts", "--json").json[0]
    assert {"constraint": "pose_at", "strength": "hard"} in one["honours"]
    assert next(p for p in one["config"] if p["name"] == "largest")["unit"] == "m"
    assert {p["name"] for p in one["options"]} == {"eagerness", "shortest"}


def test_an_unknown_method_is_wrong_usage(run: Any, folder: Path, tmp_path: Path) -> None:
    said = run("methods", "cutz")
    assert (said.code, said.err.strip()) == (2, "motionloom: there is no method 'cutz'; did you mean 'cuts'?")
    answer = run("learn", "cutz", folder, "-o", tmp_path / "m.loom")
    assert (answer.code, answer.err.strip()) == (2, "motionloom: there is no method 'cutz'; did you mean 'cuts'?")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_flags_for_its_config(run: Any, method: str) -> None:
    from motionloom.methods import describe

    answer = run("learn", method, "--help")
    assert answer.code == 0
    for p in describe(method).config:
        assert f"--{p.name.replace('_', '-')}" in answer.out


def test_learning_takes_flags_in_people_s_units(run: Any, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.loom"
    answer = run(
        "learn", "cuts", folder / "walk_1.bvh", "-o", out, "--largest", "5cm", "--fps", 15, "--seed", 4, "--json"
    )
    assert answer.code == 0
    assert answer.json["seed"] == 4
    assert answer.json["sources"][0]["of"] == "file"
    learned = load_model(out)
    assert (learned.config.largest, learned.config.fps) == (0.05, 15.0)


def test_info_tells_what_a_model_was_learned_from(run: Any, model: Path) -> None:
    answer = run("info", model)
    assert answer.code == 0
    assert "a cuts model at 30 fps" in answer.out
    assert "walk_1.bvh: 60 frames, sha256" in answer.out
    (facts,) = run("info", model, "--json").json
    assert facts["method"] == "cuts"


def test_wrong_settings_are_wrong_usage_and_nothing_is_written(run: Any, folder: Path, tmp_path: Path) -> None:
    for flag, value in (("--largest", "5kg"), ("--fps", "-3"), ("--nonsense", "1")):
        assert run("learn", "cuts", folder / "walk_1.bvh", "-o", tmp_path / "m.loom", flag, value).code == 2
    assert not (tmp_path / "m.loom").exists()


def test_clips_of_other_skeletons_are_refused_by_name(run: Any, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.bvh"
    other.write_text((folder / "walk_1.bvh").read_text().replace("JOINT Spine2", "JOINT Chest"))
    answer = run("learn", "cuts", folder / "walk_1.bvh", other, "-o", tmp_path / "m.loom")
    assert answer.code == 1
    assert "'Spine2' in one, 'Chest' in the other" in answer.err


def test_a_clip_is_made_with_its_seed_said(run: Any, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "long.bvh"
    answer = run("synthesize", model, "-r", "{seconds: 4}", "-o", out, "--seed", 5)
    assert answer.code == 0
    assert "120 frames, 4.00 s, seed 5, take 0" in answer.out
    assert len(load(out)) == 120
    told = run("info", out).out
    assert "by cuts, seed 5" in told
    assert "made by cuts, seed 5, take 0" in told


def test_a_request_can_be_a_file(run: Any, model: Path, tmp_path: Path) -> None:
    (tmp_path / "ask.yaml").write_text("seconds: 2\nfps: 60\n")
    assert run("synthesize", model, "-r", tmp_path / "ask.yaml", "-o", tmp_path / "x.bvh").code == 0
    assert load(tmp_path / "x.bvh").fps == pytest.approx(60)


def test_takes_go_into_a_folder_and_do_not_depend_on_the_count(run: Any, model: Path, tmp_path: Path) -> None:
    three = run("synthesize", model, "-r", "{seconds: 2}", "-o", tmp_path / "three", "--count", 3, "--json").json
    assert [Path(take["path"]).name for take in three] == ["take_000.bvh", "take_001.bvh", "take_002.bvh"]
    run("synthesize", model, "-r", "{seconds: 2}", "-o", tmp_path / "two", "--count", 2)
    for name in ("take_000.bvh", "take_001.bvh"):
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "three" / name).read_bytes()


def test_an_unmet_wish_exits_1_with_its_residuals_and_writes_only_with_best(
    run: Any, model: Path, tmp_path: Path
) -> None:
    out = tmp_path / "dance.bvh"
    asked = "{seconds: 2, constraints: [{style: {label: dance}}]}"
    answer = run("synthesize", model, "-r", asked, "-o", out)
    assert answer.code == 1
    assert "no clip carries the label 'dance'" in answer.err
    assert "style: {label: dance}" in answer.out
    assert not out.exists()
    (report,) = run("synthesize", model, "-r", asked, "-o", out, "--best", "--json").json
    assert out.is_file()
    assert not report["residuals"][0]["met"]


def test_what_a_method_does_not_honour_is_wrong_usage(run: Any, model: Path, tmp_path: Path) -> None:
    asked = "{seconds: 2, constraints: [{look_at: {target: [1, 1.6, 4]}}]}"
    answer = run("synthesize", model, "-r", asked, "-o", tmp_path / "x.bvh")
    assert answer.code == 2
    assert "cuts cannot honour look_at" in answer.err
    assert run("synthesize", model, "-o", tmp_path / "x.bvh").code == 2


def test_a_clip_instead_of_a_model_is_said_to_be_one(run: Any, folder: Path, tmp_path: Path) -> None:
    answer = run("synthesize", folder / "walk_1.bvh", "-o", tmp_path / "x.bvh")
    assert answer.code == 1
    assert "BVH clip" in answer.err
    assert "deserializing" not in answer.err


def test_a_joint_by_another_name_is_wrong_usage_and_says_where_it_was_asked(
    run: Any, model: Path, tmp_path: Path
) -> None:
    bent = "{left_elbow: {order: zyx, angles: [0deg, 0deg, 90deg]}}"
    asked = f"{{seconds: 1, constraints: [{{pose_at: {{time: 0.5, rotations: {bent}}}}}]}}"
    answer = run("synthesize", model, "-r", asked, "-o", tmp_path / "x.bvh")
    assert answer.code == 2
    assert "constraints[0]: pose_at.rotations: no joint" in answer.err
    assert answer.err.endswith("no joint 'left_elbow' in this skeleton; did you mean 'left_forearm'?\n")


def test_rounding_errors_are_shown_as_zero() -> None:
    from motionloom.cli.synthesize import _shown

    assert [_shown(v) for v in (2.776e-17, 0.0, 0.00123456)] == ["0", "0", "0.001235"]
