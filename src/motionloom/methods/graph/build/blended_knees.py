"""Knees in blends: feet that are brought to their plants can pull a leg straight within a frame or two."""

from __future__ import annotations

import dataclasses

import numpy as np

from motionloom.core import Clip, End, FloatArray, Progress, Skeleton
from motionloom.core.progress import slices
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.render.blends import blends
from motionloom.rotation import rotate

USUAL_SHARE = 0.99  # of the frames of the clips, in which a knee accelerates less than its usual limit
MAX_RATIO = 1.5  # of that acceleration, in a blend
UNNOTICED = np.radians(10_800.0)  # rad/s^2: 12 degrees off the frames around it at 30 fps, whatever the clips show
BLENDS_PER_CALL = 2_000
AXIS_ROLES = ("spine", "spine1", "spine2", "neck", "head", "tail")  # joints that `travel.body_axes` needs


def knee_ratios(graph: Graph, progress: Progress, stage: str) -> FloatArray:
    """(T,) the largest acceleration of a knee in each blend, feet held, over what is allowed: above 1, it is sudden.

    A knee may accelerate `MAX_RATIO` times as much as it does in all but 1 % of the clips' frames.
    """
    skeleton = graph.clips[0].skeleton
    out = np.zeros(len(graph.transitions))
    if not feet(skeleton) or not len(out):
        return out
    legs = _legs_and_spine(graph)
    bends = [_bends(legs.clips[0].skeleton, clip.rotations) for clip in legs.clips]
    usual = np.quantile(np.concatenate([_accelerations(b, graph.clips[0].fps) for b in bends]), USUAL_SHARE, axis=0)
    allowed = np.maximum(MAX_RATIO * usual, UNNOTICED)
    every, t = np.concatenate(bends), graph.transitions
    for s in slices(len(out), BLENDS_PER_CALL, progress, stage):
        blended = _bends(legs.clips[0].skeleton, blends(legs, np.arange(s.start, s.stop)).rotations)
        before, after = every[t.a[s] - graph.half], every[t.b[s] + graph.half]
        whole = np.concatenate([before[:, None], blended, after[:, None]], axis=1)
        found = _accelerations(np.moveaxis(whole, 1, 0), graph.clips[0].fps)
        out[s] = (found.max(0) / allowed).max(1)
    return out


def _accelerations(bends: FloatArray, fps: float) -> FloatArray:
    """(F - 2, ...) rad/s^2 of angles (F, ...)."""
    return np.asarray(np.abs(np.diff(bends, n=2, axis=0)) * fps**2)


def _bends(skeleton: Skeleton, rotations: FloatArray) -> FloatArray:
    """(..., L) rad: how far each knee is bent, for rotations (..., J, 4)."""
    out = []
    for foot in feet(skeleton):
        thigh, shin = skeleton.offsets[foot.shin], skeleton.offsets[skeleton.chain(foot.ankle, foot.shin)[1]]
        along = rotate(rotations[..., foot.shin, :], shin) @ thigh
        out.append(np.arccos(np.clip(along / max(np.linalg.norm(thigh) * np.linalg.norm(shin), 1e-9), -1, 1)))
    return np.stack(out, -1)


def _legs_and_spine(graph: Graph) -> Graph:
    """The graph of bodies without arms: their legs move in blends as those of the whole bodies."""
    skeleton = graph.clips[0].skeleton
    ends = {p.joint for p in foot_parts(skeleton)} | {foot.ankle for foot in feet(skeleton)}
    ends |= {j for j, role in enumerate(skeleton.roles) if role in AXIS_ROLES}
    kept = sorted({j for end in ends for j in skeleton.chain(end)})
    number = {j: k for k, j in enumerate(kept)}
    legs = Skeleton(
        tuple(skeleton.names[j] for j in kept),
        np.array([number.get(int(skeleton.parents[j]), -1) for j in kept]),
        skeleton.offsets[kept],
        tuple(skeleton.roles[j] for j in kept),
        tuple(End(number[e.joint], *e[1:]) for e in skeleton.ends if e.joint in number),
    )
    return dataclasses.replace(graph, clips=tuple(_with_joints(clip, legs, kept) for clip in graph.clips))


def _with_joints(clip: Clip, skeleton: Skeleton, kept: list[int]) -> Clip:
    slides = None if clip.slides is None else clip.slides[:, kept]
    return Clip(skeleton, clip.root, clip.rotations[:, kept], clip.fps, clip.label_names, clip.labels, slides)
