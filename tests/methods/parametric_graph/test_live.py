"""Live characters of a parametric graph: headings, boxes, transitions, recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from motionloom.constraints import Request
from motionloom.control import record, run
from motionloom.core import BadRequest
from motionloom.core.poses import commands
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.kinematics.feet.skate_measures import skate_b
from motionloom.kinematics.travel import Travel, root_headings
from motionloom.methods import learn, synthesize
from motionloom.methods.parametric_graph._kernels_body import lookup
from motionloom.methods.parametric_graph._kernels_step import LATE, seconds_to
from motionloom.methods.parametric_graph.config import LiveOptions
from motionloom.samples import make

ONCE = LiveOptions(half_life=0.0)
JUMP = LiveOptions(half_life=0.0, transitions="inertial")


def driven(live, given, seconds, options=None, seed=5):
    return list(run(live, live.begin([seed], options=options), given, [1 / 30] * round(30 * seconds)))


@pytest.mark.parametrize("options", [None, ONCE, JUMP])
def test_a_commanded_heading_is_the_direction_of_travel(walking, options):
    for heading in (1.5, -2.0):
        steps = driven(walking.live, commands(heading=heading), 8, options)
        way = steps[-1][1].root[0] - steps[-61][1].root[0]
        assert np.arctan2(way[0], way[2]) == pytest.approx(heading, abs=np.radians(4))


def test_a_constant_turn_is_achieved_in_every_clip(walking):
    for asked in (-0.8, 0.3):
        steps = driven(walking.live, commands(values=[[asked]], action=[0]), 20, ONCE)
        clips = np.array([s.clips[0] for s, _ in steps])
        headings = np.array([s.place[0, 0, 3] for s, _ in steps])
        starts = np.flatnonzero(np.diff(clips) > 0)[4:] + 8  # a little after a transition
        turned = np.diff(headings[starts[:-1]])
        assert np.degrees(np.abs((turned - asked + np.pi) % (2 * np.pi) - np.pi).mean()) < 1.0


@pytest.mark.parametrize("options", [ONCE, JUMP])
def test_random_walks_stay_in_their_boxes_and_below_the_limit(walking, options):
    (node,), (edge,), live = walking.nodes, walking.edges, walking.live
    before = live.begin(np.arange(20), options=options)
    turns, gaps = [], []
    for state, _ in run(live, before, commands(), [1 / 30] * 600):
        for k in np.flatnonzero(state.clips > before.clips):
            low, high = box_after(node, edge, before.used[k, 0])
            assert low - 1e-6 <= state.used[k, 0] * node.space.ranges[0] + node.space.middle[0] <= high + 1e-6
            turns.append(state.used[k, 0])
            gaps.append(state.gap[k])
        before = state
    assert state.clips.min() >= 10
    assert 0.005 < np.median(gaps) <= max(gaps) <= edge.report.bad_limit  # m
    assert np.ptp(turns) > 0.5  # of the range: they wander


def box_after(node, edge, used):
    """The turns that can follow a turn (in units of the range): the mean of the boxes of the two nearest samples."""
    far = np.abs((edge.values[:, 0] - node.space.middle[0]) / node.space.ranges[0] - used)
    near = np.argsort(far, kind="stable")[:3]
    if far[near[0]] < 1e-9:
        return edge.low[near[0], 0], edge.high[near[0], 0]
    shares = 1 / far[near] - 1 / far[near[2]]
    return np.average(edge.low[near, 0], weights=shares), np.average(edge.high[near, 0], weights=shares)


def test_characters_interpolate_as_many_samples_as_edges_were_verified_with(walks, walking):
    faithful = learn("parametric-graph", walks, {"variant": "faithful", "sources": 4, "targets": 20, "samples": 20})
    for model, k in ((walking, 2), (faithful, 1)):
        assert model.live.begin([0]).tuning[0, -1] == model.config.neighbours == k


def test_blended_and_inertial_transitions_have_no_jumps(walking):
    for options in (ONCE, JUMP):
        steps = driven(walking.live, commands(), 12, options)
        roots = np.array([p.root[0] for _, p in steps])
        accelerations = np.linalg.norm(np.diff(roots, 2, axis=0), axis=1) * 900
        assert accelerations.max() < 25  # m/s^2; a jump of 3 cm is 27


@pytest.mark.parametrize(("options", "degrees"), [(None, 3.0), (ONCE, 0.0)])
def test_a_tracked_command_takes_effect_at_once(walking, options, degrees):
    """Hips turn within 0.2 s; where turns are set once for each clip, most clips end later."""
    live = walking.live
    off = []
    for seconds in (3.2, 3.4, 3.6, 3.8):
        state = driven(live, commands(heading=0.0), seconds, options)[-1][0]
        turned, straight = (list(run(live, state, commands(heading=h), [1 / 30] * 6))[-1][1] for h in (1.5, 0.0))
        both = [root_headings(poses.rotations[:, 0], live.skeleton)[0] for poses in (turned, straight)]
        off.append(np.degrees(both[0] - both[1]))
    assert np.median(off) >= degrees
    assert degrees > 0.0 or np.median(off) == 0.0


def test_feet_stand_while_a_heading_is_followed(walking, walks):
    live = walking.live
    given = [commands(heading=h) for h in (0.5, -0.8, 0.9, 2.0, 1.0) for _ in range(45)]
    followed, state = [], live.begin([5])
    for one in given:
        state, poses = live.step(state, one, 1 / 30)
        followed.append((state, poses))
    assert skate_b(record(live, followed, 30.0)) < 4.0  # cm/s; 13 where hips are not moved over the feet
    hips = np.stack([poses.root[0, [0, 2]] for _, poses in followed])
    own = max(accelerations(clip.root[:, [0, 2]], 30.0).max() for clip in walks)
    assert accelerations(hips, 30.0).max() < own + 3.0  # m/s^2


def accelerations(places, fps):
    return np.linalg.norm(np.diff(places, 2, axis=0), axis=1) * fps**2


def test_a_place_with_a_heading_is_reached(walking):
    goal, facing = np.array([3.0, 5.0]), 1.2
    steps = driven(walking.live, commands(place=goal, facing=facing), 9)
    roots = np.array([p.root[0] for _, p in steps])[:, [0, 2]]
    headings = np.array([s.place[0, 0, 3] for s, _ in steps])
    near = np.linalg.norm(roots - goal, axis=1)
    turned = np.abs((headings - facing + np.pi) % (2 * np.pi) - np.pi)
    assert ((near < 0.3) & (turned < np.radians(20))).any()


def test_a_result_is_the_recording_of_a_character(walking):
    asked = Request.from_yaml(
        "{seconds: 4, options: {clean_feet: false}, start: {position: [1, 2], heading: 30deg}, "
        "constraints: [head_for: {heading: 100deg}]}"
    )
    result, live = synthesize(walking, asked, seed=4), walking.live
    plan = walking.plan(asked, np.random.default_rng([4, 0]))
    assert len({order.heading for order in plan.orders}) > 1
    state = live.begin([plan.seed], Travel(np.array([[1.0, 2.0]]), np.radians([30.0])), walking.options(asked))
    frames = [live.step(state, commands(), 0.0)[1]]
    for n in range(plan.frames - 1):
        heading = [order.heading for order in plan.orders if order.frame <= n][-1]
        state, poses = live.step(state, commands(heading=heading), 1 / 30)
        frames.append(poses)
    np.testing.assert_allclose([poses.root[0] for poses in frames], result.root, atol=1e-9)
    np.testing.assert_allclose([poses.rotations[0] for poses in frames], result.rotations, atol=1e-9)
    for i, of in enumerate(foot_parts(live.skeleton)):
        np.testing.assert_array_equal([poses.contacts[0, i] for poses in frames], result.label(of.label))


def test_values_out_of_range_are_clamped_and_reported(walking):
    live = walking.live
    state, _ = live.step(live.begin([1], options=ONCE), commands(values=[[9.0]], action=[0]), 1.0)
    for _ in range(3):
        state, _ = live.step(state, commands(values=[[9.0]], action=[0]), 1.0)
    status = live.status(state)
    assert status.clamped[0]
    assert status.requested[0, 0] == pytest.approx(9.0)
    assert status.used[0, 0] <= walking.nodes[0].space.high[0] + 1e-6
    with pytest.raises(BadRequest, match=r"command values: expected 1 for walk \(turn\), found 2"):
        live.step(state, commands(values=[[1.0, 2.0]]), 0.1)
    with pytest.raises(BadRequest, match="there is no node 'fly'"):
        live.begin([1], options=LiveOptions(first="fly"))


def test_a_request_follows_a_path(walking):
    asked = Request.from_yaml(
        "{seconds: 4.3, options: {width: 12}, constraints: [root_path: {points: [[0, 0], [0, 3], [1.5, 5.5]]}]}"
    )
    assert synthesize(walking, asked).seconds == pytest.approx(4.3)


@pytest.fixture(scope="module")
def wheels():
    turns = [np.radians(t) for t in (13, -30, -70, -115, -157)]
    clips = [make("cartwheel", turn=t, fps=30, seed=1) for t in turns]
    node = "cartwheel parameter=turn cut=none registration=uniform"
    return learn(
        "parametric-graph", clips, {"sources": 8, "targets": 60, "verified": 300, "samples": 40, "node": (node,)}
    )


def test_a_left_turn_with_cartwheels_is_two_right_turns(wheels):
    aim = float(wheels.nodes[0].courses[0]) + np.pi / 2
    steps = driven(wheels.live, commands(heading=aim), 25, seed=3)
    turned = np.unwrap([s.place[0, 0, 3] for s, _ in steps])
    assert np.degrees(turned[-1]) == pytest.approx(-270, abs=5)


def test_a_transition_is_on_time_though_the_turn_is_followed_until_then(wheels):
    """Sharp wheels are left earlier than others, so a late command would put the point of the transition behind one."""
    live, tables, (lead, count, _) = wheels.live, wheels.tables, wheels.tables.meta[0]
    state, waits, box = live.begin(np.arange(32)), [], np.empty((2, 1))
    for _ in range(240):
        near_the_end = state.place[:, 0, 0] > lead + np.linspace(0.92, 0.98, 32) * count
        before, turn = state, np.where(near_the_end, -2.7, 0.1)
        state, _ = live.step(state, commands(values=turn[:, None], action=[0]), 1 / 30)
        for k in np.flatnonzero(state.clips > before.clips):
            leave, _ = lookup(tables, 0, before.used[k], 1 + live.neighbours, box[0], box[1])
            waits.append(30 * seconds_to(tables, before, k, leave))
    assert len(waits) >= 32
    assert min(waits) > -LATE - 1e-6, "ticks"


def test_equal_turns_of_clips_that_do_not_repeat_add_up(wheels):
    """The hips face another way at the end of a cartwheel than at its beginning, and the alignment turns by that."""
    asked, (curve,) = np.radians(-60), wheels.tables.curves
    assert np.degrees(np.abs(curve[:, 6] - curve[:, 0])).max() > 1  # what would be missed
    steps = driven(wheels.live, commands(values=[[asked]], action=[0]), 34, ONCE)
    begun = [i for i in range(1, len(steps)) if steps[i][0].clips[0] > steps[i - 1][0].clips[0]]
    headings = np.unwrap([steps[i][0].place[0, 0, 3] for i in begun[1:]])
    assert len(headings) >= 4
    np.testing.assert_allclose(np.degrees(np.diff(headings)), -60, atol=0.3)


def test_characters_use_what_the_map_of_a_space_misses(walking):
    (node,) = walking.nodes
    space = replace(node.space, missed_at=np.zeros((1, 1)), missed_by=np.array([[0.0], [0.05]]))  # of the range
    model = replace(walking, nodes=(replace(node, space=space),))
    asked = 0.4
    state = driven(model.live, commands(values=[[asked]], action=[0]), 6, ONCE)[-1][0]
    used = state.used[0, 0] * space.ranges[0] + space.middle[0]
    np.testing.assert_allclose(state.weights[0, 0, : space.rows.size], space.weights([[used]]).weights[0], atol=1e-6)
    plain = node.space.weights([[used]]).weights[0]
    assert np.abs(state.weights[0, 0, : space.rows.size] - plain).max() > 0.01  # the miss matters


def test_transitions_come_from_the_examples_of_both_clips(walking):
    live = walking.live
    for state, _ in driven(live, commands(), 6, ONCE):
        found = live.sources(state)
        np.testing.assert_allclose(found.weights.sum(), 1.0)
        if 0.1 < state.mixing[0] < 0.15:  # s: about half of the window
            break
    share = float(live._earlier_shares(state)[0])
    assert 0.3 < share < 0.7
    clips = [state.weights[0, c, : walking.nodes[0].space.rows.size] for c in (0, 1)]
    assert (found.weights > 0).sum() == sum((w > 0).sum() for w in clips)
    assert found.weights.max() == pytest.approx(max((1 - share) * clips[0].max(), share * clips[1].max()))
