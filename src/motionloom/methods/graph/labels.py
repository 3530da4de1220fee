"""Sets of labels of the frames of a graph, and distance limits for pairs of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, IntArray
from motionloom.core.units import length

Limits = Mapping[tuple[str, str], float]
"""Largest distance of joined frames with these two labels, in either order: {("walk", "jog"): 0.09}."""


class LabelSets(NamedTuple):
    """The sets of labels that occur, and the set of each frame (GUAN 2.4.1)."""

    sets: tuple[frozenset[str], ...]  # in the order of their first frames
    of: IntArray  # (N,) index of each frame's set, counted through all clips


def label_sets(clips: Sequence[Clip]) -> LabelSets:
    """The set of labels of each frame; a frame without labels has the empty set.

    Labels with a colon (contact:left_heel) describe contacts, not actions, and are left out.
    """
    names = sorted({n for clip in clips for n in clip.label_names if ":" not in n})
    on = np.concatenate([np.stack([c.label(n) for n in names] or [np.zeros(len(c), bool)], 1) for c in clips])
    rows, first, of = np.unique(on, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    sets = tuple(frozenset(n for n, yes in zip(names, rows[k], strict=False) if yes) for k in order)
    return LabelSets(sets, place[of.ravel()])


def read_limits(text: str) -> dict[tuple[str, str], float]:
    """Limits for pairs of labels from one line: "walk jog 9cm, jog jog 0.08". Plain numbers are the measure's unit.

    >>> read_limits("walk jog 9cm, jog jog 0.08")
    {('walk', 'jog'): 0.09, ('jog', 'jog'): 0.08}
    """
    out: dict[tuple[str, str], float] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        words = part.split()
        if len(words) != 3:
            raise BadRequest(
                f"expected two labels and a limit, such as 'walk jog 9cm', found {part!r}", where=("limits",)
            )
        out[words[0], words[1]] = length(words[2], ("limits", f"{words[0]} {words[1]}"))
    return out


def limit_table(found: LabelSets, limit: float, limits: Limits) -> FloatArray:
    """(S, S) the limit for each two label sets: the strictest one given for any of their labels."""
    known = set().union(*found.sets)
    for pair, value in limits.items():
        if missing := [n for n in pair if n not in known]:
            have = ", ".join(sorted(known)) or "no labels"
            raise BadRequest(f"no clip carries the label {missing[0]!r}; these clips carry {have}", where=("limits",))
        if not (np.isfinite(value) and value >= 0):
            raise BadRequest(f"expected at least 0 for {' and '.join(pair)}, found {value}", where=("limits",))
    table = np.full((len(found.sets), len(found.sets)), float(limit))
    for i, one in enumerate(found.sets):
        for j, other in enumerate(found.sets):
            given = [v for (x, y), v in limits.items() if (x in one and y in other) or (y in one and x in other)]
            table[i, j] = min(given, default=limit)
    return table
