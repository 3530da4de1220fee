"""Nodes: spaces of one action each, and what live control needs to know about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator

from motionloom.blend.registered import register_rows
from motionloom.blend.registration import registered_curve
from motionloom.constraints import PARAMETERS, MotionParameter, parameter_table
from motionloom.core import BadRequest, Clip, FloatArray, Note, Progress, Skeleton, part, silent
from motionloom.core.errors import unknown
from motionloom.core.note import info
from motionloom.core.progress import parts
from motionloom.kinematics.feet.contacts import foot_parts, part_positions, points_of, with_contacts
from motionloom.kinematics.fk import world
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.array_checks import check_clips
from motionloom.methods.parametric_graph.node_specs import NodeSpec, clips_of, scale_of
from motionloom.methods.space.build import build_space
from motionloom.methods.space.cutting import ExampleCut, cut_cycles, cut_events, walks, whole_clips
from motionloom.methods.space.learning import CUTTING
from motionloom.methods.space.measure import blend_once, measure_clip
from motionloom.methods.space.sampling import moment_table, polynomial_size
from motionloom.methods.space.space import ExampleWeights, Space, SpaceParameter

TURNS = {"turn": 1.0, "travel_turn": 0.5, "turn_rate": 0.0}  # value of a parameter for a turn of 1 rad; 0: per second
FLAT = 0.03  # m: ground that rises by less from the beginning of a clip to its end is flat
END = 0.3  # of a clip: where feet stand at its ends
FIXED = "speed"  # parameter of a node with a single example, which cannot vary
SOLVED = 5000  # random motions of a node by which its edges are tested


@dataclass(frozen=True, eq=False)
class Node:
    """An action: its space, and the examples of it."""

    name: str
    space: Space
    examples: tuple[Clip, ...]  # with contacts as labels
    overlay: str = ""  # the action that is carried out on top of it
    gaze: bool = False  # whether the gaze map of the graph is used
    variation: bool = False  # whether the variation of the graph is added

    def check(self, skeleton: Skeleton, fps: float) -> None:
        """`FormatError` unless all arrays fit together."""
        check_clips(self.examples, skeleton, fps)
        self.space.check(self.examples)

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
        rows, skeleton = self.space.rows, self.examples[0].skeleton
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
        rows, skeleton = self.space.rows, self.examples[0].skeleton
        tables = rows.tables(skeleton)
        out = np.zeros(rows.size)
        for k in range(rows.size):
            clip = blend_once(rows, skeleton, np.eye(rows.size)[k], self.examples[0].fps, tables)
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


def part_floor(clips: Sequence[Clip]) -> FloatArray:
    """(P,) m: how high each foot part is where it stands lowest in any clip."""
    every = foot_parts(clips[0].skeleton)
    out = np.full(len(every), np.inf)
    for clip in map(with_contacts, clips):
        height = part_positions(clip)[..., 1]
        for p, of in enumerate(every):
            out[p] = min(out[p], height[clip.label(of.label), p].min(initial=np.inf))
    return np.where(np.isfinite(out), out, 0.0)


def first_ground(clip: Clip, floor: FloatArray) -> float:
    """m: height of the ground under the feet at the beginning of a clip, above the floor; 0 where it is flat."""
    parts = foot_parts(clip.skeleton)
    height = part_positions(clip)[..., 1]
    count = max(1, round(END * len(clip)))
    found = [
        height[:count, p][clip.label(part.label)[:count]].min() - floor[p]
        for p, part in enumerate(parts)
        if clip.label(part.label)[:count].any()
    ]
    ground = float(np.median(found)) if found else 0.0
    return ground if abs(ground) >= FLAT else 0.0


def build_node(
    spec: NodeSpec,
    clips: Sequence[Clip],
    *,
    own: Sequence[MotionParameter],
    samples: int,
    margin: float,
    floor: FloatArray,
    rng: Generator,
    progress: Progress | None = None,
) -> tuple[Node, tuple[Note, ...]]:
    """The node of some clips, and notes about it. `floor` is `part_floor` of all clips of the graph.

    The ground is at height 0 at the beginning of every example.
    """
    report, table = progress or silent(), parameter_table(own)
    used = clips_of(spec, clips)
    cuts, cyclic = _cuts(spec, used, margin, part(report, 0.0, CUTTING))
    names = spec.parameter or (("turn",) if cyclic else (FIXED,) if len(cuts) == 1 else ())
    if not names:
        raise BadRequest(f"node {spec.name}: expected the parameters by which its {len(cuts)} clips differ, as in "
                         f"`{spec.name} parameter=turn`")  # fmt: skip
    for name in names:
        if name not in table:
            raise BadRequest(f"node {spec.name}: {unknown(name, table, 'motion parameter')}")
    if len(cuts) == 1:
        fixed = _fixed(cuts[0], table[names[0]], cyclic, margin)
        return Node(spec.name, _lowered(fixed, cuts, floor), (cuts[0].clip,)), ()
    scale = scale_of(spec, sum(table[name].size for name in names))
    try:
        built = build_space(
            cuts,
            [table[name] for name in names],
            cyclic=cyclic,
            registration=spec.registration,
            most_cost=0.25,
            merge=0.04 if len(cuts) > len(used) else 0.0,
            margin=margin,
            samples=samples,
            together=None,
            smoothness=None,
            scale=scale,
            rng=rng,
            progress=part(report, CUTTING, 1.0),
        )
    except BadRequest as error:
        raise BadRequest(f"node {spec.name}: {error}") from None
    space = built.space
    shown = ", ".join(
        f"{p.name} {_range(space.low[space.column(p.name)], space.high[space.column(p.name)], p.unit)}"
        for p in space.parameters
    )
    seconds = space.rows.durations
    about = f"node {spec.name}: {space.rows.size} examples, {shown}, {seconds.min():.2f} to {seconds.max():.2f} s"
    warnings = tuple(Note(f"node {spec.name}: {n.text}", n.level) for n in built.notes if n.level == "warning")
    space = _lowered(space, built.cuts, floor)
    return Node(spec.name, space, tuple(cut.clip for cut in built.cuts)), (*info(about), *warnings)


def _lowered(space: Space, cuts: Sequence[ExampleCut], floor: FloatArray) -> Space:
    """The space with the ground at height 0 at the beginning of every example."""
    ground = np.array([first_ground(with_contacts(cut.played), floor) for cut in cuts])
    if not ground.any():
        return space
    return replace(space, rows=replace(space.rows, levels=space.rows.levels - ground))


def _range(low: FloatArray, high: FloatArray, unit: str) -> str:
    if unit.startswith("rad"):
        return f"{np.degrees(low[0]):.0f} to {np.degrees(high[0]):.0f} {unit.replace('rad', 'deg')}"
    return ", ".join(f"{a:.2f} to {b:.2f}" for a, b in zip(low, high, strict=True)) + f" {unit}"


def _cuts(spec: NodeSpec, clips: Sequence[Clip], margin: float, progress: Progress) -> tuple[list[ExampleCut], bool]:
    how, (searching, cutting) = spec.cut, parts(progress, [1, 3])
    if how == "auto":
        how = "cycles" if set(spec.parameter) <= {*TURNS, "speed"} and walks(clips, searching) else "none"
    if how == "cycles":
        return cut_cycles(clips, mirror=spec.mirror != "none", progress=cutting), True
    if how == "none":
        return whole_clips(clips, margin=margin, mirror=spec.mirror == "all", progress=cutting), False
    both = spec.mirror == "all"
    cuts = cut_events(clips, how, before=spec.before, after=spec.after, margin=margin, mirror=both, progress=cutting)
    return cuts, False


def _fixed(cut: ExampleCut, parameter: MotionParameter, cyclic: bool, margin: float) -> Space:
    """The space of a single example: one point."""
    curve = registered_curve([cut.played], "uniform", reference=0)
    moved = type(curve)(curve.knots, curve.control + cut.before / cut.clip.fps, curve.degree)
    rows = register_rows([cut.clip], moved, cyclic=cyclic, margin=margin)
    values = measure_clip(cut.played, (parameter,))[None]
    size = parameter.size
    return Space(
        rows, (SpaceParameter(parameter.name, parameter.unit, size),), values, values[0], np.ones(size),
        np.zeros((len(moment_table(size)), polynomial_size(size), size)), 1.0, np.zeros((0, 1)), np.zeros((0, size)),
        np.zeros((0, 3)), np.zeros((0, size)), np.zeros((0, size)),
    )  # fmt: skip


def node_index(names: Sequence[str]) -> Mapping[str, int]:
    """Numbers of nodes by name; `BadRequest` for a repeated name."""
    out: dict[str, int] = {}
    for i, name in enumerate(names):
        if name in out:
            raise BadRequest(f"there are two nodes {name!r}: names must differ")
        out[name] = i
    return out
