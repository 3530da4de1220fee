"""Learning textons from clips, and making motion with them."""

from __future__ import annotations

import dataclasses
import itertools
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motionloom import samples
from motionloom.constraints import PoseAt, Request
from motionloom.core import BadRequest, Clip, NoPath, Skeleton, replace, with_labels
from motionloom.io import load, stroke_clip
from motionloom.kinematics.channels.metric import change_base, fit_metric_space, from_coordinates, to_coordinates
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.kinematics.fk import fk
from motionloom.kinematics.local_frames import joined, observe, pose_distance, restore
from motionloom.kinematics.resample import resample
from motionloom.methods import learn, load_model, save_model, synthesize
from motionloom.methods.synthesis import rendered
from motionloom.methods.textons import Config, Options
from motionloom.methods.textons.fit import learning_settings
from motionloom.methods.textons.learn.em import learn as learn_textons
from motionloom.methods.textons.learn.em import objective
from motionloom.methods.textons.learn.lds import parameter_count
from motionloom.methods.textons.learn.segmentation import segment_all
from motionloom.methods.textons.learn.selection import criterion, recurring_textons
from motionloom.methods.textons.learn.training_data import LearningSettings, TrainingData
from motionloom.methods.textons.segments import Segment
from motionloom.rotation import angle_between

CONFIG = {"fps": 30.0, "shortest": 0.5, "tolerance": 0.7}


def test_observing_and_restoring_a_clip_gives_it_back(takes):
    clip = takes[0]
    again = restore(observe(clip), clip.skeleton, clip.fps)
    from motionloom.kinematics.travel import placed

    assert_allclose(fk(placed(again)), fk(placed(clip)), atol=1e-9)


def test_coordinates_and_frames_undo_each_other_in_any_chart(takes, rng):
    frames = observe(takes[0])
    space = fit_metric_space(frames, takes[0].skeleton)
    wild = type(space)(space.base, space.scale, np.arange(len(space.base)) % 3 == 0, space.moving, space.still)
    base = frames.turns[17]
    for s, b in ((space, None), (wild, base)):
        again = from_coordinates(to_coordinates(frames, s, b), s, b)
        moving = space.moving[: 3 * len(base)].reshape(-1, 3).all(1)
        assert angle_between(again.turns, frames.turns)[:, moving].max() < 1e-6
        assert_allclose(again.root[:, :2], frames.root[:, :2], atol=1e-9)


def test_charting_only_the_wild_joints_is_the_same_as_charting_all(takes):
    frames = observe(takes[0])
    plain = fit_metric_space(frames, takes[0].skeleton)
    wild = np.zeros(len(plain.base), bool)
    wild[[3, 8]] = True
    moving = plain.moving.copy()
    moving[: 3 * len(wild)] |= np.repeat(wild, 3)
    space = type(plain)(plain.base, plain.scale, wild, moving, plain.still)
    base = plain.base.copy()
    base[wild] = frames.turns[5][wild]
    assert_allclose(
        change_base(to_coordinates(frames, space), frames, space, base), to_coordinates(frames, space, base), atol=1e-12
    )


def test_learning_never_lowers_its_objective_and_is_deterministic(takes):
    frames = [observe(t) for t in takes]
    from motionloom.kinematics.local_frames import joined

    material = TrainingData(frames, fit_metric_space(joined(frames), takes[0].skeleton))
    rules = LearningSettings(15, 0.98, 15, 0.5, 0.1, 8)
    learnt = learn_textons(material, rules)
    assert len(learnt.history) >= 4
    assert np.diff(learnt.history).min() > -1e-6 * abs(learnt.history[-1])
    again = learn_textons(material, rules)
    assert again.history == learnt.history
    segments, _ = segment_all(material, learnt.textons, learnt.transitions, rules.shortest)
    best = objective(material, learnt.textons, segments, learnt.transitions, rules)
    assert best >= objective(material, learnt.textons, learnt.segments, learnt.transitions, rules) - 1e-6


def test_segments_cover_every_clip_and_end_at_its_ends(model, takes):
    for i, take in enumerate(takes):
        assert any(o.source == take.name for o in model.observed), i
    assert all(o.length >= round(0.5 * 30) - 2 for o in model.observed)
    assert model.counts.sum() == len(model.observed) - len(takes)


def test_a_texton_and_the_next_meet_exactly_at_the_key_poses(model):
    rng = np.random.default_rng(3)
    plan = model.plan(Request(seconds=8), rng)
    for piece, following in zip(plan.pieces, plan.pieces[1:], strict=False):
        made = model.synthesizer.piece_frames(piece, following, rng, noise=1.0)
        assert pose_distance(made[:1], piece.keys[:1], model.skeleton)[0, 0] < 2e-3
    clip = model.render_uncleaned(plan, np.random.default_rng(3))
    turn = angle_between(clip.rotations[1:], clip.rotations[:-1]).max()
    seen = max(angle_between(o.frames.turns[1:], o.frames.turns[:-1]).max() for o in model.observed)
    assert turn < 1.5 * seen


def test_a_texton_driven_as_observed_between_its_own_ends_is_the_observed_segment(model):
    from motionloom.methods.textons.plan.pieces import piece_of

    for k in range(0, len(model.observed), 3):
        made = model.synthesizer.piece_frames(piece_of(model.segments, k), None, np.random.default_rng(0), noise=0.0)
        apart = np.diag(pose_distance(made, model.observed[k].frames[: len(made)], model.skeleton))
        assert apart.max() < 0.01


def test_more_noise_means_more_variety(model):
    plan = model.plan(Request(seconds=6), np.random.default_rng(0))
    still = fk(model.render_uncleaned(plan, np.random.default_rng(1), noise=0.0))
    far = [
        np.abs(fk(model.render_uncleaned(plan, np.random.default_rng(1), noise=n)) - still).mean()
        for n in (0.1, 0.5, 1.0)
    ]
    assert far[0] < far[1] < far[2]


def test_any_length_comes_out_exactly(model):
    for seconds in (1.0, 3.3, 20.0):
        assert len(synthesize(model, Request(seconds=seconds))) == round(seconds * 30)


def test_choreography_between_a_first_and_a_last_pose(model, takes):
    first, last = PoseAt(time=0.0, pose=takes[0][10:11]), PoseAt(time="end", pose=takes[1][120:121])
    clip = synthesize(model, Request(seconds=6, constraints=(first, last)), seed=2)
    assert len(clip) == 180
    assert first.met(clip)
    assert last.met(clip)


def test_the_cheapest_way_between_poses_is_another_way_to_get_there(model, takes):
    first, last = PoseAt(time=0.0, pose=takes[0][10:11]), PoseAt(time="end", pose=takes[1][120:121])
    request = Request(seconds=6, constraints=(first, last), options={"route": "most_probable"})
    clip = synthesize(model, request, seed=2)
    assert last.met(clip)
    plan = model.plan(request, np.random.default_rng(0))
    joins = model.joins(model.options(request))
    path = [p.observed for p in plan.pieces]
    assert all(joins.allowed[a, b] or model.textons_of[a] == model.textons_of[b] for a, b in itertools.pairwise(path))
    assert not any("rushed" in note.text for note in plan.notes)
    hurried = model.plan(dataclasses.replace(request, seconds=0.4), np.random.default_rng(0))
    assert any("the motion is rushed" in note.text for note in hurried.notes)


def test_two_poses_that_no_path_joins_are_refused(model, takes):
    lonely = dataclasses.replace(model, counts=np.zeros_like(model.counts))  # as if nothing ever followed anything
    poses = [PoseAt(time=t, pose=takes[k][40:41]) for t, k in ((0.0, 2), ("end", 0))]
    request = Request(seconds=5, constraints=tuple(poses), options={"unseen_limit": 0.0})
    with pytest.raises(
        NoPath, match=r"no path leads from texton \d+ to texton \d+ in these clips: no join that was seen"
    ):
        lonely.plan(request, np.random.default_rng(0))


def test_a_long_motion_stays_on_its_stage_and_on_the_floor(model):
    clip = rendered(model, Request(seconds=60, options={"stage_radius": 2.0}), np.random.default_rng(5))[1]
    assert np.linalg.norm(clip.root[:, [0, 2]] - clip.root[0, [0, 2]], axis=1).max() < 8
    assert fk(clip)[..., 1].min() > -0.15


def test_a_saved_model_makes_the_same_motion(model, tmp_path):
    save_model(model, tmp_path / "m.loom")
    again = load_model(tmp_path / "m.loom")
    assert_allclose(fk(synthesize(again, Request(seconds=3))), fk(synthesize(model, Request(seconds=3))), atol=0)


def test_pen_strokes_go_through_the_same_code():
    t = np.arange(400) / 100
    loops = [
        stroke_clip(np.stack([0.05 * np.cos(7 * t + p) + 0.02 * t, 0.05 * np.sin(7 * t + p)], 1), 100.0, name=f"s{p}")
        for p in (0, 1)
    ]
    model = learn("textons", loops, {"fps": 100.0, "shortest": 0.4})
    assert synthesize(model, Request(seconds=2)).seconds == 2


def test_notes_count_one_texton_as_one_and_small_things_in_millimetres():
    t = np.arange(300) / 100
    stroke = stroke_clip(np.stack([0.01 * np.cos(6 * t), 0.01 * np.sin(6 * t)], 1), 100.0)
    model = learn("textons", [stroke], {"fps": 100.0, "shortest": 1.0, "tolerance": 5.0})
    assert re.search(
        r"^1 texton in \d+ segments? of \d+ to \d+ frames; .* nearer than [\d.]+ mm, and ", model.notes[-1].text
    )


def test_labels_of_hands_that_touch_are_no_feet(takes):
    hands = {"contact:left_hand": np.ones(len(takes[0]), bool)}
    model = learn("textons", [with_labels(c, hands if c is takes[0] else {}) for c in takes], CONFIG)
    assert model.contact_names == tuple(p.label for p in foot_parts(model.skeleton))
    assert len(synthesize(model, Request(seconds=3))) == 90


def test_clips_that_are_too_short_are_refused(takes):
    with pytest.raises(BadRequest, match=r"lasts 0\.\d+ s; textons of at least 0.5 s need clips of at least 1 s"):
        learn("textons", [takes[0][:20]], CONFIG)


def test_no_more_textons_than_asked_for(takes):
    model = learn("textons", takes, {**CONFIG, "textons": 4})
    assert 1 <= len(model.textons) <= 4
    assert any(note.text.startswith("4 textons requested") for note in model.notes)


def test_more_textons_than_the_clips_can_hold_are_refused(takes):
    with pytest.raises(BadRequest, match=r"99 textons were requested, but .* contain at most \d+ segments of 15"):
        learn("textons", takes, {**CONFIG, "textons": 99})


def test_clips_in_which_nothing_moves_are_refused(takes):
    still = takes[0][np.zeros(60, int)]
    with pytest.raises(BadRequest, match="nothing moves"):
        learn("textons", [still], CONFIG)


@pytest.fixture(scope="module")
def two_gaits():
    """Clips with an obvious number of patterns: two, each seen many times."""
    return [
        resample(samples.make(name, seconds=8, seed=seed), 30)
        for name, seed in (("walk", 0), ("walk", 1), ("dance", 0), ("dance", 1))
    ]


@pytest.mark.parametrize("kind", ["bic", "mdl"])
def test_bic_and_mdl_choose_a_number_of_textons_inside_the_range_they_tried(two_gaits, kind):
    """Costs rise towards both ends: the range is extended until they do, or to a single texton."""
    model = learn("textons", two_gaits, {**CONFIG, "selection": kind, "rounds": 2})
    text = next(note.text for note in model.notes if f"{kind.upper()} chose" in note.text)
    tried = [
        (int(n), int(cost.replace(",", ""))) for n, cost in re.findall(r"(\d+) at [\d.]+ \((-?[\d,]+) nats\)", text)
    ]
    best = min(range(len(tried)), key=lambda k: tried[k][1])
    assert f"chose {tried[best][0]} textons" in text
    assert ("the smallest tried" in text, "the largest tried" in text) == (best == 0, best == len(tried) - 1)
    assert best > 0
    assert best < len(tried) - 1 or tried[best][0] == 1
    assert "s of material: textons need a minute or more" in " ".join(note.text for note in model.notes)
    curve = model.selection_curve
    assert_allclose(curve[:, 2].round(), [cost for _, cost in tried])
    assert (np.diff(curve[:, 0]) > 0).all()


@pytest.mark.parametrize("kind", ["bic", "mdl"])
def test_on_captured_salsa_too_the_least_cost_is_inside_the_range(mocap, kind):
    """Ten takes, two minutes; of half of them, BIC chooses a single texton: too little to pay for more."""
    takes = [load(path) for path in sorted((mocap / "cmu").glob("60_*.bvh"))]
    model = learn("textons", takes, {"fps": 30.0, "selection": kind, "rounds": 5})
    best = int(model.selection_curve[:, 2].argmin())
    assert 0 < best < len(model.selection_curve) - 1
    assert 2 <= model.selection_curve[best, 1] <= 20


def test_the_range_is_wide_enough_for_few_short_walks(mocap):
    """All tolerances that are tried first leave one texton; the least cost used to be at the end of the range."""
    takes = [load(mocap / "cmu" / f"35_{k}.bvh") for k in ("01", "02", "05", "17", "18", "19")]
    model = learn("textons", takes, {"selection": "bic"})
    best = int(model.selection_curve[:, 2].argmin())
    assert 0 < best < len(model.selection_curve) - 1
    assert len(model.textons) == model.selection_curve[best, 1] > 1


def test_the_criterion_pays_for_a_label_once_and_leaves_priors_out(takes):
    """Written out: frames, starts, labels by M (the first of a clip by 1/N), parameters, and borders for MDL."""
    seen = [observe(c) for c in takes[:2]]
    data = TrainingData(seen, fit_metric_space(joined(seen), takes[0].skeleton))
    rules = learning_settings(Config(fps=30.0, shortest=0.5, pooled=0.0, recurring=False, rounds=2), 30.0)
    found = learn_textons(data, rules)
    textons, segments, frames = found.textons, found.segments, sum(len(c) for c in data.clips)
    assert len(textons) > 2
    total = 0.0
    for a, b in zip((None, *segments), segments, strict=False):
        first = a is None or a.clip != b.clip
        total -= np.log(1 / len(textons) if first else found.transitions[a.label, b.label])
        total -= data.likelihood(b, textons[b.label]).sum() + data.start[b.clip][b.start]
    sizes = [parameter_count(t.dynamics) for t in textons]
    own = [sum(len(s) for s in segments if s.label == i) for i in range(len(textons))]
    bic = total + 0.5 * (sum(sizes) + len(sizes) * (len(sizes) - 1)) * np.log(frames)
    mdl = total + 0.5 * np.dot(sizes, np.log(own)) + (len(segments) - 2) * np.log(frames)
    arguments = (data, textons, segments, found.transitions, rules)
    assert_allclose([criterion(*arguments, kind) for kind in ("bic", "mdl")], [bic, mdl])


def test_a_texton_that_was_seen_once_is_dropped_if_another_serves_as_well(takes):
    """Two parts of one walk, and a dance that no texton of a walk describes."""
    seen = [observe(c) for c in (takes[2], takes[0])]
    data = TrainingData(seen, fit_metric_space(joined(seen), takes[0].skeleton))
    rules = learning_settings(Config(fps=30.0, shortest=0.5), 30.0)
    walk = [Segment(0, 0, 60, 0), Segment(0, 60, 120, 0)]
    again, dance = Segment(0, 120, 240, 1), Segment(1, 0, 240, 2)
    fitted = [data.learn_texton(some, rules) for some in (walk, [again], [dance])]
    kept = recurring_textons(data, fitted, [*walk, again, dance], rules)
    assert kept == [fitted[0], fitted[2]]


def test_constant_channels_keep_their_value(arm):
    t = np.arange(120) / 30
    rotations = np.zeros((120, 3, 4))
    rotations[..., 0] = 1
    rotations[:, 1, 0], rotations[:, 1, 1] = np.cos(0.4 * np.sin(4 * t)), np.sin(0.4 * np.sin(4 * t))
    body = Skeleton(arm.names, arm.parents, arm.offsets)
    clip = Clip(body, np.tile([0, 1.0, 0], (120, 1)), rotations, 30.0)
    made = synthesize(learn("textons", [clip, replace(clip, fps=30.0)], CONFIG), Request(seconds=2))
    assert_allclose(made.rotations[:, 2], [1, 0, 0, 0] * np.ones((60, 1)), atol=1e-9)
    assert_allclose(made.root[:, 1], 1.0, atol=1e-6)


def test_the_example_request_reads():
    assert Request.from_file("examples/requests/textons.yaml", load=lambda name: pytest.fail(name)).seconds == 20


def test_earlier_names_of_options_are_accepted_with_a_deprecation_note():
    earlier = {"push": "nothing", "sway": 0.1, "nearness": 1, "unseen": 0, "evenly": False, "way": "cheapest"}
    with pytest.warns(FutureWarning, match="is now called"):
        options = Options.of(earlier)
    assert (options.drive, options.noise_time, options.distance_penalty) == ("noise", 0.1, 1)
    assert (options.unseen_limit, options.balanced, options.route) == (0, False, "most_probable")
