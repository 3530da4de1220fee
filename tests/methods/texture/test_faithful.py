"""The faithful variant: the same choices as EDEN's equations written down plainly, and what follows from them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from texture.oracle import synthesize as oracle

from motionloom.constraints import PoseAt, Request, RootAt, Start, Style
from motionloom.core import BadRequest, Clip, Skeleton, silent, with_labels
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import body_axes, headings, moved, turned
from motionloom.methods.texture.config import Config, Options
from motionloom.methods.texture.faithful.examples import build_examples
from motionloom.methods.texture.faithful.keys import read_keys, read_styles
from motionloom.methods.texture.faithful.pyramid import coarser, mean
from motionloom.methods.texture.faithful.synthesis import synthesize_texture
from motionloom.methods.texture.influence import influence_matrix
from motionloom.rotation import angle_between, from_axis_angle, multiply, yaw
from motionloom.samples import make

FPS = 10.0


@pytest.fixture(scope="module")
def tree() -> Skeleton:
    """A trunk with two limbs of two joints."""
    offsets = np.array([[0, 0, 0], [0, 0.5, 0], [0.2, 0.4, 0], [0.3, 0, 0], [-0.2, 0.4, 0], [-0.3, 0, 0]])
    return Skeleton(("Hips", "Spine", "ArmL", "HandL", "ArmR", "HandR"), np.array([-1, 0, 1, 2, 1, 4]), offsets)


def swaying(skeleton, frames, seed, *, bend=0.1):
    """A clip that walks along a bent path and sways, never twice the same."""
    rng = np.random.default_rng(seed)
    t = np.arange(frames) / FPS
    rotations = np.empty((frames, len(skeleton), 4))
    for j in range(len(skeleton)):
        axis, phase, rate = rng.normal(size=3), rng.uniform(0, 6), rng.uniform(1.5, 2.5)
        angle = 0.5 * np.sin(rate * t + phase) + 0.05 * np.sin(7.3 * t + seed)
        rotations[:, j] = from_axis_angle(axis, angle if j else 0.2 * angle)
    heading = bend * t + 0.7 * seed
    rotations[:, 0] = multiply(yaw(heading), rotations[:, 0])
    steps = np.stack([np.sin(heading), 0 * t, np.cos(heading)], 1) * 0.1
    root = np.cumsum(steps, 0) + [seed, 1, -seed]
    root[:, 1] += 0.05 * np.sin(5 * t)
    clip = Clip(skeleton, root, rotations, FPS)
    return with_labels(clip, {"slow": np.arange(frames) < frames // 2, "all": np.ones(frames, bool)})


@pytest.fixture(scope="module")
def clips(tree):
    return [swaying(tree, 22, 1), swaying(tree, 17, 2, bend=-0.2)]


def turn_key(clips, time, joints, frame=9, **more):
    return PoseAt(time=time, pose=clips[0][frame : frame + 1], joints=joints, **more)


SMALL = {"window": (5,), "tolerance": 2.0}
JOINTS = ("Spine", "ArmL", "HandL", "ArmR", "HandR")
CASES = {
    "plain": (Request(frames=9), {}),
    "breadth first, reflected": (Request(frames=8), {"joint_order": "breadth-first", "padding": "reflected"}),
    "depth first, two passes": (
        Request(frames=7),
        {"joint_order": "depth-first", "passes": 2, "point_weight": (3, 0.5), "orientation_weight": (0.5, 3)},
    ),
    "a start": (Request(frames=6, start=Start((1.0, 2.0), 0.5)), {}),
    "root keys": (
        Request(
            frames=10,
            constraints=(
                RootAt(time="2f", position=(0, 0), height=1.0),
                RootAt(time="7f", position=(0.3, 0.5), heading=0.4, weight=5),
            ),
        ),
        {},
    ),
    "soft and hard poses": (None, {"passes": 2}),
    "a pose without the root": (JOINTS, {}),
    "two levels": (Request(frames=9), {"levels": 2}),
    "two levels with keys": (None, {"levels": 2, "coarse_weight": 0.7}),
    "styles": (
        Request(frames=9, constraints=(Style(label="slow", span=("3f", "6f"), importance=2.0, weight=1.0),)),
        {},
    ),
    "hard style on two levels": (
        Request(frames=9, constraints=(Style(label="slow", span=("3f", "8f")),)),
        {"levels": 2},
    ),
    "hard style of some joints": (
        Request(
            frames=9,
            constraints=(
                Style(label="slow", joints=("ArmL", "HandL")),
                Style(label="all", span=("3f", "6f"), importance=0.5, joints=(("Spine", 0.5), ("ArmL", 2.0)), weight=1),
            ),
        ),
        {"levels": 2},
    ),
    "hard style of some joints without importance": (
        Request(frames=6, constraints=(Style(label="slow", importance=0, joints=(("ArmR", 1.0), ("HandR", 0.0))),)),
        {},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_choice_is_that_of_the_equations(case, clips):
    request, values = CASES[case]
    if request is JOINTS:  # the nearest frame is at a distance of 0, but for the last bits of normalized quaternions
        request = Request(frames=5, constraints=(turn_key(clips, "2f", JOINTS),))
    if request is None:
        keys = (
            turn_key(clips, "1f", ("all",)),
            turn_key(clips, "6f", ("Spine", "HandL"), 12, weight=4),
            RootAt(time="8f", heading=0.3, weight=2),
        )
        request = Request(frames=10, constraints=keys)
    fast, options = texture(clips, request, values), Options(**(SMALL | values))
    M = influence_matrix(clips[0].skeleton, Config.of({"variant": "faithful"}))
    rng, axes = np.random.default_rng(3), body_axes(clips[0].skeleton)
    sources, slow, energies = oracle(clips, ("all", "slow"), request, M, axes, options, rng)
    assert np.array_equal(fast.source, sources)
    np.testing.assert_allclose([e.value for e in fast.energy], energies, rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(fast.root[:, [0, 2]], slow.place, atol=1e-9)
    np.testing.assert_allclose(fast.root[:, 1], slow.height, atol=1e-12)


# ---- what follows from the equations ----


def texture(clips, request, values=None, seed=3):
    """The texture of the kernels for a request."""
    options, skeleton, frames = Options(**(SMALL | (values or {}))), clips[0].skeleton, request.length(FPS)
    keys = read_keys(request, skeleton, frames, FPS)
    styles = read_styles(
        [c for c in request.constraints if isinstance(c, Style)], ("all", "slow"), skeleton, frames, FPS
    )
    M = influence_matrix(skeleton, Config.of({"variant": "faithful"}))
    levels = build_examples(clips, ("all", "slow"), options)
    return synthesize_texture(levels, keys, styles, M, skeleton, options, np.random.default_rng(seed), silent())


def test_rotations_without_a_key_are_an_examples_to_the_bit_also_next_to_keys(clips):
    asked = Request(frames=30, constraints=(turn_key(clips, "12f", ("all",)), RootAt(time="20f", position=(1, 1))))
    made = texture(clips, asked, {"passes": 2})
    own = np.concatenate([clip.rotations for clip in clips])
    for i in range(30):
        for j in range(1, 6):
            if i == 12:
                assert made.source[i, j] == -1
                assert np.array_equal(made.rotations[i, j], clips[0].rotations[9, j])
            else:
                assert np.array_equal(made.rotations[i, j], own[made.source[i, j], j])


@pytest.mark.parametrize("styles", [(), (Style(label="slow"),), (Style(label="slow", weight=1.0),)])
def test_root_and_first_joint_start_from_one_random_frame(clips, styles):
    made = [texture(clips, Request(frames=1, constraints=styles), seed=k).source[0, :2] for k in range(8)]
    assert all(root == joint for root, joint in made)
    assert len({int(root) for root, _ in made}) > 3


def test_cells_around_a_key_differ_from_those_without_it(clips):
    start = turn_key(clips, "0f", ("HandR",), 4)  # both go from frame 0 on
    free = texture(clips, Request(frames=30, constraints=(start,)))
    keyed = texture(clips, Request(frames=30, constraints=(start, turn_key(clips, "12f", ("Spine", "ArmL", "HandL")))))
    assert (free.source[8:12, 1:] != keyed.source[8:12, 1:]).any()
    assert np.array_equal(free.source[:10], keyed.source[:10])  # the neighbourhoods of 5 frames reach it from 10 on


@pytest.mark.parametrize("levels", [1, 2])
def test_a_rotated_and_moved_example_gives_the_same_result_rotated_and_moved(clips, levels):
    other = [moved(turned(clip, 2.1), (3.0, -5.0)) for clip in clips]
    a, b = (texture(c, Request(frames=25), {"levels": levels}) for c in (clips, other))
    assert np.array_equal(a.source, b.source)
    whole = Clip(clips[0].skeleton, a.root, a.rotations, FPS)
    there = moved(turned(whole, 2.1), (3.0, -5.0))
    np.testing.assert_allclose(b.root, there.root, atol=1e-8)
    np.testing.assert_allclose(angle_between(b.rotations, there.rotations), 0, atol=1e-6)


def test_examples_that_face_opposite_directions_do_not_make_the_result_flip(tree):
    clip = swaying(tree, 40, 1)
    made = texture([clip, turned(clip, np.pi)[7:]], Request(frames=60))
    assert len(np.unique(made.source[:, 0] >= 40)) == 2  # both are used
    turns = np.diff(np.unwrap(headings(Clip(tree, made.root, made.rotations, FPS))))
    assert np.abs(turns).max() < 0.3


@pytest.mark.parametrize("window", [7, 9])
def test_without_weight_the_coarser_level_changes_nothing(clips, window):
    one = texture(clips, Request(frames=20), {"window": (window,)})
    two = texture(clips, Request(frames=20), {"window": (window, 5), "levels": 2, "coarse_weight": 0.0})
    assert np.array_equal(one.source, two.source)
    assert [e.level for e in two.energy] == [1, 0]


def test_a_soft_key_is_approached_as_its_weight_grows_up_to_the_nearest_example(clips):
    wanted = clips[0].rotations[17, 3]
    start, alike = turn_key(clips, "0f", ("all",), 4), []
    for weight in (0.0, 0.1, 1.0, 10.0, 1e4):
        key = turn_key(clips, "6f", ("HandL",), 17, weight=weight)
        made = texture(clips, Request(frames=7, constraints=(start, key)), {"tolerance": 1.0})
        alike.append(float(np.abs(np.dot(made.rotations[6, 3], wanted))))
    assert all(b >= a - 1e-12 for a, b in pairwise(alike))
    assert alike[0] < 1 - 1e-6
    assert alike[-1] == pytest.approx(1.0)  # the frame of the key is one of the candidates


@pytest.mark.parametrize("values", [{"tolerance": 1.1}, {"tolerance": 2.0}])
def test_a_low_tolerance_copies_the_example_and_the_default_does_not(values):
    dog = make("dog_walk", seconds=4, seed=1)
    made = texture([resample(dog, FPS * 3)[:99]], Request(frames=99), {"window": (9,)} | values)
    whole = (np.diff(made.source, axis=0) == 1).all(1) & (made.source == made.source[:, :1]).all(1)[1:]
    longest = max(b - a for a, b in runs(whole)) + 1 if whole.any() else 1
    assert (longest >= 30) == (values["tolerance"] < 2)


@pytest.mark.parametrize("window", [9, 91])
def test_the_distance_from_a_copy_is_exactly_zero_in_any_window(window):
    dog = resample(make("dog_walk", seconds=4, seed=1), FPS * 3)[:99]
    values = {"window": (window,), "falloff": (3.0 * window,), "tolerance": 1.0, "padding": "reflected"}
    made = texture([dog], Request(frames=40), values)
    assert (np.diff(made.source, axis=0) == 1).all()  # the least distance alone copies the example
    assert made.energy[0].value == 0.0


def test_the_pyramid_has_the_kernel_1_3_3_1_and_keeps_straight_lines():
    whole = np.ones(20, bool)
    impulse = np.zeros((20, 1))
    impulse[9] = 8.0
    values, _ = coarser(impulse, whole, mean)
    np.testing.assert_allclose(values[3:7, 0], [0, 3, 1, 0])  # frames 2 i - 1 .. 2 i + 2 weigh 1 3 3 1
    line, _ = coarser(np.arange(20.0)[:, None], whole, mean)
    np.testing.assert_allclose(np.diff(line[1:-1, 0]), 2.0)
    assert len(coarser(np.zeros((7, 1)), np.ones(7, bool), mean)[0]) == 4


def test_values_that_are_not_given_are_left_out_of_an_average():
    given = np.zeros(10, bool)
    given[4] = True
    values, has = coarser(np.where(given, 5.0, 99.0)[:, None], given, mean)
    assert has.tolist() == [False, True, True, False, False]
    np.testing.assert_allclose(values[has], 5.0)


# ---- bad input ----


def test_levels_that_do_not_fit_are_refused_with_how_many_do(clips):
    with pytest.raises(BadRequest, match=r"the longest clip has 22 frames, and a neighbourhood needs `window` 23"):
        texture(clips, Request(frames=5), {"window": (23,)})
    with pytest.raises(BadRequest, match=r"on level 2 the longest clip has 6 frames, .* `window` 9 .*; 2 levels fit"):
        texture(clips, Request(frames=5), {"window": (9,), "levels": 3})


def test_two_hard_values_for_one_cell_are_refused(clips):
    keys = (turn_key(clips, "3f", ("Spine",), 9), turn_key(clips, "3f", ("Spine",), 12))
    with pytest.raises(BadRequest, match="Spine has another hard value at frame 3"):
        texture(clips, Request(frames=9, constraints=keys))
    places = (RootAt(time="3f", position=(0, 0)), RootAt(time="3f", position=(0, 1)))
    with pytest.raises(BadRequest, match="the place of the root has another hard value at frame 3"):
        texture(clips, Request(frames=9, constraints=places))


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"window": [8]}, "expected an odd number of frames, found 8"),
        ({"window": 4}, "expected an odd number of frames, found 4"),
        ({"tolerance": 0.9}, "tolerance: expected a number from 1 to 100"),
        ({"window": []}, "window: expected at least one number"),
    ],
)
def test_options_that_make_no_sense_are_refused(values, text):
    with pytest.raises(BadRequest, match=text):
        Options.of({"variant": "faithful", **values})
