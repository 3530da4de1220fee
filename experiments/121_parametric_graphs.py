"""HECK's six graphs: sizes, ranges, build times; criteria of interactive characters.

    python experiments/121_parametric_graphs.py

Writes docs/experiments/parametric_graphs.md and its picture. Takes about five minutes.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from graph_material import CHARACTERS, GRAPHS, MOTION, SECONDS, clips, criteria, graph, wrapped
from pictures import make_smaller
from safetensors import safe_open
from similarity_material import PAGES

from motionloom.methods import save_model
from motionloom.methods.parametric_graph._kernels_alignment import cloud_distance
from motionloom.methods.parametric_graph.proposals import trade_offs
from motionloom.methods.parametric_graph.tables import CLOUD
from motionloom.methods.parametric_graph.transition_points import point_clouds
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


def kilobytes(model: Any) -> tuple[float, float, float, float]:
    """KB of the edges, of edges and maps from parameters to weights, of the file's header (origins and the names of
    arrays), and of the file without poses; numbers take four bytes."""
    edges = sum(4 * a.size for e in model.edges for a in (e.values, e.low, e.high, e.points, e.within))
    maps = sum(
        4 * a.size
        for s in (n.space for n in model.nodes)
        for a in (s.values, s.curve, s.section, s.sample_values, s.sample_weights, s.missed_at, s.missed_by)
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.loom"
        save_model(model, path)
        with safe_open(path, framework="numpy") as file:
            keys = list(file.keys())
            poses = sum(file.get_tensor(key).nbytes for key in keys if ".rows." in key or ".sources." in key)
        rest = path.stat().st_size - poses
        header = int.from_bytes(path.read_bytes()[:8], "little")
    return edges / 1024, (edges + maps) / 1024, header / 1024, rest / 1024


def growth() -> str:
    """KB of edges by their number of source samples n and by the dimensions of source and target, from their layout."""
    rows = []
    for a, b in ((1, 1), (1, 3), (3, 3)):
        sizes = [4 * (n * (a + 2 * b + 2) + 2 * a) / 1024 for n in (10, 50, 200)]
        rows.append(f"| {a} | {b} | {' | '.join(f'{size:.1f}' for size in sizes)} |")
    return "\n".join(rows)


def stored_alignment(model: Any) -> tuple[float, float, float]:
    """Error of an alignment that is stored with each source sample, as the mean over its good targets, instead of
    recomputed: mean and largest turn in degrees, mean shift in cm."""
    edge, node, tables = model.edges[0], model.nodes[0], model.tables
    turns, shifts = [], []
    for i in range(0, len(edge.values), 3):
        to = np.linspace(edge.low[i], edge.high[i], 12)
        weights = node.space.weights(np.concatenate([edge.values[i][None], to])).weights
        places = np.r_[edge.points[i, 0], np.full(12, edge.points[i, 1])]
        made, _, _ = point_clouds(tables, 0, weights, places, np.zeros(13))
        found = np.array([cloud_distance(made[0], cloud, CLOUD)[1:] for cloud in made[1:]])
        turns.append(np.degrees(np.abs(wrapped(found[:, 0] - found[:, 0].mean()))))
        shifts.append(np.linalg.norm(found[:, 1:] - found[:, 1:].mean(0), axis=1))
    return float(np.mean(turns)), float(np.max(turns)), 100 * float(np.mean(shifts))


def main() -> None:
    sizes: list[str] = []
    lengths: list[str] = []
    rows: list[str] = []
    for name in GRAPHS:
        model, seconds = graph(name)
        examples = sum(n.space.rows.size for n in model.nodes)
        kb = kilobytes(model)
        sizes.append(
            f"| {name.replace('_', ' ')} | {len(model.nodes)}, {len(model.edges)}, {examples} | {HECK[name][0]} "
            f"| {len(model.refused)} | {seconds:.1f} | {HECK[name][1]} "
            f"| {kb[0]:.1f}, {kb[1]:.1f}, {kb[2]:.0f}, {kb[3]:.0f} |"
        )
        print(sizes[-1], flush=True)
        for node in model.nodes:
            s = node.space.rows.durations
            row = f"| {node.name} | {s.min():.1f}, {s.mean():.1f}, {s.max():.1f} | {LENGTHS.get(node.name, '-')} |"
            if row not in lengths:
                lengths.append(row)
        if any(n.turn_column[0] >= 0 for n in model.nodes):
            rows.append(criteria(name.replace("_", " "), model.live, 1024 * kb[0], seconds, clips(name)))
            print(rows[-1], flush=True)
    walking, picture = graph("walk_and_run")[0], PAGES / "parametric_graphs.png"
    draw_trade_offs(trade_offs(walking.tables, walking.nodes, walking.edges, walking.config.region), picture)
    make_smaller(picture)
    turned, most, shifted = stored_alignment(graph("walk")[0])
    text = f"""# Parametric motion graphs: HECK's six graphs

Learned from samples by the files in `examples/graphs`, beside HECK's table 6.1; ranges are in
[the guide](../parametric_graphs.md). Times are processor time on one core of a busy machine. KB: edges; edges and the
maps from parameters to weights; the file's header; the whole file without poses (target 50; HECK stores structure and
edges in less than 50 KB of text).
(`experiments/121_parametric_graphs.py`)

| graph | nodes, edges, examples | HECK's | refused | build, s | HECK's | KB |
| --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(sizes)}

The header is the names and places of arrays, and a description with the origin and recipe of each example, from which
results can be made again. The maps are a table of weights for each space of one parameter, and what is missed at 400
requests for the boxer's targets; both make requests exact.

Seconds of clips, least, mean and largest, beside HECK's table 6.2 (clips of walks and runs are two steps):

| node | here | HECK's |
| --- | --- | --- |
{chr(10).join(lengths)}

KB of an edge by its number of source samples n_s and by the dimensions of source and target. Each sample holds the D
numbers of the source, 2 D' of the target's box and two of the point, so an edge grows linearly with n_s and with the
dimensions; to cover the source as densely, n_s itself has to grow exponentially with D (HECK 6.2.4).

| D | D' | n_s = 10 | 50 | 200 |
| --- | --- | --- | --- | --- |
{growth()}

The alignment of the next clip is recomputed at each transition, as HECK does. Stored with each sample, as the mean over
its targets, it would be off by {turned:.1f} degrees on average ({most:.1f} at most) and {shifted:.1f} cm.

## Six criteria (HECK 1.1, 6.2.4)

Each row: seconds to learn (automated authoring: there are no limits set by hand; each graph is one file of at most 90
lines), processor time of a step (efficient synthesis), KB (storage), seconds until hips of {CHARACTERS} characters face
3 degrees away from those of twins that are not commanded, when they are commanded to turn by 60 degrees 2 s after they
began, median and largest (latency; turns are followed; cartwheels and dances begin together, at their first pose, and
other phases are on the page of [latency](graph_latency.md)), error of the direction of travel
after {SECONDS - 2:g} to {SECONDS:g} s (accuracy; the boxer dances on the spot, so its direction means nothing), and for
{MOTION:g} s of one character with locked feet the largest turn of a joint from frame to frame, in
units of the clips' own, and the speed of toes near the floor (visual quality; more on the page of
[random walks](graph_random_walks.md)).

Graphs whose characters turn; KB of edges:

| graph | learn, s | step, us | KB | latency, s | direction, deg | joint turn | skate, cm/s |
| --- | --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}

## Quality against reach

The share of the target that can follow, and the mean distance of transitions, by the limit of good ones
(`motionloom edges graph.loom -o picture.png`); dots are the proposed limits.

![reach and quality by the limit](parametric_graphs.png)

Other live methods are compared on [another page](live_methods.md), and so are
[graphs of captured clips](graphs_of_captures.md).
"""
    (PAGES / "parametric_graphs.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
