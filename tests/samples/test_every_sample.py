"""What holds for every sample, present and future."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from motionloom.core import BadRequest, Clip
from motionloom.kinematics.feet.skate_measures import skate_b
from motionloom.kinematics.fk import fk
from motionloom.rotation import twist
from motionloom.samples import SAMPLES, make

BODIES = [name for name in SAMPLES if name != "stroke"]
PEOPLE = [name for name in BODIES if not name.startswith("dog")]


@pytest.fixture(scope="module")
def made() -> dict[str, Clip]:
    return {name: make(name, seed=1) for name in SAMPLES}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_same_seed_repeats_the_same_bits_and_another_seed_differs(name: str, made: dict[str, Clip]) -> None:
    again, other = make(name, seed=1), make(name, seed=2)
    assert np.array_equal(again.rotations, made[name].rotations)
    assert np.array_equal(again.root, made[name].root)
    count = min(len(other), len(again))
    if len(other.skeleton) > 1:
        assert not np.allclose(other.rotations[:count], again.rotations[:count], atol=1e-3)
    assert not np.allclose(other.root[:count], again.root[:count], atol=1e-5)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_says_what_it_is_and_where_each_frame_came_from(name: str, made: dict[str, Clip]) -> None:
    clip = made[name]
    assert clip.name.startswith(f"sample:{name}")
    assert [source.name for source in clip.origin.sources] == [clip.name]
    (step,) = clip.origin.made
    assert (step.command, step.seed, step.edits[0]) == ("samples", 1, {"name": name})
    assert clip.label("a" if name == "stroke" else name).all()


@pytest.mark.parametrize("name", BODIES)
def test_plants_slide_under_one_centimetre_per_second(name: str, made: dict[str, Clip]) -> None:
    value = skate_b(made[name])
    assert value is not None
    assert value < 1.0


@pytest.mark.parametrize("name", BODIES)
def test_a_foot_that_is_labelled_as_standing_does_not_move_at_all(name: str, made: dict[str, Clip]) -> None:
    clip = made[name]
    places = fk(clip)
    contacts = [n for n in clip.label_names if n.startswith("contact:")]
    assert contacts
    for label in contacts:
        joint = clip.skeleton.joint(label.removeprefix("contact:").replace("heel", "foot"))
        on = clip.label(label)
        step = np.linalg.norm(np.diff(places[:, joint], axis=0), axis=1)[on[1:] & on[:-1]]
        assert step.size, label
        assert step.max() * clip.fps < 1e-6, label  # m/s


@pytest.mark.parametrize("name", PEOPLE)
def test_knees_never_bend_the_wrong_way(name: str, made: dict[str, Clip]) -> None:
    clip = made[name]
    for side in ("left", "right"):
        bend = twist(clip.rotations[:, clip.skeleton.joint(f"{side}_shin")], [1.0, 0.0, 0.0])
        assert np.degrees(bend).min() > 0.5
        assert np.degrees(bend).max() < 150


@pytest.mark.parametrize("name", BODIES)
def test_nothing_goes_through_the_ground(name: str, made: dict[str, Clip]) -> None:
    assert fk(made[name])[..., 1].min() > 0.005


@pytest.mark.parametrize("name", BODIES)
def test_no_joint_jumps_from_one_frame_to_the_next(name: str, made: dict[str, Clip]) -> None:
    clip = made[name]
    dots = np.abs(np.einsum("fjc,fjc->fj", clip.rotations[1:], clip.rotations[:-1]))
    assert np.degrees(2 * np.arccos(np.clip(dots, 0, 1))).max() < 35


@pytest.mark.parametrize("name", ["walk", "run", "jump", "dance", "dog_walk", "cartwheel"])
def test_the_frame_rate_does_not_change_the_motion(name: str) -> None:
    slow, fast = make(name, seed=3, fps=30), make(name, seed=3, fps=60)
    places, twice = fk(slow), fk(fast)[::2]
    count = min(len(places), len(twice))
    assert np.linalg.norm(places[:count] - twice[:count], axis=-1).max() < 0.02


STYLED = [n for n in PEOPLE if "style" in SAMPLES[n].parameters]


@pytest.mark.parametrize(
    ("name", "style"), [(n, s) for k, n in enumerate(STYLED) for s in (("proud", "drunk"), ("tired", "sneak"))[k % 2]]
)
def test_every_style_works_with_every_action(name: str, style: str) -> None:
    clip = make(name, seed=4, style=style)
    assert np.isfinite(clip.root).all()
    value = skate_b(clip)
    assert value is not None
    assert value < 1.5


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("walk", {"speed": 9}, "speed: expected a speed from 0.3 to 2.4 m/s, found 9"),
        ("walk", {"speed": "fast"}, "speed: expected a speed, as 1.4 (m/s) or 20cm/s, found 'fast'"),
        ("walk", {"speed": float("nan")}, "speed: expected a speed from 0.3 to 2.4 m/s"),
        ("walk", {"target": (0.1, 0.1)}, "target: expected a place at least 0.5 m away"),
        ("walk", {"style": "angry"}, "style: expected one of normal, proud"),
        ("walk", {"sped": 1}, "no walk parameter 'sped'; did you mean 'speed'?"),
        ("run", {"speed": 6, "turn": 1.4}, "turn: at 6 m/s expected at most 0.83 rad/s"),
        ("jump", {"height": 0.15, "distance": 1.8}, "jump higher"),
        ("punch", {"target": (0.0, 1.4)}, "target: expected 3 lengths [x, y, z] from -2 to 2 m"),
        ("punch", {"target": (0.0, 1.4, 1.6)}, "the arm reaches from"),
        ("stroke", {"letter": "q"}, "letter: expected one of a, b"),
        ("fly", {}, "no sample 'fly'"),
    ],
)
def test_a_bad_parameter_is_refused_with_its_range_and_unit(name: str, given: dict[str, object], said: str) -> None:
    with pytest.raises(BadRequest) as caught:
        make(name, **given)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_ends_of_every_range_work(name: str) -> None:
    parameters = SAMPLES[name].parameters
    numbers = {n: p for n, p in parameters.items() if p.low is not None and not p.size and n not in ("fps", "seconds")}
    for n, p in numbers.items():
        if n in ("count", "letter"):
            continue
        for value in (p.low, p.high):
            extra = {"height": 0.5} if (name, n) == ("jump", "distance") else {}
            extra |= {"speed": SAMPLES[name].parameters["speed"].low} if n == "turn" and "target" in parameters else {}
            extra |= {"seconds": 3.0} if "seconds" in parameters and name in ("walk", "run", "carry", "dance") else {}
            clip = make(name, **{n: value, **extra})
            assert np.isfinite(clip.root).all()


def test_listing_the_samples_needs_neither_scipy_nor_numba() -> None:
    code = "import sys, motionloom.samples; print([m for m in ('scipy', 'numba', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
