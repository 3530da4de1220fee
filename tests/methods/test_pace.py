"""Pace over all methods that move the character: requests, and the steadiness of results without any."""

from __future__ import annotations

import pytest

from motionloom.constraints import Pace, Parameters, Request
from motionloom.core.errors import Unmet
from motionloom.kinematics.pace import MIN_PACED, UNEVEN_RATE, change_rate
from motionloom.methods import METHODS, describe, synthesize
from motionloom.methods.redraw_uneven_pace import usual_changes
from motionloom.samples import make

DIRECTED = [name for name in METHODS if name != "gaze" and describe(name).honours]  # gaze: of a motion that is given
ONE_TEMPO = ("parametric-space", "multilinear", "verbs", "parametric-graph", "variation")
ROOT = [0, 2]


@pytest.mark.parametrize("method", DIRECTED)
def test_every_method_that_moves_honours_pace(method):
    assert (Pace, "soft") in describe(method).honours


@pytest.mark.parametrize("method", ONE_TEMPO)
def test_results_change_their_speed_no_more_often_than_the_clips(method, models, inputs):
    usual = usual_changes(inputs[method]).every
    for seed in range(2):
        clip = synthesize(models[method], Request(seconds=12), seed=seed)
        assert change_rate([clip.root[:, ROOT]], clip.fps) <= usual


@pytest.mark.parametrize("method", ["parametric-space", "variation"])
def test_a_pace_out_of_reach_is_reported_with_the_nearest_one(method, models):
    with pytest.raises(Unmet, match=r"nearest request: `pace: {speed: \d"):
        synthesize(models[method], Request(seconds=4, constraints=(Pace(speed=(4.0, 4.0)),)))


@pytest.mark.parametrize("method", ["parametric-space", "variation"])
def test_a_soft_pace_out_of_reach_gives_the_fastest_clip(method, models):
    fast = synthesize(models[method], Request(seconds=4, constraints=(Pace(speed=(4.0, 4.0), weight=1.0),)))
    slow = synthesize(models[method], Request(seconds=4, constraints=(Pace(speed=(0.2, 0.2), weight=1.0),)))
    asked = Pace(speed=(4.0, 4.0))
    assert asked.worst(fast) < asked.worst(slow) - 0.05


def test_a_pace_leaves_requested_parameters_alone(models):
    """With all parameters of a space fixed, a pace can only be measured."""
    turn = Parameters(values={"travel_turn": "0deg"})
    clip = synthesize(models["parametric-space"], Request(seconds=4, constraints=(turn,)))
    free = synthesize(
        models["parametric-space"], Request(seconds=4, constraints=(turn, Pace(speed=(1.6, 1.6), weight=1.0)))
    )
    assert abs(turn.worst(free) - turn.worst(clip)) < 0.02


def test_single_jumps_do_not_make_an_uneven_pace_usual():
    """Clips of 4 s that slow down once do so 35 times a minute; a long walk that does is reported by `check`."""
    jumps = [make("leap", seed=seed) for seed in range(3)]
    assert max(clip.seconds for clip in jumps) < MIN_PACED
    assert usual_changes(jumps).moving <= UNEVEN_RATE
    long = make("walk_run", seed=1, seconds=12)
    places = [long.root[:, ROOT]]
    assert usual_changes([long]).moving == change_rate(places, long.fps, moving=True)
