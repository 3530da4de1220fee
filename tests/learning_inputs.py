"""Small inputs that every method can learn from, by the kinds that the table of methods lists; and lazy models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from motionloom.core import Clip, Markers
from motionloom.methods import METHODS
from motionloom.samples.gaze_takes import make_take

TARGETS = ((-1.2, 0.0), (1.2, 0.0), (0.4, 0.2))  # rad


def tiny_takes(fps: float = 30.0) -> list[Markers]:
    """Three short takes of gaze shifts, for the method that learns from markers; their names state their targets."""
    return [make_take(target, fps=fps, before=0.5, after=0.6, noise=0.0001).markers for target in TARGETS]


def learning_input(method: str, clips: Sequence[Clip]) -> Sequence[Any]:
    """A small input of the first kind that the table lists for a method; `clips` where that is clips."""
    kinds: dict[str, Callable[[], Sequence[Any]]] = {"clips": lambda: clips, "markers": tiny_takes}
    return kinds[METHODS[method].learns_from[0]]()


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
