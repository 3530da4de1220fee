"""GUAN 4.2.3 on real clips: on a ramp point clouds lose their answer, the other measures keep it."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.analysis import MEASURES, PointCloud, best_share
from motionloom.io import load


@pytest.fixture(scope="module")
def walk_and_run(mocap):
    clips = [load(mocap / "cmu" / f"{name}.bvh", trim_tpose=True) for name in ("16_21", "16_35")]
    return [clip[::2] for clip in clips]  # every second frame: quicker, and the same question


def chosen(measure, a, b) -> set[tuple[int, int]]:
    return {(int(i), int(j)) for i, j in best_share(measure.matrix(a, b), 0.01).frames}


@pytest.mark.parametrize("name", MEASURES)
def test_a_ramp_and_a_lower_floor_mislead_only_point_clouds(walk_and_run, carried, name):
    walk, run = walk_and_run
    ramp = carried(walk, (np.radians(15), 0.0, 0.0), (0.0, -0.6, 0.0))
    before, after = (chosen(MEASURES[name](), clip, run) for clip in (walk, ramp))
    kept = len(before & after) / len(before)
    assert kept < 0.5 if name == "point-cloud" else kept > 0.97


def test_clouds_aligned_in_space_keep_their_answer(walk_and_run, carried):
    walk, run = walk_and_run
    ramp = carried(walk, (np.radians(15), 0.0, 0.0), (0.0, -0.6, 0.0))
    rigid = PointCloud(freedom="rigid")
    before, after = chosen(rigid, walk, run), chosen(rigid, ramp, run)
    assert len(before & after) > 0.97 * len(before)
