"""Live characters of motion graphs: walks whose transitions are chosen by commands.

The published sources contain no live control, so a character behaves the same in both variants. It shows the blends
of its graph, which are linear and do not hold feet if the graph was learned with `variant: faithful`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from motionloom.core import FloatArray, IntArray, Skeleton
from motionloom.core.poses import Commands, Poses
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.actions import first_action
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.live_tables import GraphTables, build_tables
from motionloom.methods.live import FrameSources, Sources, Status, first_frames, material_of
from motionloom.methods.live_base import LiveCharacters, no_commands, speed_status, used_speed
from motionloom.methods.settings import Settings, param


@dataclass(frozen=True)
class GraphLiveOptions(Settings):
    """Options of live graph characters."""

    shortest: float = param(0.1, "shortest time between transitions, where there is a choice", unit="s", low=0, high=5)


DEFAULT_OPTIONS = GraphLiveOptions()


class GraphState(NamedTuple):
    """The state of N characters. Each shows a frame of a clip, or frame `blended` of the blend of transition `over`."""

    time: FloatArray  # (N,) s since the last tick
    seed: IntArray  # (N,)
    draws: IntArray  # (N,) random numbers drawn so far
    frame: IntArray  # (N,) graph frame at the last tick; in a blend, the one that was left
    over: IntArray  # (N,) transition in progress, -1 for none
    blended: IntArray  # (N,) frames into its blend
    since: IntArray  # (N,) ticks since the last transition
    lay: FloatArray  # (N, 3) turn and shift x, z that place the present clip on the ground
    root: FloatArray  # (N, 2, 3) at the last two ticks
    rotations: FloatArray  # (N, 2, J, 4)
    commanded: FloatArray  # (N, 6) heading, speed, place, facing, action
    tuning: IntArray  # (N, 1) ticks: shortest


@dataclass(frozen=True, eq=False)
class GraphLive(LiveCharacters[GraphState, GraphLiveOptions]):
    """Live characters of one motion graph; a command takes effect at the next transition."""

    accepts: ClassVar[tuple[str, ...]] = ("heading", "speed", "place", "action")
    default_options: ClassVar[GraphLiveOptions] = DEFAULT_OPTIONS

    tables: GraphTables
    actions: tuple[str, ...]
    skeleton: Skeleton
    fps: float
    material: FrameSources

    @property
    def _foot_parts(self) -> int:
        return self.tables.contacts.shape[1]

    def _empty(self, count: int) -> GraphState:
        return GraphState(
            time=np.zeros(count),
            seed=np.zeros(count, np.int64),
            draws=np.zeros(count, np.int64),
            frame=np.zeros(count, np.int64),
            over=np.full(count, -1),
            blended=np.zeros(count, np.int64),
            since=np.zeros(count, np.int64),
            lay=np.zeros((count, 3)),
            root=np.zeros((count, 2, 3)),
            rotations=np.zeros((count, 2, len(self.skeleton), 4)),
            commanded=no_commands(count),
            tuning=np.zeros((count, 1), np.int64),
        )

    def _begin(self, state: GraphState, seeds: IntArray, places: FloatArray, options: GraphLiveOptions) -> None:
        from motionloom.methods.graph._kernels_live import show

        tables = self.tables
        state.seed[:], state.draws[:] = seeds, 1
        state.frame[:] = first_frames(seeds, np.flatnonzero(tables.exit_end >= 0))
        state.lay[:, 0] = places[:, 2] - tables.hips_heading[state.frame]
        hips = tables.root[state.frame][:, [0, 2]]
        state.lay[:, 1:] = places[:, :2] - ground_turn(state.lay[:, 0], hips)
        state.tuning[:] = round(options.shortest * self.fps)
        show(tables, state)
        state.root[:, 0], state.rotations[:, 0] = state.root[:, 1], state.rotations[:, 1]

    def _advance(self, state: GraphState, commands: Commands, dt: float, poses: Poses) -> None:
        from motionloom.methods.graph._kernels_live import advance

        advance(self.tables, commands, state, dt, 1.0 / self.fps, poses.root, poses.rotations, poses.contacts)

    def status(self, state: GraphState) -> Status:
        """The action shown, the speed commanded and used, and the time until a transition may be taken."""
        action = first_action(self.tables.labels[state.frame], len(self.actions))
        speeds = self.tables.speeds[state.commanded[:, 5].astype(np.int64)]
        commanded = state.commanded[:, 1]
        used = used_speed(commanded, speeds)
        blending, shortest = state.over >= 0, state.tuning[:, 0]
        wait = np.where(blending, shortest, np.maximum(shortest - state.since, 0)).astype(np.int64)
        first = np.where(blending, self.tables.enter[np.maximum(state.over, 0)], state.frame)
        wait = wait + self.tables.until_exit[np.minimum(first + wait, len(self.tables.until_exit) - 1)]
        until = (wait + np.where(blending, len(self.tables.alpha) + 1 - state.blended, 0)) / self.fps
        return speed_status(action, commanded, used, until)

    def sources(self, state: GraphState) -> Sources:
        """The frame that each character shows; in a blend, those of both clips."""
        tables = self.tables
        blending, over = state.over >= 0, np.maximum(state.over, 0)
        first = np.where(blending, tables.leave[over] + state.blended, state.frame)
        second = tables.enter[over] - len(tables.alpha) - 1 + state.blended
        alpha = np.where(blending, tables.alpha[np.clip(state.blended - 1, 0, len(tables.alpha) - 1)], 0.0)
        both = np.stack([first, np.where(blending, second, first)], 1)[:, None]
        which = np.where([[[True, False]]] | blending[:, None, None], self.material.which[both], -1)
        weights = np.where(which >= 0, np.stack([1 - alpha, alpha], 1)[:, None], 0.0)
        return Sources(which, self.material.frames[both].astype(float), weights)


def graph_live(graph: Graph) -> GraphLive:
    """The live characters of a graph; tables for their steps are computed once."""
    tables, actions = build_tables(graph)
    clips = graph.clips
    return GraphLive(tables, actions, clips[0].skeleton, clips[0].fps, material_of(clips))
