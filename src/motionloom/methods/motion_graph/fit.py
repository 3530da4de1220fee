"""Learning a one-level motion graph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from numpy.random import Generator

from motionloom.core import Clip, Progress
from motionloom.methods.graph.connecting_limit import with_connecting_limit
from motionloom.methods.graph.fit import learn_graph
from motionloom.methods.motion_graph.config import Config
from motionloom.methods.motion_graph.model import MotionGraphModel

DEFAULT = Config()


def fit(
    clips: Sequence[Clip], config: Config = DEFAULT, *, rng: Generator | None = None, progress: Progress | None = None
) -> MotionGraphModel:
    """Learn from clips of one skeleton at one frame rate (see `methods.prepare`). No randomness is involved."""
    return with_connecting_limit(partial(_fit, clips), config, progress)


def _fit(clips: Sequence[Clip], config: Config, progress: Progress) -> MotionGraphModel:
    learned = learn_graph(clips, config, _settings(config), progress)
    return MotionGraphModel(
        skeleton=clips[0].skeleton, config=config, fps=clips[0].fps, notes=learned.notes, graph=learned.graph
    )


def _settings(config: Config) -> dict[str, Any]:
    names = ("measure", "window", "blend", "limit", "limits", "apart", "shortest", "contacts")
    return {name: getattr(config, name) for name in names}
