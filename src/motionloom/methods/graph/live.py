"""Motion graphs for live characters: walks that choose their transitions by the commands that they follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import FloatArray, IntArray, Skeleton
from motionloom.core.poses import Commands, Poses
from motionloom.kinematics.travel import Travel, ground_turn
from motionloom.methods.actions import first_action
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.live_tables import Tables, build_tables
from motionloom.methods.live import (
    Material,
    Sources,
    Status,
    check_commands,
    check_dt,
    check_memory,
    check_seeds,
    first_frames,
    material_of,
    start_places,
)
from motionloom.methods.settings import Settings, param


@dataclass(frozen=True)
class LiveOptions(Settings):
    """What live characters of a graph can be set to."""

    shortest: float = param(0.1, "shortest time between transitions, where there is a choice", unit="s", low=0, high=5)


DEFAULT_OPTIONS = LiveOptions()


class State(NamedTuple):
    """N characters. One shows a frame of a clip, or a blend: frame `blended` of transition `over`."""

    time: FloatArray  # (N,) s since the last tick
    seed: IntArray  # (N,)
    draws: IntArray  # (N,) random numbers drawn so far
    frame: IntArray  # (N,) of the graph, shown at the last tick; in a blend, the one that was left
    over: IntArray  # (N,) transition that is being made, -1 for none
    blended: IntArray  # (N,) frames into its blend
    since: IntArray  # (N,) ticks since the last transition
    lay: FloatArray  # (N, 3) turn and shift x, z by which the present clip lies on the ground
    root: FloatArray  # (N, 2, 3) at the last two ticks
    rotations: FloatArray  # (N, 2, J, 4)
    commanded: FloatArray  # (N, 6) heading, speed, place, facing, action
    tuning: IntArray  # (N, 1) ticks: shortest


@dataclass(frozen=True, eq=False)
class GraphLive:
    """Live characters of one motion graph. They choose among transitions, and follow commands from the next one on."""

    accepts: ClassVar[tuple[str, ...]] = ("heading", "speed", "place", "action")

    tables: Tables
    actions: tuple[str, ...]
    skeleton: Skeleton
    fps: float
    material: Material

    def begin(self, seeds: ArrayLike, at: Travel | None = None, options: LiveOptions | None = None) -> State:
        """One character for each seed, at the origin facing +z, or at `at`, in a frame that its seed draws."""
        whole, options = check_seeds(seeds), options or DEFAULT_OPTIONS
        joints = len(self.skeleton)
        check_memory(len(whole), _empty(1, joints), joints)
        state, tables = _empty(len(whole), joints), self.tables
        state.seed[:], state.draws[:] = whole, 1
        state.frame[:] = first_frames(whole, np.flatnonzero(tables.exit_end >= 0))
        places = start_places(at, len(whole))
        state.lay[:, 0] = places[:, 2] - tables.hips_heading[state.frame]
        hips = tables.root[state.frame][:, [0, 2]]
        state.lay[:, 1:] = places[:, :2] - ground_turn(state.lay[:, 0], hips)
        state.tuning[:] = round(options.shortest * self.fps)
        return self._shown(state)

    def _shown(self, state: State) -> State:
        """The poses of the first frames, as those of both ticks."""
        from motionloom.methods.graph._kernels_live import show

        show(self.tables, state)
        state.root[:, 0], state.rotations[:, 0] = state.root[:, 1], state.rotations[:, 1]
        return state

    def step(self, state: State, commands: Commands, dt: float) -> tuple[State, Poses]:
        """The state and poses `dt` seconds on."""
        from motionloom.methods.graph._kernels_live import advance

        dt, count = check_dt(dt), len(state.time)
        commands = check_commands(commands, count, self.accepts, self.actions)
        copies: list[Any] = [part.copy() for part in state]
        new = State(*copies)
        poses = Poses(
            np.empty((count, 3)),
            np.empty((count, len(self.skeleton), 4)),
            np.empty((count, self.tables.contacts.shape[1]), bool),
            np.full(count, np.nan),
        )
        advance(self.tables, commands, new, dt, 1.0 / self.fps, poses.root, poses.rotations, poses.contacts)
        return new, poses

    def status(self, state: State) -> Status:
        """The action shown, the speed commanded and used, and the time until a transition may be taken."""
        action = first_action(self.tables.labels[state.frame], len(self.actions))
        speeds = self.tables.speeds[state.commanded[:, 5].astype(np.int64)]
        asked = state.commanded[:, 1]
        used = np.where(np.isnan(asked), speeds[:, 1], np.clip(asked, speeds[:, 0], speeds[:, 2]))
        blending = len(self.tables.alpha) + 1 - state.blended + state.tuning[:, 0]
        wait = np.where(state.over >= 0, blending, np.maximum(state.tuning[:, 0] - state.since, 0))
        until = wait / self.fps
        clamped = np.asarray(~np.isnan(asked) & (used != asked))
        return Status(action, ("speed",), asked[:, None].copy(), used[:, None], clamped, until)

    def sources(self, state: State) -> Sources:
        """The frame that each character shows; in a blend, those of both clips."""
        tables = self.tables
        blending, over = state.over >= 0, np.maximum(state.over, 0)
        first = np.where(blending, tables.leave[over] + state.blended, state.frame)
        second = tables.enter[over] - len(tables.alpha) - 1 + state.blended
        alpha = np.where(blending, tables.alpha[np.clip(state.blended - 1, 0, len(tables.alpha) - 1)], 0.0)
        both = np.stack([first, np.where(blending, second, first)], 1)[:, None]
        which = np.where([[[True, False]]] | blending[:, None, None], self.material.which[both], -1)
        weights = np.stack([1 - alpha, alpha], 1)[:, None]
        return Sources(which, self.material.frames[both].astype(float), weights)


def graph_live(graph: Graph) -> GraphLive:
    """The live characters of a graph: what their steps need is worked out once."""
    tables, actions = build_tables(graph)
    clips = graph.clips
    return GraphLive(tables, actions, clips[0].skeleton, clips[0].fps, material_of(clips))


def _empty(count: int, joints: int) -> State:
    commanded = np.full((count, 6), np.nan)
    commanded[:, 5] = -1
    return State(
        time=np.zeros(count),
        seed=np.zeros(count, np.int64),
        draws=np.zeros(count, np.int64),
        frame=np.zeros(count, np.int64),
        over=np.full(count, -1),
        blended=np.zeros(count, np.int64),
        since=np.zeros(count, np.int64),
        lay=np.zeros((count, 3)),
        root=np.zeros((count, 2, 3)),
        rotations=np.zeros((count, 2, joints, 4)),
        commanded=commanded,
        tuning=np.zeros((count, 1), np.int64),
    )
