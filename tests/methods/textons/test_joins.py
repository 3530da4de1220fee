"""Which segment may follow which, how likely, and how long a segment is made to last."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motionloom.constraints import Request
from motionloom.core import NoPath
from motionloom.kinematics.local_frames import Frames
from motionloom.methods.synthesis import rendered
from motionloom.methods.textons import Options
from motionloom.methods.textons.plan.joins import balance, join_distances
from motionloom.methods.textons.plan.notation import plan_path, write_path
from motionloom.methods.textons.plan.pieces import observed_time, piece_of, plan_of
from motionloom.methods.textons.plan.shortest_paths import probabilities
from motionloom.methods.textons.render.durations import at_length, cycle
from motionloom.methods.textons.render.join_check import join_peaks, peak_acceleration, segment_peaks
from motionloom.rotation import angle_between

LI = Options(unseen_limit=0.0, distance_penalty=0.0, balanced=False, key_variation=0.0)


def test_what_followed_a_segment_in_its_clip_is_at_no_distance(model):
    apart = join_distances(model.segments)
    for k in range(len(model.observed) - 1):
        a, b = model.observed[k], model.observed[k + 1]
        if a.source == b.source and a.frame + a.length == b.frame:
            assert apart[k, k + 1] < 1e-6
    assert np.median(apart) > 0.02


def test_balanced_weights_sum_to_one_both_ways(rng):
    weights = rng.random((6, 6)) ** 4
    even = balance(weights)
    assert_allclose(even.sum(0), 1, atol=1e-5)
    assert_allclose(even.sum(1), 1, atol=1e-5)
    # scaling rows and columns keeps every 2 x 2 ratio
    ratio = lambda w: w[0, 1] * w[2, 3] / (w[0, 3] * w[2, 1])
    assert_allclose(ratio(even), ratio(weights), rtol=1e-6)


def test_as_li_the_chances_are_those_of_the_transition_matrix(model):
    found = model.joins(LI)
    of = model.textons_of
    inside = np.isin(np.arange(len(model.textons)), of[found.inside])
    wanted = probabilities(np.where(inside[None], model.counts, 0.0))
    for k in found.inside:
        by_texton = np.bincount(of, weights=found.chances[k], minlength=len(model.textons))
        assert_allclose(by_texton, wanted[of[k]], atol=1e-9)


def test_unseen_joins_are_near_and_widen_what_can_go_on(model):
    without, with_near = (
        model.joins(LI),
        model.joins(Options(distance_penalty=0.0)),
    )
    new = with_near.allowed & ~with_near.seen
    assert new.any()
    assert with_near.distance[new].max() <= with_near.limit
    assert (with_near.seen == without.seen).all()
    assert len(with_near.inside) >= len(without.inside)


def test_nearer_joins_are_likelier(model):
    def mean(nearness):
        found = model.joins(Options(distance_penalty=nearness, balanced=False))
        return (found.chances * found.distance)[found.inside].sum() / len(found.inside)

    assert mean(4.0) < mean(1.0) < mean(0.2)


def test_a_long_walk_shows_segments_as_the_stationary_distribution_says(model):
    for options in (
        Options(balanced=False, stage_radius=1e6, joins="ends"),
        Options(stage_radius=1e6, joins="ends"),
    ):
        walk = model.walk(options, np.random.default_rng(0))
        pieces = walk.endless()
        shown = np.bincount([next(pieces).texton for _ in range(4000)], minlength=len(model.textons)) / 4000
        assert_allclose(shown, walk.joins.share(model.textons_of, len(model.textons)), atol=0.04)


def test_evenly_every_segment_is_shown_soon(model):
    seen = {}
    for evenly in (True, False):
        walk = model.walk(Options(balanced=evenly, stage_radius=1e6, joins="ends"), np.random.default_rng(1))
        pieces = walk.endless()
        inside = len(walk.joins.inside)
        seen[evenly] = len({next(pieces).observed for _ in range(2 * inside)}) / inside
    assert seen[True] > 0.85
    assert seen[True] >= seen[False]


def test_varied_key_poses_turn_by_as_much_as_asked_and_keep_their_pace(model, rng):
    for k in range(0, len(model.observed), 5):
        piece = piece_of(model.segments, k)
        keys = model.renderer.vary_keys(piece, np.radians(3), rng)
        turned = angle_between(keys.turns, piece.keys.turns)
        assert_allclose(turned.max(1), np.radians(3), rtol=0.25)  # charts stretch angles a little
        assert_allclose(keys.root, piece.keys.root, atol=1e-9)
        pace = angle_between(keys.turns[1], keys.turns[0]) - angle_between(piece.keys.turns[1], piece.keys.turns[0])
        assert np.abs(pace).max() < np.radians(0.5)


def test_a_walk_of_varied_key_poses_copies_no_frame(model):
    walk = model.walk(Options(), np.random.default_rng(0))
    piece = walk.first()
    assert angle_between(piece.keys.turns, model.observed[piece.observed].keys.turns).max() > np.radians(1)


def test_joins_that_throw_the_body_are_left_out(model):
    strain = join_peaks(model.synthesizer, join_distances(model.segments))
    tried = np.isfinite(strain)
    limit = np.maximum(1.7 * segment_peaks(model.segments), np.quantile(segment_peaks(model.segments), 0.75))
    assert (model.gentle == (tried & (strain <= limit[:, None]))).all()
    assert not model.joins(Options()).allowed[~model.gentle].any()


def test_the_peak_is_that_of_the_second_difference(model):
    frames = model.observed[0].frames
    still = Frames(frames.turns[[0] * 9], frames.root[[0] * 9])
    assert peak_acceleration(still, model.skeleton, model.fps) < 1e-9
    jump = Frames(frames.turns[[0] * 4 + [5] * 5], frames.root[[0] * 9])
    assert peak_acceleration(jump, model.skeleton, model.fps) > peak_acceleration(frames, model.skeleton, model.fps)


def swinging(frames=60, period=20):
    t = np.arange(frames)
    return np.stack([np.sin(2 * np.pi * t / period), np.cos(2 * np.pi * t / period)], 1)


@pytest.mark.parametrize("length", [80, 100, 140])
def test_a_longer_segment_gets_new_cycles_at_its_own_pace(length):
    y = swinging()
    longer = at_length(y, length, 30.0, lengthening="cycles")
    slower = at_length(y, length, 30.0, lengthening="slowing")
    crossings = lambda v: int((np.diff(np.sign(v[:, 0])) != 0).sum())
    assert len(longer.y) == len(slower.y) == length
    assert crossings(slower.y) == crossings(y)
    assert abs(crossings(longer.y) - length / 10) <= 1
    assert np.abs(np.diff(longer.y, axis=0)).max() < 1.25 * np.abs(np.diff(y, axis=0)).max()
    assert_allclose(longer.y[[0, -1]], y[[0, -1]], atol=1e-9)


def test_a_cycle_is_where_the_end_is_like_the_beginning():
    _, size, again = cycle(swinging(), 40, 30.0)
    assert size in (20, 40)
    assert size * again == 40
    assert cycle(np.arange(20.0)[:, None], 1, 30.0) is None  # nothing as short as that


def test_fewer_frames_are_taken_in_even_steps():
    timed = at_length(np.arange(10.0)[:, None], 4, 30.0, lengthening="cycles")
    assert_allclose(timed.y[:, 0], [0, 3, 6, 9])
    assert timed.frame.tolist() == [0, 3, 6, 9]
    assert timed.pace == 3.0


def test_textons_can_be_made_twice_as_long(model):
    for joins in ("ends", "anywhere"):
        asked = Request(seconds=10, options={"length_factor": 2.0, "joins": joins})
        for piece in model.plan(asked, np.random.default_rng(0)).pieces:
            assert piece.length == 2 * observed_time(model.segments, piece)
    usual = {"length_factor": 2.0, "joins": "ends", "drive_variation": 0}
    cycles, slower = (
        rendered(model, Request(seconds=30, options={**usual, "lengthening": how}), np.random.default_rng(0))[1]
        for how in ("cycles", "slowing")
    )
    pace = lambda c: float(np.median(angle_between(c.rotations[1:], c.rotations[:-1])))
    assert pace(cycles) > 1.2 * pace(slower)


def test_a_written_path_obeys_the_option_unseen_and_says_when_it_is_rushed(model):
    near = np.argwhere(model.join_finder.follows(Options()) & (model.counts == 0))
    a, b = (int(t) for t in near[0])
    whole = plan_path(model.walk(Options(), np.random.default_rng(0)), [a, b], None)
    assert not whole.notes
    with pytest.raises(NoPath, match=f"texton {a} was never followed by texton {b}"):
        plan_path(model.walk(Options(unseen_limit=0.0), np.random.default_rng(0)), [a, b], None)
    rushed = plan_path(model.walk(Options(), np.random.default_rng(0)), [a, b], whole.frames // 3)
    assert "2 textons of the path are made in as little as 3" in rushed.notes[0].text


def test_a_segment_cut_by_a_pose_is_said_once_in_a_path(model):
    whole = piece_of(model.segments, 0)
    middle = whole.length // 2
    lead = dataclasses.replace(whole, length=middle, span=(0, middle))
    on = dataclasses.replace(whole, length=whole.length - middle, span=(middle, whole.length))
    path = lambda *pieces: write_path(model.segments, plan_of(pieces))
    assert path(lead, on) == path(whole)
    assert len(path(whole, whole)) == 2  # played twice


def test_chances_that_underflow_still_give_a_successor(model):
    """In a long walk, small chances times the penalties of repetition and of the edge of the stage were all 0."""
    walk = model.walk(model.options_type(), np.random.default_rng(0))
    walk.joins = walk.joins._replace(chances=walk.joins.chances * 1e-200)
    walk.visits = 1000.0 * np.arange(len(walk.segments))
    walk.place = np.array([40 * walk.stage, 0.0])
    last = walk.piece(int(walk.joins.inside[0]))
    drawn = [walk.step(last) for _ in range(20)]
    assert all(piece is not None and walk.joins.chances[last.observed, piece.observed] > 0 for piece in drawn)
