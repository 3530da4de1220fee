"""The compiled score of a way against the rendered motion, term by term."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from motionloom.constraints import Avoid, PoseAt, PositionAt, Reach, Request, RootAt, RootPath, Style
from motionloom.constraints.path_error import along_path
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import placed, travel
from motionloom.methods.graph import Route
from motionloom.methods.graph.render.render import render
from motionloom.methods.hierarchical_graph._kernels import score
from motionloom.methods.hierarchical_graph.edge_trees import grow_trees
from motionloom.methods.hierarchical_graph.model import Options
from motionloom.methods.hierarchical_graph.objective import hard_frames, material, score_terms
from motionloom.methods.hierarchical_graph.search import RandomSearch, search_net
from motionloom.methods.schedule import Reachable, pose_distances

FRAMES = 60
FREE = {"smoothness": 0.0, "obstacles": 2.0, "style": 3.0}


def ways(graph, request, count, options=None):
    """Random ways with their scores, as the search makes them."""
    levels = grow_trees(graph, widest=3)
    m, terms, hard = (
        material(graph, levels),
        score_terms(graph, request, options or Options()),
        hard_frames(graph, {}, ()),
    )
    alive = Reachable(search_net(m), terms.frames)
    assert alive.first_dead < 0
    search = RandomSearch(m, terms, hard, alive, np.random.default_rng(0), gap=0)
    return [search.seed() for _ in range(count)]


def shown(graph, way, request):
    route = Route(way.start, tuple(int(e) for e in way.leaves), FRAMES)
    begin = request.beginning(FRAMES, 10.0)
    return placed(render(graph, route), begin.position, begin.heading), route


def slow_score(graph, way, request, options):
    """Each part from the rendered clip and the constraints' own residuals."""
    clip, route = shown(graph, way, request)
    largest = graph.transitions.distance.max()
    out = dict.fromkeys(("smoothness", "body", "joints", "style", "obstacles"), 0.0)
    out["smoothness"] = options.smoothness * graph.transitions.distance[list(route.taken)].sum() / largest
    path = travel(clip)
    for c in request.constraints:
        weight = 10.0 if c.weight is None else c.weight
        if isinstance(c, RootAt):
            out["body"] += options.body * weight * np.abs(c.residual(clip)).sum()
        elif isinstance(c, PositionAt):
            joint, frame = clip.skeleton.joint(c.joint), c.frame(FRAMES, 10.0)
            away = np.linalg.norm(fk(clip)[frame, joint] - c.target)
            out["joints"] += options.joints * weight * away
        elif isinstance(c, Style):
            out["style"] += options.style * weight * c.importance * c.worst(clip)
        elif isinstance(c, Reach):
            out["body"] += options.body * weight * c.errors(clip).sum(1).min()
        elif isinstance(c, Avoid):
            depth = c.residual(clip)
            out["obstacles"] += options.obstacles * weight * (depth.max() + depth.sum() / 10.0)
        elif isinstance(c, RootPath):
            samples = along_path(np.array(c.points), max(0.02, 4.0 / 40))
            places = 4.0 / 2.0  # metres of the path over metres that count as a place
            line = path.place[[*range(0, FRAMES - 1, 2), FRAMES - 1]]
            out["body"] += options.body * weight * places * slow_apart(line, samples)
    return out


def slow_apart(line, path):
    """Half the mean by dynamic time warping, half the worst by the discrete Frechet distance, cell by cell.

    The cells of the path are its first point, the pieces between its points (here 1001 points each), its last point.
    """
    finely = np.linspace(0.0, 1.0, 1001)[:, None]
    cells = [path[:1], *(a + finely * (b - a) for a, b in pairwise(path)), path[-1:]]
    d = np.array([[np.linalg.norm(cell - p, axis=1).min() for cell in cells] for p in line])
    total, worst = np.full(d.shape, np.inf), np.full(d.shape, np.inf)
    for i in range(len(line)):
        for j in range(len(cells)):
            before = [(i - 1, j), (i, j - 1), (i - 1, j - 1)]
            came = [(total[p], worst[p]) for p in before if min(p) >= 0] or [(0.0, 0.0)]
            total[i, j] = d[i, j] + min(t for t, _ in came)
            worst[i, j] = max(d[i, j], min(w for _, w in came))
    return 0.5 * total[-1, -1] / max(d.shape) + 0.5 * worst[-1, -1]


ASKED = {
    "nothing": (),
    "a place": (RootAt(time=2.0, position=(1, 2), weight=0.7),),
    "a heading at the end": (RootAt(time="end", heading=1.0, weight=2.0),),
    "a height, and a place that is hard": (RootAt(time=1.0, height=1.0, weight=1), RootAt(time=4, position=(3, 1))),
    "a joint": (PositionAt(joint="Mid", time=3.3, target=(1, 1, 1), weight=1.5),),
    "a style": (Style(label="fast", span=(1.0, 4.0), importance=0.5, weight=2),),
    "a goal": (Reach(position=(2, 1), by=4.0, weight=1),),
    "a goal with a heading": (Reach(position=(2, 1), heading=0.5, by=5.0, weight=1),),
    "an obstacle": (Avoid(center=(1, 1), radius=1.5, weight=1),),
    "a path": (RootPath(points=((0, 0), (2, 0), (2, 2)), weight=0.5),),
}


@pytest.mark.parametrize("asked", ASKED)
def test_a_score_is_what_the_rendered_motion_pays(graph, asked):
    request = Request(frames=FRAMES, fps=10, constraints=ASKED[asked])
    options = Options()
    seen = 0
    for way in ways(graph, request, 12, options):
        expected = slow_score(graph, way, request, options)
        seen += len(way.leaves)
        np.testing.assert_allclose(
            way.parts, [expected["smoothness"], 0.0, *list(expected.values())[1:]], atol=2e-3, err_msg=asked
        )
        assert way.score == pytest.approx(way.parts.sum())
    assert seen > 30  # the ways take transitions


def test_a_pose_is_scored_by_the_frame_that_is_shown(graph):
    asked = PoseAt(time=3.0, pose=graph.clips[1][7:8], weight=2.0)
    request = Request(frames=FRAMES, fps=10, constraints=(asked,))
    distances = pose_distances(graph.clips, asked)
    assert distances.argmin() == graph.starts[1] + 7
    checked = 0
    for way in ways(graph, request, 20):
        time, frame = 0, way.start
        for e in way.leaves:
            if time + graph.transitions.a[e] - frame > 30:
                break
            time += graph.transitions.a[e] - frame
            frame = graph.transitions.b[e]
        assert way.parts[3] == pytest.approx(2.0 * distances[frame + 30 - time])
        checked += 1
    assert checked == 20


def test_what_is_too_short_pays_for_each_missing_second_and_what_is_no_way_is_out(graph):
    request = Request(frames=FRAMES, fps=10)
    m, terms = material(graph, grow_trees(graph, widest=3)), score_terms(graph, request, Options(length=7.0))
    pieces, line, parts = np.zeros((9, 5)), np.empty((FRAMES + 2, 2)), np.empty(6)
    none = np.zeros(0, np.int64)
    value, used, lasts = score(m, terms, hard_frames(graph, {}, ()), 30, none, 0, np.inf, pieces, line, parts)
    assert (used, lasts) == (1, 10)  # the first clip has 40 frames
    assert value == parts[1] == pytest.approx(7.0 * 5.0)
    late = np.flatnonzero(graph.clip_of[graph.transitions.a] == 0)[-1:]  # it leaves before frame 39
    assert score(m, terms, hard_frames(graph, {}, ()), 39, late, 1, np.inf, pieces, line, parts)[0] == np.inf
    elsewhere = np.flatnonzero(graph.clip_of[graph.transitions.a] == 1)[:1]
    assert score(m, terms, hard_frames(graph, {}, ()), 0, elsewhere, 1, np.inf, pieces, line, parts)[0] == np.inf


def test_weights_multiply_their_part(graph):
    request = Request(frames=FRAMES, fps=10, constraints=(RootAt(time=2.0, position=(1, 2), weight=1),))
    plain = ways(graph, request, 5, Options())
    heavy = ways(graph, request, 5, Options(body=3.0, smoothness=0.5))
    for a, b in zip(plain, heavy, strict=True):
        np.testing.assert_allclose(b.parts, a.parts * [10, 1, 3, 1, 1, 1])


def test_a_bound_only_leaves_out_what_is_above_it(graph):
    request = Request(frames=FRAMES, fps=10, constraints=(*ASKED["a path"], *ASKED["an obstacle"]))
    m, terms = material(graph, grow_trees(graph, widest=3)), score_terms(graph, request, Options())
    space = np.zeros((99, 5)), np.empty((FRAMES + 2, 2)), np.empty(6)
    cut = 0
    for way in ways(graph, request, 20):
        for bound in (0.5 * way.score, 0.99 * way.score, 1.01 * way.score):
            value = score(m, terms, hard_frames(graph, {}, ()), way.start, way.leaves, len(way.leaves), bound, *space)[
                0
            ]
            assert value == pytest.approx(way.score) or (value == np.inf and bound < way.score)
            cut += value == np.inf
    assert cut > 10
