"""From a clip to the joints, channels and columns of a BVH file."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionloom.core import Clip, FloatArray, Progress, silent
from motionloom.core.progress import each
from motionloom.io import units_and_axes as conv
from motionloom.io.bvh.body import restore_wrappers
from motionloom.rotation import to_euler_continuous

ROTATIONS_AT_ONCE = 200_000  # frames times joints
MIN_SLIDE = 1e-4  # m; a joint that slides less than this around its place is written with an OFFSET
POSITIONS = ("Xposition", "Yposition", "Zposition")
ROTATIONS = (
    "Zrotation",
    "Xrotation",
    "Yrotation",
)  # for clips of our own: no lock while a body stands, however it turns


@dataclass(frozen=True, eq=False)
class JointTrack:
    """One joint as it will be written."""

    name: str
    parent: int  # index of a track, -1 for the root
    offset: FloatArray  # (3,) in the file's unit and axes
    channels: tuple[str, ...]
    values: FloatArray  # (F, len(channels)), or (1, ...) where nothing moves
    ends: tuple[tuple[int, str, FloatArray], ...]  # place among all end sites, name, offset


def source_of(clip: Clip) -> dict[str, Any]:
    """The header facts of the BVH file that the clip came from, if it still has that file's joints."""
    header = clip.origin.header.get("bvh", {})
    return dict(header) if list(header.get("joints", ())) == list(clip.skeleton.names) else {}


def tracks_of(clip: Clip, unit: float, up: str, progress: Progress | None = None) -> list[JointTrack]:
    """All joints to write, wrappers first, each after its parent; channels as in the source where they still fit."""
    source = source_of(clip)
    wrappers = wrappers_of(clip, unit, up)
    turns = clip.rotations if up == "y" else conv.turns_outside(clip.rotations, up)
    root = conv.vectors_outside(clip.root, up) / unit
    if wrappers:
        root, hips = restore_wrappers(wrappers, root, turns[:, 0])
        turns = np.concatenate([hips[:, None], turns[:, 1:]], axis=1)
    wanted_channels = source.get("channels") or [ROTATIONS] * len(clip.skeleton)
    angles = _angles(turns, [_axes(channels) for channels in wanted_channels], progress or silent())
    out = [_wrapper_track(n, wrapper) for n, wrapper in enumerate(wrappers)]
    skip = len(out)
    names = source.get("names") or clip.skeleton.names
    ends: dict[int, list[tuple[int, str, FloatArray]]] = defaultdict(list)
    for n, end in enumerate(clip.skeleton.ends):
        ends[end.joint].append((n, end.name, conv.vectors_outside(np.array(end.offset), up) / unit))
    for j, name in enumerate(names):
        places = _place(clip, j, root, unit, up)
        wanted = wanted_channels[j] if source or j else (*POSITIONS, *ROTATIONS)
        offset, channels, values = _columns(wanted, angles[j], places, still=j > 0 and len(places) == 1)
        parent = int(clip.skeleton.parents[j]) + skip
        out.append(JointTrack(name, parent, offset, channels, values, tuple(ends[j])))
    return out


def _place(clip: Clip, joint: int, root: FloatArray, unit: float, up: str) -> FloatArray:
    """The place of a joint in its parent, in the file's unit and axes: (F, 3), or (1, 3) if it does not slide."""
    if joint == 0:
        return root
    offset = clip.skeleton.offsets[joint]
    if clip.slides is not None:
        slide = clip.slides[:, joint]
        low, high = slide.min(0), slide.max(0)
        if (high - low).max() > 2 * MIN_SLIDE:
            return conv.vectors_outside(offset + slide, up) / unit
        offset = offset + (low + high) / 2
    return conv.vectors_outside(offset, up)[None] / unit


def _columns(
    wanted_channels: Any, angles: FloatArray, places: FloatArray, *, still: bool
) -> tuple[FloatArray, tuple[str, ...], FloatArray]:
    """OFFSET, channels and their values: channels like the given ones where they are enough for what the joint does.

    places (F, 3), or (1, 3) of a joint that does not move. A `still` joint keeps its position channels, whose value is
    its OFFSET. Of others, OFFSET is 0 on axes that have a channel.
    """
    turning = [c for c in wanted_channels if c.endswith("rotation")]
    order = _axes(wanted_channels)
    if np.abs(angles[:, len(turning) :]).max(initial=0.0) > 1e-5:
        turning = [f"{axis.upper()}rotation" for axis in order]
    given = [c for c in wanted_channels if c.endswith("position")]
    moving = [POSITIONS[k] for k in range(3) if np.ptp(places[:, k]) > 1e-9 * max(1.0, np.abs(places).max())]
    enough = set(moving) <= set(given)
    kept = iter(turning)
    channels: list[str] = [] if enough else list(POSITIONS)
    for channel in wanted_channels:
        if channel.endswith("rotation"):
            channels.append(next(kept))
        elif enough or channel.endswith("scale"):
            channels.append(channel)
    channels += kept
    values = np.empty((max(len(angles), len(places)), len(channels)))
    offset, turn = places[0].copy(), 0
    for k, channel in enumerate(channels):
        axis = "XYZ".index(channel[0])
        if channel.endswith("rotation"):
            values[:, k] = angles[:, turn]
            turn += 1
        elif channel.endswith("position"):
            values[:, k] = places[:, axis]
            offset[axis] = offset[axis] if still else 0.0
        else:
            values[:, k] = 1.0
    return offset, tuple(channels), values


def _axes(channels: Any) -> str:
    """The Euler order of some channels, made up to three axes by putting the missing ones behind: "zyx"."""
    order = "".join(c[0].lower() for c in channels if c.endswith("rotation"))
    missing = [a for a in "zxy" if a not in order]
    return order + "".join(missing[: 3 - len(order)])


def _angles(turns: FloatArray, orders: list[str], progress: Progress) -> list[FloatArray]:
    """Euler angles (F, 3) in degrees for each joint, without jumps; a few joints of the same order together."""
    together = max(1, ROTATIONS_AT_ONCE // len(turns))
    same = [[j for j, o in enumerate(orders) if o == order] for order in dict.fromkeys(orders)]
    groups = [joints[i : i + together] for joints in same for i in range(0, len(joints), together)]
    out: list[FloatArray] = [np.empty(0)] * len(orders)
    for joints in each(groups, progress, "converting rotations", [len(joints) for joints in groups]):
        angles = np.degrees(to_euler_continuous(turns[:, joints], orders[joints[0]]))
        for n, j in enumerate(joints):
            out[j] = angles[:, n]
    return out


def wrappers_of(clip: Clip, unit: float, up: str) -> list[dict[str, Any]]:
    """Joints that were folded away above the hips, outermost first, in the unit and axes that are written."""
    found = source_of(clip).get("wrappers", [])
    scale = clip.origin.unit / unit

    def moved(v: Any) -> FloatArray:
        return conv.vectors_outside(conv.vectors_inside(np.array(v), clip.origin.up), up) * scale

    return [
        {
            **w,
            "position": moved(w["position"]),
            "rotation": conv.turns_outside(conv.turns_inside(np.array(w["rotation"]), clip.origin.up), up),
            "ends": [(-1, name, moved(offset)) for name, offset in w["ends"]],
        }
        for w in found
    ]


def _wrapper_track(n: int, wrapper: dict[str, Any]) -> JointTrack:
    """A joint above the hips, which stands still."""
    angles = _angles(wrapper["rotation"][None, None], [_axes(wrapper["channels"])], silent())[0]
    offset, channels, values = _columns(wrapper["channels"], angles, wrapper["position"][None], still=n > 0)
    return JointTrack(wrapper["name"], n - 1, offset, channels, values, tuple(wrapper["ends"]))
