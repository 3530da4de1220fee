"""Feet that scrape while they swing are lifted as high as is usual in the clips; all others stay as they are."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, FloatArray, replace, with_labels
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.clearance import (
    FULL_CLEARANCE_SPEED,
    LIFT_TIME,
    MAX_DEPTH,
    _rise,
    _Swings,
    lift_swings,
    usual_clearance,
)
from motionloom.kinematics.feet.contacts import SPEED, foot_parts, part_positions, runs, with_contacts
from motionloom.kinematics.feet.skate_measures import skate_b
from motionloom.kinematics.fk import fk, fk_rotations
from motionloom.kinematics.ik.limb import limb_rotations
from motionloom.kinematics.resample import resample
from motionloom.rotation import angle_between
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk() -> Clip:
    return with_contacts(resample(make("walk", seconds=6, speed=1.3, seed=0), 30))


def swings(clip: Clip, side: str) -> list[tuple[int, int]]:
    """Whole swings of one foot, from plant to plant."""
    labels = [p.label for p in foot_parts(clip.skeleton) if p.foot.name.startswith(side)]
    return [(a, b) for a, b in runs(~np.any([clip.label(n) for n in labels], axis=0)) if a > 0 and b < len(clip)]


def moved(clip: Clip, side: str, rise: FloatArray) -> Clip:
    """The clip with one ankle higher by `rise` (F,) metres."""
    foot = next(f for f in feet(clip.skeleton) if f.name.startswith(side))
    limb = (foot.thigh, foot.shin, foot.ankle)
    targets = fk(clip)[:, foot.ankle] + rise[:, None] * [0.0, 1.0, 0.0]
    bent, _ = limb_rotations(clip.skeleton, clip.root, clip.rotations, limb, targets, soft=0.0)
    return replace(clip, rotations=bent)


def scraping(clip: Clip, which: slice) -> Clip:
    """The clip with the left toe 3 mm above where it stands in some of its swings, from their second third on."""
    parts = foot_parts(clip.skeleton)
    toe = part_positions(clip)[:, [p.name for p in parts].index("left_toe"), 1]
    rise = np.zeros(len(clip))
    for a, b in swings(clip, "left")[which]:
        inside = np.arange(a + 3, b - 3)
        rise[inside] = 0.003 + min(toe[a - 1], toe[b]) - toe[inside]
    return moved(clip, "left", rise)


def heights(clip: Clip) -> dict[str, list[float]]:
    """The plain way: for each foot, the least height of each swing over its plants while its toe is fast, metres."""
    parts, points = foot_parts(clip.skeleton), part_positions(clip)
    out: dict[str, list[float]] = {}
    for foot in feet(clip.skeleton):
        own = [i for i, p in enumerate(parts) if p.foot.name == foot.name]
        toe = points[:, own[-1]]
        speed = np.hypot(*np.gradient(toe[:, [0, 2]], axis=0).T) * clip.fps
        on = np.any([clip.label(parts[i].label) for i in own], axis=0) & (speed < SPEED[1])
        plants = runs(clip.label(parts[own[-1]].label) & (speed < SPEED[1]))
        middle = [(a + b - 1) / 2 for a, b in plants]
        lows = [float(np.median(toe[a:b, 1])) for a, b in plants]
        level = [min(lows[max(k - 1, 0) : k + 2]) for k in range(len(lows))]
        floor = np.interp(np.arange(len(clip)), middle, level)
        found = [[toe[f, 1] - floor[f] for f in range(a, b) if speed[f] >= FULL_CLEARANCE_SPEED] for a, b in runs(~on)]
        out[foot.name] = [min(one) for one in found if one]
    return out


def skate(clip: Clip) -> float:
    found = skate_b(clip)
    assert found is not None
    return found


def test_what_is_usual_is_what_three_of_four_swings_keep(walk):
    run = with_contacts(resample(make("run", seconds=3, speed=2.5, seed=1), 30))
    least = [h for clip in (walk, run) for one in heights(clip).values() for h in one]
    np.testing.assert_allclose(usual_clearance((walk, run)), min(np.percentile(least, 25), 0.025), atol=1e-12)


def test_a_clip_in_which_no_foot_scrapes_stays_as_it_is(walk):
    assert lift_swings(walk, min(h for one in heights(walk).values() for h in one) - 1e-6) is walk


def test_a_foot_that_scrapes_is_lifted_and_nothing_else_changes(walk):
    scraped, usual = scraping(walk, slice(1, 2)), usual_clearance([walk])
    (a, b), out = swings(walk, "left")[1], lift_swings(scraped, usual)
    assert min(heights(scraped)["left_foot"]) < 0.004
    assert min(heights(out)["left_foot"]) > 0.9 * usual
    changed = np.flatnonzero(angle_between(out.rotations, scraped.rotations).max(1) > 1e-9)
    assert a <= changed.min()
    assert changed.max() < b
    foot = next(f for f in feet(walk.skeleton) if f.name.startswith("left"))
    same = [j for j in range(len(walk.skeleton)) if j not in (foot.thigh, foot.shin, foot.ankle)]
    np.testing.assert_array_equal(out.rotations[:, same], scraped.rotations[:, same])
    turns = [fk_rotations(clip)[1][:, foot.ankle] for clip in (out, scraped)]
    assert angle_between(*turns).max() < 1e-6  # the foot keeps its direction
    assert skate(out) < 0.6 * skate(scraped)


def test_feet_that_are_always_dragged_stay_on_the_floor(walk):
    dragged = scraping(walk, slice(None))
    usual = usual_clearance([dragged[swings(walk, "left")[0][0] - 5 : swings(walk, "left")[-1][1] + 5]])
    assert usual < 0.006
    assert np.abs(fk(lift_swings(dragged, usual)) - fk(dragged)).max() < 0.006


def test_a_body_without_feet_and_a_single_frame_stay_as_they_are(tiny, walk):
    assert lift_swings(tiny, 0.02) is tiny
    assert usual_clearance([tiny]) == 0.0
    one = walk[:1]
    assert lift_swings(one, 0.02) is one


def rise_slow(height: FloatArray, speed: FloatArray, first: int, stop: int, clearance: float, fps: float) -> FloatArray:
    """`_rise` of one swing, written down plainly."""
    out = np.zeros(len(height))
    lack = {f: clearance * min(speed[f] / FULL_CLEARANCE_SPEED, 1) - height[f] for f in range(first, stop)}
    low = [f for f in lack if lack[f] > 0]
    if not low or min(height[first:stop]) < -MAX_DEPTH:
        return out
    ramp = min(LIFT_TIME * fps, (stop - first + 1) / 3)
    for f in lack:
        up = 1.0 if first == 0 else np.clip((f - max(low[0] - ramp, first - 1)) / ramp, 0, 1)
        down = 1.0 if stop == len(height) else np.clip((min(low[-1] + ramp, stop) - f) / ramp, 0, 1)
        out[f] = max(lack.values()) * up**2 * (3 - 2 * up) * down**2 * (3 - 2 * down)
    return out


@pytest.mark.parametrize("seed", range(12))
def test_the_lift_of_all_swings_is_that_of_each(seed, walk):
    rng = np.random.default_rng(seed)
    edges = np.sort(rng.choice(60, 8, replace=False))
    edges[0], edges[-1] = (0, 60) if seed % 2 else (edges[0], edges[-1])
    first, stop = edges[::2], edges[1::2]
    height, speed = rng.normal(0.02, 0.008, 60), rng.uniform(0, 2, 60)
    way = _Swings(feet(walk.skeleton)[0], height, speed, first, stop)
    want = sum(rise_slow(height, speed, a, b, 0.02, 30.0) for a, b in zip(first, stop, strict=True))
    np.testing.assert_allclose(_rise(way, 0.02, 30.0), want, atol=1e-12)


def test_jogs_of_subject_16_skate_no_more_than_their_clips(mocap):
    """Take 41 scrapes through its turn, and walks came back to it all the time: 1.9 times the clips' own skate."""
    from motionloom.constraints import Request, RootPath, Style
    from motionloom.control.graph_walks import random_walk
    from motionloom.io import load
    from motionloom.methods import learn, synthesize

    takes = [resample(load(mocap / "cmu" / f"16_{k}.bvh", trim_tpose=True), 30) for k in (35, 37, 38, 39, 40, 41, 43)]
    clips = [with_labels(clip, {"jog": np.ones(len(clip), bool)}) for clip in takes]
    own = np.average([skate(clip) for clip in clips], weights=[len(clip) for clip in clips])
    model = learn("motion-graph", clips)
    for seed in range(3):
        assert skate(random_walk(model, 30, style="jog", seed=seed).clip) < 1.2 * own
    a = np.linspace(0, 2 * np.pi, 73)
    circle = RootPath(points=tuple(map(tuple, 2.5 * np.stack([1 - np.cos(a), np.sin(a)], 1))), weight=1.0)
    assert skate(synthesize(model, Request(constraints=(circle, Style(label="jog"))))) < 1.2 * own
