"""The pictures that `motionloom textons` writes, each from a model and a seed alone: no source clip is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from motionloom.constraints import Request
from motionloom.core import Clip, NoPath, replace
from motionloom.methods import synthesize
from motionloom.methods.textons import TextonModel
from motionloom.methods.textons.plan.pieces import piece_of, plan_of
from motionloom.plot.figures import new_figure
from motionloom.plot.textons import observed_clip, segmentation, selection_curve, transition_matrix
from motionloom.plot.textons_curves import spectra, trajectories
from motionloom.plot.textons_graph import texton_graph

SECONDS = 20.0  # of the motion whose spectra are drawn


def _segments(model: TextonModel, seed: int) -> Any:
    return segmentation(model)


def _transitions(model: TextonModel, seed: int) -> Any:
    side = 3.5 + 0.1 * len(model.textons)
    figure = new_figure(side + 1.2, side)
    transition_matrix(model, ax=figure.subplots())
    return figure


def _graph(model: TextonModel, seed: int) -> Any:
    return texton_graph(model)


def _curves(model: TextonModel, seed: int) -> Any:
    """The longest segment of the texton that was seen most, and the texton made between the same ends three times."""
    most = max(range(len(model.textons)), key=lambda i: len(model.of_texton(i)))
    longest = max(model.of_texton(most), key=lambda k: model.observed[k].length)
    plan = plan_of([piece_of(model.segments, longest)])
    variants = (("observed", None, seed), ("noise", None, seed), ("noise", None, seed + 1))
    made = [model.render_uncleaned(plan, np.random.default_rng(s), noise=n, drive=drive) for drive, n, s in variants]
    names = ("driven as observed", "noise alone", "another noise")
    figure = trajectories(observed_clip(model, longest), made, names)
    figure.suptitle(f"texton {most}", color="#22303c", fontsize=10, x=0.01, ha="left")
    return figure


def _spectra(model: TextonModel, seed: int) -> Any:
    try:
        made = synthesize(model, Request(seconds=SECONDS), seed=seed)
    except NoPath as error:  # textons that cannot continue without end: as far as they go
        if error.best is None:
            raise
        made = error.best
    originals = [observed_clip(model, k) for k in range(len(model.observed))]
    return spectra(originals, [_unlabelled(made)], [f"made, {made.seconds:.3g} s"])


def _selection(model: TextonModel, seed: int) -> Any:
    figure = new_figure(5.5, 3.5)
    selection_curve(model, ax=figure.subplots())
    return figure


def _unlabelled(clip: Clip) -> Clip:
    return replace(clip, label_names=(), labels=None)


PICTURES: Mapping[str, Callable[[TextonModel, int], Any]] = {
    "segments": _segments,
    "transitions": _transitions,
    "graph": _graph,
    "curves": _curves,
    "spectra": _spectra,
    "selection": _selection,
}
"""Name of the file, and what draws it: a figure."""


def pictures(model: TextonModel) -> list[str]:
    """The names of the pictures that a model has: the costs of numbers of textons only where some were compared."""
    return [name for name in PICTURES if name != "selection" or len(model.selection_curve)]
