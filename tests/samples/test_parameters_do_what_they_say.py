"""Each parameter of each sample, measured on the clip."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from motionloom.core import Clip, FloatArray
from motionloom.kinematics.fk import accelerations, end_positions, fk, fk_rotations
from motionloom.kinematics.travel import travel
from motionloom.rotation import rotate
from motionloom.samples import make
from motionloom.samples.dog_jump import CENTRE
from motionloom.samples.person import ANKLE, HIPS
from motionloom.samples.strokes import timed


def along(clip: Clip, role: str) -> FloatArray:
    return fk(clip)[:, clip.skeleton.joint(role)]


@pytest.mark.parametrize(
    ("name", "speed"),
    [("walk", 0.4), ("walk", 1.4), ("walk", 2.2), ("run", 2.0), ("run", 4.5), ("dog_walk", 1.0), ("dog_trot", 2.6)],
)
def test_speed_is_met_within_three_percent(name: str, speed: float) -> None:
    clip = make(name, seed=5, speed=speed, seconds=12)
    way = np.linalg.norm(clip.root[-1, [0, 2]] - clip.root[0, [0, 2]])
    assert way / ((len(clip) - 1) / clip.fps) == pytest.approx(speed, rel=0.03)


@pytest.mark.parametrize("name", ["walk", "run", "carry", "dog_walk"])
@pytest.mark.parametrize("turn", [-0.6, 0.9])
def test_turn_is_the_rate_of_heading(name: str, turn: float) -> None:
    clip = make(name, seed=6, turn=turn, seconds=14)
    heading = travel(clip).heading
    assert (heading[-1] - heading[0]) / clip.seconds == pytest.approx(turn, abs=0.03)


@pytest.mark.parametrize("name", ["walk", "run", "carry", "dog_walk"])
@pytest.mark.parametrize("target", [(0.0, 8.0), (5.0, 5.0), (-4.0, 6.0)])
def test_a_target_on_the_ground_is_reached(name: str, target: tuple[float, float]) -> None:
    clip = make(name, seed=7, target=target)
    assert np.linalg.norm(clip.root[-1, [0, 2]] - target) < 0.35


def test_walkers_take_published_step_lengths() -> None:
    for speed in (0.8, 1.4, 1.9):
        clip = make("walk", seed=8, speed=speed, seconds=14)
        on = clip.label("contact:left_heel")
        strikes = np.flatnonzero(on[1:] & ~on[:-1])
        stride = np.diff(strikes).mean() / clip.fps
        cadence = 120 / stride
        step = speed * stride / 2
        assert step / cadence == pytest.approx(0.0065, rel=0.1)  # Sekiya and Nagasaki's walk ratio, m/(step/min)


def test_the_walking_knee_follows_winters_curve() -> None:
    clip = make("walk", seed=9, speed=1.4, seconds=12, fps=120)
    thigh, shin, foot = (along(clip, f"left_{p}") for p in ("thigh", "shin", "foot"))
    a, b = shin - thigh, foot - shin
    cosine = np.einsum("fi,fi->f", a, b) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    knee = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
    on = clip.label("contact:left_heel")
    starts = np.flatnonzero(on[1:] & ~on[:-1])
    for a0, b0 in pairwise(starts):
        cycle = knee[a0:b0]
        early, swing = cycle[: len(cycle) // 5], cycle[len(cycle) // 2 :]
        assert 10 < early.max() < 30  # loading
        assert 55 < swing.max() < 75  # swing
        assert cycle.min() > 4


def test_runners_fly_and_walkers_do_not() -> None:
    def in_air(clip: Clip) -> float:
        low = np.minimum(*(end_positions(clip)[:, k, 1] for k in (5, 6)))
        heel = np.minimum(along(clip, "left_foot")[:, 1], along(clip, "right_foot")[:, 1])
        return float(((low > 0.02) & (heel > ANKLE + 0.015)).mean())

    assert in_air(make("run", seed=1, speed=3.5)) > 0.12
    assert in_air(make("walk", seed=1, speed=1.4)) == 0.0


def test_runners_are_in_free_fall_between_steps() -> None:
    clip = make("run", seed=2, speed=4.0, fps=240)
    y = accelerations(clip.root, clip.fps)[:, 1]
    assert np.median(np.sort(y)[: len(y) // 10]) == pytest.approx(-9.81, abs=0.6)


@pytest.mark.parametrize(("height", "distance"), [(0.2, 0.0), (0.35, 0.6), (0.55, 0.0), (0.4, 1.4)])
def test_jump_height_distance_and_free_fall(height: float, distance: float) -> None:
    clip = make("jump", seed=3, height=height, distance=distance, fps=120)
    assert clip.root[:, 1].max() - (HIPS - 0.008) == pytest.approx(height, rel=0.03)
    feet = (along(clip, "left_foot") + along(clip, "right_foot")) / 2
    assert feet[-1, 2] - feet[0, 2] == pytest.approx(distance, abs=0.05)
    flies = np.flatnonzero(clip.label("flight"))[1:-1]
    fall = accelerations(clip.root, clip.fps)[flies[1:-1]]
    assert np.abs(fall[:, 1] + 9.81).max() < 1e-6
    assert np.abs(fall[:, 2]).max() < 1e-6


@pytest.mark.parametrize("turn", [-1.5, 3.0])
def test_a_jump_turns_in_the_air(turn: float) -> None:
    heading = travel(make("jump", seed=4, height=0.45, turn=turn)).heading
    assert heading[-1] - heading[0] == pytest.approx(turn, abs=0.12)


@pytest.mark.parametrize("hand", ["left", "right"])
@pytest.mark.parametrize("target", [(-0.05, 1.42, 0.72), (0.2, 1.25, 0.65), (-0.25, 1.6, 0.6), (0.0, 1.0, 0.6)])
def test_a_punch_hits_its_target(hand: str, target: tuple[float, float, float]) -> None:
    clip = make("punch", seed=5, hand=hand, target=target, count=4)
    hits = np.flatnonzero(clip.label("hit"))
    assert len(hits) == 4
    assert np.linalg.norm(along(clip, f"{hand}_hand")[hits] - target, axis=1).max() < 0.02


def test_a_waving_hand_waves_as_often_as_told() -> None:
    for speed in (1.2, 2.4):
        clip = make("wave", seed=6, speed=speed, seconds=8)
        x = along(clip, "right_hand")[120:360, 0] - along(clip, "right_forearm")[120:360, 0]
        spectrum = np.abs(np.fft.rfft((x - x.mean()) * np.hanning(len(x)), 4096))
        assert np.fft.rfftfreq(4096, 1 / clip.fps)[spectrum.argmax()] == pytest.approx(speed, rel=0.15)
        assert along(clip, "right_hand")[200, 1] > along(clip, "right_upper_arm")[200, 1]


def test_a_carried_box_keeps_the_hands_apart_by_its_width() -> None:
    for width in (0.25, 0.45):
        clip = make("carry", seed=7, width=width, turn=0.4)
        gap = np.linalg.norm(along(clip, "left_hand") - along(clip, "right_hand"), axis=1)
        assert np.abs(gap - width).max() < 1e-3


def test_a_chair_is_held_by_its_back_and_its_seat() -> None:
    clip = make("carry", seed=8, thing="chair", seconds=4)
    left, right = along(clip, "left_hand"), along(clip, "right_hand")
    assert 0.28 < (left - right)[:, 1].mean() < 0.40
    assert np.ptp(np.linalg.norm(left - right, axis=1)) < 1e-3  # both hands hold one thing


def test_a_carried_cup_stays_level() -> None:
    clip = make("carry", seed=8, thing="cup")
    _, turns = fk_rotations(clip)
    hand = turns[:, clip.skeleton.joint("right_hand")]
    axes = np.stack([rotate(hand, axis)[:, 1] for axis in np.eye(3)], -1)  # how the hand's axes stand against vertical
    assert np.abs(axes - axes[0]).max() < 1e-9


def test_eyes_lead_and_the_gaze_lands_on_the_target() -> None:
    target = np.array([3.0, 1.2, 2.5])
    clip = make("look", seed=9, target=tuple(target), seconds=6, fps=240)
    places, turns = fk_rotations(clip)
    eye, head = clip.skeleton.joint("left_eye"), clip.skeleton.joint("head")
    gaze, face = (rotate(turns[:, j], [0.0, 0.0, 1.0]) for j in (eye, head))
    at = round(0.6 * len(clip))
    eyes = (places[at, eye] + places[at, clip.skeleton.joint("right_eye")]) / 2
    line = (target - eyes) / np.linalg.norm(target - eyes)
    assert np.degrees(np.arccos(gaze[at] @ line)) < 3
    yaw = [np.arctan2(v[:, 0], v[:, 2]) for v in (gaze, face)]
    half = [int(np.argmax(np.abs(y - y[300]) > 0.5 * np.abs(y[at] - y[300]))) for y in yaw]
    assert half[0] < half[1]  # eyes first


def test_the_dance_comes_back_to_itself_but_never_exactly() -> None:
    beat = 0.5
    clip = make("dance", seed=10, bpm=60 / beat, seconds=34)
    period = round(32 * beat * clip.fps)
    apart = np.linalg.norm(fk(clip)[period:] - fk(clip)[: len(clip) - period], axis=-1)
    assert 0.005 < apart.mean() < 0.08
    off = np.linalg.norm(fk(clip)[period // 4 :] - fk(clip)[: len(clip) - period // 4], axis=-1)
    assert off.mean() > 3 * apart.mean()


@pytest.mark.parametrize("turn", [1.2, -2.8])
def test_a_turn_on_the_spot_turns_by_that_much(turn: float) -> None:
    path = travel(make("turn", seed=11, turn=turn))
    assert path.heading[-1] - path.heading[0] == pytest.approx(turn, abs=0.08)
    assert np.linalg.norm(path.place - path.place[0], axis=1).max() < 0.25


@pytest.mark.parametrize("direction", ["up", "down"])
def test_feet_stand_on_the_treads(direction: str) -> None:
    rise = 0.19
    clip = make("steps", seed=12, rise=rise, run=0.3, count=4, direction=direction)
    climbed = clip.root[-1, 1] - clip.root[0, 1]
    assert climbed == pytest.approx(4 * rise * (1 if direction == "up" else -1), abs=0.02)
    for side in ("left", "right"):
        level = (along(clip, f"{side}_foot")[clip.label(f"contact:{side}_heel"), 1] - ANKLE) / rise
        assert np.abs(level - np.round(level)).max() < 1e-5


@pytest.mark.parametrize("height", [0.3, 0.45, 0.65])
def test_the_seat_carries_at_its_height(height: float) -> None:
    clip = make("sit", seed=13, height=height)
    seated = clip.root[clip.label("seated"), 1]
    assert np.abs(seated - height - 0.135).max() < 0.01


@pytest.mark.parametrize("height", [1.05, 1.3, 1.55])
def test_a_duck_brings_the_head_below_the_height(height: float) -> None:
    clip = make("duck", seed=14, height=height)
    assert end_positions(clip)[:, 0, 1].min() == pytest.approx(height, abs=0.01)


def test_a_cartwheel_goes_over_the_hands() -> None:
    clip = make("cartwheel", seed=15)
    _, turns = fk_rotations(clip)
    up = rotate(turns[:, 0], [0.0, 1.0, 0.0])[:, 1]
    over = int(up.argmin())
    assert up[over] < -0.95
    assert clip.label("contact:left_hand")[over]
    assert clip.label("contact:right_hand")[over]
    first = [int(np.argmax(clip.label(f"contact:{n}"))) for n in ("left_hand", "right_hand")]
    assert first[0] < first[1]
    assert up[0] > 0.99
    assert up[-1] > 0.99


def test_a_walking_dog_sets_each_hind_foot_before_the_fore_foot_of_its_side() -> None:
    clip = make("dog_walk", seed=16, speed=1.1, seconds=8)
    order = []
    for foot in ("left_toe", "left_front_toe", "right_toe", "right_front_toe"):
        on = clip.label(f"contact:{foot}")
        order += [(int(f), foot) for f in np.flatnonzero(on[1:] & ~on[:-1])]
    names = [n for _, n in sorted(order)][4:-4]
    cycle = ["left_toe", "left_front_toe", "right_toe", "right_front_toe"]
    start = cycle.index(names[0])
    assert names == [cycle[(start + k) % 4] for k in range(len(names))]


def test_a_trotting_dog_sets_diagonal_feet_together() -> None:
    clip = make("dog_trot", seed=17)
    strikes = {}
    for foot in ("left_toe", "right_front_toe", "right_toe"):
        on = clip.label(f"contact:{foot}")
        strikes[foot] = np.flatnonzero(on[1:] & ~on[:-1])
    pair = np.abs(strikes["left_toe"][:, None] - strikes["right_front_toe"]).min(1)
    other = np.abs(strikes["left_toe"][:, None] - strikes["right_toe"]).min(1)
    assert pair.max() <= 2 < other.min()


def test_a_jumping_dog_flies_freely() -> None:
    clip = make("dog_jump", seed=18, height=0.35, distance=1.2, fps=120)
    _, turns = fk_rotations(clip)
    middle = clip.root + rotate(turns[:, 0], CENTRE)
    flies = np.flatnonzero(clip.label("flight"))[2:-2]
    fall = accelerations(middle, clip.fps)[flies]
    assert np.abs(fall[:, 1] + 9.81).max() < 1e-6
    paws = [along(clip, f"{side}_{part}") for side in ("left", "right") for part in ("toe", "front_toe")]
    moved = np.mean([p[-1, 2] - p[0, 2] for p in paws])
    assert moved == pytest.approx(1.2, abs=0.05)
    rose = middle[:, 1].max() - middle[0, 1]
    assert rose == pytest.approx(0.35, abs=0.03)


def test_pens_keep_the_two_thirds_power_law() -> None:
    t = np.linspace(0, 2 * np.pi, 60)
    fine, times = timed(np.stack([2 * np.cos(t), np.sin(t)], -1), 1.0)
    first = np.gradient(fine, axis=0)
    second = np.gradient(first, axis=0)
    bend = np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / np.linalg.norm(first, axis=1) ** 3
    speed = np.linalg.norm(np.diff(fine, axis=0), axis=1) / np.diff(times)
    inner = slice(len(speed) // 5, -len(speed) // 5)
    slope = np.polyfit(np.log(bend[:-1][inner] + 0.3), np.log(speed[inner]), 1)[0]
    assert slope == pytest.approx(-1 / 3, abs=0.02)
    assert times[-1] == pytest.approx(np.linalg.norm(np.diff(fine, axis=0), axis=1).sum(), rel=1e-6)


def test_strokes_have_the_size_and_speed_asked_for() -> None:
    clip = make("stroke", seed=19, letter="l", height=0.05, speed=0.2)
    assert np.ptp(clip.root[:, 1]) == pytest.approx(1.9 * 0.05, rel=0.15)
    way = np.linalg.norm(np.diff(clip.root, axis=0), axis=1).sum()
    assert way / clip.seconds == pytest.approx(0.2, rel=0.15)
    assert np.ptp(make("stroke", letter="e", count=4).root[:, 0]) > 3 * np.ptp(make("stroke", letter="e").root[:, 0])


def test_a_style_is_a_label_and_has_its_own_speed():
    sneak = make("walk", style="sneak", seconds=3)
    assert sneak.label_names[:2] == ("walk", "sneak")
    assert sneak.labels[:, :2].all()
    assert sneak.label_names[2:] == make("walk", seconds=3).label_names[1:]
    way = np.linalg.norm(np.diff(sneak.root[:, [0, 2]], axis=0), axis=1).sum()
    assert way / 3 == pytest.approx(0.7, rel=0.1)
    fast = make("walk", style="sneak", speed=1.2, seconds=3)
    assert np.linalg.norm(np.diff(fast.root[:, [0, 2]], axis=0), axis=1).sum() / 3 == pytest.approx(1.2, rel=0.1)
