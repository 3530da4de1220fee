"""Parametric spaces of captured clips: turns of a figure eight, slow and fast walks of one person together."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Request
from motionloom.io import load
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.clearance import usual_clearance
from motionloom.kinematics.feet.contacts import foot_parts, part_positions, runs
from motionloom.kinematics.feet.skate_measures import measure_skate
from motionloom.methods import learn, synthesize
from motionloom.methods.space.one_parameter import motion_changes
from motionloom.rotation import angle_between


@pytest.fixture(scope="module")
def turning(mocap):
    walk = load(mocap / "cmu" / "143_38.bvh", fps=60, trim_tpose=True)
    return learn("parametric-space", [walk], {"parameter": ["turn_rate"], "samples": 100}), measure_skate(walk).b


def test_cycles_that_reverse_their_turn_are_left_out(turning):
    assert any("cannot repeat, left out" in str(note) for note in turning[0].notes)
    examples = [str(note) for note in turning[0].notes if ": turn_rate" in str(note)]
    assert len(examples) >= 8
    assert not any(
        "#156-192:" in name for name in examples
    )  # turns left, then right: its mean of 0 is no straight walk


def test_jogs_to_both_sides_turn_to_both_sides(mocap):
    """The cycles of 16's right turns turn in one step and cannot repeat; mirrored left turns stand in for them."""
    clips = [load(mocap / "cmu" / f"16_{n}.bvh", trim_tpose=True) for n in (35, 37, 38, 39, 40, 41, 43)]
    model = learn("parametric-space", clips, {"parameter": ["turn_rate"], "samples": 32})
    assert any("others are used for the other side" in str(note) for note in model.notes)
    assert model.space.low[0] < -0.5
    assert model.space.high[0] > 0.5


def test_blends_of_captured_cycles_slide_no_more_than_the_capture(turning):
    model, source = turning
    text = "{{seconds: 4, parameters: {{turn_rate: {}deg/s}}, options: {{clean_feet: {}}}}}"
    for clean, most in (("false", 0.95), ("true", 0.7)):
        made = [synthesize(model, Request.from_yaml(text.format(t, clean))) for t in (-30, 0, 30)]
        assert np.mean([measure_skate(clip).b for clip in made]) < most * source


def test_locked_feet_of_blended_walks_slide_at_most_six_tenths_of_what_the_captures_do(mocap):
    clips = [load(mocap / "cmu" / f"16_{n}.bvh", trim_tpose=True) for n in (11, 15, 16, 17)]
    model = learn("parametric-space", clips, {"parameter": ["turn_rate"], "samples": 64})
    made = [
        synthesize(model, Request.from_yaml(f"{{seconds: 4, parameters: {{turn_rate: {t}deg/s}}}}"))
        for t in (-10, 0, 10)
    ]
    assert np.mean([measure_skate(c).b for c in made]) < 0.6 * np.mean([measure_skate(c).b for c in clips])
    assert usual_clearance(made) > 0.9 * usual_clearance(model.examples, percentile=50)


TURNS, INTO_TURNS = {"parameter": ["turn_rate"]}, {"parameter": ["travel_turn"], "repeat": "no"}


@pytest.mark.parametrize(
    ("names", "settings"),
    [
        (["143_38"], TURNS),
        (["143_04"], TURNS),
        ([f"16_{n}" for n in (21, 23, 25, 27, 29)], TURNS),
        ([f"16_{n}" for n in (11, 13, 15, 16, 17, 19)], INTO_TURNS),
    ],
)
def test_planted_toes_move_by_five_millimetres_at_most(names, settings, mocap):
    """Contacts are those of the blend before locking: the result's own labels lack frames in which a toe is let go."""
    rate = 60 if names[0].startswith("143") else None
    clips = [load(mocap / "cmu" / f"{name}.bvh", fps=rate, trim_tpose=True) for name in names]
    model = learn("parametric-space", clips, {**settings, "samples": 64})
    length = "seconds: 4, " if model.space.rows.cyclic else ""
    toes = [(i, part.label) for i, part in enumerate(foot_parts(model.skeleton)) if part.name.endswith("toe")]
    held = 0
    for seed in (0, 2, 4, 5, 7):
        free, locked = (
            synthesize(model, Request.from_yaml(f"{{{length}options: {{clean_feet: {clean}}}}}"), seed=seed)
            for clean in ("false", "true")
        )
        points = part_positions(locked)
        for i, label in toes:
            for a, b in runs(free.label(label)):
                assert np.ptp(points[a:b, i], axis=0).max() <= 0.005
                held += b - a
    assert held > 100


def test_motion_into_a_turn_changes_half_as_much_at_half_the_step(mocap):
    clips = [load(mocap / "cmu" / f"16_{n}.bvh", trim_tpose=True) for n in (11, 13, 15, 16, 17, 19)]
    model = learn("parametric-space", clips, {**INTO_TURNS, "samples": 64})
    space, largest = model.space, []
    for steps in (100, 200, 400, 800):
        weights = space.weights(np.linspace(space.low, space.high, steps + 1)).weights
        changes = motion_changes(space.rows, model.skeleton, model.tables, weights)
        assert changes.max() <= 3 * changes.mean()
        largest.append(changes.max())
    assert (np.abs(np.array(largest[:-1]) / largest[1:] - 2) <= 0.2).all()


def test_slow_and_fast_walks_form_one_space_although_their_steps_overlap_differently(mocap):
    clips = [load(mocap / "cmu" / f"16_{n}.bvh", trim_tpose=True) for n in (15, 16, 13, 21, 23, 25)]
    model = learn("parametric-space", clips, {"parameter": ["turn_rate", "speed"], "samples": 64})
    low, high = model.space.low[1], model.space.high[1]
    assert low < 1.1
    assert high > 1.55
    clip = synthesize(model, Request.from_yaml("{seconds: 2, parameters: {turn_rate: 0deg/s, speed: 1.3}}"))
    assert np.linalg.norm(np.diff(clip.root[:, [0, 2]], axis=0), axis=1).mean() * 30 == pytest.approx(1.3, abs=0.02)


def test_captured_turns_that_end_keep_a_margin(mocap):
    clips = [load(mocap / "cmu" / f"16_{n}.bvh", trim_tpose=True) for n in (11, 13, 17, 19)]
    settings = {"parameter": ["travel_turn"], "repeat": "no", "samples": 64}
    model = learn("parametric-space", clips, settings)
    assert not model.space.rows.cyclic
    assert model.space.rows.margin * model.space.rows.durations.min() > 0.2
    clip = synthesize(model, Request.from_yaml("{parameters: {travel_turn: -30deg}}"))
    assert 1.0 < clip.seconds < 1.5


def test_ankles_do_not_fold_where_a_toe_lifts_off(mocap):
    """Clips of one subject lift off at different moments: held until most of them do, a toe must catch up at once."""
    clips = [load(mocap / "cmu" / f"16_{n}.bvh", trim_tpose=True) for n in (21, 23, 25, 27, 29)]
    model = learn("parametric-space", clips, {**TURNS, "samples": 64})
    for seed in (0, 1, 2):
        free, locked = (
            synthesize(model, Request.from_yaml(f"{{seconds: 4, options: {{clean_feet: {clean}}}}}"), seed=seed)
            for clean in ("false", "true")
        )
        for foot in feet(model.skeleton):
            turns = [angle_between(c.rotations[1:, foot.ankle], c.rotations[:-1, foot.ankle]) for c in (free, locked)]
            assert turns[1].max() < 1.3 * turns[0].max()


def test_a_clip_of_another_action_below_the_limit_is_warned_about(mocap):
    clips = [load(mocap / "cmu" / f"{name}.bvh", trim_tpose=True) for name in ("16_11", "93_03")]
    settings = {"parameter": ["travel_turn"], "cut": "none", "repeat": "no", "samples": 0}
    notes = [str(note) for note in learn("parametric-space", clips, settings).notes]
    [said] = [text for text in notes if "another action" in text]
    assert said.startswith("warning: some examples may show another action: from 16_11.bvh")
    assert "93_03.bvh#8-102 19.6 cm" in said
