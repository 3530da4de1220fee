"""Live textons: steering by the dynamics, joins without jumps, and commands that lead to a texton."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from motionloom import samples
from motionloom.control import record, run
from motionloom.core import NoPath
from motionloom.core.poses import commands
from motionloom.kinematics.resample import resample
from motionloom.methods import learn
from motionloom.methods.textons import Options
from motionloom.methods.textons.live import LiveOptions
from motionloom.methods.textons.live_tables import next_hops
from motionloom.methods.textons.plan import shortest_paths as paths
from motionloom.methods.textons.render.trajectory import constrained_run
from motionloom.methods.textons.steering import steering_gains
from motionloom.rotation import angle_between

PLAIN = LiveOptions(noise=0.0, key_variation=0.0)


@pytest.fixture(scope="module")
def model(takes):
    """Of four dances, so that commands have a choice: in two, most segments have one successor only."""
    more = [resample(samples.make("dance", seconds=8, seed=seed), 30) for seed in (2, 3)]
    return learn("textons", [*takes[:2], *more, takes[2]], {"fps": 30.0, "shortest": 0.5, "tolerance": 0.7})


def shown(live, seconds, *, seed=3, action=-1, options=None):
    """The states of one character, a tick apart."""
    steps = [1 / live.fps] * round(seconds * live.fps)
    return [s for s, _ in run(live, live.begin([seed], options=options), commands(action=action), steps)]


def test_steering_frame_by_frame_is_the_least_squares_of_all_frames(model):
    """LI eqs. 6-9, solved for all frames at once, and from the end backwards."""
    dynamics = dataclasses.replace(model.textons[0].dynamics, drift=np.zeros(model.textons[0].dynamics.size))
    rng, frames, size = np.random.default_rng(0), 14, dynamics.size
    ends = {t: 0.1 * rng.standard_normal(size) for t in (0, 1, frames - 2, frames - 1)}
    expected = constrained_run(dynamics, ends, np.zeros((frames, size)))
    gains = steering_gains(dynamics, frames)
    goal, x = np.concatenate([ends[frames - 1], ends[frames - 2]]), [ends[0], ends[1]]
    for t in range(1, frames - 2):
        n, z = frames - 1 - t, np.concatenate([x[t], x[t - 1]])
        x.append(dynamics.a1 @ x[t] + dynamics.a2 @ x[t - 1] + gains.goal[n] @ goal - gains.state[n] @ z)
    assert_allclose(x, expected[:-1], atol=1e-6)


def test_next_hops_lie_on_the_most_probable_paths(model):
    joins, of = model.joins(Options()), model.textons_of
    hops = next_hops(joins, of, len(model.textons))
    for start in joins.inside[:4]:
        for texton in set(of[joins.inside]) - {of[start]}:
            found = [
                paths.cheapest_path(joins.chances, int(start), g) for g in model.of_texton(texton) if g in joins.inside
            ]
            best = max(paths.log_probability(joins.chances, path) for path in found)
            path = [int(start)]
            while of[path[-1]] != texton:
                path.append(int(hops[path[-1], texton]))
            assert_allclose(paths.log_probability(joins.chances, path), best, atol=1e-9)


def test_without_noise_a_segment_is_played_as_it_was_observed(model):
    """Until the next one is chosen: its own dynamics and its own key poses lead along it."""
    live = model.live
    exact = 0
    for state in shown(live, 20, options=PLAIN):
        k, t = int(state.segment[0]), int(state.frame[0])
        if state.following[0] < 0:
            observed = model.observed[k].frames.turns[t, 1:]
            moving = model.space.moving[3 : 3 * len(model.skeleton)].reshape(-1, 3).all(1)
            assert angle_between(state.rotations[0, 1, 1:], observed)[moving].max() < 1e-5
            exact += 1
    assert exact > 100


def test_segments_meet_without_a_jump(model):
    seen = max(angle_between(o.frames.turns[1:], o.frames.turns[:-1]).max() for o in model.observed)
    clip = record(model.live, run(model.live, model.live.begin([3]), commands(), [1 / 30] * 1800), 30.0)
    assert angle_between(clip.rotations[1:, 1:], clip.rotations[:-1, 1:]).max() < 1.5 * seen


def test_noise_makes_every_showing_of_a_segment_different(model):
    def pose(options):
        return model.live.step(model.live.begin([7], options=options), commands(), 0.3)[1].rotations

    assert np.abs(pose(PLAIN) - pose(LiveOptions(noise=1.0))).max() > 1e-3
    assert_array_equal(pose(PLAIN), pose(PLAIN))


def cycle_shares(model, goal):
    """Share of the time in which a texton is shown, in every cycle to which the most probable paths to it lead."""
    tables, found = model.live.tables, set()
    for start in range(len(tables.texton)):
        path = [start]
        while (after := int(tables.hop[path[-1], goal])) not in (-1, *path):
            path.append(after)
        if after >= 0:
            cycle = path[path.index(after) :]
            lengths = np.array([model.observed[k].length for k in cycle])
            found.add(float(lengths[tables.texton[cycle] == goal].sum() / lengths.sum()))
    return found


def test_a_command_leads_to_a_texton(model):
    """It is shown as often as the most probable paths from it back to it allow, and no less often than without."""
    live, goals = model.live, np.unique(model.textons_of[model.joins(Options()).inside])

    def share(action, goal):
        walk = run(live, live.begin(np.arange(12)), commands(action=action), [1 / live.fps] * round(40 * live.fps))
        return np.mean([live.status(s).action == goal for s, _ in walk])

    for goal in goals:
        with_command, possible = share(int(goal), goal), cycle_shares(model, goal)
        assert 0.9 * min(possible) < with_command < 1.2 * max(possible)  # 40 s begin elsewhere
        assert with_command > share(-1, goal) - 0.005
    assert max(max(cycle_shares(model, goal)) for goal in goals) == 1  # one of them can be repeated


def test_the_texton_after_the_next_choice_is_on_the_path_to_the_one_commanded(model):
    """`until_choice` is the delay: after that, what is shown was chosen by the command."""
    live, goal = model.live, int(model.textons_of[model.joins(Options()).inside[0]])
    state = shown(live, 3)[-1]
    delay = float(live.status(state).until_choice[0])
    before = None
    for later, _ in run(live, state, commands(action=goal), [1 / live.fps] * round(30 * live.fps)):
        segment = int(later.segment[0])
        if before is not None and segment != before and delay < 0:
            left_early = live.tables.texton[segment] == goal
            assert left_early or segment == live.tables.hop[before, goal]
        delay -= 1 / live.fps
        before = segment


def test_a_texton_out_of_reach_is_clamped(model):
    live = model.live
    lost = dataclasses.replace(live, tables=live.tables._replace(hop=np.full_like(live.tables.hop, -1)))
    status = lost.status(lost.step(lost.begin([1]), commands(action=0), 0.5)[0])
    assert status.clamped.all()
    assert np.isnan(status.used).all()
    assert_array_equal(status.requested, [[0.0]])


def test_segments_that_form_no_loop_are_an_error(model):
    lone = dataclasses.replace(
        model, observed=model.observed[:1], counts=np.zeros_like(model.counts), gentle=np.ones((1, 1), bool)
    )
    with pytest.raises(NoPath, match="live characters would come to an end"):
        _ = lone.live
