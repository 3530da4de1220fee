"""Layered nodes: an action, a gaze map and variation on top of some nodes of a graph, while they are shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.blend.registered_clips import play
from motionloom.blend.splice.layer import FADE, SpliceLayer
from motionloom.blend.splice.tables import phase_begin, splice_table
from motionloom.constraints import LookAt
from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, IntArray, MotionloomError, Skeleton
from motionloom.core.numbers import smoothstep
from motionloom.core.poses import Commands, Poses, commands, only
from motionloom.kinematics.travel import Travel
from motionloom.methods.layer_sources import layered_material, layered_sources
from motionloom.methods.live import (
    FrameSources,
    Layer,
    Sources,
    State,
    Status,
    check_commands,
    check_dt,
    check_memory,
    check_seeds,
    state_count,
)
from motionloom.methods.parametric_graph.live import ParametricGraphLive, ParametricGraphState
from motionloom.methods.parametric_graph.nodes import Node
from motionloom.methods.settings import Settings
from motionloom.methods.space.space import SpaceParameter
from motionloom.rotation import slerp

REFERENCE = 6.0  # s of a node's own locomotion, to which actions are aligned
SUBSTEP = 1 / 30  # s: longest time step of a layer
FAR = 1e5  # m: distance of points that stand for directions, so far that neither eyes nor hips change them


class LayeredNodesState(NamedTuple):
    """The state of the graph, those of the layers, and how much of the variation is shown."""

    below: ParametricGraphState
    layers: tuple[State, ...]
    varied: FloatArray  # (N,) 0..1


@dataclass(frozen=True, eq=False)
class LayeredNodes:
    """Characters of a graph whose nodes have layers, which fade in and out as nodes change.

    A layered node is a node with other layers on the same space: it needs neither poses nor alignments of its own.
    """

    graph: ParametricGraphLive
    splice: SpliceLayer | None = None
    gaze: Layer | None = None
    variation: Layer | None = None

    @property
    def accepts(self) -> tuple[str, ...]:
        return (*self.graph.accepts, "look") if self.gaze is not None else self.graph.accepts

    @property
    def actions(self) -> tuple[str, ...]:
        return self.graph.actions

    @property
    def skeleton(self) -> Skeleton:
        return self.graph.skeleton

    @property
    def fps(self) -> float:
        return self.graph.fps

    def parameters(self, action: int) -> tuple[SpaceParameter, ...]:
        """The parameters of a node, to which layers add none."""
        return self.graph.parameters(action)

    @cached_property
    def material(self) -> FrameSources:
        return layered_material(self.graph.material, self._layers)

    @cached_property
    def _overlay(self) -> IntArray:
        """(nodes,) the action of each node, -1 for none."""
        names = () if self.splice is None else self.splice.overlays
        return np.array([names.index(n.overlay) if n.overlay else -1 for n in self.graph.nodes])

    @cached_property
    def _looks(self) -> BoolArray:
        return np.array([n.gaze for n in self.graph.nodes])

    @cached_property
    def _varies(self) -> BoolArray:
        return np.array([n.variation for n in self.graph.nodes])

    @property
    def _layers(self) -> tuple[Layer, ...]:
        """In the order in which they are applied."""
        return tuple(layer for layer in (self.variation, self.splice, self.gaze) if layer is not None)

    def begin(self, seeds: ArrayLike, at: Travel | None = None, options: Settings | None = None) -> LayeredNodesState:
        """As the graph, without an action; variation is there at once in nodes that have it."""
        whole = check_seeds(seeds)
        check_memory(len(whole), self._begun(np.zeros(1, np.int64)), len(self.skeleton))
        return self._begun(whole, at, options)

    def _begun(self, seeds: IntArray, at: Travel | None = None, options: Settings | None = None) -> LayeredNodesState:
        below = self.graph.begin(seeds, at, options)
        layers = tuple(layer.begin(seeds, self.skeleton) for layer in self._layers)
        return LayeredNodesState(below, layers, self._varies[below.node[:, 0]].astype(float))

    def step(self, state: LayeredNodesState, commands: Commands, dt: float) -> tuple[LayeredNodesState, Poses]:
        """The state and poses `dt` seconds later; layers are applied at least 30 times a second."""
        dt = check_dt(dt)
        commands = check_commands(commands, state_count(state), self.accepts, self.actions)
        inner = only(commands, self.graph.accepts)
        count = max(1, int(-(-(dt - 1e-9) // SUBSTEP)))
        for _ in range(count):
            below, poses = self.graph.step(state.below, inner, dt / count)
            state, poses = self._layered(state._replace(below=below), poses, commands, dt / count)
        return state, poses

    def _layered(
        self, state: LayeredNodesState, poses: Poses, given: Commands, dt: float
    ) -> tuple[LayeredNodesState, Poses]:
        node, varied, after = state.below.node[:, 0], state.varied, []
        for layer, own in zip(self._layers, state.layers, strict=True):
            if layer is self.splice:
                new, poses = layer.step(own, poses, commands(overlay=self._overlay[node]), dt)
            elif layer is self.gaze:
                new, poses = layer.step(own, poses, _only_for(self._looks[node], given), dt)
            else:
                to, room = self._varies[node].astype(float), dt / FADE
                varied = np.clip(to, varied - room, varied + room)
                new, turned = layer.step(own, poses, given, dt)
                shown = slerp(poses.rotations, turned.rotations, smoothstep(varied)[:, None])
                full, none = (varied == 1.0)[:, None, None], (varied == 0.0)[:, None, None]
                kept = none | (turned.rotations == poses.rotations).all(
                    2, keepdims=True
                )  # these joints keep their bits
                shown = np.where(kept, poses.rotations, np.where(full, turned.rotations, shown))
                poses = poses._replace(rotations=shown)
            after.append(new)
        return LayeredNodesState(state.below, tuple(after), varied), poses

    def status(self, state: LayeredNodesState) -> Status:
        return self.graph.status(state.below)

    def sources(self, state: LayeredNodesState) -> Sources:
        below = self.graph.sources(state.below)
        return layered_sources(below, self.material, self._layers, state.layers, self.skeleton)


def requested_looks(looks: Sequence[LookAt], live: LayeredNodes, walked: Clip) -> FloatArray:
    """(F, 1, 3) the points that a request asks to look at, NaN for none; a later constraint takes precedence.

    A look begins before its span, by the length of the map's longest shift, unless another one is asked for then.
    `walked` is the same motion without looks, from whose hips directions are seen; far points stand for those.
    """
    lead, frames = math.ceil(getattr(live.gaze, "longest_shift", 1.0) * live.fps) + 1, len(walked)
    out = np.full((frames, 1, 3), np.nan)
    for look in looks:
        span, directed = look.frames(frames, live.fps), look.target is None and look.path is None
        far = walked.root + FAR * look.directions(walked, walked.root) if directed else None
        points = look.points(frames, live.fps) if far is None else far
        free = np.isnan(out[:, 0, 0])
        free[span.start :] = True
        chosen = np.flatnonzero(free[: span.stop])
        chosen = chosen[chosen >= span.start - lead]
        out[chosen, 0] = points[chosen]
    return out


def _only_for(characters: BoolArray, given: Commands) -> Commands:
    """What a gaze follows, the point and the direction of travel, for these characters (N,) alone."""
    return commands(
        look=np.where(characters[:, None], given.look, np.nan),
        heading=np.where(characters, given.heading, np.nan),
        place=np.where(characters[:, None], given.place, np.nan),
    )


def splice_layer_of(nodes: Sequence[Node], actions: Mapping[str, Clip], skeleton: Skeleton, fps: float) -> SpliceLayer:
    """The actions of nodes, aligned to the locomotion of the first node that repeats; `BadRequest` if there is none."""
    walking = [n for n in nodes if n.space.rows.cyclic]
    if not walking:
        raise BadRequest("overlay: expected a node of walks that repeat, to which the action can be aligned")
    node = next((n for n in walking if n.overlay), walking[0])
    clip, phase = locomotion_of(node, skeleton, fps)
    try:
        return SpliceLayer(splice_table(actions, clip), begin_phase=phase_begin(clip, phase, clip))
    except MotionloomError as error:
        raise BadRequest(f"overlay: {error}") from None


def locomotion_of(node: Node, skeleton: Skeleton, fps: float) -> tuple[Clip, FloatArray]:
    """Some seconds of the mean motion of a node that repeats, and its phases (F,)."""
    rows, space = node.space.rows, node.space
    made = play(rows, skeleton, space.weights(space.middle[None]).weights[0], round(REFERENCE * fps), fps)
    clip = Clip(skeleton, made.root, made.rotations, fps)
    return clip, (made.position - rows.lead) / rows.count % 1.0
