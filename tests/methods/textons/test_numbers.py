"""The numbers behind textons: fits, exact segmentation, constrained runs and paths, each against the obvious way."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motionloom.core import BadRequest, NoPath
from motionloom.methods.textons.config import Config
from motionloom.methods.textons.fit import learning_settings
from motionloom.methods.textons.learn._kernels_segmentation import best_segmentation
from motionloom.methods.textons.learn.lds import (
    Dynamics,
    Prior,
    fit,
    fit_error,
    log_likelihood,
    log_prior,
    parameter_count,
    spectral_radius,
)
from motionloom.methods.textons.plan import shortest_paths as paths
from motionloom.methods.textons.render._kernels import ease_between, factor_run, solve_run
from motionloom.methods.textons.render._kernels_banded import factor_banded, solve_banded
from motionloom.methods.textons.render.synthesis import normal_equations
from motionloom.methods.textons.render.trajectory import constrained_run, eased, free_run, push_of

WEAK = Prior(ridge=1e-12, floor=1e-9, weight=1e-9)


def swing(rng, frames=400, noise=0.01):
    """A noisy oscillator in two states, seen through five channels."""
    a1 = np.array([[1.9, -0.02], [0.02, 1.8]])
    a2 = np.array([[-0.95, 0.0], [0.0, -0.9]])
    x = np.zeros((frames, 2))
    x[:2] = rng.normal(size=(2, 2))
    for t in range(2, frames):
        x[t] = a1 @ x[t - 1] + a2 @ x[t - 2] + 0.01 + noise * rng.normal(size=2)
    seen = np.linalg.qr(rng.normal(size=(5, 2)))[0]
    return x, x @ seen.T + 3.0, (a1, a2)


def test_the_closed_form_finds_the_dynamics_it_was_made_with(rng):
    _, y, (a1, a2) = swing(rng, frames=4000)
    found = fit([y], keep=0.999999, largest=5, prior=WEAK)
    assert found.size == 2
    wanted = np.linalg.eigvals(np.block([[a1, a2], [np.eye(2), np.zeros((2, 2))]]))
    got = np.linalg.eigvals(np.block([[found.a1, found.a2], [np.eye(2), np.zeros((2, 2))]]))
    assert_allclose(np.sort(np.abs(got)), np.sort(np.abs(wanted)), atol=0.02)
    assert_allclose(np.sqrt(np.trace(found.noise @ found.noise.T)), 0.01 * np.sqrt(2), rtol=0.05)


def test_terms_over_a_border_between_segments_are_left_out(rng):
    _, y, _ = swing(rng, frames=300)
    whole = fit([y], keep=0.999999, largest=5, prior=WEAK)
    cut = fit([y[:150], y[150:] + 5.0], keep=0.999999, largest=5, prior=WEAK, like=None)
    glued = fit([np.concatenate([y[:150], y[150:] + 5.0])], keep=0.999999, largest=5, prior=WEAK)
    assert fit_error(y, whole)[2:].max() < 0.06
    assert fit_error(y[:150], cut)[2:].max() < 0.06  # a jump that lies between segments is nobody's error
    assert np.abs(np.diag(glued.noise)).max() > 10 * np.abs(np.diag(cut.noise)).max()


def test_the_fit_is_the_maximum_of_likelihood_and_prior(rng):
    _, y, _ = swing(rng, frames=80)
    prior = Prior()
    best = fit([y], keep=0.999, largest=5, prior=prior)
    value = lambda d: log_likelihood(y, d).sum() + log_prior(d, prior, y.shape[1])
    for _ in range(20):
        step = lambda a: a + 1e-3 * rng.normal(size=a.shape)
        noise = np.tril(step(best.noise))
        noise[np.diag_indices(best.size)] = np.abs(np.diag(noise)) + 1e-6
        other = Dynamics(best.mean, best.basis, step(best.a1), step(best.a2), step(best.drift), noise, best.outside)
        assert value(other) <= value(best) + 1e-9


def test_a_faithful_fit_is_that_of_eq_13_written_out_as_sums(rng):
    """Several segments, no prior: A, D and B B^T; with the default prior, B B^T was a tenth smaller."""
    segments = [swing(rng, frames=n)[1] for n in (60, 75)]
    faithful = learning_settings(Config(variant="faithful"), 60.0).prior
    found = fit(segments, keep=0.999999, largest=2, prior=faithful)
    x = [(y - found.mean) @ found.basis for y in segments]
    pairs = [(s, t) for s in x for t in range(2, len(s))]
    count = len(pairs)
    q = [sum(s[t - i] for s, t in pairs) for i in range(3)]

    def r(i, j):
        return sum(np.outer(s[t - i], s[t - j]) for s, t in pairs) - np.outer(q[i], q[j]) / count

    a = np.block([[r(0, 1), r(0, 2)]]) @ np.linalg.inv(np.block([[r(1, 1), r(1, 2)], [r(2, 1), r(2, 2)]]))
    a1, a2 = a[:, :2], a[:, 2:]
    assert_allclose(found.a1, a1, atol=1e-6)
    assert_allclose(found.a2, a2, atol=1e-6)
    assert_allclose(found.drift, (q[0] - a1 @ q[1] - a2 @ q[2]) / count, atol=1e-6)
    noise = (r(0, 0) - a1 @ r(1, 0) - a2 @ r(2, 0)) / count
    assert_allclose(found.noise @ found.noise.T, noise, atol=2e-3 * np.trace(noise))


def test_the_likelihood_is_a_gaussian_of_the_prediction_and_of_what_lies_outside(rng):
    from scipy.stats import multivariate_normal

    _, y, _ = swing(rng, frames=60)
    d = fit([y], keep=0.99, largest=1, prior=Prior())
    x = (y - d.mean) @ d.basis
    rest = y - d.mean - x @ d.basis.T
    t = 7
    inside = multivariate_normal(d.a1 @ x[t - 1] + d.a2 @ x[t - 2] + d.drift, d.noise @ d.noise.T).logpdf(x[t])
    outside = -0.5 * ((rest[t] ** 2).sum() / d.outside + (5 - d.size) * np.log(2 * np.pi * d.outside))
    assert_allclose(log_likelihood(y, d)[t], inside + outside)


def test_a_texton_of_a_short_segment_stays_finite():
    rng = np.random.default_rng(0)
    d = fit([rng.normal(size=(8, 30))], keep=0.99, largest=20, prior=Prior())
    assert np.isfinite(d.a1).all()
    assert np.isfinite(d.noise).all()
    assert parameter_count(d) > 0


def every_segmentation(score, start, log_m, shortest):
    """All ways to cut and label a clip, by brute force: the best value."""
    frames, count = score.shape
    best = -np.inf
    for pieces in range(1, frames // shortest + 1):
        for cuts in itertools.combinations(range(1, frames), pieces - 1):
            edges = [0, *cuts, frames]
            if min(np.diff(edges)) < shortest:
                continue
            for labels in itertools.product(range(count), repeat=pieces):
                value = sum(
                    start[a] + score[a + 2 : b, i].sum()
                    for (a, b), i in zip(itertools.pairwise(edges), labels, strict=True)
                )
                value += sum(log_m[i, j] for i, j in itertools.pairwise(labels))
                best = max(best, value)
    return best


@pytest.mark.parametrize("seed", range(40))
def test_the_segmentation_is_exact(seed):
    rng = np.random.default_rng(seed)
    frames, count, shortest = int(rng.integers(4, 11)), int(rng.integers(1, 4)), int(rng.integers(2, 4))
    score, start = rng.normal(size=(frames, count)) * 2, rng.normal(size=frames)
    score[:2] = 0
    log_m = np.log(rng.dirichlet(np.ones(count), size=count))
    labels, starts, value = best_segmentation(score, start, log_m, shortest, np.zeros(1, np.uint8))
    assert_allclose(value, every_segmentation(score, start, log_m, shortest), rtol=1e-9)
    edges = [*starts.tolist(), frames]
    assert min(np.diff(edges)) >= shortest
    again = sum(
        start[a] + score[a + 2 : b, i].sum() for (a, b), i in zip(itertools.pairwise(edges), labels, strict=True)
    )
    assert_allclose(again + sum(log_m[i, j] for i, j in itertools.pairwise(labels)), value)


def test_the_banded_solver_agrees_with_a_dense_one(rng):
    n, width = 30, 7
    dense = np.zeros((n, n))
    for o in range(width):
        dense += np.diag(rng.normal(size=n - o) * 0.1, -o)
    dense = dense @ dense.T + np.eye(n)
    bands = np.zeros((n, 2 * width))
    for j in range(n):
        for k in range(min(2 * width, n - j)):
            bands[j, k] = dense[j + k, j]
    right = rng.normal(size=n)
    x = right.copy()
    factor_banded(bands)
    solve_banded(bands, x)
    assert_allclose(dense @ x, right, atol=1e-9)


@pytest.mark.parametrize("length", [5, 6, 7, 40])
def test_the_run_by_blocks_agrees_with_the_banded_one_at_every_length(rng, length):
    d = small(rng)
    system = normal_equations(d)
    factors = factor_run(system.p0, system.p1, system.p2, 40)  # of the longest: shorter ones are its beginning
    ends, push = rng.normal(size=(4, d.size)), rng.normal(size=(length, d.size))
    fast = solve_run(factors, system.p1, system.p2, system.row, system.lean + push, ends)
    slow = constrained_run(d, dict(zip((0, 1, length - 2, length - 1), ends, strict=True)), push)
    assert_allclose(fast, slow, atol=1e-8)


def test_the_factors_are_those_of_the_dense_matrix(rng):
    d, n = small(rng), 6
    s = normal_equations(d)
    dense = np.zeros((n * d.size, n * d.size))
    for t in range(n):
        for k, block in enumerate((s.p0, s.p1, s.p2)):
            if t + k < n:
                a, b = slice((t + k) * d.size, (t + k + 1) * d.size), slice(t * d.size, (t + 1) * d.size)
                dense[a, b] = block
                dense[b, a] = block.T
    factors = factor_run(s.p0, s.p1, s.p2, n)
    lower, middle = np.eye(len(dense)), np.zeros_like(dense)
    for t in range(n):
        a = slice(t * d.size, (t + 1) * d.size)
        middle[a, a] = np.linalg.inv(factors[t, 0])
        for k in (1, 2):
            if t >= k:
                lower[a, (t - k) * d.size : (t - k + 1) * d.size] = factors[t, k]
    assert_allclose(lower @ middle @ lower.T, dense, rtol=1e-7, atol=1e-7 * np.abs(dense).max())


@pytest.mark.parametrize("length", [6, 20, 42, 43])
def test_the_compiled_offset_is_the_eased_one(rng, length):
    ends, out = rng.normal(size=(4, 3)), rng.normal(size=(length, 3))
    wanted = out + eased(dict(zip((0, 1, length - 2, length - 1), ends, strict=True)), length)
    ease_between(ends, length, 12, out)
    assert_allclose(out, wanted, atol=1e-12)


def small(rng):
    _, y, _ = swing(rng, frames=200)
    return fit([y], keep=0.999, largest=3, prior=Prior())


def test_a_constrained_run_passes_through_its_fixed_frames_and_is_least_squares(rng):
    d = small(rng)
    fixed = {t: rng.normal(size=d.size) for t in (0, 1, 9, 10, 5)}
    push = rng.normal(size=(11, d.size))
    x = constrained_run(d, fixed, push)
    for t, value in fixed.items():
        assert_allclose(x[t], value)
    cost = lambda z: ((push_of(d, z) - push)[1:-1] ** 2).sum()
    for _ in range(20):
        other = x.copy()
        free = [t for t in range(11) if t not in fixed]
        other[free] += 1e-3 * rng.normal(size=(len(free), d.size))
        assert cost(other) >= cost(x) * (1 - 1e-12)


def test_constrained_runs_are_exact_conditional_samples(rng):
    d = small(rng)
    length, size = 7, d.size
    fixed = {0: np.zeros(size), 1: np.zeros(size), 5: np.full(size, 0.1), 6: np.full(size, 0.1)}
    draws = np.array([constrained_run(d, fixed, rng.standard_normal((length, size)))[2:5].ravel() for _ in range(4000)])
    # the joint Gaussian of frames 2..6 given 0 and 1, conditioned on 5 and 6 by the textbook formula
    steps = [(t, k) for t in range(2, length) for k in range(size)]
    mean = constrained_mean = np.zeros(len(steps))
    lift = np.zeros((len(steps), len(steps)))
    x = np.zeros((length, size))
    for t in range(2, length):
        x[t] = d.a1 @ x[t - 1] + d.a2 @ x[t - 2] + d.drift
    constrained_mean = x[2:].ravel()
    for s in range(2, length):
        for k in range(size):
            z = np.zeros((length, size))
            z[s] = d.noise[:, k]
            for t in range(s + 1, length):
                z[t] = d.a1 @ z[t - 1] + d.a2 @ z[t - 2]
            lift[:, steps.index((s, k))] = z[2:].ravel()
    cov = lift @ lift.T
    a, b = slice(0, 3 * size), slice(3 * size, None)
    gain = cov[a, b] @ np.linalg.inv(cov[b, b])
    mean = constrained_mean[a] + gain @ (np.full(2 * size, 0.1) - constrained_mean[b])
    wanted = cov[a, a] - gain @ cov[b, a]
    assert_allclose(draws.mean(0), mean, atol=4 * np.sqrt(np.diag(wanted).max() / 4000))
    assert_allclose(np.cov(draws.T), wanted, atol=0.12 * np.diag(wanted).max())


def test_the_push_of_a_segment_and_its_own_ends_give_the_segment_back(rng):
    d = small(rng)
    x = np.cumsum(0.1 * rng.normal(size=(30, d.size)), axis=0)
    again = constrained_run(d, {t: x[t] for t in (0, 1, 28, 29)}, push_of(d, x))
    assert_allclose(again, x, atol=1e-6)


def test_a_free_run_that_would_not_grow_follows_its_push(rng):
    d = small(rng)
    calm = Dynamics(d.mean, d.basis, 0.9 * d.a1, 0.81 * d.a2, d.drift, d.noise, d.outside)
    assert spectral_radius(calm) < 0.995
    x = np.cumsum(0.1 * rng.normal(size=(30, d.size)), axis=0)
    assert_allclose(free_run(calm, x[:2], push_of(calm, x)), x, atol=1e-9)


def test_free_runs_stay_bounded_even_where_the_fit_would_grow(rng):
    d = small(rng)
    wild = Dynamics(d.mean, d.basis, 2.1 * np.eye(d.size), -1.0 * np.eye(d.size), d.drift, d.noise, d.outside)
    assert spectral_radius(wild) > 1
    x = free_run(wild, np.zeros((2, d.size)), rng.standard_normal((5000, d.size)))
    assert np.isfinite(x).all()
    assert np.abs(x[2500:]).max() < 20 * np.abs(x[:2500]).max() + 1


def test_the_eased_offset_passes_through_its_frames_with_their_slope():
    ends = {0: np.array([1.0]), 1: np.array([1.1]), 40: np.array([0.0]), 41: np.array([-0.2])}
    y = eased(ends, 42)[:, 0]
    assert_allclose(y[[0, 1, 40, 41]], [1.0, 1.1, 0.0, -0.2])
    assert_allclose(y[2] - y[1], 0.1, atol=0.03)
    assert_allclose(y[40] - y[39], -0.2, atol=0.05)
    assert np.abs(y).max() < 1.6


M = paths.probabilities(np.array([[0, 3.0, 1, 0], [0, 2, 2, 0], [1, 0, 0, 1], [0, 0, 0, 0]]))


def test_the_cheapest_path_is_the_most_probable_one():
    assert paths.cheapest_path(M, 0, 3) == [0, 1, 2, 3]
    with pytest.raises(NoPath, match="from texton 3 to texton 0"):
        paths.cheapest_path(M, 3, 0)
    with pytest.raises(BadRequest, match="no texton 9; there are 4"):
        paths.cheapest_path(M, 0, 9)


ONE = np.ones(4, int)  # every texton lasts one frame: LI's paths of so many textons


def every_path(edges, left, length_of_path):
    """All paths from node 0 to node 3 of so many edges, slowly: (frames, score). `left`: frames left at the start."""
    for way in itertools.product(range(len(edges.source)), repeat=length_of_path):
        nodes = [0, *(edges.target[e] for e in way)]
        if all(edges.source[e] == n for e, n in zip(way, nodes, strict=False)) and nodes[-1] == 3:
            frames = left[way[0]] + sum(edges.frames[e] for e in way[1:])
            yield frames, sum(edges.score[e] for e in way)


def in_time(edges, left, frames):
    mine = edges.source == 0
    first = edges.only(mine)._replace(frames=left[mine])
    return paths.paths_in_time(first, edges, 4, frames)


@pytest.mark.parametrize("length", [2, 3, 4, 5])
def test_the_path_of_fixed_length_is_the_best_of_all(length):
    edges = paths.edges_of(M, ONE)
    best = max(score for _, score in every_path(edges, edges.frames, length))
    found = in_time(edges, edges.frames, length)
    assert_allclose(found.best[length, 3], best)
    first, rest = found.path(3, length)
    assert 1 + len(rest) == length
    assert_allclose(found.first.score[first] + edges.score[rest].sum(), best)


def test_the_path_that_takes_a_given_time_is_the_best_of_all(rng):
    """Nodes take different times; two of the edges leave their node early; the start was half over."""
    whole = paths.edges_of(M, np.array([2, 3, 4, 5]))
    early = paths.Edges(np.array([1, 2]), np.array([2, 3]), np.array([1, 2]), np.array([-0.4, -3.0]))
    edges = paths.joined_edges([whole, early])
    left = np.where(edges.source == 0, 1, edges.frames)
    wanted = np.full(12, -np.inf)
    for count in range(1, 6):
        for frames, score in every_path(edges, left, count):
            if frames < 12:
                wanted[frames] = max(wanted[frames], score)
    found = in_time(edges, left, 6)
    assert_allclose(found.best[:7, 3], wanted[:7])
    for frames in np.flatnonzero(np.isfinite(wanted[:7])):
        first, rest = found.path(3, frames)
        nodes = [int(found.first.target[first]), *edges.target[rest].tolist()]
        assert edges.source[rest].tolist() == nodes[:-1]
        assert found.first.frames[first] + edges.frames[rest].sum() == frames
        assert_allclose(found.first.score[first] + edges.score[rest].sum(), wanted[frames])


def test_there_is_no_path_of_an_impossible_length():
    edges = paths.edges_of(M, ONE)
    found = in_time(edges, edges.frames, 3)
    first, rest = found.path(3, 2)
    assert [int(found.first.target[first]), *edges.target[rest].tolist()] == [2, 3]
    with pytest.raises(NoPath, match="no path of 1 frames leads to 3"):
        found.path(3, 1)


def test_textons_repeat_as_often_as_their_self_transition_says(rng):
    again = [paths.repetitions(M, 1, rng) for _ in range(4000)]
    assert_allclose(np.mean(again), 1.0, rtol=0.1)  # 1 / (1 - 1/2), less the first
    assert paths.repetitions(np.ones((1, 1)), 0, rng) == 20  # one that always follows itself must end too


def test_the_endless_part_is_where_all_can_reach_each_other():
    counts = np.array([[0, 3.0, 1, 0], [0, 2, 2, 0], [1, 0, 0, 1], [0, 0, 0, 0]])
    assert paths.endless(counts).tolist() == [0, 1, 2]
    assert len(paths.endless(np.triu(counts, 1))) == 0


def test_a_long_walk_visits_textons_as_the_stationary_distribution_says(rng):
    inside = M[:3, :3] / M[:3, :3].sum(1, keepdims=True)
    at, seen = 0, np.zeros(3)
    for _ in range(20000):
        at = int(rng.choice(3, p=inside[at]))
        seen[at] += 1
    assert_allclose(seen / seen.sum(), paths.stationary(inside), atol=0.02)
