"""`motionloom clean`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionloom.core import replace
from motionloom.evaluate.inbetween.gaps import hermite
from motionloom.io import load, save
from motionloom.kinematics import fk
from motionloom.kinematics.feet.skate_measures import skate_c
from motionloom.samples import make


@pytest.fixture(scope="module")
def skating(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a walk whose feet slide."""
    path = tmp_path_factory.mktemp("skating")
    walk = make("walk", seconds=3, fps=60)
    stretched = replace(walk, root=walk.root * [1.09, 1.0, 1.09], label_names=(), labels=None)
    save(stretched, path / "slide.bvh")
    return path


def test_skate_falls_and_is_reported_before_and_after(run: Any, skating: Path, tmp_path: Path) -> None:
    answer = run("clean", skating / "slide.bvh", "-o", tmp_path / "still.bvh")
    assert answer.code == 0
    assert "planted feet slide" in answer.out
    before, after = skate_c(load(skating / "slide.bvh")), skate_c(load(tmp_path / "still.bvh"))
    assert before is not None
    assert after is not None
    assert after < 0.25 * before


def test_contacts_are_written_as_labels_beside_the_clip(run: Any, skating: Path, tmp_path: Path) -> None:
    run("clean", skating / "slide.bvh", "-o", tmp_path / "still.bvh")
    assert "contact:left_toe" in (tmp_path / "still.labels.csv").read_text()


def test_a_folder_goes_to_a_folder_and_json_holds_the_numbers(run: Any, folder: Path, tmp_path: Path) -> None:
    reports = run("clean", folder, "-o", tmp_path / "out", "--json").json
    assert [Path(r["out"]).relative_to(tmp_path / "out").as_posix() for r in reports] == [
        "fast/run.bvh",
        "walk_1.bvh",
        "walk_2.bvh",
    ]
    assert all("skate_b_cm_per_s" in r["before"] and r["plants"] > 0 for r in reports)
    assert all(r["slid_after"] < 0.1 <= r["slid_before"] or r["slid_after"] <= r["slid_before"] for r in reports)
    assert all((tmp_path / "out" / name).is_file() for name in ("walk_1.bvh", "fast/run.bvh"))


def test_without_an_output_nothing_is_written(run: Any, skating: Path) -> None:
    there = sorted(p.name for p in skating.iterdir())
    assert run("clean", skating).code == 0
    assert sorted(p.name for p in skating.iterdir()) == there


def test_contacts_can_be_found_anew(run: Any, folder: Path) -> None:
    own, found = (run("clean", folder / "walk_1.bvh", "--json", *more).json[0] for more in ((), ("--find-contacts",)))
    assert own["moved"] < 1e-3  # the labels are the truth: there is nothing to do
    assert found["plants"] > 0


def test_a_broken_file_does_not_stop_the_others(run: Any, skating: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.bvh").write_text("HIERARCHY")
    answer = run("clean", tmp_path / "bad.bvh", skating / "slide.bvh", "-o", tmp_path / "out")
    assert answer.code == 1
    assert "bad.bvh" in answer.err
    assert (tmp_path / "out" / "slide.bvh").is_file()


def test_a_bad_height_and_a_missing_file_are_refused(run: Any, skating: Path) -> None:
    assert run("clean", skating, "--ground", "5kg").code == 2
    assert run("clean", skating / "nothing.bvh").code == 1


def test_a_gap_is_filled_as_other_takes_move_and_repeated_to_the_byte(run: Any, tmp_path: Path) -> None:
    """A second of a walk is replaced by noise, then filled: nearer to the walk than interpolation with velocities."""
    walk = make("walk", seconds=4, fps=60, seed=5, speed=1.3)
    for k, speed in enumerate((1.2, 1.3, 1.4)):
        save(make("walk", seconds=6, fps=30, seed=k, speed=speed), tmp_path / "takes" / f"take_{k}.bvh")
    broken = walk.rotations.copy()
    broken[90:150] = broken[90:150, :, [0, 3, 1, 2]]
    save(replace(walk, rotations=broken), tmp_path / "broken.bvh")
    like = ("--like", tmp_path / "takes")
    answer = run("clean", tmp_path / "broken.bvh", "--fill", "1.5,2.5", *like, "-o", tmp_path / "whole.bvh")
    assert answer.code == 0
    whole = load(tmp_path / "whole.bvh")
    base = hermite(load(tmp_path / "broken.bvh")[71:151], 60)[19:-1]  # 19 known frames, 60 of the gap, the target
    errors = [np.linalg.norm(fk(clip) - fk(walk)[90:150], axis=-1).mean() for clip in (whole[90:150], base)]
    assert errors[0] < 0.4 * errors[1]
    assert {source.name for source in whole.origin[90:150].spans()[0].sources} > {"broken.bvh"}
    run("again", tmp_path / "whole.bvh", "--sources", tmp_path, "-o", tmp_path / "same.bvh")
    assert (tmp_path / "same.bvh").read_bytes() == (tmp_path / "whole.bvh").read_bytes()


@pytest.mark.parametrize(
    ("given", "code", "found"),
    [
        (("--fill", "1.5"), 2, "--fill: expected two times"),
        (("--fill", "nan,1"), 2, "--fill: expected two times in seconds, as 3.2,0.8, found 'nan,1'"),
        (("--fill", "1,1e300"), 2, "--fill: expected two times"),
        (("--fill", "0.1,1"), 1, "expected a gap with 0.30 s before it"),
        (("--like", "."), 2, "--like: only with --fill"),
    ],
)
def test_gaps_that_cannot_be_filled_are_refused(run: Any, skating: Path, given: Any, code: int, found: str) -> None:
    answer = run("clean", skating / "slide.bvh", *given)
    assert answer.code == code
    assert found in " ".join(answer.err.split())


def test_a_clip_without_contacts_is_named(run: Any, skating: Path, tmp_path: Path) -> None:
    """Columns of zeros and n/a alone look as if cleaning had failed."""
    walk = load(skating / "slide.bvh")
    save(replace(walk, root=walk.root + [0, 1, 0] * np.arange(len(walk))[:, None]), tmp_path / "rising.bvh")
    answer = run("clean", tmp_path / "rising.bvh", skating / "slide.bvh")
    (line,) = [line for line in answer.out.splitlines() if "none was pinned" in line]
    assert line.endswith(f": {tmp_path / 'rising.bvh'}")
