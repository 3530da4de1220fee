"""Samples joined where the body stands: a person walks up, does something, and walks on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, is_found, replace
from motionloom.core.origin import from_file
from motionloom.kinematics.feet.skate_removal import pin_plants
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import moved, turned
from motionloom.rotation import slerp
from motionloom.samples.changing import STOPS, start, stop
from motionloom.samples.curves import ease

SPEED = 1.4  # m/s of the walk to an action and from it
FADE = 0.5  # s over which one clip goes over to the next, while both feet stand
WALKS = 1.3  # s of steady walking that are kept before the body slows down
STANDS = 0.6  # s of standing that are kept between a walk and an action


def walked(action: Clip, *, style: str, seed: int, fps: float) -> Clip:
    """A person walks up, stands, does what the action shows, and walks on; the action begins and ends standing.

    The walk before it and the walk after it are those of `stop` and `start` with the same seed.
    """
    before = stop(SPEED, "right", 5.0, style, seed, fps)
    after = start(SPEED, "right", 4.0, style, seed, fps)
    rests = int(np.flatnonzero(before.label("stand"))[0])
    goes = int(np.flatnonzero(after.label("stand"))[-1])
    spare = round(STANDS * fps)
    first = max(0, rests - round((WALKS + STOPS) * fps))
    arrives = _raised(before[first : rests + spare], _feet(action)[:, 1].mean() - _feet(before[-1:])[:, 1].mean())
    return joined((arrives, action, after[max(0, goes - spare) :]), action.label_names[0])


def joined(clips: Sequence[Clip], name: str) -> Clip:
    """The clips one after the other: each is laid on the standing feet of the one before, and fades into it.

    Feet are then held where they stand, so that a plant across a join is one plant. All frames have the label `name`,
    and the other labels where the clips have them.
    """
    out = clips[0]
    for clip in clips[1:]:
        out = _faded(out, _laid(clip, out), round(FADE * out.fps))
    whole = {n for c in clips for n in c.label_names if c.label(n).all() and not is_found(n)} - {"stand", "walk"}
    names = (name, *(n for n in out.label_names if n != name and n not in whole))
    labels = np.stack([np.ones(len(out), bool) if n == name else out.label(n) for n in names], 1)
    origin = from_file(f"sample:{name}", len(out))
    whole_clip = Clip(out.skeleton, out.root, out.rotations, out.fps, names, labels, origin=origin)
    kept = np.arange(len(out)) < len(clips[0]) - round(FADE * out.fps)  # the first clip is right as it is
    return pin_plants(whole_clip, hard=kept).clip


def _laid(clip: Clip, before: Clip) -> Clip:
    """The clip turned and moved so that its first feet stand where the last ones of `before` do."""
    there, here = _feet(before[-1:]), _feet(clip)
    turn = _across(there) - _across(here)
    middle = here[:, [0, 2]].mean(0)
    laid = moved(turned(clip, turn, about=middle), there[:, [0, 2]].mean(0) - middle)
    return _raised(laid, float(there[:, 1].mean() - here[:, 1].mean()))


def _feet(clip: Clip) -> FloatArray:
    """(2, 3) ankles in the first frame, the left one first."""
    return np.asarray(fk(clip[:1])[0, [clip.skeleton.joint(f"{side}_foot") for side in ("left", "right")]])


def _raised(clip: Clip, by: float) -> Clip:
    return replace(clip, root=clip.root + [0.0, by, 0.0])


def _across(feet: FloatArray) -> float:
    return float(np.arctan2(*(feet[0] - feet[1])[[0, 2]]))


def _faded(a: Clip, b: Clip, frames: int) -> Clip:
    """The last frames of `a` go over to the first ones of `b`."""
    share = ease(np.arange(1, frames + 1) / (frames + 1.0), 0.0, 1.0)
    tail, head = a[len(a) - frames :], b[:frames]
    root = tail.root + share[:, None] * (head.root - tail.root)
    rotations = slerp(tail.rotations, head.rotations, share[:, None])
    names = tuple(dict.fromkeys([*a.label_names, *b.label_names]))

    def on(clip: Clip, name: str) -> BoolArray:
        return clip.label(name) if name in clip.label_names else np.zeros(len(clip), bool)

    labels = np.stack(
        [
            np.concatenate([on(a, n)[:-frames], np.where(share < 0.5, on(tail, n), on(head, n)), on(b, n)[frames:]])
            for n in names
        ],
        1,
    )
    return Clip(
        a.skeleton,
        np.concatenate([a.root[:-frames], root, b.root[frames:]]),
        np.concatenate([a.rotations[:-frames], rotations, b.rotations[frames:]]),
        a.fps,
        names,
        labels,
    )
