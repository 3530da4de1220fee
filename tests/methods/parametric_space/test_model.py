"""Parametric space: cutting, requests inside and outside, errors, provenance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from motionloom.blend.registration import contact_events
from motionloom.constraints import MotionParameter, Parameters, Request
from motionloom.core import BadRequest, Unmet, UnsupportedConstraint
from motionloom.core.origin import from_file
from motionloom.core.poses import commands
from motionloom.kinematics.travel import travel
from motionloom.methods import learn, problems, synthesize
from motionloom.methods.space._kernels_nearest import nearest_weights
from motionloom.methods.space.baked import baked
from motionloom.methods.space.radial import solve_misses
from motionloom.recipes.blending import blend_clips
from motionloom.rotation import angle_between
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk_clips():
    return [make("walk", seed=1, turn=t, seconds=3, fps=30) for t in (-0.6, 0.0, 0.6)]


@pytest.fixture(scope="module")
def model(walk_clips):
    return learn("parametric-space", walk_clips, {"parameter": ["turn_rate"], "samples": 100})


@pytest.fixture(scope="module")
def ducks():
    return [make("duck", seed=1, height=h, fps=30) for h in (1.0, 1.2, 1.4)]


@pytest.fixture(scope="module")
def ducking(ducks):
    return learn(
        "parametric-space", ducks, {"parameter": ["head_height"], "cut": "none", "repeat": "no", "samples": 64}
    )


def test_cycles_of_both_feet_become_examples(model):
    mirrored = [note for note in model.notes if str(note).startswith("mirrored ")]
    assert mirrored
    assert model.space.rows.cyclic
    np.testing.assert_allclose(model.space.rows.turns[model.space.rows.lead + model.space.rows.count],
                               model.space.rows.turns[model.space.rows.lead], atol=1e-9)  # fmt: skip


def test_mirrored_copies_of_left_turns_turn_right():
    clips = [make("walk", seed=1, turn=t, seconds=2.5, fps=30) for t in (0.0, 0.6)]
    settings = {"parameter": ["turn_rate"], "samples": 0}
    left, both = (learn("parametric-space", clips, {**settings, "mirror": m}) for m in ("none", "all"))
    assert left.space.low[0] > -0.1
    assert both.space.low[0] == pytest.approx(-both.space.high[0], abs=0.05)
    right = synthesize(both, Request.from_yaml("{seconds: 2, parameters: {turn_rate: -25deg/s}}"))
    assert np.ptp(travel(right).heading) > np.radians(40)


def test_clips_that_do_not_end_as_they_begin_cannot_repeat(ducks):
    down = [clip[: len(clip) // 2] for clip in ducks]
    with pytest.raises(BadRequest, match="do not end as they begin"):
        learn("parametric-space", down, {"parameter": ["head_height"], "cut": "none", "repeat": "yes", "samples": 0})


def test_a_requested_turn_is_made(model):
    clip = synthesize(model, Request.from_yaml("{seconds: 4, parameters: {turn_rate: 20deg/s}}"))
    turned = travel(clip).heading
    assert (turned[-1] - turned[0]) * 30 / (len(clip) - 1) == pytest.approx(np.radians(20), abs=0.01)


def test_the_note_states_what_is_measured_on_the_result(model):
    """A walk of several cycles turns a little differently from one cycle of the same weights."""
    clip = synthesize(model, Request.from_yaml("{seconds: 4, parameters: {turn_rate: 20deg/s}}"))
    assert "turn_rate 20.0 deg/s" in str(clip.origin.notes[0])


def test_whole_clips_that_repeat_are_played_from_end_to_end(model):
    """Cut cycles have no motion to spare for transitions, and need none."""
    settings = {"parameter": ["turn_rate"], "cut": "none", "repeat": "yes", "samples": 0}
    again = learn("parametric-space", model.examples, settings)
    assert again.space.rows.cyclic
    np.testing.assert_allclose(again.space.rows.durations, model.space.rows.durations, atol=1e-9)


def test_every_frame_lists_its_examples_and_weights(model):
    clip = synthesize(model, Request.from_yaml("{seconds: 2, parameters: {turn_rate: 10deg/s}}"))
    assert clip.origin.which.shape[2] > 1
    np.testing.assert_allclose(clip.origin.weights.sum(2), 1)


def test_live_characters_have_the_weights_of_the_space_with_its_stored_misses(model, rng):
    space = model.space
    at = (space.values - space.middle) / space.ranges
    by = solve_misses(at, 0.05 + 0.05 * np.sin(9 * at))
    changed = replace(model, space=replace(space, missed_at=at, missed_by=by))
    asked = rng.uniform(space.low, space.high, (12, 1))
    expected = changed.space.weights(asked)
    assert np.abs(expected.weights - space.weights(asked).weights).max() > 0.01
    live = changed.live
    state = live.begin(np.arange(12))
    begun = changed.space.weights(state.wanted * space.ranges + space.middle)
    np.testing.assert_allclose(state.goal, begun.weights, atol=1e-9)
    state, _ = live.step(state, commands(values=asked), 1 / live.fps)
    np.testing.assert_allclose(state.goal, expected.weights, atol=1e-9)
    np.testing.assert_allclose(live.status(state).used, expected.used, atol=1e-9)


def test_the_origin_lists_all_examples_with_a_weight(rng):
    clips = [make("walk", seed=k, seconds=2, fps=30) for k in range(12)]
    weights = rng.dirichlet(np.ones(12))
    origin = blend_clips(clips, list(weights)).origin
    assert origin.which.shape[2] == 12
    np.testing.assert_allclose(np.sort(origin.weights[0, 0]), np.sort(weights), atol=1e-9)


def test_sampling_that_stops_at_its_limit_is_noted(ducks):
    settings = {"parameter": ["head_height"], "cut": "none", "repeat": "no", "samples": 4}
    notes = " ".join(str(note) for note in learn("parametric-space", ducks, settings).notes)
    assert "which more samples (now 4) may reach" in notes


def test_a_motion_that_ends_has_its_own_length(ducking):
    height = float(ducking.space.values.mean())
    clip = synthesize(ducking, Request.from_yaml(f"{{parameters: {{head_height: {height}m}}}}"))
    assert Parameters(values={"head_height": f"{height}m"}).residual(clip) == pytest.approx(0, abs=0.005)
    with pytest.raises(BadRequest, match=r"this motion ends by itself, after .* leave out the length"):
        synthesize(ducking, Request(seconds=3))


def test_outside_a_hard_request_is_unmet_with_the_border_as_best_clip(ducking):
    with pytest.raises(Unmet, match="outside what blends of the examples reach") as caught:
        synthesize(ducking, Request.from_yaml("{parameters: {head_height: 0.4}}"))
    lowest = Parameters(values={"head_height": "0m"}).residual(caught.value.best)[0]
    assert lowest == pytest.approx(ducking.space.low[0], abs=0.03)


def test_outside_a_soft_request_is_clamped_with_a_note(ducking):
    asked = Request(constraints=(Parameters(values={"head_height": "0.4m"}, weight=1.0),))
    clip = synthesize(ducking, asked)
    assert any("head_height 0.4 m requested" in note.text for note in clip.origin.notes)


def test_examples_whose_parameter_depends_on_short_contacts_are_reported():
    """Cut at the take-off, jumps have a contact of a frame there, which cannot be held: no leap is measured then."""
    whole = [make("jump", seed=1, height=h, distance=d, fps=30) for h, d in ((0.3, 0.3), (0.35, 0.7), (0.4, 1.1))]
    flights = []
    for clip in whole:
        off = int(np.flatnonzero(~np.any([clip.label(n) for n in clip.label_names if "contact" in n], axis=0))[0])
        flights.append(clip[off - 1 :])
    settings = {"parameter": ["leap_length"], "cut": "none", "repeat": "no", "margin": 0.0, "samples": 0}
    found = [
        [str(note) for note in learn("parametric-space", clips, settings).notes if "feet are locked" in str(note)]
        for clips in (whole, flights)
    ]
    assert not found[0]
    assert found[1][0].startswith("warning: leap_length is another when feet are locked")


def test_parameters_of_other_spaces_and_spans_are_refused(model):
    [problem] = problems(model, Request(seconds=2, constraints=(Parameters(values={"head_height": "1m"}),)))
    assert isinstance(problem, UnsupportedConstraint)
    assert "head_height" in str(problem)
    asked = Request(seconds=2, constraints=(Parameters(values={"turn_rate": "0deg/s"}, span=(0, 1)),))
    [problem] = problems(model, asked)
    assert "whole result" in str(problem)


def test_a_users_measure_is_used_and_its_absence_is_reported(ducks):
    low = MotionParameter("bow", "m", 1, "lowest hips", lambda clip: float(clip.root[:, 1].min()))
    config = {"parameter": ["bow"], "cut": "none", "repeat": "no", "samples": 32}
    model = learn("parametric-space", ducks, config, parameters=[low])
    middle = float(model.space.values.mean())
    asked = Request.from_yaml(f"{{parameters: {{bow: {middle}m}}}}")
    clip = synthesize(model, asked)
    assert clip.root[:, 1].min() == pytest.approx(middle, abs=0.02)


def test_a_measure_that_is_not_supplied_again_spoils_no_other_parameter():
    """What it would measure is taken from the map, and the turn is corrected by what is measured on the result."""
    clips = [make("walk", seed=1, turn=t, speed=s, seconds=3, fps=30) for t in (-0.6, 0.6) for s in (1.0, 1.6)]
    stride = MotionParameter("stride", "m", 1, "way of the hips", lambda clip: float(np.ptp(clip.root[:, 2])))
    settings = {"parameter": ["turn_rate", "stride"], "samples": 32}
    model = learn("parametric-space", clips, settings, parameters=[stride])
    turn = Parameters(values={"turn_rate": "13deg/s"})
    clip = synthesize(model, Request(seconds=5, constraints=(turn,)))
    assert turn.residual(clip)[0] == pytest.approx(0, abs=0.001)


def test_a_request_inside_that_is_not_corrected_is_not_called_outside(model):
    low, high = np.degrees([model.space.low[0], model.space.high[0]])
    for turn, text in ((0.45 * low + 0.55 * high, "blends of the examples reach it"), (2 * high, "lies outside")):
        asked = Parameters(values={"turn_rate": f"{turn}deg/s"}, tolerance={"turn_rate": "0.0001deg/s"})
        with pytest.raises(Unmet, match=text):
            synthesize(model, Request(seconds=5, constraints=(asked,), options={"corrections": 0}))


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"parameter": ["nonsense"]}, "nonsense"),
        ({"parameter": ["climb"], "cut": "none", "repeat": "no"}, "climb does not vary|equal parameters"),
        (
            {"parameter": ["head_height", "speed", "distance", "climb"], "cut": "none"},
            "needs 5 examples or more",
        ),
        ({"cut": "cycles", "parameter": ["head_height"]}, "has no cycle"),
        ({"cut": "hit"}, "has no label 'hit'"),
    ],
)
def test_bad_input_is_a_clear_error(config, text, ducks):
    with pytest.raises(BadRequest, match=text):
        learn("parametric-space", ducks, {"samples": 0, **config})


def test_a_parameter_that_hardly_varies_is_warned_about():
    config = {"parameter": ["distance"], "cut": "none", "repeat": "no", "samples": 0, "merge": 0.0}
    walks = [make("walk", seed=1, speed=v, seconds=2, fps=30) for v in (1.2, 1.21)]
    notes = " ".join(str(note) for note in learn("parametric-space", walks, config).notes)
    assert "warning: distance hardly varies in the examples, by 0.0" in notes


def test_equal_and_dependent_parameters_are_errors(ducks):
    config = {"parameter": ["head_height"], "cut": "none", "samples": 0}
    with pytest.raises(BadRequest, match="have equal parameters"):
        learn("parametric-space", [*ducks, ducks[0]], config)
    twice = MotionParameter("twice", "m", 1, "", lambda clip: 2 * float(clip.root[:, 1].min()))
    once = MotionParameter("once", "m", 1, "", lambda clip: float(clip.root[:, 1].min()))
    with pytest.raises(BadRequest, match="depend on each other in these examples: once, twice"):
        learn("parametric-space", ducks, {**config, "parameter": ["once", "twice"]}, parameters=[once, twice])


def test_dissimilar_clips_are_named_with_their_cost(ducks):
    config = {"parameter": ["head_height"], "cut": "none", "repeat": "no", "samples": 0}
    with pytest.raises(BadRequest, match=r"too dissimilar .* cm"):
        learn("parametric-space", [ducks[0], make("cartwheel", fps=30)], config)


def test_cycles_of_another_action_are_named(walk_clips):
    cartwheel, run = make("cartwheel", fps=30), make("run", seed=1, seconds=3, fps=30)
    config = {"parameter": ["speed"], "samples": 0}
    for clips, left_out in (([*walk_clips, cartwheel], "sample:cartwheel#"), ([walk_clips[0], run], "sample:walk#")):
        notes = [str(note) for note in learn("parametric-space", clips, config).notes]
        [text] = [note for note in notes if "last much longer or shorter than the others, left out" in note]
        assert left_out in text


def test_a_measure_that_fails_is_an_error(ducks):
    broken = MotionParameter("broken", "m", 1, "", lambda clip: float("nan"))
    with pytest.raises(BadRequest, match=r"'broken' cannot be measured.*: expected finite values"):
        learn("parametric-space", ducks, {"parameter": ["broken"], "cut": "none", "samples": 0}, parameters=[broken])


def test_a_baked_space_has_a_clip_at_every_vertex_with_its_parameters_and_foot_phases(model):
    found = baked(model)
    assert len(found.clips) == model.space.rows.size == len(found.facts["vertices"])
    values = [vertex["parameters"]["turn_rate"] for vertex in found.facts["vertices"]]
    np.testing.assert_allclose(values, model.space.values[:, 0])
    for clip, vertex in zip(found.clips, found.facts["vertices"], strict=True):
        assert clip.seconds == pytest.approx(vertex["seconds"], abs=1 / 20)
        assert {(event["foot"], event["event"]) for event in vertex["feet"]} >= {
            ("right_foot", "down"),
            ("left_foot", "up"),
        }
    line = np.array([values[k] for cell in found.facts["simplices"] for k in cell]).reshape(-1, 2)
    assert (np.diff(line, axis=1) > 0).all()
    np.testing.assert_allclose(line[1:, 0], line[:-1, 1])


@pytest.mark.parametrize("action", ["walk", "jump"])
def test_baked_clips_show_the_same_moment_at_the_same_share_of_their_length(action):
    """Feet come down and leave the ground where `space.json` has it, also where clips differ in timing."""
    if action == "walk":
        clips = [make("walk", seed=1, speed=v, seconds=4, fps=60) for v in (0.8, 1.3, 1.9)]
        settings = {"parameter": ["speed"], "fps": 60}
    else:
        clips = [make("jump", seed=1, height=h, distance=d, fps=60) for h, d in ((0.3, 0.3), (0.35, 0.7), (0.4, 1.1))]
        settings = {"parameter": ["leap_length"], "cut": "none", "repeat": "no", "fps": 60}
    model = learn("parametric-space", clips, {**settings, "samples": 0})
    found = baked(model)
    for k, (clip, vertex) in enumerate(zip(found.clips, found.facts["vertices"], strict=True)):
        events = [(event.name, event.seconds / clip.seconds) for event in contact_events(clip)]
        listed = {(f"{e['foot'].removesuffix('_foot')} {e['event']}", e["phase"]) for e in vertex["feet"]}
        assert len(events) >= len(listed) - 1  # the first landing of a cycle lies at its beginning
        for name, share in events:
            apart = [abs((share - phase + 0.5) % 1 - 0.5) for n, phase in listed if n == name]
            assert min(apart) < 2.5 / len(clip), (name, share)
        u = np.linspace(0, 1, len(clip))
        poses = model.space.pose(model.tables, np.eye(len(found.clips))[[k]], u)
        assert np.degrees(angle_between(poses.rotations[:, 1:], clip.rotations[:, 1:])).max() < 0.1


def test_nearest_samples_are_those_of_the_projected_request(model):
    """HECK eqs 6.1-6.2 average far samples, as all of them are equally far; the request is projected first."""
    space = model.space
    far = np.array([space.high + 4 * space.ranges, space.low - 4 * space.ranges])
    found = space.weights(far, rule="nearest")
    assert found.outside.all()
    np.testing.assert_allclose(found.used, [space.high, space.low], atol=0.005 * space.ranges[0])
    known = np.concatenate([space.values, space.sample_values])
    blends = np.concatenate([np.eye(len(space.values)), space.sample_weights])
    plain = np.zeros((2, 1))
    nearest_weights(known / space.ranges, blends, far / space.ranges, 3, np.zeros((2, len(space.values))), plain)
    off = [np.abs(used - [space.high, space.low]).max() for used in (plain * space.ranges, found.used)]
    assert off[0] > 0.01 * space.ranges[0] > 3 * off[1], off


def test_margins_that_a_clip_cannot_hold_are_noted(ducks):
    settings = {"parameter": ["head_height"], "cut": "none", "repeat": "no", "samples": 0}
    short = [clip[: 40 + 2 * k] for k, clip in enumerate(ducks)]
    notes = [str(note) for note in learn("parametric-space", short, {**settings, "margin": 0.5}).notes]
    [note] = [text for text in notes if "margins shorter than 0.5 s" in text]
    assert "sample:duck#8-31 (0.27 s before, 0.27 s after)" in note
    assert not any("margins shorter" in str(note) for note in learn("parametric-space", ducks, settings).notes)


def test_live_sources_are_the_frames_that_are_shown(walk_clips):
    """Each character keeps to the parameters of one example: its pose is that of the frame that is named."""
    clips = [replace(clip, origin=from_file(f"walk{k}.bvh", len(clip))) for k, clip in enumerate(walk_clips)]
    model = learn("parametric-space", clips, {"parameter": ["turn_rate"], "mirror": "none", "samples": 100})
    live, examples = model.live, range(model.space.rows.size)
    assert len(examples) == 3
    state = live.begin(np.arange(len(examples)))
    for step in range(90):
        state, poses = live.step(state, commands(values=model.space.values), 1 / 30)
        if step < 30:  # until the weights have arrived
            continue
        found = live.sources(state)
        for k in examples:
            source, frame = clips[found.which[k, 0, 0]], round(found.frames[k, 0, 0])
            apart = np.degrees(angle_between(poses.rotations[k, 1:], source.rotations[:, 1:]).mean(1))
            nearest = frame + apart[frame - 8 if frame > 8 else 0 : frame + 9].argmin() - min(frame, 8)
            assert abs(nearest - frame) <= 1
            assert apart[frame] < 4
