"""The table of methods: where each is implemented, what it does, and what it needs.

A method is a folder with `Config`, `Options`, `fit` and `MODEL`, and one line in `METHODS`. It is imported when used.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple


class MethodCommand(NamedTuple):
    """A command of the command line for models of a single method."""

    group: str  # under which `motionloom --help` lists it
    summary: str


class Method(NamedTuple):
    """One line of the table: the module of a method, what it does, and what it needs."""

    path: str
    summary: str
    source: str = ""  # the published description that its variant `faithful` follows; "": there is none
    learns_from: tuple[str, ...] = ("clips",)  # "clips", "markers", "models"
    learning_is_random: bool = False  # the learning seed matters
    is_random: bool = True  # takes with other seeds differ
    needs_skeleton: bool = True  # results have the skeleton of the model; a gaze map turns the gaze of any body
    models: Mapping[str, str] = {}  # other models that learning can be given: keyword of `fit`, help
    commands: Mapping[str, MethodCommand] = {}  # functions of the module `motionloom.cli.methods.FOLDER`

    @property
    def folder(self) -> str:
        """Name of the method's folder."""
        return self.path.rpartition(".")[2]

    @property
    def learns_from_any_clips(self) -> bool:
        """Is its usual input clips of any motion, as walks? (Gaze learns from takes of gaze shifts.)"""
        return self.learns_from[0] == "clips"

    def module(self) -> Any:
        """The method's module, with `Config`, `Options`, `fit` and `MODEL`."""
        return import_module(self.path)


METHODS: Mapping[str, Method] = {
    "cuts": Method("motionloom.methods.cuts", "loops clips and joins them with plain cuts"),
    "gaze": Method(
        "motionloom.methods.gaze",
        "turns spine, neck, head and eyes of any clip to look somewhere, as a performer does",
        source="HECK 5.2",
        learns_from=("markers", "clips"),
        is_random=False,
        needs_skeleton=False,
        commands={
            "gaze": MethodCommand("Clips", "turn the gaze of a clip, with a gaze map learned from takes"),
            "gaze-map": MethodCommand("Inspect", "list the examples of a gaze map; change strength, speed and shares"),
        },
    ),
    "hierarchical-graph": Method(
        "motionloom.methods.hierarchical_graph",
        "a motion graph searched at random from coarse to fine; weighs many constraints, can be stopped at any time",
        source="GUAN 2.4.3",
    ),
    "motion-graph": Method(
        "motionloom.methods.motion_graph",
        "clips joined by blends; follows paths, places and styles",
        source="GUAN 2.4.1",
        commands={
            "graph": MethodCommand("Inspect", "show how a motion graph is connected and which motion it covers"),
            "walk": MethodCommand("Learn and make", "make random walks of any length through a motion graph"),
        },
    ),
    "motion-matching": Method(
        "motionloom.methods.motion_matching", "jumps to the frame that fits best, several times a second; live"
    ),
    "multilinear": Method(
        "motionloom.methods.multilinear",
        "examples of one action on a regular grid of measured parameters, interpolated between its points",
        source="GUAN 2.3.1",
        learning_is_random=True,
    ),
    "parametric-graph": Method(
        "motionloom.methods.parametric_graph",
        "parametric spaces joined by edges: walk, run, sit, punch by heading, place and parameters; live",
        source="HECK 6.1",
        learning_is_random=True,
        models={
            "gaze": "a gaze map for the nodes of the graph; characters look at points, and into turns",
            "variation": "a model of variation that is added to the nodes of the graph",
        },
        commands={
            "drive": MethodCommand("Live", "drive a character by a request, or by the arrow keys"),
            "crowd": MethodCommand("Live", "make the clips of a crowd, each by its own seed"),
            "edges": MethodCommand("Inspect", "list edges of a parametric graph, and which others are possible"),
            "reachable": MethodCommand("Inspect", "draw where a character gets within a time, and with which headings"),
        },
    ),
    "parametric-space": Method(
        "motionloom.methods.parametric_space",
        "blends examples of one action to measured parameters: turn, speed, target, height; live",
        source="HECK 3.5",
        learning_is_random=True,
        commands={"bake": MethodCommand("Learn and make", "write a space as clips for the blend space of an engine")},
    ),
    "textons": Method(
        "motionloom.methods.textons",
        "linear dynamic systems and their transitions, with variation",
        source="LI",
        commands={"textons": MethodCommand("Inspect", "list the textons of a model, and check or edit a path of them")},
    ),
    "texture": Method(
        "motionloom.methods.texture",
        "chooses every joint by its neighbourhood in joints and time; keys, styles, limbs of different examples",
        source="EDEN",
        commands={
            "texture": MethodCommand("Inspect", "draw which example frame each joint of a texture comes from"),
            "transfer": MethodCommand("Clips", "make what one clip is to another, for a third: sneak : walk = ? : run"),
        },
    ),
    "two-level-graph": Method(
        "motionloom.methods.two_level_graph",
        "a motion graph with clusters of frames above it: choices, paths, acting out a performance",
        source="GUAN 2.4.2",
        learning_is_random=True,
        commands={
            "choices": MethodCommand("Live", "list the next moves in a two-level graph, and follow some of them"),
            "act": MethodCommand("Learn and make", "imitate a performance with the clips of a two-level graph"),
        },
    ),
    "variation": Method(
        "motionloom.methods.variation",
        "many natural takes from a few of one motion; streams of cyclic motion; pen strokes",
        source="LAU",
        learning_is_random=True,
        models={"structure": "a model of variation whose networks are used; a single clip is enough then"},
        commands={
            "variation": MethodCommand(
                "Inspect", "list the degrees of freedom and networks of a model; compress takes"
            ),
            "select": MethodCommand("Clips", "drop takes that are unlike the others, and list the reasons"),
        },
    ),
    "verbs": Method(
        "motionloom.methods.verbs",
        "examples of one action as B-splines, interpolated over adverbs, measured or given (happy: 0.7)",
        source="GUAN 2.3.2",
    ),
}
