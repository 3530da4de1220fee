"""Feet of a clip whose legs were changed: the hips travel as the standing feet demand, and feet are locked there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, Note, Progress, replace, with_labels
from motionloom.kinematics.feet.clearance import lift_swings
from motionloom.kinematics.feet.contacts import contacts, part_positions, parts_by_foot, runs
from motionloom.kinematics.feet.plants import WHOLE_CONTACT
from motionloom.kinematics.feet.skate_removal import pin_plants
from motionloom.kinematics.feet.smoothing import gaussian

FOLLOWING = 0.05  # s: deviation of the Gaussian over the path by which hips follow standing feet


def whole_contacts(clip: Clip) -> dict[str, BoolArray]:
    """The clip's contacts (F,) by label; those of toes until the foot has rolled off, while the toe is slow and low.

    Labels may end where a toe begins to move, before the other foot has landed; a walk would then have moments
    without a foot that carries it. Contacts that the labels leave out stay out.
    """
    out, slow = ({name: np.array(on) for name, on in contacts(clip, fresh=fresh).items()} for fresh in (False, True))
    names = list(out)
    for toe in (names[own[-1]] for _, own in parts_by_foot(clip.skeleton) if own):
        for a, b in runs(slow[toe]):
            out[toe][a:b] |= out[toe][a:b].any()
    return out


def travel_on_feet(
    clip: Clip, touching: Mapping[str, BoolArray], usual: FloatArray | None = None, floor: FloatArray | None = None
) -> Clip:
    """The clip moved over the ground so that the parts of feet that touch stay in place.

    Changed legs step farther or less far than the hips travel, and no leg could hold its place then. `touching` holds
    (F,) for each of the P parts; with `usual` (F, P, 3), they move as these points do, instead of not at all. With
    `floor` (P,), heights follow, too: of each part, where it stands. In flight the hips keep their pace.
    """
    points, frames = part_positions(clip), len(clip)
    on = np.stack([x[:frames] for x in touching.values()] or [np.zeros(frames, bool)], 1)
    both = on[1:] & on[:-1]
    if not points.shape[1] or not both.any():
        return clip
    away = points if usual is None else points - usual[:frames]
    shift = np.zeros((frames, 3))
    shift[1:] = -np.cumsum(_while_standing(np.diff(away, axis=0), both), axis=0)
    shift[:, 1] = 0.0 if floor is None else _while_standing(floor - points[..., 1], on)
    shift = gaussian(shift, FOLLOWING * clip.fps)
    shift[:, [0, 2]] -= shift[0, [0, 2]]
    return replace(clip, root=clip.root + shift)


def _while_standing(values: FloatArray, on: BoolArray) -> FloatArray:
    """(F, ...) the mean of values (F, P, ...) over the parts that are on; where none is, between its neighbours."""
    share = on / np.maximum(on.sum(1), 1)[:, None]
    mean = np.einsum("fp,fp...->f...", share, values)
    some, each = on.any(1), np.arange(len(on))
    columns = [np.interp(each, each[some], column[some]) for column in mean.reshape(len(mean), -1).T]
    return np.stack(columns, 1).reshape(mean.shape)


def lock_given_contacts(
    clip: Clip, touching: Mapping[str, BoolArray], clearance: float, progress: Progress | None = None
) -> Clip:
    """The clip with its feet locked in given contacts, and swinging feet lifted to `clearance` metres.

    A note states in how many of the contacts feet could be held.
    """
    given = {name: on[: len(clip)] for name, on in touching.items()}
    pinned = pin_plants(with_labels(clip, given), toe=WHOLE_CONTACT, progress=progress)
    total = sum(int(on.sum()) for on in given.values())
    held = sum(int((on & pinned.labels[name]).sum()) for name, on in given.items() if name in pinned.labels)
    lifted = lift_swings(pinned.clip, clearance) if pinned.moved > 0 else pinned.clip
    out = replace(lifted, labels=clip.labels, label_names=clip.label_names, origin=clip.origin)
    if total == 0 or held == total:
        return out
    note = Note(
        f"feet locked in {100 * held / total:.0f} % of the frames in which they stand in the clip (half to four fifths "
        "are usual); in the others the foot rolls off, or a leg would have to snap"
    )
    return replace(out, origin=out.origin.with_notes(note))
