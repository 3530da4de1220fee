"""Queued characters: blocks of a method without own live characters, made ahead and played one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.control import live_characters, queued, record, run
from motionloom.control.queued import BlockKey, Queued
from motionloom.core import BadRequest, silent
from motionloom.core.poses import commands
from motionloom.methods import learn
from motionloom.methods.live import join, select
from motionloom.samples import make


@pytest.fixture(scope="module")
def live() -> Queued:
    walk, run_ = make("walk", seconds=4, seed=1), make("run", seconds=4, seed=2)
    return queued(learn("cuts", [walk, run_], {"largest": 0.5}), seconds=1.0)


def shown(live: Queued, seeds: list[int], steps: list[float], **given: object) -> np.ndarray:
    """(steps, N, ...) all numbers of the poses."""
    stepped = run(live, live.begin(seeds), commands(**given), steps)
    return np.array(
        [np.concatenate([p.root.reshape(len(seeds), -1), p.rotations.reshape(len(seeds), -1)], 1) for _, p in stepped]
    )


def test_a_crowd_has_the_bits_of_each_character_alone(live: Queued) -> None:
    steps = [1 / 30] * 75
    together = shown(live, [3, 4], steps)
    for k, seed in enumerate((3, 4)):
        np.testing.assert_array_equal(together[:, k], shown(live, [seed], steps)[:, 0])


def test_the_path_does_not_depend_on_the_time_steps(live: Queued) -> None:
    slow, fast = shown(live, [5], [0.1] * 30), shown(live, [5], [1 / 120] * 360)
    np.testing.assert_allclose(slow[-1, 0, :3], fast[-1, 0, :3], atol=1e-9)


def test_blocks_join_without_a_jump() -> None:
    walks = queued(learn("cuts", [make("walk", seconds=4, seed=k, turn=turn) for k, turn in enumerate((0.0, 0.5))]))
    path = shown(walks, [6], [1 / 60] * 300)[:, 0]
    rotations = path[:, 3:].reshape(len(path), -1, 4)
    turned = 2 * np.arccos(np.clip(np.abs((rotations[1:] * rotations[:-1]).sum(-1)), 0, 1))
    assert turned.max() < 0.3  # rad in 1/60 s; the walks themselves: 0.2
    assert np.linalg.norm(np.diff(path[:, :3], axis=0), axis=1).max() < 0.05


def test_a_state_is_a_value_and_blocks_can_be_forgotten(live: Queued) -> None:
    state = live.begin([7])
    for _ in range(20):
        state, _ = live.step(state, commands(), 0.1)
    one = live.step(state, commands(), 0.1)
    live._blocks.clear()
    again = live.step(join([select(state, [0])]), commands(), 0.1)
    for a, b in zip((*one[0], *one[1]), (*again[0], *again[1]), strict=True):
        np.testing.assert_array_equal(a, b)


def test_every_block_is_made_once() -> None:
    live = queued(learn("cuts", [make("walk", seconds=4, seed=1)]), seconds=1.0)
    made, make_block = [], live._make
    live._blocks._make = lambda key, progress: made.append(key.block) or make_block(key, progress)
    for _ in run(live, live.begin([3]), commands(), [1 / 60] * 200):
        pass
    assert made == list(range(len(made)))
    assert len(made) in (4, 5)  # blocks of a second, the next one made ahead


def test_a_block_is_ordered_after_the_pose_is_shown(live: Queued, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other thread begins to work when a step has ended, so that no step waits for it."""
    events: list[str] = []
    show, order = Queued._show, live._blocks.order
    monkeypatch.setattr(Queued, "_show", lambda *args: events.append("show") or show(*args))
    monkeypatch.setattr(live._blocks, "order", lambda *args: events.append("order") or order(*args))
    monkeypatch.setattr(Queued, "_block", lambda self, state, k: self._make(_first(state, k), silent()))
    state = live.begin([1, 2])
    events.clear()
    live.step(state, commands(), 0.7)
    assert events == ["show", "show", "order", "order"]


def _first(state: object, k: int) -> BlockKey:
    return BlockKey(int(state.seed[k]), 0, -1, b"", 0.0)  # type: ignore[attr-defined]


def test_a_style_takes_effect_after_the_time_that_the_status_states(live: Queued) -> None:
    state, wanted = live.begin([8]), live.actions.index("run")
    delay = live.status(state).until_choice[0]
    assert 0 < delay <= 1.5 * live.seconds
    for _ in range(round(delay * 30) + 25):
        state, _ = live.step(state, commands(action=wanted), 1 / 30)
    assert live.actions[live.status(state).action[0]] == "run"


def test_a_recording_names_its_sources(live: Queued) -> None:
    clip = record(live, run(live, live.begin([9]), commands(), [1 / 30] * 60), 30.0)
    assert {source.name for source in clip.origin.sources} == {"sample:walk", "sample:run"}
    assert (clip.origin.which >= 0).all()


def test_methods_with_live_characters_keep_their_own_and_strokes_have_none() -> None:
    walks = [make("walk", seconds=4)]
    assert not isinstance(live_characters(learn("motion-matching", walks)), Queued)
    assert isinstance(live_characters(learn("cuts", walks)), Queued)
    with pytest.raises(BadRequest, match="blocks of 1 to 60 s"):
        queued(learn("cuts", walks), seconds=0.1)
