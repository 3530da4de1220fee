"""When and how feet of takes stand: what standing feet of variants are compared with."""

from __future__ import annotations

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, IntArray
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.feet.contacts import SPEED, contact_array, part_positions, part_speeds, runs, steady_runs
from motionloom.kinematics.travel import travel

FAR = 0.1  # m from where it stands on average: a foot whose takes have it farther away takes a step
RAMP = 0.1  # s after a foot touches down, and before it lifts, in which the hips begin and cease to follow it


def steady_contacts(contacts: BoolArray, fps: float) -> BoolArray:
    """Contacts (F, P) without gaps and contacts shorter than `RAMP`, in which nothing could be eased in or out."""
    return steady_runs(contacts, contacts, max(1, round(RAMP * fps)))


def stepping(contacts: BoolArray, places: FloatArray, legs: IntArray, fps: float) -> BoolArray:
    """Contacts (F, P) of foot parts at places (F, P, 3), of `legs` (P,), with a step where they move far.

    Takes that step at different times, or with different feet, mix to a foot that stands by the vote and is elsewhere
    later: held in between, it would stretch its leg. So it is free, with all of its leg, while it moves fastest; and
    it stands only from where it is slow to where it is so for the last time.
    """
    out, slow = contacts.copy(), part_speeds(places, fps) < SPEED[1]
    width = max(1, round(RAMP * fps))
    for p in range(contacts.shape[1]):
        pending = runs(contacts[:, p])
        while pending:
            a, b = pending.pop()
            still = np.flatnonzero(slow[a:b, p])
            first, last = (a + still[0], a + still[-1] + 1) if len(still) else (b, b)
            out[a:first, p] = out[last:b, p] = False
            path = places[first:last, p][:, [0, 2]]
            if last - first <= 4 * width or np.linalg.norm(path - path.mean(0), axis=1).max() <= FAR:
                continue
            f = first + int(np.linalg.norm(path[2 * width :] - path[: -2 * width], axis=1).argmax())
            out[f : f + 2 * width, legs == legs[p]] = False
            pending += [(first, f), (f + 2 * width, last)]
    return steady_contacts(out, fps)


def slips(clip: Clip) -> FloatArray:
    """(F, P, 2) how far each foot part moves from the frame before, left and forward, m; the first row is the next."""
    steps = np.diff(part_positions(clip)[..., [0, 2]], axis=0)
    steps = np.concatenate([steps[:1], steps]) if len(steps) else np.zeros((len(clip), 0, 2))
    heading = travel(clip).heading
    c, s = np.cos(heading)[:, None], np.sin(heading)[:, None]
    return np.stack([c * steps[..., 0] - s * steps[..., 1], s * steps[..., 0] + c * steps[..., 1]], -1)


def standing_shares(clip: Clip) -> FloatArray:
    """(F, P) 0 where a foot part does not stand, 1 where it has stood and will stand for `RAMP`."""
    contacts = steady_contacts(contact_array(clip), clip.fps)
    out = np.zeros(contacts.shape)
    for p in range(contacts.shape[1]):
        for a, b in runs(contacts[:, p]):
            since = np.arange(a, b) - a + 1.0 if a > 0 else np.full(b - a, np.inf)
            left = b - 1.0 - np.arange(a, b) if b < len(contacts) else np.full(b - a, np.inf)
            out[a:b, p] = smoothstep(np.minimum(since, left) / (RAMP * clip.fps))
    return out
