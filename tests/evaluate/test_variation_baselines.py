"""Variants of takes by noise."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import BadRequest, replace
from motionloom.evaluate.compare.baselines import cycle_animation
from motionloom.evaluate.compare.variation_baselines import TAKE_BASELINES, noisy_variant, perlin, take_table
from motionloom.kinematics.body.roles import group
from motionloom.kinematics.resample import resample
from motionloom.samples import make


@pytest.fixture(scope="module")
def walks():
    return [resample(make("walk", seed=s, seconds=1.2), 30.0) for s in range(3)]


@pytest.mark.parametrize("name", TAKE_BASELINES)
def test_noise_is_added_to_the_chosen_joints_alone(name, walks):
    table = take_table(walks, ["left_arm"])
    loud, quiet = (noisy_variant(name, table, amount, np.random.default_rng(1)) for amount in (1.0, 0.0))
    changed = np.flatnonzero(np.abs(loud.rotations - quiet.rotations).max((0, 2)) > 1e-9)
    assert set(changed) <= set(group(walks[0].skeleton, "left_arm"))
    assert bool(len(changed)) == (name != "replayed takes")


def test_noise_has_the_deviation_of_the_takes(walks):
    table = take_table([walks[0], *walks])  # the first one as the random take in half of all cases
    made = [TAKE_BASELINES["warped statistics"](table, 1.0, np.random.default_rng(k)) for k in range(400)]
    noise = [m - table.takes[0] for m in made if np.allclose(m[:, ~table.noisy], table.takes[0][:, ~table.noisy])]
    assert len(noise) > 100
    ratio = np.std(noise, axis=0)[:, table.noisy] / table.values.std(0, ddof=1)[:, table.noisy]
    assert np.median(ratio) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("name", ["warped statistics", "Perlin noise", "PCA noise", "replayed takes"])
def test_without_noise_a_take_is_replayed_as_it_is(name, walks):
    takes = [walks[0], walks[1][:-4], resample(walks[2], 33.0)]
    takes[2] = replace(takes[2], fps=30.0)
    table = take_table(takes)
    made = [TAKE_BASELINES[name](table, 0.0, np.random.default_rng(k)) for k in range(30)]
    assert all(any(np.array_equal(m, take) for take in table.takes) for m in made)
    assert {len(m) for m in made} == {len(take) for take in takes}


def test_a_convex_combination_lasts_as_long_as_its_takes_on_average(walks):
    takes = [walks[0], walks[1][:-6]]
    table = take_table(takes)
    made = [TAKE_BASELINES["convex combination"](table, 0.0, np.random.default_rng(k)) for k in range(40)]
    assert len({len(m) for m in made}) > 3
    assert all(len(takes[1]) <= len(m) <= len(takes[0]) for m in made)


def test_perlin_noise_is_smooth_and_of_unit_size():
    noise = np.stack([perlin(4.0, 60.0, np.random.default_rng(k)) for k in range(200)])
    assert (noise**2).mean() == pytest.approx(1.0, rel=0.1)
    assert np.abs(np.diff(noise, axis=1)).max() < 1.0
    assert noise[:, 0] == pytest.approx(0.0)  # it is zero at lattice points


def test_cycle_animation_replays_whole_takes(walks):
    made = cycle_animation(walks, 100, np.random.default_rng(0))
    assert len(made) == 100
    assert any(np.array_equal(made.rotations[: len(c), 1:], c.rotations[:, 1:]) for c in walks)


def test_one_take_has_no_deviation(walks):
    with pytest.raises(BadRequest, match="two takes or more, found 1"):
        take_table(walks[:1])
