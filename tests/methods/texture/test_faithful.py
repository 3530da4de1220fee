"""The faithful variant: the same choices as EDEN's equations written down plainly, and what follows from them."""

from __future__ import annotations

import numpy as np
import pytest
from texture.oracle import synthesize as oracle

from motionloom.constraints import PoseAt, Request, RootAt, Start, Style
from motionloom.core import Clip, Skeleton, silent, with_labels
from motionloom.kinematics.travel import body_axes
from motionloom.methods.texture.config import Config, Options
from motionloom.methods.texture.faithful.examples import build_examples
from motionloom.methods.texture.faithful.keys import read_keys, read_styles
from motionloom.methods.texture.faithful.synthesis import synthesize_texture
from motionloom.methods.texture.influence import influence_matrix
from motionloom.rotation import from_axis_angle, multiply, yaw

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


def both(clips, request, options, seed=3, config=None):
    """The texture of the kernels, and that of the oracle."""
    skeleton, frames = clips[0].skeleton, request.length(FPS)
    names = ("all", "slow")
    keys = read_keys(request, skeleton, frames, FPS)
    wanted = [c for c in request.constraints if isinstance(c, Style)]
    styles = read_styles(wanted, names, skeleton, frames, FPS)
    levels = build_examples(clips, names, options)
    M = influence_matrix(skeleton, config or Config.of({"variant": "faithful"}))
    given = (levels, keys, styles, M, skeleton)
    fast = synthesize_texture(*given, options, np.random.default_rng(seed), silent())
    slow, energies = oracle(*given, body_axes(skeleton), options, np.random.default_rng(seed))
    return fast, slow, energies, levels


SMALL = {"window": (5,), "tolerance": 2.0}
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
    "two levels": (Request(frames=9), {"levels": 2}),
    "two levels with keys": (None, {"levels": 2, "coarse_weight": 0.7}),
    "styles": (
        Request(frames=9, constraints=(Style(label="slow", span=("3f", "6f"), importance=2.0, weight=1.0),)),
        {},
    ),
    "hard style on two levels": (Request(frames=9, constraints=(Style(label="slow", span=("3f", "8f")),)), {"levels": 2}),
}


@pytest.mark.parametrize("case", CASES)
def test_every_choice_is_that_of_the_equations(case, clips):
    request, values = CASES[case]
    if request is None:
        keys = (
            turn_key(clips, "1f", ("all",)),
            turn_key(clips, "6f", ("Spine", "HandL"), 12, weight=4),
            RootAt(time="8f", heading=0.3, weight=2),
        )
        request = Request(frames=10, constraints=keys)
    options = Options(**(SMALL | values))
    fast, slow, energies, levels = both(clips, request, options)
    expected = np.where(slow.source >= 0, levels[0].frames[slow.source], -1)
    assert np.array_equal(fast.source, expected)
    np.testing.assert_allclose([e.value for e in fast.energy], energies, rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(fast.root[:, [0, 2]], slow.place, atol=1e-9)
    np.testing.assert_allclose(fast.root[:, 1], slow.height, atol=1e-12)
