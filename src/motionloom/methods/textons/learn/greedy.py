"""Greedy initialisation: one texton after another, each extended as far as it fits (LI 4)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from motionloom.core import FloatArray, Progress, silent
from motionloom.methods.textons.learn.lds import Texton
from motionloom.methods.textons.learn.training_data import LearningSettings, TrainingData
from motionloom.methods.textons.segments import Segment


def initial_textons(
    data: TrainingData, settings: LearningSettings, progress: Progress | None = None
) -> tuple[list[Texton], list[Segment]]:
    """LI 4: fit a texton to T_min frames and extend it until it no longer fits; try the known ones before a new one.

    The fit error is in metres, RMS over channels and over the last quarter of T_min frames; the threshold is
    `tolerance` times the deviation of all clips. Here textons are fitted to their own frames alone: with the pooled
    prior, each of them would fit nearly everything.
    """
    alone = replace(settings, prior=replace(settings.prior, common=0.0))
    limit, short = settings.tolerance * data.spread, settings.shortest
    window = max(3, short // 4)
    textons: list[Texton] = []
    segments: list[Segment] = []
    report, passed, total = progress or silent(), 0, sum(len(c) for c in data.clips)
    for clip, frames in enumerate(data.clips):
        start = 0
        passed += len(data.clips[clip - 1]) if clip else 0
        while start < len(frames):
            report((passed + start) / total, "finding the first textons")
            first = Segment(clip, start, min(start + short, len(frames)), 0)
            if len(frames) - start < short:  # the remainder extends the last segment
                segments.append(replace(segments.pop(), stop=len(frames)))
                break
            errors = [_rms(data.errors(first, t)[2:]) for t in textons]
            if errors and min(errors) <= limit:
                label = int(np.argmin(errors))
            else:
                label = len(textons)
                textons.append(data.learn_texton([first], alone))
            onward = data.errors(Segment(clip, start, len(frames), label), textons[label], short)
            squares = np.convolve(onward**2, np.ones(window) / window, mode="valid")  # [k]: frames k .. k + window - 1
            beyond = np.flatnonzero(squares[short - window + 1 :] > limit**2)
            stop = start + short + int(beyond[0]) if len(beyond) else len(frames)
            segments.append(Segment(clip, start, stop, label))
            start = stop
    for label in range(len(textons)):
        textons[label] = data.learn_texton([s for s in segments if s.label == label], settings)
    return textons, segments


def _rms(values: FloatArray) -> float:
    return float(np.sqrt(np.mean(values**2)))
