"""Limits of the distance of joined frames: given for pairs of labels, or a default.

The default is a length for point clouds, a quantile for other measures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from motionloom.analysis.comparison import ClipComparison
from motionloom.core import BadRequest, FloatArray, IntArray
from motionloom.core.units import length
from motionloom.methods.graph.labels import LabelSets

Limits = Mapping[tuple[str, str], float]
"""Largest distance of joined frames with these two labels, in either order: {("walk", "jog"): 0.09}."""

# m, root mean square, for point clouds. On CMU's subjects 16 and 60, no frame of a 0.4 s blend up to this limit moves
# faster than the fastest 0.1 % of the source; between 0.10 and 0.12, 0.4 to 0.7 % do.
DEFAULT_LIMIT = 0.08
# of all pairs, for other measures, whose units depend on the material. GUAN 4.2.1 keeps 0.1 to 1.5 %; this gives about
# as many transitions as DEFAULT_LIMIT on CMU's subjects 16, 60 and 143.
DEFAULT_SHARE = 0.005
SAMPLE_FRAMES = 768  # frames, about, that are compared with each other to estimate a limit


def estimate_limit(comparison: ClipComparison, span: IntArray, apart: int, share: float = DEFAULT_SHARE) -> float:
    """The value that `share` of the pairs of frames do not exceed, estimated from evenly spaced frames of each clip.

    `comparison` is of all clips in a row with themselves, `span` (N, 2) the frames that count; pairs of one clip less
    than `apart` frames from each other do not. The order of the clips does not matter. 0 if there are no pairs.
    """
    used = np.flatnonzero(span[:, 0] < span[:, 1])
    step = max(1, -(-len(used) // SAMPLE_FRAMES))
    taken = used[(used - span[used, 0]) % step == 0]
    if not len(taken):
        return 0.0
    rows: Any = taken - comparison.first[0]
    values = comparison.block(rows, rows)
    same = span[taken, 0][:, None] == span[taken, 0]
    keep = np.triu(~same | (np.abs(taken[:, None] - taken) >= apart), 1)
    return float(np.quantile(values[keep], share)) if keep.any() else 0.0


def effective_limit(measure: str, limit: float | None, distances: FloatArray) -> float:
    """The limit used in learning: the one given, or the default; for other measures the largest distance found."""
    if limit is not None:
        return limit
    return DEFAULT_LIMIT if measure == "point-cloud" or not len(distances) else float(distances.max())


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
