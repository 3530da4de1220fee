"""Edges against slow, plain versions of HECK 6.1.1 and 6.1.2."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from motionloom.blend.registered_clips import play
from motionloom.core import BadRequest, Clip
from motionloom.kinematics.feet.contacts import part_positions
from motionloom.kinematics.fk import fk
from motionloom.methods import learn
from motionloom.methods.parametric_graph import edge_verification, transition_points
from motionloom.methods.parametric_graph.config import WINDOW
from motionloom.methods.parametric_graph.edge_search import build_edge
from motionloom.methods.parametric_graph.edge_verification import EdgeSettings
from motionloom.methods.parametric_graph.fit import parse_edge, strong_part
from motionloom.methods.parametric_graph.node_specs import parse_node
from motionloom.methods.parametric_graph.transition_boxes import sample_box, trimmed_box
from motionloom.methods.parametric_graph.transition_points import middle_point
from motionloom.samples import make


def slow_cloud(model, node, weights, u):
    """Joints (3, J, 3) a tenth of a second around u, from frames that were played one after the other."""
    rows = node.space.rows
    frames = 4 * rows.count
    seconds = float(weights @ rows.durations)
    made = play(rows, model.skeleton, weights, 3 * frames, frames / seconds, begin=0.0)
    row = (made.position - rows.lead) / rows.count
    turns = np.concatenate([[0], np.cumsum(np.diff(row) < -0.5)])
    at = row + turns
    clip = Clip(model.skeleton, made.root, made.rotations, 30.0)
    places = fk(clip)
    here = int(np.abs(at - (u + 1)).argmin())
    around = round(float(model.tables.radius[0]) * frames / seconds)
    return places[[here - around, here, here + around]]


def slow_distance(p, q):
    """RMS distance of two clouds under the best turn and shift, found by trying turns."""
    w = np.array([0.25, 0.5, 0.25])[:, None] / p.shape[1]
    best = np.inf
    for angle in np.linspace(-np.pi, np.pi, 1441):
        c, s = np.cos(angle), np.sin(angle)
        turned = np.stack([c * q[..., 0] + s * q[..., 2], q[..., 1], c * q[..., 2] - s * q[..., 0]], -1)
        off = p - turned
        off[..., [0, 2]] -= (w[..., None] * off).sum((0, 1))[[0, 2]]
        best = min(best, float(np.sqrt((w * (off**2).sum(-1)).sum())))
    return best


def test_distances_are_those_of_plain_frames(walking):
    node = walking.nodes[0]
    weights = node.space.weights([[node.space.low[0]], [node.space.high[0]]]).weights
    best, points = transition_points.best_points(
        walking.tables, 0, 0, walking.nodes, weights[:1], weights[1:], 0.3, lambda *_: None
    )
    slow = slow_distance(*(slow_cloud(walking, node, w, u) for w, u in zip(weights, points[0, 0], strict=True)))
    assert best[0, 0] == pytest.approx(slow, rel=0.03)


def test_clips_are_laid_so_that_standing_feet_move_as_little_as_the_limit_allows(walking):
    """Of many shifts that are within the limit, none keeps them better."""
    from motionloom.methods.parametric_graph._kernels_alignment import cloud_distance, laid

    tables, space, rng = walking.tables, walking.nodes[0].space, np.random.default_rng(0)
    weights = space.weights([[space.low[0]], [space.high[0]]]).weights
    ends = [transition_points.point_clouds(tables, 0, w[None], np.zeros(1), np.zeros(1)) for w in weights]
    a, b = (tuple(x[0] for x in end) for end in ends)
    both = a[2] & b[2]

    def apart(turn, x, z):
        """RMS distance of the joints, and how far standing feet are apart on average, as b is laid."""
        c, s = np.cos(turn), np.sin(turn)
        points, feet = (
            np.stack([c * p[:, 0] + s * p[:, 2] + x, p[:, 1], c * p[:, 2] - s * p[:, 0] + z], 1) for p in b[:2]
        )
        square = ((a[0] - points) ** 2).sum(1).reshape(3, -1).mean(1) @ [0.25, 0.5, 0.25]
        return np.sqrt(square), np.hypot(*(a[1] - feet)[both][:, [0, 2]].mean(0))

    best, free = cloud_distance(a[0], b[0], tables.cloud), laid(a, b, tables.cloud, np.inf)
    assert apart(*free[1:]) == pytest.approx((free[0], 0.0), abs=1e-9)
    limit = 0.5 * (best[0] + free[0])
    assert limit > best[0] + 0.01
    found = laid(a, b, tables.cloud, limit)
    distance, moved = apart(*found[1:])
    assert distance == pytest.approx(found[0], abs=1e-9)
    assert limit - 1e-5 < distance <= limit
    assert moved < 0.7 * apart(*best[1:])[1]
    others = [apart(best[1], *(np.array(found[2:]) + rng.normal(0, 0.02, 2))) for _ in range(1000)]
    within = [far for d, far in others if d <= limit]
    assert len(within) > 100
    assert moved < min(within) + 1e-5
    for low in (0.0, 0.9 * best[0]):
        assert laid(a, b, tables.cloud, low) == pytest.approx(best)


def test_a_motion_goes_on_into_itself(walking):
    edge = walking.edges[0]
    np.testing.assert_allclose(edge.points, np.tile([1.0, 0.0], (len(edge.points), 1)), atol=0.06)
    assert ((edge.values >= edge.low - 1e-6) & (edge.values <= edge.high + 1e-6)).all()


def test_random_pairs_stay_below_the_limit_at_the_point_that_is_used(walking):
    found, _ = edge_verification.random_pairs(
        walking.tables, walking.nodes, walking.edges[0], 2, 500, np.random.default_rng(5)
    )
    assert found.max() <= walking.edges[0].report.bad_limit
    assert walking.edges[0].report.worst <= walking.edges[0].report.bad_limit


def test_boxes_shrink_until_no_pair_is_too_bad(walking):
    edge = walking.edges[0]
    settings = EdgeSettings(8, 60, 0.3, 0.01, 2, 300)
    anchors = (edge.low + edge.high) / 2
    limit = 0.6 * edge.report.worst
    rng = np.random.default_rng(1)
    boxes, worst, shrunk = edge_verification.verified_boxes(
        walking.tables, walking.nodes, edge, anchors, settings, limit, rng, lambda *_: None
    )
    assert worst <= limit
    assert shrunk > 0
    assert (boxes[1] - boxes[0] < edge.high - edge.low).any()


def test_trimming_keeps_every_bad_sample_out_whatever_their_order():
    rng = np.random.default_rng(3)
    bad, epsilon = rng.uniform(-1, 1, (12, 2)), np.array([0.05, 0.02])
    low, high = trimmed_box(np.array([-1.0, -1.0]), np.array([1.0, 1.0]), bad, epsilon)
    if (high >= low).all():
        inside = ((bad > low - epsilon) & (bad < high + epsilon)).all(1)
        assert not inside.any()
    again = trimmed_box(np.array([-1.0, -1.0]), np.array([1.0, 1.0]), bad[::-1], epsilon)
    np.testing.assert_array_equal([low, high], again)
    alone = trimmed_box(np.array([-1.0, -1.0]), np.array([1.0, 1.0]), np.array([[0.9, 0.0]]), epsilon)
    np.testing.assert_allclose(alone, [[-1, -1], [0.85, 1]])  # the least change


def test_a_box_is_trimmed_once_for_each_bad_sample_whatever_the_rounding():
    """The sample is above `low - epsilon` also when `low` is epsilon above it: this did not end."""
    bad, epsilon = np.array([[0.997209935789211]]), np.array([0.09808353387762302])
    assert bad[0, 0] > (bad[0, 0] + epsilon[0]) - epsilon[0]
    low, high = trimmed_box(np.array([0.95]), np.array([9.0]), bad, epsilon)
    assert (low[0], high[0]) == (bad[0, 0] + epsilon[0], 9.0)


def test_a_box_of_two_kinds_of_good_targets_can_be_held_around_one():
    """The least change leaves the wider kind, also where the best target is of the other."""
    to, epsilon = np.linspace(0.0, 1.0, 101)[:, None], np.array([0.01])
    good, bad = (to[:, 0] < 0.6) | (to[:, 0] > 0.8), (to[:, 0] > 0.65) & (to[:, 0] < 0.75)
    low, high, trimmed = sample_box(to, good, bad, epsilon)
    assert (low[0], high[0], trimmed) == (0.0, pytest.approx(0.65), True)
    low, high, trimmed = sample_box(to, good, bad, epsilon, np.array([0.9]))
    assert (low[0], high[0], trimmed) == (pytest.approx(0.75), 1.0, True)
    assert sample_box(to, good, bad, epsilon, np.array([0.7])) is None


def test_two_minima_give_the_medoid():
    one = np.array([[0.9, 0.1], [0.92, 0.1], [0.94, 0.12]])
    assert middle_point(one)[1] is False
    np.testing.assert_allclose(middle_point(one)[0], one.mean(0))
    two = np.array([[0.7, 0.0], [0.7, 0.01], [0.71, 0.0], [1.0, 0.3]])
    found, medoid = middle_point(two)
    assert medoid
    assert (two == found).all(1).any()


def test_no_edge_where_a_source_motion_has_no_good_continuation(walking):
    settings = EdgeSettings(8, 60, 0.3, 0.01, 2, 100)
    rng = np.random.default_rng(0)
    edge, report = build_edge(walking.tables, walking.nodes, 0, 0, settings, (1e-5, 2e-5), rng)
    assert edge is None
    assert report.reason.startswith("nothing follows turn ")


def test_lookup_is_the_interpolation_of_the_nearest_samples(walking):
    from motionloom.methods.parametric_graph._kernels_body import lookup

    tables, edge, space = walking.tables, walking.edges[0], walking.nodes[0].space
    samples = (edge.values - space.middle) / space.ranges
    for value in (-0.31, 0.02, float(samples[3, 0]), 2.0):
        low, high = np.empty(1), np.empty(1)
        leave, enter = lookup(tables, 0, np.array([value]), 3, low, high)
        far = np.abs(samples[:, 0] - value)
        near = np.argsort(far, kind="stable")[:3]
        raw = np.array([1 / max(far[i], 1e-12) - 1 / max(far[near[-1]], 1e-12) for i in near])
        shares = raw / raw.sum()
        np.testing.assert_allclose(low, shares @ tables.low[near], atol=1e-6)
        np.testing.assert_allclose(high, shares @ tables.high[near], atol=1e-6)
        np.testing.assert_allclose([leave, enter], shares @ tables.points[near], atol=1e-6)


def test_nodes_without_a_way_back_are_left_out():
    edge = lambda a, b: type("E", (), {"source": a, "target": b})()
    assert strong_part(3, [edge(0, 0), edge(0, 1), edge(1, 0), edge(1, 2)]) == ([0, 1], [2])
    assert strong_part(2, [edge(0, 1)]) == ([], [0, 1])


def test_a_graph_that_ends_everywhere_is_an_error_with_the_reasons(walks):
    with pytest.raises(BadRequest, match=r"no motion can continue without end: walk > walk: .* nothing follows turn"):
        learn("parametric-graph", walks[:3], {"good": 0.001, "bad": 0.001, "sources": 4, "targets": 20, "samples": 20})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("walk clip=x", "node walk: .*'clip'"),
        ("clips=x", "expected the name of a node first"),
        ("walk before=soon", "expected seconds"),
    ],
)
def test_a_wrong_line_about_a_node_is_an_error(line, message):
    with pytest.raises(BadRequest, match=message):
        parse_node(line)


def test_lines_about_nodes_and_edges():
    node = parse_node("walk clips=a*|b.bvh parameter=turn+speed cut=cycles")
    assert (node.clips, node.parameter, node.cut) == (("a*", "b.bvh"), ("turn", "speed"), "cycles")
    assert parse_node(node.text) == node
    assert parse_edge("walk>run good=0.1", {"walk": 0, "run": 1})[:3] == (0, 1, 0.1)
    for wrong in ("walk", "walk>fly", "walk>run good=ten", "walk>run nice=1"):
        with pytest.raises(BadRequest):
            parse_edge(wrong, {"walk": 0, "run": 1})


def test_parameters_are_scaled_as_a_line_says(walks, walking):
    """Turns count for a third of their range; what they do stays the same."""
    small = {"sources": 4, "targets": 20, "verified": 50, "samples": 40}
    learned = learn("parametric-graph", walks, {"node": ["walk parameter=turn scale=3"], **small})
    space, plain = learned.nodes[0].space, walking.nodes[0].space
    np.testing.assert_allclose(space.ranges, 3 * plain.ranges, rtol=0.02)
    asked = np.linspace(plain.low, plain.high, 7)
    np.testing.assert_allclose(space.weights(asked).used, asked, atol=float(0.01 * plain.ranges[0]))
    for line, message in (("scale=1|2", "expected 1 number, found 2"), ("scale=0", "numbers from 0.01 to 100")):
        with pytest.raises(BadRequest, match=message):
            learn("parametric-graph", walks, {"node": [f"walk parameter=turn {line}"], **small})


def test_ground_that_rises_is_carried_over():
    """Up and down again a hundred times: the floor is where it was."""
    from motionloom.core.poses import commands

    up = [make("steps", seed=1, count=1, rise=r, direction="up", fps=30) for r in (0.12, 0.18, 0.24)]
    down = [make("steps", seed=1, count=1, rise=r, direction="down", fps=30) for r in (0.12, 0.18, 0.24)]
    named = [
        *(clip_named(c, f"up{i}") for i, c in enumerate(up)),
        *(clip_named(c, f"down{i}") for i, c in enumerate(down)),
    ]
    model = learn(
        "parametric-graph",
        named,
        {
            "node": ["up clips=up* parameter=climb cut=none", "down clips=down* parameter=climb cut=none"],
            "edge": ["up>down", "down>up"],
            "good": 0.12,
            "bad": 0.17,
            "sources": 4,
            "targets": 30,
            "verified": 100,
            "samples": 30,
        },
    )
    assert (model.nodes[0].rises > 0.05).all()
    live = model.live
    low, high = (float(f(model.nodes[0].space.values[:, 0])) for f in (np.min, np.max))
    state, begin, height, above = live.begin([1]), None, 0.5 * (low + high), []
    while state.clips[0] < 200:
        going_up = state.node[0, 0] == 0
        given = commands(action=[int(going_up)], values=[[-height if going_up else height]])
        shown = int(state.clips[0])
        state, poses = live.step(state, given, 0.3)
        level = float(state.level[0, 0])
        if state.clips[0] > shown and state.node[0, 0] == 0:
            begin = level if begin is None else begin
            assert level == pytest.approx(begin, abs=0.01)
        elif state.clips[0] > shown:  # the clip down has begun: another height for the next pair
            height = low + (high - low) * (state.clips[0] * 0.37 % 1.0)
        if state.node[0, 0] == 0 and state.mixing[0] < 0:  # going up: the lower foot is on the ground carried over
            clip = Clip(model.skeleton, poses.root, poses.rotations, 30.0)
            above.append(float(part_positions(clip)[..., 1].min()) - level)
    assert abs(min(above[:20]) - min(above[-20:])) < 0.01


def clip_named(clip, name):
    import dataclasses

    from motionloom.core import replace

    return replace(clip, origin=dataclasses.replace(clip.origin, name=name))


def test_edges_do_not_depend_on_the_number_of_threads(walks, walking):
    import numba

    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        alone = learn("parametric-graph", walks, walking.config)
    finally:
        numba.set_num_threads(before)
    for a, b in zip(alone.edges, walking.edges, strict=True):
        for name in ("values", "low", "high", "points"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_points_leave_room_for_half_a_window_in_every_example():
    fast = np.full((52, 2), 1 / 30)
    fast[:8, 1] = fast[-8:, 1] = 1 / 90  # an example whose first and last rows pass quickly
    rows = SimpleNamespace(paces=fast, lead=5, count=40, cyclic=False, size=2)
    clock = np.linspace(0.0, 40 / 30, 41)
    node = SimpleNamespace(
        clock=clock, space=SimpleNamespace(rows=rows), at_seconds=lambda s: np.interp(s, clock, np.linspace(0, 1, 41))
    )
    half = 0.5 * WINDOW + 1 / 30
    enter, leave = (transition_points.region_points(node, 0.3, end=end, fps=30.0) for end in (False, True))
    first, last = rows.lead + enter.min() * rows.count, rows.lead + leave.max() * rows.count
    assert fast[1 : int(first), 1].sum() >= half - 1e-9
    assert fast[int(last) : -2, 1].sum() >= half - 1 / 90
    assert enter.max() == pytest.approx(0.3, abs=0.02)
    rows.cyclic = True
    assert transition_points.region_points(node, 0.3, end=False, fps=30.0)[0] == 0.0
