"""One meaning of frame rates and one rule for T-poses in all commands."""

from __future__ import annotations

import numpy as np
import pytest
import typer

from motionloom.cli.app import app
from motionloom.core import concatenate, replace
from motionloom.evaluate import check_clips
from motionloom.evaluate.capture_checks.stride_rate import Stride, stride_rate, strides
from motionloom.io import load, save
from motionloom.kinematics.capture.glitches import rest_frames
from motionloom.methods import load_model
from motionloom.samples import make


@pytest.fixture(scope="module")
def posed(tmp_path_factory):
    """A walk with a T-pose in frame 0, far from the rest, as in CMU's files."""
    walk = make("walk", seed=3, seconds=2.5, fps=30)
    rest = walk[:1]
    still = np.zeros_like(rest.rotations)
    still[..., 0] = 1
    rest = replace(rest, rotations=still, root=rest.root + [3.0, 0.05, 0.0], labels=np.zeros_like(rest.labels))
    path = tmp_path_factory.mktemp("posed") / "posed.bvh"
    save(concatenate([rest, walk]), path)
    return path


@pytest.mark.parametrize("command", ["clean", "retarget", "convert"])
def test_a_tpose_is_dropped_unless_it_is_kept(run, posed, tmp_path, command):
    frames = len(load(posed))
    out = tmp_path / "out.bvh"
    arguments = {"clean": [posed, "-o", out], "retarget": [posed, "--to", posed, "-o", out], "convert": [posed, out]}
    assert run(command, *arguments[command]).code == 0
    assert len(load(out)) == frames - 1
    assert run(command, *arguments[command], "--keep-tpose").code == 0
    assert len(load(out)) == frames


def test_learning_joining_looping_and_measuring_leave_a_tpose_out(run, posed, tmp_path):
    (tmp_path / "other.bvh").write_bytes(posed.read_bytes())
    answer = run("append", posed, tmp_path / "other.bvh", "-o", tmp_path / "both.bvh", "--at", "0.2,0.2")
    assert answer.code == 0
    assert "2 of 2 clips: frame 0 is a T-pose: dropped" in answer.out
    assert not rest_frames(load(tmp_path / "both.bvh")).any()
    assert "frame 0 is a T-pose: dropped" in run("loop", posed, "-o", tmp_path / "cycle.bvh").out
    assert not rest_frames(load(tmp_path / "cycle.bvh")).any()
    assert "frame 0 is a T-pose" in run("learn", "cuts", posed, "-o", tmp_path / "m.loom").out
    assert 0 not in load_model(tmp_path / "m.loom").clips[0].origin.main()[1]
    assert "frame 0 is a T-pose, left out" in run("evaluate", posed, "--source", posed).out


def test_clean_does_not_measure_the_jump_after_a_tpose(run, posed, tmp_path):
    answer = run("clean", posed)
    assert "frame 0 is a T-pose: dropped" in answer.out
    (report,) = run("clean", posed, "--json").json
    assert report["slid_before"] < 5
    assert report["before"]["skate_b_cm_per_s"] < 100


def test_the_rate_of_the_files_has_one_name(run, posed):
    (new,) = run("info", posed, "--json", "--source-fps", 60).json
    old = run("info", posed, "--json", "--fps", 60)
    assert old.json[0]["fps"] == new["fps"] == 60
    assert "'--fps' is now called '--source-fps'" in old.err
    assert run("info", posed, "--fps", 60, "--source-fps", 60).code == 2


def leaf_commands(command=None, name=()):
    """Every command and sub-command as its words, with its parameters."""
    group = typer.main.get_command(app) if command is None else command
    context = typer.Context(group)
    for word in group.list_commands(context):
        found = group.get_command(context, word)
        if hasattr(found, "list_commands"):
            yield from leaf_commands(found, (*name, word))
        else:
            yield " ".join((*name, word)), found.params


CLIP_ARGUMENTS = ("CLIP", "RESULT", "IN...", "A", "B", "UPPER", "LOWER", "PLAIN", "STYLED", "OTHER", "PERFORMANCE")


def test_every_command_that_reads_clips_has_it():
    readers = set()
    for name, parameters in leaf_commands():
        shown = [p for p in parameters if not getattr(p, "hidden", False)]
        flags = {flag for p in shown for flag in p.opts}
        arguments = [str(p.metavar) for p in shown if p.param_type_name == "argument"]
        if any(text.startswith(CLIP_ARGUMENTS[:3]) or text in CLIP_ARGUMENTS for text in arguments):
            readers.add(name)
        if name == "again":  # its recipe has the rates
            continue
        if name in readers or {"--overlay", "--group"} & flags:
            assert "--source-fps" in flags, name
        assert "--fps" not in flags, name
    assert {"info", "splice", "act", "transfer", "select", "learn cuts", "label add"} <= readers


@pytest.mark.parametrize(
    "words",
    [("bands", "--with", 1), ("fourier", "--to", 1, "--share", 0.5), ("transfer", 1, 1), ("blend", 1)],
)
def test_each_of_several_files_may_have_its_rate(run, posed, tmp_path, words):
    command, *rest = [posed if word == 1 else word for word in words]
    count = 1 + sum(word is posed for word in rest)
    rates = ",".join(["30"] * (count + 1))
    answer = run(command, posed, *rest, "-o", tmp_path / "out.bvh", "--source-fps", rates)
    assert (answer.code, f"expected one frame rate or {count}, one for each file" in answer.err) == (2, True)


def test_the_second_file_is_read_at_its_own_rate(run, posed, tmp_path):
    other, out = tmp_path / "other.bvh", tmp_path / "out.bvh"
    other.write_bytes(posed.read_bytes())
    for rates, seconds in (("30,60", 1.25), ("30", 2.5)):
        assert run("blend", posed, other, "--weights", "0,1", "-o", out, "--source-fps", rates).code == 0
        assert load(out).seconds == pytest.approx(seconds, abs=0.1)


def test_takes_are_compared_at_the_rate_of_a_model(run, posed):
    old = run("variation", "compress", posed, "--fps", 15)
    assert "'--fps' is now called '--model-fps'" in old.err
    assert run("variation", "compress", posed, "--fps", 15, "--model-fps", 15).code == 2


def test_two_files_have_two_rates(run, posed, tmp_path):
    answer = run("append", posed, posed, "-o", tmp_path / "both.bvh", "--source-fps", "30,60", "--json")
    assert answer.code == 0
    assert answer.json["fps"] == 30
    assert run("append", posed, posed, "-o", tmp_path / "x.bvh", "--source-fps", "30,60,90").code == 2


def test_rates_of_sources_are_not_those_of_results(run, posed, tmp_path):
    result = tmp_path / "result.bvh"
    assert run("convert", posed, result, "--source-fps", 60, "--result-fps", 30).code == 0
    (right,) = run("evaluate", result, "--source", posed, "--source-fps", 60, "--json").json
    assert abs(right["measures"]["knee acceleration"]["ratio"] - 1) < 0.1  # at another rate it would be four times this
    (same,) = run("evaluate", result, "--source", posed, "--source-fps", "30,60", "--json").json
    assert same["measures"] == right["measures"]
    assert run("view", result, posed, "--source-fps", "30,60", "-o", tmp_path / "x.png").code == 0
    assert "one for each file" in run("view", result, posed, "--source-fps", "30,60,90", "-o", tmp_path / "y.png").err


def test_model_and_result_rates(run, posed, tmp_path):
    model = tmp_path / "m.loom"
    assert run("learn", "cuts", posed, "-o", model, "--model-fps", 15).code == 0
    assert load_model(model).fps == 15
    old = run("learn", "cuts", posed, "-o", tmp_path / "old.loom", "--fps", 15)
    assert old.code == 0
    assert "'--fps' is now called '--model-fps'" in old.err
    assert run("synthesize", model, "-r", "seconds: 1", "-o", tmp_path / "r.bvh", "--result-fps", 60).code == 0
    assert load(tmp_path / "r.bvh").fps == pytest.approx(60)
    assert run("samples", "walk", "--seconds", 1, "--result-fps", 24, "-o", tmp_path / "s.bvh").code == 0
    assert load(tmp_path / "s.bvh").fps == pytest.approx(24)


def test_check_finds_a_wrong_rate_by_the_strides_of_a_walk():
    walks = [make("walk", seed=s, speed=1.3, seconds=4) for s in (0, 1)]
    walked = [s for w in walks for s in strides(w)]
    assert stride_rate(walked, walks[0].fps) is None
    assert len(walked) >= 6
    fast = [replace(w, fps=2 * w.fps) for w in walks]  # twice the true rate, as in subject 143
    rate, _, speed = stride_rate([s for w in fast for s in strides(w)], fast[0].fps)
    assert rate == pytest.approx(walks[0].fps, rel=0.3)
    assert speed == pytest.approx(2.6, rel=0.1)
    found = [f for f in check_clips(fast) if f.kind == "frame rate"]
    assert len(found) == 2
    assert "the frame rate may be wrong" in found[0].text
    assert not [f for f in check_clips(walks) if f.kind == "frame rate"]


def test_a_few_quick_steps_among_strides_do_not_make_a_rate_suspicious():
    """Three strides of a dance (CMU 60), two of them quick; a walk at twice its rate has none that fits."""
    dance = [Stride(0.89, 1.21, 0.75), Stride(0.79, 1.19, 0.62), Stride(0.87, 0.69, 0.73)]
    assert stride_rate(dance, 30.0) is None
    assert stride_rate([s._replace(speed=2 * s.speed) for s in dance], 60.0) is not None


def test_live_characters_have_a_result_rate():
    named = {name: {flag for p in parameters for flag in p.opts} for name, parameters in leaf_commands()}
    for name in ("synthesize", "walk", "convert", "stream", "crowd", "samples walk"):
        assert "--result-fps" in named[name], name
