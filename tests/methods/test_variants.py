"""The faithful variant of every method that has a published source."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Request, RootPath
from motionloom.core import BadRequest
from motionloom.core.fields import fields_of
from motionloom.methods import METHODS, learn, load_model, save_model, synthesize

SOURCED = [name for name, method in METHODS.items() if method.source]
PATHS = [name for name in SOURCED if any(kind is RootPath for kind, _ in METHODS[name].module().MODEL.honours)]
ASKED = Request(seconds=2)


@pytest.fixture(scope="module")
def faithful(tiny_clips):
    """One faithful model of each method that has a source."""
    return {name: learn(name, tiny_clips, {"variant": "faithful"}) for name in SOURCED}


@pytest.mark.parametrize("method", METHODS)
def test_methods_with_a_source_and_no_others_have_variants(method):
    module = METHODS[method].module()
    for settings in (module.Config, module.Options):
        known = {field.name: field for field in fields_of(settings)}
        assert ("variant" in known) == (method in SOURCED)
        assert bool(settings.FAITHFUL) == (method in SOURCED)
        assert set(settings.FAITHFUL) <= set(known) - {"variant"}
        for name, value in settings.FAITHFUL.items():
            assert known[name].read(value, (name,)) != known[name].default


@pytest.mark.parametrize("method", SOURCED)
def test_a_variant_is_a_named_set_of_values_and_values_that_are_given_win(method):
    module = METHODS[method].module()
    for settings in (module.Config, module.Options):
        known = {field.name: field for field in fields_of(settings)}
        own = settings.of({"variant": "faithful"})
        assert {name: getattr(own, name) for name in settings.FAITHFUL} == {
            name: known[name].read(value, (name,)) for name, value in settings.FAITHFUL.items()
        }
        assert settings.of({"variant": "improved"}).to_plain() in ({}, {"variant": "improved"})
        for name in settings.FAITHFUL:
            default = known[name].write(known[name].default)
            given = settings.of({"variant": "faithful", name: default})
            assert getattr(given, name) == known[name].default
            assert given.variant == "faithful"
        with pytest.raises(BadRequest, match=r"variant: expected one of improved, faithful, found 'literal'"):
            settings.of({"variant": "literal"})


@pytest.mark.parametrize("method", SOURCED)
def test_a_faithful_model_makes_faithful_results_unless_the_request_asks_otherwise(method, faithful, models, tmp_path):
    save_model(faithful[method], tmp_path / "faithful.loom")
    model = load_model(tmp_path / "faithful.loom")
    assert model.config == faithful[method].config
    assert (model.options(ASKED).variant, models[method].options(ASKED).variant) == ("faithful", "improved")
    improved = Request(seconds=2, options={"variant": "improved"})
    assert model.options(improved) == models[method].options(ASKED)
    asked = Request(seconds=2, options={"variant": "faithful"})
    assert models[method].options(asked) == model.options(ASKED)
    made = synthesize(model, ASKED, seed=4)
    assert np.array_equal(made.rotations, synthesize(faithful[method], asked, seed=4).rotations)
    assert not np.array_equal(made.rotations, synthesize(models[method], ASKED, seed=4).rotations)


@pytest.mark.parametrize("method", SOURCED)
def test_no_foot_is_touched_in_a_faithful_result(method, faithful, monkeypatch):
    model = faithful[method]
    assert not model.cleans_feet(ASKED)
    assert model.cleans_feet(Request(seconds=2, options={"clean_feet": True}))
    for where in (
        "motionloom.kinematics.feet.pinning.pin_plants",
        "motionloom.methods.finish.remove_skate",
        "motionloom.methods.graph.render.render.lift_swings",
        "motionloom.methods.graph.render.blends.hold_plants",
        "motionloom.methods.textons.render.cleanup.pin_plants",
        "motionloom.methods.textons.render.cleanup.lift_sunk_feet",
        "motionloom.methods.textons.render.grounding.match_foot_heights",
    ):
        monkeypatch.setattr(where, lambda *given, **more: pytest.fail("a foot was corrected"))
    clip = synthesize(model, ASKED, seed=4)
    assert len(clip) == round(2 * model.fps)
    assert not any("plants" in note.text for note in clip.origin.notes)


@pytest.mark.parametrize("method", PATHS)
def test_a_faithful_search_follows_a_path(method, faithful):
    wish = RootPath(points=((0, 0), (0, 2.6)), weight=1.0)  # as far as the clips walk in 2 s
    clip = synthesize(faithful[method], Request(seconds=2, constraints=(wish,)), seed=1)
    assert wish.worst(clip) < 0.25
