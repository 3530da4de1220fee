"""Alignment of the second clip of each transition on the ground, for all transitions of a graph at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.analysis.cloud_search import clip_spans
from motionloom.blend.crossfade import CLOUD
from motionloom.core import Clip, FloatArray, IntArray, Progress, silent
from motionloom.core.progress import parts, slices
from motionloom.kinematics.feet.transition_contacts import fit_to_plants
from motionloom.kinematics.fk import fk

TRANSITIONS_PER_CALL = 50_000  # transitions in one call of a kernel, some 0.1 s


def align_transitions(
    clips: Sequence[Clip], a: IntArray, b: IntArray, half: int, progress: Progress | None = None, *, plants: bool = True
) -> tuple[FloatArray, FloatArray]:
    """The turn (T,) and shift (T, 2) that align each pair of frames, counted through all clips.

    The same as in `blend_transition`: the best fit of the joints of the surrounding frames, then of feet that are
    planted over the cut (`plants`). Contacts are the clips' labels.
    """
    from motionloom.methods.graph.build._kernels import align_pairs

    clip = clip_spans(clips)
    turn, shift = np.empty(len(a)), np.empty((len(a), 2))
    points = np.concatenate([fk(c) for c in clips])
    aligned, planted = parts(progress or silent(), [1, int(plants)])
    for some in slices(len(a), TRANSITIONS_PER_CALL, aligned, "aligning transitions"):
        align_pairs(points, a[some], b[some], clip, CLOUD, turn[some], shift[some])
    if plants:
        fit_to_plants(clips, clip, a, b, half, turn, shift, planted)
    return np.arctan2(np.sin(turn), np.cos(turn)), shift
