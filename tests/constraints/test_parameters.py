"""Motion parameters: one table with units, measured from a clip alone; a user's own come from a named file."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest

from motionloom.constraints import (
    PARAMETERS,
    MotionParameter,
    Parameters,
    Request,
    check,
    load_parameter,
    parameter_table,
    residuals,
)
from motionloom.core import BadRequest, Unmet, replace
from motionloom.core.units import Quantity
from motionloom.kinematics.travel import turned
from motionloom.samples import make


def measured(name, clip):
    value, *_ = PARAMETERS[name].measured(clip)
    return value


@pytest.fixture(scope="module")
def circle():
    """A walk of ten seconds that turns left by 30 degrees a second."""
    return make("walk", seconds=10, turn=math.radians(30))


def test_a_walk_has_the_parameters_that_it_was_made_with(circle):
    assert measured("turn", circle) == pytest.approx(math.radians(300), abs=math.radians(8))
    assert measured("turn_rate", circle) == pytest.approx(math.radians(30), abs=math.radians(1))
    assert measured("travel_turn", circle) == pytest.approx(math.radians(270), abs=math.radians(8))  # 0.5 s to 9.5 s
    assert measured("speed", circle) == pytest.approx(1.4, rel=0.1)
    straight = make("walk", seconds=6, turn=0.0)
    assert measured("travel_turn", straight) == pytest.approx(0, abs=math.radians(2))
    assert measured("distance", straight) == pytest.approx(6 * 1.4, rel=0.1)
    assert measured("climb", make("steps", count=4, rise=0.15)) == pytest.approx(0.6, abs=0.05)


def test_the_head_goes_as_low_as_it_was_asked_to():
    low, high = (measured("head_height", make("duck", height=height)) for height in (1.1, 1.5))
    assert high - low == pytest.approx(0.4, abs=0.05)


@pytest.mark.parametrize("name", PARAMETERS)
def test_no_parameter_depends_on_where_the_clip_stands_and_faces(name, circle):
    moved = replace(circle, root=circle.root + [3.0, 0.0, -7.0])
    assert measured(name, turned(moved, 2.0)) == pytest.approx(measured(name, circle), abs=1e-9)


@pytest.mark.parametrize("name", PARAMETERS)
def test_every_parameter_is_defined_for_the_shortest_clips_and_for_standing_still(name, circle, stand):
    for clip in (circle[:1], circle[:2], stand):
        assert np.isfinite(PARAMETERS[name].measured(clip)).all()
    if name in ("speed", "turn", "turn_rate", "travel_turn", "distance", "climb", "step_height"):
        assert measured(name, stand) == pytest.approx(0, abs=1e-9)


def test_the_residual_of_one_parameter_is_in_its_own_unit(stroll):
    turn = Parameters(values={"turn": "30deg"}, span=(1, 3))
    assert (turn.unit, turn.limit) == ("rad", PARAMETERS["turn"].tolerance)
    np.testing.assert_allclose(turn.residual(stroll), [-math.radians(30)], atol=1e-9)
    assert not turn.met(stroll)
    assert Parameters(values={"turn": "30deg"}, tolerance={"turn": "31deg"}).met(stroll)


def test_several_parameters_are_several_rows_each_in_its_unit(stroll):
    asked = Parameters(values={"speed": 2.0, "distance": "1m", "climb": 0}, span=(1, 3), tolerance={"speed": 1.5})
    rows = residuals(stroll, [asked])
    assert [(row.unit, row.tolerance, row.met) for row in rows] == [
        ("m/s", 1.5, True),
        ("m", 0.05, False),
        ("m", 0.02, True),
    ]
    assert [row.worst for row in rows] == pytest.approx([1.0, 0.9, 0.0])
    np.testing.assert_allclose(asked.residual(stroll), [-1.0 / 1.5, 0.9 / 0.05, 0.0], atol=1e-9)
    assert (asked.unit, asked.limit, asked.met(stroll)) == ("tolerances", 1.0, False)
    assert residuals(stroll, Request(constraints=(asked,))) == rows


def test_values_of_one_and_of_three_components_are_read_and_written_back():
    text = "{seconds: 2, parameters: {turn: 35deg, punch_target: [0.3, 140cm, 0.6]}}"
    request = Request.from_yaml(text)
    target = (Quantity(0.3), Quantity(1.4, "length"), Quantity(0.6))
    assert dict(request.parameters) == {"turn": Quantity(math.radians(35), "angle"), "punch_target": target}
    assert Request.from_yaml(request.to_yaml()) == request
    asked = Request.from_yaml(
        "constraints: [parameters: {values: {turn_rate: 20deg/s, aim: [1, 2, 3]}, tolerance: {aim: 5cm}, weight: 2}]"
    )
    assert Request.from_yaml(asked.to_yaml()) == asked
    assert pickle.loads(pickle.dumps(asked)) == asked
    assert [part.values[0][0] for part in asked.all_constraints] == ["turn_rate", "aim"]


@pytest.mark.parametrize(
    ("values", "path", "said"),
    [
        ({"turn": 35}, ("parameters", "values", "turn"), "expected an angle with its unit.*found 35"),
        ({"speed": "1m"}, ("parameters", "values", "speed"), "expected a speed.*found 1.0m"),
        ({"speed": (1, 2, 3)}, ("parameters", "values", "speed"), "expected 1 value, found 3"),
        ({"sped": 1}, ("parameters", "values", "sped"), "there is no motion parameter 'sped'; did you mean 'speed'"),
    ],
)
def test_a_value_that_does_not_fit_its_parameter_is_a_problem(person, values, path, said):
    with pytest.raises(BadRequest, match=said) as caught:
        Parameters(values=values).fits(person, 30, 30.0)
    assert caught.value.where == path


def test_two_components_are_neither_one_nor_three():
    with pytest.raises(BadRequest, match=r"request:1: parameters.aim: expected one number or three, found \[1, 2\]"):
        Request.from_yaml("parameters: {aim: [1, 2]}")


MEASURES = '''
from motionloom.kinematics import fk

def hand_target(clip):
    """Where the right hand is farthest from the hips."""
    return fk(clip)[-1, clip.skeleton.joint("right_hand")]

hand_target.unit, hand_target.size, hand_target.tolerance = "m", 3, 0.01

def frames(clip):
    return len(clip)

def broken(clip):
    return 1 / 0

def nothing(clip):
    return float("nan")

def pair(clip):
    return [1, 2]

number = 3
'''


@pytest.fixture
def own(tmp_path):
    (tmp_path / "own.py").write_text(MEASURES)
    return lambda name: load_parameter(f"{tmp_path / 'own.py'}:{name}")


def test_a_user_s_own_function_measures_a_parameter(own, stand):
    target = own("hand_target")
    assert (target.unit, target.size, target.tolerance) == ("m", 3, 0.01)
    assert target.help == "Where the right hand is farthest from the hips."
    here = target.measured(stand)
    request = Request(parameters={"hand_target": tuple(here + [0.005, 0, 0])}, table=parameter_table([target]))
    (row,) = check(stand, request)
    assert (row.worst, row.unit, row.met) == (pytest.approx(0.005), "m", True)
    with pytest.raises(Unmet, match="hand_target"):
        check(stand, Request(parameters={"hand_target": (0, 0, 0)}, table=parameter_table([target])))


def test_without_its_function_a_parameter_is_reported_as_not_checked(stand):
    stored = MotionParameter("hand_target", "m", 3, "", None)
    request = Request(parameters={"hand_target": (0, 0, 0)}, table=parameter_table([stored]))
    (row,) = check(stand, request)
    assert (row.worst, row.met, row.missed) == (None, None, False)
    assert row.reason.startswith("hand_target cannot be checked")
    assert "give it with --measure" in row.reason


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("broken", "'broken' cannot be measured: ZeroDivisionError: division by zero"),
        ("nothing", r"'nothing' cannot be measured: expected finite values, found \[nan\]"),
        ("pair", r"'pair' cannot be measured: expected 1 value, found shape \(2,\)"),
    ],
)
def test_a_function_that_fails_is_named(own, stand, name, said):
    with pytest.raises(BadRequest, match=said):
        own(name).measured(stand)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("own.py", "expected FILE.py:FUNCTION, found 'own.py'"),
        ("nowhere.py:f", "cannot read 'nowhere.py'"),
        ("{own}:absent", "has no function 'absent'"),
        ("{own}:number", "has no function 'number'"),
        ("{bad}:f", "cannot be run: SyntaxError"),
    ],
)
def test_a_function_that_cannot_be_found_is_wrong_usage(tmp_path, spec, said):
    (tmp_path / "own.py").write_text(MEASURES)
    (tmp_path / "bad.py").write_text("def f(:\n")
    with pytest.raises(BadRequest, match=said):
        load_parameter(spec.format(own=tmp_path / "own.py", bad=tmp_path / "bad.py"))


@pytest.mark.parametrize(("unit", "size"), [("cm", 1), ("m", 2)])
def test_a_parameter_has_a_unit_of_si_and_one_or_three_values(unit, size):
    with pytest.raises(BadRequest, match="motion parameter 'x': expected"):
        MotionParameter("x", unit, size, "", None)


def test_the_page_of_conventions_lists_every_parameter_with_its_unit_and_tolerance():
    page = (Path(__file__).parents[2] / "docs" / "conventions.md").read_text()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| `")]
    listed = {row[0].strip("`"): (row[1], float(row[3])) for row in rows if len(row) == 4}
    assert listed == {p.name: (p.unit, p.tolerance) for p in PARAMETERS.values()}
