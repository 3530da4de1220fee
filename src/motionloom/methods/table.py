"""The table of methods: where each is implemented, what it does, and what it needs.

A method is a folder with `Config`, `Options`, `fit` and `MODEL`, and one line in `METHODS`. It is imported when used.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple


class Method(NamedTuple):
    """One line of the table: where the method lives, what it does, and what it needs."""

    path: str
    summary: str
    source: str = ""  # the published description that its variant `faithful` follows; "": there is none
    learns_from: tuple[str, ...] = ("clips",)  # "clips", "markers", "models"
    learning_is_random: bool = False  # the learning seed matters
    needs_skeleton: bool = True  # a model has one skeleton (a gaze map has none)
    commands: tuple[str, ...] = ()  # modules of the command line that serve this method only

    def module(self) -> Any:
        """The method's module, with `Config`, `Options`, `fit` and `MODEL`."""
        return import_module(self.path)


METHODS: Mapping[str, Method] = {
    "cuts": Method("motionloom.methods.cuts", "loops clips and joins them with plain cuts"),
    "hierarchical-graph": Method(
        "motionloom.methods.hierarchical_graph",
        "a motion graph searched at random from coarse to fine; weighs many constraints, can be stopped at any time",
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
        "a motion graph with clusters of frames above it: choices, paths, acting out a performance",
        source="GUAN 2.4.2",
        learning_is_random=True,
    ),
}
