"""Verbs and adverbs: splines, interpolation against its slow form, adverbs by hand, errors."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from motionloom.blend.registration import contact_events, together
from motionloom.constraints import Request
from motionloom.core import BadRequest, replace
from motionloom.methods import learn, synthesize
from motionloom.methods.verbs import Options
from motionloom.methods.verbs.adverbs import Interpolation, cubic_b_spline
from motionloom.methods.verbs.splines import motion_of
from motionloom.rotation import angle_between
from motionloom.samples import make


@pytest.fixture(scope="module")
def clips():
    speeds = (1.0, 1.3, 1.7)
    walks = [make("walk", seed=1, speed=s, seconds=3, fps=30) for s in speeds]
    return [replace(c, origin=dataclasses.replace(c.origin, name=f"walk_{n}.bvh")) for n, c in enumerate(walks)]


@pytest.fixture(scope="module")
def model(clips):
    return learn("verbs", clips, {"parameter": ["speed"]})


def test_weights_are_those_of_one_system_for_each_degree_of_freedom():
    """GUAN eq 2.7 as written: coefficients a and r for each control point, and their sum at p."""
    rng = np.random.default_rng(0)
    values, control, p = rng.normal(size=(6, 2)), rng.normal(size=(6, 5)), rng.normal(size=2)
    plane = np.concatenate([np.ones((6, 1)), values], 1)
    apart = np.linalg.norm(values[:, None] - values[None], axis=-1)
    reach = np.where(np.eye(6) > 0, np.inf, apart).min(1)
    radial = cubic_b_spline(apart / reach)
    expected = []
    for b in control.T:
        a = np.linalg.lstsq(plane, b, rcond=None)[0]
        r = np.linalg.solve(radial, b - plane @ a)
        expected.append(a @ [1, *p] + r @ cubic_b_spline(np.linalg.norm(p - values, axis=1) / reach))
    weights = Interpolation(values)(p)
    np.testing.assert_allclose(weights @ control, expected, atol=1e-6)
    assert weights.sum() == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(Interpolation(values)(values[2]), np.eye(6)[2], atol=1e-6)


def test_an_example_is_reproduced_at_its_own_adverbs(model):
    rows = model.space.rows
    for k in range(rows.size):
        one = motion_of(model.splines, rows, np.eye(rows.size)[k])
        assert np.degrees(angle_between(one.turns[:, 0], rows.turns[:, k])).max() < 3
        assert one.paces[rows.lead : rows.lead + rows.count].sum() == pytest.approx(rows.durations[k], rel=1e-6)


def test_key_times_increase_far_outside_the_examples(model):
    made = model.motion(model.space.values.max(0) + 5 * model.space.ranges, Options(extrapolation=10))
    assert made.rows.paces.min() > 0
    near = model.motion(model.space.values.max(0) + 5 * model.space.ranges, Options())
    np.testing.assert_allclose(near.used, model.space.values.max(0) + 0.25 * model.space.ranges)


def test_a_requested_speed_is_made(model):
    for variant in ("improved", "faithful"):
        wish = "constraints: [parameters: {values: {speed: 1.5}, weight: 1}]"
        clip = synthesize(model, Request.from_yaml(f"{{seconds: 2, {wish}, options: {{variant: {variant}}}}}"))
        steps = np.linalg.norm(np.diff(clip.root[:, [0, 2]], axis=0), axis=1)
        assert steps.mean() * 30 == pytest.approx(1.5, abs=0.01 if variant == "improved" else 0.06)


def test_key_times_of_the_source_are_those_of_steps(clips):
    """GUAN eqs 2.6 and 2.8: gaps are those between the moments at which feet come down and leave the ground."""
    model = learn("verbs", clips, {"parameter": ["speed"], "variant": "faithful"})
    for gaps, clip in zip(np.exp(model.splines.gaps), model.examples, strict=True):
        events = [event.seconds for event in together(contact_events(clip))]
        inner = [t for t in events if 0 < t < (len(clip) - 1) / clip.fps]
        np.testing.assert_allclose(np.cumsum(gaps), [*inner, (len(clip) - 1) / clip.fps], atol=1e-6)


def test_adverbs_given_by_hand(clips):
    table = "{walk_0: {brisk: 0}, walk_1: {brisk: 0.4}, walk_2: {brisk: 1}}"
    model = learn("verbs", clips, {"adverbs": table})
    slow, fast = (
        synthesize(model, Request.from_yaml(f"{{seconds: 2, parameters: {{brisk: {b}}}}}")) for b in (0.1, 0.9)
    )
    travelled = [np.linalg.norm(np.diff(c.root[:, [0, 2]], axis=0), axis=1).sum() for c in (slow, fast)]
    assert travelled[1] > 1.3 * travelled[0]


def test_adverbs_given_by_hand_are_those_of_the_clips_own_side():
    """Of this performer, mirrored cycles close more easily; mirrored, a left turn would be a right one."""
    degrees = (-40, -20, 0, 20, 40)
    walks = [make("walk", seed=1, turn=np.radians(d), seconds=4, fps=30) for d in degrees]
    walks = [
        replace(c, origin=dataclasses.replace(c.origin, name=f"w{d}.bvh")) for c, d in zip(walks, degrees, strict=True)
    ]
    table = ", ".join(f"w{d}: {{bend: {d / 20}}}" for d in degrees)
    model = learn("verbs", walks, {"adverbs": f"{{{table}}}"})
    rows = model.space.rows
    turned = (rows.steps[rows.lead : rows.lead + rows.count, :, 2].sum(0)) / rows.durations
    np.testing.assert_allclose(np.degrees(turned), 20 * model.space.values[:, 0], atol=4)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"adverbs": "{walk_0: {a: 1}, walk_1: {a: 2}}"}, "no row for walk_2.bvh"),
        ({"adverbs": "{walk_0: {a: 1}, walk_1: {a: 2}, walk_2: {b: 2}}"}, "adverbs of walk_0.bvh"),
        ({"adverbs": "{walk_0: {a: 1}, walk_1: {a: 2}, walk_2: {a: x}}"}, "expected a number, found 'x'"),
        ({"adverbs": "{walk_0: {a: 1}, walk_1: {a: 1}, walk_2: {a: 1}}"}, "does not vary"),
        ({"adverbs": "{walk_0: {a: 1}, walk_1: {a: 2}, walk_2: {a: 1}}"}, "walk_0.bvh and walk_2.bvh have equal ones"),
        ({"adverbs": "happy"}, "expected a table by clip"),
        ({"cut": "none", "repeat": "no", "keys": "{walk_0: [1], walk_1: [1, 2], walk_2: [1]}"}, "as many for each"),
        ({"cut": "none", "repeat": "no", "keys": "{walk_0: [2, 1], walk_1: [1], walk_2: [1]}"}, "increasing seconds"),
    ],
)
def test_wrong_tables_are_named(clips, settings, message):
    with pytest.raises(BadRequest, match=message):
        learn("verbs", clips, {"parameter": ["speed"], **settings})
