"""Default limits of the distance of joined frames: a length for point clouds, a quantile for other measures."""

from __future__ import annotations

import numpy as np

from motionloom.analysis.comparison import Comparison
from motionloom.core import FloatArray, IntArray

# m, root mean square, for point clouds. On CMU's subjects 16 and 60, no frame of a 0.4 s blend up to this limit moves
# faster than the fastest 0.1 % of the source; between 0.10 and 0.12, 0.4 to 0.7 % do.
DEFAULT_LIMIT = 0.08
# of all pairs, for other measures, whose units depend on the material. GUAN 4.2.1 keeps 0.1 to 1.5 %; this gives about
# as many transitions as DEFAULT_LIMIT on CMU's subjects 16, 60 and 143.
DEFAULT_SHARE = 0.005
SAMPLE_COUNT, SAMPLE_FRAMES = 24, 32  # stretches that are compared with each other, and their length


def estimate_limit(comparison: Comparison, span: IntArray, share: float = DEFAULT_SHARE) -> float:
    """The value that `share` of the pairs of frames do not exceed, estimated from evenly spaced tiles of the matrix.

    `comparison` is of all clips in a row with themselves, `span` (N, 2) the frames that count. 0 if there are none.
    """
    first, stop = comparison.first[0], comparison.first[0] + comparison.shape[0]
    counts = span[:, 0] < span[:, 1]
    at = np.unique(np.linspace(first, max(first, stop - SAMPLE_FRAMES), SAMPLE_COUNT).astype(int))
    seen = [np.empty(0)]
    for i in at:
        for j in at[at > i]:
            rows, columns = (slice(int(k), int(min(k + SAMPLE_FRAMES, stop))) for k in (i, j))
            block = comparison.block(*(slice(s.start - first, s.stop - first) for s in (rows, columns)))
            seen.append(block[np.outer(counts[rows], counts[columns])])
    values = np.concatenate(seen)
    return float(np.quantile(values, share)) if len(values) else 0.0


def effective_limit(measure: str, limit: float | None, distances: FloatArray) -> float:
    """The limit used in learning: the one given, or the default; for other measures the largest distance found."""
    if limit is not None:
        return limit
    return DEFAULT_LIMIT if measure == "point-cloud" or not len(distances) else float(distances.max())
