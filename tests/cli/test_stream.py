"""`motionloom stream`: live characters from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from motionloom.constraints.gaze import gaze
from motionloom.io import load, save
from motionloom.kinematics.travel import travel
from motionloom.methods import learn, save_model
from motionloom.samples import make


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stream")
    for i, turn in enumerate((0.0, 0.6, -0.6)):
        save(make("walk", seed=i, turn=turn, seconds=5), folder / f"walk_{i}.bvh")
    save_model(learn("motion-matching", [load(folder / f"walk_{i}.bvh") for i in range(3)]), folder / "m.loom")
    return folder / "m.loom"


def test_orders_are_followed_into_a_file(run, model, tmp_path):
    out = tmp_path / "out.bvh"
    orders = ("-c", "0: heading 0deg", "-c", "4: heading 90deg")
    shown = run("stream", model, "-o", out, "--seconds", "9", "--rate", "30", *orders)
    assert "270 frames, 9.00 s at 30 fps" in shown.out
    place = travel(load(out)).place
    assert abs(np.arctan2(*(place[110] - place[60]))) < 0.5
    assert abs(np.arctan2(*(place[-1] - place[-60])) - np.pi / 2) < 0.6


def test_without_a_file_every_pose_is_a_line(run, model):
    lines = run("stream", model, "--seconds", "0.2", "--rate", "30").out.splitlines()
    poses = [json.loads(line) for line in lines]
    assert [p["time"] for p in poses] == pytest.approx([i / 30 for i in range(6)], abs=1e-6)
    assert np.isfinite([p["root"] for p in poses]).all()


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("0: dance 3", "command dance is not accepted; accepted: heading, speed, place, facing, action"),
        ("0: action run", "there is no action 'run'; there are: walk"),
        ("0: heading 90", "heading"),
        ("0: place 3", "expected 2 values, found 1"),
        ("", "expected a command like"),
    ],
)
def test_wrong_orders_are_errors(run, model, order, message):
    failed = run("stream", model, "--seconds", 1, "-c", order)
    assert failed.code == 2
    assert message in failed.err


def test_a_file_needs_an_end(run, model, tmp_path):
    failed = run("stream", model, "-o", tmp_path / "a.bvh")
    assert failed.code == 2
    assert "--out needs --seconds" in failed.err


def test_a_method_without_own_live_characters_goes_through_the_queue(run, tmp_path):
    path = tmp_path / "cuts.loom"
    save_model(learn("cuts", [make("walk", seconds=4)]), path)
    assert "90 frames" in run("stream", path, "--seconds", 3, "--result-fps", 30, "-o", tmp_path / "a.bvh").out
    failed = run("stream", path, "--seconds", 1, "-c", "heading 90deg", "-o", tmp_path / "b.bvh")
    assert "heading is not accepted" in failed.err


def test_options_are_those_of_the_methods_live_characters(run, model, tmp_path):
    assert "motion-matching, texture: time between searches" in " ".join(run("stream", "--help").out.split())
    out = tmp_path / "a.bvh"
    assert run("stream", model, "-o", out, "--seconds", "1", "--half-life", "0.3").code == 0
    failed = run("stream", model, "-o", out, "--seconds", "1", "--lookahead", "0.3")
    assert failed.code == 2
    assert "lookahead" in failed.err


def test_a_stream_is_made_again(run, model, tmp_path):
    out = tmp_path / "a.bvh"
    run("stream", model, "-o", out, "--seconds", "1", "--seed", "4", "-c", "heading 90deg", "--persistence", "0.2")
    shown = run("again", out, "-o", tmp_path / "b.bvh", "--sources", model.parent)
    assert (shown.code, "the same bytes" in shown.out) == (0, True)
    assert (tmp_path / "b.bvh").read_bytes() == out.read_bytes()


def test_the_variation_of_takes_is_added_and_made_again(run, model, tmp_path):
    folder, out = model.parent, tmp_path / "varied.bvh"
    for seed in range(2):
        save(make("walk", seed=seed, speed=1.3 + 0.05 * seed, seconds=1.6), folder / f"take_{seed}.bvh")
    quick = {"rounds": 0, "least_gain": 100.0}
    save_model(learn("variation", [load(folder / f"take_{k}.bvh") for k in range(2)], quick), folder / "takes.loom")
    given = ("--seconds", 1, "--rate", 30, "--seed", 4)
    shown = run("stream", model, *given, "--vary", folder / "takes.loom", "--vary-amount", 1.5, "-o", out)
    assert shown.code == 0, shown.err
    run("stream", model, *given, "-o", tmp_path / "plain.bvh")
    assert not np.array_equal(load(out).rotations, load(tmp_path / "plain.bvh").rotations)
    again = run("again", out, "--sources", folder, "-o", tmp_path / "same.bvh")
    assert again.code == 0, again.err
    assert (tmp_path / "same.bvh").read_bytes() == out.read_bytes()
    alone = run("stream", model, *given, "--vary-amount", 1.5)
    assert (alone.code, "--vary-amount needs --vary" in alone.err) == (2, True)


def test_a_texton_is_an_action_of_two_words(run, tmp_path):
    path = tmp_path / "t.loom"
    save_model(learn("textons", [make("walk", seed=i, turn=0.4 * i, seconds=5) for i in range(3)]), path)
    out = tmp_path / "t.bvh"
    assert run("stream", path, "-o", out, "--seconds", "1", "-c", "action texton 0", "--lookahead", "0.3").code == 0
    assert load(out).label("texton 0").all()


def test_actions_and_gaze_are_put_on_top_and_made_again(run, model, tmp_path):
    from motionloom.samples.gaze_takes import make_take

    save(make("carry", seconds=5, seed=2), tmp_path / "carry.bvh")
    takes = [make_take(t, fps=30, before=0.5, after=0.6).markers for t in ((-1.2, 0.0), (1.2, 0.0), (0.4, 0.2))]
    save_model(learn("gaze", takes), tmp_path / "me.loom")
    layers = ("--overlay", f"box={tmp_path / 'carry.bvh'}", "--gaze", tmp_path / "me.loom", "--seconds", 3)
    order = "heading 0deg, overlay box, look 4 1.5 3"
    none = "heading 0deg, overlay none, look none"
    for name, given in (("plain", ("heading 0deg",)), ("none", (none,)), ("both", (order,))):
        out = tmp_path / f"{name}.bvh"
        shown = run("stream", model, *layers, "--rate", 30, "-c", *given, "-o", out)
        assert shown.code == 0, shown.err
    plain, both = (load(tmp_path / f"{name}.bvh") for name in ("plain", "both"))
    assert np.array_equal(plain.rotations, load(tmp_path / "none.bvh").rotations)
    legs = [plain.skeleton.joint(name) for name in ("left_thigh", "right_shin", "left_foot")]
    assert np.array_equal(plain.rotations[:, legs], both.rotations[:, legs])
    arm = plain.skeleton.joint("left_forearm")
    assert np.abs(plain.rotations[60:, arm] - both.rotations[60:, arm]).max() > 0.2
    sources = model.parent
    for file in (*tmp_path.glob("carry.*"), tmp_path / "me.loom"):
        (sources / file.name).write_bytes(file.read_bytes())
    again = run("again", tmp_path / "both.bvh", "--sources", sources, "-o", tmp_path / "same.bvh")
    assert again.code == 0, again.err
    assert (tmp_path / "same.bvh").read_bytes() == (tmp_path / "both.bvh").read_bytes()
    turn = ("stream", model, "--gaze", tmp_path / "me.loom", "--seconds", 1, "-c", "heading 90deg", "-o")
    for name, more in (("ahead", ()), ("leads", ("--lead",))):
        assert run(*turn, tmp_path / f"{name}.bvh", *more).code == 0
    ahead, leads = (load(tmp_path / f"{name}.bvh") for name in ("ahead", "leads"))
    assert np.abs(leads.root - ahead.root).max() < 1e-6
    yaw = [np.degrees(np.arctan2(*gaze(clip)[1][30, [0, 2]])) for clip in (ahead, leads)]
    assert yaw[1] > yaw[0] + 10
    assert run("again", tmp_path / "leads.bvh", "--sources", sources, "-o", tmp_path / "led.bvh").code == 0
    assert (tmp_path / "led.bvh").read_bytes() == (tmp_path / "leads.bvh").read_bytes()
    assert "lead: expected a gaze map" in run("stream", model, "--lead", "--seconds", 1).err
    save(make("walk", turn=1.5, seconds=6, seed=3), tmp_path / "circle.bvh")
    circle = (
        "stream",
        model,
        "--overlay",
        tmp_path / "circle.bvh",
        "--seconds",
        1,
        "-c",
        "heading 0deg, overlay circle",
    )
    for shown in (run(*circle).err, run(*circle, "-o", tmp_path / "turns.bvh").out):  # as splice does
        assert "overlay circle: circle.bvh turns by" in " ".join(shown.split())
    failed = run("stream", model, *layers, "-c", "overlay cup")
    assert "there is no overlay 'cup'; there are: box" in failed.err
    save(make("look", seconds=4), tmp_path / "stand.bvh")
    failed = run("stream", model, "--overlay", tmp_path / "stand.bvh", "--seconds", 1)
    assert "do not step" in failed.err
    failed = run("stream", model, "--gaze", model, "--seconds", 1)
    assert "expected a gaze map, found a model of motion-matching" in failed.err
