"""The best segmentation of clips into textons, by dynamic programming (LI appendix A)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import FloatArray, Progress, silent
from motionloom.core.progress import each, watch
from motionloom.methods.textons.learn.lds import Texton
from motionloom.methods.textons.learn.training_data import TrainingData
from motionloom.methods.textons.segments import Segment


def segment_all(
    data: TrainingData,
    textons: Sequence[Texton],
    transitions: FloatArray,
    shortest: int,
    progress: Progress | None = None,
) -> tuple[list[Segment], float]:
    """The E-step: the best segmentation of every clip, and its value (frames, starts and transitions)."""
    from motionloom.methods.textons.learn._kernels_segmentation import best_segmentation

    found: list[Segment] = []
    value = 0.0
    log_m = np.log(transitions)
    report = progress or silent()
    for clip in each(range(len(data.clips)), report, "segmenting", [len(c) for c in data.clips]):
        score = data.score(clip, textons, report)
        task = (score, data.start[clip], log_m, shortest, report.stop)
        labels, starts, best = watch(report, "segmenting", best_segmentation, *task)
        stops = [*starts[1:].tolist(), len(data.clips[clip])]
        found += [Segment(clip, int(a), int(b), int(i)) for a, b, i in zip(starts, stops, labels, strict=True)]
        value += float(best)
    return found, value
