"""From a clip to the joints, channels and columns of a BVH file."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.io import units_and_axes as conv
from motionloom.io.bvh.body import restore_wrappers
from motionloom.rotation import to_euler_continuous

MIN_SLIDE = 1e-4  # m; a joint that slides less than this around its place is written with an OFFSET
POSITIONS = ("Xposition", "Yposition", "Zposition")
ROTATIONS = (
    "Zrotation",
    "Xrotation",
    "Yrotation",
)  # for clips of our own: no lock while a body stands, however it turns


@dataclass(frozen=True, eq=False)
class Track:
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


def tracks_of(clip: Clip, unit: float, up: str) -> list[Track]:
    """All joints to write, wrappers first, each after its parent; channels as in the source where they still fit."""
    source = source_of(clip)
    wrappers = wrappers_of(clip, unit, up)
    turns = clip.rotations if up == "y" else conv.turns_outside(clip.rotations, up)
    root = conv.vectors_outside(clip.root, up) / unit
    if wrappers:
        root, hips = restore_wrappers(wrappers, root, turns[:, 0])
        turns = np.concatenate([hips[:, None], turns[:, 1:]], axis=1)
    wanted_channels = source.get("channels") or [ROTATIONS] * len(clip.skeleton)
    angles = _angles(turns, [_axes(channels) for channels in wanted_channels])
    out = [_wrapper_track(n, wrapper) for n, wrapper in enumerate(wrappers)]
    skip = len(out)
    names = source.get("names") or clip.skeleton.names
    ends: dict[int, list[tuple[int, str, FloatArray]]] = defaultdict(list)
    for n, end in enumerate(clip.skeleton.ends):
        ends[end.joint].append((n, end.name, conv.vectors_outside(np.array(end.offset), up) / unit))
    for j, name in enumerate(names):
        offset, places = _place(clip, j, root, unit, up)
        channels, values = _columns(wanted_channels[j], angles[j], places)
        parent = int(clip.skeleton.parents[j]) + skip
        out.append(Track(name, parent, offset, channels, values, tuple(ends[j])))
    return out


def _place(clip: Clip, joint: int, root: FloatArray, unit: float, up: str) -> tuple[FloatArray, FloatArray | None]:
    """OFFSET (3,), and position channels (F, 3) or None, in the file's unit and axes."""
    if joint == 0:
        return np.zeros(3), root
    offset = clip.skeleton.offsets[joint]
    if clip.slides is not None:
        slide = clip.slides[:, joint]
        low, high = slide.min(0), slide.max(0)
        if (high - low).max() > 2 * MIN_SLIDE:
            return np.zeros(3), conv.vectors_outside(offset + slide, up) / unit
        offset = offset + (low + high) / 2
    return conv.vectors_outside(offset, up) / unit, None


def _columns(wanted_channels: Any, angles: FloatArray, places: FloatArray | None) -> tuple[tuple[str, ...], FloatArray]:
    """Channels like the given ones, and their values: positions only where they are needed, three turns if one or
    two are not enough for what the joint does."""
    turning = [c for c in wanted_channels if c.endswith("rotation")]
    order = _axes(wanted_channels)
    if np.abs(angles[:, len(turning) :]).max(initial=0.0) > 1e-5:
        turning = [f"{axis.upper()}rotation" for axis in order]
    has = [c for c in wanted_channels if c.endswith("position")]
    kept = iter(turning)
    channels: list[str] = []
    if places is not None and len(has) < 3:
        channels += POSITIONS
    for channel in wanted_channels:
        if channel.endswith("rotation"):
            channels.append(next(kept))
        elif channel.endswith("scale") or (places is not None and len(has) == 3):
            channels.append(channel)
    channels += kept
    values = np.empty((len(angles), len(channels)))
    turn = 0
    for k, channel in enumerate(channels):
        if channel.endswith("rotation"):
            values[:, k] = angles[:, turn]
            turn += 1
        elif channel.endswith("position"):
            assert places is not None
            values[:, k] = places[:, "XYZ".index(channel[0])]
        else:
            values[:, k] = 1.0
    return tuple(channels), values


def _axes(channels: Any) -> str:
    """The Euler order of some channels, made up to three axes by putting the missing ones behind: "zyx"."""
    order = "".join(c[0].lower() for c in channels if c.endswith("rotation"))
    missing = [a for a in "zxy" if a not in order]
    return order + "".join(missing[: 3 - len(order)])


def _angles(turns: FloatArray, orders: list[str]) -> list[FloatArray]:
    """Euler angles (F, 3) in degrees for each joint, without jumps; joints of the same order are done together."""
    out: list[FloatArray] = [np.empty(0)] * len(orders)
    for order in dict.fromkeys(orders):
        joints = [j for j, o in enumerate(orders) if o == order]
        angles = np.degrees(to_euler_continuous(turns if len(joints) == len(orders) else turns[:, joints], order))
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


def _wrapper_track(n: int, wrapper: dict[str, Any]) -> Track:
    """A joint above the hips: it stands still, so only the file's root has position channels."""
    angles = _angles(wrapper["rotation"][None, None], [_axes(wrapper["channels"])])[0]
    places = wrapper["position"][None] if n == 0 else None
    channels, values = _columns(wrapper["channels"], angles, places)
    offset = np.zeros(3) if n == 0 else wrapper["position"]
    return Track(wrapper["name"], n - 1, offset, channels, values, tuple(wrapper["ends"]))
