"""Requests for several places."""

from __future__ import annotations

import pytest

from motionloom.constraints import Reach, Request
from motionloom.core import UnsupportedConstraint
from motionloom.methods.synthesis import attempt


@pytest.mark.parametrize("seed", range(3))
def test_places_are_reached_in_the_order_of_their_times(walking, seed):
    first, then = Reach(position=(3, 3), by=4), Reach(position=(0, 6), by=9)
    orders = [(first, then), (then, first)]
    made = [attempt(walking, Request(seconds=9, constraints=order), seed=seed) for order in orders]
    assert all(found.met for found in made), [found.reason for found in made]
    assert made[0].clip.root.tolist() == made[1].clip.root.tolist()


def test_parameters_without_a_weight_say_that_they_need_one(walking):
    asked = Request.from_yaml("{seconds: 2, constraints: [parameters: {values: {turn: 20deg}}]}")
    with pytest.raises(
        UnsupportedConstraint, match=r"cannot honour parameters \(hard\); with a weight, as `weight: 1`"
    ):
        attempt(walking, asked)
