"""Nodes from clips: examples are cut, their space is built, and what a graph keeps of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from motionloom.blend.registered_clips import register_rows
from motionloom.blend.registration import registered_curve
from motionloom.constraints import MotionParameter, parameter_table
from motionloom.core import BadRequest, Clip, FloatArray, Note, Progress, is_found, part, silent
from motionloom.core.errors import unknown
from motionloom.core.note import info
from motionloom.core.progress import parts
from motionloom.kinematics.feet.contacts import foot_parts, part_positions, with_contacts
from motionloom.methods.live import material_of
from motionloom.methods.parametric_graph.node_specs import NodeSpec, clips_of, scale_of
from motionloom.methods.parametric_graph.nodes import FLAT, TURNS, Node
from motionloom.methods.space.build import build_space
from motionloom.methods.space.cutting import ExampleCut, cut_cycles, cut_events, walks, whole_clips
from motionloom.methods.space.learning import CUTTING
from motionloom.methods.space.measure import measure_clip
from motionloom.methods.space.radial import solve_misses
from motionloom.methods.space.sampling import moment_table, polynomial_size
from motionloom.methods.space.space import GRAPH_NODES, NODES, Space, SpaceParameter

END = 0.3  # of a clip: where feet stand at its ends
FIXED = "speed"  # parameter of a node with a single example, which cannot vary
MISSES = 400  # requests at most that say what the map of a space misses (0.27 cm are left in punches, of 0.66)


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
        return _node(spec.name, _lowered(fixed, cuts, floor), cuts), ()
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
    return _node(spec.name, space, built.cuts), (*info(about), *warnings)


def _node(name: str, space: Space, cuts: Sequence[ExampleCut]) -> Node:
    """The node with its numbers rounded to 32-bit floats, as its file stores them; times of rows need more."""
    rows = replace(space.rows, **rounded_arrays(space.rows, ("turns", "levels", "steps", "paces", "touches")))
    names = ("values", "middle", "ranges", "curve", "sample_values", "section", "missed_at", "missed_by")
    space = _thinned(space)
    space = replace(space, sample_weights=np.zeros((len(space.sample_values), 0)))
    space = replace(space, **rounded_arrays(space, names), rows=rows)
    clips = [cut.clip for cut in cuts]
    found = {n for clip in clips for n in clip.label_names if not is_found(n)}
    labels = sorted(n for n in found if all(n in c.label_names and c.label(n).all() for c in clips))
    lengths = np.array([len(clip) for clip in clips])
    return Node(name, space, clips[0].skeleton, clips[0].fps, lengths, material_of(clips), tuple(labels))


def _thinned(space: Space) -> Space:
    """The space with fewer rows of its table, and with its misses interpolated from fewer requests, evenly spread."""
    at = space.missed_at
    if len(at) > MISSES:
        apart = np.linalg.norm(at[:, None] - at[None], axis=-1)
        off = apart @ space.missed_by[:-1] + space.missed_by[-1]
        kept, far = [0], apart[0]
        while len(kept) < MISSES:
            kept.append(int(far.argmax()))
            far = np.minimum(far, apart[kept[-1]])
        space = replace(space, missed_at=at[kept], missed_by=solve_misses(at[kept], off[kept]))
    return replace(space, section=space.section[:: (NODES - 1) // (GRAPH_NODES - 1)])


def rounded_arrays(record: Any, names: Sequence[str]) -> dict[str, Any]:
    """Arrays of a record rounded to 32-bit floats, which their file stores in half the space."""
    return {name: np.asarray(getattr(record, name)).astype(np.float32).astype(float) for name in names}


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
        return [cut for cut in cut_cycles(clips, mirror=spec.mirror, progress=cutting) if cut.regular], True
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
