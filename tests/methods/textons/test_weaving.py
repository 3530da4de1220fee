"""Motion that never ends: blocks without seams, the same bits in any chunks, bounded memory."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from motionloom.constraints import Request
from motionloom.core import NoPath
from motionloom.core.clip import concatenate
from motionloom.kinematics.feet.contacts import foot_parts, part_positions, runs
from motionloom.kinematics.feet.windowed_cleanup import CleanupState, clean_windows
from motionloom.kinematics.fk import fk
from motionloom.methods.synthesis import rendered
from motionloom.methods.textons import Options
from motionloom.methods.textons.plan.pieces import observed_time
from motionloom.methods.textons.render.piece_clips import (
    MIN_BLOCK,
    GroundingState,
    ground_and_place,
    placed_clip,
    render_piece,
)
from motionloom.methods.textons.render.stream import split_clips, take_frames
from motionloom.rotation import angle_between


def streamed(model, frames, *, seed=0, size=None, **options):
    return take_frames(model.stream(np.random.default_rng(seed), Options(**options), frames=size), frames)


@pytest.fixture(scope="module")
def minute(model):
    return streamed(model, 60 * 30)


def test_the_same_frames_come_in_chunks_of_any_size(model, minute):
    for size in (7, 100, 641):
        again = streamed(model, len(minute), size=size)
        assert_array_equal(again.rotations, minute.rotations)
        assert_array_equal(again.root, minute.root)
        assert_array_equal(again.labels, minute.labels)


def test_chunks_are_as_long_as_asked_for(model):
    lengths = [len(c) for c in itertools.islice(model.stream(np.random.default_rng(0), frames=50), 20)]
    assert lengths == [50] * 20
    clips = list(itertools.islice(model.stream(np.random.default_rng(0)), 2))
    assert sum(len(c) for c in clips) == 480
    assert [len(c) for c in split_clips(iter(clips), 100)] == [100, 100, 100, 100, 80]


def test_no_seam_is_seen_where_one_block_becomes_the_next(model):
    blocks = list(itertools.islice(model.stream(np.random.default_rng(1)), 13))
    whole = concatenate(blocks)
    jolt = np.linalg.norm(np.diff(fk(whole), n=2, axis=0), axis=-1).max(1) * whole.fps**2
    turn = angle_between(whole.rotations[1:], whole.rotations[:-1]).max(1)
    borders = np.cumsum([len(b) for b in blocks])[:-1]

    def worst(values, starts):
        """The largest value in each stretch of 12 frames, on average: the block fades in over a quarter of a second."""
        return np.mean([values[s - 2 : s + 10].max() for s in starts])

    for values in (jolt, turn):
        elsewhere = [worst(values, borders - shift) for shift in range(20, 220, 20)]
        assert worst(values, borders) < 1.4 * np.mean(elsewhere)
    spoilt = fk(whole)
    for b in borders:
        spoilt[b:] += 0.03  # as a seam of three centimetres would be
    jolt = np.linalg.norm(np.diff(spoilt, n=2, axis=0), axis=-1).max(1) * whole.fps**2
    assert worst(jolt, borders) > 1.4 * np.mean([worst(jolt, borders - shift) for shift in range(20, 220, 20)])


def test_plants_stand_still_across_blocks(minute):
    points = part_positions(minute)
    for i, part in enumerate(foot_parts(minute.skeleton)):
        spans = runs(minute.label(part.label))
        assert spans
        assert max(np.ptp(points[a:b, i], axis=0).max() for a, b in spans) < 3e-4


def test_a_stream_neither_leaves_its_stage_nor_sinks(model):
    usual = []
    for seed in (3, 4, 5):
        long = streamed(model, 8 * 60 * 30, seed=seed, stage_radius=2.0)
        away = np.linalg.norm(long.root[:, [0, 2]], axis=1)
        assert away.max() < 8
        usual.append(np.median(away))
        assert np.abs(np.median(long.root[-3000:, 1]) - np.median(long.root[:3000, 1])) < 0.02
        assert (part_positions(long)[..., 1] - model.heights).min() > -0.05
    assert np.mean(usual) < 3  # of single streams 2 to 3.1


def test_what_a_stream_keeps_does_not_grow(model):
    rng = np.random.default_rng(0)
    walk = model.walk(Options(), rng)
    pieces = walk.endless()
    ground, cleanup, piece = GroundingState(), CleanupState(), next(pieces)
    kept = []
    for _ in range(300):
        raw, piece = render_piece(model.synthesizer, piece, next(pieces), rng, Options())
        ground, placed = ground_and_place(model.segments, ground, raw, walk.correct)
        if placed is not None:
            cleanup, _ = clean_windows(cleanup, placed_clip(model.segments, placed), model.heights)
        kept.append(
            (sum(len(r) for r in ground.held), 0 if cleanup.held is None else len(cleanup.held), len(walk.trail))
        )
    assert (np.max(kept, axis=0) < [8 * 30, 14 * 30, 12]).all()
    assert walk.visits.max() < 60


def test_a_request_of_some_seconds_is_the_plan_woven(model):
    request = Request(seconds=20)
    made = rendered(model, request, np.random.default_rng(4))[1]
    rng = np.random.default_rng(4)
    plan = model.plan(request, rng)
    streamed = take_frames(model.renderer.stream_clips(iter(plan.pieces), plan.rng(rng), Options()), 600)
    assert_allclose(made.rotations[:, 1:], streamed.rotations[:, 1:], atol=1e-12)  # it is placed by `synthesize`


def test_a_plan_says_where_the_motion_really_leads(model):
    """Grounding changes the travel of a segment; a plan that did not know would drift off its stage unseen."""
    request = Request(seconds=240, options={"stage_radius": 1.5})
    made = rendered(model, request, np.random.default_rng(2))[1]
    assert np.linalg.norm(made.root[:, [0, 2]], axis=1).max() < 6


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_a_piece_turns_as_far_as_its_segment_was_observed_to(model, noise):
    """Whatever noise and bent ends do to its poses: else nobody could say where a long motion leads."""
    options = Options(noise=noise)
    pieces = model.plan(Request(seconds=20), np.random.default_rng(1)).pieces
    for piece, following in itertools.pairwise(pieces):
        raw, _ = render_piece(model.synthesizer, piece, following, np.random.default_rng(2), options)
        turned = raw.frames.root[:, 2].sum() / model.fps
        first = piece.first
        rates = model.observed[piece.observed].frames.root[first : first + observed_time(model.segments, piece), 2]
        assert turned == pytest.approx(rates.sum() / model.fps, abs=1e-6)
        assert_allclose(raw.frames.root[:2, 2], piece.keys.root[:, 2], atol=1e-12)  # the key poses stay


def test_grounding_in_parts_is_grounding_as_a_whole(model):
    """Parts are grounded with a second on either side: what lies farther away has no say."""
    pieces = model.plan(Request(seconds=30), np.random.default_rng(0)).pieces
    parts = take_frames(model.renderer.uncleaned_clips(iter(pieces), np.random.default_rng(0), Options()), 900)
    assert GroundingState().block == MIN_BLOCK < 30
    ground = GroundingState(block=1e6)
    piece, rest, rng = pieces[0], iter(pieces[1:]), np.random.default_rng(0)
    while piece is not None:
        raw, piece = render_piece(model.synthesizer, piece, next(rest, None), rng, Options())
        ground, _ = ground_and_place(model.segments, ground, raw)
    clip = placed_clip(model.segments, ground_and_place(model.segments, ground, None)[1])
    assert_allclose(parts.root, clip[:900].root, atol=2e-3)
    assert_allclose(fk(parts), fk(clip[:900]), atol=5e-3)


def test_free_ends_go_on_where_the_texton_led_and_stay_bounded(model):
    clip = streamed(model, 900, ends="free", drive="noise", noise=0.5)
    turn = angle_between(clip.rotations[1:], clip.rotations[:-1]).max()
    seen = max(angle_between(o.frames.turns[1:], o.frames.turns[:-1]).max() for o in model.observed)
    assert turn < 3 * seen
    met = streamed(model, 900)
    assert np.abs(clip.rotations - met.rotations).max() > 0.1


def test_a_motion_that_must_end_says_where(model):
    lonely = dataclasses.replace(model, counts=np.zeros_like(model.counts))  # as if nothing ever followed anything
    with pytest.raises(NoPath, match="nothing ever followed texton"):
        next(lonely.stream(np.random.default_rng(0), Options(unseen_limit=0.0)))
    with pytest.raises(NoPath, match=r"nothing ever followed texton .* after \d+\.\d s") as caught:
        rendered(lonely, Request(seconds=60, options={"unseen_limit": 0.0}), np.random.default_rng(0))[1]
    assert len(caught.value.best) >= 15  # what there is of it
