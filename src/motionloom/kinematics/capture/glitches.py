"""Glitches: joints that jump farther in a frame than a body can, and how to mend short ones.

Real captures have them, most often where markers were swapped or lost, and in the first frames after an added T-pose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, IntArray, Skeleton, replace
from motionloom.kinematics.body.roles import feet, fingers
from motionloom.kinematics.capture.wrong_bends import wrong_bends
from motionloom.kinematics.feet.contacts import runs
from motionloom.rotation import angle_between, average, slerp

MAX_JOINT_SPEED = np.radians(3600.0)  # rad/s: faster than any joint of a sprint, a kick or a punch in CMU's clean takes
MAX_ROOT_SPEED = 13.0  # m/s: faster than any sprint
LONE_STEP_SPEED = np.radians(1440.0)  # rad/s: slower steps are glitches too if they are faster than this,
LONE_STEP_RATIO = 5.0  # and so many times longer than three of the four steps around them
USUAL = 0.99  # share of a joint's steps that are usual
FLIP = np.pi / 2  # a step by more than this turns the limb over
SLIGHT = np.radians(20.0)  # a smaller glitch of a few frames costs no frames: it is interpolated before learning,
SLIGHT_TIME = 0.03  # seconds: unless it is longer than this
SPIKE = np.radians(7.0)  # off the middle of its neighbours by more than this,
MAX_JOINT_ACCELERATION = np.radians(150_000.0)  # rad/s^2: with more than this (a punch: 60,000, in Bandai),
SPIKE_RATIO = 8.0  # and is so many times more than half a second around it: a spike
SPIKE_ROOT = 0.06  # metres, the same for the root's place,
MAX_ROOT_ACCELERATION = 400.0  # m/s^2, and its acceleration
AT_REST = np.radians(0.1)
MIN_REST_JUMP, REST_JUMP = np.radians(3.0), 4.0  # a jump to or from the rest pose: radians, and times the usual step
MERGE_TIME = 0.1  # seconds: jumps this near to each other are one glitch
TURNING_TIME = 0.015  # seconds: a foot that turns over is on the way for so long before the jump, and after it
MAX_REPAIR_TIME = 0.25  # seconds: longer ones cannot be mended from their neighbours


class Glitch(NamedTuple):
    """Frames [start, stop) in which a joint is wrong. `joint` is -1 for the root's place."""

    joint: int
    start: int
    stop: int
    size: float  # the largest jump, radians (metres for the root's place)
    kind: str  # "burst": out and back; "edge": first or last frames; "step": jumps and stays; "flip": turned over


def glitches(clip: Clip) -> list[Glitch]:
    """Every glitch of a clip, in the order of frames; fingers are looked at too.

    A joint glitches where it turns faster than 3600 degrees per second; faster than 1440 degrees per second in one step
    that is five times as long as those around it; or where it is off the middle of its neighbour frames by
    over 7 degrees, as no muscle could do it and as it is nowhere within half a second around; the root also where it
    moves faster than 13 m/s. A step has no wrong frames of its own, so it names the two that it lies between. After a
    step of over 90 degrees a limb is flipped until it steps back; of the longest part of the clip nothing is flipped.
    """
    if len(clip) < 3:
        return []
    steps = angle_between(clip.rotations[1:], clip.rotations[:-1])
    middle = slerp(clip.rotations[:-2], clip.rotations[2:], np.full(clip.rotations.shape[1], 0.5))
    off = angle_between(clip.rotations[1:-1], middle)
    jumps = (steps > MAX_JOINT_SPEED / clip.fps) | _spiky_steps(off, steps, SPIKE, MAX_JOINT_ACCELERATION, clip.fps)
    lone = _lone_steps(steps, clip.fps)
    lone[:, _paws(clip.skeleton)] = False  # touch-downs in a gallop turn a paw by 36 degrees from one frame to the next
    jumps |= lone
    found: list[Glitch] = []
    for j in range(len(clip.skeleton)):
        found += _bursts(jumps[:, j], steps[:, j], partial(_turned_by, clip.rotations[:, j]), j, clip.fps)
    found = _flips([_returning(g, clip) if g.kind == "step" else g for g in found], clip)
    moves = np.linalg.norm(np.diff(clip.root, axis=0), axis=1)
    off_root = np.linalg.norm(clip.root[1:-1] - (clip.root[:-2] + clip.root[2:]) / 2, axis=1)
    spiky = _spiky_steps(off_root[:, None], moves[:, None], SPIKE_ROOT, MAX_ROOT_ACCELERATION, clip.fps)[:, 0]
    jumps_root = (moves > MAX_ROOT_SPEED / clip.fps) | spiky
    found += _bursts(jumps_root, moves, lambda a, b: float(np.linalg.norm(clip.root[a] - clip.root[b])), -1, clip.fps)
    return sorted(found, key=lambda g: (g.start, g.joint))


def rest_frames(clip: Clip) -> BoolArray:
    """(F,) frames in the rest pose (a T-pose, mostly) that are not part of the motion.

    Half of the joints that usually turn do not turn at all, and the body jumps there or away from there: the mean turn
    of these joints in that step is over 3 degrees and 4 times the usual. A loop that passes through its rest pose
    does not jump.
    """
    from_rest = 2 * np.arccos(np.clip(np.abs(clip.rotations[..., 0]), 0, 1))
    moving = np.median(from_rest, axis=0) > 10 * AT_REST
    if moving.sum() < 3:
        return np.zeros(len(clip), bool)
    at_rest = np.asarray((from_rest[:, moving] < AT_REST).mean(axis=1) >= 0.5)
    if not at_rest.any() or len(clip) < 2:
        return at_rest
    steps = angle_between(clip.rotations[1:, moving], clip.rotations[:-1, moving]).mean(1)
    usual = steps[~(at_rest[1:] | at_rest[:-1])]
    jump = max(MIN_REST_JUMP, REST_JUMP * float(np.median(usual)) if len(usual) else 0.0)
    for a, b in runs(at_rest):
        borders = [k - 1 for k in (a, b) if 0 < k < len(clip)]
        at_rest[a:b] = not borders or max(steps[borders]) > jump
    return at_rest


def broken_frames(clip: Clip, found: Sequence[Glitch] | None = None) -> BoolArray:
    """(F,) frames not suitable for learning: a joint other than a finger or a toe is wrong (slight glitches apart), a
    limb bends to the wrong side, or it is a T-pose.
    """
    out = rest_frames(clip)
    ignored = set(small_joints(clip.skeleton))
    for g in glitches(clip) if found is None else found:
        if g.joint not in ignored and not is_slight(g, clip.fps):
            out[g.start : g.stop] = True
    for bend in wrong_bends(clip):
        out[bend.start : bend.stop] = True
    return out


def is_slight(glitch: Glitch, fps: float) -> bool:
    """Whether a joint is off by little for a few frames, so that interpolating loses nothing."""
    short = glitch.stop - glitch.start <= max(1, round(SLIGHT_TIME * fps))
    return glitch.kind == "burst" and glitch.joint >= 0 and glitch.size < SLIGHT and short


def small_joints(skeleton: Skeleton) -> list[int]:
    """Fingers, toes, tails and the paws of animals: they glitch in most captures, and a frame is not lost for it."""
    ends = [j for j, role in enumerate(skeleton.roles) if role.endswith("_toe") or role.startswith("tail")]
    return sorted({*fingers(skeleton), *ends, *_paws(skeleton)})


def _paws(skeleton: Skeleton) -> list[int]:
    """The last joints of an animal's legs."""
    legs = feet(skeleton)
    return [foot.ankle if foot.toe is None else foot.toe for foot in legs] if len(legs) >= 4 else []


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
    return glitch.kind in ("burst", "edge") and glitch.stop - glitch.start <= max(2, round(MAX_REPAIR_TIME * fps))


def glitches_with_bends(clip: Clip) -> list[Glitch]:
    """As `glitches`, with one in place of all those of a foot around a knee that bends to the wrong side: a foot that
    jumps to its back and jumps again later has turned over, and is wrong all the time between, and already on the way
    there in the frames beside these.
    """
    found = glitches(clip)
    gap, beside = max(2, round(MERGE_TIME * clip.fps)), round(TURNING_TIME * clip.fps)
    for bend in wrong_bends(clip):
        below = clip.skeleton.below(bend.joint)
        near = [g for g in found if g.joint in below and g.start <= bend.stop + gap and g.stop >= bend.start - gap]
        for joint in sorted({g.joint for g in near if g.kind != "step"}):
            own = [g for g in near if g.joint == joint]
            first = max(0, min(bend.start, *(g.start for g in own)) - beside)
            last = min(len(clip), max(bend.stop, *(g.stop for g in own)) + beside)
            kind = "edge" if any(g.kind == "edge" for g in own) else "burst"
            found = [g for g in found if g not in own] + [Glitch(joint, first, last, max(g.size for g in own), kind)]
    return sorted(found, key=lambda g: (g.start, g.joint))


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


def _lone_steps(steps: FloatArray, fps: float) -> BoolArray:
    """(F - 1, n) fast steps between slow ones: captured motion accelerates over several frames, at 30 fps too.

    The first and last two have fewer steps around them: they are also faster than the joint is elsewhere.
    """
    padded = np.pad(steps, ((2, 2), (0, 0)))
    around = np.sort([padded[k : k + len(steps)] for k in (0, 1, 3, 4)], axis=0)[2]  # one may be the step back
    if len(steps) < 5:
        return np.zeros(steps.shape, bool)
    lone = np.asarray((steps > LONE_STEP_SPEED / fps) & (steps > LONE_STEP_RATIO * around))
    lone[[0, 1, -2, -1]] &= steps[[0, 1, -2, -1]] > np.quantile(steps, USUAL, axis=0)
    return lone


def _flips(found: Sequence[Glitch], clip: Clip) -> list[Glitch]:
    """Steps of over 90 degrees replaced by the frames between them in which the joint is over 90 degrees off its usual
    rotation, which is that of the longest part; other glitches as they are.
    """
    out = [g for g in found if not (g.kind == "step" and g.size > FLIP)]
    flips: dict[int, list[Glitch]] = {}
    for g in found:
        if g.kind == "step" and g.size > FLIP:
            flips.setdefault(g.joint, []).append(g)
    for joint, steps in flips.items():
        cuts = [0, *(g.stop - 1 for g in steps), len(clip)]
        parts = list(pairwise(cuts))
        means = [average(clip.rotations[a:b, joint]) for a, b in parts]
        usual = means[int(np.argmax([b - a for a, b in parts]))]
        turned = [float(angle_between(mean, usual)) > FLIP for mean in means]
        for k, (a, b) in enumerate(parts):
            if turned[k]:
                size = max(g.size for g in steps if g.stop - 1 in (a, b))
                out.append(Glitch(joint, a, b, size, "flip"))
        out += [g for k, g in enumerate(steps) if turned[k] == turned[k + 1]]
    return out


def _turned_by(rotations: FloatArray, a: int, b: int) -> float:
    return float(angle_between(rotations[a], rotations[b]))


def _bursts(
    jumps: BoolArray, sizes: FloatArray, distance: Callable[[int, int], float], joint: int, fps: float
) -> list[Glitch]:
    """Jumps (F - 1,) of one joint put together to glitches; a jump at index f leads from frame f to f + 1.

    `distance` of two frames shows whether the joint comes back.
    """
    at: IntArray = np.flatnonzero(jumps)
    if not len(at):
        return []
    gap = max(2, round(MERGE_TIME * fps))
    frames = len(jumps) + 1
    out = []
    for part in np.split(at, np.flatnonzero(np.diff(at) > gap) + 1):
        first, last, size = int(part[0]) + 1, int(part[-1]) + 1, float(sizes[part].max())
        away = len(part) == 1 or distance(first - 1, last) > 0.5 * size
        if first <= gap and (away or first == 1):
            out.append(Glitch(joint, 0, last, size, "edge"))
        elif away and frames - last <= gap:
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
