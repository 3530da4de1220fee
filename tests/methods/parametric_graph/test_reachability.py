"""Courses, plans to places with headings, reachability, hubs, proposed edges."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Act
from motionloom.core import BadRequest
from motionloom.core.poses import commands
from motionloom.kinematics.travel import Travel, root_headings
from motionloom.methods import learn
from motionloom.methods.parametric_graph._kernels_course import FIRST_TURNS, dubins, one_step, try_turns
from motionloom.methods.parametric_graph._kernels_plan import TRIED, TURN
from motionloom.methods.parametric_graph._kernels_reach import spread
from motionloom.methods.parametric_graph.config import LiveOptions
from motionloom.methods.parametric_graph.edge import Report
from motionloom.methods.parametric_graph.hubs import with_hubs
from motionloom.methods.parametric_graph.proposals import FACTORS, Proposal, cheapest_ways, propose_edges, trade_off
from motionloom.methods.parametric_graph.reachability import reachability
from motionloom.samples import make

CAR = np.array([[-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 0.0], [1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 0.0]])
"""It turns at once, with a radius of 1 m."""


@pytest.mark.parametrize(
    ("goal", "length"),
    [
        ((0.0, 5.0, 0.0), 5.0),  # straight ahead
        ((3.0, 1.0, np.pi / 2), np.pi / 2 + 2.0),  # a quarter of a left circle, then 2 m: +x is left
        ((-3.0, 1.0, -np.pi / 2), np.pi / 2 + 2.0),
        ((2.0, -1.5, np.pi), np.pi + 1.5),  # half a circle, then back
        ((0.0, 0.0, 0.0), 0.0),  # there already
        ((1.0, 1.0, np.pi / 2), np.pi / 2),  # exact arcs: without a straight part
        ((-1.0, 1.0, -np.pi / 2), np.pi / 2),
        ((2.0, 0.0, np.pi), np.pi),
        ((1.0 - np.cos(2.5), np.sin(2.5), 2.5), 2.5),
        ((1.0, -1.0, -np.pi / 2), 1.5 * np.pi),
        ((2.0, 2.0, 0.0), np.pi),  # two quarters in opposite directions: circles that touch
        ((0.0, -5.0, 0.0), 2 * np.pi + 5.0),  # straight behind: half a circle to one side, 5 m, half a circle back
    ],
)
def test_shortest_ways_with_a_turning_radius(goal, length):
    assert dubins(np.zeros(4), *goal, 1.0, 0.0) == pytest.approx(length, abs=1e-9)


@pytest.mark.parametrize(
    ("goal", "longer"),
    [
        ((0.0, 5.0, 0.0), 0.0),  # straight, and turns to one side, need no change
        ((2.0, -1.5, np.pi), 0.0),
        ((2.0, 2.0, 0.0), 1.0),  # left and right without a straight part: twice the 0.5 m that are missing
        ((3.0, 3.0, 0.0), 0.0),  # with 1 m and more between
    ],
)
def test_ways_that_change_sides_within_half_a_metre_count_for_longer(goal, longer):
    plain, counted = (dubins(np.zeros(4), *goal, 1.0, change) for change in (0.0, 0.5))
    assert counted - plain == pytest.approx(longer, abs=1e-6)


def test_shortest_ways_are_those_of_a_search_over_the_six_words():
    rng = np.random.default_rng(3)
    for _ in range(40):
        goal = (*rng.uniform(-4, 4, 2), rng.uniform(-np.pi, np.pi))
        assert dubins(np.zeros(4), *goal, 1.0, 0.0) == pytest.approx(searched(goal), abs=0.01)


def searched(goal):
    """The shortest of all ways of three parts: every angle of the first arc is tried, the others follow from it."""
    place, best, whole = np.array(goal[:2]), np.inf, 2 * np.pi
    first = np.linspace(0, whole, 20001)

    def centre(at, heading, side):  # of the circle of radius 1 on the left (1) or right
        return at + side * np.stack([np.cos(heading), -np.sin(heading)], -1)

    for one in (1, -1):
        heading = one * first
        at = centre(np.zeros(2), 0.0, one) - one * np.stack([np.cos(heading), -np.sin(heading)], -1)
        for last in (1, -1):  # an arc, a straight line, an arc
            to = centre(place, goal[2], last) - centre(at, heading, last)
            ahead = to[:, 0] * np.sin(heading) + to[:, 1] * np.cos(heading)
            aside = to[:, 0] * np.cos(heading) - to[:, 1] * np.sin(heading)
            length = first + ahead + (last * (goal[2] - heading)) % whole
            best = min(best, *length[(np.abs(aside) < 2e-3) & (ahead >= 0)], np.inf)
        middle = centre(at, heading, -one)  # three arcs: the second circle touches the last one
        off = centre(place, goal[2], one) - middle
        touching = np.abs(np.linalg.norm(off, axis=1) - 2) < 5e-4
        towards = np.arctan2(-one * off[:, 1], one * off[:, 0])  # heading where they touch
        second = (-one * (towards - heading)) % whole
        length = first + second + (one * (goal[2] - towards)) % whole
        best = min(best, *length[touching], np.inf)
    return best


def test_a_plan_for_a_car_reaches_goals_in_about_the_shortest_time():
    for goal in ((2.0, 3.0, 1.0), (-3.0, -1.0, 2.0), (0.5, 4.0, -1.5)):
        at, aim = np.zeros(5), np.array(goal)
        shortest, off = dubins(at, *goal, 1.0, 0.0), np.inf
        for n in range(300):
            if n % 5 == 0:
                _, target = try_turns(CAR, at, aim, 0.001, 0, FIRST_TURNS, np.inf, at[3])
            one_step(CAR, at, target, 0.001, 1 / 30)
            turn = abs((at[2] - goal[2] + np.pi) % (2 * np.pi) - np.pi)
            off = max(np.hypot(at[0] - goal[0], at[1] - goal[1]) / 0.25, turn / np.radians(15))
            if off <= 1:
                break
        assert off <= 1
        assert n / 30 < 1.3 * shortest + 1.0


@pytest.mark.parametrize("half_life", [0.12, 0.0])
def test_characters_arrive_with_the_heading(walking, half_life):
    live, rng = walking.live, np.random.default_rng(7)
    far, bearing, facing = rng.uniform(2, 6, 60), rng.uniform(-np.pi, np.pi, 60), rng.uniform(-np.pi, np.pi, 60)
    goal = np.stack([far * np.sin(bearing), far * np.cos(bearing)], 1)
    state = live.begin(np.full(60, 3), Travel(np.zeros((60, 2)), np.zeros(60)), LiveOptions(half_life=half_life))
    best = np.full(60, np.inf)
    for _ in range(450):
        state, poses = live.step(state, commands(place=goal, facing=facing), 1 / 30)
        heading = root_headings(poses.rotations[:, 0], live.skeleton)
        turn = np.abs((heading - facing + np.pi) % (2 * np.pi) - np.pi) / np.radians(15)
        best = np.minimum(best, np.maximum(np.linalg.norm(poses.root[:, [0, 2]] - goal, axis=1) / 0.25, turn))
    assert (best <= 1).mean() >= (0.99 if half_life else 0.95)


def test_a_planned_way_to_a_far_place_does_not_swing_to_both_sides(walking):
    """Many ways take nearly the same time; turns that alternate let feet slide and the body weave."""
    live = walking.live
    state, turns = live.begin([3], options=LiveOptions()), []
    for _ in range(180):
        state, _ = live.step(state, commands(place=[[3.0, 12.0]], facing=[0.0]), 1 / 30)
        turns.append(state.plan[0, TURN])
    sides = np.sign([turn for turn in turns if abs(turn) > 0.1])
    assert np.count_nonzero(np.diff(sides)) <= 2


@pytest.mark.parametrize("half_life", [0.12, 0.0])
def test_a_plan_is_spread_over_steps(walking, half_life):
    """A plan tries 17 first turns: six, six and five in three steps, and none in other steps, whatever the commands."""
    live, goals = walking.live, [([2.0, 4.0], 1.0)] * 60 + [([-3.0, 1.0], 2.0)] * 60 + [([1.0, -4.0], np.nan)] * 60
    state, work = live.begin([3], options=LiveOptions(half_life=half_life)), []
    for n, (place, facing) in enumerate(goals):
        creeping = np.array([place]) + [[0.001 * n, 0.0]]  # a goal that moves a little does not begin it anew
        before, (state, _) = state, live.step(state, commands(place=creeping, facing=facing), 1 / 30)
        work.append(state.plan[0, TRIED] - before.plan[0, TRIED])
    assert set(work) <= {0.0, 5.0, 6.0}
    busy = np.flatnonzero(work)
    whole = [sum(work[i : i + 3]) for i in busy if i + 3 <= len(work) and work[i] and all(work[i : i + 3])]
    assert max(whole) == FIRST_TURNS
    assert len(busy) > (100 if half_life else 10)
    assert sum(work) / FIRST_TURNS > (30 if half_life else 3)  # plans that were made


def test_characters_that_plan_do_not_depend_on_each_other(walking):
    live, goal = walking.live, np.array([[2.0, 4.0], [-3.0, 1.0], [0.0, -5.0]])
    places, facing = Travel(np.zeros((3, 2)), np.zeros(3)), np.array([1.0, np.nan, -2.0])
    crowd = live.begin([3, 4, 5], places)
    alone = live.begin([5], Travel(np.zeros((1, 2)), np.zeros(1)))
    for n in range(90):
        moved = goal + (0.5 if n > 40 else 0.0)
        crowd, shown = live.step(crowd, commands(place=moved, facing=facing), 1 / 30)
        alone, own = live.step(alone, commands(place=moved[2:], facing=facing[2:]), 1 / 30)
        np.testing.assert_array_equal(shown.rotations[2], own.rotations[0])
        np.testing.assert_array_equal(crowd.plan[2], alone.plan[0])


def test_a_place_inside_the_turning_circle_is_reported_and_still_reached(walking):
    live = walking.live
    place = np.array([[0.8 * walking.nodes[0].turning_radius, 0.0]])
    state = live.begin([3], Travel(np.zeros((1, 2)), np.zeros(1)))
    near = np.inf
    for n in range(360):
        state, poses = live.step(state, commands(place=place), 1 / 30)
        if n == 0:
            assert live.status(state).clamped[0]
        near = min(near, float(np.linalg.norm(poses.root[0, [0, 2]] - place[0])))
    assert near < 0.25


def test_random_drives_end_where_the_picture_allows(walking):
    live, rng = walking.live, np.random.default_rng(2)
    found = reachability(walking, 3.2)
    straight = int(np.abs(live.begin(np.arange(100)).used[:, 0]).argmin())
    state = live.begin(np.full(200, straight), Travel(np.zeros((200, 2)), np.zeros(200)))
    heading = np.zeros(200)
    for n in range(90):
        if n % 30 == 0:
            heading = heading + rng.uniform(-2, 2, 200)
        state, poses = live.step(state, commands(heading=heading), 1 / 30)
    ends = poses.root[:, [0, 2]]
    facing = root_headings(poses.rotations[:, 0], live.skeleton)
    assert found.allows(ends, facing).mean() >= 0.95
    assert found.allows(ends, facing[::-1]).mean() < 0.5  # the headings of others
    assert reachability(walking, 2.6).allows(ends, facing).mean() < 0.1  # they walked for 3 s
    assert not found.allows(np.array([[0.0, -3.0], [9.0, 9.0]]), np.zeros(2)).any()


def test_the_picture_prefers_no_side():
    soonest, seen = np.full((41, 41, 24), np.inf), np.zeros((81, 81, 48, 9), bool)
    spread(CAR, 0.1, 3.0, 0.25, seen, np.zeros((500_000, 6), np.float32), soonest, np.zeros(1, np.uint8))
    reached = np.isfinite(soonest)
    mirrored = reached[::-1][:, :, -np.arange(24) % 24]
    assert reached.sum() > 500
    assert (reached != mirrored).sum() < 0.03 * reached.sum()
    assert reached[20, 32, 0]  # 3 m straight ahead
    assert not reached[20, 33:, 0].any()


def test_reachability_refuses_what_it_cannot_draw(walking):
    with pytest.raises(BadRequest, match="expected a node that can turn"):
        reachability(walking, 3.0, node="fly")
    with pytest.raises(BadRequest, match="seconds: expected more than 0"):
        reachability(walking, -1.0)


@pytest.mark.parametrize("hubs", [1, 3])
def test_clips_of_a_fat_graph_meet_in_hub_poses(walking, hubs):
    fat = with_hubs(walking, hubs)
    fat.check()
    assert len(fat.nodes) == (1 if hubs == 1 else 7)
    for edge in fat.edges:
        a, b = (fat.nodes[i].space.rows for i in (edge.source, edge.target))
        end, begin = a.turns[a.lead + a.count], b.turns[b.lead]
        dots = np.abs((end[:, None] * begin[None]).sum(-1))
        assert dots.min() == pytest.approx(1.0, abs=2e-7)  # rounded to 32 bits
    with pytest.raises(BadRequest, match="expected 1 or 3"):
        with_hubs(walking, 2)


def test_larger_limits_reach_farther_with_worse_transitions(walking):
    trade = trade_off(walking.tables, walking.nodes, 0, 0, walking.config.region, 0.06, np.random.default_rng(1))
    assert len(trade.limits) == len(FACTORS) + 1
    assert trade.used == 0.06  # what the graph file says, between the other limits
    assert trade.limits[0] < 0.06 < trade.limits[-1]
    assert (np.diff(trade.reach) >= -0.05).all()
    assert trade.reach[-1] > trade.reach[4]
    known = ~np.isnan(trade.distance)
    assert trade.distance[known][-1] > trade.distance[known][0]


def test_edges_to_a_node_that_is_left_out_are_proposed(walks):
    clips = [*walks, make("duck", seed=1, height=1.2, fps=30)]
    nodes = ["walk clips=*walk parameter=turn", "duck clips=*duck cut=none"]
    model = learn(
        "parametric-graph", clips, {"node": nodes, "sources": 4, "targets": 20, "verified": 50, "samples": 20}
    )
    texts = [n.text for n in model.notes]
    (line,) = [t for t in texts if "duck is left out" in t]
    assert "walk > duck with good = " in line
    assert "duck > walk with good = " in line
    why = model.refuses(Act(action="duck", span=(1.0, 2.0)), 90)
    assert why.startswith("node duck was left out when the graph was learned: no edges lead to it and back")


def test_a_missing_edge_names_what_has_not_been_tried():
    missing = Proposal("jump", "run", needed=0.127, limit=0.079, part=0.0)
    report = Report("jump", "run", 0, 0, 0, 0, 0, 0, 0.0, 0.1, 0.0, 0.1, 0.14, "pairs remain too bad")
    assert missing.needs(None) == "jump > run, as another entry of [[edges]], with good = 12.7 cm"
    assert missing.needs(report) == "jump > run with good = 12.7 cm (limit 10.0)"
    failed = missing.needs(report._replace(good_limit=0.13))
    assert failed == "jump > run, which good = 13.0 cm does not make (pairs remain too bad)"


def test_the_way_to_a_node_that_is_left_out_may_lead_over_others():
    cost = np.array([[0, 9, 3], [4, 0, 9], [9, 2, 0]])  # 0 is kept: 0 > 2 > 1 is nearer than 0 > 1
    assert cheapest_ways(cost, [0]) == [[], [(0, 2), (2, 1), (1, 0)], [(0, 2), (2, 1), (1, 0)]]


def test_every_pair_can_be_tried(walking):
    (found,) = propose_edges(walking.tables, walking.nodes, [(0, 0)], walking.config.region)
    assert found.possible
    assert "is possible" in found.text
