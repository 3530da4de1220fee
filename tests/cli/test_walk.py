"""`motionloom walk`: what it writes and says, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from motionloom.core import replace, with_labels
from motionloom.io import load, save
from motionloom.kinematics.travel import travel
from motionloom.methods import learn, load_model, save_model
from motionloom.methods.graph.build.prune import largest_component
from motionloom.samples import make


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """A motion graph of three walks; the first two are also labelled `slow`."""
    clips = []
    for seed, (speed, turn) in enumerate(((1.3, 0.0), (1.4, 0.2), (1.3, -0.2))):
        clip = make("walk", seconds=6, seed=seed, speed=speed, turn=turn)
        clips.append(replace(clip, origin=replace_name(clip.origin, f"walk_{seed}.bvh")))
    clips[:2] = [with_labels(clip, {"slow": np.ones(len(clip), bool)}) for clip in clips[:2]]
    path = tmp_path_factory.mktemp("graph") / "g.loom"
    save_model(learn("motion-graph", clips), path)
    return path


def replace_name(origin, name):
    from dataclasses import replace as change

    return change(origin, name=name, sources=tuple(s._replace(name=name) for s in origin.sources))


def test_a_walk_is_written_with_its_facts_and_its_variety(run, model, tmp_path):
    answer = run("walk", model, "--seconds", 10, "-o", tmp_path / "out.bvh", "--seed", 3)
    assert answer.code == 0
    assert "transitions, " in answer.out
    assert "% of the frames are strongly connected" in answer.out
    assert "s between choices" in answer.out
    assert f"{tmp_path / 'out.bvh'}: 300 frames, 10.00 s, seed 3, take 0" in answer.out
    assert "repeats after" in answer.out or "no second of motion occurs twice" in answer.out
    clip = load(tmp_path / "out.bvh")
    assert (len(clip), clip.fps) == (300, 30)
    assert [(step.command, step.method, step.seed) for step in clip.origin.made[-1:]] == [("walk", "motion-graph", 3)]
    assert not clip.origin.single.all()
    path = travel(clip)
    np.testing.assert_allclose(path.place[0], 0, atol=1e-3)
    assert path.heading[0] == pytest.approx(0, abs=1e-3)


def test_the_same_seed_walks_the_same_way_at_any_frame_rate(run, model, tmp_path):
    for name, extra in (("a", []), ("b", []), ("c", ["--result-fps", 60]), ("d", ["--seed", 1])):
        assert run("walk", model, "--seconds", 4, "-o", tmp_path / f"{name}.npz", *extra).code == 0
    a, b, c, d = (load(tmp_path / f"{name}.npz") for name in "abcd")
    np.testing.assert_array_equal(a.rotations, b.rotations)
    assert (len(c), c.fps) == (240, 60)
    names = [[span.sources for span in clip.origin.spans()] for clip in (a, c, d)]
    assert names[1] == names[0] != names[2]


def test_without_a_name_it_is_written_beside_where_one_works(run, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("walk", model, "--seconds", 2).code == 0
    assert (tmp_path / "g_walk.bvh").is_file()
    answer = run("walk", model, "--seconds", 2, "--count", 2, "--to", "npz", "--json")
    assert answer.json["graph"]["transitions"] > 0
    assert [t["path"] for t in answer.json["takes"]] == ["g_walks/take_000.npz", "g_walks/take_001.npz"]
    first, second = (load(tmp_path / t["path"]) for t in answer.json["takes"])
    assert not np.array_equal(first.rotations, second.rotations)


def test_a_walk_can_begin_at_a_frame_and_keep_to_a_style(run, model, tmp_path):
    graph = load_model(model).graph
    inside = np.flatnonzero(largest_component(graph) & (graph.clip_of == 1)) - graph.starts[1]
    frame = int(graph.clips[1].origin.main()[1][inside[1]])  # as the file counts
    answer = run("walk", model, "--seconds", 3, "--start", f"walk_1#{frame}", "-o", tmp_path / "a.bvh", "--json")
    assert answer.code == 0, answer.err
    clip = load(tmp_path / "a.bvh")
    first = clip.origin.spans()[0]
    assert (first.sources[0].name, first.first) == ("walk_1.bvh", (frame,))
    for seed in range(3):
        answer = run("walk", model, "--seconds", 6, "--style", "slow", "-o", tmp_path / "b.bvh", "--seed", seed)
        assert answer.code == 0, answer.err
        slow = load(tmp_path / "b.bvh")
        assert slow.label("slow").all()
        assert not any("walk_2" in s.name for s in slow.origin.sources)


def test_a_picture_shows_where_the_frames_come_from(run, model, tmp_path):
    answer = run("walk", model, "--seconds", 3, "-o", tmp_path / "a.bvh", "--picture", tmp_path / "a.png")
    assert answer.code == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    answer = run("view", tmp_path / "a.bvh", "--sources", "-o", tmp_path / "b.svg")
    assert answer.code == 0
    assert "walk_" in (tmp_path / "b.svg").read_text()


def test_info_counts_the_transitions_of_a_walk(run, model, tmp_path):
    made = run("walk", model, "--seconds", 12, "-o", tmp_path / "a.bvh", "--json").json["takes"][0]
    said = run("info", tmp_path / "a.bvh").out
    blends = sum(len(span.sources) > 1 for span in load(tmp_path / "a.bvh").origin.spans())
    assert made["transitions"] >= blends > 3
    assert f"  blends   {blends} " in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--seconds", 0), "seconds: expected a length above 0 s, found 0 s"),
        (("--start", "walk_9.bvh#3"), "no clip 'walk_9.bvh'; did you mean 'walk_"),
        (("--start", "walk_1.bvh"), "expected clip#frame"),
        (("--start", "walk_1.bvh#7000"), "this model has frames 0 to"),
        (("--sampling", "best"), "expected one of similarity, uniform, found 'best'"),
        (("--picture", "p.gif"), "cannot draw to 'p.gif'"),
        (("--seconds", 1e9), "1000000000 seconds are more than the limit"),
        (("--pick", "uniform", "--sampling", "uniform"), "--pick is the earlier name of --sampling; give one of them"),
    ],
)
def test_wrong_wishes_are_refused_in_words(run, model, tmp_path, arguments, said):
    answer = run("walk", model, "-o", tmp_path / "x.bvh", *arguments)
    assert answer.code == 2
    assert said in answer.err
    assert not (tmp_path / "x.bvh").exists()


def test_a_model_without_a_graph_cannot_be_walked(run, folder, tmp_path):
    run("learn", "cuts", folder / "walk_1.bvh", "-o", tmp_path / "c.loom")
    answer = run("walk", tmp_path / "c.loom", "-o", tmp_path / "x.bvh")
    assert answer.code == 2
    assert "a cuts model has none; learn a model of motion-graph" in answer.err


def test_a_start_that_leads_nowhere_is_refused_with_a_better_one(run, model, tmp_path):
    answer = run("walk", model, "--start", "walk_1.bvh#359", "-o", tmp_path / "x.bvh")
    assert answer.code == 1
    assert "is a dead end; the nearest frame that is not: walk_1.bvh#" in answer.err


@pytest.mark.parametrize("method", ["motion-graph", "two-level-graph", "hierarchical-graph"])
def test_a_label_that_no_clip_carries_is_told_alike_by_walk_and_synthesize(run, folder, tmp_path, method):
    walks = tmp_path / "walks"
    for seed in (1, 2):
        save(make("walk", seed=seed, speed=1.3, seconds=4, fps=30), walks / f"{seed}.bvh")
    model = tmp_path / "g.loom"
    assert run("learn", method, walks, "-o", model).code == 0
    asked = "{seconds: 2, constraints: [style: {label: moonwalk}]}"
    answers = [
        run("walk", model, "--style", "moonwalk", "-o", tmp_path / "x.bvh"),
        run("synthesize", model, "-r", asked, "-o", tmp_path / "x.bvh"),
    ]
    for answer in answers:
        assert answer.code == 1
        assert "motionloom: no clip carries the label 'moonwalk'; these clips carry walk" in answer.err
    assert not (tmp_path / "x.bvh").exists()


def test_earlier_names_of_options_are_accepted_with_a_note_and_hidden(run, model, tmp_path):
    answer = run("walk", model, "--seconds", 1, "--pick", "uniform", "--no-fresh", "-o", tmp_path / "x.bvh")
    assert answer.code == 0
    assert "note: '--pick' is now called '--sampling'" in answer.err
    assert "note: '--fresh' is now called '--avoid-repeats'" in answer.err
    assert "--pick" not in run("walk", "--help").out
