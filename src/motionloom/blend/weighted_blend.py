"""Blends of any number of clips, with weights that are constant or vary in time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from motionloom.blend.registered_clips import Registered, play, register_rows, sources
from motionloom.blend.registration import alignment_costs, registered_curve
from motionloom.core import BadRequest, Clip, FloatArray, Note, Progress, part, replace, silent, with_labels
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.kinematics.feet.skate_removal import pin_plants
from motionloom.kinematics.travel import placed, travel

FAR = 0.12  # m: registered poses so far apart, as those of a walk and a run, do not show one action
MAX_NEGATIVE = -1.0  # least weight of a clip: beyond it, poses leave what the clips show


def blend_clips(
    clips: Sequence[Clip],
    weights: ArrayLike,
    *,
    registration: str = "time-warp",
    keys: Sequence[ArrayLike] | None = None,
    lock_feet: bool = True,
    progress: Progress | None = None,
) -> Clip:
    """The blend of clips of one action: weights (K,), or (M, K) at M evenly spaced points of the action.

    Weights are divided by their sum. The clips are registered in time (see `registered_curve`); durations, paths and
    poses are averaged; feet stand where most of the weights stand, and are then locked in place. The blend starts
    where the first clip starts. Its notes state how far the poses of each clip are from the first one's.
    """
    w = _checked(clips, weights)
    report = progress or silent()
    curve = registered_curve(clips, registration, keys=keys, progress=part(report, 0.0, 0.5))
    rows = register_rows(clips, curve)
    report(0.6, "blending")
    out = blended_clip(clips, rows, w)
    begin = travel(clips[0])
    out = placed(out, begin.place[0], float(begin.heading[0]))
    if lock_feet:
        out = pin_plants(out, progress=part(report, 0.7, 1.0)).clip
    report(1.0, "blending")
    return replace(out, origin=out.origin.with_notes(*_span_notes(clips, curve.spans), *_distance_notes(clips, rows)))


def _span_notes(clips: Sequence[Clip], spans: FloatArray) -> list[Note]:
    """Which part of each clip is blended, if it is not all of them: `cycles` takes the whole cycles that all have."""
    ends = [(len(clip) - 1) / clip.fps for clip in clips]
    if np.allclose(spans, [(0.0, end) for end in ends], atol=1e-6):
        return []
    shown = [f"{a:.2f} to {b:.2f} s of {clip.name or 'a clip'}" for clip, (a, b) in zip(clips, spans, strict=True)]
    return [Note(f"only the whole cycles that all clips have are blended: {', '.join(shown)}")]


def _distance_notes(clips: Sequence[Clip], rows: Registered) -> list[Note]:
    """How far the registered poses of each clip are from those of the first; a warning where they do not fit."""
    inside = slice(rows.lead, rows.lead + rows.count + 1)
    cost = alignment_costs(rows.turns[inside], rows.levels[inside], clips, 0)
    base, out = clips[0].name or "clip 0", []
    for k in range(1, len(clips)):
        text = f"{clips[k].name or f'clip {k}'}: poses {100 * cost[k]:.1f} cm from those of {base}"
        far = cost[k] > FAR
        out.append(Note(f"{text}: too far apart for one action" if far else text, "warning" if far else "info"))
    return out


def blended_clip(clips: Sequence[Clip], rows: Registered, weights: FloatArray) -> Clip:
    """The blend from u = 0 to u = 1 at the first clip's frame rate, from the origin; weights (M, K)."""
    skeleton, fps = clips[0].skeleton, clips[0].fps
    by_frame, frames, stretch = on_clock(rows, weights, fps)
    made = play(rows, skeleton, by_frame, frames, fps, stretch=stretch)
    origin = sources(rows, made.position, by_frame, clips)
    parts = foot_parts(skeleton)
    clip = Clip(skeleton, made.root, made.rotations, fps, origin=origin)
    return with_labels(clip, {p.label: made.contacts[:, i] for i, p in enumerate(parts)})


def on_clock(rows: Registered, weights: FloatArray, fps: float) -> tuple[FloatArray, int, float]:
    """Weights (M, K) over u as weights by frame of the blend, its number of frames, and how fast its clock runs.

    The last frame lies at u = 1 exactly, so time runs wrong by half a frame at most.
    """
    u = (np.arange(rows.count) + 0.5) / rows.count
    w = _over(weights, u)
    paces = np.maximum((w * rows.paces[rows.lead : rows.lead + rows.count]).sum(1), 1e-4)
    times = np.concatenate([[0.0], np.cumsum(paces)])
    frames = max(2, round(float(times[-1]) * fps) + 1)
    stretch = float(times[-1]) * fps / (frames - 1)
    if len(weights) == 1:
        return weights, frames, stretch
    at = np.interp(np.arange(frames) * stretch / fps, times, np.arange(rows.count + 1) / rows.count)
    return _over(weights, at), frames, stretch


def _over(weights: FloatArray, u: FloatArray) -> FloatArray:
    """Weights (M, K) at evenly spaced u, interpolated at others (N,)."""
    if len(weights) == 1:
        return np.broadcast_to(weights, (len(u), weights.shape[1]))
    at = np.linspace(0, 1, len(weights))
    return np.stack([np.interp(u, at, column) for column in weights.T], 1)


def _checked(clips: Sequence[Clip], weights: ArrayLike) -> FloatArray:
    w = np.atleast_2d(np.asarray(weights, float))
    if len(clips) < 2:
        raise BadRequest(f"a blend needs two different clips or more, found {len(clips)}")
    if w.ndim != 2 or w.shape[1] != len(clips) or not np.isfinite(w).all():
        found = f"{w.shape[-1]} for a blend" if np.isfinite(w).all() else "NaN or infinity"
        raise BadRequest(f"weights: expected a number for each of {len(clips)} clips, found {found}")
    total = w.sum(1, keepdims=True)
    if (total <= 1e-6).any():
        raise BadRequest("weights: expected a positive sum")
    w = w / total
    if w.min() < MAX_NEGATIVE:
        raise BadRequest(f"weights: expected {MAX_NEGATIVE:g} or more after division by their sum, found {w.min():.2f}")
    rates = sorted({clip.fps for clip in clips})
    if len(rates) > 1:
        raise BadRequest(f"clips at one frame rate are blended, found {', '.join(f'{rate:g}' for rate in rates)} fps")
    return np.asarray(w)
