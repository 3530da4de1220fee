"""Live characters of motion graphs: walks whose transitions are chosen by commands.

The published sources contain no live control, so a character behaves the same in both variants. It shows the blends
of its graph, which are linear and do not hold feet if the graph was learned with `variant: faithful`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import BadRequest, BoolArray, FloatArray, IntArray, NoPath, Skeleton
from motionloom.core.poses import Commands, Poses
from motionloom.kinematics.travel import Travel, ground_turn
from motionloom.methods.graph.graph import FREE, STAY, Graph
from motionloom.methods.graph.live_tables import GraphTables, build_tables
from motionloom.methods.live import FrameSources, Sources, Status, first_frames, material_of, start_places
from motionloom.methods.live_actions import first_action
from motionloom.methods.live_base import LiveCharacters, at_shown_tick, no_commands, speed_status, used_speed
from motionloom.methods.settings import Settings, param


@dataclass(frozen=True)
class GraphLiveOptions(Settings):
    """Options of live graph characters."""

    shortest: float = param(0.1, "shortest time between transitions, where there is a choice", unit="s", low=0, high=5)


DEFAULT_OPTIONS = GraphLiveOptions()
RECENT = 24  # pieces of clips that a random walk does not repeat soon


class GraphState(NamedTuple):
    """The state of N characters. Each shows a frame of a clip, or frame `blended` of the blend of transition `over`."""

    time: FloatArray  # (N,) s since the last tick
    seed: IntArray  # (N,)
    draws: IntArray  # (N,) random numbers drawn so far
    frame: IntArray  # (N,) graph frame at the last tick; in a blend, the one that was left
    over: IntArray  # (N,) transition in progress, -1 for none
    blended: IntArray  # (N,) frames into its blend
    since: IntArray  # (N,) ticks since the last transition
    recent: IntArray  # (N, R, 2) first and last frames of the pieces shown, the present one first
    lay: FloatArray  # (N, 3) turn and shift x, z that place the present clip on the ground
    root: FloatArray  # (N, 2, 3) at the last two ticks
    rotations: FloatArray  # (N, 2, J, 4)
    contacts: BoolArray  # (N, 2, P)
    shown: IntArray  # (N, 2, 3) `frame`, `over` and `blended`
    ordered: IntArray  # (N,) transition to take next, FREE or STAY
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
            recent=np.broadcast_to([-1, -2], (count, RECENT, 2)).copy(),
            lay=np.zeros((count, 3)),
            root=np.zeros((count, 2, 3)),
            rotations=np.zeros((count, 2, len(self.skeleton), 4)),
            contacts=np.zeros((count, 2, self._foot_parts), bool),
            shown=np.zeros((count, 2, 3), np.int64),
            ordered=np.full(count, FREE),
            commanded=no_commands(count),
            tuning=np.zeros((count, 1), np.int64),
        )

    def _begin(self, state: GraphState, seeds: IntArray, places: FloatArray, options: GraphLiveOptions) -> None:
        state.seed[:], state.draws[:] = seeds, 1
        state.tuning[:] = round(options.shortest * self.fps)
        self._put(state, first_frames(seeds, self.tables.starts), places)

    def begin_at(self, frame: int, at: Travel | None = None) -> GraphState:
        """One character that begins at a frame, counted through all clips; `NoPath` if that is a dead end."""
        if not 0 <= frame < len(self.tables.exit_end):
            raise BadRequest(f"frame: expected 0 to {len(self.tables.exit_end) - 1}, found {frame}")
        if self.tables.exit_end[frame] < 0:
            raise NoPath(f"frame {frame} is a dead end")
        state = self.begin([0])
        self._put(state, np.array([frame]), start_places(at, 1))
        return state

    def _put(self, state: GraphState, frames: IntArray, places: FloatArray) -> None:
        """Show these frames (N,) at x, z and headings (N, 3)."""
        from motionloom.methods.graph._kernels_live import show_first

        tables = self.tables
        state.frame[:] = frames
        state.recent[:, 0] = frames[:, None]
        state.lay[:, 0] = places[:, 2] - tables.hips_heading[state.frame]
        hips = tables.root[state.frame][:, [0, 2]]
        state.lay[:, 1:] = places[:, :2] - ground_turn(state.lay[:, 0], hips)
        show_first(tables, state)

    def order(self, state: GraphState, transitions: ArrayLike) -> GraphState:
        """The state of characters that take these transitions (N,) next, whatever their commands are.

        A transition is a number in the graph; FREE chooses by the commands, STAY continues the clip. `BadRequest` for
        one that does not leave the present clip (or the one that is being entered) at this frame or later.
        """
        whole = np.array(np.broadcast_to(np.asarray(transitions, np.int64), state.ordered.shape))
        tables = self.tables
        if ((whole < STAY) | (whole >= len(tables.leave))).any():
            raise BadRequest(f"order: expected transitions from 0 to {len(tables.leave) - 1}, FREE or STAY")
        first = np.where(state.over >= 0, tables.enter[np.maximum(state.over, 0)], state.frame)
        leave = np.where(whole >= 0, tables.leave[np.maximum(whole, 0)], first)
        if (wrong := (leave < first) | (tables.clip_of[leave] != tables.clip_of[first])).any():
            raise BadRequest(f"order: transition {whole[wrong][0]} does not leave after frame {first[wrong][0]}")
        return state._replace(ordered=whole)

    def _advance(self, state: GraphState, commands: Commands, dt: float, poses: Poses) -> None:
        from motionloom.methods.graph._kernels_live import advance

        advance(self.tables, commands, state, dt, 1.0 / self.fps, poses.root, poses.rotations, poses.contacts)

    def status(self, state: GraphState) -> Status:
        """The action shown, the speed commanded and used, and the time until a transition may be taken."""
        action = first_action(self.tables.labels[at_shown_tick(state, self.fps)[:, 0]], len(self.actions))
        speeds = self.tables.speeds[state.commanded[:, 5].astype(np.int64)]
        commanded = state.commanded[:, 1]
        used = used_speed(commanded, speeds)
        blending, shortest = state.over >= 0, state.tuning[:, 0]
        wait = np.where(blending, shortest, np.maximum(shortest - state.since, 0)).astype(np.int64)
        first = np.where(blending, self.tables.enter[np.maximum(state.over, 0)], state.frame)
        wait = wait + self.tables.until_exit[np.minimum(first + wait, len(self.tables.until_exit) - 1)]
        until = (wait + np.where(blending, len(self.tables.alpha) + 1 - state.blended, 0)) / self.fps
        return speed_status(action, commanded, used, until)

    def shown_frames(self, state: GraphState) -> tuple[IntArray, IntArray, FloatArray]:
        """(N,) the frame that each character shows, and in a blend the one of the clip entered, with its share."""
        tables = self.tables
        frame, over, blended = at_shown_tick(state, self.fps).T
        blending, over = over >= 0, np.maximum(over, 0)
        first = np.where(blending, tables.leave[over] + blended, frame)
        second = np.where(blending, tables.enter[over] - len(tables.alpha) - 1 + blended, frame)
        return first, second, np.where(blending, tables.alpha[np.where(blending, blended - 1, 0)], 0.0)

    def sources(self, state: GraphState) -> Sources:
        """The frame that each character shows; in a blend, those of both clips."""
        first, second, alpha = self.shown_frames(state)
        both, weights = np.stack([first, second], 1)[:, None], np.stack([1 - alpha, alpha], 1)[:, None]
        which = np.where(weights > 0, self.material.which[both], -1)
        return Sources(which, self.material.frames[both].astype(float), np.where(which >= 0, weights, 0.0))


def graph_live(graph: Graph) -> GraphLive:
    """The live characters of a graph; tables for their steps are computed once."""
    tables, actions = build_tables(graph)
    clips = graph.clips
    return GraphLive(tables, actions, clips[0].skeleton, clips[0].fps, material_of(clips))
