"""`motionloom drive` and `motionloom crowd`: parametric graphs from the command line."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.cli.methods.parametric_graph import by_hand
from motionloom.control import foot_locked
from motionloom.control.overlaid import overlaid
from motionloom.io import load, save
from motionloom.kinematics.travel import travel
from motionloom.methods import learn, load_model
from motionloom.samples import make
from motionloom.samples.gaze_takes import make_take

GRAPH = """
[nodes.walk]
samples = [{name = "walk", turn = ["-60deg/s", "0deg/s", "60deg/s"], seconds = 4, fps = 30, seed = 1}]
parameter = ["turn"]

[settings]
sources = 6
targets = 40
verified = 200
samples = 30
"""


@pytest.fixture(scope="module")
def model(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("drive")
    (folder / "walk.toml").write_text(GRAPH, encoding="utf-8")
    shown = run("learn", "parametric-graph", folder / "walk.toml", "-o", folder / "walk.loom")
    assert "edge walk > walk" in shown.out
    return folder / "walk.loom"


@pytest.fixture(scope="module")
def look():
    targets = [(yaw, pitch) for yaw in (-1.2, 1.2) for pitch in (-0.2, 0.2)]
    return learn("gaze", [make_take(t, fps=30, before=0.6, after=0.7, noise=1e-4).markers for t in targets])


def test_a_request_is_driven_into_a_file(run, model, tmp_path):
    out = tmp_path / "driven.bvh"
    asked = "{seconds: 6, constraints: [head_for: {heading: 60deg, span: [3, 6], tolerance: 10deg}]}"
    shown = run("drive", model, "-r", asked, "-o", out)
    assert shown.code == 0, shown.err
    place = travel(load(out)).place
    assert np.degrees(np.arctan2(*(place[-1] - place[-31]))) == pytest.approx(60, abs=12)


def test_again_repeats_a_driven_clip_byte_for_byte(run, model, tmp_path):
    out, same = tmp_path / "driven.bvh", tmp_path / "same.bvh"
    run("drive", model, "-r", "{seconds: 2}", "-o", out, "--seed", 4)
    shown = run("again", out, "--sources", model.parent, "-o", same)
    assert shown.code == 0, shown.err
    assert out.read_bytes() == same.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-r", "{seconds: 2}"), "a request needs --out"),
        ((), "driving by hand needs a terminal"),
        (("-r", "{seconds: 2, constraints: [act: {action: fly, span: [0, 2]}]}", "-o", "x.bvh"), "'fly'"),
    ],
)
def test_wrong_usage_of_drive_is_an_error(run, model, arguments, message):
    failed = run("drive", model, *arguments)
    assert failed.code == 2
    assert message in failed.err


class Screen:
    """A terminal of 80 by 24 in which keys are pressed at given steps."""

    def __init__(self, keys):
        self.keys, self.step, self.lines = keys, 0, {}

    def nodelay(self, on):
        pass

    def getch(self):
        due = self.keys.get(self.step, [])
        return due.pop(0) if due else -1

    def getmaxyx(self):
        return 24, 80

    def addstr(self, row, column, text):
        assert 0 <= row < 24
        assert len(text) < 80
        self.lines[row] = text

    def erase(self):
        self.lines = {}

    def refresh(self):
        self.step += 1


def test_keys_turn_the_character_until_q(model):
    live = foot_locked(load_model(model).live)
    screen = Screen({3: [260, 260], 20: [ord("q")]})
    by_hand(screen, live, 0)
    assert screen.step == 20
    shown = "\n".join(screen.lines.values())
    assert "(0 walk)" in shown  # the digit of each action
    assert "o" in shown  # the direction that is commanded
    assert "q: quit" in shown


def test_keys_put_actions_on_top_while_the_gaze_leads(model, look):
    """`drive --overlay --gaze`: o takes the next action, and then none; the head turns before the body does."""
    live = overlaid(load_model(model).live, {"box": make("carry", seconds=5, seed=2, fps=30)}, look, lead=True)
    shown = []
    for presses in (1, 2):
        screen = Screen({3: [ord("o")] * presses + [260, 260], 30: [ord("q")]})
        by_hand(screen, foot_locked(live), 0)
        shown.append("\n".join(screen.lines.values()))
    assert "walk + box" in shown[0]
    assert "walk" in shown[1]
    assert "box" not in shown[1]


def test_drive_with_an_overlay_needs_a_terminal(run, model, tmp_path):
    save(make("carry", seconds=5, seed=2), tmp_path / "box.bvh")
    failed = run("drive", model, "--overlay", tmp_path / "box.bvh")
    assert "driving by hand needs a terminal" in failed.err
    failed = run("drive", model, "--overlay", tmp_path / "box.bvh", "-o", tmp_path / "out.bvh")
    assert "are for driving by hand" in failed.err


def test_a_member_of_a_crowd_is_the_same_whoever_the_others_are(run, model, tmp_path):
    shown = run("crowd", model, "--count", 3, "--seconds", 1, "-o", tmp_path / "all")
    assert "3 characters" in shown.out
    run("crowd", model, "--count", 3, "--seconds", 1, "--member", 2, "-o", tmp_path / "one")
    assert [p.name for p in sorted((tmp_path / "one").glob("*.bvh"))] == ["member_0002.bvh"]
    assert (tmp_path / "all/member_0002.bvh").read_bytes() == (tmp_path / "one/member_0002.bvh").read_bytes()
    again = run("again", tmp_path / "one/member_0002.bvh", "--sources", model.parent, "-o", tmp_path / "same.bvh")
    assert again.code == 0, again.err
    assert (tmp_path / "same.bvh").read_bytes() == (tmp_path / "one/member_0002.bvh").read_bytes()


def test_tracks_lead_characters_to_their_places(run, model, tmp_path):
    (tmp_path / "tracks.csv").write_text("id,t,x,z\n0,9,0,7\n1,9,6,-1\n", encoding="utf-8")
    run("crowd", model, "--count", 2, "--seconds", 9, "--tracks", tmp_path / "tracks.csv", "-o", tmp_path)
    for i, goal in enumerate(([0, 7], [6, -1])):
        place = travel(load(tmp_path / f"member_{i:04d}.bvh")).place
        assert np.linalg.norm(place - goal, axis=1).min() < 0.6


@pytest.mark.parametrize(
    ("lines", "code", "message"),
    [
        ("0,1,2\n", 1, "t.csv:1: expected four numbers id,t,x,z, found '0,1,2'"),
        ("7,1,0,0\n", 2, "ids from 0 to 1, found 7"),
        ("0,1,0,0\n0,a,0,0\n", 1, "t.csv:2: expected four numbers id,t,x,z"),
    ],
)
def test_wrong_tracks_are_an_error(run, model, tmp_path, lines, code, message):
    (tmp_path / "t.csv").write_text(lines, encoding="utf-8")
    failed = run("crowd", model, "--count", 2, "--seconds", 1, "--tracks", tmp_path / "t.csv", "-o", tmp_path / "out")
    assert failed.code == code
    assert message in failed.err


def test_a_crowd_of_nobody_writes_nothing_and_a_million_is_refused_with_its_memory(run, model, tmp_path):
    shown = run("crowd", model, "--count", 0, "--seconds", 1, "-o", tmp_path / "none")
    assert shown.code == 0
    assert "0 characters" in shown.out
    assert list((tmp_path / "none").iterdir()) == []
    failed = run("crowd", model, "--count", 10**6, "--seconds", 60, "-o", tmp_path / "many")
    assert failed.code == 2
    assert "1000000 characters for 60 s need" in failed.err
    assert not (tmp_path / "many").exists()


def test_a_seed_that_is_no_number_of_the_machine_is_refused(run, model, tmp_path):
    failed = run("crowd", model, "--count", 1, "--seconds", 1, "--seed", 10**20, "-o", tmp_path / "out")
    assert failed.code == 2
    assert "seed: expected a seed from 0 to 2^62" in failed.err


def test_one_file_holds_a_whole_crowd(run, model, tmp_path):
    usd = pytest.importorskip("pxr.Usd")
    out = tmp_path / "crowd.usda"
    assert run("crowd", model, "--count", 2, "--seconds", 1, "-o", out).code == 0
    stage = usd.Stage.Open(str(out))
    animated = [p for p in stage.Traverse() if p.GetTypeName() == "SkelAnimation"]
    assert [str(p.GetPath()) for p in animated] == [f"/Crowd/Member_{i:04d}/Skeleton/Motion" for i in range(2)]
    bound = stage.GetPrimAtPath("/Crowd/Member_0001/Skeleton").GetRelationship("skel:animationSource").GetTargets()
    assert str(bound[0]) == "/Crowd/Member_0001/Skeleton/Motion"


def test_edges_are_listed_with_what_others_need_and_drawn(run, model, tmp_path):
    shown = run("edges", model, "--all", "-o", tmp_path / "quality.png")
    assert shown.code == 0, shown.err
    assert "walk > walk" in shown.out
    assert all(word in shown.out for word in ("neutral", "trimmed", "worst, cm", "reach"))
    assert (tmp_path / "quality.png").stat().st_size > 1000


def test_what_can_be_reached_is_drawn(run, model, tmp_path):
    shown = run("reachable", model, "--seconds", 2, "-o", tmp_path / "reach.png")
    assert shown.code == 0, shown.err
    assert "m^2 within 2 s" in shown.out
    assert "turning radius" in shown.out
    assert (tmp_path / "reach.png").stat().st_size > 1000
    failed = run("reachable", model, "--node", "fly", "-o", tmp_path / "none.png")
    assert failed.code == 2
    assert "expected a node that can turn (walk), found 'fly'" in failed.err


def test_characters_walk_around_a_region(run, model, tmp_path):
    asked = ("--count", 1, "--seconds", 6, "--avoid", "0,3,0.8")
    (tmp_path / "tracks.csv").write_text("id,t,x,z\n0,0,0,0\n0,6,0,8\n", encoding="utf-8")
    shown = run("crowd", model, *asked, "--tracks", tmp_path / "tracks.csv", "-o", tmp_path / "out")
    assert shown.code == 0, shown.err
    place = travel(load(tmp_path / "out/member_0000.bvh")).place
    assert np.linalg.norm(place - [0, 3], axis=1).min() > 0.8
    assert place[-1, 1] > 4
    failed = run("crowd", model, "--avoid", "0,3", "-o", tmp_path / "other")
    assert failed.code == 2
    assert "expected x, z and a positive radius" in failed.err


def test_a_place_inside_the_turning_circle_is_named_once(run, model, tmp_path):
    ahead = ("-c", "0: heading 0deg")
    run("stream", model, *ahead, "--seconds", 4, "--rate", 30, "-o", tmp_path / "ahead.bvh")
    x, z = travel(load(tmp_path / "ahead.bvh")).place[90]
    beside = f"place {x + 0.6:.2f} {z:.2f}"
    orders = (*ahead, "-c", f"2: place {x:.2f} 9", "-c", f"3: {beside}")
    shown = run("stream", model, *orders, "--seconds", 5, "--rate", 30, "-o", tmp_path / "out.bvh")
    assert shown.code == 0, shown.err
    assert shown.out.count("inside the turning circle") == 1
    assert f"warning: {beside} at 3 s: inside the turning circle of the character" in shown.out
    lines = run("stream", model, *orders, "--seconds", 4, "--rate", 30)
    assert lines.err.count(f"{beside} at 3 s") == 1
