"""`motionloom evaluate`, `compare`, `check` and `clean --repair`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionloom.core import concatenate, replace
from motionloom.io import load, save
from motionloom.rotation import exp, multiply
from motionloom.samples import make


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A walk whose left forearm is wrong for two frames."""
    clip = make("walk", seconds=3)
    rotations = clip.rotations.copy()
    j = clip.skeleton.joint("left_forearm")
    rotations[90:92, j] = multiply(rotations[90:92, j], exp([1.5, 0, 0]))
    path = tmp_path_factory.mktemp("broken") / "broken.bvh"
    save(replace(clip, rotations=rotations), path)
    return path


def test_evaluate_prints_a_table_with_the_source_beside_it(run: Any, folder: Path, tmp_path: Path) -> None:
    picture = tmp_path / "q.png"
    answer = run("evaluate", folder / "walk_1.bvh", "--source", folder / "walk_2.bvh", "--picture", picture)
    assert answer.code == 0, answer.err
    for word in ("skate", "coverage", "global diversity", "copy source", "shuffled source", "vs source", "24 joints"):
        assert word in answer.out
    assert picture.stat().st_size > 10_000


def test_evaluate_leaves_out_a_t_pose_and_says_so(run: Any, tmp_path: Path) -> None:
    walk = make("walk", seconds=2, fps=30)
    rest = replace(walk[:1], rotations=np.tile([1.0, 0, 0, 0], (1, len(walk.skeleton), 1)))
    save(walk, tmp_path / "plain.bvh")
    save(concatenate([rest, walk]), tmp_path / "posed.bvh")
    answer = run("evaluate", tmp_path / "posed.bvh", "--source", tmp_path / "plain.bvh")
    assert "posed.bvh: frame 0 is a T-pose, left out" in answer.out
    (report,) = run("evaluate", tmp_path / "posed.bvh", "--source", tmp_path / "plain.bvh", "--json").json
    assert report["measures"]["verbatim run"]["value"] == pytest.approx(walk.seconds, abs=0.01)
    assert report["measures"]["peak acceleration"]["ratio"] == pytest.approx(1, abs=0.01)


def test_evaluate_of_two_bodies_keeps_bounds_and_says_why(run: Any, folder: Path, tmp_path: Path) -> None:
    save(make("dog_walk", seconds=2), tmp_path / "dog.bvh")
    answer = run("evaluate", tmp_path / "dog.bvh", folder / "walk_1.bvh", "--source", folder / "walk_2.bvh")
    assert "shuffled source" in answer.out  # although the first result has no diversity
    assert "windows compare 24 joints" in answer.out
    assert "spread between the results: n/a: other skeletons" in answer.out
    assert answer.out.count("dog.bvh: other skeletons") == 1  # one line for all measures


def test_evaluate_tells_how_far_results_are_apart(run: Any, folder: Path) -> None:
    answer = run("evaluate", folder / "walk_1.bvh", folder / "fast" / "run.bvh", "--source", folder, "--json")
    spread = answer.json[0]["spread"]
    assert spread["ratio"] == pytest.approx(spread["value"] / spread["source"])
    alone = run("evaluate", folder / "walk_1.bvh", "--source", folder, "--json").json[0]["spread"]
    assert alone["value"] is None
    assert "needs several results" in alone["reason"]


def test_evaluate_takes_several_sources_and_answers_in_json(run: Any, folder: Path) -> None:
    answer = run(
        "evaluate", folder / "fast" / "run.bvh", "--source", folder / "walk_1.bvh", "--source", folder / "walk_2.bvh",
        "--json",
    )  # fmt: skip
    (report,) = answer.json
    assert report["measures"]["coverage"]["value"] is not None
    assert report["measures"]["gravity error"]["value"] is None or report["measures"]["gravity error"]["value"] >= 0
    short = [m for m in report["measures"].values() if m["value"] is None]
    assert all(m["reason"] for m in short)


def test_evaluate_names_a_clip_that_follows_a_source(run: Any, folder: Path) -> None:
    """The shell makes `--source a.bvh b.bvh` of a wildcard without quotes; b.bvh was measured as a result."""
    one, two, fast = folder / "walk_1.bvh", folder / "walk_2.bvh", folder / "fast" / "run.bvh"
    answer = run("evaluate", fast, "--source", one, two)
    assert answer.code == 2
    assert "walk_2.bvh follows a source: is it a source, too?" in answer.err
    assert len(run("evaluate", "--source", one, fast, two, "--json").json) == 2


def test_evaluate_measures_what_was_asked(run: Any, folder: Path) -> None:
    asked = "{seconds: 2, constraints: [{root_at: {time: 0, position: [5, 5]}}]}"
    answer = run("evaluate", folder / "walk_1.bvh", "--source", folder, "-r", asked)
    assert answer.code == 0, answer.err
    assert "root_at" in answer.out
    assert " no" in answer.out


def test_evaluate_of_a_clip_shorter_than_what_was_asked_says_so(run: Any, folder: Path) -> None:
    asked = "{seconds: 9, constraints: [{root_at: {time: 8, position: [5, 5]}}]}"
    answer = run("evaluate", folder / "walk_1.bvh", "--source", folder, "-r", asked)
    assert answer.code == 0, answer.err
    assert "n/a" in next(line for line in answer.out.splitlines() if "root_at" in line)
    assert run("evaluate", folder / "walk_1.bvh", "--source", folder, "-r", asked, "--json").json[0]["constraints"][0][
        "reason"
    ]


def test_compare_makes_one_table_and_one_page(run: Any, folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "compare.html"
    answer = run(
        "compare", folder / "walk_1.bvh", folder / "walk_2.bvh", "-r", "{seconds: 2}", "--methods", "cuts",
        "--count", 1, "-o", page,
    )  # fmt: skip
    assert answer.code == 0, answer.err
    for word in ("cuts", "shuffled frames", "copy of the source", "noise added", "spread"):
        assert word in answer.out
    assert "Side by side" in page.read_text("utf-8")
    assert run("compare", folder / "walk_1.bvh", "-r", "{seconds: 2}", "--methods", "magic").code == 2


def test_check_says_clip_joint_frame_and_size(run: Any, broken: Path, folder: Path) -> None:
    answer = run("check", broken, folder / "walk_1.bvh")
    assert answer.code == 0
    assert "broken.bvh" in answer.out
    assert "frames 90-91" in answer.out
    found = run("check", broken, "--json").json
    glitch = next(f for f in found if f["kind"] == "glitch")
    assert (glitch["start"], glitch["stop"]) == (90, 92)
    assert glitch["size"] == pytest.approx(86, abs=6)


def test_check_tells_files_of_one_name_apart(run: Any, folder: Path, tmp_path: Path) -> None:
    save(load(folder / "walk_1.bvh"), tmp_path / "walk_1.bvh")
    answer = run("check", folder / "walk_1.bvh", tmp_path / "walk_1.bvh")
    assert f"the same take as {folder.name}/walk_1.bvh" in answer.out
    assert f"\n{tmp_path.name}/walk_1.bvh\n" in answer.out


def test_check_says_what_learning_leaves_out(run: Any, broken: Path, tmp_path: Path) -> None:
    out = run("check", broken).out
    assert "1 of the findings list broken frames (left out of learning)" in out
    assert out.count("(left out of learning)") == 2  # the finding is marked, too
    learned = run("learn", "cuts", broken, "-o", tmp_path / "m.loom").out
    assert "2 broken frames left out" in learned


def test_clean_repair_mends_and_says_so(run: Any, broken: Path, tmp_path: Path) -> None:
    out = tmp_path / "mended.bvh"
    answer = run("clean", broken, "--repair", "-o", out)
    assert answer.code == 0, answer.err
    assert "frames 90-91, interpolated" in answer.out
    clip = load(out)
    steps = np.abs(np.diff(clip.rotations[85:97, clip.skeleton.joint("left_forearm")], axis=0)).max()
    assert steps < 0.1
    assert run("clean", broken, "--repair", "--json").json[0]["repaired"]


def test_clean_repair_lists_the_first_glitches_of_a_clip(run: Any, tmp_path: Path) -> None:
    clip = make("walk", seconds=6)
    rotations = clip.rotations.copy()
    for frame in range(30, 330, 50):
        rotations[frame, clip.skeleton.joint("left_forearm")] = [0.0, 0.0, 1.0, 0.0]
    save(replace(clip, rotations=rotations), tmp_path / "rough.bvh")
    lines = run("clean", tmp_path / "rough.bvh", "--repair").out.splitlines()
    assert sum("interpolated" in line for line in lines) == 3
    assert "rough.bvh: 3 more (--json lists all)" in lines


@pytest.mark.parametrize("command", ["check", "info", "clean"])
def test_of_files_with_the_same_name_the_broken_one_is_named_with_its_folder(run, tmp_path, command):
    for name in ("one", "two", "three"):
        save(make("walk", seconds=1, fps=30), tmp_path / name / "test.bvh")
    (tmp_path / "two" / "test.bvh").write_text("garbage")
    answer = run(command, tmp_path)
    assert answer.code == 1
    assert "two/test.bvh:1: not a BVH file" in answer.out + answer.err
    assert "one/test.bvh" in answer.out


def test_check_goes_on_past_files_that_cannot_be_read(run, tmp_path):
    save(make("walk", seconds=1, fps=30), tmp_path / "a.bvh")
    (tmp_path / "b.bvh").write_text("HIERARCHY")
    save(make("walk", seconds=1, fps=30, seed=1), tmp_path / "c.bvh")
    answer = run("check", tmp_path)
    assert answer.code == 1
    assert "b.bvh" in answer.out
    assert "unreadable" in answer.out
    assert "2 clips, " in answer.out
    assert "1 file could not be read" in answer.err
    assert {f["clip"] for f in run("check", tmp_path, "--json").json if f["kind"] == "unreadable"} == {"b.bvh"}
