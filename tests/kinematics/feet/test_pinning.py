"""Skate measures, and foot-skate removal that never stretches, pops, or moves a hard constraint."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from motionloom.core import BadRequest, Clip, Skeleton, replace, with_labels
from motionloom.core.testing import assert_same_motion
from motionloom.io import load
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import foot_parts, part_positions, runs, with_contacts
from motionloom.kinematics.feet.plants import ToeHold
from motionloom.kinematics.feet.skate_measures import measure_skate, skate_a, skate_b, skate_c
from motionloom.kinematics.feet.skate_removal import pin_plants, remove_skate
from motionloom.kinematics.fk import accelerations, fk, fk_rotations
from motionloom.kinematics.ik.limb import place_limb
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import turned
from motionloom.rotation import angle_between, multiply, yaw

LEFT = ("left_thigh", "left_shin", "left_foot")


def standing(body: Skeleton, frames: int = 61, fps: float = 30) -> Clip:
    clip = Clip(body, np.tile([0, 0.86, 0], (frames, 1)), np.tile([1.0, 0, 0, 0], (frames, len(body), 1)), fps)
    for side, x in (("left", 0.1), ("right", -0.1)):
        clip, _ = place_limb(clip, [f"{side}_{p}" for p in ("thigh", "shin", "foot")], [x, 0.06, 0.0])
    return clip


def sliding(clip: Clip, speed: float) -> Clip:
    """The left foot slides forward at this speed for 0.4 s, and stays there."""
    ankle = fk(clip)[:, clip.skeleton.joint("left_foot")]
    t = np.clip(np.arange(len(clip)) / clip.fps - 0.8, 0, 0.4)
    return place_limb(clip, LEFT, ankle + (speed * t)[:, None] * [0, 0, 1.0])[0]


def glide(clip: Clip, speed: float) -> Clip:
    """The whole body drawn along z."""
    return replace(clip, root=clip.root + (speed * np.arange(len(clip)) / clip.fps)[:, None] * [0, 0, 1.0])


def test_skate_measures_of_a_body_drawn_over_the_floor(body: Skeleton) -> None:
    """By hand: both toes on the floor at 0.6 m/s all the time."""
    clip = glide(standing(body), 0.6)
    assert skate_a(clip) == 1.0
    assert skate_b(clip) == pytest.approx(60.0)
    assert skate_c(clip) == pytest.approx(60.0)
    slow = glide(standing(body), 0.4)
    assert skate_a(slow) == 0.0
    assert skate_b(slow) == pytest.approx(40.0)


def test_skate_b_weighs_by_height(body: Skeleton) -> None:
    """Above a ground 1.25 cm below the toes the weight is 2 - sqrt(2), which cancels; one foot higher does not."""
    clip = glide(standing(body), 0.6)
    toe = float(part_positions(clip)[0, 1, 1])
    assert skate_b(clip, ground=toe - 0.0125) == pytest.approx(60.0)
    assert skate_b(clip, ground=toe - 0.03) is None
    ankle = fk(glide(standing(body), 0.1))[:, body.joint("left_foot")]
    lifted, missed = place_limb(standing(body), LEFT, ankle + [0, 0.0125, 0])  # left glides 1.25 cm up, right stands
    assert missed.max() < 1e-6
    w = 2 - np.sqrt(2)
    assert skate_b(lifted, ground=toe) == pytest.approx(10 * w / (w + 1), rel=1e-3)


def test_a_foot_slid_fast_raises_all_measures_and_slowly_only_b_and_c(body: Skeleton) -> None:
    still = measure_skate(standing(body))
    fast, slow = measure_skate(sliding(standing(body), 0.6)), measure_skate(sliding(standing(body), 0.1))
    assert (still.a, still.b, still.c) == pytest.approx((0, 0, 0), abs=1e-9)
    assert fast.a == pytest.approx(4 / 40)  # 8 steps of 40 at 20 fps, of which 4 have four quick neighbours
    assert fast.b == pytest.approx(0.24 / 2 / 2 * 100, rel=0.02)  # 24 cm in 2 s, one of two toes
    assert slow.a == 0.0
    assert slow.b == pytest.approx(0.04 / 2 / 2 * 100, rel=0.02)
    assert slow.c > 0


def test_skate_does_not_depend_on_place_and_heading(walker: Clip) -> None:
    there = measure_skate(turned(glide(walker, 0.2), 2.1, about=(4, 4)))
    assert tuple(there) == pytest.approx(tuple(measure_skate(glide(walker, 0.2))), abs=1e-9)


def test_a_body_without_feet_has_no_skate(tiny: Clip) -> None:
    assert measure_skate(tiny) == (None, None, None)
    same, report = remove_skate(tiny)
    assert same is tiny
    assert "nothing to mend" in str(report)


@pytest.fixture
def slippery(walker: Clip) -> Clip:
    """The walker carried 15 % farther than its steps go, with the contacts of the true walk as labels."""
    return replace(with_contacts(walker), root=walker.root * [1, 1, 1.15])


def test_skate_removal_pins_planted_feet_and_reports_before_and_after(slippery: Clip) -> None:
    mended, report = remove_skate(slippery)
    assert report.before.b > 10
    assert report.after.b < 0.3 * report.before.b
    assert report.plants >= 10
    assert report.missed < 1e-4
    points = part_positions(mended)
    for i, part in enumerate(foot_parts(mended.skeleton)):
        for a, b in runs(mended.label(part.label)):
            assert np.ptp(points[a:b, i], axis=0).max() < 1e-6
    assert "cm/s" in str(report)


def test_skate_removal_never_stretches_bones(slippery: Clip) -> None:
    mended, _ = remove_skate(slippery)
    points, parents = fk(mended), mended.skeleton.parents[1:]
    lengths = np.linalg.norm(points[:, 1:] - points[:, parents], axis=-1)
    assert np.ptp(lengths, axis=0).max() < 1e-9
    assert np.array_equal(mended.skeleton.offsets, slippery.skeleton.offsets)


def test_skate_removal_is_idempotent(slippery: Clip) -> None:
    once, _ = remove_skate(slippery)
    twice, report = remove_skate(once)
    assert_same_motion(twice, once)
    assert np.array_equal(twice.labels, once.labels)
    assert (report.moved, report.lowered) == (0, 0)
    assert report.after == report.before


def test_skate_removal_changes_little_where_nothing_slides(walker: Clip) -> None:
    same, _ = remove_skate(walker)
    assert np.abs(fk(same) - fk(walker)).max() < 2e-3


def test_skate_removal_never_moves_a_hard_constraint(slippery: Clip) -> None:
    body = slippery.skeleton
    hard = np.zeros((len(slippery), len(body)), bool)
    hard[70, body.joint("left_hand")] = True  # keeps the hips' height
    hard[100:104, body.joint("right_foot")] = True  # in the middle of a plant
    hard[150] = True  # a whole pose
    mended, report = remove_skate(slippery, hard=hard)
    places, turns = fk_rotations(mended)
    before, turns_before = fk_rotations(slippery)
    assert np.abs(places - before)[hard].max() < 1e-9
    assert angle_between(turns, turns_before)[hard].max() < 1e-9
    assert np.array_equal(mended.rotations[150], slippery.rotations[150])
    assert report.after.b < 0.6 * report.before.b
    assert np.abs(np.diff(places - before, axis=0)).max() < 0.03  # eases around them


def test_skate_removal_never_moves_hard_joints_that_disagree_about_a_plant(slippery: Clip) -> None:
    """Feet that twist on the floor: a heel must stay early in each plant and its toe late, where no one pin suits."""
    body, rotations = slippery.skeleton, np.array(slippery.rotations)
    hard, labels = np.zeros(rotations.shape[:2], bool), {}
    twist = yaw(0.3 * np.sin(4 * np.arange(len(slippery)) / slippery.fps))
    for side in ("left", "right"):
        foot, toe = body.joint(f"{side}_foot"), body.joint(f"{side}_toe")
        rotations[:, foot] = multiply(rotations[:, foot], twist)
        heel_on, toe_on = (np.array(slippery.label(f"contact:{side}_{part}")) for part in ("heel", "toe"))
        for a, b in runs(heel_on):  # heels lift off first, toes come down last
            heel_on[b - (b - a) // 4 : b] = False
            hard[a + 2, foot] = True
        for a, b in runs(toe_on):
            toe_on[a : a + (b - a) // 4] = False
            hard[b - 3, toe] = True
        labels |= {f"contact:{side}_heel": heel_on, f"contact:{side}_toe": toe_on}
    twisting = with_labels(replace(slippery, rotations=rotations), labels)
    places, turns = fk_rotations(remove_skate(twisting, hard=hard)[0])
    before, turns_before = fk_rotations(twisting)
    assert np.abs(places - before)[hard].max() < 1e-9
    assert angle_between(turns, turns_before)[hard].max() < 1e-9
    assert np.abs(np.diff(places - before, axis=0)).max() < 0.03


def test_skate_removal_refuses_a_mask_of_the_wrong_shape(slippery: Clip) -> None:
    with pytest.raises(BadRequest, match=r"hard: expected a mask of shape \(180, 18\) or \(180,\), found \(7,\)"):
        remove_skate(slippery, hard=np.zeros(7, bool))


def test_skate_removal_introduces_no_penetration(slippery: Clip) -> None:
    mended, _ = remove_skate(slippery)
    assert (part_positions(mended)[..., 1].min(0) >= part_positions(slippery)[..., 1].min(0) - 1e-4).all()


def knee_speed(clip: Clip) -> float:
    q = clip.rotations[:, [foot.shin for foot in feet(clip.skeleton)]]
    return float(angle_between(q[1:], q[:-1]).max() * clip.fps)


def shocks(clip: Clip) -> float:
    """The 99th percentile over frames of the RMS over joints of root-relative acceleration: glitches left out."""
    points = fk(clip) - clip.root[:, None]
    return float(np.percentile(np.sqrt((accelerations(points, clip.fps) ** 2).sum(-1).mean(-1)), 99))


@pytest.mark.parametrize("name", ["cmu/16_15.bvh", "cmu/35_01.bvh", "cmu/16_35.bvh", "cmu/143_32.bvh"])
def test_skate_removal_on_real_clips_never_pops_the_knee(mocap: Path, name: str) -> None:
    """Real steps, carried 15 % less far than they go: feet slide as after a careless edit of the path."""
    clip = with_contacts(load(mocap / name, trim_tpose=True))
    slid = replace(clip, root=clip.root * [0.85, 1, 0.85])
    mended, report = remove_skate(slid)
    assert report.after.b < 0.55 * report.before.b
    assert report.missed < 1e-3
    assert report.lowered < 0.05 * leg_length(clip.skeleton)
    assert knee_speed(mended) < 1.5 * knee_speed(slid) + 2
    assert shocks(mended) < 1.1 * shocks(slid)
    points = part_positions(mended)
    for i, part in enumerate(foot_parts(mended.skeleton)):
        for a, b in runs(mended.label(part.label)):
            assert np.ptp(points[a:b, i], axis=0).max() < 1e-3


@pytest.mark.parametrize("name", ["104_19", "16_17", "81_06", "83_08"])
def test_skate_removal_pops_no_knee_in_captures_with_straight_legs_and_far_contacts(mocap: Path, name: str) -> None:
    clip = load(mocap / "cmu" / f"{name}.bvh", trim_tpose=True)
    mended, report = remove_skate(clip)
    assert knee_speed(mended) < 1.5 * knee_speed(clip) + 2
    assert report.after.b < 0.75 * report.before.b
    again, _ = remove_skate(mended)
    assert_same_motion(again, mended)


def test_skate_removal_on_stairs_and_on_a_dog(mocap: Path) -> None:
    for name in ("cmu/143_17.bvh", "dog/D1_007_KAN01_001.bvh"):
        clip = load(mocap / name, trim_tpose=True)
        mended, report = remove_skate(clip)
        assert report.slid_after < 0.1 < 4 < report.slid_before  # cm/s, while planted
        assert report.after.b < 0.95 * report.before.b  # this one also counts toes that lift off
        assert report.plants > 20
        again, _ = remove_skate(mended)
        assert np.abs(fk(again) - fk(mended)).max() < 1e-4


@pytest.mark.parametrize("name", ["walk", "run", "dog_walk"])
def test_skate_removal_leaves_the_true_plants_of_samples_alone(name: str) -> None:
    from motionloom import samples

    clip = samples.make(name)
    mended, report = remove_skate(clip)
    assert report.before.b < 1.0
    assert np.abs(fk(mended) - fk(clip)).max() < 1e-3
    found = with_contacts(clip, fresh=True)
    for part in foot_parts(clip.skeleton):
        true, guess = clip.label(part.label), found.label(part.label)
        assert (true & guess).sum() > 0.9 * true.sum()  # samples label only what stands perfectly still
        assert len(runs(guess)) <= len(runs(true)) + 1


def test_a_toe_that_may_rise_further_is_held_longer(mocap: Path) -> None:
    clip = with_contacts(resample(load(mocap / "cmu" / "16_15.bvh", trim_tpose=True)[:240], 30.0))
    held = [pin_plants(clip, toe=toe).labels for toe in (ToeHold(), ToeHold(rise=0.02, speed=0.5))]
    short, long = (sum(int(on.sum()) for name, on in labels.items() if name.endswith("toe")) for labels in held)
    assert long > 1.05 * short
    assert all((on <= clip.label(name)).all() for labels in held for name, on in labels.items())


@pytest.mark.parametrize("joints", [("left_shin", "left_foot"), ("left_shin",), ("left_foot",)])
def test_legs_without_length_are_no_error(body: Skeleton, joints: tuple[str, ...]) -> None:
    """Files without bone lengths exist, and the knee's angle cannot be computed from them."""
    clip = sliding(standing(body), 0.5)
    offsets = clip.skeleton.offsets.copy()
    offsets[[clip.skeleton.joint(name) for name in joints]] = 0.0
    short = replace(clip, skeleton=replace(clip.skeleton, offsets=offsets))
    assert np.isfinite(remove_skate(short)[0].root).all()


@pytest.mark.parametrize("name", ["D1_007_KAN01_001", "D1_009_KAN01_001"])
def test_a_paw_in_line_with_its_leg_is_not_turned_for_a_millimetre(mocap: Path, name: str) -> None:
    """There the reach hardly depends on the angle of the paw, which once turned by 22 degrees more in one frame."""
    dog = load(mocap / "dog" / f"{name}.bvh")
    cleaned, report = remove_skate(dog)
    assert report.plants > 40
    for foot in feet(dog.skeleton):
        given, made = (angle_between(c.rotations[1:, foot.ankle], c.rotations[:-1, foot.ankle]) for c in (dog, cleaned))
        assert np.degrees(made - given).max() < 15
