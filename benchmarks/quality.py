"""Quality figures: coverage and diversities of a long result, and all measures on one clip of 30 s."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from benchmarks.timing import best_seconds, figure

FRAMES, SOURCE = 1_000, 20_000
MEMORY = """
import resource
import numpy as np
from benchmarks.quality import features
from motionloom.evaluate.measures.coverage_diversity import window_scores
result, sources = features()
window_scores(result, sources)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def features() -> tuple[Any, list[Any]]:
    """Features of a 1,000-frame result and of ten source clips of 2,000 frames, 25 joints (CMU without fingers)."""
    import numpy as np

    rng = np.random.default_rng(0)
    walk = [np.cumsum(rng.normal(size=(SOURCE // 10, 150)), axis=0) * 0.05 for _ in range(10)]
    return np.cumsum(rng.normal(size=(FRAMES, 150)), axis=0) * 0.05, walk


def figures() -> list[dict[str, Any]]:
    """The two figures of the quality issue; the memory is that of a whole process that does nothing else."""
    from motionloom.evaluate.evaluation import evaluate_take, source_values
    from motionloom.evaluate.measures.coverage_diversity import window_scores
    from motionloom.evaluate.reference import reference
    from motionloom.samples import make

    result, sources = features()
    window_scores(result[:60], sources[:1])  # compiled before
    (windows,) = best_seconds([lambda: window_scores(result, sources)], rounds=3)
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    clip = make("walk", seconds=30, seed=0)
    source = reference([make("walk", seconds=30, seed=1), make("walk", seconds=30, seed=2)])
    own = source_values(source)
    evaluate_take(clip, source, own=own)
    (everything,) = best_seconds([lambda: evaluate_take(clip, source, own=own)], rounds=3)
    size = f"{FRAMES:,} frames against {SOURCE:,} source frames, 25 joints"
    return [
        figure("coverage and diversities, time", round(windows, 2), "< 3", unit="s", note=size),
        figure("coverage and diversities, peak memory", round(int(done.stdout) / 1e9, 3), "< 1", unit="GB", note=size),
        figure(
            "all measures on one 30 s clip",
            round(everything, 2),
            "< 1",
            unit="s",
            note=f"{len(clip)} frames at {clip.fps:g} fps against {source.frames} source frames at 30 fps, made ready",
        ),
    ]
