"""The levels of the example clips as the search reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.analysis.alignment import reflected
from motionloom.constraints import Style
from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, IntArray
from motionloom.kinematics.travel import body_axes, root_headings, without_heading
from motionloom.methods.texture.config import Options
from motionloom.methods.texture.faithful.pyramid import coarser, mean, mean_turn
from motionloom.rotation import multiply, rotate

FORWARD = np.array([0.0, 0.0, 1.0])


class Examples(NamedTuple):
    """One level of all clips, one after the other: N frames, those of the padding included."""

    turns: FloatArray  # (J, 4, N) local rotations; those of joint 0 are the root's in the world
    root: FloatArray  # (3, N) m
    forward: FloatArray  # (2, N) the forward axis of the hips, projected onto the ground
    heading: FloatArray  # (N,) rad
    tilt: FloatArray  # (N, 4) the root's rotation turned back to heading 0
    styles: FloatArray  # (N, G) 0 to 1
    candidates: IntArray  # (M,) frames with a whole neighbourhood on this level and, if it counts, on the coarser one
    coarse: IntArray  # (N,) the frame of the next coarser level that each belongs to; 0 on the coarsest
    frames: (
        IntArray  # (N,) the frame of the clips as they are, one after the other; -1 on coarser levels and in padding
    )


class _Level(NamedTuple):
    """One clip on one level."""

    clip: Clip
    styles: FloatArray  # (F, G)


def half_window(window: int) -> int:
    """Frames on each side of the middle of a window."""
    return (window - 1) // 2


def coarse_window(window: int) -> int:
    """K_sub = (K - 1) / 2 + 1, or the next odd number: the window of the coarser level beside one of K frames."""
    half = (window - 1) // 2 + 1
    return half if half % 2 else half + 1


def _counts(frames: int, options: Options) -> list[int]:
    """The number of frames on each level."""
    out = [frames]
    for _ in range(1, options.levels):
        out.append(-(-out[-1] // 2))
    return out


def build_examples(clips: Sequence[Clip], styles: Sequence[str], options: Options) -> list[Examples]:
    """All levels, the finest first; `BadRequest` if no clip has a whole neighbourhood on some level."""
    levels: list[list[_Level]] = [[_Level(clip, _labels(clip, styles)) for clip in clips]]
    for _ in range(1, options.levels):
        levels.append([_coarser(level) for level in levels[-1]])
    counts = [_counts(len(clip), options) for clip in clips]
    out = []
    for number, level in enumerate(levels):
        beyond = levels[number + 1] if number + 1 < len(levels) else None
        out.append(_examples(level, beyond, counts, number, options))
    return out


def check_styles(
    found: BoolArray, needed: BoolArray, asked: Sequence[Style], names: Sequence[str], where: str = ""
) -> None:
    """`BadRequest` if no example frame has all the hard styles that are `needed` (..., G) at once somewhere.

    `found` (N, G) are the labels of the frames to choose from; `where` is added to the message.
    """
    for wanted in np.unique(needed.reshape(-1, len(names)), axis=0):
        if found[:, wanted].all(1).any():
            continue
        labels = [name for name, needed in zip(names, wanted, strict=True) if needed]
        style = next(c for c in asked if c.hard and c.label == labels[-1])
        if len(labels) > 1 and all(found[:, names.index(name)].any() for name in labels):
            both = " and ".join(map(repr, labels))
            raise style.problem(f"no example frame has the labels {both} at once{where}", "label")
        raise style.problem(
            f"no example frame with a whole neighbourhood has the label {labels[-1]!r}: it occurs only near the ends "
            "of clips; give a smaller `window` or `padding: reflected`, or the style a weight",
            "label",
        )


def unused_clips(lengths: Sequence[int], options: Options) -> dict[int, str]:
    """Why clips of these lengths have no candidate on some level, by their number; none for those that have."""
    out: dict[int, str] = {}
    for number in range(options.levels):
        for k, count in enumerate(lengths):
            counts = _counts(count, options)
            if k not in out and not _inside(counts, number, options)[0].any():
                out[k] = f"a neighbourhood on level {number} needs `window` {options.window_at(number)} frames"
    return out


def _labels(clip: Clip, styles: Sequence[str]) -> FloatArray:
    return np.stack([clip.label(s) for s in styles], 1).astype(float) if styles else np.zeros((len(clip), 0))


def _coarser(level: _Level) -> _Level:
    clip, styles = level
    whole = np.ones(len(clip), bool)
    turns, _ = coarser(clip.rotations, np.ones(clip.rotations.shape[:2], bool), mean_turn)
    root, _ = coarser(clip.root, whole, mean)
    values, _ = coarser(styles, whole, mean)
    return _Level(Clip(clip.skeleton, root, turns, clip.fps / 2), values)


def _padding(count: int, number: int, options: Options) -> int:
    """Frames added to each end of a clip that has `count` frames on a level."""
    if options.padding == "none":
        return 0
    need = half_window(options.window_at(number))
    if number:
        need = max(need, half_window(coarse_window(options.window_at(number - 1))))
    return need if count > need else 0


def _inside(counts: Sequence[int], number: int, options: Options) -> tuple[BoolArray, IntArray]:
    """Of a clip with so many frames on each level: which of one level, padding included, are candidates, and all."""
    count, pad = counts[number], _padding(counts[number], number, options)
    t = np.arange(-pad, count + pad)
    good = (t >= 0) & (t < count) & _whole(t, half_window(options.window_at(number)), count, pad)
    if number + 1 < len(counts) and options.coarse_weight > 0:
        fewer = counts[number + 1]
        half = half_window(coarse_window(options.window_at(number)))
        good &= _whole(t // 2, half, fewer, _padding(fewer, number + 1, options))
    return good, t


def _examples(
    level: list[_Level], beyond: list[_Level] | None, counts: list[list[int]], number: int, options: Options
) -> Examples:
    pads = [_padding(len(part.clip), number, options) for part in level]
    clips = [reflected(part.clip, pad) for part, pad in zip(level, pads, strict=True)]
    good, coarse, frames, start, first = [], [], [], 0, 0
    for k, part in enumerate(level):
        count = len(part.clip)
        inside, t = _inside(counts[k], number, options)
        if beyond is None:
            coarse.append(np.zeros(len(t), np.int64))
        else:
            fewer = len(beyond[k].clip)
            pad = _padding(fewer, number + 1, options)
            coarse.append(start + pad + np.clip(t // 2, 0, fewer - 1))
            start += fewer + 2 * pad
        good.append(inside)
        frames.append(np.where((t >= 0) & (t < count) & (number == 0), first + t, -1))
        first += count
    candidates = np.flatnonzero(np.concatenate(good))
    if not len(candidates):
        raise _too_short([len(part.clip) for part in level], number, options)
    skeleton = clips[0].skeleton
    turns = np.concatenate([clip.rotations for clip in clips])
    styles = [np.pad(p.styles, ((n, n), (0, 0)), mode="reflect") for p, n in zip(level, pads, strict=True)]
    return Examples(
        np.ascontiguousarray(turns.transpose(1, 2, 0)),
        np.ascontiguousarray(np.concatenate([clip.root for clip in clips]).T),
        np.ascontiguousarray(forward_axis(turns[:, 0], body_axes(skeleton)).T),
        root_headings(turns[:, 0], skeleton),
        without_heading(turns[:, 0], skeleton),
        np.concatenate(styles),
        candidates,
        np.concatenate(coarse),
        np.concatenate(frames),
    )


def _whole(t: IntArray, half: int, count: int, pad: int) -> BoolArray:
    return np.asarray((t - half >= -pad) & (t + half < count + pad))


def _too_short(lengths: list[int], number: int, options: Options) -> BadRequest:
    window, longest = options.window_at(number), max(lengths)
    text = f"the longest clip has {longest} frames, and a neighbourhood needs `window` {window} of them"
    if not number:
        return BadRequest(text, where=("options", "window"))
    many = "1 level fits" if number == 1 else f"{number} levels fit"
    return BadRequest(f"on level {number} {text}; {many}", where=("options", "levels"))


def forward_axis(turns: FloatArray, axes: FloatArray) -> FloatArray:
    """(F, 2) the body's forward axis projected onto the ground, for root rotations (F, 4)."""
    return np.asarray(rotate(multiply(turns, axes), FORWARD)[..., [0, 2]])
