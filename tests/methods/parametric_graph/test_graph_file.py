"""Graph files: what they ask for, and what is wrong with them."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Request
from motionloom.core import BadRequest, FormatError
from motionloom.io import expand_paths, load, save
from motionloom.methods import learn, synthesize
from motionloom.methods.parametric_graph.graph_file import read_graph_file
from motionloom.methods.parametric_graph.node_specs import clips_of, matches, parse_node
from motionloom.recipes.repeat import again
from motionloom.samples import make

WALKS = """
[nodes.walk]
samples = [{name = "walk", turn = ["-60deg/s", "0deg/s", "60deg/s"], seconds = 4, fps = 30, seed = 1}]
parameter = ["turn"]

[[edges]]
from = "walk"
to = "walk"
good = "8cm"
bad = "12cm"

[settings]
sources = 6
targets = 40
verified = 200
samples = 30
"""


def written(folder, text):
    path = folder / "graph.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_samples_edges_and_settings_give_a_graph(tmp_path):
    graph = read_graph_file(written(tmp_path, WALKS))
    assert [clip.name for clip in graph.made] == ["walk_0", "walk_1", "walk_2"]
    np.testing.assert_array_equal(graph.made[1].root, make("walk", turn=0.0, seconds=4, fps=30, seed=1).root)
    assert graph.config["edge"] == ["walk>walk good=0.08 bad=0.12"]
    model = learn("parametric-graph", graph.made, graph.config)
    assert [node.name for node in model.nodes] == ["walk"]
    assert (model.edges[0].report.good_limit, model.edges[0].report.bad_limit) == (0.08, 0.12)
    assert model.config.sources == 6


def test_clips_are_found_beside_the_file(tmp_path):
    for i in range(2):
        save(make("walk", seed=i, seconds=2, fps=30), tmp_path / f"walk_{i}.bvh")
    graph = read_graph_file(written(tmp_path, '[nodes.walk]\nclips = ["walk_*.bvh"]\nparameter = ["turn"]'))
    assert [p.name for p in graph.patterns] == ["walk_*.bvh"]
    assert graph.config["node"] == ["walk clips=walk_*.bvh parameter=turn"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected nodes, as in `\\[nodes.walk\\]`, found none"),
        ("[node.walk]", "there is no table 'node'; did you mean 'nodes'"),
        ("[nodes.walk]", "node walk: expected clips, samples, a label or another node"),
        ('[nodes.walk]\nclip = ["a"]', "node walk: there is no key 'clip'; did you mean 'clips'"),
        ('[nodes.walk]\nclips = ["none_*.bvh"]', "node walk: there is no file 'none_\\*.bvh'"),
        ('[nodes.walk]\nclips = ["../a.bvh"]', "leads out of the folder of the graph file"),
        ('[nodes.walk]\nsamples = [{name = "wlk"}]', "node walk: there is no sample 'wlk'; did you mean 'walk'"),
        ('[nodes.walk]\nsamples = [{name = "walk", trn = 1}]', "there is no walk parameter 'trn'"),
        ('[nodes.walk]\nsamples = ["walk"]', "expected samples as"),
        (WALKS + "\nsource = 3", "settings: there is no setting 'source'; did you mean 'sources'"),
        (WALKS.replace('to = "walk"', 'to = "run"'), "edges: to: there is no node 'run'"),
        (WALKS.replace("good =", "nice ="), "edges: there is no key 'nice'"),
        (WALKS.replace("12cm", "2cm"), "graph.toml: edge walk > walk: bad: expected at least the limit of good"),
        (WALKS.replace("12cm", "2deg"), "graph.toml: edge walk > walk: bad: "),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, message):
    with pytest.raises(BadRequest, match=message):
        read_graph_file(written(tmp_path, text))


def test_a_file_that_is_absent_or_no_toml_is_an_error(tmp_path):
    with pytest.raises(FormatError, match="cannot be read"):
        read_graph_file(tmp_path / "absent.toml")
    with pytest.raises(FormatError, match="not a TOML file"):
        read_graph_file(written(tmp_path, "[nodes.walk"))


def test_equally_named_clips_of_two_folders_belong_to_their_own_nodes(tmp_path):
    for name in ("walk", "run"):
        for i, turn in enumerate((-0.7, 0.0, 0.7)):
            (tmp_path / name).mkdir(exist_ok=True)
            save(make(name, turn=turn, seed=1, seconds=3, fps=30), tmp_path / name / f"{i}.bvh")
    text = '[nodes.{0}]\nclips = ["{0}/*.bvh"]\n[nodes.all_{0}]\nclips = ["{0}"]\n'
    graph = read_graph_file(written(tmp_path, text.format("walk") + text.format("run")))
    paths = expand_paths(graph.patterns)
    clips = [graph.named(load(path), path) for path in paths]
    specs = [parse_node(line) for line in graph.config["node"]]
    assert [clip.origin.read.name for clip in clips[:3]] == ["walk/0.bvh", "walk/1.bvh", "walk/2.bvh"]
    for spec, own in zip(specs, (clips[:3], clips[:3], clips[3:], clips[3:]), strict=True):
        assert clips_of(spec, clips) == own
    read = [load(path) for path in paths[:3]]  # by a program, which has no folders in names
    assert clips_of(specs[0], read) == read


@pytest.mark.parametrize(
    ("pattern", "found"),
    [("walks/*.bvh", "a"), ("**/*.bvh", "abc"), ("walks/**/b*", "b"), ("walks", "ab"), ("w*", "ab"), ("*.bvh", "c")],
)
def test_a_pattern_finds_the_clips_that_were_read_for_it(pattern, found):
    names = ("walks/a.bvh", "walks/slow/b.bvh", "c.bvh")
    assert [n for n in names if matches(n.split("/"), pattern.split("/"))] == [n for n in names if n[-5] in found]


def test_a_result_of_a_graph_of_folders_is_made_again(tmp_path):
    for name in ("walk", "run"):
        (tmp_path / name).mkdir()
        for i, turn in enumerate((-0.7, 0.0, 0.7)):
            save(make(name, turn=turn, seed=1, seconds=3, fps=30), tmp_path / name / f"{i}.bvh")
    text = '[nodes.{0}]\nclips = ["{0}/*.bvh"]\nparameter = ["turn"]\n'
    both = text.format("walk") + text.format("run")
    graph = read_graph_file(
        written(tmp_path, both + "[settings]\nsources = 6\ntargets = 40\nverified = 60\nsamples = 20")
    )
    paths = expand_paths(graph.patterns)
    model = learn("parametric-graph", [graph.named(load(p), p) for p in paths], graph.config, files=paths)
    clip = synthesize(model, Request(seconds=1.0))
    save(clip, tmp_path / "out.bvh")
    assert again(tmp_path / "out.bvh", tmp_path, tmp_path / "repeated.bvh").same
