"""Blends of registered clips: against slow versions, and laws."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.blend._kernels_registered import poses
from motionloom.blend.registered_clips import duration, play, register_rows
from motionloom.blend.registration import RULES, contact_events, registered_curve
from motionloom.blend.weighted_blend import blend_clips, blended_clip
from motionloom.core import BadRequest
from motionloom.kinematics.travel import placed, travel
from motionloom.rotation import average, multiply, yaw
from motionloom.samples import make


@pytest.fixture(scope="module")
def walks():
    return [placed(make("walk", seed=1, turn=t, seconds=2, fps=30)) for t in (-0.5, 0.0, 0.5)]


@pytest.fixture(scope="module")
def rows(walks):
    return register_rows(walks, registered_curve(walks, "uniform"))


def slow_blend(rows, w, frames, fps):
    """The blend at rows alone: eigenvector averages, displacements added up row by row, the clock by interpolation."""
    inside = slice(rows.lead, rows.lead + rows.count + 1)
    seconds = np.concatenate([[0.0], np.cumsum((rows.paces[inside] @ w)[:-1])])
    heading, place, track = 0.0, np.zeros(2), []
    for r in range(rows.lead, rows.lead + rows.count + 1):
        track.append((*place, heading))
        left, forward, turn = w @ rows.steps[r]
        c, s = np.cos(heading), np.sin(heading)
        place = place + [c * left + s * forward, c * forward - s * left]
        heading += turn
    track = np.array(track)
    at = np.arange(frames) / fps
    path = np.stack([np.interp(at, seconds, column) for column in track.T], 1)
    row = np.interp(at, seconds, np.arange(rows.count + 1)) + rows.lead
    low = np.floor(row).astype(int)
    turns = []
    for r, share in zip(low, row - low, strict=True):
        q = (1 - share) * rows.turns[r] + share * rows.turns[r + 1]
        turns.append([average(q[:, j] / np.linalg.norm(q[:, j], axis=1)[:, None], w) for j in range(q.shape[1])])
    return path, np.array(turns)


def test_a_blend_is_what_the_slow_version_gives(walks, rows):
    w = np.array([0.2, 0.5, 0.3])
    frames = 40
    made = play(rows, walks[0].skeleton, w, frames, 30.0)
    path, turns = slow_blend(rows, w, frames, 30.0)
    np.testing.assert_allclose(made.root[:, [0, 2]], path[:, :2], atol=2e-3)  # linear between rows there, cubic here
    apart = 2 * np.arccos(np.clip(np.abs((made.rotations[:, 1:] * turns[:, 1:]).sum(-1)), 0, 1))
    assert apart.max() < 0.03
    hips = multiply(yaw(path[:, 2]), turns[:, 0])
    assert 2 * np.arccos(np.clip(np.abs((made.rotations[:, 0] * hips).sum(-1)), 0, 1)).max() < 0.03


def test_rotations_at_rows_are_the_eigenvector_average(walks, rows, rng):
    """At rows there is nothing to interpolate: the kernel equals `rotation.average`, also for spread-out rotations."""
    turns = rng.normal(size=(len(rows.turns), 3, rows.turns.shape[2], 4)) * 0.15 + [1.0, 0, 0, 0]
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    wild = type(rows)(
        turns, rows.levels, rows.steps, rows.paces, rows.touches, rows.times, rows.lead, rows.count, rows.cyclic
    )
    weights, at = rng.dirichlet(np.ones(3), 20), rows.lead + np.arange(20.0)
    root, out, touch = np.empty((20, 3)), np.empty((20, turns.shape[2], 4)), np.empty((20, rows.touches.shape[2]), bool)
    poses(wild.tables(walks[0].skeleton), weights, at, np.zeros((20, 3)), root, out, touch)
    for n in range(20):
        oracle = average(turns[rows.lead + n][:, 1:], np.broadcast_to(weights[n], (turns.shape[2] - 1, 3)))
        assert np.abs(np.abs((oracle * out[n, 1:]).sum(-1)) - 1).max() < 1e-10


@pytest.mark.parametrize("rule", RULES)
def test_a_clip_with_all_the_weight_is_that_clip(rule, walks):
    rows = register_rows(walks, registered_curve(walks, rule))
    made = blended_clip(walks, rows, np.array([[0.0, 1.0, 0.0]]))
    first = 0 if rule != "cycles" else round(rows.times[rows.lead, 1])
    clip = placed(walks[1][first : first + len(made)])
    np.testing.assert_allclose(made.root, clip.root[: len(made)], atol=0.01 if rule != "uniform" else 1e-9)


def test_durations_average_and_paths_do_not_shrink():
    slow, fast = (placed(make("walk", seed=1, speed=v, seconds=s, fps=30)) for v, s in ((1.0, 3.0), (1.6, 2.0)))
    rows = register_rows([slow, fast], registered_curve([slow, fast], "uniform"))
    assert duration(rows, [0.5, 0.5]) == pytest.approx((rows.durations.sum()) / 2)
    made = blended_clip([slow, fast], rows, np.array([[0.5, 0.5]]))
    reach = [np.linalg.norm(c.root[-1, [0, 2]] - c.root[0, [0, 2]]) for c in (slow, fast, made)]
    assert reach[2] == pytest.approx((reach[0] + reach[1]) / 2, rel=0.01)


def test_left_and_right_turns_blend_to_a_straight_walk(walks):
    out = blend_clips(walks, [0.5, 0.0, 0.5], registration="uniform", lock_feet=False)
    assert abs(travel(out).heading[-1]) < 0.1
    np.testing.assert_allclose(out.origin.weights.sum(2), 1)
    assert {source.name for source in out.origin.sources} == {"sample:walk"}


def test_weights_may_vary_in_time(walks):
    out = blend_clips(walks, [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], registration="uniform", lock_feet=False)
    heading = travel(out).heading
    half = len(out) // 2
    assert heading[half] < -0.1
    assert heading[-1] > heading[half] + 0.1


def test_locked_feet_stand_still(walks):
    loose, locked = (
        blend_clips(walks, [0.5, 0.5, 0.0], registration="time-warp", lock_feet=on) for on in (False, True)
    )
    from motionloom.kinematics.feet.contacts import contacts
    from motionloom.kinematics.feet.skate_measures import planted_speed

    assert planted_speed(locked, contacts(locked)) < 0.3 * planted_speed(loose, contacts(loose)) + 0.5


def test_events_are_the_moments_at_which_feet_come_down_and_go_up(walks):
    events = contact_events(walks[1])
    assert {e.name for e in events} <= {"left down", "left up", "right down", "right up"}
    assert [e.seconds for e in events] == sorted(e.seconds for e in events)


@pytest.mark.parametrize(
    ("weights", "text"),
    [([1.0, 0.0], "a number for each of 3"), ([0.0, 0, 0], "a positive sum"), ([3.0, -2.5, 0.0], "-1 or more")],
)
def test_wrong_weights_are_errors(weights, text, walks):
    with pytest.raises(BadRequest, match=text):
        blend_clips(walks, weights)


def test_other_errors_name_what_is_wrong(walks):
    with pytest.raises(BadRequest, match="two different clips or more, found 1"):
        blend_clips(walks[:1], [1.0])
    with pytest.raises(BadRequest, match="expected one of uniform, cycles, key-times, time-warp, found 'magic'"):
        blend_clips(walks, [1, 0, 0], registration="magic")
    with pytest.raises(BadRequest, match="at one frame rate"):
        blend_clips([walks[0], make("walk", seconds=2, fps=60)], [1, 1])
