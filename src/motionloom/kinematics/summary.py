"""A summary of a clip in a few numbers: length, size, travel, roles, origin."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from motionloom.core import BoolArray, Clip, Made, Markers, Note, Source
from motionloom.core.note import as_dicts
from motionloom.kinematics.root_bone import below_root_bone
from motionloom.kinematics.travel import travel


@dataclass(frozen=True)
class Facts:
    """A clip in numbers. Metres, seconds, radians."""

    name: str
    frames: int
    fps: float
    seconds: float
    joints: int
    unit: float  # metres per unit of the file it came from
    up: str  # the file's up axis
    travel: float  # m, along the hips' path over the ground
    speed: float  # m/s, mean
    turn: float  # rad, last heading minus first; left is positive
    hips: tuple[float, float]  # m, lowest and highest
    skipped: int  # frames at the start (a T-pose) that do not count in travel, speed, turn and hips
    roles: tuple[tuple[str, str], ...]  # (role, joint name)
    labels: tuple[str, ...]
    slides: bool  # do joints also slide?
    sources: tuple[tuple[Source, int, tuple[str, ...]], ...]  # the captured clips: see `_sources`
    blends: int  # runs of frames that blend several sources
    cuts: int  # places where one run of source frames ends and another begins, blends apart
    made: tuple[Made, ...]  # the steps that made it
    licence: str
    notes: tuple[Note, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        out = asdict(self)
        out["roles"] = dict(self.roles)
        out["notes"] = as_dicts(self.notes)
        out["sources"] = [{**source._asdict(), "frames": n, "parts": parts} for source, n, parts in self.sources]
        out["made"] = [step.as_dict() for step in self.made]
        return out


def clip_facts(clip: Clip, *, skip: int = 0) -> Facts:
    """The numbers that `info` prints. The first `skip` frames (a T-pose) are not counted as motion."""
    motion = below_root_bone(clip[skip:])
    path, hips = travel(motion), motion.root[:, 1]
    gone = float(np.linalg.norm(np.diff(path.place, axis=0), axis=1).sum())
    skeleton, spans = clip.skeleton, clip.origin.spans()
    return Facts(
        name=clip.name,
        frames=len(clip),
        fps=clip.fps,
        seconds=clip.seconds,
        joints=len(skeleton),
        unit=clip.origin.unit,
        up=clip.origin.up,
        travel=gone,
        speed=gone / motion.seconds,
        turn=float(path.heading[-1] - path.heading[0]),
        hips=(float(hips.min()), float(hips.max())),
        skipped=skip,
        roles=tuple((role, name) for role, name in zip(skeleton.roles, skeleton.names, strict=True) if role),
        labels=clip.label_names,
        slides=clip.slides is not None,
        sources=_sources(clip),
        blends=sum(len(span.sources) > 1 for span in spans),
        cuts=sum(len(a.sources) < 2 and len(b.sources) < 2 for a, b in pairwise(spans)),
        made=clip.origin.made,
        licence=clip.origin.licence,
        notes=clip.origin.notes,
    )


def _sources(clip: Clip) -> tuple[tuple[Source, int, tuple[str, ...]], ...]:
    """Each source, its number of frames by weight (a mean over the parts of the body that it is used for), and these
    parts; no parts where it is used for the whole body.
    """
    origin = clip.origin
    totals = np.zeros((len(origin.sources), len(origin.parts)))
    _, parts, _ = given = np.nonzero(origin.which >= 0)
    np.add.at(totals, (origin.which[given], parts), origin.weights[given])
    out = []
    for source, row in zip(origin.sources, totals, strict=True):
        used = np.flatnonzero(row)
        if len(used):
            names = () if len(used) == len(origin.parts) else tuple(origin.parts[k] for k in used)
            out.append((source, round(float(row[used].mean())), names))
    return tuple(out)


def marker_facts(markers: Markers) -> dict[str, Any]:
    """What `info` prints about markers, as plain values: names, rate, size, and how many points are missing."""
    gaps = markers.gaps
    starts = np.diff(gaps.astype(np.int8), axis=0, prepend=0) == 1
    seen = markers.positions[~gaps]
    box = np.ptp(seen, axis=0).tolist() if len(seen) else [0.0, 0.0, 0.0]
    return {
        "name": markers.origin.name,
        "frames": len(markers),
        "fps": markers.fps,
        "seconds": len(markers) / markers.fps,
        "markers": list(markers.names),
        "missing": float(gaps.mean()),
        "gaps": int(starts.sum()),
        "longest_gap": _longest(gaps) / markers.fps,
        "gaps_by_marker": {n: int(k) for n, k in zip(markers.names, starts.sum(0).tolist(), strict=True) if k},
        "box": box,
        "unit": markers.origin.unit,
        "up": markers.origin.up,
        "licence": markers.origin.licence,
        "notes": as_dicts(markers.origin.notes),
    }


def _longest(gaps: BoolArray) -> int:
    """Frames of the longest gap of any marker."""
    longest = run = np.zeros(gaps.shape[1], int)
    for row in gaps:
        run = np.where(row, run + 1, 0)
        longest = np.maximum(longest, run)
    return int(longest.max(initial=0))
