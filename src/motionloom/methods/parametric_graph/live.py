"""Live characters of a parametric graph: their state, and a step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from motionloom.core import BadRequest, BoolArray, FloatArray, IntArray, Skeleton
from motionloom.core.errors import unknown
from motionloom.core.numbers import smoothstep
from motionloom.core.origin import source_shares
from motionloom.core.poses import Commands, Poses
from motionloom.methods.live import FrameSources, Sources, Status
from motionloom.methods.live_base import LiveCharacters, at_shown_tick, no_commands
from motionloom.methods.parametric_graph.config import DEFAULT_LIVE, LiveOptions
from motionloom.methods.parametric_graph.nodes import Node
from motionloom.methods.parametric_graph.tables import ParametricGraphTables
from motionloom.methods.space.space import SpaceParameter

ARRIVED = 0.4  # m: a character that is this near to its place has arrived


class ParametricGraphState(NamedTuple):
    """The state of N characters: K the most examples of a node, D the most parameters, in units of their ranges."""

    time: FloatArray  # (N,) s since the last tick
    seed: IntArray  # (N,)
    draws: IntArray  # (N,) random numbers drawn so far
    node: IntArray  # (N, 2) of the present clip, and of the earlier one during a transition, else -1
    weights: FloatArray  # (N, 2, K)
    place: FloatArray  # (N, 2, 4) position in rows; x, z and heading at the row below it
    level: FloatArray  # (N, 2) m, height of the ground at the beginning of the clip
    mixing: FloatArray  # (N,) s since the beginning of the transition, -1 outside
    goal: FloatArray  # (N, K) weights that are followed within a clip
    goal_used: FloatArray  # (N, D) their parameters
    asked: FloatArray  # (N, D) the parameters that the goal was computed for
    wanted: FloatArray  # (N, D) parameters commanded, before they are put into the box
    used: FloatArray  # (N, D) parameters of the present weights
    held: FloatArray  # (N, 2) m/s by which hips are moved so that feet stand still while parameters are followed
    plan: FloatArray  # (N, 15) turn of the plan to a place, and the search for the next one, see `_kernels_plan`
    clamped: BoolArray  # (N,)
    gap: FloatArray  # (N,) m, distance of the two motions at the last transition
    clips: IntArray  # (N,) transitions so far
    offsets: FloatArray  # (N, J + 1, 2, 3) of inertialised transitions: hips and joints, values and velocities
    commanded: FloatArray  # (N, 6)
    root: FloatArray  # (N, 2, 3) at the last two ticks
    rotations: FloatArray  # (N, 2, J, 4)
    contacts: BoolArray  # (N, 2, P)
    shown: FloatArray  # (N, 2, 4) nodes of the present clip and the earlier one, and positions in their rows
    tuning: FloatArray  # (N, 8) options, see `_kernels_step`


@dataclass(frozen=True, eq=False)
class ParametricGraphLive(LiveCharacters[ParametricGraphState, LiveOptions]):
    """Live characters of one parametric graph. A command takes effect at the next transition, or within a clip."""

    default_options: ClassVar[LiveOptions] = DEFAULT_LIVE

    tables: ParametricGraphTables
    nodes: tuple[Node, ...]
    skeleton: Skeleton
    fps: float
    material: FrameSources
    neighbours: int  # k - d of the edges, with which they were verified

    @property
    def accepts(self) -> tuple[str, ...]:
        """`target` where a node has the place of a hand or foot as its parameters."""
        own = ("heading", "speed", "place", "facing", "action", "values")
        return (*own, "target") if (self.tables.aims >= 0).any() else own

    @cached_property
    def actions(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the nodes."""
        return tuple(node.name for node in self.nodes)

    def parameters(self, action: int) -> tuple[SpaceParameter, ...]:
        """Those of the action, or of the only node."""
        if action < 0 and len(self.nodes) > 1:
            raise BadRequest(
                f"command values: expected an action with them, whose parameters they are ({', '.join(self.actions)})"
            )
        return self.nodes[max(0, action)].space.parameters

    @property
    def _foot_parts(self) -> int:
        return len(self.tables.parts)

    @cached_property
    def _sizes(self) -> IntArray:
        """(nodes,) the number of their parameters."""
        return np.array([n.space.size for n in self.nodes])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the values: of the nodes' parameters, where nodes differ with all their names."""
        width = self.tables.scale.shape[2]
        found = [dict.fromkeys(n.space.names[d] for n in self.nodes if d < n.space.size) for d in range(width)]
        return tuple(" or ".join(names) for names in found)

    def _begin(self, state: ParametricGraphState, seeds: IntArray, places: FloatArray, options: LiveOptions) -> None:
        """The seed gives node, parameters and phase; they begin in nodes that can turn, without an action on top."""
        from motionloom.methods._kernels_live import uniforms
        from motionloom.methods.parametric_graph._kernels_step import show_first

        state.tuning[:] = [
            options.half_life, options.response, options.window, options.transitions == "inertial",
            options.alignment == "cloud", options.blend == "linear", options.control == "planned",
            self.neighbours,
        ]  # fmt: skip
        if not len(seeds):
            return
        drawn = np.empty((3, len(seeds)))
        for i in range(3):
            uniforms(seeds, i, drawn[i])
        state.seed[:], state.draws[:] = seeds, 3
        among = self._beginnings(options.first)
        state.node[:, 0] = among[(drawn[0] * len(among)).astype(np.int64)]
        state.place[:, 0, 1:] = places
        for n in np.unique(state.node[:, 0]):
            who = np.flatnonzero(state.node[:, 0] == n)
            space = self.nodes[n].space
            known = np.concatenate([space.values, space.sample_values])
            found = space.weights(known[(drawn[1, who] * len(known)).astype(np.int64)])
            k, d = space.rows.size, space.size
            state.weights[who, 0, :k] = state.goal[who, :k] = found.weights
            used = (found.used - space.middle) / space.ranges
            for field in (state.goal_used, state.asked, state.wanted, state.used):
                field[who, :d] = used
            u = 0.6 * drawn[2, who] if space.rows.cyclic else 0.0
            state.place[who, 0, 0] = space.rows.lead + np.floor(u * space.rows.count)
        show_first(self.tables, state)

    def _beginnings(self, first: str) -> IntArray:
        """The nodes in which a character may begin."""
        if first:
            if first not in self.actions:
                raise BadRequest(unknown(first, self.actions, "node"), where=("options", "first"))
            return np.array([self.actions.index(first)])
        turning = np.flatnonzero((self.tables.steer[:, 0] >= 0) & np.array([not n.overlay for n in self.nodes]))
        return turning if len(turning) else np.arange(len(self.nodes))

    def _advance(self, state: ParametricGraphState, commands: Commands, dt: float, poses: Poses) -> None:
        from motionloom.methods.parametric_graph._kernels_step import step

        self._check_values(commands)
        self._check_target(commands)
        step(self.tables, commands, state, 1.0 / self.fps, dt, tuple(poses))

    def _check_values(self, commands: Commands) -> None:
        """`BadRequest` unless values belong to parameters of the action commanded, or of the only node."""
        given = ~np.isnan(commands.values)
        if not given.any():
            return
        count = np.where(given.any(1), given.shape[1] - given[:, ::-1].argmax(1), 0)
        action, count = np.broadcast_arrays(commands.action if len(self.nodes) > 1 else np.zeros(1, np.int64), count)
        if (action[count > 0] < 0).any():
            raise BadRequest(
                f"command values: expected an action with them, whose parameters they are ({', '.join(self.actions)})"
            )
        if (many := count > self._sizes[action]).any():
            node = self.nodes[action[many][0]]
            raise BadRequest(
                f"command values: expected {node.space.size} for {node.name} ({', '.join(node.space.names)}), "
                f"found {count[many][0]}"
            )

    def _check_target(self, commands: Commands) -> None:
        """`BadRequest` unless a target comes with an action that can meet it."""
        given = ~np.isnan(commands.target).any(1)
        if not given.any():
            return
        action, given = np.broadcast_arrays(commands.action, given)
        if (action[given] < 0).any() or (self.tables.aims[action[given]] < 0).any():
            can = ", ".join(n.name for n in self.nodes if n.target_column >= 0)
            raise BadRequest(f"command target: expected an action with it that has a target as its parameter ({can})")

    def status(self, state: ParametricGraphState) -> Status:
        """The node shown, its parameters (NaN for those of others), what is out of reach, and the time to a choice.

        As values too, the speed, and the turning radius that a commanded place needs beside the least one of the node.
        """
        n = state.node[:, 0]
        middle, size = self.tables.scale[n, 0], self.tables.scale[n, 1]
        meta = self.tables.meta[n]
        left = np.clip((meta[:, 0] + meta[:, 1] - state.place[:, 0, 0]) / meta[:, 1], 0.0, 1.0)
        seconds = np.einsum("nk,nk->n", state.weights[:, 0], self.tables.durations[n])
        tracked = (state.tuning[:, 0] > 0) & (self.tables.steer[n, 0] >= 0)
        wait = np.where(tracked, 0.0, left * seconds)
        own = np.arange(size.shape[1]) < self._sizes[n][:, None]
        wanted, used = (np.where(own, x * size + middle, np.nan) for x in (state.wanted, state.used))
        speed = state.commanded[:, 1]
        moving = self.tables.steer[:, 0] >= 0
        near = now = self._speeds(state)
        if moving.any():
            low, high = self.tables.steer[moving, 5].min(), self.tables.steer[moving, 6].max()
            near = np.where(np.isnan(speed), now, np.clip(speed, low, high))
        clamped = state.clamped | self._out_of_reach(state) | (~np.isnan(speed) & (np.abs(near - speed) > 1e-9))
        action = at_shown_tick(state, self.fps)[:, 0].astype(np.int64)
        wanted = np.column_stack([wanted, speed, self._radius_to_place(state)])
        used = np.column_stack([used, near, self.tables.radii[n]])
        return Status(action, (*self.names, "speed", "turning radius"), wanted, used, np.asarray(clamped), wait)

    def _speeds(self, state: ParametricGraphState) -> FloatArray:
        """(N,) m/s of the present blends."""
        width = self.tables.most_examples
        table = np.stack([np.pad(node.speeds, (0, width - len(node.speeds))) for node in self.nodes])
        return np.einsum("nk,nk->n", state.weights[:, 0], table[state.node[:, 0]])

    def _radius_to_place(self, state: ParametricGraphState) -> FloatArray:
        """(N,) m: radius of the circle that leads from here to the commanded place, NaN for none.

        With less than the turning radius, v_min / w_max, a character cannot get there by turning towards it.
        """
        heading, place = state.place[:, 0, 3], state.place[:, 0, 1:3]
        to = state.commanded[:, 2:4] - place
        aside = np.abs(np.cos(heading) * to[:, 0] - np.sin(heading) * to[:, 1])
        return np.asarray((to**2).sum(1) / np.maximum(2.0 * aside, 1e-9))

    def _out_of_reach(self, state: ParametricGraphState) -> BoolArray:
        """(N,) whether the commanded place lies within a turning circle, so that a character would go around it."""
        far = np.linalg.norm(state.commanded[:, 2:4] - state.place[:, 0, 1:3], axis=1)
        return np.asarray((self._radius_to_place(state) < self.tables.radii[state.node[:, 0]]) & (far > ARRIVED))

    def sources(self, state: ParametricGraphState) -> Sources:
        """All examples of the present clip, and of the earlier one during a transition, the largest weights first."""
        count, width = len(state.time), state.weights.shape[2]
        which = np.full((count, 2 * width), -1, np.int64)
        frames, shares = np.full(which.shape, -1.0), np.zeros(which.shape)
        earlier = self._earlier_shares(state)
        shown = at_shown_tick(state, self.fps)
        same = (shown[:, :2] == state.node).all(1)  # weights are those of the last tick
        position = np.where(same[:, None], shown[:, 2:], state.place[:, :, 0])
        for clip in (0, 1):
            share = earlier if clip else 1.0 - earlier
            for n in np.unique(state.node[share > 0, clip]):
                who = np.flatnonzero((state.node[:, clip] == n) & (share > 0))
                rows = self.nodes[n].space.rows
                at = np.clip(np.round(position[who, clip]).astype(np.int64), 0, len(rows.times) - 1)
                lengths, starts = self._lengths[n]
                found = starts + np.clip(np.round(rows.times[at]), 0, lengths - 1).astype(np.int64)
                cell = np.ix_(who, np.arange(rows.size) + clip * width)
                which[cell], frames[cell] = self.material.which[found], self.material.frames[found]
                shares[cell] = share[who, None] * state.weights[who, clip, : rows.size]
        shares = source_shares(which, shares)
        order = np.argsort(-shares, axis=1, kind="stable")
        which, frames, shares = (np.take_along_axis(x, order, 1)[:, None] for x in (which, frames, shares))
        return Sources(which, frames, shares)

    def _earlier_shares(self, state: ParametricGraphState) -> FloatArray:
        """(N,) how much of the pose is the earlier clip's: that of a blended transition, as `show` makes it."""
        window = state.tuning[:, 2]
        share = np.clip(state.mixing / np.maximum(window, 1e-9), 0.0, 1.0)
        share = np.where(state.tuning[:, 5] > 0, share, smoothstep(share))
        return np.where((state.mixing >= 0) & (state.node[:, 1] >= 0), 1.0 - share, 0.0)

    @cached_property
    def _lengths(self) -> list[tuple[IntArray, IntArray]]:
        """For each node, the frames of its examples and where these begin in `material`."""
        out, first = [], 0
        for node in self.nodes:
            out.append((node.lengths, first + np.concatenate([[0], np.cumsum(node.lengths[:-1])]).astype(np.int64)))
            first += int(node.lengths.sum())
        return out

    def _empty(self, count: int) -> ParametricGraphState:
        joints, (_, _, size) = len(self.skeleton), self.tables.scale.shape
        most = self.tables.most_examples
        return ParametricGraphState(
            time=np.zeros(count),
            seed=np.zeros(count, np.int64),
            draws=np.zeros(count, np.int64),
            node=np.full((count, 2), -1, np.int64),
            weights=np.zeros((count, 2, most)),
            place=np.zeros((count, 2, 4)),
            level=np.zeros((count, 2)),
            mixing=np.full(count, -1.0),
            goal=np.zeros((count, most)),
            goal_used=np.zeros((count, size)),
            asked=np.zeros((count, size)),
            wanted=np.zeros((count, size)),
            used=np.zeros((count, size)),
            held=np.zeros((count, 2)),
            plan=np.zeros((count, 15)),
            clamped=np.zeros(count, bool),
            gap=np.zeros(count),
            clips=np.zeros(count, np.int64),
            offsets=np.zeros((count, joints + 1, 2, 3)),
            commanded=no_commands(count),
            root=np.zeros((count, 2, 3)),
            rotations=np.zeros((count, 2, joints, 4)),
            contacts=np.zeros((count, 2, len(self.tables.parts)), bool),
            shown=np.zeros((count, 2, 4)),
            tuning=np.zeros((count, 8)),
        )
