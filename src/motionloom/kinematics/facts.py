"""What there is to say about a clip in a few numbers: length, size, travel, roles, where it came from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from motionloom.core import Clip
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
    travel: float  # m, along the hips' way over the ground
    speed: float  # m/s, mean
    turn: float  # rad, last heading minus first; left is positive
    hips: tuple[float, float]  # m, lowest and highest
    skipped: int  # frames at the start (a T-pose) that do not count in travel, speed, turn and hips
    roles: tuple[tuple[str, str], ...]  # (role, joint name)
    labels: tuple[str, ...]
    slides: bool  # do joints also slide?
    sources: tuple[tuple[str, str, int | None, int], ...]  # (clip, method, seed, number of frames)
    cuts: int  # places where one run of source frames ends and another begins
    licence: str
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        out = asdict(self)
        out["roles"] = dict(self.roles)
        keys = ("clip", "method", "seed", "frames")
        out["sources"] = [dict(zip(keys, source, strict=True)) for source in self.sources]
        return out


def facts(clip: Clip, *, skip: int = 0) -> Facts:
    """The numbers that `info` prints. The first `skip` frames (a T-pose) are not counted as motion."""
    motion = clip[skip:]
    path = travel(motion)
    gone = float(np.linalg.norm(np.diff(path.place, axis=0), axis=1).sum())
    skeleton = clip.skeleton
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
        hips=(float(motion.root[:, 1].min()), float(motion.root[:, 1].max())),
        skipped=skip,
        roles=tuple((role, name) for role, name in zip(skeleton.roles, skeleton.names, strict=True) if role),
        labels=clip.label_names,
        slides=clip.slides is not None,
        sources=_sources(clip),
        cuts=max(len(clip.origin.spans()) - 1, 0),
        licence=clip.origin.licence,
        notes=clip.origin.notes,
    )


def _sources(clip: Clip) -> tuple[tuple[str, str, int | None, int], ...]:
    if clip.origin.which is None:
        return ()
    counts = np.bincount(clip.origin.which, minlength=len(clip.origin.sources))
    return tuple((s.clip, s.method, s.seed, int(n)) for s, n in zip(clip.origin.sources, counts, strict=True) if n)
