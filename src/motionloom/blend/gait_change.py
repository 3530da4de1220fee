"""Changes of gait: a long blend of two clips in step with each other, as from a walk to a run."""

from __future__ import annotations

import numpy as np

from motionloom.blend.registration import contact_events
from motionloom.blend.transition_point import Point, same_body
from motionloom.core import BadRequest, Clip, FloatArray, concatenate, replace
from motionloom.core.numbers import smoothstep
from motionloom.core.origin_joining import joined, mixed
from motionloom.kinematics.resample import at_frames
from motionloom.kinematics.travel import from_root_motion, headings, placed, root_motion
from motionloom.rotation import multiply, slerp, yaw

GAIT_SECONDS = 1.0  # s: about a stride
MAX_RATE_RATIO = 2.0  # of step rates: beyond it the clips are not warped any further


def step_rate(clip: Clip) -> float:
    """Steps per second, from the touch-downs of each foot; NaN for a clip without two of one foot."""
    times: dict[str, list[float]] = {}
    for event in contact_events(clip):
        if event.name.endswith("down"):
            times.setdefault(event.name, []).append(event.seconds)
    strides = np.concatenate([np.diff(t) for t in times.values()]) if times else np.zeros(0)
    return float(2.0 / np.median(strides)) if len(strides) else float("nan")


def gait_change(a: Clip, b: Clip, at: Point, seconds: float = GAIT_SECONDS) -> Clip:
    """Clip `a`, then clip `b`, blended over `seconds` about the frames `at`, in step with each other.

    Within the window the step rate changes smoothly from that of A to that of B: c = (1 - w) c_a + w c_b with
    w = 3 u^2 - 2 u^3. Both clips are played at this rate (time warps c / c_a and c / c_b), so that feet that touch down
    together at the point do so in the whole window. Speeds and turns of the hips are blended, not their places, so
    the body neither stalls nor jumps ahead. Feet are not held: clean the result.
    """
    b = same_body(a, b)
    at_a, at_b = window_frames(a, b, at, seconds)
    if at_a[0] < 0 or at_b[0] < 0 or at_a[-1] > len(a) - 1 or at_b[-1] > len(b) - 1:
        raise BadRequest(f"a change of gait of {seconds:g} s does not fit into the clips at frames {at.a} and {at.b}")
    share = smoothstep(np.linspace(0.0, 1.0, len(at_a)))
    first, second = at_frames(a, at_a, a.fps, cubic=True), at_frames(b, at_b, a.fps, cubic=True)
    window = _blended(first, second, share)
    after = b[int(at_b[-1]) :]
    after = placed(after, window.root[-1, [0, 2]], float(headings(window[-1:])[0]))
    start = int(at_a[0])
    parts = [*([a[:start]] if start else []), window, *([after[1:]] if len(after) > 1 else [])]
    whole = concatenate(parts)
    origin = joined([part.origin for part in parts], [len(part) for part in parts])
    return replace(whole, origin=origin)


def window_frames(
    a: Clip, b: Clip, at: Point, seconds: float, rates: tuple[float, float] | None = None
) -> tuple[FloatArray, FloatArray]:
    """(n,) the frame of A and of B at each frame of the window; whole numbers at its start in A and at its end in B.

    `rates` are the step rates of both, where they are known.
    """
    count = max(2, round(seconds * a.fps)) + 1
    share = smoothstep(np.linspace(0.0, 1.0, count))
    rates = rates or (step_rate(a), step_rate(b))
    ratio = rates[1] / rates[0] if np.isfinite(rates).all() else 1.0
    rate = 1.0 + share * (np.clip(ratio, 1 / MAX_RATE_RATIO, MAX_RATE_RATIO) - 1.0)
    steps_a, steps_b = (np.concatenate([[0.0], np.cumsum((r[1:] + r[:-1]) / 2)]) for r in (rate, rate / rate[-1]))
    middle = count // 2
    start, end = np.round(at.a - steps_a[middle]), np.round(at.b + steps_b[-1] - steps_b[middle])
    return start + steps_a, end - steps_b[-1] + steps_b


def _blended(a: Clip, b: Clip, share: FloatArray) -> Clip:
    """Two clips of n frames as one, `share` (n,) of B in each frame, from A's first place on."""
    between = (share[1:] + share[:-1])[:, None] / 2
    motion = np.zeros((len(a), 3))
    motion[:-1] = (1 - between) * root_motion(a)[:-1] + between * root_motion(b)[:-1]
    turn_a, turn_b = headings(a), headings(b)
    path = from_root_motion(motion, a.root[0, [0, 2]], float(turn_a[0]))
    level_a, level_b = a.rotations.copy(), b.rotations.copy()
    level_a[:, 0], level_b[:, 0] = multiply(yaw(-turn_a), a.rotations[:, 0]), multiply(yaw(-turn_b), b.rotations[:, 0])
    rotations = slerp(level_a, level_b, share[:, None])
    rotations[:, 0] = multiply(yaw(path.heading), rotations[:, 0])
    height = (1 - share) * a.root[:, 1] + share * b.root[:, 1]
    root = np.stack([path.place[:, 0], height, path.place[:, 1]], axis=1)
    names = tuple(dict.fromkeys((*a.label_names, *b.label_names)))
    labels = np.stack([np.where(share < 0.5, a.label(n), b.label(n)) for n in names] or [np.zeros(len(a))], 1)
    return Clip(
        a.skeleton, root, rotations, a.fps, names, labels.astype(bool) if names else None, None,
        mixed(a.origin, b.origin, share),
    )  # fmt: skip
