"""Notes about targets of limbs: those that are missed, out of reach, or met in a hurry."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from motionloom.constraints import Constraint, Plant, PositionAt
from motionloom.core import BoolArray, Clip, Note
from motionloom.core.note import warning
from motionloom.kinematics.feet.contacts import foot_parts, runs
from motionloom.kinematics.fk import fk
from motionloom.methods.variation.body import limb_of
from motionloom.methods.variation.synthesis import SLOWEST, Tasks
from motionloom.methods.variation.timing import MOMENTS

HURRIED = 2.0  # times as fast as in the takes: a joint that is faster to meet its targets gets a warning


def limb_problem(clip: Clip, constraints: Sequence[Constraint], contacts: BoolArray, fps: float) -> str:
    """Which joints turn for the first hard target that a limb misses; or "". `contacts` (S, U, P) are the takes'."""
    skeleton = clip.skeleton
    for c in constraints:
        if isinstance(c, (PositionAt, Plant)) and c.hard and c.worst(clip) > c.limit:
            joint = skeleton.joint(c.joint)
            top = skeleton.names[limb_of(skeleton, joint).top]
            return (
                f"no variant that was tried meets {c.describe()}: for it the joints from {top} to "
                f"{skeleton.names[joint]} turn, within the range of the takes, and the hips move as in the "
                f"takes{_standing_times(clip, joint, contacts, fps) if isinstance(c, Plant) else ''}"
            )
    return ""


def _standing_times(clip: Clip, joint: int, contacts: BoolArray, fps: float) -> str:
    """When a foot stands in most of the takes, after a comma; "" for other joints."""
    names = [part.joint for part in foot_parts(clip.skeleton)]
    if joint not in names:
        return ""
    votes = contacts[:, :, names.index(joint)].mean(0) > 0.5
    spans = [f"{a / (MOMENTS * fps):.2f} to {b / (MOMENTS * fps):.2f} s" for a, b in runs(votes)]
    return f", in most of which it stands from {' and '.join(spans)}" if spans else ", in which it never stands"


def hurried_joints(clip: Clip, constraints: Sequence[Constraint], takes: Sequence[Clip]) -> tuple[Note, ...]:
    """Joints with hard targets that are much faster than in the takes, as where two targets follow at once."""
    asked = [c for c in constraints if isinstance(c, (PositionAt, Plant)) and c.hard]
    notes: list[Note] = []
    for joint in dict.fromkeys(clip.skeleton.joint(c.joint) for c in asked):
        usual, found = max(map(partial(_fastest, joint), takes)), _fastest(joint, clip)
        if found > HURRIED * max(usual, SLOWEST):
            name = clip.skeleton.names[joint]
            notes.append(warning(f"{name} moves at up to {found:.1f} m/s for its targets (takes: {usual:.1f} m/s)"))
    return tuple(notes)


def _fastest(joint: int, clip: Clip) -> float:
    """m/s: the largest speed of a joint."""
    return float(np.linalg.norm(np.diff(fk(clip)[:, joint], axis=0), axis=1).max(initial=0.0) * clip.fps)


def foot_notes(tasks: Tasks, first: int) -> tuple[Note, ...]:
    """How far standing feet, the tasks from `first` on, are from where they should stand: those are clamped."""
    miss = tasks.miss[first:]
    far = miss > 1e-3
    if not far.any():
        return ()
    worst = first + int(miss.argmax())
    text = (
        f"{int(far.sum())} of {len(far)} times a foot that stands is out of reach, by {miss.max() * 100:.1f} cm at most"
    )
    return (Note(text, frame=int(tasks.first[worst])),)
