"""Obstacles: the whole body stays clear, the detour is planned, and the hips neither stop nor turn suddenly."""

from __future__ import annotations

import re

import numpy as np
import pytest

from motionloom.constraints import Avoid, Reach, Request, RootPath, solve
from motionloom.io import load
from motionloom.kinematics.body_reach import body_reach
from motionloom.kinematics.fk import fk
from motionloom.kinematics.pace import root_acceleration
from motionloom.kinematics.travel import steady_travel, travel
from motionloom.methods import attempt, learn, synthesize
from motionloom.methods.graph.query.detours import around_circles
from motionloom.samples import make


def sharpest_turn(clip) -> float:
    """Degrees by which the direction of travel changes in a frame, while the body moves."""
    step = np.diff(travel(clip).place, axis=0)
    moving = np.linalg.norm(step, axis=1) * clip.fps > 0.3
    direction = np.unwrap(np.arctan2(step[:, 0], step[:, 1])[moving])
    return float(np.degrees(np.abs(np.diff(direction)).max()))


def depth(clip, pillar) -> float:
    """Metres that the deepest joint is inside."""
    apart = np.linalg.norm(fk(clip)[..., [0, 2]] - pillar.center, axis=2)
    return float(max(0.0, pillar.radius - apart.min()))


@pytest.fixture(scope="module")
def walks():
    return [
        make("walk", seed=s, speed=1.3, turn=t, seconds=5, fps=30) for s, t in enumerate((0.0, 0.5, -0.5, 0.25, -0.25))
    ]


def test_a_walk_is_moved_aside_in_one_smooth_curve(walks):
    walk = walks[0]
    middle = travel(walk).place[75]
    pillar = Avoid(center=middle + [0.3, 0.0], radius=0.35)
    assert depth(walk, pillar) > 0.2
    moved = solve(walk, [pillar])
    assert depth(moved, pillar) == 0
    assert sharpest_turn(moved) < sharpest_turn(walk) + 4
    assert root_acceleration(moved).max() < root_acceleration(walk).max() + 3
    np.testing.assert_allclose(moved.root[[0, -1]], walk.root[[0, -1]], atol=1e-9)


def test_a_line_through_a_pillar_is_led_around_it():
    line = np.stack([np.zeros(81), np.linspace(0, 8, 81)], 1)
    out = around_circles(line, np.array([[0.05, 4.0, 1.0]]))
    assert np.linalg.norm(out - [0.05, 4.0], axis=1).min() > 1.0
    np.testing.assert_array_equal(out[[0, -1]], line[[0, -1]])
    direction = np.unwrap(np.arctan2(*np.diff(out, axis=0).T))
    assert np.degrees(np.abs(np.diff(direction)).max()) < 12  # no corner: 0.1 m a step around a metre is 6 degrees
    assert (out[:, 0] <= 0.06).all()  # on one side


def test_a_pillar_on_a_drawn_path(walks):
    model = learn("motion-graph", walks)
    pillar = Avoid(center=(0.0, 4.0), radius=0.4)
    path = RootPath(points=((0, 0), (0, 8)), weight=1.0)
    clip = synthesize(model, Request(constraints=(path, pillar)))
    assert depth(clip, pillar) <= pillar.tolerance
    assert np.linalg.norm(travel(clip).place - pillar.center, axis=1).min() > 0.4 + 0.5 * body_reach(walks)
    assert sharpest_turn(clip) < 1.5 * max(map(sharpest_turn, walks)) + 3
    assert root_acceleration(clip).max() < 1.3 * max(root_acceleration(w).max() for w in walks) + 0.5
    assert np.linalg.norm(travel(clip).place[-1] - [0, 8]) < 0.5


def sway(clip) -> float:
    """Centimetres, root mean square: of the hips about the way that they walk."""
    return float(100 * np.sqrt(((travel(clip).place - steady_travel(clip).place) ** 2).sum(1).mean()))


def test_hips_bent_to_a_path_keep_their_sway(walks):
    walk = walks[1]
    path = RootPath(points=((0, 0), (0, 3), (1.5, 5.5)), tolerance=0.05)
    bent = solve(walk, [path])
    assert path.met(bent)
    assert sway(bent) > 0.6 * sway(walk)  # it was on a rail
    np.testing.assert_allclose(bent.root[[0, -1]][:, [0, 2]], [path.points[0], path.points[-1]], atol=1e-6)


def test_a_path_that_the_clips_cannot_walk_in_its_time_is_reported_with_the_nearest_request(walks):
    model = learn("motion-graph", walks)
    found = attempt(model, Request(seconds=5, constraints=(RootPath(points=((0, 0), (0, 2.5))),)))
    assert not found.met
    match = re.search(r"the nearest requests that they can meet: about `seconds: (\d\.\d)`", found.reason)
    assert float(match[1]) < 4.0
    again = attempt(model, Request(seconds=float(match[1]), constraints=(RootPath(points=((0, 0), (0, 2.5))),)))
    assert again.met
    assert sway(again.clip) > 0.5 * sway(walks[0])


def test_no_body_stands_beside_an_obstacle_to_stay_near_its_path(mocap):
    """Two walks that start and stop: a route once stood and turned for 2.3 s beside the pillar."""
    model = learn("motion-graph", [load(mocap / "cmu" / f"137_{k}.bvh") for k in (16, 29)])
    path = RootPath(points=((0, 0), (0, 3), (1.5, 6)), tolerance=0.6, weight=1.0)
    end = Reach(position=(1.5, 6.0), heading=np.radians(25), weight=1.0)
    made = synthesize(model, Request(constraints=(path, Avoid(center=(0.1, 2.2), radius=0.3), end)), seed=3)
    steps = np.linalg.norm(np.diff(steady_travel(made).place, axis=0), axis=1)
    assert steps.min() * made.fps > 0.9  # m/s; 0.04 before
    assert path.mean_distance(made) < 0.35
