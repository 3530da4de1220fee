"""Learn from clips and make new ones: the table of methods, and what works the same way for all of them.

A method is a folder with `Config`, `Options`, `fit` and `MODEL`, and one line in `METHODS`. It is imported when used.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from motionloom.methods.base import Model
    from motionloom.methods.checking import check_request, problems
    from motionloom.methods.description import Description, describe
    from motionloom.methods.learning import learn, prepare
    from motionloom.methods.settings import Settings, param
    from motionloom.methods.store import load_model, model_facts, save_model
    from motionloom.methods.synthesis import Attempt, attempt, synthesize, synthesize_many


class Method(NamedTuple):
    """One line of the table: where the method lives, what it does, and what it needs."""

    path: str
    summary: str
    source: str = ""  # the published description that its variant `faithful` follows; "": there is none
    learns_from: tuple[str, ...] = ("clips",)  # "clips", "markers", "models"
    learning_is_random: bool = False  # the learning seed matters
    needs_skeleton: bool = True  # its models are of one skeleton (a gaze map is not)
    commands: tuple[str, ...] = ()  # modules of the command line that are about this method alone

    def module(self) -> Any:
        """The method's module, with `Config`, `Options`, `fit` and `MODEL`."""
        return import_module(self.path)


METHODS: Mapping[str, Method] = {
    "cuts": Method("motionloom.methods.cuts", "loops clips and joins them with plain cuts"),
    "hierarchical-graph": Method(
        "motionloom.methods.hierarchical_graph",
        "a motion graph searched at random from coarse to fine, stopped any time",
        source="GUAN 2.4.3",
    ),
    "textons": Method(
        "motionloom.methods.textons", "linear dynamic systems and their transitions, with variation", source="LI"
    ),
    "motion-graph": Method(
        "motionloom.methods.motion_graph",
        "clips joined by blends; follows paths, places and styles",
        source="GUAN 2.4.1",
    ),
    "motion-matching": Method(
        "motionloom.methods.motion_matching", "jumps to the frame that fits best, several times a second; live"
    ),
    "two-level-graph": Method(
        "motionloom.methods.two_level_graph",
        "says what can be done next; choices, paths, acting out",
        source="GUAN 2.4.2",
        learning_is_random=True,
    ),
}

_HOMES = {
    "Attempt": "synthesis",
    "Description": "description",
    "Model": "base",
    "Settings": "settings",
    "attempt": "synthesis",
    "check_request": "checking",
    "describe": "description",
    "learn": "learning",
    "load_model": "store",
    "model_facts": "store",
    "param": "settings",
    "prepare": "learning",
    "problems": "checking",
    "save_model": "store",
    "synthesize": "synthesis",
    "synthesize_many": "synthesis",
}
__all__ = [
    "METHODS",
    "Attempt",
    "Description",
    "Method",
    "Model",
    "Settings",
    "attempt",
    "check_request",
    "describe",
    "learn",
    "load_model",
    "model_facts",
    "param",
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
