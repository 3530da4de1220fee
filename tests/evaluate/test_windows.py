"""Coverage and diversities against hand-worked cases and the published brute force."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.evaluate.measures.coverage_diversity import (
    WindowScores,
    loose_run,
    spread,
    take_distance,
    window_scores,
)
from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.evaluate.reference import reference
from motionloom.samples import make


def slow_scores(result, sources) -> WindowScores:
    """The definitions, word by word: every window and every piece summed anew."""
    cost = [np.linalg.norm(result[:, None] - s[None], axis=2) for s in sources]

    def best(start, stop):  # the cheapest place in the source for result frames [start, stop)
        n = stop - start
        sums = [
            np.trace(c[start:stop], offset=k) if len(c[0]) >= k + n else np.inf for c in cost for k in range(c.shape[1])
        ]
        return min(sums)

    whole = np.full(len(result) + 1, np.inf)
    whole[0] = 0
    for i in range(30, len(result) + 1):
        whole[i] = min(whole[k] + best(k, i) for k in range(i - 29))
    covered = [
        min(np.trace(c[i : i + 30, k : k + 30]) for i in range(len(result) - 29)) / 30 < 2.0
        for c in cost
        for k in range(c.shape[1] - 29)
    ]
    local = np.mean([best(i, i + 15) / 15 for i in range(len(result) - 14)])
    return WindowScores(float(np.mean(covered)), float(whole[-1] / len(result)), float(local))


def test_constant_poses_one_apart_are_covered_and_one_off():
    found = window_scores(np.zeros((34, 1)), [np.ones((35, 1))])
    assert found == WindowScores(1.0, 1.0, 1.0)


def test_a_result_that_cannot_be_cut_into_source_pieces_has_no_global_diversity():
    assert window_scores(np.zeros((40, 1)), [np.ones((35, 1))]) == WindowScores(1.0, None, 1.0)


def test_poses_three_apart_are_not_covered():
    assert window_scores(np.zeros((40, 1)), [np.full((35, 1), 3.0)]).coverage == 0.0


def test_the_threshold_is_the_mean_over_the_window():
    source = np.zeros((30, 1))
    source[:20] = 2.9  # mean 1.933
    assert window_scores(np.zeros((30, 1)), [source]).coverage == 1.0
    source[:21] = 2.9  # mean 2.03
    assert window_scores(np.zeros((30, 1)), [source]).coverage == 0.0


def test_a_result_made_of_two_long_pieces_has_no_global_diversity_and_short_pieces_have():
    clip = np.arange(80.0)[:, None]
    assert window_scores(np.concatenate([clip[40:75], clip[:30]]), [clip]).global_diversity == 0.0
    short = np.concatenate([clip[40:55], clip[:15]])  # 15 frames: too short a piece for the global match
    found = window_scores(short, [clip])
    # one piece of 30 from frame s: 15 |40 - s| + 15 |s + 15|, which is 15 * 55 for any s between; 30 frames
    assert found.global_diversity == pytest.approx(15 * 55 / 30)
    assert found.local_diversity < found.global_diversity


def test_windows_never_cross_the_end_of_a_clip():
    ramp = np.arange(60.0)[:, None]
    whole = window_scores(ramp, [ramp])
    cut = window_scores(ramp, [ramp[:29], ramp[29:]])
    assert whole == WindowScores(1.0, 0.0, 0.0)
    # the first clip has no window of 30; frames 0..28 must be matched from the second clip
    assert cut.global_diversity > 1
    assert cut.coverage == 1.0


def test_fast_scores_agree_with_the_definition(rng):
    result = np.cumsum(rng.normal(size=(70, 3)), axis=0) * 0.4
    sources = [np.cumsum(rng.normal(size=(n, 3)), axis=0) * 0.4 for n in (45, 31, 12)]
    fast, slow = window_scores(result, sources), slow_scores(result, sources)
    assert fast.coverage == pytest.approx(slow.coverage)
    assert fast.global_diversity == pytest.approx(slow.global_diversity, abs=1e-12)
    assert fast.local_diversity == pytest.approx(slow.local_diversity, abs=1e-12)


def test_blocks_of_rows_join_without_a_seam(rng):
    walk = np.cumsum(rng.normal(size=(200, 4)), axis=0)
    found = window_scores(walk[30:170], [walk])  # longer than two blocks of 64
    assert found.global_diversity == 0.0
    assert found.local_diversity == 0.0
    assert found.coverage < 1.0


def test_clips_shorter_than_a_window_are_refused_with_the_reason():
    with pytest.raises(NotApplicable, match="29 frames"):
        window_scores(np.zeros((29, 2)), [np.zeros((50, 2))])
    with pytest.raises(NotApplicable, match="longest source clip has 10 frames"):
        window_scores(np.zeros((40, 2)), [np.zeros((10, 2))])


def test_takes_are_as_far_apart_as_their_poses():
    assert take_distance(np.zeros((40, 2)), np.full((50, 2), 3.0)) == pytest.approx(np.sqrt(18))


def test_spread_sets_results_beside_source_takes():
    results = [np.zeros((30, 1)), np.ones((30, 1)), np.full((30, 1), 3.0)]  # 1, 3 and 2 apart
    between, own = spread(results, [np.zeros((30, 1)), np.full((30, 1), 4.0), np.zeros((5, 1))])
    assert between == pytest.approx(2.0)
    assert own == pytest.approx(4.0)
    assert spread(results, results[:1])[1] is None
    with pytest.raises(NotApplicable, match="needs several results"):
        spread(results[:1], results)


def test_shuffled_frames_score_low_by_the_calibrated_threshold_and_high_by_the_published_one(rng):
    t = np.arange(400) / 30
    walk = 0.4 * np.stack([np.sin(2 * np.pi * t + k) for k in range(6)], 1)
    shuffled = window_scores(walk[rng.permutation(400)], [walk])
    near = shuffled.chance_cost()
    assert shuffled.coverage == 1.0  # poses alone are enough
    assert shuffled.covered(near) <= 0.05
    assert window_scores(walk[100:300], [walk]).covered(near) > 0.95
    assert window_scores(np.zeros((40, 2)), [np.zeros((60, 2))]).chance_cost() == 2.0  # a still source


def test_frames_in_any_order_score_low():
    """Four alike walks: by the threshold of one order, others covered up to 38 %."""
    clips = [make("walk", seed=k, turn=0.2 * k, seconds=6, fps=30) for k in range(4)]
    source = reference(clips)
    frames = np.concatenate(source.features)
    near = source.chance_cost()
    for seed in range(20, 28):
        order = np.random.default_rng(seed).permutation(len(frames))
        assert window_scores(frames[order], source.features).covered(near) <= 0.05
    assert window_scores(source.features[0], source.features[1:]).covered(near) > 0.95


def slow_loose_run(result, sources, near):
    longest = 0
    for s in sources:
        for i in range(len(result)):
            for j in range(len(s)):
                n = 0
                while i + n < len(result) and j + n < len(s) and np.linalg.norm(result[i + n] - s[j + n]) <= near:
                    n += 1
                longest = max(longest, n)
    return longest


def test_the_loose_run_is_the_longest_diagonal_within_the_distance(rng):
    sources = [np.cumsum(rng.normal(size=(n, 3)), axis=0) for n in (30, 41)]
    result = np.concatenate([sources[1][5:17], sources[0][3:9], sources[1][30:41]]) + rng.normal(size=(29, 3)) * 0.1
    for near in (0.05, 0.3, 1.5):
        assert loose_run(result, sources, near) == slow_loose_run(result, sources, near)
    assert loose_run(result, sources, 0.5) >= 12
    joined = np.concatenate(sources)[20:50]  # a run does not cross from one clip into the next
    assert loose_run(joined, sources, 1e-6) == 20
