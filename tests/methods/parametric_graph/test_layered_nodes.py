"""Layered nodes: an action, a gaze map and variation on top of the motions of a node."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from motionloom.constraints import Act, HeadFor, LookAt, Request, Start
from motionloom.constraints.gaze import gaze
from motionloom.control import foot_locked, record, run
from motionloom.control.script import follow, parse_order
from motionloom.core import BadRequest, FormatError, Origin, Source, UnsupportedConstraint, replace
from motionloom.core.poses import commands
from motionloom.kinematics.body.roles import group
from motionloom.methods import attempt, learn, load_model, save_model, synthesize
from motionloom.methods.live import select
from motionloom.methods.parametric_graph.graph_file import read_graph_file
from motionloom.methods.parametric_graph.plan import run_orders
from motionloom.methods.synthesis import rendered
from motionloom.samples import make
from motionloom.samples.gaze_takes import make_take

SMALL = {"sources": 8, "targets": 60, "verified": 400, "samples": 40}
NODES = ("walk clips=walk* parameter=turn", "carry of=walk overlay=box gaze=no variation=no")


@pytest.fixture(scope="module")
def looking():
    targets = [(yaw, pitch) for yaw in (-1.2, 1.2) for pitch in (-0.2, 0.2)]
    return learn("gaze", [make_take(t, fps=30, before=0.6, after=0.7, noise=1e-4).markers for t in targets])


@pytest.fixture(scope="module")
def clips(walks):
    def named(clip, name):
        return replace(clip, origin=type(clip.origin)(name=name))

    box = named(make("carry", seconds=5, seed=2, fps=30), "box.bvh")
    return [*(named(clip, f"walk_{i}") for i, clip in enumerate(walks)), box]


@pytest.fixture(scope="module")
def carrying(clips, looking):
    takes = [make("walk", seed=i, seconds=3, fps=30) for i in range(3)]
    varied = learn("variation", takes, {"rounds": 1, "candidates": 2, "tries": 2, "least_gain": 1.0})
    return learn("parametric-graph", clips, {**SMALL, "node": NODES}, models={"gaze": looking, "variation": varied})


def driven(model, live, *orders, seconds=7.0, seed=5):
    steer = follow([parse_order(text, model.live) for text in orders])
    return record(live, run(live, live.begin([seed]), steer, [1 / 30] * round(30 * seconds)), 30)


def test_a_layered_node_shares_its_space_and_takes_the_edges_of_its_base(carrying, walking, tmp_path):
    save_model(carrying, tmp_path / "carry.loom")
    save_model(walking, tmp_path / "walk.loom")
    read = load_model(tmp_path / "carry.loom")
    assert [n.name for n in read.nodes] == ["walk", "carry"]
    assert read.nodes[1].space is read.nodes[0].space
    assert {(e.source, e.target) for e in read.edges} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert list(read.overlays) == ["box"]
    more = (tmp_path / "carry.loom").stat().st_size - (tmp_path / "walk.loom").stat().st_size
    action = read.overlays["box"]
    models = read.variation.nbytes + read.gaze_map.nbytes
    assert more < models + 1.2 * (action.rotations.nbytes + action.root.nbytes)  # no poses of the node


def test_the_action_is_carried_out_in_its_node_and_legs_keep_their_bits(carrying, clips):
    orders = ("heading 0deg", "2: heading 0deg, action carry", "5: heading 0deg, action walk")
    bare, made = driven(carrying, carrying.graph, *orders), driven(carrying, carrying.live, *orders)
    legs = [0, *group(made.skeleton, "lower")]
    assert_array_equal(made.root, bare.root)
    assert_array_equal(made.rotations[:, legs], bare.rotations[:, legs])
    arm = group(made.skeleton, "left_arm")[2]  # the elbow
    bend = 2 * np.degrees(np.arccos(np.abs(made.rotations[:, arm, 0])))
    box = 2 * np.degrees(np.arccos(np.abs(clips[-1].rotations[:, arm, 0])))
    walk = 2 * np.degrees(np.arccos(np.abs(bare.rotations[:, arm, 0])))
    carried = made.label("carry")
    assert 60 < carried.sum() < 130
    settled = np.flatnonzero(carried)[15:]
    assert np.abs(bend[settled] - box.mean()).max() < np.ptp(box) + 2
    assert np.abs(walk[settled] - box.mean()).min() > 20


def test_values_are_given_to_a_layered_node_by_name(carrying):
    given = parse_order("action carry, values turn 30deg", carrying.live).given
    np.testing.assert_allclose(given.values, [[np.radians(30)]])
    made = driven(carrying, carrying.live, "action carry, values turn 30deg", seconds=3)
    assert made.label("carry")[-1]


def test_the_action_is_credited_with_the_upper_body(clips):
    sourced = [replace(c, origin=sampled_origin(c)) for c in clips]
    model = learn("parametric-graph", sourced, {**SMALL, "node": NODES})
    made = driven(model, model.live, "heading 0deg", "1: heading 0deg, action carry", seconds=4)
    origin, last = made.origin, len(made) - 1
    upper = next(g for g, part in enumerate(origin.parts) if "box" in credited(origin, last, g))
    assert {name for g in range(len(origin.parts)) if g != upper for name in credited(origin, last, g)} <= {
        f"walk_{i}" for i in range(5)
    }
    assert not any("box" in credited(origin, 5, g) for g in range(len(origin.parts)))


def sampled_origin(clip):
    count = len(clip)
    source = Source(clip.name, "0" * 64, "")
    return Origin(
        name=clip.name,
        sources=(source,),
        which=np.zeros((count, 1, 1), np.int64),
        frames=np.arange(float(count))[:, None, None],
        weights=np.ones((count, 1, 1)),
    )


def credited(origin, frame, part):
    return {origin.sources[k].name.removesuffix(".bvh") for k in origin.which[frame, part] if k >= 0}


def test_nodes_without_a_gaze_do_not_look(carrying):
    """To the left by 50 degrees, from a walk straight ahead; the gaze of the carrying node is switched off."""
    orders = ("heading 0deg, look 60 1.5 50", "3.5: heading 0deg, look 60 1.5 50, action carry")
    made = driven(carrying, carrying.live, *orders)
    turned = np.degrees(np.arctan2(*gaze(made)[1][:, [0, 2]].T))
    assert turned[75:100].min() > 40
    assert np.abs(turned[-30:]).max() < 15


def test_a_request_asks_for_looks(carrying, walking):
    look = LookAt(target=(6.0, 1.5, 9.0), span=(2.0, 4.0), weight=1.0)
    passing = LookAt(path=((5.0, 0.0, 1.5, 12.0), (6.0, 3.0, 1.5, 12.0)), span=(5.0, 6.0), weight=1.0)
    ahead = HeadFor(heading=0.0)  # so that both are in view
    asked = Request(seconds=7, start=Start((0.0, 0.0), 0.0), constraints=(ahead, look, passing))
    found = attempt(carrying, asked, seed=5)
    assert all(row.met for row in found.residuals if row.constraint.startswith("look_at")), found.residuals
    assert np.degrees(look.residual(rendered(carrying, asked, np.random.default_rng([5, 0]))[1])).max() < 1e-9
    assert np.degrees(look.residual(found.clip)).max() < 0.1  # feet were cleaned since: the hips moved by millimetres
    direction = LookAt(yaw=np.radians(30.0), pitch=-0.1, span=(5.0, 6.0), weight=1.0)  # it sways with the hips
    found = attempt(carrying, Request(seconds=7, constraints=(ahead, direction)), seed=5)
    assert np.degrees(direction.residual(found.clip)).max() < 3.0
    assert np.degrees(direction.residual(found.clip)).mean() < 1.0
    with pytest.raises(UnsupportedConstraint, match="cannot honour look_at"):
        attempt(walking, asked)


def test_variation_fades_with_the_node(carrying):
    orders = ("heading 0deg", "2: heading 0deg, action carry")
    bare, made = driven(carrying, carrying.graph, *orders), driven(carrying, carrying.live, *orders)
    spine = [j for j in group(made.skeleton, "spine") if j]
    apart = np.abs(made.rotations[:, spine] - bare.rotations[:, spine]).max((1, 2))
    assert apart[10:50].max() > 1e-3
    state = carrying.live.begin([1])
    assert state.varied[0] == 1.0
    for _ in range(90):
        state, _ = carrying.live.step(state, commands(heading=0.0, action=1), 1 / 30)
    assert state.varied[0] == 0.0


def test_characters_are_values_and_do_not_depend_on_each_other(carrying):
    live, given = foot_locked(carrying.live), commands(heading=[0.4, 0.0, -0.5], action=[1, 0, 1])
    state, alone = live.begin([3, 4, 5]), live.begin([5])
    for _ in range(60):
        state, poses = live.step(state, given, 1 / 30)
        alone, single = live.step(alone, commands(heading=-0.5, action=1), 1 / 30)
    assert_array_equal(poses.rotations[2], single.rotations[0])
    assert_array_equal(select(state, np.array([2])).below.below.node, alone.below.below.node)
    same, _ = live.step(state, given, 0.0)
    assert_array_equal(same.below.varied, state.below.varied)
    _, poses = live.step(state, given, 0.5)
    assert np.isfinite(poses.rotations).all()


def test_a_result_is_the_recording_of_the_layered_character(carrying):
    asked = Request(seconds=4, constraints=(HeadFor(heading=0.5, span=(1, 4)), Act(action="carry", span=(1, 4))))
    plan, made = rendered(carrying, asked, np.random.default_rng([0, 0]))
    state = carrying.live.begin([plan.seed], options=carrying.options(asked))
    told = record(carrying.live, run_orders(carrying.live, state, plan.orders, plan.frames), carrying.fps)
    np.testing.assert_allclose(made.rotations, told.rotations, atol=1e-9)
    assert made.label("carry").any()
    assert synthesize(carrying, asked).label("carry").any()


GRAPH = """
[nodes.walk]
samples = [{{name = "walk", turn = ["-60deg/s", "0deg/s", "60deg/s"], seconds = 4, fps = 30, seed = 1}}]
parameter = ["turn"]

[nodes.carry]
{lines}

[models]
gaze = "me.loom"

[[edges]]
from = "walk"
to = "walk"
"""


def test_a_graph_file_has_layered_nodes(tmp_path, looking):
    save_model(looking, tmp_path / "me.loom")
    path = tmp_path / "graph.toml"
    path.write_text(GRAPH.format(lines='of = "walk"\noverlay = {name = "carry", seconds = 5}\ngaze = false'))
    found = read_graph_file(path)
    assert found.config["node"][1] == "carry of=walk overlay=carry_action_0 gaze=no"
    assert found.models == {"gaze": tmp_path / "me.loom"}
    made = learn("parametric-graph", found.made, {**found.config, **SMALL}, models={"gaze": looking})
    assert [(n.name, n.overlay, n.gaze) for n in made.nodes] == [
        ("walk", "", True),
        ("carry", "carry_action_0", False),
    ]
    assert {(e.source, e.target) for e in made.edges} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert "look" in made.live.accepts
    assert "overlay" not in made.live.accepts


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('of = "wolk"', "did you mean 'walk'"),
        ('of = "carry"', "of: "),
        ('of = "walk"\nparameter = ["turn"]', "it has the motions of walk, so parameter cannot be given"),
        ('of = "walk"\noverlay = "box.bvh"', "there is no file 'box.bvh'"),
        ('of = "walk"\noverlay = {name = "carri"}', "did you mean 'carry'"),
        ('of = "walk"\ngaze = "left"', "gaze: expected true or false, found 'left'"),
        ("", "expected clips, samples, a label or another node (of)"),
    ],
)
def test_wrong_layers_in_a_graph_file_are_named(tmp_path, lines, message):
    (tmp_path / "me.loom").write_bytes(b"")
    (tmp_path / "graph.toml").write_text(GRAPH.format(lines=lines))
    with pytest.raises(BadRequest, match="node carry") as error:
        read_graph_file(tmp_path / "graph.toml")
    assert message in str(error.value)


def test_layers_that_do_not_fit_are_an_error(clips, walking):
    with pytest.raises(BadRequest, match=r"overlay: there is no clip 'bux'; .*box.bvh"):
        learn("parametric-graph", clips, {"node": (NODES[0], "carry of=walk overlay=bux")})
    with pytest.raises(BadRequest, match="expected yes or no"):
        learn("parametric-graph", clips, {"node": (NODES[0], "carry of=walk gaze=maybe")})
    with pytest.raises(BadRequest, match="cannot be put on live characters"):
        learn("parametric-graph", clips, {"node": NODES[:1]}, models={"gaze": walking})


def test_a_model_without_its_action_is_damaged(carrying):
    with pytest.raises(FormatError, match="no action"):
        dataclasses.replace(carrying, overlays={})


def test_what_is_unlike_the_captured_action_is_noted_at_learning(clips):
    turning = replace(make("walk", turn=1.2, seconds=5, seed=2, fps=30), origin=clips[-1].origin)
    model = learn(
        "parametric-graph", [*clips[:-1], turning], {**SMALL, "node": (NODES[0], "carry of=walk overlay=box")}
    )
    notes = [note.text for note in model.notes if note.level == "warning"]
    assert any(text.startswith("overlay box: ") and "turns by" in text for text in notes)
