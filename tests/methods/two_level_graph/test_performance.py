"""Acting out: the cheapest way against all ways, and performances found again."""

from __future__ import annotations

import dataclasses
import os
import struct
import zlib

import numpy as np
import pytest
from hand_made import graph_of
from PIL import Image

from learning_inputs import from_files
from motionloom.core import BadRequest, FormatError, NoPath, replace
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import travel, turned
from motionloom.methods import learn
from motionloom.methods.graph import Route
from motionloom.methods.graph.render.root_tracks import tracks
from motionloom.methods.two_level_graph.clusters import cluster_features
from motionloom.methods.two_level_graph.markov import chain, reading
from motionloom.methods.two_level_graph.masks import fitted_masks, mask_files, read_masks
from motionloom.methods.two_level_graph.performance import (
    PerformanceMatch,
    _rival,
    act_out,
    act_out_masks,
    ambiguity,
    best_match,
    match_masks,
    match_performance,
)
from motionloom.methods.two_level_graph.silhouettes import silhouettes
from motionloom.rotation import exp, multiply
from motionloom.samples import make


def shown(graph, route):
    """The frame of the graph that stands for each frame of a route; blends read as they do in the search."""
    out, at = [], route.start
    for t in route.taken:
        out += [*range(at, int(graph.leave[t]) + 1), *reading(graph, t)[:-1].tolist()]
        at = int(graph.enter[t])
    out += range(at, at + route.frames - len(out))
    return np.array(out[: route.frames])


def every_route(lower, apart, frames, angles, smooth):
    """The least cost over all ways and all guesses where the camera stands. Very slow."""
    graph, best = lower.graph, np.inf
    heading = tracks(graph).heading
    views = apart.shape[2]

    def view(camera, n):
        return int(np.floor((camera - heading[n]) * views / (2 * np.pi) + 0.5)) % views

    def walk(n, t, camera, cost):
        nonlocal best
        if t == frames - 1:
            best = min(best, cost)
            return
        if np.isfinite(lower.go[n]):
            walk(n + 1, t + 1, camera, cost + apart[t + 1, n + 1, view(camera, n + 1)])
        for e in np.flatnonzero(graph.leave == n):
            if t + graph.blend > frames - 1:
                continue
            more, seen = smooth * graph.transitions.distance[e] / lower.delta, camera
            for k, m in enumerate(reading(graph, int(e))):
                if k == graph.half:
                    seen = camera - graph.transitions.turn[e]
                more += apart[t + 1 + k, m, view(seen, m)]
            walk(int(graph.enter[e]), t + graph.blend, camera - graph.transitions.turn[e], cost + more)

    for angle in angles:
        for n in range(graph.count):
            walk(n, 0, heading[n] + angle, apart[0, n, view(heading[n] + angle, n)])
    return best


@pytest.mark.parametrize("seed", range(6))
def test_the_way_found_is_the_cheapest_of_all(seed, monkeypatch):
    monkeypatch.setattr("motionloom.methods.two_level_graph.performance.BLOCK", 3)
    rng = np.random.default_rng(seed)
    half = 1 + seed % 2
    graph = graph_of([10, 10], [(4, 13, 0.3), (5, 16, 0.1), (15, 3, 0.2), (14, 12, 0.5), (6, 3, 0.4)], half)
    turn = rng.uniform(-3, 3, size=5)
    graph = dataclasses.replace(graph, transitions=dataclasses.replace(graph.transitions, turn=turn))
    frames, views = 9, 1 if seed < 2 else 4
    apart = rng.uniform(0, 1, size=(frames, graph.count, views)).astype(np.float32)
    lower = chain(graph, 0.5)
    angles = np.arange(views) * (2 * np.pi / views)
    found = best_match(lower, lambda a, b: apart[a:b], frames, angles, smooth=0.3)
    assert found.cost * frames == pytest.approx(every_route(lower, apart, frames, angles, 0.3), rel=1e-5)
    assert found.route.frames == frames
    # the route that is told costs what is told
    heading = tracks(graph).heading
    camera, total, at = heading[found.route.start] + found.view, 0.0, 0
    nodes = shown(graph, found.route)
    turns = np.zeros(frames)
    for t in found.route.taken:
        at = int(np.flatnonzero(nodes == graph.transitions.b[t] + 1)[0]) if half else at
        turns[at:] += graph.transitions.turn[t]
        total += 0.3 * graph.transitions.distance[t] / 0.5
    if len(set(nodes.tolist())) == frames:  # else a frame is shown twice and `at` above may be another time
        for k, n in enumerate(nodes):
            v = int(np.floor((camera - turns[k] - heading[n]) * views / (2 * np.pi) + 0.5)) % views
            total += apart[k, n, v]
        assert total == pytest.approx(found.cost * frames, rel=1e-5)


def test_a_performance_longer_than_any_way_is_refused():
    lower = chain(graph_of([6, 8], [(3, 9, 0.1)]), 1.0)
    with pytest.raises(NoPath, match=r"no route through this graph lasts 30 frames.*longest clip has 8 frames"):
        best_match(lower, lambda a, b: np.zeros((b - a, 14, 1), np.float32), 30, np.zeros(1), smooth=0.3)


@pytest.fixture(scope="module")
def model():
    clips = [
        make("walk", seed=s, turn=t, speed=v, seconds=3) for s, t, v in ((0, 0, 1.3), (1, 0.7, 1.2), (2, -0.7, 1.4))
    ]
    clips += [make("punch", seed=3), make("wave", seed=4)]
    return learn("two-level-graph", from_files(clips), {"limit": 0.2})


@pytest.mark.parametrize("which", range(5))
def test_a_source_clip_is_found_again_by_its_poses(model, which):
    graph = model.graph
    found = match_performance(model, turned(graph.clips[which], 1.0))
    truth = graph.starts[which] + np.arange(len(graph.clips[which]))
    assert found.view is None
    assert (np.abs(shown(graph, found.route) - truth) <= 2).mean() > 0.95


@pytest.mark.parametrize("which", range(5))
def test_a_source_clip_is_found_again_by_its_silhouettes_from_a_viewpoint_nobody_tells(model, which):
    graph, camera = model.graph, np.radians(47.0)  # between two viewpoints
    found = match_performance(model, turned(graph.clips[which], 1.0), camera=camera)
    truth = graph.starts[which] + np.arange(len(graph.clips[which]))
    looks = cluster_features(graph.clips)  # a computed walk repeats itself: the same pose one cycle later is right too
    apart = np.linalg.norm(looks[shown(graph, found.route)] - looks[truth], axis=1)
    assert (apart < 0.06).mean() > 0.85
    assert abs(found.view - camera) < np.radians(20)


def test_a_viewpoint_from_which_it_fits_nearly_as_well_is_told():
    angles = np.radians([0.0, 40, 60, 140, 160])
    assert _rival(angles, np.array([9, 1.0, 1.1, 1.4, 1.2]), 1) == angles[4]  # 60 is near, so no rival
    assert _rival(angles, np.array([9, 1.0, 1.1, 2.0, 1.6]), 1) is None
    assert _rival(angles[:1], np.array([1.0]), 0) is None


def test_a_clumsy_performance_is_found_too(model, rng):
    graph = model.graph
    clip = graph.clips[1]
    shake = 0.06 * rng.normal(size=(1, clip.rotations.shape[1], 3))
    clumsy = replace(clip, rotations=multiply(clip.rotations, exp(shake)))
    truth = graph.starts[1] + np.arange(len(clip))
    assert (np.abs(shown(graph, match_performance(model, clumsy).route) - truth) <= 3).mean() > 0.9


def test_a_performance_is_played_by_the_models_clips(model):
    performed = turned(resample(model.graph.clips[4], 60), 0.8)
    played = act_out(model, performed)
    assert played.clip.fps == 60
    assert abs(len(played.clip) - len(performed)) <= 2
    assert played.apart < 0.02
    np.testing.assert_allclose(played.clip.root[0, [0, 2]], performed.root[0, [0, 2]], atol=1e-6)
    assert abs(travel(played.clip).heading[0] - travel(performed).heading[0]) < 1e-6
    assert played.clip.origin.made[-1].describe() == "act with two-level-graph"
    assert any("acted out" in str(note) for note in played.clip.origin.notes)


def test_telling_where_the_camera_stands_changes_nothing_but_the_guess(model):
    clip = model.graph.clips[3]
    told = match_performance(model, clip, camera=np.radians(40.0), camera_known=True)
    free = match_performance(model, clip, camera=np.radians(40.0))
    assert told.view == pytest.approx(np.radians(40.0))
    assert free.cost <= told.cost + 1e-6


def test_masks_of_images_are_acted_out_like_the_clip_that_they_show(model, tmp_path):
    graph, camera = model.graph, np.radians(80.0)
    clip = graph.clips[0]
    turn = travel(clip).heading - travel(clip).heading[0]
    drawn = silhouettes(clip, camera - turn)
    large = np.kron(drawn[:, ::-1], np.ones((1, 3, 3))).astype(np.uint8)  # row 0 at the top, three times as large
    large = np.pad(large, ((0, 0), (20, 11), (40, 5)))
    for f, mask in enumerate(large):
        Image.fromarray(255 * (1 - mask) if f % 2 else 255 * mask).save(tmp_path / f"{f:04d}.png")
    images = read_masks(mask_files(tmp_path))
    assert (images == large.astype(bool)).all()
    fitted = fitted_masks(images, graph.clips)
    overlap = (fitted & drawn).sum((1, 2)) / (fitted | drawn).sum((1, 2))
    assert np.median(overlap) > 0.75
    found = match_masks(model, images, model.fps)
    looks = cluster_features(graph.clips)
    apart = np.linalg.norm(looks[shown(graph, found.route)] - looks[graph.starts[0] + np.arange(len(clip))], axis=1)
    assert (apart < 0.06).mean() > 0.7
    played = act_out_masks(model, images[:30], model.fps, camera=camera)
    assert len(played.clip) == 30
    assert "not recorded" in played.clip.origin.made[-1].gap


def test_it_is_reported_that_front_and_back_look_alike():
    route = Route(0, (), 1)
    text = ambiguity(PerformanceMatch(route, 1.0, np.radians(40), np.radians(140)))
    assert text == "front and back cannot be distinguished: silhouettes fit nearly as well from 140 as from 40 degrees"
    assert ambiguity(PerformanceMatch(route, 1.0, np.radians(40), None)) is None


def test_images_without_a_performer_or_of_another_size_are_errors(tmp_path):
    Image.new("L", (8, 8)).save(tmp_path / "0.png")
    with pytest.raises(FormatError, match="no performer"):
        read_masks(mask_files(tmp_path))
    with pytest.raises(BadRequest, match="a folder of images"):
        mask_files(tmp_path / "0.png")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_among_the_images_is_refused(tmp_path):
    os.mkfifo(tmp_path / "a.png")
    with pytest.raises(FormatError, match="found a named pipe"):
        read_masks(mask_files(tmp_path))


@pytest.mark.parametrize("size", [20_000, 1 << 30])
def test_an_image_that_states_a_huge_size_is_refused(size, tmp_path):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0))
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", b"") + chunk(b"IEND", b""))
    with pytest.raises(FormatError, match="too large"):
        read_masks(mask_files(tmp_path))


def test_many_large_images_are_refused_at_the_first_one(tmp_path):
    spot = Image.new("L", (4096, 4096))
    spot.putpixel((9, 9), 255)
    spot.save(tmp_path / "a.png")
    with pytest.raises(BadRequest, match="scale them down"):
        read_masks([tmp_path / "a.png"] * 33)  # half a gigabyte, from half a megabyte
