"""Ways over several nodes: the quickest one is taken, and what ends too late for a request is named."""

from __future__ import annotations

import re

import pytest

from motionloom.constraints import Request, RootPath
from motionloom.kinematics.feet.contacts import runs
from motionloom.methods import learn
from motionloom.methods.parametric_graph.graph_file import read_graph_file
from motionloom.methods.parametric_graph.unreached import unreached
from motionloom.methods.synthesis import attempt

SECONDS = {"stroll": 9, "begin": 3, "end": 3, "sit": 3}
NODES = ("walk", *SECONDS)
EDGES = ("walk>walk", "walk>stroll", "stroll>sit", "walk>begin", "begin>end", "end>sit", "sit>walk")
WALK = """
[nodes.walk]
samples = [{name = "walk", turn = ["-40deg/s", "0deg/s", "40deg/s"], seconds = 4, fps = 30, seed = 1}]
parameter = ["turn"]
"""
OTHER = """
[nodes.NAME]
samples = [{name = "walk", seconds = SECONDS, fps = 30, seed = 1}]
cut = "none"
"""


@pytest.fixture(scope="module")
def ways(tmp_path_factory):
    """From walk to sit (all are walks) over stroll, one clip of 9 s, or over two clips of 3 s."""
    path = tmp_path_factory.mktemp("ways") / "graph.toml"
    nodes = [OTHER.replace("NAME", name).replace("SECONDS", str(seconds)) for name, seconds in SECONDS.items()]
    path.write_text("".join([WALK, *nodes]), encoding="utf-8")
    graph = read_graph_file(path)
    small = {"sources": 8, "targets": 60, "verified": 100, "samples": 30, "edge": EDGES}
    return learn("parametric-graph", graph.made, {**graph.config, **small})


def test_the_quickest_way_leads_to_an_action(ways):
    tables = ways.tables
    first = [NODES[tables.edge_target[tables.hop[NODES.index(name), NODES.index("sit")]]] for name in NODES]
    assert first == ["begin", "sit", "end", "sit", "walk"]


def test_an_action_lies_within_its_span_and_others_are_not_begun(ways):
    asked = "{seconds: 14, options: {first: walk}, constraints: [act: {action: sit, span: [8, 13]}]}"
    for seed in range(2):
        clip = attempt(ways, Request.from_yaml(asked), seed=seed).clip
        ((begin, end),) = runs(clip.label("sit"))
        assert 8 * 30 - 3 <= begin < end <= 13 * 30 + 3  # the tolerance is 0.1 s
        assert len(runs(clip.label("stroll"))) + len(runs(clip.label("begin"))) == 1  # one way to it is needed


def test_a_clip_that_ends_too_late_for_an_action_is_named(ways):
    asked = "{seconds: 13, options: {first: stroll}, constraints: [act: {action: sit, span: [2, 4]}]}"
    found = attempt(ways, Request.from_yaml(asked))
    assert not found.met
    late = re.search(
        r"is missed by (\S+) s: stroll, whose clips last 8.43 s, is shown from 0.00 to (\S+) s", found.reason
    )
    assert late is not None, found.reason
    (begin, end), *_ = runs(found.clip.label("sit"))
    assert float(late[2]) == pytest.approx(begin / 30, abs=0.2)
    inside = min((end - begin) / 30, 2.0)  # s: what the span has room for
    assert float(late[1]) == pytest.approx(begin / 30 - 4.0 + inside, abs=0.01)


def test_a_node_that_does_not_end_before_a_style_is_named(ways):
    asked = "{seconds: 8, options: {first: stroll}, constraints: [style: {label: sit, span: [2, 4]}]}"
    found = attempt(ways, Request.from_yaml(asked))
    assert not found.met
    assert "stroll, whose clips last" in found.reason
    assert "is shown from 0.00 to" in found.reason


@pytest.mark.parametrize(
    ("points", "why"),
    [
        (
            [(0, 0), (0, 30)],
            r"the route is 30.00 m long and has 3.97 s; the speeds of this graph are \d.* m/s \(the nearest requests: "
            r"`seconds: 2\d.\d`, or a path of [56].\d m\)$",
        ),
        (
            [(0, 0), (0, 2)],
            r"it has no node that stands \(the nearest requests: `seconds: 1.4`, or a path",
        ),
        ([(0, 0), (2.75, 0), (0, 0)], r"the turning radius, v_min / w_max, is 1.\d+ m, and no way along the route"),
    ],
)
def test_a_route_that_was_missed_says_which_time_would_fit(walking, walks, points, why):
    request = Request(seconds=4, constraints=(RootPath(points=tuple(points)),))
    (line,) = unreached(walks[2], request, walking.nodes, hard=True)
    assert re.search(why, line)
