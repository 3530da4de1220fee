"""Ways between poses: early joins, lengths, natural ends, paths that say parts of segments, and what is warned of."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from motionloom.constraints import PoseAt, Request
from motionloom.core import BadRequest, NoPath, Note
from motionloom.kinematics.feet.grounding import MAX_EXTRA_STEP, STEP_GAIN, Footing, higher_steps
from motionloom.methods import synthesize
from motionloom.methods.textons import Options
from motionloom.methods.textons.plan.joins import EARLY_SHARE, EDGE_FRAMES, keys_distance
from motionloom.methods.textons.plan.keyframes import PoseGoal, _most_probable
from motionloom.methods.textons.plan.notation import plan_path, read_path, write_path
from motionloom.methods.textons.plan.pieces import (
    LENGTH_SLACK,
    TextonPiece,
    fit_lengths,
    length_notes,
    piece_of,
    usual_times,
)
from motionloom.methods.textons.plan.shortest_paths import best_path, cheapest_path, log_probability
from motionloom.methods.textons.render import synthesis
from motionloom.methods.textons.render.trajectory import slow_noise


def ends(takes, a=10, b=120):
    return PoseAt(time=0.0, pose=takes[0][a : a + 1]), PoseAt(time="end", pose=takes[1][b : b + 1])


def test_early_joins_are_where_a_segment_is_nearest_to_the_beginning_of_another(model):
    joins, exits = model.joins(Options()), model.join_finder.exits(Options())
    found = set(zip(exits.source.tolist(), exits.frame.tolist(), exits.target.tolist(), strict=True))
    wanted = set()
    for k in joins.inside:
        seen = model.observed[k]
        pairs = [seen.frames[f : f + 2] for f in range(seen.length)]
        for b in joins.inside:
            far = [keys_distance(pair, model.observed[b].keys, model.segments) for pair in pairs]
            at_end = joins.distance[k, b] if joins.allowed[k, b] else np.inf
            for f in range(EDGE_FRAMES, seen.length - EDGE_FRAMES):
                nearest = far[f] <= far[f - 1] and far[f] < far[f + 1]
                if k != b and nearest and far[f] < min(EARLY_SHARE * joins.limit, at_end):
                    wanted.add((int(k), f, int(b)))
    assert found == wanted
    assert len(model.join_finder.exits(Options(unseen_limit=0.0)).source) == 0  # as LI: whole textons alone


def test_the_farther_an_early_join_the_less_likely_it_is(model):
    exits = model.join_finder.exits(Options())
    for k in np.unique(exits.source):
        own = exits.source == k
        order = np.argsort(exits.distance[own])
        assert (np.diff(exits.score[own][order]) <= 1e-12).all()


def test_lengths_are_kept_within_what_was_observed_if_they_can_be(model):
    pieces = [TextonPiece(0, 0, n, model.observed[0].keys, model.observed[0].after) for n in (40, 60, 80)]
    within = np.array([[36.0, 44], [50, 90], [70, 120]])
    for frames in range(156, 255, 7):
        lengths = np.array([p.length for p in fit_lengths(pieces, frames, within)])
        assert lengths.sum() == frames
        assert (lengths >= within[:, 0] - 1).all()
        assert (lengths <= within[:, 1] + 1).all()
    alike = np.array([p.length for p in fit_lengths(pieces, 400, within)])  # cannot be
    assert_allclose(alike / alike.sum(), np.array([40, 60, 80]) / 180, atol=0.01)


def test_textons_that_last_longer_than_ever_observed_are_warned_of(model):
    k = int(np.argmax(np.bincount(model.textons_of)))
    pieces = [piece_of(model.segments, o) for o in model.of_texton(k)]
    lengths = [p.length for p in pieces]
    assert_allclose(
        usual_times(model.segments, pieces), [[min(lengths) / LENGTH_SLACK, max(lengths) * LENGTH_SLACK]] * len(pieces)
    )
    assert length_notes(model.segments, pieces) == []
    longer = [dataclasses.replace(pieces[0], length=2 * max(lengths)), *pieces[1:]]
    said = length_notes(model.segments, longer)[0].text
    assert f"1 of {len(pieces)} textons last longer or shorter" in said
    assert f"texton {k} by 100% longer" in said


def test_a_cheapest_way_ends_by_itself_with_every_texton_as_long_as_observed(model, takes):
    first, last = ends(takes)
    request = Request(constraints=(first, last), options={"route": "most_probable"})
    plan = model.plan(request, np.random.default_rng(3))
    own = [model.observed[p.observed].length if p.span is None else p.span[1] - p.span[0] for p in plan.pieces]
    assert [p.length for p in plan.pieces] == own
    clip = synthesize(model, request, seed=3)
    assert len(clip) == sum(p.length for p in plan.pieces[:-1]) + 1
    assert first.met(clip)
    assert last.met(clip)
    with pytest.raises(BadRequest, match="has no natural end: give seconds or frames"):
        synthesize(model, Request(constraints=(first, last)))
    middle = PoseAt(time=1.0, pose=takes[0][40:41])
    with pytest.raises(BadRequest, match="has no natural end: give seconds or frames"):
        synthesize(model, Request(constraints=(first, middle, last), options={"route": "most_probable"}))


def test_cheapest_ways_repeat_textons_as_sampled(model, takes):
    """A texton that nearly always follows itself makes the way longer."""
    often = dataclasses.replace(model, counts=model.counts + 30 * np.eye(len(model.counts)))
    request = Request(constraints=ends(takes), options={"route": "most_probable"})
    few, many = (
        np.mean([len(m.plan(request, np.random.default_rng(s)).pieces) for s in range(8)]) for m in (model, often)
    )
    assert many > few + 2


@pytest.mark.parametrize("seconds", [4, 7.3])
def test_the_path_of_a_choreography_says_what_part_of_its_segments_it_plays(model, takes, seconds):
    plan = model.plan(Request(seconds=seconds, constraints=ends(takes)), np.random.default_rng(0))
    words = write_path(model.segments, plan)
    again = plan_path(model.walk(Options(), np.random.default_rng(9)), words, None)
    assert "@" in words[0]  # it starts inside a segment
    assert write_path(model.segments, again) == words
    assert sum(p.length for p in again.pieces) == sum(p.length for p in plan.pieces)
    assert again.pieces[0].span[0] == plan.pieces[0].span[0]


def test_a_written_part_of_a_segment_is_played_and_its_origin_named(model, rng):
    k = max(range(len(model.observed)), key=lambda k: model.observed[k].length)
    seen = model.observed[k]
    name = model.segments.name(k)
    plan = plan_path(model.walk(Options(), rng), [f"{name}@0.2..0.7"], None)
    assert (plan.pieces[0].span, plan.frames) == ((6, 21), 15)
    assert_array_equal(plan.pieces[0].keys.turns, seen.frames.turns[6:8])
    made = model.synthesizer.piece_frames(plan.pieces[0], None, rng, noise=0.0)
    assert_allclose(made.turns, seen.frames.turns[6:21], atol=1e-4)
    clip = synthesize(model, Request(options={"path": [f"{name}@0.2..0.7"]}))
    which, frames = clip.origin.main()
    assert clip.origin.sources[which[0]].name == seen.source
    assert (seen.pace, frames[0]) == (2.0, seen.frame + 12)  # the takes were made at 60 fps
    for wrong in (f"{name}@0.2..0.25", f"{name}@99", f"{name}@..99"):
        with pytest.raises(BadRequest, match="expected a part of the"):
            read_path(model.segments, [wrong], model.may_follow)


def test_segments_say_every_frame_of_their_clip(model, takes):
    for take in {o.source for o in model.observed}:
        own = [o for o in model.observed if o.source == take]
        assert sum(o.covers for o in own) == sum(len(t) for t in takes if t.name == take)


def test_far_joins_of_a_written_path_are_warned_of_with_their_distance(model, rng):
    joins = model.joins(Options())
    far = np.where(model.follows(Options())[np.ix_(model.textons_of, model.textons_of)], joins.distance, 0.0)
    a, b = np.unravel_index(int(far.argmax()), far.shape)
    assert far[a, b] > joins.limit
    words = [model.segments.name(int(a)), model.segments.name(int(b))]
    said = plan_path(model.walk(Options(), rng), words, None).notes
    assert any(
        f"{words[0]} and {words[1]} (places 0 and 1 of the path) are {100 * far[a, b]:.1f} cm apart" in s.text
        for s in said
    )
    near = np.where(joins.distance < 1e-6)
    words = [model.segments.name(int(near[0][0])), model.segments.name(int(near[1][0]))]
    assert plan_path(model.walk(Options(), rng), words, None).notes == ()
    start = max(range(len(model.observed)), key=lambda k: model.observed[k].length)
    tight = Options(unseen_limit=1e-4)
    with pytest.raises(NoPath, match=r"is left [\d.]+ cm from where .* begins .*the option `unseen_limit`"):
        plan_path(model.walk(tight, rng), [f"{model.segments.name(start)}@..0.4", words[0]], None)


def test_slow_noise_has_unit_variance_and_changes_slowly(rng):
    slow = slow_noise((400, 300), 6.0, rng)
    assert_allclose(slow.std(), 1.0, atol=0.03)
    along = (slow[:-6] * slow[6:]).mean()
    assert_allclose(along, np.exp(-0.25), atol=0.03)  # the Gaussian with itself, one deviation apart
    same = np.random.default_rng(1).standard_normal((5, 3))
    assert_array_equal(slow_noise((5, 3), 0.0, np.random.default_rng(1)), same)


def test_swaying_noise_makes_motion_newer_at_no_more_jerk(model):
    plan = model.plan(Request(seconds=12), np.random.default_rng(0))

    def made(**given):
        return model.render_uncleaned(plan, np.random.default_rng(1), Options(drive_variation=0.0, **given)).rotations

    still = made(noise=0.0)
    white, slow = (made(noise=0.2, noise_time=sway) for sway in (0.0, 0.2))
    away = [np.abs(x - still).mean() for x in (white, slow)]
    jerk = [np.abs(np.diff(x - still, n=3, axis=0)).mean() for x in (white, slow)]
    assert away[1] > 2 * away[0]
    assert jerk[1] / away[1] < 0.5 * jerk[0] / away[0]


def test_noise_beside_an_observed_drive_makes_no_acceleration_jump_where_textons_meet(model):
    plan = model.plan(Request(seconds=12), np.random.default_rng(0))

    def made(noise):
        options = Options(drive_variation=0.0, noise=noise)
        return model.render_uncleaned(plan, np.random.default_rng(1), options).rotations

    bends = np.abs(np.diff(made(0.5) - made(0.0), n=2, axis=0)).mean((1, 2))  # of what noise adds, frame by frame
    starts = np.cumsum([p.length for p in plan.pieces])
    assert bends[starts[starts < len(bends)] - 1].mean() < 0.2 * bends.mean()


def test_noise_is_less_for_legs_as_feet_have_to_stand(model, monkeypatch):
    synthesizer, piece = model.synthesizer, piece_of(model.segments, 0)

    def turns(noise):
        return synthesizer.piece_frames(piece, None, np.random.default_rng(1), noise=noise, noise_time=0.5).turns

    made, legs = turns(0.5), synthesizer._legs
    monkeypatch.setattr(synthesis, "LEG_SHARE", 1.0)
    assert_allclose(made[:, legs], turns(0.4 * 0.5)[:, legs], atol=1e-12)
    rest = np.setdiff1d(np.arange(len(model.skeleton)), legs)
    assert_allclose(made[:, rest], turns(0.5)[:, rest], atol=1e-12)


def test_feet_that_go_farther_than_observed_step_higher_but_not_where_they_stand(takes):
    clip = takes[2]
    parts = 4
    slip = np.zeros((len(clip), parts, 2))
    none = np.zeros((len(clip), parts), bool)
    more = higher_steps(clip, Footing(none, slip, np.zeros(none.shape)))
    assert 0 < more.max() <= MAX_EXTRA_STEP
    fast = Footing(none, slip + 1.0, np.zeros(none.shape))  # as if they had been much faster
    assert_array_equal(higher_steps(clip, fast), 0)
    assert_array_equal(higher_steps(clip, Footing(~none, slip, np.zeros(none.shape))), 0)
    assert STEP_GAIN > 0


def test_a_model_of_one_segment_is_reported(model):
    lone = dataclasses.replace(
        model,
        observed=model.observed[:1],
        counts=np.zeros_like(model.counts),
        gentle=np.ones((1, 1), bool),
    )
    with pytest.raises(NoPath, match=r"only one segment was found.*a `length_factor` above 1"):
        synthesize(lone, Request(seconds=60, options={"unseen_limit": 0.0}))


def test_the_most_probable_path_is_that_of_the_textons(model):
    """By M alone; dividing it by numbers of segments once led to paths of probability 0."""
    walk = model.walk(Options(route="most_probable"), np.random.default_rng(0))
    compared = 0
    for a in walk.joins.inside.tolist():
        for b in walk.joins.inside.tolist():
            start, goal = walk.piece(a), PoseGoal(None, walk.piece(b), Note(""))
            if start.texton == goal.on.texton:
                continue
            try:
                best = cheapest_path(walk.chances, start.texton, goal.on.texton)
            except NoPath:  # joins that were not seen lead there
                assert _most_probable(walk, start, goal)
                continue
            shown = [p.texton for p in _most_probable(walk, start, goal)]
            shown = [t for k, t in enumerate(shown) if not k or t != shown[k - 1]]  # repetitions are sampled
            assert [*shown, goal.on.texton] == best
            compared += 1
    assert compared


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_a_path_of_so_many_textons_is_the_best_of_all(count, rng):
    chances = rng.random((4, 4)) * (rng.random((4, 4)) < 0.8)
    chances /= np.maximum(chances.sum(1, keepdims=True), 1e-9)
    between = itertools.product(range(4), repeat=count - 2)
    every = {path: log_probability(chances, list(path)) for path in ((0, *inner, 3) for inner in between)}
    if max(every.values()) == -np.inf:
        with pytest.raises(NoPath, match=f"no path of {count} textons"):
            best_path(chances, 0, 3, count)
        return
    found = best_path(chances, 0, 3, count)
    assert len(found) == count
    assert log_probability(chances, found) == pytest.approx(max(every.values()))


def test_a_number_of_textons_can_be_requested(model):
    walk = model.walk(Options(route="most_probable", texton_count=4), np.random.default_rng(0))
    inside = walk.joins.inside.tolist()
    goals = [PoseGoal(None, walk.piece(b), Note("")) for b in inside]
    found = [_most_probable(walk, walk.piece(a), goal) for a in inside for goal in goals]
    assert {len(pieces) for pieces in found if pieces is not None} == {3}  # and the goal's own
