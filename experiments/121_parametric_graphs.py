"""HECK's six graphs, and one of captured clips: sizes, ranges, build times; criteria of interactive characters.

    python experiments/121_parametric_graphs.py

Writes docs/experiments/parametric_graphs.md and its picture. Takes about three minutes.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from graph_material import GRAPHS, TICK, clips, graph, wrapped
from similarity_material import CREDIT, MOCAP, PAGES, REAL

from motionloom.core.poses import commands
from motionloom.io import load
from motionloom.kinematics.travel import root_headings
from motionloom.methods import learn, save_model
from motionloom.methods.parametric_graph._kernels_body import cloud_distance
from motionloom.methods.parametric_graph.edge_search import build_edge, point_clouds, propose_limits
from motionloom.methods.parametric_graph.edge_verification import EdgeSettings
from motionloom.methods.parametric_graph.proposals import trade_offs
from motionloom.methods.parametric_graph.tables import CLOUD
from motionloom.plot.parametric_graph import draw_trade_offs

HECK = {  # nodes, edges, examples; seconds to build; s of a clip of each node
    "walk": ("1, 1, 44", "< 300"),
    "run": ("1, 1, 198", "< 300"),
    "cartwheel": ("1, 1, 10", "< 300"),
    "walk_and_run": ("2, 4, 242", "-"),
    "everyday": ("7, 14, 256", "660"),
    "boxing": ("3, 9, 275", "460"),
}
LENGTHS = {
    "walk": "1.4, 1.6, 1.8", "run": "0.8, 1.0, 1.1", "cartwheel": "2.5, 2.9, 3.5", "up": "1.9, 1.9, 2.0",
    "down": "1.8, 1.9, 1.9", "sit": "4.3, 4.8, 5.3", "rise": "2.9, 3.0, 3.1", "leap": "1.4, 1.5, 1.6",
    "punch": "0.5, 1.1, 1.9", "duck": "1.1, 1.6, 2.6", "dance": "0.6, 0.9, 1.1",
}  # fmt: skip
SUBJECT = {  # of subject 143: clips that begin and end standing, a walk and a run on curves
    "walk": "143_38 parameter=turn cut=cycles", "run": "143_04 parameter=turn cut=cycles", "sit": "143_18 cut=none",
    "jump": "143_05 cut=none", "stairs": "143_17 cut=none", "sneak": "143_41 cut=none", "stroll": "143_32 cut=none",
    "begin_run": "143_03 cut=none", "end_run": "143_02 cut=none", "punch": "143_23 cut=none",
}  # fmt: skip
LIVE = ("parametric-graph", "parametric-space", "motion-matching", "motion-graph", "texture", "variation")


def structure_bytes(model: Any) -> int:
    """Bytes of the edges and of the maps from parameters to weights: the file without its poses."""
    edges = sum(a.nbytes for e in model.edges for a in (e.values, e.low, e.high, e.points, e.within))
    maps = sum(s.values.nbytes + s.curve.nbytes for s in (n.space for n in model.nodes))
    return edges + maps


def criteria(name: str, live: Any, size: float) -> str:
    """A row: processor time of a step, size, latency of a turn of 60 degrees, error of the heading after 6 s, and the
    largest step of a joint in units of the clips'."""
    quiet = live.begin(np.arange(12))
    for _ in range(60):
        quiet, _ = live.step(quiet, commands(heading=0.0), TICK)
    state, before, last = quiet, None, None
    when = np.full(12, np.nan)
    largest, spent = 0.0, 0.0
    for f in range(180):
        quiet, a = live.step(quiet, commands(heading=0.0), TICK)
        begin = time.process_time()
        state, b = live.step(state, commands(heading=np.radians(60)), TICK)
        spent += time.process_time() - begin
        off = np.abs(
            wrapped(root_headings(b.rotations[:, 0], live.skeleton) - root_headings(a.rotations[:, 0], live.skeleton))
        )
        when = np.where(np.isnan(when) & (off >= np.radians(3)), (f + 1) * TICK, when)
        if f == 120:
            before = b.root
        if last is not None:
            dots = np.abs((b.rotations * last).sum(-1)).clip(max=1)
            largest = max(largest, float(np.degrees(2 * np.arccos(dots)).max()))
        last = b.rotations
    way = b.root - before
    error = np.abs(np.degrees(wrapped(np.arctan2(way[:, 0], way[:, 2]) - np.radians(60))))
    return (
        f"| {name} | {1e6 * spent / (12 * 180):.0f} | {size / 1024:.0f} | {np.nanmedian(when):.2f} "
        f"| {np.median(error):.1f} | {largest:.0f} |"
    )


def table_one() -> list[str]:
    """Table 1.1 for the live methods here, on the walks of the walking graph."""
    walks, rows = clips("walk"), []
    for method in LIVE:
        begin = time.process_time()
        model = (
            graph("walk")[0]
            if method == "parametric-graph"
            else learn(method, walks, {"parameter": ["turn_rate"]} if method == "parametric-space" else {})
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.loom"
            save_model(model, path)
            size = path.stat().st_size
        rows.append(criteria(method, model.live, size))
        print(rows[-1], f"{time.process_time() - begin:.0f} s", flush=True)
    return rows


def growth(model: Any) -> str:
    """Bytes of the walking edge by its number of source samples."""
    limits = propose_limits(model.tables, model.nodes, 0, 0, model.config.region, model.fps)
    out = []
    for count in (10, 50, 200):
        settings = EdgeSettings(count, 100, model.config.region, 0.01, 2, 0, True)
        edge, _ = build_edge(model.tables, model.nodes, 0, 0, settings, limits, np.random.default_rng(0))
        out.append(
            f"{count} samples {sum(a.nbytes for a in (edge.values, edge.low, edge.high, edge.points)) / 1024:.1f} KB"
        )
    return ", ".join(out)


def stored_alignment(model: Any) -> tuple[float, float, float]:
    """Error of an alignment that is stored with each source sample, as the mean over its good targets, instead of
    recomputed: mean and largest turn in degrees, mean shift in cm."""
    edge, node, tables = model.edges[0], model.nodes[0], model.tables
    turns, shifts = [], []
    for i in range(0, len(edge.values), 3):
        to = np.linspace(edge.low[i], edge.high[i], 12)
        weights = node.space.weights(np.concatenate([edge.values[i][None], to])).weights
        places = np.r_[edge.points[i, 0], np.full(12, edge.points[i, 1])]
        made = point_clouds(tables, 0, weights, places, np.zeros(13))
        found = np.array([cloud_distance(made[0], cloud, CLOUD)[1:] for cloud in made[1:]])
        turns.append(np.degrees(np.abs(wrapped(found[:, 0] - found[:, 0].mean()))))
        shifts.append(np.linalg.norm(found[:, 1:] - found[:, 1:].mean(0), axis=1))
    return float(np.mean(turns)), float(np.max(turns)), 100 * float(np.mean(shifts))


def captured() -> str:
    """The graph of subject 143, as a paragraph and a list."""
    if not REAL:
        return "The captured clips are not here."
    made = [load(MOCAP / f"{line.split()[0]}.bvh", trim_tpose=True, fps=60) for line in SUBJECT.values()]
    lines = [f"{name} clips={line}" for name, line in SUBJECT.items()]
    begin = time.process_time()
    model = learn("parametric-graph", made, {"node": lines, "sources": 16, "targets": 300, "verified": 2000})
    spent = time.process_time() - begin
    names = ", ".join(n.name for n in model.nodes)
    dropped = [n.text for n in model.notes if "left out" in n.text]
    near = sorted((r.best, f"{r.source} > {r.target}") for r in model.refused)
    edges = ", ".join(f"{e.report.source} > {e.report.target}" for e in model.edges if e.source != e.target)
    return (
        f"Ten nodes of subject 143 (60 fps; walk and run on curves by their turn, the others whole clips that begin "
        f"and end standing), all {len(SUBJECT) ** 2} edges tried, {spent:.0f} s of processor time. Kept: {names}. "
        f"Edges between different nodes: {edges}. {len(model.refused)} are refused; the nearest: "
        + ", ".join(f"{name} ({100 * best:.1f} cm)" for best, name in near[:8])
        + f". {'; '.join(dropped) or 'No node is left out'}.\n"
    )


def main() -> None:
    sizes: list[str] = []
    lengths: list[str] = []
    rows: list[str] = []
    for name in GRAPHS:
        model, seconds = graph(name)
        examples = sum(n.space.rows.size for n in model.nodes)
        sizes.append(
            f"| {name.replace('_', ' ')} | {len(model.nodes)}, {len(model.edges)}, {examples} | {HECK[name][0]} "
            f"| {len(model.refused)} | {seconds:.1f} | {HECK[name][1]} | {structure_bytes(model) / 1024:.1f} |"
        )
        print(sizes[-1], flush=True)
        for node in model.nodes:
            s = node.space.rows.durations
            row = f"| {node.name} | {s.min():.1f}, {s.mean():.1f}, {s.max():.1f} | {LENGTHS.get(node.name, '-')} |"
            if row not in lengths:
                lengths.append(row)
        if any(n.turn_column[0] >= 0 for n in model.nodes):
            rows.append(criteria(name.replace("_", " "), model.live, structure_bytes(model)))
            print(rows[-1], flush=True)
    walking = graph("walk_and_run")[0]
    draw_trade_offs(
        trade_offs(walking.tables, walking.nodes, walking.edges, walking.config.region), PAGES / "parametric_graphs.png"
    )
    turned, most, shifted = stored_alignment(graph("walk")[0])
    text = f"""# Parametric motion graphs: HECK's six graphs

Learned from samples by the files in `examples/graphs`, beside HECK's table 6.1; ranges are in
[the guide](../parametric_graphs.md). Times are processor time on one core. KB: edges and maps, without poses (HECK:
below 50).
(`experiments/121_parametric_graphs.py`)

| graph | nodes, edges, examples | HECK's | refused | build, s | HECK's | KB |
| --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(sizes)}

Seconds of clips, least, mean and largest, beside HECK's table 6.2 (HECK's walks and runs are two steps after a start):

| node | here | HECK's |
| --- | --- | --- |
{chr(10).join(lengths)}

The walking edge by its number of samples n_s: {growth(graph("walk")[0])}; each sample holds D numbers of the source,
2 D' of the
target's box and two of the point, so a file grows linearly with n_s and with the dimensions; HECK needs n_s to grow
exponentially with D where the source is sampled densely.

The alignment of the next clip is recomputed at each transition, as HECK does. Stored with each sample, as the mean over
its targets, it would be off by {turned:.1f} degrees on average ({most:.1f} at most) and {shifted:.1f} cm.

## Six criteria (HECK 1.1, 6.2.4)

Graphs whose characters turn, commanded to turn by 60 degrees: processor time of a step (efficient synthesis), KB of
structure
(storage), time until hips face 3 degrees away (latency), error of the direction after 4 to 6 s (accuracy), the
largest turn of a joint
from frame to frame (visual quality; see also [random walks](graph_random_walks.md)). Authoring: each graph is one
file of at
most 90 lines, with no limits set by hand.

| graph | step, us | KB | latency, s | direction, deg | joint turn, deg |
| --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}

Table 1.1 for the live methods here that follow a heading, on the walks of the walking graph (KB: the whole model file):

| method | step, us | KB | latency, s | direction, deg | joint turn, deg |
| --- | --- | --- | --- | --- | --- |
{chr(10).join(table_one())}

## Quality against reach

The share of the target that can follow, and the mean distance of transitions, by the limit of good ones (`motionloom
edges
graph.loom -o picture.png`); dots are the proposed limits.

![reach and quality by the limit](parametric_graphs.png)

## Captured clips

{captured()}
{CREDIT}
"""
    (PAGES / "parametric_graphs.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
