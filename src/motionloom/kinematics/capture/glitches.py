"""Glitches: joints that jump farther in a frame than a body can, and how to mend short ones.

Real captures have them, most often where markers were swapped or lost, and in the first frames after an added T-pose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, IntArray, Skeleton, replace
from motionloom.kinematics.body.roles import fingers
from motionloom.kinematics.feet.contacts import runs
from motionloom.rotation import angle_between, slerp

MAX_JOINT_SPEED = np.radians(3600.0)  # rad/s: faster than any joint of a sprint, a kick or a punch in CMU's clean takes
MAX_ROOT_SPEED = 13.0  # m/s: faster than any sprint
SPIKE = np.radians(20.0)  # off the middle of its neighbours by more than this,
MAX_JOINT_ACCELERATION = np.radians(150_000.0)  # rad/s^2: with more than this (a punch: 60,000, in Bandai),
SPIKE_RATIO = 8.0  # and is so many times more than half a second around it: a spike
SPIKE_ROOT = 0.06  # metres, the same for the root's place,
MAX_ROOT_ACCELERATION = 400.0  # m/s^2, and its acceleration
AT_REST = np.radians(0.1)
MERGE_TIME = 0.1  # seconds: jumps this near to each other are one glitch
MAX_REPAIR_TIME = 0.25  # seconds: longer ones cannot be mended from their neighbours


class Glitch(NamedTuple):
    """Frames [start, stop) in which a joint is wrong. `joint` is -1 for the root's place."""

    joint: int
    start: int
    stop: int
    size: float  # the largest jump, radians (metres for the root's place)
    kind: str  # "burst": out and back; "edge": the first or last frames; "step": it jumps and stays there


def glitches(clip: Clip) -> list[Glitch]:
    """Every glitch of a clip, in the order of frames; fingers are looked at too.

    A joint glitches where it turns faster than 3600 degrees per second, or where it is off the middle of its neighbour
    frames by over 20 degrees, as no muscle could do it and as it is nowhere within half a second around; the root also
    where it moves faster than 13 m/s. A step has no wrong frames of its own, so it names the two that it lies between.
    """
    if len(clip) < 3:
        return []
    steps = angle_between(clip.rotations[1:], clip.rotations[:-1])
    middle = slerp(clip.rotations[:-2], clip.rotations[2:], np.full(clip.rotations.shape[1], 0.5))
    off = angle_between(clip.rotations[1:-1], middle)
    jumps = (steps > MAX_JOINT_SPEED / clip.fps) | _spiky_steps(off, steps, SPIKE, MAX_JOINT_ACCELERATION, clip.fps)
    found = [g for j in range(len(clip.skeleton)) for g in _bursts(jumps[:, j], steps[:, j], j, clip.fps)]
    found = [_returning(g, clip) if g.kind == "step" else g for g in found]
    moves = np.linalg.norm(np.diff(clip.root, axis=0), axis=1)
    off_root = np.linalg.norm(clip.root[1:-1] - (clip.root[:-2] + clip.root[2:]) / 2, axis=1)
    spiky = _spiky_steps(off_root[:, None], moves[:, None], SPIKE_ROOT, MAX_ROOT_ACCELERATION, clip.fps)[:, 0]
    jumps_root = (moves > MAX_ROOT_SPEED / clip.fps) | spiky
    found += _bursts(jumps_root, moves, -1, clip.fps)
    return sorted(found, key=lambda g: (g.start, g.joint))


def rest_frames(clip: Clip) -> BoolArray:
    """(F,) the frames in the rest pose (a T-pose, mostly): half of the joints that usually turn do not turn at all."""
    from_rest = 2 * np.arccos(np.clip(np.abs(clip.rotations[..., 0]), 0, 1))
    moving = np.median(from_rest, axis=0) > 10 * AT_REST
    if moving.sum() < 3:
        return np.zeros(len(clip), bool)
    return np.asarray((from_rest[:, moving] < AT_REST).mean(axis=1) >= 0.5)


def broken_frames(clip: Clip, found: Sequence[Glitch] | None = None) -> BoolArray:
    """(F,) frames not suitable for learning: a joint other than a finger or a toe is wrong, or it is a T-pose."""
    out = rest_frames(clip)
    ignored = set(small_joints(clip.skeleton))
    for g in glitches(clip) if found is None else found:
        if g.joint not in ignored:
            out[g.start : g.stop] = True
    return out


def small_joints(skeleton: Skeleton) -> list[int]:
    """Fingers and toes: they glitch in most captures, and a frame is not lost for it."""
    toes = [j for j, role in enumerate(skeleton.roles) if role.endswith("_toe")]
    return sorted({*fingers(skeleton), *toes})


def whole_pieces(clip: Clip, *, shortest: float = 0.5) -> list[Clip]:
    """What is left of a clip without its broken frames: pieces of at least `shortest` seconds, in order.

    The clip itself, if nothing in it is broken; no piece at all, if too little is whole.
    """
    broken = broken_frames(clip)
    if not broken.any():
        return [clip]
    least = max(2, round(shortest * clip.fps))
    return [clip[a:b] for a, b in runs(~broken) if b - a >= least]


def mendable(glitch: Glitch, fps: float) -> bool:
    """Short, and with a good neighbour to lean on."""
    return glitch.kind != "step" and glitch.stop - glitch.start <= max(2, round(MAX_REPAIR_TIME * fps))


def mended(clip: Clip, found: Sequence[Glitch] | None = None) -> tuple[Clip, list[Glitch]]:
    """The clip with its short glitches mended, and those that were: slerp from the good frame before to the one after.

    At an edge the nearest good frame is held. All that hangs on the joint is mended with it, as captures make up for a
    wrong joint by turning the next ones (a pelvis that jumps, below a chest that does not); with the hips, their place.
    """
    done = [g for g in (glitches(clip) if found is None else found) if mendable(g, clip.fps)]
    rotations, root = clip.rotations.copy(), clip.root.copy()
    for g in done:
        share = np.arange(1, g.stop - g.start + 1) / (g.stop - g.start + 1)
        before, after = max(g.start - 1, 0), min(g.stop, len(clip) - 1)
        if g.start == 0:
            before = after
        if g.stop == len(clip):
            after = before
        if g.joint <= 0:
            root[g.start : g.stop] = root[before] + share[:, None] * (root[after] - root[before])
        if g.joint >= 0:
            below = clip.skeleton.below(g.joint)
            rotations[g.start : g.stop, below] = slerp(
                rotations[before, below], rotations[after, below], share[:, None]
            )
    return (replace(clip, root=root, rotations=rotations) if done else clip), done


def _spiky_steps(off: FloatArray, steps: FloatArray, least: float, hardest: float, fps: float) -> BoolArray:
    """(F - 1, n) steps to and from a frame that is off its neighbours' middle (F - 2, n) as nothing around it is.

    Off the middle by d means an acceleration of 2 d fps^2. Both steps must be long, or the joint does not come back.
    """
    least = max(least, hardest / (2 * fps**2))
    radius = max(3, round(0.5 * fps))
    out = np.zeros(steps.shape, bool)
    for f, j in np.argwhere((off > least) & (np.minimum(steps[:-1], steps[1:]) > 0.7 * off)):
        around = np.concatenate([off[max(0, f - radius) : max(0, f - 2), j], off[f + 3 : f + 3 + radius, j]])
        if len(around) >= 3 and off[f, j] > SPIKE_RATIO * max(float(np.median(around)), 1e-9):
            out[f : f + 2, j] = True
    return out


def _bursts(jumps: BoolArray, sizes: FloatArray, joint: int, fps: float) -> list[Glitch]:
    """Jumps (F - 1,) of one joint put together to glitches; a jump at index f leads from frame f to f + 1."""
    at: IntArray = np.flatnonzero(jumps)
    if not len(at):
        return []
    gap = max(2, round(MERGE_TIME * fps))
    frames = len(jumps) + 1
    out = []
    for part in np.split(at, np.flatnonzero(np.diff(at) > gap) + 1):
        first, last, size = int(part[0]) + 1, int(part[-1]) + 1, float(sizes[part].max())
        if first <= gap and (len(part) == 1 or first == 1):
            out.append(Glitch(joint, 0, last, size, "edge"))
        elif len(part) == 1 and frames - last <= gap:
            out.append(Glitch(joint, first, frames, size, "edge"))
        elif len(part) == 1:
            out.append(Glitch(joint, first - 1, first + 1, size, "step"))
        else:
            out.append(Glitch(joint, first, last, size, "burst"))
    return out


def _returning(step: Glitch, clip: Clip) -> Glitch:
    """A step whose joint glides back (or came gliding) within a tenth of a second is a burst after all."""
    q = clip.rotations[:, step.joint]
    before, after = step.start, step.stop - 1
    gap = max(2, round(MERGE_TIME * clip.fps))
    back = np.flatnonzero(angle_between(q[after + 1 : after + 1 + gap], q[before]) < 0.3 * step.size)
    if len(back):
        return step._replace(start=after, stop=after + 1 + int(back[0]), kind="burst")
    first = max(0, before - gap)
    came = np.flatnonzero(angle_between(q[first:before], q[after]) < 0.3 * step.size)
    if len(came):
        return step._replace(start=first + int(came[-1]) + 1, stop=after, kind="burst")
    return step
