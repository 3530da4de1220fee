"""Doubts about what was estimated when a file was read (stature, up axis, number of legs), with alternatives."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip, Note
from motionloom.io.units_and_axes import UNITS, unit_name
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.body.roles import feet, many_legs
from motionloom.kinematics.fk import end_positions, fk

USUAL_STATURE = (0.9, 2.5)  # m: from a small child to the tallest of people
GIVEN_STATURE = (0.1, 4.0)  # m: of a unit that the user gave
AVERAGE_STATURE = 1.7  # m
TALLEST = 4.0  # m: greatest plausible height of an animal or other body; few elephants are taller
LEG_SHARE = 0.491  # of the stature: thigh and shin (Drillis and Contini 1966)
CHECKED_FRAMES = 24
UPSIDE_DOWN = 0.8  # of these frames with the feet above the hips


def implausible(clip: Clip, unit: str | float | None) -> dict[str, Note]:
    """Warnings by the setting in doubt: stature ("unit", as given), feet above the hips ("up"), legs ("roles")."""
    texts = {"unit": _stature(clip, unit), "up": _upside_down(clip), "roles": _legs(clip)}
    return {name: Note(text, "warning", topic="file") for name, text in texts.items() if text}


def _stature(clip: Clip, unit: str | float | None) -> str:
    count = len(feet(clip.skeleton))
    if unit is None and count != 2:
        return _height(clip)
    if not count:
        return ""
    stature = leg_length(clip.skeleton) / LEG_SHARE
    low, high = GIVEN_STATURE if unit is not None else USUAL_STATURE
    if low <= stature <= high:
        return ""
    if unit is not None:
        return f"stature {stature:.2g} m with unit {unit}: is this right?"
    sizes = {name: stature * size / clip.origin.unit for name, size in UNITS.items()}
    likely = [f"--unit {name} gives {size:.2f} m" for name, size in sizes.items() if low <= size <= high]
    exact = f"{clip.origin.unit * AVERAGE_STATURE / stature:.3g}"
    likely.append(f"--unit {exact} (metres) gives {AVERAGE_STATURE} m")
    return (
        f"stature {stature:.2f} m, which no person has, with unit {unit_name(clip.origin.unit)}: if the body is a "
        f"person, {', '.join(likely)}"
    )


def _height(clip: Clip) -> str:
    """A doubt about the height of a body that is not a person, in an estimated unit; small ones are plausible."""
    if not any(note.topic == "unit" for note in clip.origin.notes):
        return ""
    some = _sample(clip)
    height = float(np.ptp(np.concatenate([fk(some), end_positions(some)], 1)[..., 1], axis=1).max())
    if height <= TALLEST:
        return ""
    sizes = {name: height * UNITS[name] / clip.origin.unit for name in ("cm", "mm")}
    likely = ", ".join(f"--unit {name} gives {size:.2g} m" for name, size in sizes.items() if size < height)
    return f"height {height:.2f} m with unit {unit_name(clip.origin.unit)}: if the body is an animal, {likely}"


def _sample(clip: Clip) -> Clip:
    """Up to `CHECKED_FRAMES` frames, evenly spaced."""
    return clip[np.unique(np.linspace(0, len(clip) - 1, CHECKED_FRAMES).astype(int))]


def _upside_down(clip: Clip) -> str:
    legs = feet(clip.skeleton)
    if not legs:
        return ""
    heights = fk(_sample(clip))[..., 1]
    above = (heights[:, [leg.ankle for leg in legs]].min(1) > heights[:, [leg.thigh for leg in legs]].max(1)).mean()
    if above < UPSIDE_DOWN:
        return ""
    other = clip.origin.up[1:] if clip.origin.up.startswith("-") else f"-{clip.origin.up}"
    return (
        f"the feet are above the hips in {100 * above:.0f} % of the frames with up axis {clip.origin.up}: if the body "
        f"does not stand on its hands, --up {other}"
    )


def _legs(clip: Clip) -> str:
    body = clip.skeleton
    count = len(many_legs(body.names, body.parents, body.offsets))
    if not count or feet(body):
        return ""
    return f"{count} legs: feet are known for two or four only; --roles assigns them"
