"""Travel: the place of a body on the ground and its heading. No other module defines them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import Clip, FloatArray, Skeleton, replace
from motionloom.core.numbers import smoothstep
from motionloom.rotation import from_matrix, multiply, rotate, twist, yaw

UP = np.array([0.0, 1.0, 0.0])
OVERTURN_ANGLE = np.pi / 3  # rad: nearer to upside down than this, the body is turning over and has no own heading


@dataclass(frozen=True, eq=False)
class Travel:
    """The path of a body over the ground."""

    place: FloatArray  # (F, 2) metres: x, z of the hips
    heading: FloatArray  # (F,) radians, continuous in time; 0 faces +z, positive turns left, towards +x


@lru_cache(maxsize=256)  # a skeleton never changes, and every heading needs it
def body_axes(skeleton: Skeleton) -> FloatArray:
    """The constant turn (4,) from the body's own axes (x left, y up, z forward) to the hips' local frame.

    Left runs from the right thigh to the left one; up (two legs) or forward (four) runs from the hips along the spine.
    Rest poses differ between files (in some every bone lies along x), so no local axis is taken for granted. A body
    without thighs or spine is taken to face +z at rest.
    """
    out = _axes(skeleton)
    out.flags.writeable = False
    return out


def _axes(skeleton: Skeleton) -> FloatArray:
    sides = [skeleton.find(f"{side}_thigh") for side in ("left", "right")]
    spine = skeleton.find("spine", "neck", "head")
    if None in sides or spine is None:
        return np.array([1.0, 0.0, 0.0, 0.0])
    left = _unit(_from_hips(skeleton, sides[0]) - _from_hips(skeleton, sides[1]))
    four = skeleton.find("left_front_foot", "right_front_foot") is not None
    line = _spine_direction(skeleton, four=four)
    if left is None or line is None:
        return np.array([1.0, 0.0, 0.0, 0.0])
    line = _unit(line - (line @ left) * left)
    if line is None:
        return np.array([1.0, 0.0, 0.0, 0.0])
    up = np.cross(line, left) if four else line
    return from_matrix(np.stack([left, up, np.cross(left, up)], -1))


def _from_hips(skeleton: Skeleton, joint: int | None) -> FloatArray:
    assert joint is not None
    to_joint, to_hips = (skeleton.chain(j)[1:] for j in (joint, _hips(skeleton)))
    return np.asarray(skeleton.offsets[to_joint].sum(axis=0) - skeleton.offsets[to_hips].sum(axis=0))


def _hips(skeleton: Skeleton) -> int:
    """The hips; a joint on the floor may carry them (`with_root_bone`)."""
    return skeleton.find("hips") or 0


def _spine_direction(skeleton: Skeleton, *, four: bool) -> FloatArray | None:
    """From the hips to the first joint up the spine that has a place of its own.

    Where a spine joint sits in the hips themselves, its own turn hides the direction of the bones above it; the tail of
    a four-legged body (backwards) or the thighs of a two-legged one (downwards) then decide.
    """
    line = None
    for role in ("spine", "spine1", "spine2", "neck", "head"):
        joint = skeleton.find(role)
        if joint is not None and (line := _unit(_from_hips(skeleton, joint))) is not None:
            if skeleton.parents[joint] == _hips(skeleton):
                return line
            break
    if four:
        tail = skeleton.find("tail")
        behind = None if tail is None else _unit(_from_hips(skeleton, tail))
        return line if behind is None else -behind
    thighs = [_from_hips(skeleton, skeleton.find(f"{side}_thigh")) for side in ("left", "right")]
    down = _unit(thighs[0] + thighs[1])
    return line if line is None or down is None or line @ down < 0 else -down


def _unit(v: FloatArray) -> FloatArray | None:
    length = np.linalg.norm(v)
    return v / length if length > 1e-6 else None


def root_headings(turns: FloatArray, skeleton: Skeleton) -> FloatArray:
    """(...,) radians in (-pi, pi]: the heading of single root rotations (..., 4); see `headings`."""
    return body_headings(multiply(turns, body_axes(skeleton)))


def body_headings(axes: FloatArray) -> FloatArray:
    """(...,) radians in (-pi, pi]: the heading of rotations (..., 4) of the body's own axes (`body_axes`)."""
    return twist(axes, UP)


def without_heading(turns: FloatArray, skeleton: Skeleton) -> FloatArray:
    """Root rotations (..., 4) turned back to heading 0."""
    return multiply(yaw(-root_headings(turns, skeleton)), turns)


def headings(clip: Clip) -> FloatArray:
    """(F,) rad: the heading of the hips, continuous in time, also while the body turns over.

    It is the turn about the vertical in the hips' rotation (its twist, not its projection: the twist stays defined
    when the body bends or rolls forward), followed without jumps from a first value in (-pi, pi].

    Near upside down the twist spins (a cartwheel would count as a full turn within a few frames), so where the hips
    are nearer than `OVERTURN_ANGLE` to upside down the heading runs smoothly from the frame before to the frame after;
    the turning over itself is then tilt. At a clip's ends, the nearest heading stays.
    """
    heading = root_headings(clip.rotations[:, 0], clip.skeleton)
    ok = np.flatnonzero(hips_up(clip.rotations[:, 0], clip.skeleton) > -np.cos(OVERTURN_ANGLE))
    if not len(ok):
        return np.full(len(clip), heading[0])
    if len(ok) == len(clip):
        return np.unwrap(heading)
    known = np.unwrap(heading[ok])
    out = np.interp(np.arange(len(clip)), ok, known)
    for a in np.flatnonzero(np.diff(ok) > 1):  # from known[a] to known[a + 1], beginning and ending as fast as around
        first, last = ok[a], ok[a + 1]
        n = last - first
        before = known[a] - known[a - 1] if a > 0 and ok[a - 1] == first - 1 else 0.0
        after = known[a + 2] - known[a + 1] if a + 2 < len(ok) and ok[a + 2] == last + 1 else 0.0
        p = np.arange(n) / n
        most = abs(known[a + 1] - known[a]) / n
        before, after = np.clip([before, after], -3 * most, 3 * most)  # a cubic with these does not overshoot
        out[first:last] = (
            known[a]
            + smoothstep(p) * (known[a + 1] - known[a])
            + n * (p * (1 - p) ** 2 * before - p**2 * (1 - p) * after)
        )
    return out


def hips_up(turn: FloatArray, skeleton: Skeleton) -> FloatArray:
    """(F,) the height of the hips' own up axis: 1 upright, 0 lying, -1 upside down."""
    q = multiply(turn, body_axes(skeleton))
    return np.asarray(1 - 2 * (q[:, 1] ** 2 + q[:, 3] ** 2))


def travel(clip: Clip) -> Travel:
    """Place on the ground and heading of the hips, frame by frame."""
    return Travel(clip.root[:, [0, 2]], headings(clip))


SWAY_SMOOTHING = (0.2, 0.3)  # s: deviation of the Gaussians that take the sway out of places and headings


def steady_travel(clip: Clip) -> Travel:
    """Place and heading of the body without the sway of its hips: a Gaussian over each, about half a stride wide."""
    path = travel(clip)
    place, heading = (
        _smoothed(x, s * clip.fps) for x, s in zip((path.place, path.heading[:, None]), SWAY_SMOOTHING, strict=True)
    )
    return Travel(place, heading[:, 0])


def _smoothed(values: FloatArray, deviation: float) -> FloatArray:
    """A Gaussian over time; beyond its ends a clip is continued by its point reflection, so that speeds are kept."""
    reach = min(len(values) - 1, int(3 * deviation) + 1)
    if reach < 1:
        return values
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    front = 2 * values[0] - values[reach:0:-1]
    back = 2 * values[-1] - values[-2 : -reach - 2 : -1]
    padded = np.concatenate([front, values, back])
    return np.stack([np.convolve(column, weights / weights.sum(), mode="valid") for column in padded.T], 1)


def ground_turn(angle: ArrayLike, xz: ArrayLike) -> FloatArray:
    """Ground points or vectors (..., 2) turned left by `angle` about the origin."""
    angle, xz = np.asarray(angle, float), np.asarray(xz, float)
    c, s = np.cos(angle), np.sin(angle)
    x, z = xz[..., 0], xz[..., 1]
    return np.stack([c * x + s * z, c * z - s * x], -1)


def moved(clip: Clip, by: ArrayLike) -> Clip:
    """The clip shifted on the ground by (x, z) metres."""
    x, z = np.asarray(by, float)
    return replace(clip, root=clip.root + [x, 0.0, z])


def turned(clip: Clip, angle: float, about: ArrayLike = (0.0, 0.0)) -> Clip:
    """The clip turned left by `angle` radians about a point on the ground."""
    x, z = np.asarray(about, float)
    centre = np.array([x, 0.0, z])
    turn = yaw(angle)
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(turn, rotations[:, 0])
    return replace(clip, root=rotate(turn, clip.root - centre) + centre, rotations=rotations)


def placed(clip: Clip, position: ArrayLike = (0.0, 0.0), heading: float = 0.0, *, frame: int = 0) -> Clip:
    """The clip moved and turned so that at `frame` its hips stand at `position` (x, z) and face `heading`."""
    here = clip.root[frame, [0, 2]]
    now = float(headings(clip[frame : frame + 1 or None])[0])
    there = turned(clip, heading - now, about=here)
    return moved(there, np.asarray(position, float) - here)


def root_motion(clip: Clip) -> FloatArray:
    """(F, 3): how far the body moves to the next frame: left and forward (metres, in this frame's heading), and turns.

    The last row is zero, as nothing follows it. `from_root_motion` adds it up again.
    """
    return path_motion(travel(clip))


def path_motion(path: Travel) -> FloatArray:
    """`root_motion` of a path."""
    out = np.zeros((len(path.heading), 3))
    out[:-1, :2] = ground_turn(-path.heading[:-1], np.diff(path.place, axis=0))
    out[:-1, 2] = np.diff(path.heading)
    return out


def from_root_motion(motion: FloatArray, position: ArrayLike = (0.0, 0.0), heading: float = 0.0) -> Travel:
    """The path that `root_motion` describes, from a first place and heading."""
    turns = heading + np.concatenate([[0.0], np.cumsum(motion[:-1, 2])])
    steps = ground_turn(turns[:-1], motion[:-1, :2])
    place = np.asarray(position, float) + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    return Travel(place, turns)


def along(clip: Clip, path: Travel) -> Clip:
    """The clip carried along another path: each frame is moved and turned to that place and heading."""
    now = travel(clip)
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(yaw(path.heading - now.heading), rotations[:, 0])
    root = clip.root.copy()
    root[:, [0, 2]] = path.place
    return replace(clip, root=root, rotations=rotations)


def in_place(clip: Clip) -> Clip:
    """The clip without its travel: every frame over the origin, facing +z. `root_motion` is what was taken out."""
    return along(clip, Travel(np.zeros((len(clip), 2)), np.zeros(len(clip))))
