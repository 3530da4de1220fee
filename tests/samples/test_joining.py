"""Samples that are joined: walks before and after an action, a cartwheel and a turn."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import PARAMETERS
from motionloom.kinematics.feet.skate_measures import skate_b
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import travel
from motionloom.samples import make


@pytest.mark.parametrize(
    ("name", "given", "climbs"),
    [
        ("sit", {"approach": "walk", "seconds": 4.5}, 0.0),
        ("steps", {"approach": "walk", "platform": 0.4}, 0.4),
        ("steps", {"approach": "walk", "platform": 0.4, "direction": "down"}, -0.4),
        ("jump", {"approach": "walk", "distance": 0.7, "height": 0.3}, 0.0),
        ("cartwheel", {"turn": -1.2}, 0.0),
    ],
)
def test_feet_stay_where_they_stand_across_the_joins(name, given, climbs):
    clip = make(name, seed=1, fps=30, **given)
    places = fk(clip)
    for label in (n for n in clip.label_names if n.startswith("contact:")):
        joint = clip.skeleton.joint(label.removeprefix("contact:").replace("heel", "foot"))
        on = clip.label(label)
        step = np.linalg.norm(np.diff(places[:, joint], axis=0), axis=1)[on[1:] & on[:-1]]
        assert step.max() * clip.fps < 1e-6, label
    assert skate_b(clip) < 1.0
    assert clip.label(name).all()
    assert places[..., 1].min() > 0.005
    assert clip.root[-1, 1] - clip.root[0, 1] == pytest.approx(climbs, abs=0.05)


def test_a_person_walks_before_and_after():
    clip = make("sit", seed=1, fps=30, approach="walk", seconds=4.5)
    speed = np.linalg.norm(np.diff(travel(clip).place, axis=0), axis=1) * 30
    assert speed[:20].mean() == pytest.approx(1.4, abs=0.2)
    assert speed[-20:].mean() == pytest.approx(1.4, abs=0.2)
    assert clip.label("seated").any()


def test_a_cartwheel_turns_afterwards():
    for turn in (0.2, -2.7):
        heading = travel(make("cartwheel", seed=1, fps=30, turn=turn)).heading
        assert heading[-1] - heading[0] == pytest.approx(turn, abs=0.1)


def test_a_leap_is_as_long_as_the_gap_and_a_foot():
    for distance in (0.6, 0.92):
        length = PARAMETERS["leap_length"].measured(make("leap", seed=1, distance=distance))[0]
        assert length == pytest.approx(distance + 0.27, abs=0.06)
