"""Contacts: per foot, heel and toe, scale-free thresholds, hysteresis, minimum span, editable."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from motionloom.core import Clip, End, Skeleton, replace, with_labels
from motionloom.io import load, save
from motionloom.kinematics.feet.contacts import contacts, foot_parts, part_positions, runs, with_contacts
from motionloom.kinematics.ik.limb import place_limb
from motionloom.kinematics.travel import turned

LABELS = ["contact:left_heel", "contact:left_toe", "contact:right_heel", "contact:right_toe"]


def truth(clip: Clip, side: str) -> np.ndarray:
    """The walker's feet stand for the first 0.6 of each 1 s cycle; the right one is half a cycle on."""
    t = np.arange(len(clip)) / clip.fps
    return (t + (0.5 if side == "right" else 0.0)) % 1.0 < 0.6


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    return float((a & b).sum() / (a | b).sum())


def test_contacts_of_a_walk_with_known_plants(walker: Clip) -> None:
    found = contacts(walker)
    assert list(found) == LABELS
    for label, on in found.items():
        assert overlap(on, truth(walker, label.split(":")[1].split("_")[0])) > 0.85
        assert (on | ~truth(walker, label.split(":")[1].split("_")[0])).mean() > 0.99  # no planted frame is missed


@pytest.mark.parametrize("scale", [0.3, 3.0])
def test_contact_heights_are_in_leg_lengths(walker: Clip, scale: float) -> None:
    """A child and a giant who take the same time for a step: thresholds on height grow with the leg."""
    body = walker.skeleton
    scaled = Skeleton(body.names, body.parents, body.offsets * scale, body.roles)
    clip = Clip(scaled, walker.root * scale, walker.rotations, walker.fps)
    for label, on in contacts(clip).items():
        assert overlap(on, truth(clip, label.split(":")[1].split("_")[0])) > 0.75


def test_contacts_do_not_depend_on_place_heading_or_frame_rate(walker: Clip) -> None:
    there = turned(walker, 2.0, about=(5, 5))
    assert all(np.array_equal(a, b) for a, b in zip(contacts(there).values(), contacts(walker).values(), strict=True))
    half = Clip(walker.skeleton, walker.root[::2], walker.rotations[::2], 30)
    for label, on in contacts(half).items():
        assert overlap(on, contacts(walker)[label][::2]) > 0.9


def test_contacts_have_hysteresis_and_a_minimum_span(walker: Clip, rng: np.random.Generator) -> None:
    """A wobble that crosses the lower speed threshold again and again does not chop a plant; a flicker makes none."""
    side = "left"
    foot = part_positions(walker)[:, 0] + 0
    t = np.arange(180) / 60
    foot[:, 0] += 0.35 / (2 * np.pi * 6) * np.sin(2 * np.pi * 6 * t)  # up to 0.35 m/s sideways
    wobbly, _ = place_limb(walker, [f"{side}_{p}" for p in ("thigh", "shin", "foot")], foot)
    on = contacts(wobbly)["contact:left_heel"]
    assert len(runs(on)) == len(runs(contacts(walker)["contact:left_heel"]))
    lengths = [b - a for label in LABELS for a, b in runs(contacts(wobbly)[label])]
    assert min(lengths) >= 3


def test_contacts_that_are_labels_already_win(walker: Clip) -> None:
    mine = np.zeros(180, bool)
    mine[7:9] = True
    clip = with_labels(walker, {"contact:left_toe": mine})
    assert np.array_equal(contacts(clip)["contact:left_toe"], mine)
    assert contacts(clip)["contact:right_toe"].sum() == 0
    assert contacts(clip, fresh=True)["contact:left_toe"].sum() > 80
    labelled = with_contacts(clip)
    assert set(labelled.label_names) == set(LABELS)
    assert np.array_equal(labelled.label("contact:left_toe"), mine)


def test_contacts_edited_away_in_the_labels_file_stay_away(walker: Clip, tmp_path: Path) -> None:
    save(with_contacts(walker), tmp_path / "walk.bvh")
    labels = tmp_path / "walk.labels.csv"
    kept = [line for line in labels.read_text().splitlines() if not line.endswith("contact:left_toe")]
    labels.write_text("\n".join(kept) + "\n")
    found = contacts(load(tmp_path / "walk.bvh"))
    assert not found["contact:left_toe"].any()
    assert np.array_equal(found["contact:right_toe"], contacts(walker)["contact:right_toe"])


def test_a_foot_held_in_the_air_touches_nothing(body: Skeleton) -> None:
    rotations = np.tile([1.0, 0, 0, 0], (60, 18, 1))
    stand = Clip(body, np.tile([0, 0.9, 0], (60, 1)), rotations, 30)
    wait = np.where(np.arange(60) < 20, 0.0, np.minimum((np.arange(60) - 20) / 10, 1))[:, None]
    flamingo, _ = place_limb(stand, ("left_thigh", "left_shin", "left_foot"), [0.1, 0.06, 0] + wait * [0, 0.35, 0])
    found = contacts(flamingo)
    assert found["contact:left_toe"][:20].all()
    assert not found["contact:left_toe"][24:].any()
    assert found["contact:right_toe"].all()


def test_contacts_on_stairs_have_their_own_level(walker: Clip) -> None:
    """Each step 9 cm higher than the one before: every plant is found."""
    t = np.arange(180) / 60
    height = np.zeros((180, 2))
    for i, phase in enumerate((0.0, 0.5)):
        cycle, p = np.divmod(t + phase, 1.0)
        u = np.clip((p - 0.6) / 0.4, 0, 1)
        height[:, i] = 0.18 * (cycle - phase + u * u * (3 - 2 * u))
    clip = replace(walker, root=walker.root + (0.18 * t - 0.1)[:, None] * [0, 1.0, 0])
    positions = part_positions(walker)
    for i, side in enumerate(("left", "right")):
        ankle = positions[:, 2 * i] + height[:, i : i + 1] * [0, 1.0, 0]
        clip, missed = place_limb(clip, [f"{side}_{p}" for p in ("thigh", "shin", "foot")], ankle)
        assert missed.max() < 1e-6
    for label, on in contacts(clip).items():
        assert overlap(on, truth(clip, label.split(":")[1].split("_")[0])) > 0.8


def test_contacts_above_a_given_ground(walker: Clip) -> None:
    assert contacts(walker, ground=0.0)["contact:left_toe"].sum() > 80
    assert contacts(walker, ground=-0.5)["contact:left_toe"].sum() == 0


def test_a_body_without_feet_has_no_contacts(tiny: Clip) -> None:
    assert contacts(tiny) == {}
    assert with_contacts(tiny).label_names == ()


def test_the_toe_is_the_end_site_where_there_is_no_toe_joint(body: Skeleton) -> None:
    keep = [j for j, n in enumerate(body.names) if not n.endswith("Toe")]
    parents = [-1, *(keep.index(int(body.parents[j])) for j in keep[1:])]
    names = tuple(body.names[j] for j in keep)
    ends = (End(names.index("LeftFoot"), (0, -0.06, 0.2)),)
    short = Skeleton(names, np.array(parents), body.offsets[keep], tuple(body.roles[j] for j in keep), ends)
    assert [p.name for p in foot_parts(short)] == ["left_heel", "left_toe", "right_heel"]
    assert foot_parts(short)[1].offset == (0, -0.06, 0.2)


def test_contacts_of_a_real_walk_run_stairs_and_swim(mocap: Path) -> None:
    walk = contacts(load(mocap / "cmu/16_15.bvh", trim_tpose=True))
    for label in LABELS:
        assert 0.4 < walk[label].mean() < 0.75  # a foot stands for about 60 % of a walk
        assert len(runs(walk[label])) in (3, 4)
    run = contacts(load(mocap / "cmu/16_35.bvh", trim_tpose=True))
    assert all(0.05 < on.mean() < 0.4 for on in run.values())
    both = (run["contact:left_toe"] | run["contact:left_heel"]) & (run["contact:right_toe"] | run["contact:right_heel"])
    assert not both.any()  # a run has no double support
    stairs = contacts(load(mocap / "cmu/143_17.bvh", trim_tpose=True))
    assert all(len(runs(on)) >= 5 for on in stairs.values())
    swim = contacts(load(mocap / "cmu/126_11.bvh", trim_tpose=True))
    assert max(on.mean() for on in swim.values()) < 0.05


def test_a_dog_has_four_feet_and_stands_on_its_toes(mocap: Path) -> None:
    dog = contacts(load(mocap / "dog/D1_007_KAN01_001.bvh"))
    assert sorted(dog) == [f"contact:{f}_toe" for f in ("left_front", "left", "right_front", "right")]
    assert all(len(runs(on)) >= 10 for on in dog.values())
    assert all(0.4 < on.mean() < 0.85 for on in dog.values())
