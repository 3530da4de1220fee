"""Bodies that turn over: their headings stay calm, and their coordinates do not jump where a turn passes pi."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motionloom import samples
from motionloom.constraints import Request
from motionloom.io import load
from motionloom.kinematics.channels.metric import fit_metric_space, to_coordinates
from motionloom.kinematics.channels.sides import continuous, on_side_of, segment_base
from motionloom.kinematics.fk import fk
from motionloom.kinematics.local_frames import Frames, observe, restore
from motionloom.kinematics.travel import headings, placed, root_headings
from motionloom.methods import learn, synthesize
from motionloom.methods.textons.learn.lds import Prior, fit, log_density
from motionloom.methods.textons.learn.likelihood import likelihood
from motionloom.rotation import about, angle_between, multiply


@pytest.fixture(scope="module")
def wheels():
    return [samples.make("cartwheel", seed=seed) for seed in range(3)]


def test_a_cartwheel_does_not_turn_its_heading(wheels):
    for clip in wheels:
        assert np.ptp(np.unwrap(root_headings(clip.rotations[:, 0], clip.skeleton))) > 6  # its twist goes once around
        assert np.ptp(headings(clip)) < 0.7
        assert np.abs(np.diff(headings(clip))).max() * clip.fps < 2


def test_the_heading_of_a_body_that_never_turns_over_is_its_twist(takes):
    for clip in takes:
        assert_allclose(headings(clip), np.unwrap(root_headings(clip.rotations[:, 0], clip.skeleton)))


def test_a_body_upside_down_at_a_clips_end_keeps_the_last_heading(wheels):
    clip = wheels[0]
    head = fk(clip)[:, clip.skeleton.find("head"), 1]
    over = int(np.argmax(clip.root[:, 1] - head))
    half = headings(clip[:over])
    assert np.abs(np.diff(half)).max() * clip.fps < 2
    assert_allclose(headings(clip[over : over + 5]), headings(clip[over : over + 5])[0])


def test_observing_and_restoring_a_cartwheel_gives_it_back(wheels):
    for clip in wheels:
        again = restore(observe(clip), clip.skeleton, clip.fps)
        assert_allclose(fk(again), fk(placed(clip)), atol=1e-9)


def rolling(frames, turns):
    """A body whose first joint rolls about an axis by so many turns, around its rest."""
    angle = np.linspace(-turns * np.pi, turns * np.pi, frames)
    rotations = np.zeros((frames, 2, 4))
    rotations[..., 0] = 1
    rotations[:, 0] = multiply(about(1, 0.2), about(2, angle))
    return Frames(rotations, np.zeros((frames, 4))), angle


def a_space(turning):
    clip = samples.make("walk", seconds=1)
    space = fit_metric_space(observe(clip), clip.skeleton)
    wild = np.zeros(2, bool)
    wild[0] = turning
    moving = np.ones(10, bool)
    base = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    return replace(space, base=base, scale=np.array([0.8, 0.5]), wild=wild, moving=moving, still=np.zeros(10))


def test_coordinates_of_a_roll_run_on_where_the_logarithm_jumps():
    frames, angle = rolling(200, 1.6)
    space = a_space(True)
    base = np.stack([about(1, 0.2), space.base[1]])
    plain = to_coordinates(frames, space, base)
    assert np.abs(np.diff(plain[:, 2])).max() > 4  # from pi to -pi
    y = continuous(plain, space)
    assert_allclose(y[:, 2], 0.8 * angle, atol=1e-9)
    assert_allclose(on_side_of(plain, y, space), y, atol=1e-9)
    assert space.wild_columns.tolist() == [[0, 1, 2]]


def test_the_base_of_a_roll_is_its_middle_so_that_a_whole_turn_stays_within_pi():
    frames, _ = rolling(121, 1.0)
    long_wait = Frames(np.concatenate([np.repeat(frames.turns[:1], 200, 0), frames.turns]), np.zeros((321, 4)))
    for parts in ([frames], [long_wait], [frames, long_wait]):
        base = segment_base(parts, a_space(True))
        assert angle_between(base[0], about(1, 0.2)) < 0.03  # half a frame's turn


def test_a_roll_is_as_likely_whichever_way_its_logarithm_is_taken():
    frames, _ = rolling(150, 1.15)
    space = a_space(True)
    base = np.stack([about(1, 0.2), space.base[1]])
    plain = to_coordinates(frames, space, base)
    plain += 1e-3 * np.random.default_rng(0).normal(size=plain.shape)
    y = continuous(plain, space)
    d = fit([y], keep=0.99, largest=3, prior=Prior())
    found = likelihood(plain, d, space)
    assert_allclose(found, likelihood(y, d, space), atol=1e-6)
    jump = int(np.abs(np.diff(plain[:, 2])).argmax()) + 1
    assert log_density(plain[jump, None], plain[jump - 1, None], plain[jump - 2, None], d)[0] < found[jump] - 1000
    assert found[2:].min() > 0


def unbroken_and_near(model):
    """The largest angle of a modelled joint from its texton's base, and the worst step in turns that it really made."""
    wild = model.space.wild
    far, worst = 0.0, 0.0
    for seen in model.observed:
        base = model.textons[seen.texton].base
        far = max(far, float(angle_between(seen.frames.turns[:, wild], base[wild]).max()))
        y = continuous(to_coordinates(seen.frames, model.space, base), model.space)[:, model.space.wild_columns]
        step = np.linalg.norm(np.diff(y, axis=0), axis=-1) / model.space.scale[wild]
        turned = angle_between(seen.frames.turns[1:, wild], seen.frames.turns[:-1, wild])
        worst = max(worst, float((step / np.maximum(turned, 0.02)).max()))
    return far, worst


def hips_rate(clip):
    return float(angle_between(clip.rotations[1:, 0], clip.rotations[:-1, 0]).max() * clip.fps)


def test_no_joint_of_a_cartwheel_comes_near_pi_within_a_texton(wheels):
    model = learn("textons", wheels)
    assert model.space.wild[0]
    far, worst = unbroken_and_near(model)
    assert far < 0.85 * np.pi
    assert worst < 2.5
    assert np.diff(model.history).min() > -1e-6 * abs(model.history[-1])
    made = synthesize(model, Request(seconds=10), seed=1)
    height = fk(made)[:, made.skeleton.find("head"), 1] - made.root[:, 1]
    assert height.min() < -0.3  # it does turn over
    assert hips_rate(made) < 1.3 * max(hips_rate(c) for c in wheels)


def test_coordinates_of_captured_cartwheels_do_not_jump(mocap):
    clips = [load(mocap / f"cmu/49_0{k}.bvh") for k in (6, 7, 8)]
    model = learn("textons", clips)
    assert model.space.wild[0]
    far, worst = unbroken_and_near(model)
    assert far < 1.2 * np.pi  # one turns over within a second: the chart is smooth up to two pi
    assert worst < 3
    made = synthesize(model, Request(seconds=10), seed=1)
    assert hips_rate(made) < 16  # rad/s; the captured ones reach 12
