"""Motion parameters of a model: what it keeps of a user's function, its tolerances, and what it cannot check."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import pytest

from motionloom.constraints import MotionParameter, Parameters, Request, parameter_table, residuals
from motionloom.core import Unmet
from motionloom.methods import learn, load_model, problems, save_model, synthesize
from motionloom.methods.base import Honours
from motionloom.methods.cuts.model import CutsModel
from motionloom.methods.request_check import with_parameters
from motionloom.samples import make

SPREAD = MotionParameter("spread", "m", 3, "largest extent of the root's path", lambda clip: np.ptp(clip.root, axis=0))


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Spaced(CutsModel):
    """Cuts that accept parameters, which they do nothing about."""

    honours: ClassVar[Honours] = (*CutsModel.honours, (Parameters, "hard"), (Parameters, "soft"))


@pytest.fixture(scope="module")
def model():
    clips = [make("walk", seconds=3, speed=speed) for speed in (0.8, 1.6)]
    learned = learn("cuts", clips, parameters=[SPREAD])
    return Spaced(**{f.name: getattr(learned, f.name) for f in dataclasses.fields(learned)})


def test_a_model_keeps_the_name_and_the_values_but_not_the_function(model, tmp_path):
    (kept,) = model.measured
    assert (kept.name, kept.unit, kept.size, kept.values.shape) == ("spread", "m", 3, (2, 3))
    save_model(model, tmp_path / "m.loom")
    (again,) = load_model(tmp_path / "m.loom").measured
    np.testing.assert_array_equal(again.values, kept.values)
    assert again[:3] == kept[:3]


def test_the_tolerance_is_one_percent_of_the_model_s_own_range(model):
    span = model.parameter_ranges()["spread"]
    assert span == pytest.approx(np.ptp(model.measured[0].values, axis=0).max())
    asked = with_parameters(model, Request(seconds=2, parameters={"spread": (0, 0, 3), "speed": 1}))
    assert [c.limit for c in asked.all_constraints] == pytest.approx([0.01 * span, 0.05])  # speed has no range here
    given = Parameters(values={"spread": (0, 0, 3)}, tolerance={"spread": "1m"})
    assert with_parameters(model, Request(constraints=(given,))).all_constraints[0].limit == 1.0


def test_a_parameter_without_its_function_is_accepted_but_not_checked(model):
    request = Request(seconds=2, parameters={"spread": (0, 0, 3)})
    clip = synthesize(model, request)
    (row,) = residuals(clip, with_parameters(model, request))
    assert (row.worst, row.met) == (None, None)
    assert "spread cannot be checked" in row.reason


def test_a_parameter_with_its_function_is_checked(model):
    request = Request(seconds=2, parameters={"spread": (0, 0, 99)}, table=parameter_table([SPREAD]))
    with pytest.raises(Unmet, match="spread") as caught:
        synthesize(model, request)
    assert caught.value.residuals[0].worst > 90


def test_values_that_do_not_fit_are_problems_with_their_path(model):
    request = Request(
        seconds=2,
        parameters={"turn": 3, "spread": 1, "speed": 1},
        constraints=(Parameters(values={"joy": 1, "climb": "3deg"}, span=(0, 9)),),
    )
    found = problems(model, with_parameters(model, request))
    assert [problem.where for problem in found] == [
        ("parameters", "turn"),
        ("parameters", "spread"),
        ("constraints", 0, "span"),
        ("constraints", 0, "values", "joy"),
        ("constraints", 0, "values", "climb"),
    ]
