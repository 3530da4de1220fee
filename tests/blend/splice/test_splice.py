"""Splicing: the laws of HECK 4.2, its baselines, other cuts, and words for mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from motionloom.analysis import at_times
from motionloom.blend.splice import FULL, GLOBAL, HECK, NAIVE, TIME_ONLY, Stages, splice
from motionloom.blend.splice.body import CUTS, cut_named, cuts_named, require_part
from motionloom.blend.splice.splice import posture_difference
from motionloom.blend.splice.timing import align_legs, common_phase, hand_speeds
from motionloom.core import BadRequest, Clip, Skeleton, SkeletonMismatch, replace
from motionloom.core.progress import Silent
from motionloom.kinematics.fk import fk, fk_rotations, local_rotations
from motionloom.kinematics.travel import headings, turned
from motionloom.rotation import angle_between, from_axis_angle, inverse, multiply, rotate
from motionloom.samples import make


@pytest.fixture(scope="module")
def carry() -> Clip:
    return make("carry", seconds=5, seed=2, fps=30)


@pytest.fixture(scope="module")
def curve() -> Clip:
    return make("walk", turn=0.7, seconds=3, seed=1, fps=30)


@pytest.fixture(scope="module")
def spliced(carry, curve):
    return splice(carry, curve)


def test_a_clip_spliced_with_itself_is_unchanged(curve):
    made = splice(curve, curve)
    assert_allclose(made.clip.rotations, curve.rotations, atol=1e-9)
    assert_array_equal(made.clip.root, curve.root)
    assert made.timing.cost < 1e-6
    assert made.timing.crop == 0


def test_lower_joints_and_root_have_the_bits_of_the_lower_clip(spliced, curve):
    upper = cut_named(curve.skeleton).joints
    lower = [j for j in range(len(curve.skeleton)) if j not in upper]
    assert_array_equal(spliced.clip.rotations[:, lower], curve.rotations[:, lower])
    assert_array_equal(spliced.clip.root, curve.root)


def test_upper_joints_are_those_of_the_upper_clip_at_the_aligned_times(spliced, curve):
    inside = cut_named(curve.skeleton).joints[1:]
    timed = at_times(spliced.upper, spliced.seconds)
    assert_array_equal(spliced.clip.rotations[:, inside], timed.rotations[:, inside])


def test_what_both_hands_hold_keeps_its_width(spliced, carry):
    def width(clip):
        points = fk(clip)
        return np.linalg.norm(
            points[:, clip.skeleton.joint("left_hand")] - points[:, clip.skeleton.joint("right_hand")], axis=1
        )

    assert_allclose(width(spliced.clip), width(at_times(spliced.upper, spliced.seconds)), atol=1e-9)


def test_the_posture_is_that_of_the_upper_clip(spliced):
    timed = at_times(spliced.upper, spliced.seconds)
    assert np.degrees(posture_difference(spliced.clip, timed)) < 0.01


def test_turning_the_lower_clip_turns_the_result(spliced, carry, curve):
    again = splice(carry, turned(curve, 1.1, about=(2, 3)))
    assert_allclose(fk(again.clip), fk(turned(spliced.clip, 1.1, about=(2, 3))), atol=1e-8)


def test_turning_and_moving_the_upper_clip_changes_nothing(spliced, carry, curve):
    again = splice(turned(carry, -2.0, about=(1, 0)), curve)
    assert_allclose(fk(again.clip), fk(spliced.clip), atol=1e-8)


def other_axes(clip: Clip) -> Clip:
    """The same motion on a skeleton whose joints have other axes at rest."""
    rng = np.random.default_rng(5)
    count = len(clip.skeleton)
    extra = from_axis_angle(rng.normal(size=(count, 3)), rng.uniform(0.2, 2.0, count))  # world: Q' = Q extra
    turns = multiply(fk_rotations(clip)[1], extra)
    above = np.where(clip.skeleton.parents < 0, 0, clip.skeleton.parents)
    offsets = rotate(inverse(extra[above]), clip.skeleton.offsets)
    offsets[0] = clip.skeleton.offsets[0]
    body = Skeleton(clip.skeleton.names, clip.skeleton.parents, offsets, clip.skeleton.roles)
    return replace(clip, skeleton=body, rotations=local_rotations(body, turns))


def test_other_rest_axes_give_the_same_joint_positions(spliced, carry, curve):
    lower = other_axes(curve)
    upper = replace(other_axes(carry), skeleton=lower.skeleton)
    assert_allclose(fk(lower), fk(curve), atol=1e-9)
    assert_allclose(fk(splice(upper, lower).clip), fk(spliced.clip), atol=1e-6)


def test_joints_are_nearer_to_the_truth_than_by_naive_replacement(carry):
    lower, truth = (make(name, turn=0.7, speed=1.0, seconds=3, seed=4, fps=30) for name in ("walk", "carry"))
    inside = cut_named(lower.skeleton).joints

    def error(stages):
        made = splice(carry, lower, stages=stages).clip
        return np.linalg.norm(fk(made)[:, inside] - fk(truth)[:, inside], axis=-1).mean()

    assert error(FULL) < error(NAIVE)


def test_the_neck_is_steadier_than_by_naive_replacement():
    carry, steps = make("carry", seconds=6, seed=2, fps=30), make("steps", seed=3, fps=30)

    def wobble(clip):
        points, neck = fk(clip), clip.skeleton.joint("neck")
        path = points[:, neck] - points[:, 0]
        own = fk(steps)
        return np.linalg.norm(
            path - path.mean(0) - (own[:, neck] - own[:, 0]) + (own[:, neck] - own[:, 0]).mean(0), axis=1
        ).mean()

    assert wobble(splice(carry, steps).clip) < 0.5 * wobble(splice(carry, steps, stages=NAIVE).clip)


def test_with_the_global_orientation_the_upper_body_faces_as_in_its_clip(carry, curve):
    back = turned(carry, np.pi)
    chest = lambda clip: fk_rotations(clip)[1][:, clip.skeleton.joint("spine")]
    made = splice(back, curve, stages=GLOBAL)
    assert angle_between(chest(made.clip), chest(at_times(made.upper, made.seconds))).max() < 1e-6


def test_stages_can_be_left_out(carry, curve):
    spine = curve.skeleton.joint("spine")
    made = splice(carry, curve, stages=TIME_ONLY)
    assert_allclose(made.clip.rotations[:, spine], at_times(made.upper, made.seconds).rotations[:, spine], atol=1e-12)
    assert splice(carry, curve, stages=NAIVE).timing is None
    untransferred = splice(carry, curve, stages=Stages(posture=False))
    assert_array_equal(untransferred.posture, [1, 0, 0, 0])


def test_a_plain_walk_of_the_performer_keeps_the_lean_into_the_curve(carry):
    walk = make("walk", speed=1.0, seconds=4, seed=2, fps=30)
    curve = make("walk", turn=1.2, speed=1.2, seconds=3, seed=1, fps=30)
    whole, difference = splice(carry, curve), splice(carry, curve, plain=walk)
    same = splice(walk, curve, plain=walk)
    assert_allclose(same.posture, [1, 0, 0, 0], atol=0.02)  # nothing differs from a plain walk
    assert angle_between(whole.posture, difference.posture) > 0.005


def test_arms_stay_in_phase_with_the_legs():
    upper = make("walk", seconds=6, seed=5, fps=30)
    lower = make("walk", speed=1.7, seconds=3, seed=6, fps=30)
    made = splice(upper, lower).clip

    def lead(clip, left, right):
        points = fk(clip)
        h = headings(clip)
        ahead = np.stack([np.sin(h), np.zeros(len(h)), np.cos(h)], 1)
        return np.einsum(
            "fk,fk->f", points[:, clip.skeleton.joint(left)] - points[:, clip.skeleton.joint(right)], ahead
        )

    arms, legs = lead(made, "left_hand", "right_hand"), lead(made, "left_shin", "right_shin")
    assert np.corrcoef(arms, legs)[0, 1] < -0.8


def test_a_short_cyclic_action_is_repeated(curve):
    made = splice(make("carry", seconds=2.2, seed=2, fps=30), curve)
    assert made.loop is not None
    assert len(made.clip) == len(curve)
    start, end = made.loop.start / 30, made.loop.end / 30
    assert any(f"{start:.1f} to {end:.1f} s" in note.text for note in made.clip.origin.notes)
    assert made.action_time(made.seconds).min() >= start
    assert made.action_time(made.seconds).max() <= end


def test_an_action_that_begins_at_rest_begins_with_its_first_step(carry, curve):
    rest = round(1.5 * carry.fps)
    standing = at_times(carry, np.maximum(np.arange(len(carry) + rest) - rest, 0) / carry.fps)
    assert align_legs(curve, standing).crop > 1.0
    assert align_legs(standing, standing).crop == 0  # both rest


@pytest.mark.parametrize("lower", ["walk_run", "steps", "run"])
def test_no_part_of_an_action_is_rushed_through(lower):
    made = splice(make("carry", seconds=6, seed=2, fps=30), make(lower, seed=1, fps=30))
    pace = np.diff(made.seconds) * made.clip.fps
    assert pace.max() < 3.001


def test_quick_hands_are_not_made_quicker_to_bring_the_legs_nearer():
    drunk, stairs = make("walk", style="drunk", seconds=8, seed=4, fps=30), make("steps", seed=2, fps=30)
    own = hand_speeds(drunk).max()
    made, published = splice(drunk, stairs), splice(drunk, stairs, stages=HECK)
    assert hand_speeds(published.clip).max() > 2 * own  # down the stairs, 1 cm nearer to the legs
    assert hand_speeds(made.clip).max() < 1.2 * own
    assert made.timing.cost < published.timing.cost + 0.01
    notes = {which: [n.text for n in one.clip.origin.notes] for which, one in (("made", made), ("heck", published))}
    assert any("times as fast there, to keep up with the legs" in text for text in notes["heck"])
    assert not any("to keep up with the legs" in text for text in notes["made"])


def test_a_short_action_that_is_not_cyclic_is_rejected_with_advice_or_cropped(curve):
    short = make("steps", count=2, seed=3, fps=30)
    long = make("walk", seconds=8, seed=1, fps=30)
    with pytest.raises(BadRequest, match=r"not cyclic.*--crop"):
        splice(short, long)
    made = splice(short, long, crop=True)
    assert len(made.clip) < len(long)
    assert any("left out" in note.text for note in made.clip.origin.notes)


def test_the_origin_has_two_parts(spliced, carry, curve):
    origin = spliced.clip.origin
    assert origin.parts == ("lower", "upper")
    assert [s.sources[0].name for s in origin.spans(0)] == [curve.name]
    assert {s.sources[0].name for s in origin.spans(1)} == {carry.name}
    assert_allclose(origin.frames[:, 1, 0], spliced.seconds * carry.fps, atol=1e-6)


OTHER_CUTS = ("arms", "hands", "left_forearm", "Spine1", "head, right_arm", "left_shoulder")


@pytest.mark.parametrize("cut", [*(c for c in CUTS if c != "upper"), *OTHER_CUTS])
def test_other_cuts_change_only_their_part(cut, curve):
    wave = make("carry", seconds=5, seed=2, fps=30)
    made = splice(wave, curve, cut=cut)
    inside = np.concatenate([part.joints for part in cuts_named(curve.skeleton, cut)])
    outside = [j for j in range(len(curve.skeleton)) if j not in inside]
    assert_array_equal(made.clip.rotations[:, outside], curve.rotations[:, outside])
    assert np.abs(made.clip.rotations[:, inside] - curve.rotations[:, inside]).max() > 1e-3
    assert any("extension" in note.text for note in made.clip.origin.notes)
    same = splice(curve, curve, cut=cut)
    assert_allclose(same.clip.rotations, curve.rotations, atol=1e-9)


@pytest.mark.parametrize("cut", [*CUTS, "left_forearm", "Spine1", "left_shoulder"])
def test_no_cut_spins_the_attachment(cut, curve):
    """A hanging forearm is almost vertical: a frame with its x axis there and y upwards would spin."""
    made = splice(make("carry", seconds=5, seed=2, fps=30), curve, cut=cut)
    joint = cut_named(curve.skeleton, cut).joint
    fastest = lambda clip: np.degrees(angle_between(clip.rotations[1:, joint], clip.rotations[:-1, joint])).max() * 30
    assert fastest(made.clip) < 1.5 * (fastest(curve) + fastest(made.upper))


def test_progress_is_reported_while_legs_are_aligned(carry, curve):
    seen = []

    class Report(Silent):
        def __call__(self, share, stage):
            seen.append(share)

    splice(carry, curve, progress=Report())
    assert any(0 < share < 0.6 for share in seen)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_the_common_phase_is_the_first_good_minimum():
    cost = np.array([5.0, 4.0, 5.0, 2.0, 1.0, 2.0, 3.0, 1.1, 3.0]) ** 2
    assert common_phase(cost, period=1.0, fps=8) == 4
    assert common_phase(cost[::-1], period=1.0, fps=8) == 1  # 1.1 is within a factor of 1.2


def test_height_does_not_shift_the_alignment(curve):
    raised = replace(curve, root=curve.root + np.linspace(0, 2, len(curve))[:, None] * [0, 1, 0])
    timing = align_legs(raised, curve)
    times = np.arange(len(curve)) / curve.fps
    off = np.abs(timing.upper_times(times) - times)
    assert off.max() < 0.1  # where they begin in phase: a climbing body looks like one that is a moment later
    assert off[6:].max() < 0.02


def test_feet_must_step(curve):
    standing = make("look", seconds=4, fps=30)
    with pytest.raises(BadRequest, match="feet do not step"):
        splice(standing, curve)


def test_clips_without_a_common_phase_are_an_error():
    """An action that comes to the phase of the walk's first frame only in its own last frames."""
    walk = make("walk", seconds=3, seed=1)
    with pytest.raises(BadRequest, match="no phase in common"):
        align_legs(walk[70:], walk[48:74])


def test_missing_roles_are_listed(curve):
    roles = tuple("" if r in ("left_shin", "spine") else r for r in curve.skeleton.roles)
    bare = replace(curve, skeleton=replace_roles(curve.skeleton, roles))
    with pytest.raises(BadRequest, match=r"role left_shin|role spine"):
        splice(bare, bare)
    roles = tuple("" if r in ("right_upper_arm", "spine") else r for r in curve.skeleton.roles)
    with pytest.raises(BadRequest, match="role spine, right_upper_arm; assign"):
        cut_named(replace_roles(curve.skeleton, roles))


def test_an_action_on_another_body_needs_the_roles_of_the_cut(carry, curve):
    roles = tuple("" if r.endswith(("arm", "hand")) or r.startswith("spine") else r for r in carry.skeleton.roles)
    names = tuple(f"bone{j}" for j in range(len(roles)))
    body = Skeleton(names, carry.skeleton.parents, carry.skeleton.offsets, roles, carry.skeleton.ends)
    bare = replace(carry, skeleton=body)
    with pytest.raises(BadRequest, match="role spine, left_upper_arm, right_upper_arm; assign"):
        require_part(bare, curve)
    with pytest.raises(BadRequest, match="role left_forearm; assign"):
        require_part(bare, curve, "left_forearm")
    require_part(bare, curve, "head")


def replace_roles(skeleton, roles):
    return Skeleton(skeleton.names, skeleton.parents, skeleton.offsets, roles, skeleton.ends)


def test_other_joints_need_retargeting(curve):
    with pytest.raises(SkeletonMismatch, match="retarget"):
        splice(make("dog_walk", seconds=2, fps=30), curve)


def test_unknown_cuts_and_stages_are_errors(carry, curve):
    with pytest.raises(BadRequest, match="expected one of upper"):
        splice(carry, curve, cut="tail")
    with pytest.raises(BadRequest, match="left_arm and left_hand overlap"):
        splice(carry, curve, cut="left_arm,left_hand")
    with pytest.raises(BadRequest, match="arms and left_hand overlap"):
        splice(carry, curve, cut="arms,left_hand")
    with pytest.raises(BadRequest, match="left_shin is part of a leg, and hips and legs are always those of the walk"):
        splice(carry, curve, cut="left_shin")
    with pytest.raises(BadRequest, match="expected one of upper"):
        splice(carry, curve, cut="head,")
    with pytest.raises(BadRequest, match="would replace the whole body"):
        splice(carry, curve, cut="Hips")
    with pytest.raises(BadRequest, match="expected aligned, local, global"):
        Stages(space="up")  # type: ignore[arg-type]


def test_a_body_whose_spine_counts_as_fingers_has_no_cut():
    """The roles of a file may call the hips a hand: everything below it is a finger then."""
    body = make("walk", seconds=1).skeleton
    roles = tuple("left_hand" if r == "hips" else "hips" if r == "left_hand" else r for r in body.roles)
    with pytest.raises(BadRequest, match="check the roles of hands"):
        cut_named(Skeleton(body.names, body.parents, body.offsets, roles, body.ends))
