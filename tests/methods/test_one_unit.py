"""Every method writes its results in the unit and with the up axis of its first source."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from motionloom.constraints import Request
from motionloom.core import replace
from motionloom.io import load, save
from motionloom.kinematics.fk import fk
from motionloom.methods import METHODS, learn, load_model, save_model, synthesize


@pytest.mark.parametrize("method", METHODS)
def test_results_are_in_the_unit_of_the_source(method, models, tmp_path):
    model = models[method]
    inches = dataclasses.replace(model, sources=tuple(s._replace(unit=0.0254, up="z") for s in model.sources))
    made = synthesize(inches, Request(seconds=1.0))
    assert (made.origin.unit, made.origin.up) == (0.0254, "z")
    save(made, tmp_path / "made.bvh")
    back = load(tmp_path / "made.bvh", unit="inch", up="z")
    np.testing.assert_allclose(fk(back), fk(made), atol=1e-4)


def test_a_model_keeps_the_unit_of_its_clips(tiny_clips, tmp_path):
    clips = [replace(c, origin=dataclasses.replace(c.origin, unit=0.01, up="z")) for c in tiny_clips]
    save_model(learn("cuts", clips), tmp_path / "model.loom")
    model = load_model(tmp_path / "model.loom")
    assert {(s.unit, s.up) for s in model.sources} == {(0.01, "z")}
    assert synthesize(model, Request(seconds=1.0)).origin.unit == 0.01
