"""From where the rest of a request can be reached: against slow versions, on small nets made at random."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import PoseAt, Style
from motionloom.core import BoolArray, Cancelled, with_labels
from motionloom.methods import schedule as module
from motionloom.methods.schedule import (
    Allowed,
    FrameNet,
    Reachable,
    allowed_nodes,
    missing_label,
    schedule,
    style_problem,
)


def random_net(rng: np.random.Generator, half: int, *, clips: int = 3, frames: int = 12) -> FrameNet:
    """Clips of `frames` nodes with a few transitions that lie well inside of them; half = 0 makes cuts."""
    count, blend = clips * frames, max(1, 2 * half)
    at = rng.integers(half, frames - half, (8, 2)) + frames * rng.integers(0, clips, (8, 2))
    leave, enter = at[:, 0] - half, at[:, 1] + half
    keep = (enter < count) & ((enter - half) // frames == np.minimum(enter, count - 1) // frames)
    order = np.argsort(leave[keep], kind="stable")
    goes_on = np.arange(1, count + 1) % frames != 0
    return FrameNet(goes_on, np.searchsorted(leave[keep][order], np.arange(count + 1)), enter[keep][order], blend)


def slow(net: FrameNet, frames: int, masks: list[BoolArray | None], pure: tuple[int, ...] = ()) -> BoolArray:
    """(F, N + T) by trying every step on, with what is shown in a blend taken from the first clip to its middle."""
    count, half = len(net.goes_on), net.blend // 2
    leave = np.repeat(np.arange(count), np.diff(net.first_out))

    def may(t: int, n: int) -> bool:
        mask = masks[t] if t < frames else None
        return mask is None or bool(mask[n])

    out = np.zeros((frames, count + len(leave)), bool)
    for t in range(frames - 1, -1, -1):
        for e, (a, b) in enumerate(zip(leave, net.enter, strict=True)):
            shown = [(t + k, a + k) for k in range(half)] + [(t + half + k, b - half + k) for k in range(half + 1)]
            fine = all(may(*at) for at in (shown if half else ())) and not any(t < p < t + net.blend for p in pure)
            out[t, count + e] = fine and (t + net.blend >= frames or out[t + net.blend, b])
        for n in range(count):
            on = t == frames - 1 or (net.goes_on[n] and out[t + 1, n + 1])
            out[t, n] = may(t, n) and (on or out[t, count + np.flatnonzero(leave == n)].any())
    return out


@pytest.mark.parametrize("half", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_bits_agree_with_trying_every_step(half, seed):
    rng = np.random.default_rng([half, seed])
    net = random_net(rng, half)
    masks = [None if rng.random() < 0.6 else rng.random(36) < 0.9 for _ in range(25)]
    given = np.array([np.ones(36, bool) if m is None else m for m in masks])
    rows = np.where([m is None for m in masks], -1, np.arange(25))
    for pure in ((), (7, 16)):
        expected = slow(net, 25, masks, pure)
        for wide in (False, True):
            found = Reachable(net, 25, Allowed(given, rows), pure=pure, transitions=wide)
            alive = np.flatnonzero(expected[:, :36].any(1))
            first = alive.min() if len(alive) else 25
            assert found.first_dead == first - 1
            width = expected.shape[1] if wide else 36
            bits = np.unpackbits(found.bits, axis=1, count=width, bitorder="little")
            np.testing.assert_array_equal(bits[first:], expected[first:, :width])
            assert [found.has(24, n) for n in range(36)] == found.at(24).tolist()


def test_a_route_may_be_in_a_transition_at_a_time_when_no_node_is_reachable():
    """Node 14 at frame 10 is reached by the transition of frames 4 to 8 alone; within it no node is shown."""
    goes_on = np.arange(1, 25) % 12 != 0
    net = FrameNet(goes_on, np.where(np.arange(25) > 4, 1, 0), np.array([12]), 4)
    masks = [None] * 10 + [np.arange(24) == 14]
    found = Reachable(net, 11, allowed_nodes([], {10: masks[10]}, 11, 24), pure=(10,), transitions=True)
    np.testing.assert_array_equal([found.at(t) for t in range(11)], slow(net, 11, masks, (10,))[:, :24])
    assert not any(found.at(t).any() for t in (5, 6, 7))
    assert np.flatnonzero(found.at(0)).tolist() == [0]
    assert found.first_dead == -1


@pytest.mark.parametrize("half", [0, 2])
def test_long_stretches_that_anything_may_fill_are_copied_and_the_same(half, monkeypatch):
    rng = np.random.default_rng(5)
    net = random_net(rng, half, clips=4)
    net = net._replace(goes_on=np.ones(48, bool) & (np.arange(48) % 12 < 11))
    masks: list[BoolArray | None] = [None] * 120
    masks[100] = rng.random(48) < 0.5
    allowed = allowed_nodes([], {100: masks[100]}, 120, 48)
    expected = slow(net, 120, masks)
    found = Reachable(net, 120, allowed)
    monkeypatch.setattr(module, "NODES_PER_CALL", 1)  # one row in each call of the kernel
    again = Reachable(net, 120, allowed)
    np.testing.assert_array_equal(found.bits, again.bits)
    if found.first_dead < 0:
        np.testing.assert_array_equal([found.at(t) for t in range(120)], expected[:, :48])
    assert found.first_dead == again.first_dead


def test_masks_of_spans_and_moments_hold_together():
    a, b, c = (np.arange(6) % k > 0 for k in (2, 3, 4))
    found = allowed_nodes([(range(2, 5), a), (range(4, 9), b)], {4: c}, 7, 6)
    want = {2: a, 3: a, 4: a & b & c, 5: b, 6: b}
    for t, row in enumerate(found.rows):
        assert (row < 0) == (t not in want)
        if t in want:
            np.testing.assert_array_equal(found.masks[row], want[t])


def test_labels_come_first_then_poses_and_what_cannot_be_kept_is_named(tiny):
    low = with_labels(tiny, {"low": np.arange(10) < 4})
    net = FrameNet(np.arange(10) < 9, np.zeros(11, np.int64), np.zeros(0, np.int64), 1)
    free = Reachable(net, 4)
    pose = PoseAt(time=0.2, pose=tiny[5:6])
    found = schedule(net, [low], [Style(label="low", weight=1.0)], [pose], 4, free=free)
    assert found.missing is None
    assert [(span, mask.tolist()) for span, mask in found.spans] == [(range(4), low.label("low").tolist())]
    assert found.reachable.at(0).tolist() == [True] + [False] * 9
    assert found.near == {}  # no frame that carries the label is near enough
    found = schedule(net, [low], [], [pose], 4, free=free)
    assert np.flatnonzero(found.near[2]).tolist() == [5]
    hard = Style(label="low")
    found = schedule(net, [low], [hard], [], 6, free=Reachable(net, 6))
    assert found.missing is hard
    assert "4 frames carry the label, the longest stretch lasts 0.40 s" in style_problem(
        [low], hard, "cuts", "ask soft"
    )
    assert missing_label([low], "high") == "no clip carries the label 'high'; these clips carry low"


def test_two_poses_at_one_time_are_both_near(tiny):
    net = FrameNet(np.arange(10) < 9, np.zeros(11, np.int64), np.zeros(0, np.int64), 1)
    poses = [PoseAt(time=0.2, pose=tiny[k : k + 1], joints=(j,)) for k, j in ((5, "Mid"), (5, "Top"))]
    found = schedule(net, [tiny], [], poses, 4, free=Reachable(net, 4))
    assert np.flatnonzero(found.near[2]).tolist() == [5]


def test_reachable_nodes_report_their_share_and_can_be_cancelled(recorded, monkeypatch):
    net = FrameNet(np.append(np.ones(9, bool), False), np.arange(11), np.arange(10)[::-1].copy(), 1)
    whole = Reachable(net, 40, Allowed.of(np.ones((40, 10), bool)))
    monkeypatch.setattr(module, "NODES_PER_CALL", 210)  # ten frames of 10 nodes and 10 cuts
    progress = recorded()
    found = Reachable(net, 40, Allowed.of(np.ones((40, 10), bool)), progress=progress)
    assert progress.shares == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert np.array_equal(found.bits, whole.bits)
    with pytest.raises(Cancelled):
        Reachable(net, 40, Allowed.of(np.ones((40, 10), bool)), progress=recorded(2))
