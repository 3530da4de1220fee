"""Sets of labels of the frames of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import Clip, IntArray, is_found


class LabelSets(NamedTuple):
    """The sets of labels that occur, and the set of each frame (GUAN 2.4.1)."""

    sets: tuple[frozenset[str], ...]  # in the order of their first frames
    of: IntArray  # (N,) index of each frame's set, counted through all clips


def label_sets(clips: Sequence[Clip], names: Sequence[str] | None = None) -> LabelSets:
    """The set of labels of each frame; a frame without labels has the empty set.

    Labels with a colon describe contacts (contact:left_heel) and gaits that were found (gait:walk), not actions that a
    user named, and are left out, unless `names` lists the labels to use.
    """
    if names is None:
        names = sorted({n for clip in clips for n in clip.label_names if not is_found(n)})
    on = np.concatenate([np.stack([c.label(n) for n in names] or [np.zeros(len(c), bool)], 1) for c in clips])
    rows, first, of = np.unique(on, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    sets = tuple(frozenset(n for n, yes in zip(names, rows[k], strict=False) if yes) for k in order)
    return LabelSets(sets, place[of.ravel()])
