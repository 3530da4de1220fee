"""Which places, with which headings, a character can reach within a time (HECK 6.2.2.2, fig 6.11).

The graph is embedded in the ground as HECK does, after P. Reitsma and N. Pollard 2004: courses are followed from cell
to cell of place, heading and turn. They are those of `_kernels_course`, by which live characters plan.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionloom.core import BadRequest, BoolArray, FloatArray, Progress, silent
from motionloom.core.progress import watch
from motionloom.methods.parametric_graph.config import DEFAULT_LIVE, LiveOptions
from motionloom.methods.parametric_graph.model import ParametricGraphModel

CELL, HEADINGS = 0.25, 24  # m of a place, and headings of 15 degrees
BINS = 9  # of the turn
MOST_SECONDS = 12.0
MOST_COURSES = 6_000_000  # that are kept at once


@dataclass(frozen=True, eq=False)
class Reachability:
    """When each cell is first reached by a character that begins at the origin, with heading 0 and without a turn."""

    soonest: FloatArray  # (X, X, H) s by x, z and heading, the origin in the middle cell; infinite: not reached
    radius: float  # m: the square reaches from -radius to radius
    seconds: float
    turning_radius: float  # m

    def when(self, place: FloatArray, heading: FloatArray) -> FloatArray:
        """(n,) s until places (n, 2) are reached with headings (n,); infinite where they are not."""
        at = len(self.soonest) // 2 + np.round(np.asarray(place) / CELL).astype(np.int64)
        inside = np.all((at >= 0) & (at < len(self.soonest)), axis=1)
        x, z = np.where(inside[:, None], at, 0).T
        h = np.round(np.asarray(heading) / (2 * np.pi) * HEADINGS).astype(np.int64) % HEADINGS
        return np.where(inside, self.soonest[x, z, h], np.inf)

    def allows(self, place: FloatArray, heading: FloatArray) -> BoolArray:
        """(n,) whether places are reached with headings."""
        return np.isfinite(self.when(place, heading))

    @property
    def headings(self) -> FloatArray:
        """(X, X) degrees of headings with which each place is reached."""
        return np.asarray(np.isfinite(self.soonest).sum(2) * (360.0 / HEADINGS))


def reachability(
    model: ParametricGraphModel,
    seconds: float = 5.0,
    *,
    node: str = "",
    options: LiveOptions = DEFAULT_LIVE,
    progress: Progress | None = None,
) -> Reachability:
    """What a character of one node reaches within a time; by default of the first node that can turn.

    With `options.half_life` 0, turns are set once for each clip.
    """
    from motionloom.methods.parametric_graph._kernels_reach import spread

    report = progress or silent()
    names = [n.name for n in model.nodes if n.turn_column[0] >= 0]
    if not names or (node and node not in names):
        raise BadRequest(f"node: expected a node that can turn ({', '.join(names) or 'there is none'}), found {node!r}")
    if not 0 < seconds <= MOST_SECONDS:
        raise BadRequest(f"seconds: expected more than 0 and at most {MOST_SECONDS:g}, found {seconds:g}")
    n = [m.name for m in model.nodes].index(node or names[0])
    curves = model.tables.curves[n]
    half_life = options.half_life if model.nodes[n].space.rows.cyclic else 0.0
    half = int(np.ceil(float(curves[:, 1].max()) * seconds / CELL)) + 1
    size = 2 * half + 1
    soonest = np.full((size, size, HEADINGS), np.inf)
    seen = np.zeros((2 * size - 1, 2 * size - 1, 2 * HEADINGS, BINS), bool)
    todo = np.zeros((min(seen.size, MOST_COURSES), 6), np.float32)
    watch(
        report, "following courses", spread, curves, half_life, seconds, CELL, seen, todo, soonest, report.stop
    )  # fmt: skip
    report(1.0, "following courses")
    return Reachability(soonest, (half + 0.5) * CELL, seconds, float(model.tables.radii[n]))
