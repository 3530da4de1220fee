"""Orders of a live character: values of parameters by position and by name, with their units."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.control.order_warnings import warned_of_orders
from motionloom.control.script import follow, parse_order
from motionloom.control.stepping import run
from motionloom.control.streaming import stream_clip
from motionloom.core import BadRequest
from motionloom.methods import learn
from motionloom.samples import make


@pytest.fixture(scope="module")
def live():
    clips = [make("walk", seed=1, turn=t, speed=s, seconds=2.5, fps=30) for t in (-0.5, 0.5) for s in (1.0, 1.6)]
    return learn("parametric-space", clips, {"parameter": ["turn_rate", "speed"], "samples": 32}).live


@pytest.mark.parametrize("text", ["values 20deg/s 1.3", "values speed 130cm/s turn_rate 20deg/s"])
def test_values_are_given_in_order_or_by_name(live, text):
    np.testing.assert_allclose(parse_order(text, live).given.values, [[np.radians(20), 1.3]])


def test_a_parameter_that_is_not_named_stays_as_it_is(live):
    given = parse_order("values speed 1.3", live).given.values[0]
    assert np.isnan(given[0])
    assert given[1] == 1.3


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("values 20 1.3", "turn rate with its unit"),
        ("values 20deg/s 1.3deg", "expected a speed"),
        ("values 1.3", r"expected 2 \(turn_rate, speed\), found 1"),
        ("values", "some of turn_rate, speed, found none"),
        ("values speed", "expected 1 value, found 0"),
        ("values speed 1 speed 2", "some of turn_rate, speed"),
    ],
)
def test_wrong_values_are_errors(live, text, error):
    with pytest.raises(BadRequest, match=error):
        parse_order(text, live)


def test_values_outside_the_space_are_reported_once_with_those_that_are_used(live):
    orders = [parse_order(text, live) for text in ("0: values 0deg/s 1.3", "0.2: values turn_rate 90deg/s")]
    lines: list[str] = []
    steps = run(live, live.begin([1]), follow(orders), [1 / 60] * 30)
    list(warned_of_orders(live, orders, steps, 1 / 60, lines.append))
    assert len(lines) == 1
    assert lines[0].startswith("values at 0.2 s: outside what blends reach: turn_rate ")
    assert "deg/s instead of 90.0deg/s" in lines[0]


def warned(live, rate, *orders, seconds=0.5, seed=1):
    """The warnings about these orders in a stream of so many poses a second."""
    timed, lines = [parse_order(text, live) for text in orders], list[str]()
    steps = run(live, live.begin([seed]), follow(timed), [1 / rate] * round(rate * seconds))
    list(warned_of_orders(live, timed, steps, 1 / rate, lines.append))
    return lines


@pytest.fixture(scope="module")
def walker():
    """A graph with a node of turns, and one of turns and speeds."""
    clips = [make("walk", seed=1, turn=t, speed=s, seconds=3, fps=30) for t in (-1.2, 0.0, 1.2) for s in (1.0, 1.5)]
    settings = {
        "node": ["walk parameter=turn|speed", "plain label=walk parameter=turn"],
        "sources": 8,
        "targets": 60,
        "verified": 200,
        "samples": 40,
    }
    return learn("parametric-graph", clips, settings).live


def test_a_parameter_named_speed_is_not_taken_for_the_speed_of_the_character(walker):
    for seed in range(3):  # they begin in either node
        assert not [line for line in warned(walker, 60, "place 0 9", seed=seed) if "hardly turns" in line]
        [line] = warned(walker, 60, "heading 0deg, speed 9", seed=seed)
        assert line.startswith("speed 9 at 0 s: the character goes at 1.")


def test_values_that_are_used_a_little_later_are_not_reported(walker):
    orders = ("0: action walk, values 0deg 1.4", "4: action walk, values 40deg 1.1")
    assert warned(walker, 60, *orders, seconds=8.0) == []
    [line] = warned(walker, 60, "0: action walk, values 0deg 2.5", "4: action walk, values 0deg 1.1", seconds=8.0)
    assert line.startswith("values at 0 s: outside what blends reach: speed 1.")


@pytest.fixture(scope="module")
def slow_turner():
    clips = [make("walk", seed=1, turn=turn, seconds=3, fps=30) for turn in (-0.05, 0.0, 0.05)]
    settings = {"node": ["walk parameter=turn"], "sources": 6, "targets": 40, "verified": 200, "samples": 30}
    return learn("parametric-graph", clips, settings).live


@pytest.mark.parametrize("rate", [30, 60, 144])
def test_commands_that_a_graph_cannot_follow_are_reported_at_any_rate(slow_turner, rate):
    orders = ("0: place 0 -4", "0.2: heading 90deg, speed 3", "0.4: heading 0deg")
    place, heading, speed = warned(slow_turner, rate, *orders)
    assert place.startswith("place 0 -4 at 0 s: the character hardly turns (a radius of ")
    assert heading.startswith("heading 90deg at 0.2 s: the character hardly turns (a radius of ")
    assert speed.startswith("speed 3 at 0.2 s: the character goes at 1.")


def test_a_stream_of_motion_that_ends_says_so():
    ducks = [make("duck", seed=1, height=h, fps=30) for h in (1.0, 1.2, 1.4)]
    settings = {"parameter": ["head_height"], "cut": "none", "repeat": "no", "samples": 0}
    model = learn("parametric-space", ducks, settings)
    [long] = [str(note) for note in stream_clip(model, 4.0).origin.notes if note.level == "warning"]
    assert "this motion ends by itself, after" in long
    assert not [note for note in stream_clip(model, 0.5).origin.notes if note.level == "warning"]
    assert any("`--margin 0` plays whole clips" in note.text for note in model.notes)


@pytest.mark.parametrize("values", [[1.0], 1.0, [0.1, 1.2, 3.0], [[[0.1, 1.2]]]])
def test_weights_need_a_value_for_each_parameter(live, values):
    with pytest.raises(BadRequest, match=r"expected 2 finite parameters \(turn_rate, speed\)"):
        live.space.weights(values)
