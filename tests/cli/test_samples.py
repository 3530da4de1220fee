"""`motionloom samples`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from motionloom.io import load
from motionloom.samples import SAMPLES


def test_the_list_names_every_sample_and_what_it_takes(run: Any) -> None:
    answer = run("samples")
    assert answer.code == 0
    for name in SAMPLES:
        assert f"\n{name} " in answer.out
    assert "speed" in answer.out


def test_the_list_as_json_holds_units_and_ranges(run: Any) -> None:
    walk = next(s for s in run("samples", "--json").json if s["name"] == "walk")
    assert walk["parameters"]["speed"]["unit"] == "m/s"
    assert walk["parameters"]["speed"]["low"] < walk["parameters"]["speed"]["high"]


def test_a_sample_is_made_with_its_parameters_and_seed(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "walk.bvh"
    answer = run("samples", "walk", "--seconds", 1, "--result-fps", 30, "--turn", "20deg/s", "--seed", 3, "-o", out)
    assert answer.code == 0
    assert "seed 3" in answer.out
    assert len(load(out)) == 30
    again = tmp_path / "again.bvh"
    run("samples", "walk", "--seconds", 1, "--result-fps", 30, "--turn", "20deg/s", "--seed", 3, "-o", again)
    assert out.read_bytes() == again.read_bytes()


def test_making_a_sample_can_answer_in_json(run: Any, tmp_path: Path) -> None:
    made = run("samples", "walk", "--seconds", 1, "-o", tmp_path / "w.bvh", "--json").json
    assert made["frames"] == 60
    assert made["path"].endswith("w.bvh")


def test_all_samples_are_made_into_a_folder_and_read_back(run: Any, tmp_path: Path) -> None:
    assert run("samples", "--all", "-o", tmp_path / "all").code == 0
    assert {p.stem for p in (tmp_path / "all").iterdir() if p.suffix in (".bvh", ".csv") and "." not in p.stem} == set(
        SAMPLES
    )
    assert len(run("info", tmp_path / "all", "--json").json) == len(SAMPLES)


def test_help_of_a_sample_shows_units_and_ranges(run: Any) -> None:
    answer = run("samples", "walk", "--help")
    assert answer.code == 0
    assert "m/s" in answer.out
    assert "--turn" in answer.out


def test_a_wrong_name_suggests_the_right_one(run: Any) -> None:
    answer = run("samples", "wlak")
    assert answer.code == 2
    assert answer.err.strip() == "motionloom: there is no sample 'wlak'; did you mean 'walk'?"


def test_a_bare_angle_and_a_value_out_of_range_are_wrong_usage(run: Any, tmp_path: Path) -> None:
    bare = run("samples", "walk", "--turn", 20, "-o", tmp_path / "w.bvh")
    assert (bare.code, "with its unit" in bare.err) == (2, True)
    fast = run("samples", "walk", "--speed", 40, "-o", tmp_path / "w.bvh")
    assert (fast.code, "m/s" in fast.err) == (2, True)
    assert not (tmp_path / "w.bvh").exists()


def test_angles_are_shown_in_degrees_with_the_unit_to_type(run: Any, tmp_path: Path) -> None:
    answer = " ".join(run("samples", "walk", "--help").out.split())
    assert "--turn 30deg/s turning rate, left positive [-85 to 85 deg/s] (default 0deg/s)" in answer
    assert "rad" not in answer
    assert "(default 90deg)" in " ".join(run("samples", "turn", "--help").out.split())


def test_a_value_out_of_range_is_told_in_the_unit_typed(run: Any, tmp_path: Path) -> None:
    for sample, flag, typed, said in (
        ("walk", "--turn", "90deg/s", "turn: expected a turn rate from -85 to 85 deg/s, found '90deg/s'"),
        ("walk", "--turn", "2rad/s", "turn: expected a turn rate from -1.5 to 1.5 rad/s, found '2rad/s'"),
        ("steps", "--rise", "60cm", "rise: expected a length from 5 to 24 cm, found '60cm'"),
    ):
        answer = run("samples", sample, flag, typed, "-o", tmp_path / "w.bvh")
        assert (answer.code, answer.err.strip()) == (2, f"motionloom: {said}")
    assert run("samples", "walk", "--turn", "85deg/s", "--seconds", 1, "-o", tmp_path / "w.bvh").code == 0


def test_takes_of_gaze_shifts_are_made_with_their_table(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "takes"
    assert run("samples", "gaze_takes", "-o", folder).code == 0
    table = (folder / "targets.csv").read_text().splitlines()
    assert len(table) == 34
    assert {line.split(",")[0] for line in table[1:]} == {path.name for path in folder.glob("*.trc")}
    again = run("samples", "gaze_takes", "-o", folder)
    assert again.code == 2
    assert "--force" in again.err
