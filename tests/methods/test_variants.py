"""The faithful variant of every method that has a published source."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from motionloom.constraints import LookAt, Reach, Request, RootAt, RootPath
from motionloom.core import BadRequest, UnsupportedConstraint
from motionloom.core.fields import fields_of
from motionloom.methods import METHODS, learn, load_model, problems, save_model, synthesize

SOURCED = [name for name, method in METHODS.items() if method.source]
PATHS = [name for name in SOURCED if any(kind is RootPath for kind, _ in METHODS[name].module().MODEL.honours)]
ASKED = Request(seconds=2)
LOOKING = Request(seconds=2, constraints=(LookAt(target=(3.0, 1.5, 3.0), weight=1.0),))  # gaze does nothing unasked
SMALL_SEARCH = {"variation": {"restarts": 0, "rounds": 1, "parents": 2}}  # the whole one takes ten seconds


@pytest.fixture(scope="module")
def faithful(inputs):
    """One faithful model of each method that has a source."""
    return {name: learn(name, inputs[name], {"variant": "faithful", **SMALL_SEARCH.get(name, {})}) for name in SOURCED}


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
def test_settings_built_in_python_equal_those_that_are_read(method):
    module = METHODS[method].module()
    for settings in (module.Config, module.Options):
        assert settings(variant="faithful") == settings.of({"variant": "faithful"})
        for field in fields_of(settings):
            if field.name in settings.FAITHFUL:
                given = settings(variant="faithful", **{field.name: field.default})
                assert getattr(given, field.name) == field.default


@pytest.mark.parametrize("method", SOURCED)
def test_a_faithful_model_makes_faithful_results_unless_the_request_asks_otherwise(method, faithful, models, tmp_path):
    save_model(faithful[method], tmp_path / "faithful.loom")
    model = load_model(tmp_path / "faithful.loom")
    assert model.config == faithful[method].config
    assert (model.options(ASKED).variant, models[method].options(ASKED).variant) == ("faithful", "improved")
    given = LOOKING if method == "gaze" else ASKED
    improved = dataclasses.replace(given, options={"variant": "improved"})
    assert model.options(improved) == models[method].options(given)
    asked = dataclasses.replace(given, options={"variant": "faithful"})
    assert models[method].options(asked) == model.options(given)
    made = synthesize(model, given, seed=4)
    assert np.array_equal(made.rotations, synthesize(faithful[method], asked, seed=4).rotations)
    assert not np.array_equal(made.rotations, synthesize(models[method], given, seed=4).rotations)


@pytest.mark.parametrize("method", SOURCED)
def test_no_foot_is_touched_in_a_faithful_result(method, faithful, monkeypatch):
    model = faithful[method]
    assert not model.cleans_feet(ASKED)
    assert model.cleans_feet(Request(seconds=2, options={"clean_feet": True}))
    for where in (
        "motionloom.kinematics.feet.skate_removal.pin_plants",
        "motionloom.methods.finish.remove_skate",
        "motionloom.methods.graph.render.render.lift_swings",
        "motionloom.methods.graph.render.blends.hold_plants",
        "motionloom.kinematics.feet.windowed_cleanup.pin_plants",
        "motionloom.kinematics.feet.windowed_cleanup.lift_sunk_feet",
        "motionloom.methods.textons.render.piece_clips.match_foot_heights",
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


@pytest.mark.parametrize(("method", "alternative"), [("motion-graph", "beam"), ("two-level-graph", "frames")])
@pytest.mark.parametrize(
    "constraint",
    [
        Reach(position=(0, 2), weight=1.0),
        RootAt(time=1.0, position=(0, 1), weight=1.0),
        RootPath(points=((0, 0), (0, 2)), times=(0, 1.5), weight=1.0),
    ],
)
def test_a_faithful_search_rejects_times_and_places(method, alternative, constraint, faithful):
    [problem] = problems(faithful[method], Request(seconds=2, constraints=(constraint,)))
    assert isinstance(problem, UnsupportedConstraint)
    assert problem.where[:2] == ("constraints", 0)
    assert f"search: {alternative} has no such limit" in str(problem)
    given = Request(seconds=2, constraints=(constraint,), options={"search": alternative})
    assert problems(faithful[method], given) == ()


def test_after_its_path_a_faithful_result_is_a_random_walk(faithful):
    path = RootPath(points=((0, 0), (0, 1.5)), weight=1.0)
    clip = synthesize(faithful["motion-graph"], Request(seconds=3, constraints=(path,)), seed=1)
    assert len(clip) == 90
    assert any("the path ends after" in note.text for note in clip.origin.notes)


EARLIER = {
    "motion-graph": {
        "ahead": ("lookahead", 2.0),
        "progress": ("min_progress", 0.2),
        "width": ("beam_width", 50),
        "calm": ("transition_cost", 0.5),
        "keep": ("step", 0.5),
        "fresh": ("avoid_repeats", False),
    },
    "two-level-graph": {"few": ("beam_width", 2), "keep": ("step", 0.5), "most": ("max_choices", 3)},
    "hierarchical-graph": {"kept": ("population", 3)},
}


@pytest.mark.parametrize(
    ("method", "old", "new", "value"), [(m, old, *new) for m, names in EARLIER.items() for old, new in names.items()]
)
def test_earlier_names_of_options_are_accepted_with_a_deprecation_note(method, old, new, value):
    options = METHODS[method].module().Options
    with pytest.warns(FutureWarning, match=f"{old!r} is now called {new!r}"):
        assert options.of({old: value}) == options(**{new: value})


def test_earlier_names_of_choices_are_accepted_with_a_deprecation_note():
    options = METHODS["motion-graph"].module().Options
    with pytest.warns(FutureWarning):
        assert options.of({"pick": "alike"}) == options(sampling="similarity")
