"""Nodes: spaces of one action each, and what live control needs to know about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from motionloom.constraints import PARAMETERS
from motionloom.core import BadRequest, Clip, FloatArray, FormatError, IntArray, Skeleton, same_hierarchy
from motionloom.kinematics.feet.contacts import foot_parts, points_of
from motionloom.kinematics.fk import world
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.array_checks import check_array
from motionloom.methods.live import FrameSources
from motionloom.methods.space.measure import blend_once
from motionloom.methods.space.space import ExampleWeights, Space

TURNS = {"turn": 1.0, "travel_turn": 0.5, "turn_rate": 0.0}  # value of a parameter for a turn of 1 rad; 0: per second
TARGET = "_target"  # parameters with this ending are the place of a hand or foot, from the beginning of the clip
FLAT = 0.03  # m: ground that rises by less from the beginning of a clip to its end is flat
SOLVED = 5000  # random motions of a node by which its edges are tested


@dataclass(frozen=True, eq=False)
class Node:
    """An action: its space, and what is known of its K examples beside their registered poses."""

    name: str
    space: Space
    skeleton: Skeleton
    fps: float
    lengths: IntArray  # (K,) frames of the examples
    sources: FrameSources  # of all their frames
    labels: tuple[str, ...]  # that all examples have throughout
    overlay: str = ""  # the action that is carried out on top of it
    gaze: bool = False  # whether the gaze map of the graph is used
    variation: bool = False  # whether the variation of the graph is added

    def check(self, skeleton: Skeleton, fps: float) -> None:
        """`FormatError` unless all arrays fit together."""
        if not same_hierarchy(self.skeleton, skeleton) or self.fps != fps:
            raise FormatError(f"nodes: expected the skeleton and the frame rate of the model in node {self.name}")
        check_array(self.lengths, "nodes.lengths", "i", (None,), low=2, high=1e7)
        self.space.check(skeleton, fps, self.lengths)
        table, which, frames = self.sources
        check_array(which, "nodes.sources.which", "i", (int(self.lengths.sum()),), low=-1, high=len(table) - 1)
        check_array(frames, "nodes.sources.frames", "f", which.shape, low=-1)

    @cached_property
    def body(self) -> Clip:
        """The first example, as a clip."""
        rows = self.space.rows
        return blend_once(rows, self.skeleton, np.eye(rows.size)[0], self.fps, rows.tables(self.skeleton))

    @cached_property
    def _headings(self) -> FloatArray:
        """(R, K) rad: heading of the examples at each row, 0 at u = 0."""
        rows = self.space.rows
        turned = np.concatenate([np.zeros((1, rows.size)), np.cumsum(rows.steps[:-1, :, 2], axis=0)])
        return np.asarray(turned - turned[rows.lead])

    def headings_at(self, u: FloatArray) -> FloatArray:
        """(n, K) rad: heading of the examples at u, 0 at u = 0."""
        rows = self.space.rows
        at = rows.lead + np.asarray(u) * rows.count
        row = np.clip(at.astype(np.int64), 0, len(self._headings) - 2)
        share = (at - row)[:, None]
        return np.asarray((1 - share) * self._headings[row] + share * self._headings[row + 1])

    @cached_property
    def solved(self) -> ExampleWeights:
        """Random motions of the node, the same ones for all of its edges."""
        return self.space.weights(random_values(self.space, SOLVED, np.random.default_rng(0)))

    @cached_property
    def clock(self) -> FloatArray:
        """(count + 1,) s at which the mean clip is at each row from u = 0 to u = 1."""
        rows = self.space.rows
        paces = rows.paces[rows.lead : rows.lead + rows.count].mean(1)
        return np.concatenate([[0.0], np.cumsum(paces)])

    def at_seconds(self, seconds: FloatArray) -> FloatArray:
        """u of the mean clip at some times."""
        return np.asarray(np.interp(seconds, self.clock, np.linspace(0.0, 1.0, len(self.clock))))

    @cached_property
    def sway(self) -> FloatArray:
        """(R, K) rad: heading of the examples at each row, without the part of the turn that is even in u."""
        rows = self.space.rows
        whole = self._headings[rows.lead + rows.count]
        u = (np.arange(len(rows.steps)) - rows.lead) / rows.count
        return np.asarray(self._headings - u[:, None] * whole)

    @cached_property
    def feet(self) -> FloatArray:
        """(R, K, P, 3) m: foot parts left of the hips, above their lowest height, and ahead of the hips."""
        rows, skeleton = self.space.rows, self.skeleton
        turns = np.asarray(rows.turns, float).reshape(-1, *rows.turns.shape[2:])
        root = np.zeros((len(turns), 3))
        root[:, 1] = rows.levels.ravel()
        found = points_of(foot_parts(skeleton), *world(skeleton, root, turns))
        found[..., 1] -= found[..., 1].min(0, initial=np.inf)
        return np.asarray(found.reshape(*rows.levels.shape, -1, 3))

    @cached_property
    def _paths(self) -> FloatArray:
        """(K, 3) where the examples end: left and forward of the start (m), and the turn."""
        return self._moved(np.eye(self.space.rows.size))

    def _moved(self, weights: FloatArray) -> FloatArray:
        """(n, 3) left, forward and turn of blends from u = 0 to u = 1."""
        rows = self.space.rows
        steps = np.einsum("nk,rkc->nrc", weights, rows.steps[rows.lead : rows.lead + rows.count])
        heading = np.cumsum(steps[..., 2], axis=1) - steps[..., 2]
        place = ground_turn(heading, steps[..., :2]).sum(1)
        return np.concatenate([place, steps[..., 2].sum(1)[:, None]], 1)

    @cached_property
    def courses(self) -> FloatArray:
        """(K,) rad: direction of travel of the examples, relative to their heading; 0 for those that stay."""
        end = self._paths
        far = np.linalg.norm(end[:, :2], axis=1)
        found = np.where(far > 0.1, np.arctan2(end[:, 0], end[:, 1]) - end[:, 2] / 2, 0.0)
        if not self.space.rows.cyclic:  # a clip may travel first and then turn: only the straightest shows the course
            found[:] = found[np.abs(end[:, 2]).argmin()]
        return found

    @cached_property
    def rises(self) -> FloatArray:
        """(K,) m by which the ground under the feet rises over an example; 0 where it is flat."""
        rows, skeleton = self.space.rows, self.skeleton
        tables = rows.tables(skeleton)
        out = np.zeros(rows.size)
        for k in range(rows.size):
            clip = blend_once(rows, skeleton, np.eye(rows.size)[k], self.fps, tables)
            out[k] = PARAMETERS["climb"].measured(clip)[0]
        return np.where(np.abs(out) >= FLAT, out, 0.0)

    @cached_property
    def speeds(self) -> FloatArray:
        """(K,) m/s over the ground."""
        rows = self.space.rows
        travelled = np.linalg.norm(rows.steps[rows.lead : rows.lead + rows.count, :, :2], axis=2).sum(0)
        return np.asarray(travelled / rows.durations)

    @cached_property
    def turn_column(self) -> tuple[int, float]:
        """The column by which a heading is followed, or -1; and its value for a turn of 1 rad."""
        for name, factor in TURNS.items():
            if any(p.name == name for p in self.space.parameters):
                return self.space.column(name).start, factor or 1.0 / float(self.space.rows.durations.mean())
        return -1, 1.0

    @cached_property
    def target_column(self) -> int:
        """The first of the three columns to which a point in the world is mapped (HECK 6.2.2.3), or -1."""
        found = [p.name for p in self.space.parameters if p.name.endswith(TARGET) and p.size == 3]
        return self.space.column(found[0]).start if found else -1

    @cached_property
    def steering(self) -> FloatArray:
        """(7,) column of the turn or -1, its value per rad, least and largest turn; column of the speed, its range."""
        column, factor = self.turn_column
        turns = (0.0, 0.0) if column < 0 else (self.space.low[column] / factor, self.space.high[column] / factor)
        pace = -1
        speeds = (float(self.speeds.min()), float(self.speeds.max()))
        if any(p.name == "speed" for p in self.space.parameters) and self.space.rows.size > 1:
            pace = self.space.column("speed").start
            speeds = (float(self.space.low[pace]), float(self.space.high[pace]))
        return np.array([column, factor, *turns, pace, *speeds])

    def moves(self, count: int) -> FloatArray:
        """(count, 4) left, forward, turn and seconds of clips at even values of the turn, the others in the middle."""
        weights = self.space.weights(self.even_turns(count)).weights
        seconds = weights @ self.space.rows.durations
        return np.concatenate([self._moved(weights), seconds[:, None]], 1)

    def even_turns(self, count: int) -> FloatArray:
        """(count, D) parameters at even values of the turn, the others in the middle."""
        column, _ = self.turn_column
        asked = np.repeat(self.space.middle[None], count, axis=0)
        if column >= 0:
            asked[:, column] = np.linspace(self.space.low[column], self.space.high[column], count)
        return asked

    @property
    def turning_radius(self) -> float:
        """Metres: slowest speed over fastest turning, v_min / w_max; infinite for a node that cannot turn."""
        moves = self.moves(9)
        rate = np.abs(moves[:, 2]) / moves[:, 3]
        return float(self.speeds.min() / rate.max()) if rate.max() > 1e-3 else float("inf")


def walking_speeds(nodes: Sequence[Node]) -> tuple[float, float]:
    """m/s: the least and the largest speed of nodes that turn, or of all where none does."""
    speeds = np.concatenate([n.speeds for n in nodes if n.turn_column[0] >= 0] or [n.speeds for n in nodes])
    return float(speeds.min()), float(speeds.max())


def random_values(space: Space, count: int, rng: Generator, within: FloatArray | None = None) -> FloatArray:
    """(count, D) random parameters of a space: between two measured blends, and within (2, D) limits."""
    known = np.concatenate([space.values, space.sample_values])
    a, b = known[rng.integers(len(known), size=count)], known[rng.integers(len(known), size=count)]
    share = rng.random((count, 1))
    drawn = np.asarray((1 - share) * a + share * b)
    if within is None:
        return drawn
    inside = drawn[((drawn >= within[0]) & (drawn <= within[1])).all(1)]
    return inside[rng.integers(len(inside), size=count)] if len(inside) else np.clip(drawn, *within)


def node_index(names: Sequence[str]) -> Mapping[str, int]:
    """Numbers of nodes by name; `BadRequest` for a repeated name."""
    out: dict[str, int] = {}
    for i, name in enumerate(names):
        if name in out:
            raise BadRequest(f"there are two nodes {name!r}: names must differ")
        out[name] = i
    return out
