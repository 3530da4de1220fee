"""What the steps of live textures read: the examples as bodies on tracks, links, and what parts are compared by."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.kinematics.feet.contacts import contact_array
from motionloom.kinematics.travel import steady_travel
from motionloom.methods.live_actions import (
    UInt64Array,
    action_bits,
    action_marks,
    action_names,
    held_speeds,
    speed_ranges,
    sustained_speeds,
)
from motionloom.methods.texture.coherent.plan import ExampleArrays
from motionloom.methods.tracks import TrackFrames, track_frames, trajectory, trajectory_times

Float32Array = NDArray[np.float32]

HORIZON = 1.0  # s: how far ahead the legs are compared with commands
HELD_SPEEDS = 65  # of each action, among which the one nearest to a command is found
APART = 0.33  # s: the instants at which a limb is compared with the parts before it are so far from each other


class TextureTables(NamedTuple):
    """Arrays of F frames, P parts with L links for each frame, J joints, and A actions."""

    step: FloatArray  # (F, 3): see `TrackFrames`
    hips: FloatArray  # (F, 3)
    hips_heading: FloatArray  # (F,)
    hips_velocity: FloatArray  # (F, 3)
    rotations: FloatArray  # (F, J, 4)
    first: IntArray  # (F,) the first frame of the clip
    last: IntArray  # (F,)
    contacts: BoolArray  # (F, feet)
    broken: BoolArray  # (F,) frames that are not jumped to
    labels: UInt64Array  # (F,) bits of the actions that a frame belongs to
    pace: FloatArray  # (F,) m/s: see `sustained_speeds`
    speeds: FloatArray  # (A + 1, 3) m/s: lowest, usual and highest of each action, and of all frames
    held: FloatArray  # (A + 1, HELD_SPEEDS) m/s: speeds that the clips hold, increasing, as above
    times: FloatArray  # (POINTS,) s ahead
    tick: float  # s
    stride: int  # ticks of `APART`
    ahead: FloatArray  # (F, POINTS, 4) x, z and direction x, z after these times, seen from the track
    owner: IntArray  # (J,) the part of each joint
    links: IntArray  # (P, F, L)
    costs: Float32Array  # (P, F, L)
    rows: Float32Array  # (F, D) features of all parts
    columns: IntArray  # (P + 1,) the first column of each part
    weights: FloatArray  # (P, P) how much part q counts beside part p, for q < p


def build_tables(material: ExampleArrays) -> tuple[TextureTables, tuple[str, ...]]:
    """The tables, and the names of the actions."""
    clips, parts = material.clips, material.parts
    names, fps = action_names(clips), clips[0].fps
    marks = action_marks(clips, names)
    times = trajectory_times(HORIZON, fps)
    tracks = [steady_travel(clip) for clip in clips]
    bodies = [track_frames(clip, track) for clip, track in zip(clips, tracks, strict=True)]
    ahead = [np.concatenate(trajectory(track, times, fps), 1) for track in tracks]
    points = np.concatenate(ahead).reshape(-1, 2, len(times), 2).transpose(0, 2, 1, 3).reshape(-1, len(times), 4)
    body = TrackFrames(*(np.ascontiguousarray(np.concatenate(rows)) for rows in zip(*bodies, strict=True)))
    owner = np.zeros(len(clips[0].skeleton), np.int64)
    for p, part in enumerate(parts):
        owner[list(part.joints)] = p
    held = held_speeds(clips)
    tables = TextureTables(
        step=body.step,
        hips=body.hips,
        hips_heading=body.hips_heading,
        hips_velocity=body.hips_velocity,
        rotations=body.rotations,
        first=material.ends.first,
        last=material.ends.last,
        contacts=np.concatenate([contact_array(clip) for clip in clips]),
        broken=material.broken if not material.broken.all() else np.zeros(len(material.broken), bool),
        labels=action_bits(marks),
        pace=sustained_speeds(clips),
        held=np.array([np.quantile(held[row], np.linspace(0.05, 0.95, HELD_SPEEDS)) for row in (*marks, held >= 0.0)]),
        speeds=speed_ranges(held, marks, np.ones(len(body.step), bool)),
        times=times,
        tick=1.0 / fps,
        stride=max(1, round(APART * fps)),
        ahead=np.ascontiguousarray(points),
        owner=owner,
        links=np.stack([links.frames for links in material.links]),
        costs=np.stack([links.costs for links in material.links]).astype(np.float32),
        rows=np.concatenate(material.features, 1).astype(np.float32),
        columns=np.cumsum([0, *(x.shape[1] for x in material.features)]),
        weights=material.part_weights(),
    )
    return tables, names
