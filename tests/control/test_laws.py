"""The laws of live characters, over every live method, present and future."""

from __future__ import annotations

import math
from collections import deque
from threading import Thread

import numpy as np
import pytest

from motionloom.control import run
from motionloom.core import BadRequest
from motionloom.core.poses import Commands, broadcast, commands, only, rows
from motionloom.kinematics.travel import Travel
from motionloom.methods.live import join, select, state_bytes, state_count


def accepted(live, **given):
    """Commands, without those that a method does not accept."""
    return only(commands(**given), live.accepts)


def refused(live, **given):
    """True for a command that the method does not accept, which must then be an error that states so."""
    [name] = given
    if name in live.accepts:
        return False
    with pytest.raises(BadRequest, match=f"command {name} is not accepted; accepted: {', '.join(live.accepts)}"):
        live.step(live.begin([1]), commands(**given), 0.1)
    return True


def arrays(state):
    """All arrays of a state, however deep they lie."""
    return [a for part in state for a in ([part] if isinstance(part, np.ndarray) else arrays(part))]


def assert_same_bits(a, b):
    assert len(arrays(a)) == len(arrays(b))
    for x, y in zip(arrays(a), arrays(b), strict=True):
        assert x.dtype == y.dtype
        assert x.tobytes() == y.tobytes()


def stepped(live, state, given, steps):
    """The last state and poses."""
    return deque(run(live, state, given, steps), maxlen=1)[0]


def varied_commands(live, count, seed=0):
    """Commands that differ from one character to the next: headings, speeds, places, actions, overlays, or none."""
    rng = np.random.default_rng(seed)
    heading, speed, place = rng.uniform(-3, 3, count), rng.uniform(1.2, 1.5, count), rng.uniform(-9, 9, (count, 2))
    kind = np.arange(count) % 4
    heading[kind >= 2] = np.nan
    speed[kind != 1] = np.nan
    place[kind != 2] = np.nan
    action = np.where(kind == 3, 0, -1)
    overlay, look = np.where(np.arange(count) % 2, 0, -1), rng.uniform(-3, 3, (count, 3))
    look[np.arange(count) % 3 == 0] = np.nan
    return accepted(live, heading=heading, speed=speed, place=place, action=action, overlay=overlay, look=look)


def test_a_state_is_arrays_with_one_row_for_each_character(live):
    for state in (live.begin([1, 2, 3]), live.step(live.begin([1, 2, 3]), accepted(live, heading=1.0), 0.1)[0]):
        assert state_count(state) == 3
        assert all(len(a) == 3 for a in arrays(state))


def test_a_state_is_a_value(live):
    state = stepped(live, live.begin([1, 2]), accepted(live, heading=1.0), [1 / 60] * 30)[0]
    before = [a.copy() for a in arrays(state)]
    first, second = (live.step(state, accepted(live, heading=2.0), 0.5) for _ in range(2))
    for x, y in zip(arrays(state), before, strict=True):
        assert x.tobytes() == y.tobytes()
    assert_same_bits(first, second)


def test_no_time_changes_nothing(live):
    state, poses = stepped(live, live.begin([1, 2]), accepted(live, heading=1.0), [1 / 60] * 45)
    after, same = live.step(state, accepted(live, heading=2.0), 0.0)
    assert_same_bits(state, after)
    assert_same_bits(poses, same)


@pytest.mark.parametrize("dt", [-1.0, -1e-9, math.nan, 1.0001, 1e9, math.inf])
def test_a_wrong_time_step_is_an_error(live, dt):
    with pytest.raises(BadRequest, match="dt: expected 0 to 1 s"):
        live.step(live.begin([1]), commands(), dt)


def test_a_second_at_once_leads_where_its_parts_lead(live):
    given = accepted(live, heading=0.7)
    begin = live.begin([1, 2, 3])
    once = stepped(live, begin, given, [1.0] * 3)[1]
    parts = stepped(live, begin, given, [1 / 30] * 90)[1]
    np.testing.assert_allclose(once.root, parts.root, atol=1e-6)


def test_the_path_does_not_depend_on_the_time_steps(live):
    """After 60 s at 30, 60, 144 Hz and with jitter, the places differ by at most 2 % of how far they went."""
    rng = np.random.default_rng(0)
    jitter = rng.uniform(0.5, 1.5, 3600)
    ends, ways = [], []
    for steps in ([1 / 30] * 1800, [1 / 60] * 3600, [1 / 144] * 8640, list(jitter * 60 / jitter.sum())):
        places = [p.root[0] for _, p in run(live, live.begin([4]), accepted(live, heading=0.4), steps)]
        ends.append(places[-1])
        ways.append(np.linalg.norm(np.array(places)[:, [0, 2]], axis=1).max())
    distance = min(ways)  # farthest from the start: random walks may come back
    assert distance > 8
    for end in ends[1:]:
        assert np.linalg.norm(end - ends[0]) < 0.02 * distance


def test_a_character_in_a_crowd_is_the_same_as_alone(live):
    count = 8
    given, steps = varied_commands(live, count), [1 / 60, 1 / 30, 0.2, 0.01] * 40
    state, poses = stepped(live, live.begin(np.arange(count)), given, steps)
    for k in (0, 3, 6, 7):
        alone, pose = stepped(live, live.begin([k]), rows(broadcast(given, count), slice(k, k + 1)), steps)
        assert_same_bits(select(state, slice(k, k + 1)), alone)
        assert_same_bits(select(poses, slice(k, k + 1)), pose)


def test_the_order_of_a_crowd_does_not_matter(live):
    given, order = broadcast(varied_commands(live, 6), 6), np.array([4, 2, 0, 5, 1, 3])
    state = stepped(live, live.begin(np.arange(6)), given, [1 / 60] * 90)[0]
    other = stepped(live, live.begin(order), rows(given, order), [1 / 60] * 90)[0]
    assert_same_bits(select(state, order), other)


def test_batches_in_threads_give_the_same_bits(live):
    given, count = broadcast(varied_commands(live, 8), 8), 8
    whole = stepped(live, live.begin(np.arange(count)), given, [1 / 60] * 60)[0]
    halves = [None, None]

    def half(i):
        part = slice(4 * i, 4 * i + 4)
        halves[i] = stepped(live, live.begin(np.arange(count)[part]), rows(given, part), [1 / 60] * 60)[0]

    threads = [Thread(target=half, args=(i,)) for i in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_same_bits(join(halves), whole)


def test_poses_are_never_nan_and_turns_are_unit_quaternions(live):
    for _, poses in run(live, live.begin(np.arange(8)), varied_commands(live, 8), [0.05] * 400):
        assert np.isfinite(poses.root).all()
        np.testing.assert_allclose((poses.rotations**2).sum(-1), 1, atol=1e-9)


def test_the_phase_is_that_of_the_pose_shown(live):
    """Where a method knows it, the phase advances evenly between ticks as well, as the pose does."""
    steps = [0.25 / live.fps] * 600
    phases = np.array([poses.phase[0] for _, poses in run(live, live.begin([1]), accepted(live, heading=0.0), steps)])
    if np.isnan(phases).all():
        return
    advance = np.diff(phases[300:]) % 1.0  # a splice first has to find it
    assert advance.min() > 0
    assert advance.max() < 3 * np.median(advance)


def test_memory_does_not_grow_and_is_at_most_100_kb_for_a_character(live):
    state = live.begin([1])
    sizes = {state_bytes(s) for s, _ in run(live, state, accepted(live, heading=1.0), [0.1] * 600)}
    assert sizes == {state_bytes(state)}
    assert state_bytes(state) <= 100_000


@pytest.mark.parametrize("name", Commands._fields)
def test_a_command_that_is_not_accepted_is_an_error_that_lists_those_that_are(live, name):
    value = {"place": [1.0, 2.0], "look": [1.0, 2.0, 3.0], "target": [1.0, 2.0, 3.0], "values": [1.0]}
    value = value.get(name, 0 if name in ("action", "overlay") else 1.0)
    given = commands(**{name: value})
    if name in live.accepts:
        live.step(live.begin([1]), given, 0.1)
        return
    with pytest.raises(BadRequest, match=f"command {name} is not accepted; accepted: {', '.join(live.accepts)}"):
        live.step(live.begin([1]), given, 0.1)


def test_an_unknown_action_is_an_error_that_lists_the_actions(live):
    with pytest.raises(BadRequest, match=f"no action 99; actions: 0 {live.actions[0]}"):
        live.step(live.begin([1]), commands(action=99), 0.1)


@pytest.mark.parametrize("given", [{"heading": math.inf}, {"speed": -1.0}, {"place": [math.inf, 0.0]}])
def test_commands_that_are_no_numbers_are_errors(live, given):
    with pytest.raises(BadRequest, match=f"command {next(iter(given))}: expected finite numbers"):
        live.step(live.begin([1]), commands(**given), 0.1)


@pytest.mark.parametrize(("name", "value"), [("place", np.zeros((1, 1))), ("heading", np.zeros((1, 1)))])
def test_commands_of_another_shape_are_errors_before_a_kernel_reads_them(live, name, value):
    with pytest.raises(BadRequest, match=f"command {name}: expected shape"):
        live.step(live.begin([1]), commands()._replace(**{name: value}), 0.1)


def test_commands_for_another_number_of_characters_are_errors(live):
    with pytest.raises(BadRequest, match="action: expected 1 or 2 rows, found 3"):
        live.step(live.begin([1, 2]), commands(action=[0, 0, 0]), 0.1)


def test_an_error_leaves_the_other_characters_as_they_were(live):
    state = live.begin([1, 2])
    before = [a.copy() for a in arrays(state)]
    with pytest.raises(BadRequest):
        live.step(state, commands(action=[0, 99]), 0.1)
    for x, y in zip(arrays(state), before, strict=True):
        assert x.tobytes() == y.tobytes()


def test_a_crowd_of_nobody_is_valid_and_empty(live):
    state, poses = live.step(live.begin([]), accepted(live, heading=1.0), 0.1)
    assert state_count(state) == 0
    assert poses.root.shape == (0, 3)
    assert live.status(state).action.shape == (0,)
    assert live.sources(state).which.shape[0] == 0


def test_a_crowd_of_a_million_is_rejected_with_the_memory_it_needs(live):
    with pytest.raises(BadRequest, match=r"1000000 characters need [\d.]+ GB .* the limit is 1 GB"):
        live.begin(np.arange(10**6))


def test_characters_begin_where_they_are_asked_to(live):
    at = Travel(np.array([[3.0, -1.0], [0.5, 7.0]]), np.array([0.5, -2.0]))
    _, poses = live.step(live.begin([1, 2], at), commands(), 0.0)
    np.testing.assert_allclose(poses.root[:, [0, 2]], at.place, atol=1e-6)


def test_seeds_give_different_characters(live):
    _, poses = live.step(live.begin([1, 2]), commands(), 0.0)
    assert not np.allclose(poses.rotations[0], poses.rotations[1])


def test_a_heading_is_followed(live):
    """In the last of 20 seconds the path leads in the commanded direction, within 30 degrees."""
    if refused(live, heading=1.0):
        return
    for heading in (0.0, 1.5, -2.5):
        places = [p.root[0, [0, 2]] for _, p in run(live, live.begin([3]), commands(heading=heading), [1 / 30] * 600)]
        line = places[-1] - places[-90]
        off = (math.atan2(line[0], line[1]) - heading + math.pi) % (2 * math.pi) - math.pi
        assert abs(off) < math.radians(30)


def test_a_place_is_walked_to(live):
    if refused(live, place=[6.0, 3.0]):
        return
    places = [p.root[0, [0, 2]] for _, p in run(live, live.begin([3]), commands(place=[6.0, 3.0]), [1 / 30] * 450)]
    assert min(np.linalg.norm(p - (6, 3)) for p in places) < 0.6


def test_status_and_sources_describe_every_character(live):
    given = accepted(live, heading=1.0, speed=50.0, action=0, overlay=0, look=[5.0, 1.5, 0.0])
    state = stepped(live, live.begin([1, 2, 3]), given, [1 / 30] * 30)[0]
    status, sources = live.status(state), live.sources(state)
    assert (status.action == 0).all()
    assert status.requested.shape == status.used.shape == (3, len(status.names))
    assert (status.until_choice >= 0).all()
    assert sources.which.ndim == 3
    assert sources.which.max() < len(live.material.table)
    np.testing.assert_allclose(sources.weights.sum(-1), 1)


def test_a_speed_out_of_reach_is_clamped(live):
    if refused(live, speed=1.3):
        return
    status = live.status(
        stepped(live, live.begin([1, 2, 3]), accepted(live, heading=1.0, speed=50.0), [1 / 30] * 30)[0]
    )
    at = status.names.index("speed")
    np.testing.assert_array_equal(status.requested[:, at], [50.0] * 3)
    assert (status.used[:, at] < 3).all()
    assert status.clamped.all()


@pytest.mark.parametrize("speed", [0.0, 0.3])
def test_a_speed_below_reach_is_reported_as_it_is_used(live, speed):
    """The walks learned from are all faster: what is used is the speed over the last of 14 seconds, within 0.3 m/s."""
    if refused(live, speed=1.3):
        return
    steps = list(run(live, live.begin([1]), accepted(live, heading=0.0, speed=speed), [1 / 30] * 420))
    places = np.array([poses.root[0, [0, 2]] for _, poses in steps[-240:]])
    moved = np.linalg.norm(np.diff(places[::15], axis=0), axis=1).sum() / (225 / 30)
    status = live.status(steps[-1][0])
    used = status.used[0, status.names.index("speed")]
    assert used == pytest.approx(moved, abs=0.3)
    assert status.clamped[0] == (abs(used - speed) > 1e-9)
