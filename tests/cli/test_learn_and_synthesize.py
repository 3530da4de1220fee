"""`motionloom methods`, `learn` and `synthesize`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from motionloom.core import replace
from motionloom.io import load, save
from motionloom.methods import METHODS, load_model
from motionloom.samples import make


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
    assert {p["name"] for p in one["options"]} == {"eagerness", "shortest", "bend_pose"}


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
        name = "model_fps" if p.name == "fps" else p.name
        assert f"--{name.replace('_', '-')}" in answer.out


def test_learning_takes_flags_in_people_s_units(run: Any, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.loom"
    answer = run(
        "learn", "cuts", folder / "walk_1.bvh", "-o", out, "--largest", "5cm", "--model-fps", 15, "--seed", 4, "--json"
    )
    assert answer.code == 0
    assert answer.json["seed"] == 4
    assert answer.json["sources"][0]["of"] == "file"
    learned = load_model(out)
    assert (learned.config.largest, learned.config.fps) == (0.05, 15.0)


def test_learning_at_the_clips_own_frame_rate(run: Any, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.loom"
    assert run("learn", "cuts", folder / "walk_1.bvh", "-o", out, "--model-fps", "none", "--source-fps", 24).code == 0
    learned = load_model(out)
    assert (learned.config.fps, learned.fps) == (None, 24.0)


def test_info_tells_what_a_model_was_learned_from(run: Any, model: Path) -> None:
    answer = run("info", model)
    assert answer.code == 0
    assert "a cuts model at 30 fps" in answer.out
    assert "walk_1.bvh: 60 frames, sha256" in answer.out
    (facts,) = run("info", model, "--json").json
    assert facts["method"] == "cuts"


def test_wrong_settings_are_wrong_usage_and_nothing_is_written(run: Any, folder: Path, tmp_path: Path) -> None:
    for flag, value in (("--largest", "5kg"), ("--model-fps", "-3"), ("--nonsense", "1")):
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
    assert "synthesize with cuts, seed 5, take 0" in told


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


OWN = """
def reach(clip):
    'Farthest that the hips get from their start.'
    return float(((clip.root - clip.root[0]) ** 2).sum(1).max() ** 0.5)

reach.unit = "m"

def broken(clip):
    return [float("nan")]
"""


def test_a_parameter_of_one_s_own_is_measured_where_the_command_names_its_function(
    run: Any, folder: Path, tmp_path: Path
) -> None:
    own, model = tmp_path / "own.py", tmp_path / "m.loom"
    own.write_text(OWN)
    learned = run("learn", "cuts", folder / "walk_1.bvh", "-o", model, "--measure", f"{own}:reach", "--json").json
    assert learned["measured"]["reach"]["unit"] == "m"
    assert learned["measured"]["reach"]["values"][0][0] > 0.5
    own.unlink()  # a model never runs a file
    assert load_model(model).measured[0].name == "reach"
    own.write_text(OWN)
    clip, source = folder / "walk_1.bvh", ("--source", folder / "walk_2.bvh")
    asked = ("-r", "{parameters: {reach: 0, speed: 99}}", "--json")
    first, second = run("evaluate", clip, *source, *asked, "--measure", f"{own}:reach").json[0]["constraints"]
    assert (first["unit"], first["met"], second["unit"]) == ("m", False, "m/s")
    assert first["worst"] == pytest.approx(learned["measured"]["reach"]["values"][0][0], rel=0.05)
    unknown = run("evaluate", clip, *source, *asked).json[0]["constraints"][0]
    assert (unknown["worst"], unknown["met"]) == (None, None)
    assert "reach cannot be checked, nor a result corrected by it: given by hand" in unknown["reason"]
    failed = run("learn", "cuts", clip, "-o", tmp_path / "n.loom", "--measure", f"{own}:broken")
    assert (failed.code, (tmp_path / "n.loom").exists()) == (2, False)
    assert "the motion parameter 'broken' cannot be measured on " in failed.err
    assert "expected finite values, found [nan]" in failed.err


def test_all_problems_of_a_request_are_printed_at_once(run: Any, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.bvh"
    wrong = run("synthesize", model, "-o", out, "-r", "seconds: -1\nconstraints:\n- root_at: {time: soon}\n")
    assert wrong.code == 2
    assert wrong.err.splitlines()[0] == "motionloom: 2 problems:"
    assert wrong.err.splitlines()[2].startswith("  request:3: root_at.time: expected a time")
    asked = "{options: {eagerness: 7}, constraints: [avoid: {center: [0, 0], radius: 1}]}"
    refused = run("synthesize", model, "-o", out, "-r", asked)
    assert (refused.code, refused.err.splitlines()[0]) == (2, "motionloom: 3 problems:")
    assert "  options.eagerness: expected a number from 0 to 1, found 7" in refused.err.splitlines()
    assert "constraints[0]: avoid: cuts cannot honour avoid (hard)" in refused.err


@pytest.mark.parametrize("method", METHODS)
def test_the_description_of_a_method_is_complete(run: Any, method: str) -> None:
    (facts,) = run("methods", method, "--json").json
    module = METHODS[method].module()
    assert (facts["name"], facts["summary"]) == (method, METHODS[method].summary)
    assert facts["learns_from"] == list(METHODS[method].learns_from)
    assert {row["constraint"] for row in facts["honours"]} == set(facts["constraints"])
    complete = {"kind", "unit", "default", "low", "high", "slider", "scale", "advanced", "only_with", "help"}
    for settings, rows in ((module.Config, facts["config"]), (module.Options, facts["options"])):
        assert [row["name"] for row in rows] == [field.name for field in dataclasses.fields(settings)]
        assert all(complete <= set(row) for row in rows)


def test_learning_does_not_replace_a_file_that_is_not_a_model(run, folder, tmp_path):
    clip = tmp_path / "walk.bvh"
    clip.write_bytes((folder / "walk_1.bvh").read_bytes())
    answer = run("learn", "cuts", clip, "-o", clip)
    assert answer.code == 2
    assert "is not a model" in answer.err
    assert clip.read_bytes() == (folder / "walk_1.bvh").read_bytes()


def test_learning_warns_of_a_wrong_frame_rate(run: Any, tmp_path: Path) -> None:
    for seed in (1, 2):
        walk = make("walk", seed=seed, speed=1.2, seconds=6, fps=30)
        save(replace(walk, fps=60.0), tmp_path / f"walk_{seed}.bvh")
    stated, given = (
        run("learn", "cuts", tmp_path, "-o", tmp_path / f"{n}.loom", *more).out
        for n, more in enumerate(([], ["--source-fps", "30"]))
    )
    (line,) = [line for line in stated.splitlines() if "frame rate" in line]
    assert line.startswith("  warning: walk_1.bvh and 1 more: the frame rate may be wrong: at the stated 60 fps")
    assert "frame rate may be wrong" not in given
