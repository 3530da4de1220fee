"""Computed performers beside captured ones: jerk and joint speeds lie where those of real clips lie.

Definition. Joint positions and joint turns (each joint against the joint above it) are smoothed by a Gaussian of 12 ms
at the clip's own rate and taken at 30 fps. Over windows of a second, a quarter of a second apart, we take the root
mean square of the jerk (third difference) and of the turning speed. Left and right are pooled. The median window of a
sample, over three seeds, must lie between the 5th and the 95th percentile of the real clips' windows. Only joints that
the action itself moves are compared: a planted foot of ours does not move at all, a captured one trembles.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from motionloom.core import Clip
from motionloom.io import load
from motionloom.kinematics.fk import fk_rotations
from motionloom.rotation import angle_between, continuous, inverse, multiply, normalize
from motionloom.samples import make

RATE = 30.0
TRUNK = ("hips", "spine2", "head")
ARMS = ("left_forearm", "left_hand", "right_forearm", "right_hand")
LEGS = ("left_shin", "left_foot", "left_toe", "right_shin", "right_foot", "right_toe")
ABOVE = {
    "hips": None,
    "spine2": "hips",
    "head": "spine2",
    "upper_arm": "spine2",
    "forearm": "upper_arm",
    "thigh": "hips",
    "shin": "thigh",
    "foot": "shin",
}
TURNS = ("hips", "spine2", "head", *(f"{s}_{p}" for s in ("left", "right") for p in list(ABOVE)[3:]))
RIGHT_ARM = ("right_forearm", "right_hand", "right_upper_arm")


def at_30(values: np.ndarray, fps: float) -> np.ndarray:
    smooth = gaussian_filter1d(values, 0.012 * fps, axis=0, mode="nearest")
    at = np.arange(0.0, (len(values) - 1) / fps + 1e-9, 1 / RATE) * fps
    low = np.minimum(np.floor(at).astype(int), len(values) - 2)
    part = (at - low)[:, None]
    return smooth[low] * (1 - part) + smooth[low + 1] * part


def windows(values: np.ndarray, seconds: float = 1.0) -> list[float]:
    size, hop = int(seconds * RATE), 7
    starts = range(0, max(len(values) - size, 0) + 1, hop)
    return [float(np.sqrt((values[s : s + size] ** 2).mean())) for s in starts]


def joint_of(clip: Clip, role: str) -> int:
    chest = ("spine2", "spine1", "spine") if role == "spine2" else (role,)
    found = clip.skeleton.find(*chest)
    assert found is not None, role
    return found


def measures(clip: Clip, seconds: float = 1.0) -> dict[str, list[float]]:
    """RMS jerk (m/s^3) and turning speed (degrees/s) in windows, by joint without its side."""
    places, turns = fk_rotations(clip)
    out: dict[str, list[float]] = {}
    for role in (*TRUNK, *ARMS, *LEGS):
        points = at_30(places[:, joint_of(clip, role)], clip.fps)
        jerk = np.linalg.norm(np.diff(points, 3, axis=0), axis=1) * RATE**3
        out.setdefault(f"jerk {plain(role)}", []).extend(windows(jerk, seconds))
    for role in TURNS:
        side, part = role.split("_", 1) if role.startswith(("left_", "right_")) else ("", role)
        parent = ABOVE[part]
        q = turns[:, joint_of(clip, role)]
        if parent is not None:
            above = f"{side}_{parent}" if side and parent not in ABOVE.keys() & {"hips", "spine2"} else parent
            q = multiply(inverse(turns[:, joint_of(clip, above)]), q)
        q = normalize(at_30(continuous(q), clip.fps))
        speed = np.degrees(angle_between(q[:-1], q[1:])) * RATE
        out.setdefault(f"speed {plain(role)}", []).extend(windows(speed, seconds))
    return out


def plain(role: str) -> str:
    return role.removeprefix("left_").removeprefix("right_")


def pooled(clips: list[Clip], seconds: float = 1.0) -> dict[str, list[float]]:
    out: dict[str, list[float]] = {}
    for clip in clips:
        for name, values in measures(clip, seconds).items():
            out.setdefault(name, []).extend(values)
    return out


def real(folder: Path, name: str) -> Clip:
    """A CMU clip without its added T-pose; subject 143 was captured at 60 fps."""
    return load(folder / "cmu" / f"{name}.bvh", fps=60 if name.startswith("143") else None, trim_tpose=True)[2:]


EVERYTHING = ("hips", "spine2", "head", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
# sample, its parameters, the real clips, the joints compared, the length of a window
CASES = {
    "walk": (
        [{"speed": v} for v in (1.15, 1.3, 1.4)],
        "35_01 35_02 35_03 35_04 35_05 35_06 35_07 35_08 16_11 16_13 16_15 16_16 69_01 137_29",
        EVERYTHING,
        1.0,
    ),
    "run": (
        [{"speed": v} for v in (3.1, 3.3, 3.5)],
        "35_17 35_18 35_19 35_20 35_21 35_22 16_35 16_45 127_06 104_04",
        EVERYTHING,
        0.7,
    ),
    "carry": ([{"speed": v} for v in (0.75, 0.8, 0.85)], "111_36 113_26", EVERYTHING, 1.0),
    "jump": ([{}] * 3, "118_03 118_06 118_09 118_10 118_20 83_42 83_48 143_05 143_06", EVERYTHING, 1.0),
    "dance": ([{}] * 3, "60_01 60_05 60_10 93_03 93_04 143_35", EVERYTHING, 1.0),
    "punch": ([{}] * 3, "143_23 79_08", (*TRUNK, "upper_arm", "forearm", "hand"), 1.0),
    "steps": ([{}, {"direction": "down"}, {}], "143_17 113_19 83_27 83_25 83_20", EVERYTHING, 1.0),
    "sit": (
        [{"height": h, "seconds": 5.0} for h in (0.35, 0.45, 0.55)],
        "75_17 75_18 75_20 143_18 143_19",
        ("hips", "spine2", "thigh"),
        1.0,
    ),
    "duck": ([{"height": 1.08}] * 3, "77_09", ("hips", "spine2", "head", "thigh"), 1.0),
    "cartwheel": ([{}] * 3, "49_06 49_07 49_08", EVERYTHING, 1.0),
}


@pytest.mark.parametrize("sample", CASES)
def test_jerk_and_joint_speeds_lie_among_those_of_real_clips(sample: str, mocap: Path) -> None:
    given, names, joints, seconds = CASES[sample]
    ours = pooled([make(sample, seed=k + 1, **kw) for k, kw in enumerate(given)], seconds)
    theirs = pooled([real(mocap, n) for n in names.split()], seconds)
    outside = []
    for name in theirs:
        if name.split()[1] not in joints:
            continue
        low, high = np.percentile(theirs[name], [5, 95])
        value = float(np.median(ours[name]))
        if not low <= value <= high:
            outside.append(f"{name}: {value:.0f}, real clips {low:.0f} to {high:.0f}")
    assert not outside, "; ".join(outside)


def test_looking_turns_the_head_as_fast_as_real_lookers_do(mocap: Path) -> None:
    ours = pooled([make("look", seed=k) for k in (1, 2, 3)])
    theirs = pooled([real(mocap, n) for n in ("77_01", "77_04")])
    low, high = np.percentile(theirs["speed head"], [5, 95])
    assert low <= np.median(ours["speed head"]) <= high


DOG_JOINTS = ("hips", "neck", "head", "left_front_foot", "right_front_foot", "left_foot", "right_foot", "left_shin")


def dog_jerk(clips: list[Clip]) -> dict[str, list[float]]:
    out: dict[str, list[float]] = {}
    for clip in clips:
        places, _ = fk_rotations(clip)
        for role in DOG_JOINTS:
            points = at_30(places[:, clip.skeleton.joint(role)], clip.fps)
            jerk = np.linalg.norm(np.diff(points, 3, axis=0), axis=1) * RATE**3
            out.setdefault(plain(role), []).extend(windows(jerk))
    return out


def test_a_walking_dog_jerks_no_more_than_twice_what_real_dogs_do(mocap: Path) -> None:
    # the captured dogs (not CMU clips) stand and lie down in between: frames where they walk
    walks = [("D1_007_KAN01_001", 140, 580), ("D1_009_KAN01_001", 200, 370)]
    theirs = dog_jerk([load(mocap / "dog" / f"{name}.bvh")[a:b] for name, a, b in walks])
    ours = dog_jerk([make("dog_walk", seed=k) for k in (1, 2, 3)])
    for joint, values in theirs.items():
        low, high = np.percentile(values, [5, 95])
        assert low / 2 < np.median(ours[joint]) < 2 * high, joint
