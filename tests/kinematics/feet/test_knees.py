"""Knees: their angles against the law of cosines, and what cleaning changes."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import replace
from motionloom.evaluate import evaluate_clips
from motionloom.io import load
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.capture.sudden_knees import sudden_knees, without_sudden_knees
from motionloom.kinematics.feet.contacts import contacts, foot_parts, part_positions, runs, with_contacts
from motionloom.kinematics.feet.free_heels import freed_heels
from motionloom.kinematics.feet.knees import knee_acceleration, knee_change, knee_flexion
from motionloom.kinematics.feet.plants import FootPlan, plan_foot
from motionloom.kinematics.feet.skate_removal import remove_skate
from motionloom.kinematics.fk import fk
from motionloom.kinematics.ik.limb import place_limb
from motionloom.kinematics.resample import resample
from motionloom.rotation import from_axis_angle, multiply
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk():
    return make("walk", seed=4, seconds=3, fps=30)


def snapped(walk, frame, angle):
    """The clip with the left knee bent by `angle` rad more for one frame."""
    rotations, shin = walk.rotations.copy(), walk.skeleton.joint("left_shin")
    rotations[frame, shin] = multiply(rotations[frame, shin], from_axis_angle([1.0, 0.0, 0.0], angle))
    return replace(walk, rotations=rotations)


def test_flexion_is_that_of_the_law_of_cosines(walk):
    places = fk(walk)
    hip, knee, ankle = (places[:, walk.skeleton.joint(f"left_{r}")] for r in ("thigh", "shin", "foot"))
    a, b, c = (np.linalg.norm(v, axis=1) for v in (knee - hip, ankle - knee, ankle - hip))
    inner = np.arccos(np.clip((a**2 + b**2 - c**2) / (2 * a * b), -1, 1))
    np.testing.assert_allclose(knee_flexion(walk)[:, 0], np.pi - inner, atol=1e-6)


def test_a_snap_raises_the_acceleration_of_the_knees_in_evaluate(walk):
    bad = walk
    for frame in (20, 35, 50, 65):
        bad = snapped(bad, frame, np.radians(14))
    assert np.degrees(knee_acceleration(bad)).max() > 14 * 900 > np.degrees(knee_acceleration(walk)).max()
    report = evaluate_clips([bad], [walk]).reports[0]
    assert report.values["knee acceleration"].ratio > 1.5
    assert np.degrees(knee_change(walk, bad)) == pytest.approx(14, abs=0.5)


def test_cleaning_leaves_the_knees_of_a_walk_alone(walk):
    """A foot that slides a little is pinned; knees stay within 3 degrees and are no more sudden than before."""
    slide = walk.root + 0.02 * np.sin(np.arange(len(walk)) / 9)[:, None] * [0, 0, 1.0]
    loose = replace(walk, root=slide)
    cleaned, report = remove_skate(loose)
    assert report.slid_after < 0.2 * report.slid_before
    assert np.degrees(report.knees) < 3
    worst = [np.quantile(knee_acceleration(c), 0.99) for c in (loose, cleaned)]
    assert worst[1] < 1.1 * worst[0]


@pytest.mark.parametrize("name", ["16_15", "35_02", "69_01"])
def test_cleaned_captures_roll_over_the_ball_of_the_foot(mocap, name):
    clip = load(mocap / "cmu" / f"{name}.bvh", trim_tpose=True)
    cleaned, report = remove_skate(clip)
    assert np.degrees(report.knees) < 4
    worst = [np.quantile(knee_acceleration(resample(c, 30)), 0.99) for c in (clip, cleaned)]
    assert worst[1] < 1.15 * worst[0]


def test_check_finds_a_knee_that_bends_suddenly(walk):
    from motionloom.evaluate.capture_checks.knees_and_elbows import sudden_knee_findings

    assert not sudden_knee_findings(walk)
    (found, *_) = sudden_knee_findings(snapped(walk, 45, np.radians(35)))
    assert found.kind == "sudden knee"
    assert found.start <= 45 < found.stop


def test_check_finds_the_knee_of_16_17(mocap):
    from motionloom.evaluate.capture_checks.knees_and_elbows import sudden_knee_findings

    found = sudden_knee_findings(load(mocap / "cmu" / "16_17.bvh", trim_tpose=True))
    assert [(f.joint, f.start, f.stop) for f in found] == [("RightLeg", 326, 341)]
    assert not sudden_knee_findings(load(mocap / "cmu" / "16_15.bvh", trim_tpose=True))


def test_sudden_knees_are_found_whichever_frame_a_clip_begins_with(mocap):
    """At 120 fps every fourth frame is looked at: a jump between two of them must not be missed."""
    clip = load(mocap / "cmu" / "136_27.bvh", trim_tpose=True)
    found = [[knee.start + skip for knee in sudden_knees(clip[skip:])] for skip in range(4)]
    assert all(starts == found[0] for starts in found)
    assert any(start <= 925 <= start + 15 for start in found[0])


def test_a_leg_that_snaps_straight_is_mended_without_moving_the_foot(walk):
    """In most captures a leg is at times longer than its bones, so that the knee snaps straight and back."""
    leg = [walk.skeleton.joint(f"left_{r}") for r in ("thigh", "shin", "foot")]
    hip, _, ankle = (fk(walk)[:, j] for j in leg)
    stands = int(np.argmin(np.abs(knee_flexion(walk)[30:60, 0] - np.radians(15)))) + 30
    targets = ankle.copy()
    targets[stands] = hip[stands] + 1.05 * (ankle - hip)[stands]
    straight, _ = place_limb(walk, leg, targets, soft=0.0)
    assert np.degrees(knee_flexion(straight)[stands, 0]) < 1
    mended, count = without_sudden_knees(straight)
    assert count == 1
    assert not sudden_knees(mended)
    assert np.degrees(np.abs(knee_flexion(mended) - knee_flexion(walk)).max()) < 8
    assert np.abs(fk(mended) - fk(straight))[:, leg[2]].max() < 0.02


@pytest.mark.parametrize(("name", "count"), [("137_16", 1), ("136_27", 5), ("16_15", 0), ("49_08", 0)])
def test_sudden_knees_of_captures_are_mended(mocap, name, count):
    """In the cartwheel 49_08, and once in 137_16, the leg really is stretched: else the foot would be elsewhere."""
    clip = load(mocap / "cmu" / f"{name}.bvh", trim_tpose=True)
    mended, found = without_sudden_knees(clip)
    assert found == count
    assert len(sudden_knees(mended)) == len(sudden_knees(clip)) - count
    assert np.abs(fk(mended) - fk(clip))[:, [clip.skeleton.joint(f"{s}_foot") for s in ("left", "right")]].max() < 0.02


def test_a_foot_that_is_put_down_slowly_is_not_pulled_to_the_floor():
    """Its contact is found 8 cm up; pinned there, the knee would stretch ahead of the body (6.4 deg)."""
    stand = make("stand", seed=1, seconds=4, fps=60)
    left = next(foot for foot in feet(stand.skeleton) if foot.name == "left_foot")
    height = 0.3 * np.clip(1 - np.arange(len(stand)) / 60, 0, 1) ** 2  # m: comes down, ever slower, for a second
    ankle = fk(stand)[:, left.ankle] + height[:, None] * [0.0, 1.0, 1.0]
    clip = with_contacts(place_limb(stand, ["left_thigh", "left_shin", "left_foot"], ankle)[0], fresh=True)
    knee, cleaned = knee_flexion(clip)[:, 0], knee_flexion(remove_skate(clip)[0])[:, 0]
    assert np.degrees(np.abs(cleaned - knee).max()) < 4


@pytest.mark.parametrize(("name", "fps", "most"), [("113_18", None, 2), ("83_02", None, 8), ("83_08", None, 4)])
def test_knees_of_captures_that_put_their_feet_down_slowly(mocap, name, fps, most):
    clip = load(mocap / "cmu" / f"{name}.bvh", fps=fps, trim_tpose=True)
    assert np.degrees(remove_skate(clip)[1].knees) < most


@pytest.mark.parametrize(
    ("name", "most"), [("cmu/83_20", 3), ("cmu/60_03", 6), ("bandai/dataset-1_punch_normal_002", 3)]
)
def test_a_heel_is_freed_where_its_pin_would_bend_the_knee(mocap, name, most):
    """Legs that are nearly straight, both feet planted: knees were 10 to 16 degrees off with every heel pinned."""
    clip = load(mocap / f"{name}.bvh", trim_tpose=True)
    cleaned, report = remove_skate(clip)
    assert np.degrees(report.knees) < most
    assert report.slid_after < 0.01
    for i, side in ((0, "left"), (2, "right")):
        heel, toe = (cleaned.label(f"contact:{side}_{part}") for part in ("heel", "toe"))
        freed = contacts(clip)[f"contact:{side}_heel"] & ~heel & toe
        rise = np.abs(part_positions(cleaned)[freed, i, 1] - part_positions(clip)[freed, i, 1])
        assert np.percentile(rise, 90) < 0.01


@pytest.mark.parametrize(("name", "plans"), [("137_16", 2), ("60_03", 4)])
def test_a_foot_is_planned_once_for_the_same_contacts(mocap, monkeypatch, name, plans):
    """137_16: both feet; 60_03: both once more, with freed heels that are all better (6 with a third attempt)."""
    from motionloom.kinematics.feet import skate_removal

    made = []
    monkeypatch.setattr(skate_removal, "plan_foot", lambda *a, **b: made.append(plan := plan_foot(*a, **b)) or plan)
    remove_skate(load(mocap / "cmu" / f"{name}.bvh", trim_tpose=True))
    assert len(made) == plans


def test_a_heel_is_freed_only_while_its_toe_stays_planted(walk):
    """A contact of heel and toe, with a knee that is off in the middle of it, and the same without the toe."""
    on = np.ones(len(walk), bool)
    excess, still = np.zeros((len(walk), 2)), np.zeros((len(walk), 3))
    excess[40:45, 0] = 0.1
    touching = {part.label: on for part in foot_parts(walk.skeleton)}
    plans = [FootPlan(still, still, still, on, toe_on) for toe_on in (on, on)]
    left = freed_heels(walk, plans, excess, touching)["contact:left_heel"]
    assert runs(left) == [(0, 38), (47, len(walk))]
    assert not freed_heels(walk, [replace(plan, toe_on=~on) for plan in plans], excess, touching)
    assert not freed_heels(walk, plans, 0 * excess, touching)
