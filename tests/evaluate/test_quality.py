"""Metamorphic tests: what is done to a clip must show in the measures, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom import samples
from motionloom.core import Clip, FloatArray, Skeleton, replace
from motionloom.evaluate.compare.baselines import add_noise, shuffle_frames
from motionloom.evaluate.evaluation import evaluate_take, source_values
from motionloom.evaluate.measures.prepared_clip import take
from motionloom.evaluate.measures.table import QUALITY_MEASURES
from motionloom.evaluate.reference import reference
from motionloom.evaluate.report import QualityReport, SourceValue, relative_to_source
from motionloom.kinematics.feet.knees import knee_acceleration
from motionloom.kinematics.fk import fk
from motionloom.kinematics.ik.limb import place_limb
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import moved, turned
from motionloom.rotation import exp, multiply


@pytest.fixture(scope="module")
def walks() -> list[Clip]:
    return [resample(samples.make("walk", seed=s), 30.0) for s in range(3)]


def value(report: QualityReport, name: str) -> float:
    found = report.values[name].value
    assert found is not None, f"{name}: {report.values[name].reason}"
    return found


def slid(clip: Clip, speed: float, seconds: float = 0.4) -> Clip:
    """The clip with its left foot slid along the ground, forward and back to where it was, while it stands."""
    toe = clip.skeleton.joint("left_toe")
    height = fk(clip)[:, toe, 1]
    moving = np.linalg.norm(np.gradient(fk(clip)[:, toe][:, [0, 2]], axis=0), axis=1) * clip.fps
    frames = round(seconds * clip.fps)
    low = [i for i in range(10, len(clip) - frames - 10) if (moving[i : i + frames] < 0.1).all() and height[i] < 0.05]
    start = low[0]
    shift = np.zeros(len(clip))
    shift[start : start + frames + 1] = speed * np.arange(frames + 1) / clip.fps
    back = 12  # frames in which it returns, in the air or not
    shift[start + frames : start + frames + back] = np.linspace(shift[start + frames], 0, back)
    ankle = fk(clip)[:, clip.skeleton.joint("left_foot")] + shift[:, None] * [1.0, 0, 0]
    out, _ = place_limb(clip, ["left_thigh", "left_shin", "left_foot"], ankle)
    return out


@pytest.fixture(scope="module")
def stand(walks: list[Clip]) -> Clip:
    """A body that stands on one frame of a walk for three seconds: feet planted, so that any slide is ours."""
    frame = int(np.abs(fk(walks[0])[:, walks[0].skeleton.joint("left_toe"), 1]).argmin())
    return walks[0][np.full(90, frame)]


def test_a_fast_slide_raises_all_three_skate_measures(stand):
    own, fast = (evaluate_take(c, reference([stand])) for c in (stand, slid(stand, 0.6)))
    for name in ("skate", "skate (a)", "skate (c)"):
        assert value(own, name) == pytest.approx(0, abs=1e-6)
        assert value(fast, name) > 1.0


def test_a_slow_slide_raises_b_and_c_only(stand):
    slow = evaluate_take(slid(stand, 0.1), reference([stand]))
    assert value(slow, "skate (a)") == 0
    assert value(slow, "skate") > 0.3
    assert value(slow, "skate (c)") > 0.3


def test_a_copied_clip_has_coverage_one_diversity_zero_and_one_verbatim_run(walks):
    found = evaluate_take(walks[0], reference([walks[0]]))
    assert value(found, "coverage") == 100
    assert value(found, "global diversity") == 0
    assert value(found, "local diversity") == 0
    assert value(found, "verbatim run") == pytest.approx(walks[0].seconds)
    assert value(found, "correlation error") == pytest.approx(0, abs=1e-9)
    assert value(found, "range violations") == 0
    assert value(found, "spectrum distance") == pytest.approx(0, abs=1e-9)


def test_a_copy_whose_feet_were_cleaned_is_verbatim_above_the_legs_only(walks):
    knee = walks[0].skeleton.joint("left_shin")
    rotations = walks[0].rotations.copy()
    rotations[:, knee] = multiply(rotations[:, knee], exp([0.05, 0, 0]))
    found = evaluate_take(replace(walks[0], rotations=rotations), reference([walks[0]]))
    assert value(found, "verbatim run") == 0
    assert value(found, "verbatim upper") == pytest.approx(walks[0].seconds)


def test_a_glitch_of_a_source_is_no_excuse_for_a_result_out_of_range(walks):
    head = walks[0].skeleton.joint("head")
    rotations = walks[1].rotations.copy()
    rotations[60, head] = multiply(rotations[60, head], exp([2.0, 0, 0]))  # 115 degrees, for one frame
    spoilt = [walks[0], replace(walks[1], rotations=rotations), walks[2]]
    clean, own = source_values(reference(walks)), source_values(reference(spoilt))
    for name in ("worst violation", "range violations", "jump", "peak acceleration"):
        assert own[name].high == pytest.approx(clean[name].high, rel=0.25, abs=0.5), name
        assert own[name].high < 40


def test_noise_lowers_coverage_and_raises_jerk(walks, rng):
    source = reference(walks)
    clean = evaluate_take(walks[0], source)
    rough = evaluate_take(add_noise(walks, 180, rng), source)
    assert value(rough, "coverage") < value(clean, "coverage")
    assert value(rough, "jerk") > 5 * value(clean, "jerk")
    assert value(rough, "rough frames") > 50
    assert value(rough, "peak acceleration") > 3 * value(clean, "peak acceleration")


def test_a_turned_and_moved_clip_scores_the_same(walks):
    source = reference(walks[1:])
    own = source_values(source)
    here = evaluate_take(walks[0], source, own=own)
    there = evaluate_take(turned(moved(walks[0], (4.0, -2.0)), 2.1), source, own=own)
    for name in QUALITY_MEASURES:
        a, b = here.values[name], there.values[name]
        assert (a.value is None) == (b.value is None)
        if a.value is not None:
            assert b.value == pytest.approx(a.value, rel=1e-6, abs=1e-6), name


def test_held_out_takes_score_like_the_source(mocap):
    from motionloom.io import load

    clips = [load(mocap / "cmu" / f"35_0{n}.bvh", trim_tpose=True) for n in range(1, 8)]
    source = reference(clips[1:])
    found = evaluate_take(clips[0], source)
    for name in ("skate", "jerk", "local diversity", "global diversity", "correlation error", "floating"):
        assert found.values[name].ratio == pytest.approx(1, abs=0.35), name
    assert value(found, "coverage") == 100
    assert found.values["jump"].ratio < 1.2


def test_shuffled_frames_are_the_most_diverse_which_is_why_diversity_never_stands_alone(walks, rng):
    source = reference(walks)
    found = evaluate_take(shuffle_frames(walks, 180, rng), source)
    again = evaluate_take(walks[0], reference(walks[1:]))
    assert value(found, "local diversity") > value(again, "local diversity")
    assert value(found, "peak acceleration") > 3 * value(again, "peak acceleration")
    assert found.bounds["shuffled"]["local diversity"] == pytest.approx(value(found, "local diversity"), rel=0.2)
    assert found.bounds["copy"] == {"coverage": 100.0, "global diversity": 0.0, "local diversity": 0.0}


def test_values_stand_beside_the_sources_as_ratio_or_as_difference():
    assert relative_to_source("skate", 3.0, SourceValue(2.0)).ratio == 1.5
    small = relative_to_source("skate", 3.0, SourceValue(0.4))  # the source is below 1 cm/s
    assert small.ratio is None
    assert small.difference == pytest.approx(2.6)
    assert relative_to_source("flips", 1.0, SourceValue(0.0)).difference == 1.0
    assert relative_to_source("skate", "no feet", SourceValue(2.0)).reason == "no feet"


def test_source_clips_weigh_by_their_length_and_peaks_are_the_largest(stand):
    """By hand: 60 of 90 frames drawn at 30 cm/s, 30 at 90 cm/s; jumps are those of the worst clip."""

    def drawn(frames: int, speed: float) -> Clip:
        return replace(stand, root=stand.root + (speed * np.arange(90) / 30)[:, None] * [0, 0, 1.0])[:frames]

    own = source_values(reference([drawn(60, 0.3), drawn(30, 0.9)]))["skate"]
    assert (own.low, own.high) == (pytest.approx(30, rel=0.02), pytest.approx(90, rel=0.02))
    assert own.value == pytest.approx((2 * own.low + own.high) / 3)
    joint = stand.skeleton.joint("head")
    rotations = stand.rotations.copy()
    rotations[:, joint] = multiply(rotations[:, joint], exp(np.radians(2.0) * np.arange(90)[:, None] * [0, 1.0, 0]))
    turning = replace(stand, rotations=rotations)
    jump = source_values(reference([stand, stand, turning]))["jump"]
    assert (jump.low, jump.value) == (pytest.approx(0, abs=1e-6), pytest.approx(2.0))


def test_knees_of_a_result_that_mixes_the_clips_are_those_of_its_sources():
    """The mean over a calm and a quick clip of their percentiles would be exceeded by both together."""
    walk, run = (samples.make(name, seconds=3, seed=0, fps=30) for name in ("walk", "run"))
    own = source_values(reference([walk, run]))["knee acceleration"]
    found = [knee_acceleration(take(clip).clip).ravel() for clip in (walk, run)]
    assert own.value == pytest.approx(np.degrees(np.quantile(np.concatenate(found), 0.99)))
    assert own.value > 1.1 * (own.low + own.high) / 2


def test_another_skeleton_gives_reasons_and_never_nan(walks, tiny):
    long = replace(resample(tiny, 30.0), fps=30.0)
    found = evaluate_take(long, reference(walks))
    for name in ("coverage", "global diversity", "verbatim run", "correlation error", "rough frames"):
        assert found.values[name].value is None
        assert "other skeletons" in found.values[name].reason
    assert "no feet" in found.values["skate"].reason
    assert "masses cannot be given" in found.values["off balance"].reason
    check_numbers(found)


def check_numbers(report: QualityReport) -> None:
    for name, v in report.values.items():
        assert v.value is not None or v.reason, name
        for number in (v.value, v.ratio, v.difference, v.own.value):
            assert number is None or np.isfinite(number), name


@pytest.mark.parametrize("frames", [1, 2, 3, 5, 29])
def test_clips_shorter_than_a_window_give_reasons_and_never_nan(walks, frames):
    found = evaluate_take(walks[0][:frames], reference(walks[1:]))
    assert "frames" in found.values["coverage"].reason
    check_numbers(found)
    check_numbers(evaluate_take(walks[0], reference([c[:frames] for c in walks])))


def test_a_body_that_never_touches_the_floor_gives_reasons(walks):
    t = np.arange(len(walks[0])) / 30
    swim = replace(walks[0], root=walks[0].root + np.stack([0 * t, 3 * t, 0 * t], 1))  # rises for ever
    found = evaluate_take(swim, reference(walks))
    check_numbers(found)
    for name in ("floating", "mean penetration", "skate", "skate (a)", "skate (c)", "off balance", "gravity error"):
        assert found.values[name].value is None, name
        assert "no foot ever touches" in found.values[name].reason


def test_a_swimmer_has_neither_skate_nor_balance_nor_flight(mocap):
    from motionloom.io import load

    swim = load(mocap / "cmu" / "126_11.bvh", trim_tpose=True)
    found = evaluate_take(swim, reference([swim]))
    for name in ("skate", "floating", "off balance", "gravity error"):
        assert "it lies or swims" in found.values[name].reason
    check_numbers(found)


@pytest.mark.parametrize("name", ["118_06", "49_04", "83_42", "127_25"])
def test_jumps_and_runs_of_people_fall_at_9_81(mocap, name):
    from motionloom.io import load

    clip = load(mocap / "cmu" / f"{name}.bvh", trim_tpose=True)
    assert value(evaluate_take(clip, reference([clip])), "gravity error") < 0.5


def test_a_body_drawn_fast_over_the_floor_skates_although_no_contact_is_found(stand):
    """By hand: 2 m/s is 200 cm/s; feet so quick are no contacts, but they are low."""
    drawn = replace(stand, root=stand.root + (2.0 * np.arange(len(stand)) / 30)[:, None] * [0, 0, 1.0])
    found = evaluate_take(drawn, reference([stand]))
    assert value(found, "skate") == pytest.approx(200)
    assert value(found, "skate (a)") == 100
    assert value(found, "skate (c)") == pytest.approx(200)
    assert "never in the air" in found.values["gravity error"].reason


def test_feet_above_the_ground_that_was_given_have_no_skate_and_it_says_how_high_they_are(stand):
    below = float(take(stand).feet[0][..., 1].min()) - 0.07
    found = evaluate_take(stand, reference([stand], ground=below), ground=below)
    assert "the lowest foot joint is 7 cm above the given ground" in found.values["skate"].reason
    assert value(found, "floating") >= 7


def test_what_is_broken_in_the_source_is_no_excuse_for_the_result(walks):
    """A glitch of 2 rad in the source: against it every jump would seem small. The source's own leaves it out."""
    rotations = walks[1].rotations.copy()
    arm = walks[1].skeleton.joint("left_forearm")
    rotations[90, arm] = multiply(rotations[90, arm], exp([2.2, 0, 0]))
    spoilt = replace(walks[1], rotations=rotations)
    own, clean = (source_values(reference([c])) for c in (spoilt, walks[1]))
    assert own["jump"].value == pytest.approx(clean["jump"].value, rel=0.01)
    assert own["peak acceleration"].value == pytest.approx(clean["peak acceleration"].value, rel=0.01)
    found = evaluate_take(spoilt, reference([spoilt]))
    assert found.values["jump"].ratio > 5  # 2.2 rad in a frame, as the result has it
    assert value(found, "worst violation") > 60


def test_a_stroke_has_no_poses_to_compare():
    pen = Skeleton(("pen",), np.array([-1]), np.zeros((1, 3)))
    t = np.linspace(0, 1, 60)
    stroke = Clip(pen, np.stack([np.sin(9 * t), np.cos(7 * t), 0 * t], 1), np.tile([1.0, 0, 0, 0], (60, 1, 1)), 30.0)
    found = evaluate_take(stroke, reference([stroke]))
    assert "no poses" in found.values["coverage"].reason
    check_numbers(found)


def test_json_has_null_and_a_reason(walks):
    import json

    plain = json.loads(json.dumps(evaluate_take(walks[0][:20], reference(walks)).as_dict(), allow_nan=False))
    row = plain["measures"]["coverage"]
    assert row["value"] is None
    assert "a window needs 30" in row["reason"]
    assert plain["joints"] == len(walks[0].skeleton) - 0


def test_a_take_is_at_thirty_frames_per_second_whatever_the_clip_is():
    ready = take(samples.make("walk", seed=0))
    assert ready.clip.fps == 30.0
    assert ready.points.shape == (len(ready), len(ready.skeleton), 3)


def test_sources_of_two_bodies_give_reasons_and_never_nan(walks, tiny):
    found = evaluate_take(walks[0], reference([walks[1], tiny]))
    assert "other skeletons" in found.values["coverage"].reason
    check_numbers(found)


def test_fingers_change_nothing(walks, rng):
    """CMU's fingers hold no data and flip: neither poses nor jumps nor copies are told by them."""
    body = walks[0].skeleton
    hand = body.joint("left_hand")
    handed = Skeleton(
        (*body.names, "LThumb"), np.append(body.parents, hand), np.vstack([body.offsets, [[0.05, 0, 0]]]),
        (*body.roles, ""),
    )  # fmt: skip

    def with_thumb(clip: Clip, turns: FloatArray) -> Clip:
        rotations = np.concatenate([clip.rotations, exp(turns)[:, None]], axis=1)
        return Clip(handed, clip.root, rotations, clip.fps)

    still = [with_thumb(c, np.zeros((len(c), 3))) for c in walks]
    wild = with_thumb(walks[0], rng.normal(size=(len(walks[0]), 3)))
    a, b = evaluate_take(still[0], reference(still[:2])), evaluate_take(wild, reference(still[:2]))
    assert a.joints == b.joints == len(body)
    for name in ("coverage", "global diversity", "local diversity", "verbatim run", "jump", "correlation error"):
        assert value(b, name) == value(a, name), name


def test_roughness_is_told_joint_by_joint(walks):
    found = evaluate_take(walks[0], reference(walks[1:]))
    assert set(found.joint_roughness) == set(walks[0].skeleton.names)
    assert np.mean(list(found.joint_roughness.values())) == pytest.approx(value(found, "rough frames"))


def test_broken_frames_are_no_part_of_the_source_s_own_values(walks):
    """A body that is half a metre beside itself for two frames slides as no foot does."""
    walk, root = walks[0], walks[0].root.copy()
    root[len(walk) // 2 : len(walk) // 2 + 2, 0] += 0.5
    own, clean = (source_values(reference([clip])) for clip in (replace(walk, root=root), walk))
    assert own["skate"].value == pytest.approx(clean["skate"].value, rel=0.2, abs=0.5)
