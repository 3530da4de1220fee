"""Variants: degrees of freedom, amount, limbs at their targets, streams, strokes, and clear errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from variation_helpers import QUICK, raw

from motionloom.constraints import Request
from motionloom.core import BadRequest
from motionloom.core.origin import from_file
from motionloom.evaluate.measures.jumps import transition_jumps
from motionloom.evaluate.measures.smoothness import mean_jerk
from motionloom.io import load
from motionloom.kinematics.fk import fk
from motionloom.kinematics.pace import change_rate, pace_along
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import placed
from motionloom.kinematics.trim import trim_contacts
from motionloom.methods import learn, synthesize
from motionloom.methods.synthesis import rendered
from motionloom.methods.variation import Config, fit
from motionloom.methods.variation._kernels_mix import begin_knots, weights_at, within
from motionloom.methods.variation.calibration import VARIANTS, drawn_length, gain
from motionloom.methods.variation.dofs import fit_dofs
from motionloom.methods.variation.takes import MARGIN, TOGETHER, aligned_values, deviation_correlations
from motionloom.methods.variation.timing import MOMENTS, common_clock, find_loop, not_returning, resting
from motionloom.rotation import from_axis_angle
from motionloom.samples import make


def test_degrees_of_freedom_give_the_clip_back(walks):
    dofs = fit_dofs(walks)
    assert dofs.count < dofs.layout.count  # constant columns are dropped
    assert dofs.displacement.sum() == 3
    whole = fit_dofs([walks[0]])
    back = whole.clip(whole.values(walks[0]))
    still = placed(walks[0])
    np.testing.assert_allclose(back.root, still.root, atol=2e-3)
    assert np.abs(fk(back) - fk(still)).max() < 0.02  # what is constant moves by less than half a degree
    variances = whole.values(walks[0]).var(0)
    thigh = [i for i, n in enumerate(whole.names) if n.startswith(walks[0].skeleton.names[whole.joints[-1]])]
    assert (np.diff(variances[thigh]) <= 1e-12).all()  # the first principal axis varies most


def test_warped_takes_are_aligned():
    t = np.linspace(0, 1, 60)
    takes = [np.stack([np.sin(6 * u), np.cos(4 * u)], 1) for u in (t, t**1.2, np.linspace(0, 1, 50))]
    frames = common_clock(takes, np.ones(2), 60.0)
    where = [
        np.interp(row, np.arange(len(take)), u)
        for row, take, u in zip(frames, takes, (t, t**1.2, np.linspace(0, 1, 50)), strict=True)
    ]
    assert np.ptp(where, axis=0).max() < 0.03  # at each moment all are at the same point of the motion
    assert (np.diff(frames, axis=1) >= 0).all()


def test_without_variation_every_take_is_the_mean_motion(walker):
    a, b = (raw(walker, seed=seed, amount=0.0) for seed in (1, 2))
    assert np.array_equal(a.rotations, b.rotations)
    assert np.array_equal(a.root, b.root)
    faithful = [raw(walker, seed=seed, amount=0.0, variant="faithful") for seed in (1, 2)]
    assert np.array_equal(faithful[0].rotations, faithful[1].rotations)


def test_variants_differ_from_the_takes_and_from_each_other(walker):
    made = [walker.dofs.values(raw(walker, seed=seed)) for seed in range(4)]
    others = [*made[1:], *walker.sequences]
    for frames in others:
        near = np.linalg.norm(made[0][:, None] - frames[None], axis=2).min()
        assert near > 1e-3
    assert len({len(values) for values in made}) > 1  # each has its own timing


def test_arms_that_swing_together_in_all_takes_do_so_in_variants():
    """Each take swings both arms by one angle of its own, which comes and goes; so do variants, at other angles."""
    still = resample(make("idle", seconds=3.0), 30.0)
    arms = [still.skeleton.joint(f"{side}_upper_arm") for side in ("left", "right")]
    hands = [still.skeleton.joint(f"{side}_hand") for side in ("left", "right")]
    t = np.linspace(0, 1, len(still))
    takes = []
    for k in range(4):
        angles = 2.0 * np.sin(np.pi * t) + 0.3 * np.sin(2 * np.pi * (t * (1 + 0.4 * k) + 0.3 * k))
        rotations = np.repeat(still.rotations[:1], len(t), axis=0)
        for arm, side in zip(arms, (1.0, -1.0), strict=True):  # from hanging to above the head
            rotations[:, arm] = from_axis_angle([0.0, 0.0, side], angles - 1.0)
        takes.append(replace(still, rotations=rotations, root=np.repeat(still.root[:1], len(t), axis=0)))

    def gap(clip):
        heights = fk(clip)[:, hands, 1]
        return np.abs(heights[:, 0] - heights[:, 1]).max()

    model = fit(takes, QUICK, rng=np.random.default_rng(0))
    made = [raw(model, seed=seed) for seed in range(6)]
    assert max(map(gap, made)) < max(map(gap, takes)) + 0.01
    heights = [fk(clip)[:60, hands[0], 1] for clip in made]
    assert np.std(heights, axis=0).max() > 0.03  # they still vary


def test_a_hand_that_is_kept_still_while_the_shoulder_shakes_is_so_in_variants():
    """An elbow makes up for a quick shake of the shoulder; each take moves both slowly, in its own way, beside."""
    still = resample(make("idle", seconds=3.0), 60.0)
    arm, elbow, hand = (still.skeleton.joint(f"left_{name}") for name in ("upper_arm", "forearm", "hand"))
    upper, lower = np.linalg.norm(still.skeleton.offsets[[elbow, hand]], axis=1)
    t, takes = np.arange(len(still)) / 60.0, []
    for k in range(4):
        shake = 0.03 * np.sin(2 * np.pi * 8.0 * t + 1.7 * k)
        rotations = np.repeat(still.rotations[:1], len(t), axis=0)
        slow = np.sin(2 * t) + 0.05 * np.sin(4 * t + 2.0 * k), 0.05 * np.sin(4 * t + 5.0 * k)
        for joint, angle in ((arm, slow[0] + shake), (elbow, slow[1] - shake * (upper + lower) / lower)):
            rotations[:, joint] = from_axis_angle([0.0, 0.0, 1.0], angle)
        takes.append(replace(still, rotations=rotations, root=np.repeat(still.root[:1], len(t), axis=0)))

    def rough(clips):
        return np.median([mean_jerk(fk(clip)[:, [hand]], 60.0) for clip in clips])

    model = fit(takes, replace(QUICK, fps=60.0), rng=np.random.default_rng(0))
    made = [raw(model, seed=seed) for seed in range(8)]
    assert rough(made) < 2.5 * rough(takes)  # 7 where each joint is mixed with weights of its own


def test_two_hands_at_one_height_stay_there_and_are_no_faster_than_in_the_takes():
    """Both arms swing by one angle, at another time in each take: timing must neither part nor hurry them."""
    still = resample(make("idle", seconds=3.0), 30.0)
    arms = [still.skeleton.joint(f"{side}_upper_arm") for side in ("left", "right")]
    hands = [still.skeleton.joint(f"{side}_hand") for side in ("left", "right")]
    t, takes = np.linspace(0, 1, len(still)), []
    for k in range(4):
        angles = (1.0 + 0.2 * k) * np.exp(-(((t - 0.45 - 0.03 * k) / 0.15) ** 2))
        rotations = np.repeat(still.rotations[:1], len(t), axis=0)
        for arm, side in zip(arms, (1.0, -1.0), strict=True):
            rotations[:, arm] = from_axis_angle([0.0, 0.0, side], angles - 1.0)
        takes.append(replace(still, rotations=rotations, root=np.repeat(still.root[:1], len(t), axis=0)))

    def fastest(clip):
        return np.linalg.norm(np.diff(fk(clip)[:, hands], axis=0), axis=2).max() * clip.fps

    model = fit(takes, QUICK, rng=np.random.default_rng(0))
    made = [raw(model, seed=seed) for seed in range(12)]
    known = [fastest(clip) for clip in takes]
    assert np.median([fastest(clip) for clip in made]) <= max(known)
    assert max(fastest(clip) for clip in made) <= 1.55 * max(known)  # one of twelve
    heights = np.stack([fk(clip)[:40, hands, 1] for clip in made])
    assert np.abs(heights[..., 0] - heights[..., 1]).max() < 0.02


def test_sources_are_frames_of_the_files_at_their_own_frame_rate(walks):
    """Takes at 120 fps, a model at 30: between two frames of the model lie four of the files."""
    takes = [resample(take, 120.0) for take in walks]
    takes = [replace(take, origin=from_file(f"{s}.bvh", len(take))) for s, take in enumerate(takes)]
    model = fit([resample(take, 30.0) for take in takes], QUICK, rng=np.random.default_rng(0))
    origin = raw(model, seed=1).origin
    for k, take in enumerate(takes):
        frames = origin.frames[:, 0][origin.which[:, 0] == k]
        assert np.diff(frames).min() > 2.0  # four on average
        assert np.diff(frames).max() < 8.0
        assert frames[0] < 2
        assert len(take) - 8 < frames[-1] <= len(take) - 1
    state = model.live.begin(np.arange(3))
    found = model.live.sources(state)
    at = state.clock[:, 0] / (model.live.tables.takes.values.shape[1] - 1)
    np.testing.assert_allclose(found.frames[:, 0].mean(1), at * np.mean([len(take) for take in takes]), atol=8.0)


def test_joints_that_vary_together_in_the_takes_do_so_in_variants(walker):
    """The correlation of deviations from the mean motion; weights that are not shared lose it."""

    def together(model, seeds):
        made = [model.dofs.values(raw(model, seed=seed, hold_feet=False)) for seed in seeds]
        scales = model.dofs.scales("reach", np.concatenate(made))
        frames = common_clock(made, scales, model.fps)
        found = deviation_correlations(aligned_values(made, frames, model.dofs))
        known = deviation_correlations(model.takes.values)
        pairs = np.triu_indices(len(known), 1)
        known, found = known[pairs], found[pairs]
        strong = np.abs(known) > TOGETHER
        return np.median(np.sign(known[strong]) * found[strong]), np.corrcoef(known, found)[0, 1]

    strong, all_pairs = together(walker, range(6))
    assert strong > 0.9
    assert all_pairs > 0.6
    strong, all_pairs = together(replace(walker, sharing=np.eye(walker.dofs.count)), range(6))
    assert strong < 0.5
    assert all_pairs < 0.6


def test_the_axes_of_a_joint_are_mixed_from_the_same_takes(walker):
    noise = walker.sharing @ walker.sharing.T  # correlation of the weights
    same = walker.dofs.joints[:, None] == walker.dofs.joints
    assert noise[same].min() > 0.6
    assert np.median(noise[~same]) < 0.3


def test_the_clock_and_the_displacements_are_mixed_from_the_same_takes(walker):
    """Speed is displacement by time: other weights for one than for the other make hips accelerate."""
    takes, count = walker.takes, walker.dofs.count
    shares, found = len(takes.values), []
    first, knots, weights = np.zeros(1, np.int64), np.empty((4, shares, count)), np.empty((shares, count + 2))
    for seed in range(30):
        begin_knots(seed, first, knots, takes.sharing)
        for moment in range(0, 120, 10):
            base, amounts = np.full(shares, 1 / shares), np.ones(count + 1)
            weights_at(seed, float(moment), 20.0, first, knots, takes, base, amounts, weights)
            found.append(weights[:, [walker.dofs.names.index("root.forward"), count]].copy())
    assert np.corrcoef(np.concatenate(found).T)[0, 1] > 0.99  # 0.93 where timing follows all joints alike


def test_values_stay_near_the_observed_range_however_much_they_vary(walker):
    values = walker.dofs.values(raw(walker, Request(seconds=20), amount=4.0))
    low, high = walker.limits
    room = 1e-6 + 0.0 * high
    assert (values >= low - room).all()
    assert (values <= high + room).all()


def test_a_body_part_can_be_left_without_variation(walker):
    still, loose = (raw(walker, seed=3, parts=parts) for parts in (["left_arm=0"], []))
    mean = raw(walker, seed=3, amount=0.0)
    arm = walker.skeleton.joint("left_forearm")
    assert not np.allclose(still.rotations[0, 0], mean.rotations[0, 0])
    np.testing.assert_allclose(still.rotations[0, arm], mean.rotations[0, arm], atol=1e-9)  # later, timing differs
    assert not np.allclose(loose.rotations[0, arm], mean.rotations[0, arm])
    with pytest.raises(BadRequest, match="expected a body part and an amount"):
        raw(walker, parts=["left_arm"])
    with pytest.raises(BadRequest, match="one amount for left_arm, found two"):
        raw(walker, parts=["left_arm=0", "left_arm=2"])


def test_a_stream_is_as_long_as_asked_for_and_goes_on_smoothly(walker):
    assert walker.loop is not None
    clip = raw(walker, Request(seconds=8))
    assert len(clip) == round(8 * walker.fps)
    steps = np.linalg.norm(np.diff(fk(clip), axis=0), axis=2).max(1)
    known = max(np.linalg.norm(np.diff(fk(c), axis=0), axis=2).max() for c in walker.clips)
    assert steps.max() < 1.5 * known
    plan, _ = rendered(walker, Request(seconds=8), np.random.default_rng([0, 0]))
    assert len(plan.bands()) > 2


def test_pen_strokes_go_the_same_way_and_keep_their_own_places(strokes):
    model = fit(strokes, Config(fps=None, rounds=1), rng=np.random.default_rng(0))
    assert model.dofs.names == ("root.x", "root.height")
    starts = np.array([synthesize(model, Request(), seed=s).root[0, :2] for s in range(6)])
    known = np.array([clip.root[0, :2] for clip in strokes])
    assert 0.2 < starts.std(0).max() / known.std(0).max() < 3
    lengths = [len(synthesize(model, Request(), seed=s)) for s in range(6)]
    assert len(set(lengths)) > 1
    assert model.fps == strokes[0].fps


def test_one_clip_varies_with_a_structure_learned_on_others(walker, walks):
    model = fit(walks[:1], walker.config, structure=walker)
    a, b = (raw(model, seed=seed) for seed in (0, 1))
    assert not np.allclose(a.rotations[:20], b.rotations[:20])
    assert np.abs(a.rotations[:20] - walks[0].rotations[:20]).max() < 0.5
    with pytest.raises(BadRequest, match="found only"):
        fit(walks[:1])


def test_a_structure_learned_on_another_body_keeps_the_body_of_the_clip(walker, walks):
    """Only edges between degrees of freedom are taken over: bones and hips are those of the clip."""
    skeleton = walks[0].skeleton
    tall = replace(walks[0], skeleton=replace(skeleton, offsets=1.2 * skeleton.offsets), root=1.2 * walks[0].root)
    model = fit([tall], walker.config, structure=walker)
    made = raw(model, hold_feet=False)
    np.testing.assert_allclose(made.skeleton.offsets, tall.skeleton.offsets)
    assert abs(made.root[:, 1].mean() - tall.root[:, 1].mean()) < 0.01
    assert model.networks.transition.sum() == walker.networks.transition.sum()


def test_joints_of_a_variant_of_one_clip_turn_hardly_faster_than_in_it(walker, walks):
    """A degree of freedom that runs ahead more and more is sped up: a toe of a captured jump turned 56 degrees in a
    frame, which turns 37 in the clip. Its local time (0.074 of standard deviation, 2.5 at most) and the tempo of the
    whole together are at most 1.4 times as fast."""
    model = fit(walks[:1], walker.config, structure=walker)
    made = [raw(model, seed=seed, hold_feet=False) for seed in range(20)]
    jumps = [transition_jumps(clip, model.clips, np.ones(len(clip), bool)) for clip in made]
    assert max(jump.own_largest for jump in jumps) < 1.4, max(jumps, key=lambda jump: jump.own_largest)


def test_bad_input_is_refused_with_what_was_found(walker, walks, strokes, arm, tiny):
    with pytest.raises(BadRequest, match=r"at least 3 frames at 30 fps, found .*\(2\)"):
        fit([walks[0], walks[1][:2]])
    with pytest.raises(BadRequest, match="2 times as long as the shortest"):
        fit([walks[0], walks[1][:10]])
    with pytest.raises(BadRequest, match="learned on other degrees of freedom"):
        fit(strokes[:1], structure=walker)
    once = replace(walker, loop=None)
    for length in ({"seconds": 60.0}, {"frames": 1800}):
        with pytest.raises(BadRequest, match=r"does not repeat, and 60 s .*2\.23, 2\.17, 2\.20 s") as found:
            synthesize(once, Request(**length))
        assert found.value.where == tuple(length)
    assert len(synthesize(once, Request(seconds=1.6))) == 48


def test_clips_that_are_no_takes_of_one_motion_are_refused_with_distances(walks):
    other = resample(make("wave", seconds=3.0), 30.0)
    with pytest.raises(BadRequest, match=r"too different to be takes of one motion.*`motionloom select`"):
        fit([*walks, other], QUICK)


def test_degrees_of_freedom_that_never_move_and_few_instances_are_no_error(walks):
    """What is constant is restored as it was; where there are fewer instances than neighbours, all are used."""
    arm = walks[0].skeleton.joint("left_upper_arm")
    stiff = []
    for walk in walks:
        turns = walk.rotations.copy()
        turns[:, arm] = walks[0].rotations[0, arm]
        stiff.append(replace(walk, rotations=turns))
    model = fit(stiff, replace(QUICK, neighbours=10_000), rng=np.random.default_rng(0))
    made = raw(model)
    assert np.abs(np.abs((made.rotations[:, arm] * stiff[0].rotations[0, arm]).sum(1)) - 1).max() < 1e-9
    with pytest.raises(BadRequest, match="nothing moves in these clips"):
        fit([replace(c, rotations=c.rotations[[0] * len(c)], root=c.root[[0] * len(c)]) for c in walks[:1] * 2])


def largest_acceleration(clip):
    return np.linalg.norm(np.diff(fk(clip), 2, axis=0), axis=-1).max() * clip.fps**2


def test_strides_of_a_captured_run_repeat(mocap):
    """Touch-downs of runs are quick: rates change at the seam, as they do at the step of the other foot."""
    for names in (("16_37", "16_38", "16_39", "16_40"), ("127_06", "127_09", "127_16")):
        runs = [trim_contacts(load(mocap / "cmu" / f"{name}.bvh"), "left", 1) for name in names]
        assert learn("variation", runs, QUICK).loop is not None
        short = [run[: round(0.9 * len(run))] for run in runs]
        assert learn("variation", short, QUICK).loop is None


def test_a_take_that_stops_before_its_cycle_is_over_is_named():
    """As the third stride of CMU 104_19, which ends in standing: 0.71 deviations away, the others 0.06 and 0.11."""
    angles = [np.linspace(0, last, 30) for last in (6.2, 6.3, 6.25, 5.0)]
    cycles = [np.stack([np.cos(a), np.sin(a)], 1) for a in angles]
    assert not_returning(cycles, np.ones(2)) == [3]
    assert not_returning(cycles[:3], np.ones(2)) == []
    assert not_returning([c[:24] for c in cycles[:3]], np.ones(2)) == []  # all alike: `find_loop` judges these


def test_takes_that_begin_in_different_phases_are_named_and_repeat_by_a_cycle_inside():
    """One and a half strides from any phase: its ends differ less than such takes do, and it does not repeat."""
    clips = [resample(make("walk", seed=40 + k, speed=1.25 + 0.05 * k, seconds=1.6), 30.0) for k in range(4)]
    clips = [replace(clip, origin=replace(clip.origin, name=f"take_{k}")) for k, clip in enumerate(clips)]
    model = fit(clips, QUICK, rng=np.random.default_rng(0))
    [note] = [note for note in model.notes if note.level == "warning" and "another phase" in note.text]
    assert note.text.startswith("take_1, take_3: begins or ends in another phase")
    assert 0.9 < (model.loop.stop - model.loop.start) / MOMENTS / 30.0 < 1.3  # s: a stride
    streams = [synthesize(model, Request(seconds=8), seed=seed) for seed in range(1, 13)]
    usual = np.median([largest_acceleration(stream) for stream in streams])
    assert usual <= 2.0 * max(map(largest_acceleration, clips))  # 6 with the whole as a cycle


def test_a_motion_from_rest_to_rest_does_not_repeat():
    """Its ends are alike, but it is a jump, not a cycle: longer than its takes is an error with their lengths."""
    t = np.linspace(0, 1, 91)
    once = np.stack([np.exp(-(((t - 0.5 - 0.01 * k) / 0.12) ** 2)) * [[1.0], [0.5]] for k in range(3)]).swapaxes(1, 2)
    assert find_loop(once, np.ones(2), 30.0 / MOMENTS) is None
    round_ = np.stack([np.sin(2 * np.pi * t), np.cos(2 * np.pi * t)], 1)[None] * [[[1.0]], [[1.05]], [[0.95]]]
    assert find_loop(round_, np.ones(2), 30.0 / MOMENTS) is not None


def test_a_single_clip_that_begins_at_rest_does_not_repeat():
    """One who sits down from standing still, gets up and sways would sit down again and again in a stream."""
    t = np.linspace(0, 1, 80)
    values = np.stack([np.sin(np.pi * np.clip(1.3 * t - 0.2, 0, 0.97)), 0.2 * np.sin(9 * t) * (t > 0.2)], 1)
    assert resting(values, 30.0)[0]
    assert not resting(values, 30.0)[-1]
    assert find_loop(values[None], np.ones(2), 30.0) is None


def test_a_pause_within_a_motion_is_no_cycle():
    """While a motion pauses, its poses are alike; that stretch repeated would be a character that trembles."""
    t = np.linspace(0, 1, 151)
    way = np.interp(t, [0, 0.3, 0.7, 1], [0, 1, 1.2, 2.2])
    once = np.stack([way, 0.02 * np.sin(40 * t)], 1)[None] * [[[1.0]], [[1.2]], [[0.8]]]
    assert find_loop(once, np.ones(2), 30.0 / MOMENTS) is None


def test_a_stream_of_strides_has_no_seam(walker, walks):
    """Joints accelerate at the seams no more than within the takes, and closing takes bends no knee back."""
    streams = [largest_acceleration(synthesize(walker, Request(seconds=8), seed=seed)) for seed in range(1, 6)]
    known = max(map(largest_acceleration, walks))
    assert np.median(streams) <= 1.15 * known
    assert max(streams) <= 1.25 * known
    low, high = walker.limits
    angles = ~walker.dofs.displacement
    closed = walker.cycle.values.mean(0)[:, angles]
    assert (closed >= low[angles]).all()
    assert (closed <= high[angles]).all()


def test_the_limit_of_a_value_is_smooth_and_holds_about_a_centre_outside_the_range():
    """A centre beyond the range has a little room: a value that is cut off there would jump from frame to frame."""
    off = np.linspace(-3, 3, 601)
    for centre in (0.2, 1.0, 1.3):
        found = np.array([within(centre + x, centre, 0.0, 1.0) for x in off])
        assert (np.diff(found) > 0).all()
        assert np.abs(np.diff(found)).max() <= off[1] - off[0] + 1e-9
        assert found.min() > -MARGIN
        assert found.max() < max(1.0 + MARGIN, centre + 0.1 * MARGIN) + 1e-9


def test_a_stream_of_takes_with_different_paces_keeps_a_steady_pace():
    """Strides at 0.9 to 1.7 m/s: the pace of a stream changes slowly from one to the other, not within a stride."""
    takes = [make("walk", seed=s, speed=0.9 + 0.2 * s, seconds=3) for s in range(5)]
    takes = [resample(trim_contacts(clip, "left_heel", strides=1), 30.0) for clip in takes]
    model = fit(takes, QUICK, rng=np.random.default_rng(0))
    streams = [raw(model, Request(seconds=30), seed=seed).root[:, [0, 2]] for seed in range(3)]
    assert change_rate(streams, 30.0) <= 4.0  # a minute; 35 with weights that change within half a second
    paces = np.concatenate([pace_along(path, 30.0) for path in streams])
    assert np.ptp(paces) > 0.3  # but it is not the same all the time


def test_lengths_are_as_random_as_those_of_the_takes():
    rng, lengths = np.random.default_rng(0), [60, 66, 72, 63]
    drawn = [drawn_length(lengths, 1.0, rng) for _ in range(4000)]
    assert np.std(drawn) == pytest.approx(np.std(lengths, ddof=1), rel=0.15)
    assert np.mean(drawn) == pytest.approx(np.mean(lengths), abs=0.3)
    assert min(drawn) >= 56
    assert max(drawn) <= 76
    assert {drawn_length(lengths, 0.0, rng) for _ in range(5)} == {65}


def test_the_amount_is_raised_until_variants_are_as_far_apart_as_further_takes():
    """The mean of eight takes is off by an eighth of their variance: further takes differ by the root of 9/8 more."""
    apart, still = np.eye(VARIANTS), np.zeros((30, VARIANTS))  # every two are equally far from each other
    takes = [still + 0.1 * apart[k] for k in range(8)]
    assert gain(takes, lambda k, more: still + 0.08 * more * apart[k]) == pytest.approx(1.25 * np.sqrt(9 / 8))
    assert gain(takes, lambda k, more: still + 0.3 * more * apart[k]) == 1.0  # far enough apart
    assert gain(takes[:1], lambda k, more: still) == 1.0


def test_variants_end_when_takes_do(walker):
    lengths = [len(raw(walker, seed=k)) for k in range(6)]
    own = [len(clip) for clip in walker.clips]
    room = 0.3 * (max(own) - min(own)) + 1
    assert min(own) - room <= min(lengths)
    assert max(lengths) <= max(own) + room
