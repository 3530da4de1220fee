"""Live variants, and variation as a layer on other characters; the laws are in tests/control."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from motionloom.constraints import Request
from motionloom.control import record, run, varied
from motionloom.core import BadRequest
from motionloom.core.poses import Poses, commands
from motionloom.kinematics.body.roles import group
from motionloom.kinematics.feet.contacts import foot_parts, part_positions
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import travel
from motionloom.methods import synthesize
from motionloom.methods.variation._kernels_mix import begin_knots, weights_at
from motionloom.methods.variation.layer import variation_layer
from motionloom.methods.variation.live import LiveOptions
from motionloom.methods.variation.timing import MOMENTS


def walked(live, given=None, *, seconds=4.0, seed=3, **options):
    state = live.begin([seed], options=LiveOptions(**options))
    steps = [1 / live.fps] * round(seconds * live.fps)
    return record(live, run(live, state, given or commands(), steps), live.fps)


def drift(clip):
    """m/s: mean speed over the ground of foot parts that touch, in this frame and the next."""
    on = np.stack([clip.label(p.label) for p in foot_parts(clip.skeleton)], 1)
    step = np.linalg.norm(np.diff(part_positions(clip)[..., [0, 2]], axis=0), axis=-1) * clip.fps
    return step[on[1:] & on[:-1]].mean()


def test_a_character_moves_like_the_takes_and_never_like_another(walker):
    a, b = (walked(walker.live, seed=seed) for seed in (1, 2))
    speeds = [np.linalg.norm(np.diff(travel(c).place, axis=0), axis=1).mean() * c.fps for c in (a, b)]
    assert speeds == pytest.approx([walker.live.tables.speed] * 2, rel=0.1)
    low, high = walker.limits
    values = walker.dofs.values(a)[2:-2]  # ends have one-sided rates
    inside = (values >= low - 1e-3) & (values <= high + 1e-3)
    assert inside[:, ~walker.dofs.displacement].all()
    assert not np.allclose(a.rotations, b.rotations)


def test_without_variation_every_character_shows_the_mean(walker):
    a, b = (walked(walker.live, seed=seed, amount=0.0, hold_feet=False) for seed in (1, 2))
    arm = walker.skeleton.joint("left_forearm")
    assert np.ptp(a.rotations[:, arm], axis=0) == pytest.approx(np.ptp(b.rotations[:, arm], axis=0), abs=0.02)


def test_feet_that_stand_are_held(walker):
    free, held = (walked(walker.live, hold_feet=hold) for hold in (False, True))
    assert drift(held) < 0.5 * drift(free)


def test_hips_of_live_and_rendered_characters_follow_standing_feet_alike(walker):
    """Knees accelerate no more than if feet were left to slide; live ones had no hips that follow, and swung."""
    knees = [walker.skeleton.joint(f"{side}_shin") for side in ("left", "right")]

    def hardest(clip):
        return np.linalg.norm(np.diff(fk(clip)[:, knees], 2, axis=0), axis=-1).max()

    free, held = ([walked(walker.live, hold_feet=hold, seed=s) for s in range(3)] for hold in (False, True))
    assert max(map(hardest, held)) < 1.25 * max(map(hardest, free))
    rendered_ones = [synthesize(walker, Request(seconds=4), seed=s) for s in range(3)]
    assert max(map(hardest, rendered_ones)) < 1.25 * max(map(hardest, free))


def test_a_speed_changes_the_tempo_and_a_heading_the_direction(walker):
    live = walker.live
    clip = walked(live, commands(speed=1.2 * live.tables.speed, heading=1.0), seconds=6.0)
    place = travel(clip).place
    last = place[-1] - place[len(place) // 2]
    seconds = (len(place) - 1 - len(place) // 2) / clip.fps
    assert np.linalg.norm(last) / seconds == pytest.approx(1.2 * live.tables.speed, rel=0.12)
    assert np.arctan2(last[0], last[1]) == pytest.approx(1.0, abs=0.3)


def test_what_does_not_repeat_and_pen_strokes_have_no_live_characters(walker):
    with pytest.raises(BadRequest, match="does not repeat"):
        _ = replace(walker, loop=None).live


def test_a_layer_leaves_places_contacts_and_legs_as_they_are(walker):
    layer = variation_layer(walker)
    clip = walker.clips[0]
    state = layer.begin(np.array([5, 6]), clip.skeleton)
    legs = [0, *group(clip.skeleton, "lower")]
    moved = []
    for f in range(40):
        below = Poses(
            np.stack([clip.root[f]] * 2), np.stack([clip.rotations[f]] * 2), np.ones((2, 4), bool), np.zeros(2)
        )
        state, above = layer.step(state, below, commands(), 1 / 30)
        assert np.array_equal(above.root, below.root)
        assert np.array_equal(above.contacts, below.contacts)
        assert np.array_equal(above.rotations[:, legs], below.rotations[:, legs])
        moved.append(np.abs(above.rotations - below.rotations).max((1, 2)))
    assert (np.max(moved, axis=0) > 0.01).all()
    assert np.max(moved) < 0.5
    assert not np.allclose(above.rotations[0], above.rotations[1])
    assert np.diff(moved, axis=0).max() < 0.05  # smoothly


def test_a_layer_adds_the_deviation_of_a_variant_at_the_moment_of_the_takes(walker):
    """sum_c (w_c,i - 1/S) x_c,i, on top of the mean motion; a spring of the deviations took a quarter of them away."""
    layer, live, seeds = variation_layer(walker), walker.live, range(4)
    tables, below = layer.tables, live.begin(seeds, options=LiveOptions(amount=0.0))
    takes, varied_ = tables.takes.values - tables.mean, tables.amounts[:-1] > 0
    state, step, found, known = layer.begin(np.array(seeds), walker.skeleton), MOMENTS * walker.fps, [], []
    first, knots = np.zeros(1, np.int64), np.empty_like(state.knots[0])
    weights = np.empty((len(takes), takes.shape[2] + 1))
    for f in range(180):
        below, poses = live.step(below, commands(), 1 / 60)
        state, _ = layer.step(state, poses, commands(), 1 / 60)
        for k in seeds if f >= 60 else ():
            begin_knots(k, first, knots, tables.takes.sharing)
            weights_at(
                k, state.time[k] * step, tables.takes.knot * step, first, knots, tables.takes, tables.base,
                tables.amounts, weights,
            )  # fmt: skip
            there = takes[:, round(state.moment[k, 0]) % takes.shape[1]]
            known.append(((weights[:, :-1] - tables.base[:, None]) * there).sum(0)[varied_])
            found.append(state.deviation[k, varied_])
    off = np.sqrt(np.square(np.subtract(found, known)).mean() / np.square(known).mean())
    assert off < 0.02  # moments between those of the takes; 0.29 with a spring of the deviations


def test_an_amount_of_zero_adds_nothing_and_parts_can_be_chosen(walker):
    clip = walker.clips[0]
    below = Poses(clip.root[:1], clip.rotations[:1], np.ones((1, 4), bool), np.zeros(1))
    none, head = variation_layer(walker, 0.0), variation_layer(walker, 0.0, ["left_arm=2"])
    for layer in (none, head):
        state = layer.begin(np.array([5]), clip.skeleton)
        for _ in range(5):
            state, above = layer.step(state, below, commands(), 1 / 30)
        changed = np.flatnonzero(np.abs(above.rotations - below.rotations).max((0, 2)) > 1e-9)
        assert set(changed) <= set(group(clip.skeleton, "left_arm") if layer is head else [])
    assert len(changed)


def test_a_layer_credits_its_takes_for_the_joints_that_vary(walker):
    layer = variation_layer(walker)
    assert set(layer.joints).isdisjoint(group(walker.skeleton, "lower"))
    found = layer.sources(layer.begin(np.array([5, 6]), walker.skeleton))
    assert found.which.shape == (2, 1, len(layer.clips))
    np.testing.assert_allclose(found.weights.sum(2), 0.5)


def test_a_layer_needs_takes_of_the_same_joints(walker, arm):
    with pytest.raises(BadRequest, match="learned on other joints"):
        variation_layer(walker).begin(np.array([1]), arm)
    with pytest.raises(BadRequest, match="amount: expected 0 to 4"):
        varied(walker.live, walker, amount=9.0)
