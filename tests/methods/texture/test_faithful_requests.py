"""The faithful variant as a method: ground, points, styles and clips that cannot be used."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Ground, Pace, Plant, PoseAlong, PoseAt, PositionAt, Request, RootAt, Start, Style
from motionloom.core import BadRequest, Clip, UnsupportedConstraint, is_found, with_labels
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.methods import learn, synthesize
from motionloom.methods.synthesis import rendered
from motionloom.samples import make


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    return [resample(make("walk", seed=k, seconds=3), 30.0) for k in (1, 2)]


@pytest.fixture(scope="module")
def model(clips):
    return learn("texture", clips)


HILL = Ground(np.array([(x, z, 0.2 + 0.3 * z + 0.1 * x) for x in (-5.0, 5.0) for z in (-5.0, 8.0)]))
FAITHFUL = {"variant": "faithful"}
START = Start((0.5, 1.0), 0.2)


def made(model, *constraints, ground=HILL, seed=2, **options):
    asked = Request(seconds=2, constraints=constraints, ground=ground, start=START, options=FAITHFUL | options)
    return rendered(model, asked, np.random.default_rng([seed, 0]))


def hard_keys(clips):
    return {
        "point": PositionAt(joint="left_hand", time=1.0, target=(0.9, 1.7, 2.0)),
        "plant": Plant(joint="left_foot", span=(0.6, 0.8), target=(0.6, 0.85, 1.6)),
        "plant where it is": Plant(joint="left_foot", span=(0.6, 0.8)),
        "clip": PoseAlong(clip=clips[1][20:35], span=("20f", "35f")),
        "pose": PoseAt(time=1.0, pose=clips[1][40:41]),
        "height": RootAt(time=1.0, height=1.5),
        "place and height": RootAt(time=1.0, position=(0.6, 2.2), height=1.8),
    }


@pytest.mark.parametrize("name", hard_keys([make("walk", seconds=2)] * 2))
def test_hard_keys_on_a_hill_are_met_by_render(model, clips, name):
    key = hard_keys(clips)[name]
    _, clip = made(model, key)
    assert key.worst(clip) < 1e-9
    over = clip.root[:, 1] - HILL.height_at(clip.root[:, 0], clip.root[:, 2])
    usual = np.concatenate([c.root[:, 1] for c in clips])
    assert over[0] == pytest.approx(usual.mean(), abs=0.1)  # beside the key the hips are as high as in the examples


def test_hands_that_share_a_trunk_reach_two_points_at_once(model):
    _, free = made(model)
    here = fk(free)[30]
    left, right = (
        PositionAt(joint=name, time=1.0, target=tuple(here[free.skeleton.joint(name)] + (0.0, 0.1, 0.1)))
        for name in ("left_hand", "right_hand")
    )
    _, clip = made(model, left, right)
    assert max(left.worst(clip), right.worst(clip)) < 1e-9


def test_a_point_does_not_break_the_joints_of_a_given_clip(model, clips):
    along = PoseAlong(clip=clips[1][:30], span=("20f", "50f"), joints=("lower", "spine"))
    hand = PositionAt(joint="left_hand", time=1.0, target=(0.8, 1.3, 2.0))
    for variant in ("faithful", "improved"):
        _, clip = made(model, along, hand, ground=Ground(), variant=variant)
        assert max(along.worst(clip), hand.worst(clip)) < 1e-9


@pytest.mark.parametrize("variant", ["faithful", "improved"])
def test_clips_without_labels_are_shown(clips, variant):
    plain = [Clip(c.skeleton, c.root, c.rotations, c.fps) for c in clips]
    _, clip = made(learn("texture", plain), ground=Ground(), variant=variant)
    assert not [name for name in clip.label_names if not is_found(name)]


def test_a_pace_is_refused_with_the_reason(model):
    for pace in (Pace(speed=(1.0, 1.2)), Pace(speed=(1.0, 1.2), weight=1)):
        with pytest.raises(UnsupportedConstraint, match=r"pace.*only in the improved variant: EDEN's keys are places"):
            model.plan(Request(seconds=2, constraints=(pace,), options=FAITHFUL), None)


def test_a_hard_style_admits_only_frames_with_the_label(clips):
    marked = with_labels(clips[0], {"late": np.arange(90) >= 60, "early": np.arange(90) < 30})
    model = learn("texture", [marked, clips[1]])
    plan, _ = made(model, Style(label="late", span=("10f", "30f")), ground=Ground())
    assert ((plan.source[10:30] >= 60) & (plan.source[10:30] < 90)).all()
    both = Style(label="late"), Style(label="early", span=(1, 2))
    with pytest.raises(BadRequest, match="no example frame has the labels 'early' and 'late' at once"):
        made(model, *both, ground=Ground())


@pytest.mark.parametrize("variant", ["faithful", "improved"])
@pytest.mark.parametrize("joints", [("left_arm",), (("left_arm", 0.5), ("right_arm", 0.0))], ids=["list", "mapping"])
def test_a_hard_style_of_some_joints_admits_only_frames_with_the_label_for_these(clips, joints, variant):
    marked = with_labels(clips[0], {"late": np.arange(90) >= 50, "early": np.arange(90) < 40})
    model = learn("texture", [marked, clips[1]])
    style, other = Style(label="late", joints=joints), Style(label="early", joints=("right_arm",))
    arm = style.influence(model.skeleton) > 0
    plan, clip = made(model, style, other, ground=Ground(), variant=variant)
    assert ((plan.source[:, arm] >= 50) & (plan.source[:, arm] < 90)).all()
    legs = plan.source[:, model.skeleton.joint("left_foot")]
    assert ((legs < 50) | (legs >= 90)).any()
    assert style.worst(clip) == other.worst(clip) == 0
    assert not clip.label("late").all()
    assert clip.label("late@left_arm").all()
    with pytest.raises(BadRequest, match="no example frame has the labels 'early' and 'late' at once"):
        model.plan(Request(seconds=2, constraints=(style, Style(label="early")), options={"variant": variant}), None)


def test_a_hard_style_that_no_candidate_has_is_an_error(clips):
    marked = with_labels(clips[0], {"end": np.arange(90) >= 87})
    model = learn("texture", [marked, clips[1]])
    with pytest.raises(BadRequest, match="no example frame with a whole neighbourhood has the label 'end'"):
        made(model, Style(label="end", span=(1, 2)), ground=Ground())
    plan, _ = made(model, Style(label="end", span=(1, 2)), ground=Ground(), padding="reflected")
    assert (plan.source[30:] >= 87).all()
    assert (plan.source[30:] < 90).all()


def test_a_clip_that_is_too_short_for_a_neighbourhood_is_reported(clips):
    model = learn("texture", [clips[0], clips[1][:20]])
    asked = Request(seconds=1, options={**FAITHFUL, "window": [21]})
    notes = [str(note) for note in synthesize(model, asked).origin.notes]
    assert any("has 20 frames and is not used: a neighbourhood on level 0 needs `window` 21" in n for n in notes)
    fits = synthesize(model, Request(seconds=1, options=FAITHFUL))
    assert not any("not used" in str(note) for note in fits.origin.notes)
    coarse = synthesize(model, Request(seconds=1, options={**FAITHFUL, "window": [9, 13], "levels": 2}))
    assert any("a neighbourhood on level 1 needs `window` 13" in str(note) for note in coarse.origin.notes)
