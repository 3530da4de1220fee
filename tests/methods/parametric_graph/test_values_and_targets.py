"""Values belong to the node that is commanded, and points in the world are mapped to its parameters (HECK 6.2.2.3)."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Act, Request
from motionloom.core import BadRequest, with_labels
from motionloom.core.poses import commands
from motionloom.kinematics.fk import fk, world
from motionloom.kinematics.travel import Travel, root_headings
from motionloom.methods import learn, synthesize
from motionloom.methods.synthesis import attempt
from motionloom.samples import make

TARGETS = [(x, y, z) for x in (-0.35, 0.05, 0.4) for y in (1.15, 1.6) for z in (0.5, 0.75)]
PUNCH, DUCK, DANCE = range(3)


@pytest.fixture(scope="module")
def boxer():
    clips = [make("punch", hand="right", count=1, fps=30, seed=1, target=target) for target in TARGETS]
    clips += [make("duck", position="guard", height=height, fps=30, seed=1) for height in (1.05, 1.3, 1.6)]
    clips += [make("box", turn=np.radians(turn), fps=30, seed=1) for turn in (-46, 0, 46)]
    nodes = ("punch parameter=right_hand_target cut=none", "duck parameter=head_height cut=none",
             "dance clips=*box parameter=turn cut=none")  # fmt: skip
    settings = {"sources": 8, "targets": 60, "verified": 100, "samples": 60, "node": nodes}
    return learn("parametric-graph", clips, settings)


def begun(live, count, seconds=2.5):
    """Characters that have danced for a while, turning, at different places."""
    at = Travel(np.arange(2.0 * count).reshape(count, 2), np.linspace(-3, 3, count))
    state = live.begin(np.arange(count), at)
    for _ in range(round(30 * seconds)):
        state, poses = live.step(state, commands(action=DANCE, heading=1.0), 1 / 30)
    return state, poses


def test_a_value_goes_to_the_node_that_is_commanded_and_to_no_other(boxer):
    """Head height, turn and the x of a target are all first columns."""
    live = boxer.live
    (plain, _), (told, _) = begun(live, 6), begun(live, 6)
    height = float(boxer.nodes[DUCK].space.middle[0]) + 0.1
    other, ducked = 0, np.zeros(6, bool)
    for _ in range(90):
        plain, _ = live.step(plain, commands(action=DUCK), 1 / 30)
        told, _ = live.step(told, commands(action=DUCK, values=[[height]]), 1 / 30)
        before = ~ducked & (told.node[:, 0] != DUCK)
        np.testing.assert_array_equal(told.used[before], plain.used[before])
        other += before.sum()
        ducked |= told.node[:, 0] == DUCK
    assert other > 30
    assert ducked.all()
    status = live.status(told)
    np.testing.assert_allclose(status.used[:, 0], height, atol=0.01)
    assert np.isnan(status.used[:, 1:3]).all()  # the second and third parameters are those of a punch


def test_values_and_targets_need_an_action_that_has_them(boxer, walking):
    live, (state, _) = boxer.live, begun(boxer.live, 2, 0.1)
    for given, message in (
        ({"values": [[1.2]]}, r"command values: expected an action with them, whose parameters they are \(punch, duck"),
        ({"values": [[1.2], [np.nan]], "action": [-1, DUCK]}, "expected an action with them"),
        ({"values": [[0, 1, 1]], "action": DUCK}, r"command values: expected 1 for duck \(head_height\), found 3"),
        ({"target": [0, 1, 1]}, r"command target: expected an action .* \(punch\)"),
        ({"target": [0, 1, 1], "action": DANCE}, r"command target: expected an action .* \(punch\)"),
    ):
        with pytest.raises(BadRequest, match=message):
            live.step(state, commands(**given), 1 / 30)
    live.step(state, commands(values=[[1.2, np.nan, np.nan]], action=DUCK), 1 / 30)
    with pytest.raises(BadRequest, match="command target is not accepted"):
        walking.live.step(walking.live.begin([1]), commands(target=[0, 1, 1]), 1 / 30)


def test_a_point_in_the_world_is_hit_from_where_the_character_stands(boxer):
    live, count = boxer.live, 24
    state, poses = begun(live, count)
    heading, rng = root_headings(poses.rotations[:, 0], live.skeleton), np.random.default_rng(1)
    ahead, aside = rng.uniform(0.5, 0.65, count), rng.uniform(-0.15, 0.25, count)
    target = np.stack(
        [
            poses.root[:, 0] + np.cos(heading) * aside + np.sin(heading) * ahead,
            rng.uniform(1.25, 1.5, count),
            poses.root[:, 2] + np.cos(heading) * ahead - np.sin(heading) * aside,
        ],
        1,
    )
    hand, least, clamped = live.skeleton.joint("right_hand"), np.full(count, np.inf), np.zeros(count, bool)
    for _ in range(4 * 90):  # a fist goes 4 cm between frames at 120 Hz
        state, poses = live.step(state, commands(action=PUNCH, target=target), 1 / 120)
        punching, status = state.node[:, 0] == PUNCH, live.status(state)
        off = np.linalg.norm(world(live.skeleton, poses.root, poses.rotations)[0][:, hand] - target, axis=1)
        least = np.where(punching, np.minimum(least, off), least)
        clamped |= punching & status.clamped
    assert (~clamped).sum() >= 8
    assert least[~clamped].max() < 0.05  # m
    assert np.median(least[~clamped]) < 0.03
    (far, _) = begun(live, 1)
    for _ in range(60):
        far, _ = live.step(far, commands(action=PUNCH, target=[[0.0, 1.3, -9.0]]), 1 / 30)
    assert live.status(far).clamped[0]


def test_a_request_punches_a_point_beside_the_character(boxer):
    """It turns until the point is in reach."""
    asked = Request.from_yaml(
        "{seconds: 6, constraints: [act: {action: punch, span: [2, 6], target: [0.6, 1.4, 0.1]}]}"
    )
    clip = synthesize(boxer, asked)
    hand = fk(clip)[60:, clip.skeleton.joint("right_hand")]
    assert np.linalg.norm(hand - [0.6, 1.4, 0.1], axis=1).min() < 0.15  # of a frame; a fist goes 15 cm between two
    (row,) = attempt(boxer, asked).residuals
    assert row.met


def test_an_action_is_done_several_times(boxer):
    punches = [
        Act(action="punch", span=span, target=to)
        for span, to in (((1, 4), (0.2, 1.4, 0.6)), ((6, 9), (-0.1, 1.3, 0.6)))
    ]
    for seed in range(2):
        found = attempt(boxer, Request(seconds=9.5, constraints=tuple(punches)), seed=seed)
        assert found.met, found.reason


def test_a_target_is_measured_within_the_action_and_the_span():
    clip = make("punch", hand="right", count=1, fps=60, seed=1)
    clip = with_labels(clip, {"punch": np.ones(len(clip), bool)})
    hit = Act(action="punch", target=(-0.05, 1.42, 0.72))
    assert hit.met(clip)
    assert hit.residual(clip)[1] * 0.1 < 0.02  # m
    assert not Act(action="punch", target=(-0.05, 1.42, 0.95)).met(clip)
    assert not Act(action="punch", target=hit.target, span=(0.0, 0.4)).met(clip)
    assert not Act(action="duck", target=hit.target).met(clip)


@pytest.mark.parametrize(
    ("shown", "outside"),
    [((1.0, 2.0), 0.0), ((0.5, 1.5), 0.5), ((0.1, 1.1), 0.9), ((0.0, 0.5), 1.0), ((0.4, 2.4), 0.4), ((0.0, 3.0), 0.0)],
)
def test_the_part_of_an_action_outside_its_span_is_measured(shown, outside):
    """As far as the span, from 1 to 2.8 s, has room for it; and how far it is from there to the span."""
    clip = make("walk", seconds=3, fps=10, seed=1)[:30]
    on = np.zeros(30, bool)
    on[round(10 * shown[0]) : round(10 * shown[1])] = True
    (found,) = Act(action="jump", span=(1.0, 2.8)).residual(with_labels(clip, {"jump": on}))
    assert found == pytest.approx(outside)


def test_parameters_of_a_request_go_to_the_action_of_their_time(boxer):
    act, parameters = "act: {action: duck, span: [1, 4]}", "parameters: {values: {%s}, span: [1, 4], weight: 1}"
    asked = f"{{seconds: 5, constraints: [{act}, {parameters}]}}"
    low, high = (float(x[0]) for x in (boxer.nodes[DUCK].space.low, boxer.nodes[DUCK].space.high))
    for height in (low + 0.05, high - 0.05):
        found = attempt(boxer, Request.from_yaml(asked % f"head_height: {height}"))
        assert abs(found.residuals[1].worst) < 0.02  # m
    with pytest.raises(BadRequest, match=r"parameters: duck, .* at the time of 'turn', does not have it"):
        synthesize(boxer, Request.from_yaml(asked % "turn: 20deg"))


def test_an_action_is_done_where_its_parameters_are_measured(boxer):
    height = float(boxer.nodes[DUCK].space.low[0]) + 0.1
    act, parameters = (
        "act: {action: duck, span: [1, 8]}",
        f"parameters: {{values: {{head_height: {height}}}, span: [4, 7]",
    )
    found = attempt(boxer, Request.from_yaml(f"{{seconds: 8, constraints: [{act}, {parameters}, weight: 1}}]}}"))
    assert found.residuals[0].met
    assert abs(found.residuals[1].worst) < 0.02  # m


def test_parameters_without_an_action_are_those_of_the_whole_span(boxer):
    asked = Request.from_yaml("{seconds: 6, constraints: [parameters: {values: {turn: 90deg}, weight: 1}]}")
    assert attempt(boxer, asked).residuals[0].worst < np.radians(5)
