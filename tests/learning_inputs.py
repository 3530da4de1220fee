"""Small inputs that every method can learn from, by the kinds that the table of methods lists; and lazy models."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from motionloom.core import Clip, Markers, Origin, replace
from motionloom.methods import METHODS, Model, learn
from motionloom.samples import make
from motionloom.samples.gaze_takes import make_take

TARGETS = ((-1.2, 0.0), (1.2, 0.0), (0.4, 0.2))  # rad


def tiny_takes(fps: float = 30.0) -> list[Markers]:
    """Three short takes of gaze shifts, for the method that learns from markers; their names state their targets."""
    return [make_take(target, fps=fps, before=0.5, after=0.6, noise=0.0001).markers for target in TARGETS]


def from_files(clips: Sequence[Clip]) -> list[Clip]:
    """The clips as if they had been read from 0.bvh, 1.bvh, ... in this order."""
    return [replace(c, origin=dataclasses.replace(c.origin, name=f"{k}.bvh")) for k, c in enumerate(clips)]


def learning_input(method: str, clips: Sequence[Clip]) -> Sequence[Any]:
    """A small input of the first kind that the table lists for a method; `clips` where that is clips."""
    kinds: dict[str, Callable[[], Sequence[Any]]] = {"clips": lambda: clips, "markers": tiny_takes}
    return kinds[METHODS[method].learns_from[0]]()


def _layered(model: Callable[[str], Any]) -> Model[Any]:
    """A graph with an action, a gaze map and variation on its nodes, and a node whose motion ends."""
    clips = [make("walk", seed=s, speed=1.3 + 0.1 * s, turn=0.3 * s, seconds=4, fps=30) for s in range(3)]
    clips += [make("carry", seconds=4, seed=2, fps=30), make("duck", fps=30)]
    names = ("walk_0", "walk_1", "walk_2", "box", "duck")
    named = [replace(c, origin=Origin(name=n)) for c, n in zip(clips, names, strict=True)]
    nodes = ("walk clips=walk* parameter=turn", "duck clips=duck", "carry of=walk overlay=box gaze=no variation=no")
    config = {"sources": 8, "targets": 60, "verified": 400, "samples": 40, "node": nodes}
    return learn("parametric-graph", named, config, models={"gaze": model("gaze"), "variation": model("variation")})


def _ending(model: Callable[[str], Any]) -> Model[Any]:
    """A space of a motion that ends, with two parameters."""
    ducks = [make("duck", seed=1, height=h, speed=v, fps=30) for h in (1.0, 1.3) for v in (0.9, 1.3)]
    config = {"parameter": ["head_height", "speed"], "cut": "none", "repeat": "no", "samples": 64}
    return learn("parametric-space", ducks, config)


SPECIAL: Mapping[str, Callable[[Callable[[str], Any]], Model[Any]]] = {"layered": _layered, "ending": _ending}
"""Models with fields that those of a few walks leave empty; from the model of a method by its name."""


class Lazy(Mapping[str, Any]):
    """Values by method, each made when it is first used."""

    def __init__(self, make: Callable[[str], Any]) -> None:
        self.make, self.made = make, dict[str, Any]()

    def __getitem__(self, method: str) -> Any:
        if method not in self.made:
            self.made[method] = self.make(method)
        return self.made[method]

    def __iter__(self) -> Iterator[str]:
        return iter(METHODS)

    def __len__(self) -> int:
        return len(METHODS)
