"""Hips follow corrected feet: knees bend as in the source."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, FloatArray
from motionloom.kinematics import fk, remove_skate
from motionloom.kinematics.body.roles import Foot, feet
from motionloom.kinematics.feet.contacts import contacts, foot_parts, runs
from motionloom.kinematics.feet.hips import BEND, HOLD, KNEE_BEND, PULL, STRAIGHT, hips_shift, steady_hips
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk() -> Clip:
    return make("walk", seconds=2, fps=30)


def knee_angle(places: FloatArray, foot: Foot) -> FloatArray:
    """(F,) the angle between thigh and shin, radians."""
    a, b = places[:, foot.thigh] - places[:, foot.shin], places[:, foot.ankle] - places[:, foot.shin]
    return np.arccos(np.einsum("fi,fi->f", a, b) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1))


def dense_shift(
    legs: tuple[Foot, ...], shifts: list[FloatArray], places: FloatArray, fixed: FloatArray, fps: float
) -> FloatArray:
    """The same least-squares problem written down row by row, with the knee's rate by finite differences."""
    frames, rows, sides = len(places), [], []

    def row(entries: dict[int, float], side: float) -> None:
        line = np.zeros(3 * frames)
        for at, value in entries.items():
            line[at] = value
        rows.append(line)
        sides.append(side)

    hips_bend, knee_bend = np.sqrt([BEND * (fps / 120) ** 2, KNEE_BEND * (fps / 120) ** 3])
    for foot, shift in zip(legs, shifts, strict=True):
        change, source = np.zeros((frames, 3)), np.zeros(frames)
        for t in range(frames):
            hip, knee, ankle = (places[t, j] for j in (foot.thigh, foot.shin, foot.ankle))
            a, b, r = np.linalg.norm(knee - hip), np.linalg.norm(ankle - knee), np.linalg.norm(ankle - hip)
            angle = lambda r, a=a, b=b: np.arccos((a * a + b * b - r * r) / (2 * a * b))
            rate = min((angle(r + 1e-6) - angle(r - 1e-6)) / 2e-6, r / (a * b * STRAIGHT))
            along = rate * (ankle - hip) / r
            row({3 * t + i: along[i] for i in range(3)}, float(along @ shift[t]))
            change[t], source[t] = -along, angle(r)  # a hip that moves along the leg bends the knee
        given = np.einsum("fi,fi->f", change, shift) - (source if fps > 75 else 0.0)
        for t in range(1, frames - 1):
            near = ((t - 1, 1.0), (t, -2.0), (t + 1, 1.0))
            entries = {3 * s + i: knee_bend * w * change[s, i] for s, w in near for i in range(3)}
            row(entries, knee_bend * sum(w * given[s] for s, w in near))
    for t in range(frames):
        for i in range(3):
            row({3 * t + i: np.sqrt(PULL + HOLD * fixed[t])}, 0.0)
            if 0 < t < frames - 1:
                row({3 * t - 3 + i: hips_bend, 3 * t + i: -2 * hips_bend, 3 * t + 3 + i: hips_bend}, 0.0)
    return np.linalg.lstsq(np.array(rows), np.array(sides), rcond=None)[0].reshape(frames, 3)


@pytest.mark.parametrize("fps", [30, 120])
def test_the_banded_system_is_the_least_squares_problem(fps):
    walk = make("walk", seconds=0.5, fps=fps)
    places, legs, rng = fk(walk), feet(walk.skeleton), np.random.default_rng(1)
    shifts = [0.01 * rng.standard_normal((len(walk), 3)) for _ in legs]
    fixed = np.zeros(len(walk), bool)
    fixed[10] = True
    found = hips_shift(legs, shifts, places, fixed, walk.fps)
    np.testing.assert_allclose(found, dense_shift(legs, shifts, places, fixed, walk.fps), atol=2e-5)
    assert not found[10].any()


def test_feet_that_stay_leave_the_hips_alone(walk):
    shifts = [np.zeros((len(walk), 3)) for _ in feet(walk.skeleton)]
    assert not hips_shift(feet(walk.skeleton), shifts, fk(walk), np.zeros(len(walk), bool), walk.fps).any()


def test_hips_follow_a_body_whose_feet_all_shift_alike(walk):
    shifts = [np.full((len(walk), 3), 0.01) for _ in feet(walk.skeleton)]
    found = hips_shift(feet(walk.skeleton), shifts, fk(walk), np.zeros(len(walk), bool), walk.fps)
    np.testing.assert_allclose(found[:, 1], 0.01, atol=1e-3)  # legs are nearly upright: heights matter most


def push_off_changes(before: Clip, after: Clip) -> FloatArray:
    """Largest change of a knee in the last 0.2 s of each contact of its toe, degrees."""
    out, places = [], (fk(before), fk(after))
    for part in (p for p in foot_parts(before.skeleton) if p.name.endswith("toe")):
        change = np.abs(knee_angle(places[0], part.foot) - knee_angle(places[1], part.foot))
        ends = [b for _, b in runs(contacts(before)[part.label])]
        out += [float(np.degrees(change[max(0, b - round(0.2 * before.fps)) : b + 1].max())) for b in ends]
    return np.array(out)


def knee_acceleration(clip: Clip, foot: Foot) -> float:
    """The largest acceleration of a knee, seen over thirtieths of a second, rad/s^2."""
    angle, step = knee_angle(fk(clip), foot), max(1, round(clip.fps / 30))
    return float(np.abs(angle[2 * step :] - 2 * angle[step:-step] + angle[: -2 * step]).max() * (clip.fps / step) ** 2)


@pytest.mark.parametrize("name", ["35_01", "35_04", "49_04", "127_09", "16_35"])  # not the clips it was tuned on
def test_cleaning_captured_walks_keeps_the_knees(name, mocap):
    from motionloom.io import load

    clip = load(mocap / "cmu" / f"{name}.bvh", trim_tpose=True)
    cleaned, report = remove_skate(clip)
    assert push_off_changes(clip, cleaned).max() < 3
    assert report.slid_after < 0.1
    for foot in feet(clip.skeleton):
        assert knee_acceleration(cleaned, foot) < 1.2 * knee_acceleration(clip, foot)


@pytest.mark.parametrize("name", ["35_03", "127_09", "16_35", "16_27", "49_04", "69_01"])  # at 120 fps
def test_cleaned_knees_do_not_tremble_at_the_rate_of_the_capture(name, mocap):
    from motionloom.io import load
    from motionloom.kinematics.feet.knees import knee_acceleration as accelerations

    clip = load(mocap / "cmu" / f"{name}.bvh", trim_tpose=True)[:480]
    cleaned, report = remove_skate(clip)
    assert report.slid_after < 0.1
    assert np.quantile(accelerations(cleaned), 0.99) < 1.1 * np.quantile(accelerations(clip), 0.99)


def test_hips_that_are_made_steady_turn_neither_limbs_nor_trunk():
    from motionloom.core import replace
    from motionloom.kinematics.fk import fk_rotations
    from motionloom.rotation import angle_between, exp, inverse, multiply

    walk = make("walk", seconds=2, fps=120)
    rotations = walk.rotations.copy()
    rotations[100, 0] = multiply(exp([0.0, 0.0, 0.15]), rotations[100, 0])  # the hips alone; all else stays
    children = np.flatnonzero(walk.skeleton.parents == 0)
    back = multiply(inverse(rotations[100, 0]), walk.rotations[100, 0])
    rotations[100, children] = multiply(back, walk.rotations[100, children])
    spoilt = replace(walk, rotations=rotations)
    steady = steady_hips(spoilt)
    turned = angle_between(steady.rotations[:, 0], walk.rotations[:, 0])
    assert np.degrees(turned.max()) < 1.0  # the spike of 8.6 degrees is gone
    before, after = (fk_rotations(clip)[1] for clip in (spoilt, steady))
    assert np.degrees(angle_between(before[:, 1:], after[:, 1:])).max() < 1e-4


def test_the_hips_of_quiet_captures_stay_quiet(mocap):
    from motionloom.io import load

    clip = load(mocap / "cmu" / "132_02.bvh", trim_tpose=True)
    cleaned, _ = remove_skate(clip)
    before, after = (np.linalg.norm(np.diff(c.root, n=2, axis=0), axis=1) * c.fps**2 for c in (clip, cleaned))
    assert np.quantile(after, 0.99) < 1.6 * np.quantile(before, 0.99)  # 2.9 times, when they took up every tremble
