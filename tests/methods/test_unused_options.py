"""Settings that have no effect beside the others give a warning, in requests and in learning."""

from __future__ import annotations

import pytest

from motionloom import samples
from motionloom.constraints import Request
from motionloom.core import BadRequest
from motionloom.methods import learn, synthesize

CLIPS = [samples.make("walk", seconds=3, fps=30)]


def warnings(notes):
    return [note.text for note in notes if note.level == "warning" and "has no effect" in note.text]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"passes": 2}, ["option `passes` has no effect: it needs variant faithful"]),
        ({"variant": "faithful", "loop": False}, ["option `loop` has no effect: it needs variant improved"]),
        ({"variant": "faithful", "passes": 2}, []),
        ({}, []),
    ],
)
def test_an_option_of_the_other_variant_gives_a_warning(options, named):
    model = learn("texture", CLIPS)
    clip = synthesize(model, Request(seconds=1, options=options))
    assert warnings(clip.origin.notes) == named


def test_a_setting_of_learning_without_effect_gives_a_warning():
    model = learn("texture", CLIPS, {"other_weight": 0.5})
    assert warnings(model.notes) == ["option `other_weight` has no effect: it needs influence constant"]


def test_the_time_that_branch_and_bound_looks_ahead_has_no_effect_on_a_beam():
    model = learn("motion-graph", CLIPS)
    for search, named in (
        ("beam", ["option `lookahead` has no effect: it needs search branch-and-bound"]),
        ("branch-and-bound", []),
    ):
        clip = synthesize(model, Request(seconds=1, options={"search": search, "lookahead": 2}))
        assert warnings(clip.origin.notes) == named
    with pytest.raises(BadRequest, match="there is no 'lookahead' here"):
        synthesize(learn("two-level-graph", CLIPS), Request(seconds=1, options={"lookahead": 2}))
