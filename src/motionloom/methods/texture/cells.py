"""Cells of a texture: the example frames behind every joint in every frame, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from motionloom.constraints import Style
from motionloom.core import BoolArray, FloatArray, IntArray, Origin, Skeleton, is_found
from motionloom.core.origin import all_terms
from motionloom.methods.live import FrameSources


class FrameBlend(NamedTuple):
    """A blend of two example frames in each frame of the result: of one part (F,), or of every joint (F, J)."""

    main: IntArray  # example frame, -1 where a key fixes the cell
    other: IntArray  # the one that it is blended with
    share: FloatArray  # weight of the other one, up to a half


def unblended(source: IntArray) -> FrameBlend:
    """Cells that each come from a single frame."""
    return FrameBlend(source, source, np.zeros(source.shape))


def joint_origin(cells: FrameBlend, known: FrameSources, skeleton: Skeleton, terms: Sequence[str]) -> Origin:
    """The origin of cells (F, J): each joint is a part, with up to two sources."""
    rows = np.stack([cells.main, cells.other], -1)
    weights = np.where(rows >= 0, np.stack([1.0 - cells.share, cells.share], -1), 0.0)
    which = np.where(weights > 0, known.which[rows], -1)
    weights = np.where(which >= 0, weights, 0.0)
    total = weights.sum(-1, keepdims=True)
    weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    frames = np.where(which >= 0, known.frames[rows], -1.0)
    used = 2 if cells.share.any() else 1
    return Origin(
        licence=all_terms(terms),
        sources=known.table,
        which=which[..., :used],
        frames=frames[..., :used],
        weights=weights[..., :used],
        parts=skeleton.names,
    )


def cell_labels(
    source: IntArray, marks: Mapping[str, BoolArray], styles: Iterable[Style], skeleton: Skeleton
) -> dict[str, BoolArray]:
    """(F,) by name: the result frames with each style, for example frames (F, J) of the joints and their marks (N,).

    They are those in which at least half of the joints come from frames with the label; for requested styles that
    matter for some joints only, the `joint_label` names those in which at least half of these do.
    """

    def carried(cells: IntArray, mark: BoolArray) -> BoolArray:
        return np.asarray(np.where(cells >= 0, mark[cells], False).mean(1) >= 0.5)

    out = {name: carried(source, mark) for name, mark in marks.items() if not is_found(name)}
    for style in styles:
        if style.joint_label not in out:
            out[style.joint_label] = carried(source[:, style.influence(skeleton) > 0], marks[style.label])
    return out
