"""Frequency bands of clips: frame rates, contacts, notes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from motionloom.core import BadRequest, Cancelled, replace
from motionloom.core.progress import Silent
from motionloom.kinematics.feet.skate_measures import measure_skate
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.recipes.blending import blend_clips, change_bands, fourier_motion
from motionloom.recipes.transferring import transfer
from motionloom.rotation import multiply
from motionloom.samples import make


class Followed(Silent):
    """A progress that keeps the shares."""

    def __init__(self, shares):
        super().__init__()
        self.shares = shares

    def __call__(self, share, stage):
        self.shares.append(share)


def test_the_fourier_series_of_a_clip_reports_progress_and_can_be_cancelled():
    walk = make("walk", seed=1, seconds=3, fps=30)
    shares: list[float | None] = []
    fourier_motion(walk, progress=Followed(shares))
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    with pytest.raises(Cancelled):
        fourier_motion(walk, progress=Silent(np.ones(1, np.uint8)))


def test_bands_warn_of_broken_frames_that_they_enlarge():
    walk = make("walk", seed=1, seconds=3, fps=60)
    rotations = walk.rotations.copy()
    rotations[80:84, walk.skeleton.names.index("LeftUpLeg")] = [np.cos(0.6), np.sin(0.6), 0.0, 0.0]
    broken = replace(walk, rotations=rotations)

    def warnings(clip, gain):
        return [str(n) for n in change_bands(clip, gains=[gain]).origin.notes if n.level == "warning"]

    (text,) = warnings(broken, 4.0)
    assert "LeftUpLeg jumps out and back" in text
    assert "frames 80-83; the result keeps or enlarges this jump" in text
    assert not warnings(broken, 0.5)
    assert not warnings(walk, 4.0)


def test_bands_warn_of_a_sudden_knee():
    walk = make("walk", seed=1, seconds=6, fps=60)
    knee, turns = walk.skeleton.names.index("LeftLeg"), walk.rotations.copy()
    bend = np.radians(25) * np.exp(-(((np.arange(len(walk)) - 190) / 1.5) ** 2))
    turns[:, knee] = multiply(turns[:, knee], np.stack([np.cos(bend), np.sin(bend), 0 * bend, 0 * bend], 1))
    notes = change_bands(replace(walk, rotations=turns), gains=[4.0], lock_feet=False).origin.notes
    assert any("LeftLeg bends suddenly" in note.text and note.level == "warning" for note in notes)


@pytest.mark.parametrize("share", [-0.5, 2.0])
def test_shares_of_bands_lie_between_the_clips(share):
    walks = [make("walk", seed=n, seconds=3, fps=30) for n in (1, 2)]
    with pytest.raises(BadRequest, match="expected 0"):
        change_bands(*walks, shares=[share])


def test_bands_of_clips_at_two_rates_lock_feet_where_they_stand_at_the_lower_rate():
    fast = make("walk", seed=1, seconds=3, fps=60)
    made = change_bands(fast, make("walk", seed=2, style="tired", seconds=3, fps=30), shares=[0.0])
    assert made.fps == 30
    np.testing.assert_allclose(fk(made), fk(resample(fast, 30.0)), atol=1e-9)


def test_a_note_states_how_many_contacts_are_held_and_progress_is_reported():
    walk = make("walk", seed=2, style="tired", seconds=3, fps=30)
    shares: list[float | None] = []
    made = change_bands(walk, gains=[8.0, 8.0, 8.0], progress=Followed(shares))
    assert any("feet locked in" in str(note) for note in made.origin.notes)
    assert shares[-1] == 1.0
    assert None in shares or any(0 < s < 1 for s in shares if s is not None)


@pytest.mark.parametrize("gains", [[1.0], [4.0, 3.0, 2.0], [0.0, 0.2, 0.5]])
def test_changed_bands_keep_feet_on_the_ground(gains):
    """Feet are held in most contacts of the clip (heels roll off in the others), and slide far less."""
    walk = make("walk", seed=1, seconds=4, fps=30)
    made = change_bands(walk, gains=gains)
    [note] = [str(note) for note in made.origin.notes if "feet locked" in str(note)] or ["feet locked in 100 %"]
    assert int(note.partition("locked in ")[2].split()[0]) >= 65
    travelled = [n for n in made.origin.notes if "travels" in n.text]
    assert bool(travelled) == (gains != [1.0])
    free = change_bands(walk, gains=gains, lock_feet=False)
    assert measure_skate(made).b <= max(0.25 * measure_skate(free).b, measure_skate(walk).b + 0.2)


@pytest.mark.parametrize("edit", ["blend", "bands", "fourier", "transfer"])
def test_results_are_in_the_unit_of_the_first_clip_under_the_terms_of_all(edit):
    clips = [make("walk", seed=seed, seconds=4, fps=30) for seed in (1, 2)]
    one, other = (
        replace(c, origin=dataclasses.replace(c.origin, unit=unit, up=up, licence=terms))
        for c, unit, up, terms in zip(clips, (0.0254, 0.01), "zy", ("A", "B"), strict=True)
    )
    made = {
        "blend": lambda: blend_clips([one, other], [0.5, 0.5]),
        "bands": lambda: change_bands(one, other, shares=[0.5] * 3),
        "fourier": lambda: fourier_motion(one, [other], share=0.5),
        "transfer": lambda: transfer(other, one, other).clip,  # the result has the body of the second
    }[edit]()
    assert (made.origin.unit, made.origin.up) == (0.0254, "z")
    assert set(made.origin.licence.split(" | ")) == {"A", "B"}
