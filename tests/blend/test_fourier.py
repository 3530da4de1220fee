"""Fourier locomotion: equations 2.10 to 2.13, characteristics, control."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.blend.fourier import (
    FAINT,
    analyse,
    characteristic,
    controlled,
    evaluate_series,
    in_clip,
    interpolated,
    interpolated_in_time,
    with_characteristic,
)
from motionloom.core import BadRequest
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.channels import fit_layout
from motionloom.kinematics.feet.contacts import foot_parts, part_positions
from motionloom.kinematics.feet.hold_feet import raise_hips
from motionloom.kinematics.feet.skate_measures import measure_skate, planted_speed
from motionloom.kinematics.travel import along, from_root_motion, root_motion, travel
from motionloom.samples import make


@pytest.fixture(scope="module")
def motions():
    clips = [make("walk", seed=1, speed=v, seconds=3, fps=30) for v in (1.1, 1.6)]
    layout = fit_layout(clips)
    return [analyse(clip, layout) for clip in clips]


def test_a_series_gives_its_cycle_back(motions):
    motion = motions[0]
    t = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    values = evaluate_series(motion, t)
    again = np.fft.rfft(values, axis=0)
    np.testing.assert_allclose(2 * np.abs(again[1:9]) / 60, motion.amplitude[:8], atol=1e-9)


@pytest.mark.parametrize("mix", [interpolated, interpolated_in_time])
def test_the_ends_of_an_interpolation_are_the_motions(mix, motions):
    a, b = motions
    t = np.linspace(0, 6, 40)
    np.testing.assert_allclose(evaluate_series(mix(a, b, 0.0), t), evaluate_series(a, t), atol=0.02)
    np.testing.assert_allclose(
        evaluate_series(mix(a, b, 1.0), t), evaluate_series(b, t), atol=0.02
    )  # no phase of faint waves


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 1.0])
def test_equation_2_12_is_the_sum_as_printed(motions, share):
    """For every channel: amplitudes and phases by s, phases along the shorter way, written out term by term."""
    a, b = motions
    made, t = interpolated(a, b, share), np.linspace(0, 6, 25)
    values = evaluate_series(made, t)
    count = max(len(a.amplitude), len(b.amplitude))
    sizes, phases = (
        [np.pad(x, ((0, count - len(x)), (0, 0))) for x in pair]  # what a series lacks is zero
        for pair in ((a.amplitude, b.amplitude), (a.phase, b.phase))
    )
    for channel in range(0, len(a.mean), 7):
        total = np.full(len(t), (1 - share) * a.mean[channel] + share * b.mean[channel])
        for n in range(1, count + 1):
            one, two = (x[n - 1, channel] for x in sizes)
            phi, psi = (x[n - 1, channel] for x in phases)
            psi -= 2 * np.pi * np.round((psi - phi) / (2 * np.pi))
            if min(one, two) < FAINT:  # the phase of the one that has a wave
                phi = psi = psi if one < FAINT else phi
            total += ((1 - share) * one + share * two) * np.sin(n * t + (1 - share) * phi + share * psi)
        np.testing.assert_allclose(values[:, channel], total, atol=1e-9)


def test_equation_2_13_is_the_mean_of_values(motions):
    a, b = motions
    t = np.linspace(0, 6, 40)
    mean = 0.7 * evaluate_series(a, t) + 0.3 * evaluate_series(b, t)
    np.testing.assert_allclose(evaluate_series(interpolated_in_time(a, b, 0.3), t), mean, atol=1e-9)


def test_a_characteristic_added_to_its_own_motion_gives_the_marked_one(motions):
    plain, marked = motions
    made = with_characteristic(plain, characteristic(plain, marked))
    t = np.linspace(0, 6, 40)
    assert np.abs(evaluate_series(made, t) - evaluate_series(marked, t)).max() < 0.02
    assert made.period == pytest.approx(marked.period)


def test_step_speed_and_hips_are_controlled(motions):
    def ground(motion, **options):
        clip = in_clip(controlled(motion, **options), 3.0, 30.0, from_feet=True, lock=False)
        return np.linalg.norm(clip.root[-1, [0, 2]] - clip.root[0, [0, 2]])

    assert ground(motions[0], step=1.2) > 1.08 * ground(motions[0])
    assert controlled(motions[0], speed=2.0).period == pytest.approx(motions[0].period / 2)


def test_hips_are_lowered_over_feet_that_stay(motions):
    high, low = (in_clip(controlled(motions[0], hips=h), 3.0, 30.0) for h in (0.0, -0.05))
    np.testing.assert_allclose(low.root, high.root - [0.0, 0.05, 0.0], atol=1e-9)
    np.testing.assert_allclose(part_positions(low), part_positions(high), atol=1e-6)


def test_hips_are_raised_as_far_as_standing_legs_reach(motions):
    low = in_clip(controlled(motions[0], hips=-0.1), 3.0, 30.0)
    plain, high = (in_clip(controlled(motions[0], hips=h), 3.0, 30.0) for h in (0.0, 0.3))
    rise = (high.root - plain.root)[:, 1]
    assert rise.min() >= -1e-9
    assert rise.max() < 0.1
    assert f"hips raised by {100 * rise.mean():.1f} cm on average instead of 30.0" in str(high.origin.notes[-1])
    on = np.stack([plain.label(part.label) for part in foot_parts(plain.skeleton)], 1)
    away = np.linalg.norm(part_positions(high) - part_positions(plain), axis=2)
    assert away[on].max() < 0.005
    raised = raise_hips(low, 0.05, feet(low.skeleton))  # bent knees have room
    np.testing.assert_allclose(raised.root, low.root + [0.0, 0.05, 0.0], atol=0.003)


@pytest.mark.parametrize("wrong", [{"hips": 0.9}, {"hips": -0.9}, {"step": 3.0}, {"step": 0.0}, {"speed": -1.0}])
def test_control_beyond_its_limits_is_an_error(wrong, motions):
    with pytest.raises(BadRequest, match=f"{next(iter(wrong))}: expected"):
        controlled(motions[0], **wrong)


@pytest.mark.parametrize("step", [0.8, 1.0, 1.2])
def test_longer_and_shorter_steps_stand_on_the_ground(motions, step):
    clip = in_clip(controlled(motions[0], step=step), 3.0, 30.0, from_feet=True)
    assert planted_speed(clip, {n: clip.label(n) for n in clip.label_names}) < 1e-6
    free = in_clip(controlled(motions[0], step=step), 3.0, 30.0, lock=False)
    assert measure_skate(clip).b < (0.6 if step == 1 else 0.25) * measure_skate(free).b
    for part, height, floor in zip(
        foot_parts(clip.skeleton), part_positions(clip)[..., 1].T, motions[0].floor, strict=True
    ):
        np.testing.assert_allclose(height[clip.label(part.label)], floor, atol=0.01)


def test_feet_stand_until_they_have_rolled_off_when_a_characteristic_is_added():
    """Labels of samples end where a toe begins to rise; without the rest of the contact, tired toes slide."""
    clips = [make("walk", seed=1, seconds=4, fps=60, style=style) for style in ("normal", "tired")]
    clips.append(make("walk", seed=3, seconds=4, fps=60, speed=1.6))
    layout = fit_layout(clips)
    plain, tired, fast = (analyse(clip, layout) for clip in clips)
    assert (fast.carrying >= fast.touching).all()
    assert fast.carrying.any(1).all()  # a walk has a foot on the ground at all times
    assert not fast.touching.any(1).all()
    made = with_characteristic(fast, characteristic(plain, tired))
    locked, free = (in_clip(made, 3.0, 60.0, from_feet=True, lock=lock) for lock in (True, False))
    assert measure_skate(locked).b < 0.25 * measure_skate(free).b


def test_a_walk_with_bends_to_both_sides_stays_as_straight_as_it_is():
    """A cycle of it turns by 60 degrees or so; repeated, it went round in a circle."""
    straight = make("walk", seed=1, seconds=8, fps=60)
    t = np.arange(len(straight)) / straight.fps
    path = travel(straight)
    heading = 0.8 * np.sin(2 * np.pi * t / 4.3)
    motion = root_motion(straight)
    motion[:-1, 2] = np.diff(heading)
    winding = along(straight, from_root_motion(motion, path.place[0], path.heading[0] + heading[0]))
    made = in_clip(analyse(winding, fit_layout([winding])), 8.0, 60.0)
    bends, turned = (np.degrees(np.ptp(travel(c).heading)) for c in (winding, made))
    assert bends > 80
    assert turned < 90  # 400 before
    assert "cycle" in str(made.origin.notes[0])
    assert "deg" in str(made.origin.notes[0])


def test_motion_without_a_cycle_is_an_error():
    with pytest.raises(BadRequest, match="no cycle"):
        analyse(make("duck", fps=30))
