"""Learn from clips and make new ones: the table of methods, and what works the same way for all of them.

A method is a folder with `Config`, `Options`, `fit` and `MODEL`, and one line in `METHODS`. It is imported when used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from motionloom.constraints import Request
    from motionloom.core import Clip
    from motionloom.methods.base import Model, synthesize
    from motionloom.methods.checking import check_request, problems
    from motionloom.methods.learning import learn, prepare
    from motionloom.methods.settings import Param, Settings, param, params
    from motionloom.methods.store import load_model, model_facts, save_model


class Method(NamedTuple):
    """One line of the table: where the method lives, and what it does."""

    path: str
    summary: str

    def module(self) -> Any:
        """The method's module, with `Config`, `Options`, `fit` and `MODEL`."""
        return import_module(self.path)


METHODS: Mapping[str, Method] = {
    "cuts": Method("motionloom.methods.cuts", "loops clips and joins them with plain cuts"),
    "hierarchical-graph": Method(
        "motionloom.methods.hierarchical_graph",
        "a motion graph searched at random from coarse to fine, stopped any time",
    ),
    "textons": Method("motionloom.methods.textons", "linear dynamic systems and their transitions, with variation"),
    "motion-graph": Method(
        "motionloom.methods.motion_graph", "clips joined by blends; follows paths, places and styles"
    ),
    "motion-matching": Method(
        "motionloom.methods.motion_matching", "jumps to the frame that fits best, several times a second; live"
    ),
    "two-level-graph": Method(
        "motionloom.methods.two_level_graph", "says what can be done next; choices, paths, acting out"
    ),
}

_HOMES = {
    "Model": "base",
    "check_request": "checking",
    "problems": "checking",
    "synthesize": "base",
    "learn": "learning",
    "prepare": "learning",
    "Param": "settings",
    "Settings": "settings",
    "param": "settings",
    "params": "settings",
    "load_model": "store",
    "model_facts": "store",
    "save_model": "store",
}
__all__ = [
    "METHODS",
    "Method",
    "Model",
    "Param",
    "Settings",
    "check_request",
    "learn",
    "load_model",
    "model_facts",
    "param",
    "params",
    "prepare",
    "problems",
    "save_model",
    "synthesize",
    "synthesize_many",
]


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used, so that the table alone stays quick to import."""
    if name in _HOMES:
        return getattr(import_module(f"motionloom.methods.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def synthesize_many(model: Model, request: Request, *, seed: int = 0, count: int = 1) -> Iterator[Clip]:
    """Takes 0 to count - 1 of a seed, one after the other; each is the same whatever `count` is."""
    from motionloom.methods.base import synthesize

    for take in range(count):
        yield synthesize(model, request, seed=seed, take=take)
