"""Transitions: what lies outside stays, what lies inside is smooth, and feet stand."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.analysis.alignment import align_cycles, cycle_times
from motionloom.blend import TRANSITIONS, append, blend_transition, blend_weights, spacetime, stitch, transition_point
from motionloom.blend.dynamics import joint_torques, segments
from motionloom.blend.stitch import displacement
from motionloom.core import BadRequest, Clip, InvalidClip, Skeleton, SkeletonMismatch, replace
from motionloom.core.testing import assert_same_motion
from motionloom.kinematics.feet.contacts import contacts, foot_parts, part_positions, with_contacts
from motionloom.kinematics.fk import accelerations, fk
from motionloom.kinematics.ground_alignment import ground_alignment
from motionloom.kinematics.travel import moved, turned
from motionloom.rotation import angle_between, slerp
from motionloom.samples import make

HALF = 12  # 0.4 s at 60 fps
METHODS = sorted(TRANSITIONS)


@pytest.fixture(scope="module")
def point(stroll, march):
    return transition_point(stroll, march, half=HALF)


@pytest.fixture(scope="module")
def results(stroll, march, point) -> dict[str, Clip]:
    """Every transition from the stroll to the march, which stands elsewhere and faces another way."""
    there = moved(turned(march, 1.1), (4.0, -3.0))
    return {name: append(stroll, there, method=name, at=point, seconds=0.4) for name in METHODS}


def test_the_transition_point_is_where_the_clips_look_most_alike(stroll, march, point):
    """Both walks have cycles of 1 s: the phases must agree."""
    phase = (point.a / 60 - (point.b / 60 + 0.3)) % 1.0
    assert min(phase, 1 - phase) < 0.06
    assert 4 - 1.5 - 0.4 < point.a / 60 < 4 - 0.2
    assert 0.2 < point.b / 60 < 1.5 + 0.4


@pytest.mark.parametrize("method", METHODS)
def test_frames_before_and_after_are_untouched(method, results, stroll, march, point):
    result = results[method]
    first, last = point.a - HALF + 1, point.a + HALF
    assert len(result) == point.a + len(march) - point.b
    assert_same_motion(result[:first], stroll[:first])
    rest, source = result[last:], march[point.b + HALF :]
    there = ground_alignment(fk(rest)[0], fk(source)[0], np.ones(len(rest.skeleton)))
    assert_same_motion(there.clip(source), rest, metres=1e-9, radians=1e-9)
    assert there.distance < 1e-18


@pytest.mark.parametrize("method", METHODS)
def test_nothing_jumps(method, results, stroll, march, point):
    """C0: no joint goes farther from frame to frame than in the clips themselves, with a little to spare."""
    steps = [np.linalg.norm(np.diff(fk(clip), axis=0), axis=-1).max() for clip in (results[method], stroll, march)]
    assert steps[0] < 1.15 * max(steps[1:])


@pytest.mark.parametrize("method", ["blend", "spacetime"])
def test_speeds_do_not_jump(method, results, stroll, march):
    """C1: no joint is pushed harder than in the clips themselves."""
    pushes = [
        np.linalg.norm(np.diff(fk(clip), 2, axis=0), axis=-1).max() * 3600 for clip in (results[method], stroll, march)
    ]
    assert pushes[0] < 1.3 * max(pushes[1:])


@pytest.mark.parametrize("method", METHODS)
def test_standing_feet_do_not_slide(method, results, stroll, march, point):
    result = results[method]
    on_a, on_b = contacts(stroll), contacts(march)
    places = part_positions(result)
    for i, part in enumerate(foot_parts(result.skeleton)):
        on = np.concatenate([on_a[part.label][: point.a], on_b[part.label][point.b :]])
        inside = np.zeros(len(on), bool)
        inside[point.a - HALF : point.a + HALF + 1] = True
        still = on[1:] & on[:-1] & inside[1:] & inside[:-1]
        source = np.concatenate([part_positions(stroll)[: point.a, i], part_positions(march)[point.b :, i]])
        own = np.linalg.norm(np.diff(source, axis=0), axis=-1)[still & (np.arange(len(still)) != point.a - 1)]
        speed = np.linalg.norm(np.diff(places[:, i], axis=0), axis=-1)[still]
        if still.any():
            assert speed.max() * 60 < own.max(initial=0.0) * 60 + 0.02  # m/s: no more than in the clips


@pytest.mark.parametrize("method", METHODS)
def test_provenance_says_what_was_made_and_what_was_taken(method, stroll, march, point):
    from motionloom.core.origin import from_file

    a = replace(stroll, origin=from_file("stroll.bvh", len(stroll)))
    b = replace(march, origin=from_file("march.bvh", len(march)))
    origin = append(a, b, method=method, at=point, seconds=0.4).origin
    before, inside, after = origin.spans()
    assert [[s.name for s in span.sources] for span in (before, inside, after)] == [
        ["stroll.bvh"],
        ["stroll.bvh", "march.bvh"],
        ["march.bvh"],
    ]
    assert (before.first, after.first) == ((0,), (point.b + HALF,))
    assert inside.first == (point.a - HALF + 1, point.b - HALF + 1)
    assert [span.frames for span in (before, inside, after)] == [
        point.a - HALF + 1,
        2 * HALF - 1,
        len(b) - point.b - HALF,
    ]
    share = origin.weights[before.frames : before.frames + inside.frames, 0, 1]
    assert (np.diff(share) > 0).all()  # B comes in steadily
    np.testing.assert_allclose(share + share[::-1], 1.0, atol=1e-12)
    assert not origin.single[before.frames : before.frames + inside.frames].any()


@pytest.mark.parametrize("method", METHODS)
def test_a_clip_appended_to_itself_in_phase_goes_on_as_it_was(method, stroll):
    """Cut at 2 s and go on at 2 s: the same clip, to the bit for blend and stitch."""
    result = append(stroll, stroll, method=method, at=(2.0, 2.0))
    close = {"metres": 0.02, "radians": 0.35} if method == "spacetime" else {"metres": 1e-9, "radians": 1e-6}
    assert_same_motion(result, stroll, **close)


def test_weights_run_from_0_to_1_as_corrected():
    """HECK 3.3: alpha = (t - (t_o - w/2)) / w."""
    assert blend_weights(2, "linear") == pytest.approx([0.25, 0.5, 0.75])
    assert blend_weights(2, "smooth") == pytest.approx([0.15625, 0.5, 0.84375])
    with pytest.raises(BadRequest, match="linear or smooth"):
        blend_weights(2, "cubic")


def test_a_plain_blend_is_the_formula(stroll, march, point):
    result = blend_transition(stroll, march, point, seconds=0.4, plants=False, ease="linear")
    f, alpha = point.a + 3, (HALF + 3) / (2 * HALF)
    rest = result[point.a + HALF :]
    there = ground_alignment(fk(rest)[0], fk(march)[point.b + HALF], np.ones(len(rest.skeleton))).clip(march)
    b = point.b + 3
    assert result.root[f] == pytest.approx((1 - alpha) * stroll.root[f] + alpha * there.root[b], abs=1e-9)
    expected = slerp(stroll.rotations[f], there.rotations[b], alpha)
    assert angle_between(result.rotations[f], expected).max() < 1e-9


def test_the_stitch_is_guan_2_23_and_continuous():
    """At the join the end of the first clip has half the jump, the start of the second the other half."""
    s = 100
    y = displacement(s)
    assert len(y) == 2 * s - 1
    assert y[s - 2] == pytest.approx(0.5, abs=0.02)
    assert y[s - 1] == -0.5
    assert y[0] == pytest.approx(0.5 * (1 / s) ** 2)
    assert y[-1] == pytest.approx(-0.5 * (1 / s) ** 2)


def test_a_stitch_takes_away_the_jump_that_a_cut_leaves(stroll, march, point):
    smooth = stitch(stroll, march, point, seconds=0.4, plants=False)
    step = np.linalg.norm(smooth.root[point.a] - smooth.root[point.a - 1])
    usual = np.linalg.norm(np.diff(stroll.root, axis=0), axis=1).max()
    assert step < 1.5 * usual


def test_spacetime_moves_the_root_by_integrated_speed(stroll, march, point):
    """GUAN 2.19 with constant speeds: the mean of both, on average, and in a straight line."""
    result = spacetime(stroll, march, point, seconds=0.4, plants=False, iterations=0)
    made = result.root[point.a - HALF : point.a + HALF + 1]
    assert made[-1, 2] - made[0, 2] == pytest.approx((0.9 + 1.15) / 2 * 0.4, abs=1e-6)
    speeds = np.diff(made[:, 2]) * 60
    assert np.diff(speeds) == pytest.approx(np.full(len(speeds) - 1, speeds[1] - speeds[0]), abs=1e-9)


def test_spacetime_needs_less_torque_than_its_first_guess(stroll, march, point):
    body = segments(stroll.skeleton)
    arms = [stroll.skeleton.joint(f"{s}_{p}") for s in ("left", "right") for p in ("upper_arm", "forearm")]
    arms.append(stroll.skeleton.joint("spine"))

    def effort(iterations, **options):
        whole = spacetime(stroll, march, point, seconds=0.4, iterations=iterations, **options)
        clip = whole[point.a - HALF : point.a + HALF + 1]
        torque = joint_torques(clip.skeleton, body, np.array(clip.root), np.array(clip.rotations), clip.fps)
        return (torque[:, arms] ** 2).sum()

    assert effort(6) < 0.98 * effort(0)
    assert effort(2, stiffness=0.0) < effort(2) < effort(2, stiffness=500.0)
    with pytest.raises(BadRequest, match="stiffness: expected 0 N m per radian or more, found -1"):
        spacetime(stroll, march, point, stiffness=-1.0)


def test_arms_are_not_flung_to_relieve_a_bent_back():
    a, b = make("duck", seed=1), make("duck", seed=0)
    point = transition_point(a, b, half=12)
    hands = [a.skeleton.joint(f"{side}_hand") for side in ("left", "right")]
    guess, found = (
        np.linalg.norm(accelerations(fk(append(a, b, method="spacetime", at=point, iterations=n)), a.fps), axis=-1)
        for n in (0, 6)
    )
    near = slice(point.a - 12, point.a + 13)
    assert found[near, hands].max() < 2.5 * guess[near, hands].max()


def test_a_body_without_feet_is_joined_all_the_same(tiny):
    long = tiny[np.arange(60) % 10]
    for method in METHODS:
        assert len(append(long, long, method=method, at=(3.0, 2.0), seconds=0.6)) == 70


def test_clips_that_cannot_be_joined_are_refused(stroll, march, arm):
    with pytest.raises(BadRequest, match="expected one of blend, stitch, spacetime, found 'morph'"):
        append(stroll, march, method="morph")
    with pytest.raises(BadRequest, match="differ in frame rate"):
        append(stroll, replace(march, fps=30.0))
    with pytest.raises(InvalidClip, match="too short"):
        append(stroll[:20], march)
    with pytest.raises(BadRequest, match=r"between 0.2 s and 3.78 s, found 3.95 s"):
        append(stroll, march, at=(3.95, 1.0))
    with pytest.raises(BadRequest, match="longer than 0 s"):
        append(stroll, march, seconds=0)
    other = Skeleton(("Hips", *stroll.skeleton.names[1:-1], "End"), stroll.skeleton.parents, stroll.skeleton.offsets)
    with pytest.raises(SkeletonMismatch, match="'RightToe' in one, 'End' in the other"):
        append(stroll, replace(march, skeleton=other))


def test_a_contact_that_is_interrupted_for_a_moment_is_one_step(stroll):
    """Captured feet tremble: 0.07 s off the ground began a cycle of its own, and a blend by cycles was 1.2 cycles."""
    whole = with_contacts(stroll)
    labels, middle = whole.labels.copy(), round((cycle_times(whole)[0] + 0.2) * whole.fps)
    left = [i for i, name in enumerate(whole.label_names) if "left" in name]
    assert labels[middle - 2 : middle + 8, left].any(1).all()
    labels[middle : middle + round(0.07 * whole.fps), left] = False
    np.testing.assert_allclose(cycle_times(replace(whole, labels=labels)), cycle_times(whole))


def test_cycles_begin_where_the_foot_comes_down(stroll, march):
    """The left foot comes down at whole seconds of its own phase, and every cycle of one goes with one of the other."""
    first, second = cycle_times(stroll), cycle_times(march)
    assert np.diff(first) == pytest.approx(np.ones(len(first) - 1), abs=0.05)
    curve = align_cycles([stroll, march])
    assert curve.matching(first[:3]) == pytest.approx(second[:3], abs=1e-9)
    with pytest.raises(BadRequest, match="has no such foot"):
        cycle_times(stroll, "left_front_foot")
