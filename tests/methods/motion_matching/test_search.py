"""The search against a slow and obvious one, and the features against what they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.kinematics.travel import ground_turn, steady_travel
from motionloom.methods.live_actions import ANY
from motionloom.methods.motion_matching._kernels_search import nearest
from motionloom.methods.motion_matching.config import Config
from motionloom.methods.motion_matching.database import POINTS, build_database
from motionloom.samples import make


def nearest_slow(query, best, skip, wanted, features, allowed):
    """The first frame with the least distance below `best`, else -1."""
    cost = ((features.astype(float) - query) ** 2).sum(1)
    cost[(allowed & wanted) == 0] = np.inf
    cost[max(skip[0], 0) : skip[1] + 1] = np.inf
    found = int(cost.argmin())
    return found if cost[found] < best else -1


def arrays(db):
    return db.features, db.small, db.large, db.allowed, db.small_allowed, db.large_allowed


def test_the_search_finds_what_comparing_all_frames_finds(matching, rng):
    db = matching.database
    for _ in range(200):
        a, b = rng.integers(len(db.features), size=2)
        query = (0.5 * (db.features[a] + db.features[b]) + rng.normal(0, 0.1, db.features.shape[1])).astype(np.float32)
        skip = (int(a) - 10, int(a) + 10)
        found, cost = nearest(query, -1, np.float32(np.inf), skip, ANY, *arrays(db))
        assert found == nearest_slow(query, np.inf, skip, ANY, db.features, db.allowed)
        assert nearest(query, -1, cost, skip, ANY, *arrays(db))[0] == -1  # nothing is nearer than the nearest


def test_only_frames_of_the_action_are_found(matching):
    db = matching.database
    assert nearest(db.features[5], -1, np.float32(np.inf), (-1, -1), np.uint64(1), *arrays(db))[0] == 5
    assert nearest(db.features[5], -1, np.float32(np.inf), (-1, -1), np.uint64(2), *arrays(db))[0] == -1


def test_the_last_frames_of_a_clip_are_not_jumped_to(matching):
    db = matching.database
    ends = np.flatnonzero(np.arange(len(db.last)) == db.last)
    assert not db.allowed[ends].any()
    assert (db.allowed != 0).mean() > 0.9


@pytest.mark.parametrize("count", [1, 15, 16, 17, 64, 65, 200])
def test_any_number_of_frames_can_be_searched(count, rng):
    walk = make("walk", seconds=8)[: max(count, 4)]
    db = build_database([walk], Config(fps=60))
    free = db._replace(allowed=np.full(len(walk), ANY))
    free = free._replace(small_allowed=np.full(len(db.small), ANY), large_allowed=np.full(len(db.large), ANY))
    for f in range(len(walk)):
        assert nearest(db.features[f], -1, np.float32(np.inf), (-1, -1), ANY, *arrays(free))[0] == f


def test_a_trajectory_is_where_the_body_will_be(matching):
    db, clip = matching.database, matching.clips[1]
    track = steady_travel(clip)
    place, heading = track.place, track.heading
    first = len(matching.clips[0])
    for f in (0, 40, 150):
        seen = db.features[first + f, : 2 * POINTS] / db.gain[: 2 * POINTS] + db.mean[: 2 * POINTS]
        ahead = np.round(db.times * matching.fps).astype(int)
        expected = ground_turn(-heading[f], place[f + ahead] - place[f])
        np.testing.assert_allclose(seen.reshape(POINTS, 2), expected, atol=1e-5)


def test_features_do_not_depend_on_where_a_clip_stands_and_faces():
    from motionloom.kinematics.travel import moved, turned

    walk = make("walk", turn=0.3, seconds=4)
    here, there = (build_database([c], Config(fps=60)) for c in (walk, moved(turned(walk, 2.0), (3, -4))))
    np.testing.assert_allclose(here.features, there.features, atol=2e-3)
    np.testing.assert_allclose(here.step, there.step, atol=1e-9)
