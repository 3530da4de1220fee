"""Editing what textons make: written paths, textons swapped, inserted and deleted, and poses changed inside them."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motionloom import samples
from motionloom.constraints import PoseAt, Request
from motionloom.core import BadRequest, NoPath, UnsupportedConstraint, replace
from motionloom.kinematics.local_frames import pose_distance
from motionloom.kinematics.resample import resample
from motionloom.methods import learn, synthesize
from motionloom.methods.textons import Options
from motionloom.methods.textons.plan.edit import delete_texton, edit_choices, insert_texton, swap_texton
from motionloom.methods.textons.plan.joins import keys_distance
from motionloom.methods.textons.plan.notation import check_path, plan_path, read_path, write_path
from motionloom.methods.textons.plan.pieces import MIN_FRAMES, piece_of, plan_of, with_hard
from motionloom.methods.textons.render.edit_pose import MAX_SPREADS, distance_to_texton, edit_pose
from motionloom.rotation import angle_between, from_euler, multiply

WHOLE = Request(seconds=7)


@pytest.fixture(scope="module")
def model():
    takes = [
        resample(samples.make(name, seconds=8, seed=seed), 30)
        for name, seed in (("dance", 0), ("dance", 1), ("walk", 2))
    ]
    return learn("textons", takes, {"fps": 30.0, "shortest": 0.5, "tolerance": 0.7})


@pytest.fixture(scope="module")
def pair(model):
    """Two textons of which the second may follow the first, and one that may not."""
    for a, b in np.argwhere(model.may_follow):
        never = np.flatnonzero(~model.may_follow[a])
        if a != b and len(never):
            return int(a), int(b), int(never[0])
    raise AssertionError("this model has no such pair")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def some_pose(model, frame, degrees):
    """The frame's pose with both upper arms raised by an angle, as a constraint at its own time."""
    return PoseAt(time=0.0, pose=raised(model, frame, degrees))


def raised(model, frame, degrees):
    from motionloom.kinematics.local_frames import restore

    clip = restore(frame, model.skeleton, model.fps)
    turns = clip.rotations.copy()
    for side in ("left", "right"):
        j = model.skeleton.joint(f"{side}_upper_arm")
        turns[:, j] = multiply(turns[:, j], from_euler(np.radians([0.0, 0.0, degrees]), "xyz"))
    return replace(clip, rotations=turns)


def test_a_path_says_texton_segment_and_length_and_is_written_back_the_same(model, pair, rng):
    a, b, _ = pair
    words = [f"{a}#0", f"{b}#0=1.2"]
    plan = plan_path(model.walk(Options(), rng), words, None)
    assert plan.path == [a, b]
    assert [p.length for p in plan.pieces] == [model.observed[model.of_texton(a)[0]].length, 36]
    assert write_path(model.segments, plan) == words
    assert plan.frames == plan.pieces[0].length + 36


def test_segments_that_are_not_named_meet_those_that_follow(model, rng):
    """Texton a is written alone before b#k: of its segments, the one that b#k followed in the clips is taken."""
    segments = model.segments
    apart = [keys_distance(segments[k].after, segments[k + 1].keys, segments) for k in range(len(segments) - 1)]
    shared = [len(segments.of_texton(int(t))) > 1 for t in segments.textons]
    pairs = [(k, k + 1) for k, metres in enumerate(apart) if metres < 1e-6 and shared[k]]
    assert len(pairs) > 3
    for before, after in pairs:
        words = [str(segments.textons[before]), segments.name(after)]
        plan = plan_path(model.walk(Options(), rng), words, None)
        assert keys_distance(plan.pieces[0].after, plan.pieces[1].keys, segments) < 1e-6


def test_a_path_may_be_fitted_to_a_length(model, pair, rng):
    plan = plan_path(model.walk(Options(), rng), [str(t) for t in pair[:2]], 50)
    assert sum(p.length for p in plan.pieces) == plan.frames == 50
    with pytest.raises(BadRequest, match="2 textons need at least 8 frames, found 7"):
        plan_path(model.walk(Options(), rng), [str(t) for t in pair[:2]], 7)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("x", r"options.path\[0\]: expected a texton, as 7, 7#1, 7#1=2.5 or 7#1@0.5..1.2, found 'x'"),
        ("-1", r"options.path\[0\]: expected a texton"),
        ("999", r"there is no texton 999; there are 0 to \d+"),
        ("0#999", r"texton 0 has (one segment, 0|segments 0 to \d+); found '0#999'"),
        ("0=0.01", r"a texton lasts at least 4 frames, found '0=0.01'"),
    ],
)
def test_what_is_no_texton_is_refused(model, word, said):
    with pytest.raises(BadRequest, match=said):
        read_path(model.segments, [word], model.may_follow)


def test_a_transition_that_was_never_seen_is_named_with_what_may_come_instead(model, pair):
    a, b, never = pair
    check_path(model.may_follow, [a, b])
    said = rf"texton {a} was never followed by texton {never} in the clips.* \(places 0 and 1 of the path\); "
    with pytest.raises(NoPath, match=said + rf"after {a} may come .*\b{b}\b") as found:
        check_path(model.may_follow, [a, never])
    bridges = [t for t in range(len(model.textons)) if model.may_follow[a, t] and model.may_follow[t, never]]
    assert ("may stand between them" in str(found.value)) == bool(bridges)


def test_swapping_inserting_and_deleting_leave_the_other_textons_as_they_are(model, rng):
    plan = plan_of(model.plan(WHOLE, np.random.default_rng(1)).pieces)
    for k, may in enumerate(edit_choices(plan.path, model.may_follow, model.counts)):
        around = (*plan.pieces[:k], *plan.pieces[k + 1 :])
        for texton in may.swap:
            swapped = swap_texton(model.walk(Options(), rng), plan, k, texton)
            assert swapped.path[k] == texton
            assert (*swapped.pieces[:k], *swapped.pieces[k + 1 :]) == around
        for texton in may.insert:
            more = insert_texton(model.walk(Options(), rng), plan, k + 1, texton)
            assert more.path == [*plan.path[: k + 1], texton, *plan.path[k + 1 :]]
            assert more.frames == plan.frames + more.pieces[k + 1].length
        if may.delete:
            assert delete_texton(model.walk(Options(), rng), plan, k).pieces == around


def test_plans_between_poses_are_edited_though_poses_cut_textons_that_never_follow_themselves(model, rng):
    for k in model.joins(Options()).inside:
        seen = model.observed[k]
        if not model.may_follow[seen.texton, seen.texton] and seen.length > 20:
            break
    pose = PoseAt(time="end", pose=raised(model, seen.frames[10:11], 0))
    start = PoseAt(time=0.0, pose=raised(model, model.observed[model.joins(Options()).inside[0]].frames[:1], 0))
    plan = model.plan(Request(seconds=6, constraints=(start, pose)), np.random.default_rng(0))
    assert plan.path[-2:] == [seen.texton, seen.texton]  # what leads to the pose, and what goes on from it
    first = plan.path[0]
    assert swap_texton(model.walk(Options(), rng), plan, 0, first).path == plan.path
    assert delete_texton(model.walk(Options(), rng), plan, 0).pieces == plan.pieces[1:]
    with pytest.raises(NoPath, match="was never followed by"):
        swap_texton(model.walk(Options(), rng), plan, len(plan.pieces) - 1, seen.texton)


def test_what_choices_do_not_offer_is_refused(model, rng):
    plan = plan_of(model.plan(WHOLE, np.random.default_rng(1)).pieces)
    every = set(range(len(model.textons)))
    for k, may in enumerate(edit_choices(plan.path, model.may_follow, model.counts)):
        for texton in every - set(may.swap) - {plan.path[k]}:
            with pytest.raises(NoPath, match="was never followed by"):
                swap_texton(model.walk(Options(), rng), plan, k, texton)
        for texton in every - set(may.insert):
            with pytest.raises(NoPath, match="was never followed by"):
                insert_texton(model.walk(Options(), rng), plan, k + 1, texton)
        if not may.delete:
            with pytest.raises(NoPath, match="was never followed by"):
                delete_texton(model.walk(Options(), rng), plan, k)
    with pytest.raises(BadRequest, match="there is no place 99"):
        delete_texton(model.walk(Options(), rng), plan, 99)


def test_a_request_with_a_path_ends_where_the_path_ends(model, pair):
    a, b, _ = pair
    clip = synthesize(model, Request.from_yaml(f"{{options: {{path: [{a}#0, {b}#0]}}}}"))
    assert len(clip) == sum(model.observed[model.of_texton(t)[0]].length for t in (a, b))
    assert f"path: [{a}#0, {b}#0]" in [note.text for note in clip.origin.notes]
    with pytest.raises(UnsupportedConstraint, match="a root_at can only be at time 0"):
        synthesize(
            model,
            Request.from_yaml(f"{{options: {{path: [{a}]}}, constraints: [root_at: {{time: 0.3, heading: 0deg}}]}}"),
        )


def test_the_path_that_a_clip_names_makes_the_same_dance_again(model):
    made = synthesize(model, Request(seconds=6, options={"noise": 0.0, "key_variation": "0deg", "drive_variation": 0}))
    [path] = [n.text for n in made.origin.notes if n.topic == "path"]
    again = synthesize(
        model, Request.from_yaml(f"{{options: {{noise: 0, key_variation: 0deg, drive_variation: 0, {path}}}}}"), seed=7
    )
    last = made.seconds - 1.0  # the first take ends inside its last texton
    frames = round(last * 30)
    raw = [c.rotations[:frames, 3:] for c in (made, again)]
    assert np.median(angle_between(*raw)) < 1e-6


def test_a_pose_in_a_written_path_bends_its_texton_and_no_other(model, rng):
    plan = model.plan(Request(seconds=6), np.random.default_rng(1))
    middle = plan.pieces[0].length + plan.pieces[1].length // 2
    was = [model.synthesizer.piece_frames(a, b, rng, noise=0.0) for a, b in itertools.pairwise(plan.pieces)]
    t = middle - plan.pieces[0].length
    wanted = some_pose(model, was[1][t : t + 1], 20)
    edited = edit_pose(model.synthesizer, plan, middle, wanted)
    now = [model.synthesizer.piece_frames(a, b, rng, noise=0.0) for a, b in itertools.pairwise(edited.pieces)]
    assert np.abs(now[0].turns - was[0].turns).max() == 0
    assert np.abs(now[2].turns - was[2].turns).max() == 0
    joints, rotations, _ = wanted.target(model.skeleton)
    arm = [k for k, j in enumerate(joints) if j]
    assert angle_between(now[1].turns[t, joints], rotations)[arm].max() < 1e-6
    step = [angle_between(f.turns[1:], f.turns[:-1]).max() for f in (was[1], now[1])]
    assert step[1] < 2 * step[0]


def test_a_pose_beside_key_poses_takes_them_along(model, rng):
    plan = model.plan(Request(seconds=6), np.random.default_rng(1))
    start = plan.pieces[0].length
    for frame in (start - 1, start, start + 1):
        k, t = (0, start - 1) if frame < start else (1, frame - start)
        was = model.synthesizer.piece_frames(plan.pieces[k], plan.pieces[k + 1], rng, noise=0.0)
        edited = edit_pose(model.synthesizer, plan, frame, some_pose(model, was[t : t + 1], 25))
        clip = model.render_uncleaned(edited, np.random.default_rng(0), noise=0.0)
        plain = model.render_uncleaned(plan, np.random.default_rng(0), noise=0.0)
        j = model.skeleton.joint("left_upper_arm")
        assert angle_between(clip.rotations[frame, j], plain.rotations[frame, j]) > np.radians(24)
        near = slice(frame - 6, frame + 6)
        steps = [angle_between(c.rotations[1:, j], c.rotations[:-1, j])[near].max() for c in (plain, clip)]
        assert steps[1] < steps[0] + np.radians(8)  # whipped back within a frame it would be 25


def test_poses_at_both_ends_of_a_written_path_are_met(model, pair):
    a, b, _ = pair
    asked = Request.from_yaml(f"{{options: {{path: [{a}#0, {b}#0]}}}}")
    seen = model.observed[model.of_texton(a)[0]].frames
    first = PoseAt(time=0.0, pose=raised(model, seen[3:4], 15))
    last = PoseAt(time="end", pose=raised(model, seen[5:6], 15))
    clip = synthesize(model, Request(options=asked.options, constraints=(first, last)))
    assert first.met(clip)
    assert last.met(clip)
    assert sum("bends texton" in str(n) for n in clip.origin.notes) == 2


def test_a_frame_of_a_texton_lies_at_no_distance_from_it_and_a_mean_frame_within_one_spread(model):
    texton = max(range(len(model.textons)), key=lambda i: len(model.of_texton(i)))
    seen = model.observed[model.of_texton(texton)[0]].frames
    own = distance_to_texton(model.synthesizer.charts, texton, seen[4:5])
    assert_allclose((own.spreads, own.metres, own.turn), 0.0, atol=1e-6)
    far = [
        distance_to_texton(model.synthesizer.charts, texton, _arms(model, seen[4:5], d)).spreads for d in (10, 40, 120)
    ]
    assert 0 < far[0] < far[1] < far[2]
    assert far[2] > MAX_SPREADS


def _arms(model, frame, degrees):
    from motionloom.kinematics.local_frames import observe

    clip = raised(model, frame, degrees)
    out = observe(clip)
    return type(out)(out.turns, frame.root)


def test_a_pose_far_outside_is_warned_of_with_its_distance(model, rng):
    plan = plan_of([piece_of(model.segments, 0)])
    t = plan.frames // 2
    was = model.synthesizer.piece_frames(plan.pieces[0], None, rng, noise=0.0)[t : t + 1]
    near = edit_pose(model.synthesizer, plan, t, some_pose(model, was, 3)).notes[-1].text
    far = edit_pose(model.synthesizer, plan, t, some_pose(model, was, 120)).notes[-1].text
    assert re.search(r"bends texton \d+ by \d+ cm, to 0\.\d\d spreads", near)
    assert "unnatural" not in near
    assert re.search(r"to \d+\.\d\d spreads of it \(\d+ cm\) from its nearest frame: far outside \(above 1\)", far)


def test_one_joint_turned_as_it_never_is_there_is_warned_of_by_name(model, rng):
    from motionloom.kinematics.local_frames import restore

    plan = plan_of([piece_of(model.segments, 0)])
    t = plan.frames // 2
    was = model.synthesizer.piece_frames(plan.pieces[0], None, rng, noise=0.0)[t : t + 1]
    clip = restore(was, model.skeleton, model.fps)
    turns, hand = clip.rotations.copy(), model.skeleton.joint("left_hand")
    turns[:, hand] = multiply(turns[:, hand], from_euler(np.radians([0.0, 0.0, 100.0]), "xyz"))
    pose = PoseAt(time=0.0, pose=replace(clip, rotations=turns))
    said = edit_pose(model.synthesizer, plan, t, pose).notes[-1].text
    assert re.search(rf"{model.skeleton.names[hand]} is \d+deg from all its rotations there", said)


def test_the_first_two_frames_of_a_piece_can_be_hard_too(model, rng):
    piece = piece_of(model.segments, 0)
    seen = model.observed[0].frames
    made = model.synthesizer.piece_frames(with_hard(piece, {0: seen[2:3]}), None, rng, noise=0.0)
    assert pose_distance(made[:1], seen[2:3], model.skeleton)[0, 0] < 1e-3
    with pytest.raises(BadRequest, match="is not inside this texton"):
        with_hard(piece, {piece.length: seen[2:3]})


def test_choreography_says_how_far_its_poses_were_from_key_poses(model):
    poses = tuple(PoseAt(time=t, pose=raised(model, model.observed[0].frames[9:10], 5)) for t in (0.0, "end"))
    notes = synthesize(model, Request(seconds=5, constraints=poses)).origin.notes
    assert (
        sum(
            bool(re.search(r"the nearest pose \(.*texton \d+, frame \d+ of .*\) is \d+ cm away", n.text)) for n in notes
        )
        == 2
    )


def test_a_pose_of_a_clip_is_found_where_it_was_and_its_texton_cut_there(model):
    longest = max(model.joins(Options()).inside, key=lambda k: model.observed[k].length)
    seen = model.observed[longest]
    at = seen.length // 2
    frame = at // 2  # of the result: its own segment is long enough to lead there
    pose = PoseAt(time=frame / 30, pose=raised(model, seen.frames[at : at + 1], 0))
    for joins in ("anywhere", "ends"):
        asked = Request(seconds=4, constraints=(pose,), options={"joins": joins})
        plan = model.plan(asked, np.random.default_rng(0))
        assert "is 0 cm away" in plan.notes[0].text
        lead, on = plan.pieces[:2]
        assert (lead.observed, lead.span, lead.length) == (longest, (at - frame, at), frame)
        assert (on.observed, on.span[0], on.length) == (longest, at, on.span[1] - at)
        assert on.span[1] == seen.length or (joins == "anywhere" and MIN_FRAMES <= on.length < seen.length - at)
    made = model.synthesizer.piece_frames(lead, on, np.random.default_rng(0), noise=0.0)
    assert np.median(angle_between(made.turns, seen.frames.turns[at - frame : at])) < np.radians(0.5)
    on_made = model.synthesizer.piece_frames(on, None, np.random.default_rng(0), noise=0.0)
    assert np.median(angle_between(on_made.turns, seen.frames.turns[at : seen.length])) < np.radians(0.5)


def test_choreography_between_poses_of_clips_keeps_to_the_pace_of_its_textons(model):
    inside = model.joins(Options()).inside
    poses = [model.observed[k].frames[8:9] for k in (inside[0], inside[-1])]
    asked = tuple(PoseAt(time=t, pose=raised(model, f, 0)) for t, f in zip((0.0, "end"), poses, strict=True))
    plan = model.plan(Request(seconds=8, constraints=asked), np.random.default_rng(0))
    usual = [model.observed[p.observed].length if p.span is None else p.span[1] - p.span[0] for p in plan.pieces[:-1]]
    made = [p.length for p in plan.pieces[:-1]]
    assert sum(made) == 8 * 30 - 1
    assert 1 / 1.2 < sum(made) / sum(usual) < 1.2
