"""Requests by motion matching: paths, places and styles; and that jumps are not seen."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Reach, Request, RootPath, Style
from motionloom.core import BadRequest, with_labels
from motionloom.kinematics.feet.contacts import part_positions
from motionloom.kinematics.fk import fk
from motionloom.kinematics.pace import root_acceleration, standing
from motionloom.kinematics.travel import travel
from motionloom.methods import learn, load_model, save_model, synthesize
from motionloom.methods.synthesis import rendered
from motionloom.samples import make


def test_a_path_is_followed(matching):
    path = RootPath(points=((0, 0), (0, 5), (4, 7)), weight=1.0)
    clip = synthesize(matching, Request(constraints=(path,)))
    assert path.worst(clip) < 0.5  # the clips turn in a circle of 1.4 m
    assert np.linalg.norm(travel(clip).place[-1] - (4, 7)) < 0.5


def test_a_path_with_seconds_is_followed_in_that_time(matching):
    path = RootPath(points=((0, 0), (0, 6.5)), weight=1.0)
    clip = synthesize(matching, Request(seconds=5, constraints=(path,)))
    assert len(clip) == 150
    assert np.linalg.norm(travel(clip).place[-1] - (0, 6.5)) < 0.5


@pytest.mark.parametrize(("metres", "warned"), [(6.5, False), (2.5, True), (20.0, True)])
def test_a_path_at_a_speed_that_no_clip_has_is_warned_about(matching, metres, warned):
    """5 s at the speed of the clips, at half of it, and at three times it."""
    clip = synthesize(matching, Request(seconds=5, constraints=(RootPath(points=((0, 0), (0, metres)), weight=1.0),)))
    texts = [note.text for note in clip.origin.notes if note.level == "warning" and "the nearest requests" in note.text]
    assert len(texts) == warned
    assert all(f"{metres:.1f} m in 5.0 s is {metres / 5:.2f} m/s" in text for text in texts)


def test_a_place_is_reached(matching):
    place = Reach(position=(3, 3), weight=1.0)
    assert place.worst(synthesize(matching, Request(seconds=4, constraints=(place,)))) < 0.5
    assert place.worst(synthesize(matching, Request(constraints=(place,)))) < 0.5


def test_a_style_is_shown_in_its_span():
    clips = [make("walk", seed=i, turn=t, seconds=6) for i, t in enumerate((0.0, 0.5, -0.5))]
    sneak = [with_labels(c, {"sneak": np.ones(len(c), bool), "walk": np.zeros(len(c), bool)}) for c in clips]
    model = learn("motion-matching", [*clips, *sneak])
    style = Style(label="sneak", span=(2.0, 4.0), weight=1.0)
    clip = synthesize(model, Request(seconds=6, constraints=(style, Style(label="walk", span=(0.5, 2.0), weight=1.0))))
    assert style.met(clip)
    assert clip.label("walk")[20:58].mean() > 0.9


def test_jumps_do_not_show(matching):
    """No joint moves farther from one frame to the next than 1.5 times the farthest in the clips."""
    path = RootPath(points=((0, 0), (0, 5), (5, 5), (5, 0)), weight=1.0)
    plan, made = rendered(matching, Request(constraints=(path,)), np.random.default_rng(0))
    assert (np.diff(plan.shown) != 1).sum() > 3  # there are jumps
    accelerations = [np.abs(np.diff(fk(c), 2, axis=0)).max() for c in matching.clips]
    assert np.abs(np.diff(fk(made), 2, axis=0)).max() < 2.0 * max(accelerations)


def test_render_shows_the_frames_of_the_clips_where_nothing_was_jumped(matching):
    plan, made = rendered(matching, Request(seconds=0.5), np.random.default_rng(3))
    assert (np.diff(plan.shown) == 1).all()
    source = np.concatenate([c.rotations for c in matching.clips])[plan.shown]
    apart = 1 - np.abs((made.rotations[:, 1:] * source[:, 1:]).sum(-1))
    assert apart.max() < 1e-9


def test_settings_out_of_range_are_errors():
    from motionloom.methods.motion_matching import Config, Options

    with pytest.raises(BadRequest, match=r"half_life: expected a duration from 0.01 to 1 s"):
        Options(half_life=0)
    with pytest.raises(BadRequest, match=r"foot_velocity: expected .*0 to 100"):
        Config(foot_velocity=-1)


def test_too_short_clips_are_an_error():
    with pytest.raises(BadRequest, match="at least 4 frames"):
        learn("motion-matching", [make("walk", seconds=4)[:4]])


def test_a_model_is_read_with_its_clips_alone(matching, tmp_path):
    save_model(matching, tmp_path / "m.loom")
    again = load_model(tmp_path / "m.loom")
    for a, b in zip(matching.database, again.database, strict=True):
        assert np.array_equal(a, b)


def test_a_character_without_a_command_does_not_stand_for_ever():
    """Walks that stop: their last frames are nearest to themselves, and were shown again and again (80 % standing)."""
    clips = [make(name, seed=i, seconds=6) for i, name in enumerate(("stop", "stop", "start", "walk"))]
    most = 1.5 * np.mean([standing(clip).mean() for clip in clips])
    model = learn("motion-matching", clips)
    assert all(standing(synthesize(model, Request(seconds=30), seed=seed)).mean() < most for seed in range(3))
    stops = learn("motion-matching", clips[:2])  # no clip starts: it does not jump from standing into a walk
    fastest = max(root_acceleration(clip).max() for clip in clips[:2])
    assert root_acceleration(synthesize(stops, Request(seconds=30))).max() < 1.2 * fastest


def test_feet_do_not_sink_into_the_floor_after_jumps():
    """The difference in pose that decays after a jump from a duck to a walk put toes 5 to 8 cm below the floor."""
    model = learn("motion-matching", [make("duck", seed=1), make("walk", seed=2, seconds=4), make("jump", seed=3)])
    lowest = min(part_positions(clip)[..., 1].min() for clip in model.clips)
    path = RootPath(points=((0, 0), (0, 5), (5, 5), (5, 0)), weight=1.0)
    for request in (Request(seconds=12), Request(constraints=(path,))):
        _, made = rendered(model, request, np.random.default_rng(0))
        assert part_positions(made)[..., 1].min() > lowest - 0.013
