"""The tests of the laws run over every live method, and each of them fails for characters that break its law."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionloom.core.poses import commands, only
from motionloom.methods import METHODS
from motionloom.methods.live import Live, State, state_count

sys.path.insert(0, str(Path(__file__).parent))
import test_laws as laws

Step = tuple[State, Any]


class Broken:
    """Characters of `live` with another `step` or `begin`."""

    def __init__(
        self,
        live: Live,
        step: Callable[[Live, State, Any, float], Step] | None = None,
        begin: Callable[..., State] | None = None,
    ) -> None:
        self.live, self._step, self._begin = live, step, begin

    def __getattr__(self, name: str) -> Any:
        return getattr(self.live, name)

    def step(self, state: State, given: Any, dt: float) -> Step:
        return self.live.step(state, given, dt) if self._step is None else self._step(self.live, state, given, dt)

    def begin(self, seeds: Any, at: Any = None, options: Any = None) -> State:
        return self.live.begin(seeds, at, options) if self._begin is None else self._begin(self.live, seeds, at)


def in_place(live: Live, state: State, given: Any, dt: float) -> Step:
    after, poses = live.step(state, given, dt)
    state.root[:] = after.root
    return after, poses


def without_time(live: Live, state: State, given: Any, dt: float) -> Step:
    return live.step(state, given, dt or 1 / 60)


def any_time(live: Live, state: State, given: Any, dt: float) -> Step:
    return live.step(state, given, min(max(dt if dt == dt else 0.0, 0.0), 1.0))


def one_tick_for_each_step(live: Live, state: State, given: Any, dt: float) -> Step:
    return live.step(state, given, 1 / live.fps if dt > 0 else 0.0)


def by_row(live: Live, state: State, given: Any, dt: float) -> Step:
    after, poses = live.step(state, given, dt)
    after.track[:, 0] += 1e-9 * np.arange(state_count(after)) * (dt > 0)
    return after, poses


def lost(live: Live, state: State, given: Any, dt: float) -> Step:
    after, poses = live.step(state, given, dt)
    poses.root[0, 0] = np.nan
    return after, poses


def obedient(live: Live, state: State, given: Any, dt: float) -> Step:
    """Leaves out what is not accepted, without an error."""
    return live.step(state, only(given, live.accepts), dt)


def deaf(live: Live, state: State, given: Any, dt: float) -> Step:
    return live.step(state, commands(), dt)


def same_seed(live: Live, seeds: Any, at: Any) -> State:
    return live.begin(np.zeros(len(seeds), np.int64), at)


def at_the_origin(live: Live, seeds: Any, at: Any) -> State:
    return live.begin(seeds)


def no_limit(live: Live, seeds: Any, at: Any) -> State:
    return live.begin(np.asarray(seeds)[:3], at)


BREAKS = [
    (laws.test_a_state_is_a_value, {"step": in_place}),
    (laws.test_no_time_changes_nothing, {"step": without_time}),
    (laws.test_a_second_at_once_leads_where_its_parts_lead, {"step": one_tick_for_each_step}),
    (laws.test_the_path_does_not_depend_on_the_time_steps, {"step": one_tick_for_each_step}),
    (laws.test_a_character_in_a_crowd_is_the_same_as_alone, {"step": by_row}),
    (laws.test_the_order_of_a_crowd_does_not_matter, {"step": by_row}),
    (laws.test_batches_in_threads_give_the_same_bits, {"step": by_row}),
    (laws.test_poses_are_never_nan_and_turns_are_unit_quaternions, {"step": lost}),
    (laws.test_an_error_leaves_the_other_characters_as_they_were, {"step": deaf}),
    (laws.test_an_unknown_action_is_an_error_that_lists_the_actions, {"step": deaf}),
    (laws.test_a_heading_is_followed, {"step": deaf}),
    (laws.test_a_place_is_walked_to, {"step": deaf}),
    (laws.test_a_speed_out_of_reach_is_clamped, {"step": deaf}),
    (laws.test_seeds_give_different_characters, {"begin": same_seed}),
    (laws.test_characters_begin_where_they_are_asked_to, {"begin": at_the_origin}),
    (laws.test_a_crowd_of_a_million_is_rejected_with_the_memory_it_needs, {"begin": no_limit}),
]


@pytest.mark.parametrize(("law", "broken"), BREAKS, ids=[law.__name__.removeprefix("test_") for law, _ in BREAKS])
def test_characters_that_break_a_law_fail_its_test(lives, law, broken):
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        law(Broken(lives["motion-matching"], **broken))


def test_wrong_time_steps_and_commands_that_are_not_accepted_must_be_errors(lives):
    with pytest.raises(pytest.fail.Exception):
        laws.test_a_wrong_time_step_is_an_error(Broken(lives["motion-matching"], step=any_time), -1.0)
    with pytest.raises(pytest.fail.Exception):
        laws.test_a_command_that_is_not_accepted_is_an_error_that_lists_those_that_are(
            Broken(lives["motion-matching"], step=obedient), "values"
        )


def test_memory_that_grows_fails(lives):
    live, sizes = lives["motion-matching"], iter(range(1, 10_000))

    def growing(live: Live, state: State, given: Any, dt: float) -> Step:
        after, poses = live.step(state._replace(tuning=state.tuning[:, :5]), given, dt)
        return after._replace(tuning=np.pad(after.tuning, ((0, 0), (0, next(sizes))))), poses

    with pytest.raises(AssertionError):
        laws.test_memory_does_not_grow_and_is_at_most_100_kb_for_a_character(Broken(live, step=growing))


def test_every_method_with_live_characters_is_held_to_the_laws(request):
    held = {name for name, method in METHODS.items() if method.module().MODEL.live_commands}
    assert held == {name for name, method in METHODS.items() if hasattr(method.module().MODEL, "live")}
    assert held >= {"motion-matching", "motion-graph", "textons", "texture", "variation", "parametric-space"}
