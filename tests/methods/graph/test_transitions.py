"""Transitions of a graph against slow searches, and what must hold for every one of them."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.analysis.cloud_search import build_clouds, near_pairs
from motionloom.analysis.point_cloud import PointCloud
from motionloom.analysis.similarity import measure_named
from motionloom.analysis.weights import joint_weights
from motionloom.blend.crossfade import CLOUD, laid_for_plants
from motionloom.blend.join import prepare
from motionloom.blend.transition_point import Point, laid_on
from motionloom.core import BadRequest, Clip, SkeletonMismatch, silent, with_labels
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import ground_turn, moved, travel, turned
from motionloom.methods.graph.build import transitions as building
from motionloom.methods.graph.build.ground_alignment import clip_spans
from motionloom.methods.graph.build.transitions import build_graph, find_transitions, graph_clips, similar_pairs
from motionloom.rotation import exp
from motionloom.samples import make

FPS = 30.0


def dance(skeleton, seed, frames):
    """Joints that swing in a few slow waves, hips that wander: much of it comes again, nothing twice."""
    rng = np.random.default_rng(seed)
    t = np.arange(frames)[:, None, None] / FPS
    waves = sum(
        rng.normal(0, 0.35, (len(skeleton), 3)) * np.sin(2 * np.pi * f * t + rng.uniform(0, 6.3, (len(skeleton), 3)))
        for f in (0.7, 1.0, 1.3)
    )
    steps = rng.normal(0, 0.01, (frames, 3))
    root = np.cumsum(steps, 0) * [1, 0.2, 1] + [3, 1, -2]
    return Clip(skeleton, root, exp(waves / 2), FPS)


@pytest.fixture(scope="module")
def dances(arm):
    return [dance(arm, seed, frames) for seed, frames in ((1, 50), (2, 32), (3, 18), (4, 60))]


def slow_pairs(clips, measure, *, half, reach, limit, radius, shortest):
    """Every two clips, every cell, every neighbour: {(a, b): distance}, frames counted through all clips."""
    starts = np.concatenate([[0], np.cumsum([len(c) for c in clips])])
    margin = max(half, reach)
    found = {}
    for i, one in enumerate(clips):
        for j, other in enumerate(clips):
            if min(len(one), len(other)) <= 2 * margin:
                continue
            d = np.full((len(one), len(other)), np.inf)
            r = measure.radius
            d[r : len(one) - r, r : len(other) - r] = measure.matrix(one, other)
            d = d[margin : len(one) - margin, margin : len(other) - margin]
            for x in range(d.shape[0]):
                for y in range(d.shape[1]):
                    if d[x, y] > limit or (i == j and abs(x - y) < shortest):
                        continue
                    around = d[max(x - radius, 0) : x + radius + 1, max(y - radius, 0) : y + radius + 1]
                    if radius == 0 or d[x, y] == around.min():
                        found[int(starts[i] + margin + x), int(starts[j] + margin + y)] = float(d[x, y])
    return found


@pytest.mark.parametrize("minima", [True, False])
@pytest.mark.parametrize(("window", "limit", "apart"), [(0.35, 0.25, 0.1), (0.2, 0.3, 0.2), (0.0, 0.2, 0.07)])
def test_the_pairs_of_point_clouds_are_those_of_a_slow_search(dances, minima, window, limit, apart):
    found = find_transitions(
        dances, window=window, blend=0.2, limit=limit, minima=minima, apart=apart, shortest=0.3, measure="point-cloud"
    )
    measure = PointCloud(radius=round(window * FPS / 2), precision="double")
    radius = round(apart * FPS) if minima else 0
    slow = slow_pairs(
        dances, measure, half=3, reach=measure.radius, limit=limit**2, radius=radius, shortest=round(0.3 * FPS)
    )
    assert len(slow) > 10
    assert list(zip(found.a.tolist(), found.b.tolist(), strict=True)) == sorted(slow)
    np.testing.assert_allclose(found.distance, np.sqrt([slow[k] for k in sorted(slow)]), atol=2e-6)


@pytest.mark.parametrize(("name", "limit", "reach"), [("joint-angles", 2.0, 1), ("joint-positions", 4.0, 2)])
def test_the_pairs_of_other_measures_are_those_of_a_slow_search(dances, name, limit, reach):
    found = find_transitions(dances, measure=name, blend=0.05, limit=limit, apart=0.1, shortest=0.3)
    measure = measure_named(name, database=dances)
    slow = slow_pairs(dances, measure, half=1, reach=reach, limit=limit, radius=3, shortest=9)
    assert len(slow) > 10
    assert list(zip(found.a.tolist(), found.b.tolist(), strict=True)) == sorted(slow)
    np.testing.assert_allclose(found.distance, [slow[k] for k in sorted(slow)], rtol=1e-4, atol=1e-5)


def test_curvature_tells_pairs_apart_although_there_are_sharp_corners_between_clips():
    clips = [resample(make("walk", seconds=3, seed=k), FPS) for k in range(3)]
    for k in (1, 2):  # goes on where the last one ended, to the left: a far sharper corner than any in the clips
        ends, starts = travel(clips[k - 1]), travel(clips[k])
        clip = turned(clips[k], np.pi / 2 + ends.heading[-1] - starts.heading[0])
        clips[k] = moved(clip, ends.place[-1] - travel(clip).place[0])
    found = find_transitions(clips, measure="curvature", window=0.3)
    starts = np.concatenate([[0], np.cumsum([len(c) for c in clips])])
    measure = measure_named("curvature", radius=round(0.3 * FPS / 2))
    w = joint_weights(clips[0].skeleton, measure.weights)
    seen = [measure.windows(clip, w) for clip in clips]

    def bend(n):
        k = int(np.searchsorted(starts, n, side="right")) - 1
        return seen[k][n - starts[k] - measure.radius]

    alike = np.array([bend(a) @ bend(b) for a, b in zip(found.a, found.b, strict=True)])
    assert len(found) > 20
    np.testing.assert_allclose(found.distance - found.distance[0], alike[0] - alike, atol=1e-3 * np.ptp(alike))


def test_pairs_that_curvature_rejects_are_never_joined_whatever_the_limit():
    clips = graph_clips([resample(make("walk", seconds=3, seed=seed), FPS) for seed in (0, 1)])
    most, tiles = similar_pairs(clips, measure="curvature", limit=1e12, minima=False, shortest=0.0)
    frames = np.concatenate([pairs for pairs, _ in tiles])
    assert most == 1e12
    span = sum(len(clip) for clip in clips)
    assert 0 < len(frames) < 0.1 * span * (span - 1) / 2  # 5 % are candidates; all pairs before


def test_curvature_joins_frames_that_bend_alike(body):
    clips = graph_clips([make("walk", seed=1), make("walk", seed=2)])
    found = find_transitions(clips, measure="curvature")
    assert len(found) > 4
    assert set(zip(found.a, found.b, strict=True)) == set(zip(found.b, found.a, strict=True))


@pytest.mark.parametrize("step", [2, 3, 8])
def test_bounds_for_whole_stretches_lose_nothing(dances, step):
    span = clip_spans(dances, 6)
    found = build_clouds(np.concatenate([fk(c) for c in dances]), np.ones(3), span, PointCloud())
    kind, table = np.zeros(len(span), np.int64), np.array([[0.25]])
    one, many = (list(near_pairs(found, kind, table, step=s, radius=3, apart=9, progress=silent())) for s in (1, step))
    cells, values = (np.concatenate([tile[k] for tile in one]) for k in (0, 1))
    more, same = (np.concatenate([tile[k] for tile in many]) for k in (0, 1))
    order = np.lexsort((more[:, 1], more[:, 0]))
    assert len(cells) > 10
    assert np.array_equal(cells[np.lexsort((cells[:, 1], cells[:, 0]))], more[order])
    assert np.array_equal(values[np.lexsort((cells[:, 1], cells[:, 0]))], same[order])


def test_tiles_do_not_show(dances, monkeypatch):
    whole = find_transitions(dances, limit=0.25, apart=0.2)
    monkeypatch.setattr("motionloom.analysis.cloud_search.TILE", 13)
    small = find_transitions(dances, limit=0.25, apart=0.2)
    assert np.array_equal(whole.a, small.a)
    assert np.array_equal(whole.b, small.b)
    angles = find_transitions(dances, measure="joint-angles", limit=2.0)
    monkeypatch.setattr(building, "TILE", 17)
    again = find_transitions(dances, measure="joint-angles", limit=2.0)
    assert np.array_equal(angles.a, again.a)
    assert np.array_equal(angles.b, again.b)


def test_the_bits_are_the_same_for_any_number_of_threads(dances):
    import numba

    most = numba.config.NUMBA_NUM_THREADS
    results = []
    for threads in (1, most):
        numba.set_num_threads(threads)
        results.append(find_transitions(dances, limit=0.25, minima=False))
    for field in ("a", "b", "distance", "turn", "shift"):
        assert getattr(results[0], field).tobytes() == getattr(results[1], field).tobytes()


def test_where_clips_stand_and_face_changes_no_pair(dances):
    away = [moved(turned(c, 0.7 + i), (900.0, -40.0 * i)) for i, c in enumerate(dances)]
    here, there = (find_transitions(clips, limit=0.25) for clips in (dances, away))
    assert np.array_equal(here.a, there.a)
    assert np.array_equal(here.b, there.b)
    np.testing.assert_allclose(here.distance, there.distance, atol=1e-5)


def test_every_blend_has_room_in_both_clips(dances):
    graph = build_graph(dances, limit=0.3, blend=0.5, apart=0.05)
    at, clip = graph.transitions, graph.clip_of
    assert len(at)
    for frame in (at.a, at.b):
        assert (frame - graph.half >= graph.starts[clip[frame]]).all()
        assert (frame + graph.half < graph.starts[clip[frame] + 1]).all()


def test_frames_of_one_clip_that_are_near_in_time_are_not_joined(dances):
    found = find_transitions(dances, limit=0.3, shortest=0.6, minima=False)
    graph = build_graph(dances, limit=0.3, shortest=0.6, minima=False)
    same = graph.clip_of[found.a] == graph.clip_of[found.b]
    assert same.any()
    assert np.abs(found.a - found.b)[same].min() == round(0.6 * FPS)


def test_limits_of_two_labels_go_before_the_common_one(dances):
    clips = [with_labels(c, {"calm" if i % 2 else "wild": np.ones(len(c), bool)}) for i, c in enumerate(dances)]
    made = graph_clips(clips)
    at = find_transitions(made, limit=0.3)
    strict = find_transitions(made, limit=0.3, limits="calm wild 20cm")
    kind = np.repeat(np.arange(len(made)) % 2, [len(c) for c in made])
    mixed = kind[at.a] != kind[at.b]
    keep = ~mixed | (at.distance <= 0.2)
    assert 0 < (mixed & keep).sum() < mixed.sum()
    assert np.array_equal(strict.a, at.a[keep])
    assert np.array_equal(strict.b, at.b[keep])
    same = find_transitions(made, limit=0.3, limits={("wild", "calm"): 0.2})
    assert np.array_equal(same.a, strict.a)


def test_with_contacts_the_same_feet_stand_in_both_frames():
    clips = graph_clips([make("walk", seed=1), make("walk", speed=1.4, seed=2)])
    free, bound = find_transitions(clips), find_transitions(clips, contacts=True)
    labels = [p.label for p in foot_parts(clips[0].skeleton)]
    stands = np.concatenate([np.stack([c.label(n) for n in labels], 1) for c in clips])
    agree = (stands[free.a] == stands[free.b]).all(1)
    assert 0 < agree.sum() < len(agree)
    assert np.array_equal(bound.a, free.a[agree])
    assert np.array_equal(bound.b, free.b[agree])


@pytest.mark.parametrize("blend", [0.4, 0.1])
def test_a_transition_lies_where_a_blend_of_the_two_clips_would_lay_it(blend):
    clips = [turned(make("walk", seed=1), 0.4), make("walk", speed=1.4, turn=0.8, seed=2), make("run", seed=3)]
    graph = build_graph(clips, blend=blend, limit=0.2)
    at, planted = graph.transitions, 0
    assert len(at) > 20
    for k in range(0, len(at), max(1, len(at) // 20)):
        one, other = (int(graph.clip_of[f[k]]) for f in (at.a, at.b))
        point = Point(int(at.a[k] - graph.starts[one]), int(at.b[k] - graph.starts[other]), 0.0)
        join = prepare(graph.clips[one], graph.clips[other], point, blend, plants=True)
        best = laid_on(join.a, join.b, join.point, radius=CLOUD)
        planted += join.fit(best.clip(join.b))[1:3] != (0.0, 0.0)
        laid = laid_for_plants(join, best)
        mine = ground_turn(at.turn[k], join.b.root[:, [0, 2]]) + at.shift[k]
        np.testing.assert_allclose(mine, laid.root[:, [0, 2]], atol=1e-9)
    assert planted > 5


def test_a_body_without_feet_has_transitions_too(dances):
    found = find_transitions(dances, limit=0.25)
    graph = build_graph(dances, limit=0.25)
    k = len(found) // 2
    i, j = (int(graph.clip_of[f[k]]) for f in (found.a, found.b))
    point = Point(int(found.a[k] - graph.starts[i]), int(found.b[k] - graph.starts[j]), 0.0)
    best = laid_on(dances[i], dances[j], point, radius=CLOUD)
    np.testing.assert_allclose(found.shift[k], [best.x, best.z], atol=1e-9)
    assert found.turn[k] == pytest.approx(best.angle)
    with pytest.raises(BadRequest, match="expected a body with feet, found none"):
        find_transitions(dances, contacts=True)


def test_clips_too_short_for_a_blend_are_joined_to_nothing(arm):
    assert len(build_graph([dance(arm, 1, 12), dance(arm, 2, 10)]).transitions) == 0


def test_clips_that_cannot_be_one_graph_are_refused(arm, body):
    clip = dance(arm, 1, 30)
    with pytest.raises(SkeletonMismatch):
        build_graph([clip, dance(body, 1, 30)])
    with pytest.raises(BadRequest, match="frame rate"):
        build_graph([clip, Clip(arm, clip.root, clip.rotations, 60.0)])
    with pytest.raises(BadRequest, match="at least one clip"):
        build_graph([])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"measure": "taste"}, "expected one of joint-angles"),
        ({"limit": -1.0}, "limit: expected a number of at least 0, found -1"),
        ({"apart": np.nan}, "apart"),
        ({"blend": 0.0}, "longer than 0 s"),
        ({"window": -1.0}, "window"),
        ({"limits": "walk jog 9cm"}, "no clip carries the label 'walk'; these clips carry no labels"),
        ({"limits": "walk 9cm"}, "two labels and a limit"),
        ({"limits": "walk jog 9deg"}, "walk jog: expected a length"),
    ],
)
def test_settings_that_make_no_sense_are_refused(dances, wrong, said):
    with pytest.raises(BadRequest, match=said):
        build_graph(dances, **wrong)


def test_nothing_is_lost_on_real_clips(mocap):
    from motionloom.io import load

    clips = graph_clips([resample(load(mocap / "cmu" / f"60_{n:02d}.bvh")[1:], 30.0) for n in (1, 8)])
    found = find_transitions(clips)
    span = clip_spans(clips, 6)
    points = np.concatenate([fk(c) for c in clips])
    measure = PointCloud(precision="double")
    rules = building._Rules(span, np.zeros(len(span), np.int64), np.array([[0.08**2]]), 3, 15)
    tiles = list(building._tiles(measure.between(points, points, np.ones(31)), rules, silent()))
    whole = {tuple(pair) for cells, _ in tiles for pair in cells.tolist()}
    mine = {(a, b) for a, b in zip(found.a.tolist(), found.b.tolist(), strict=True) if a < b}
    assert len(whole) > 50
    assert len(whole & mine) >= 0.99 * len(whole)
    for a, b in whole - mine:  # single precision: one frame beside it is as near
        assert any((a + i, b + j) in mine for i in (-1, 0, 1) for j in (-1, 0, 1))


@pytest.mark.parametrize("name", ["point-cloud", "joint-angles", "joint-positions", "curvature"])
def test_the_order_of_the_clips_does_not_matter(name):
    """With clips in a row, the jump from one to the next once set the scale of curvature."""
    clips = [resample(make("walk", seconds=2, seed=k, turn=0.4 * k), FPS) for k in range(4)]
    clips = [moved(clip, np.array([50.0 * k, -30.0 * k])) for k, clip in enumerate(clips)]

    def named(order):
        given = [clips[k] for k in order]
        limit = 0.15 if name == "point-cloud" else None
        found = find_transitions(given, measure=name, window=0.3, limit=limit)
        starts = np.concatenate([[0], np.cumsum([len(c) for c in given])])
        clip = [np.searchsorted(starts, ends, side="right") - 1 for ends in (found.a, found.b)]
        ends = [(np.array(order)[k], n - starts[k]) for k, n in zip(clip, (found.a, found.b), strict=True)]
        rows = zip(*(column.tolist() for end in ends for column in end), strict=True)
        return dict(zip(rows, found.distance.tolist(), strict=True))

    one, other = named([0, 1, 2, 3]), named([2, 0, 3, 1])
    assert len(one) > 10
    assert one.keys() == other.keys()
    np.testing.assert_allclose([one[k] for k in one], [other[k] for k in one], rtol=1e-3, atol=1e-5)
    if name == "curvature":  # on the old scale, all distances agreed to 1e-5
        assert np.ptp(list(one.values())) > 0.01 * max(one.values())
