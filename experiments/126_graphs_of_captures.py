"""Parametric graphs of captured clips: which edges can be made, and what is refused.

    python experiments/126_graphs_of_captures.py

Writes docs/experiments/graphs_of_captures.md. Clips are in ../shared/mocap (CMU). Takes about three minutes.
"""

from __future__ import annotations

import time

import numpy as np
from graph_material import largest_turn, level_parts, skate
from similarity_material import CREDIT, MOCAP, PAGES

from motionloom.control import foot_locked
from motionloom.core.poses import commands
from motionloom.io import load
from motionloom.kinematics.resample import resample
from motionloom.methods import learn
from motionloom.methods.parametric_graph.edge import Report

SUBJECT = {  # of subject 143: clips that begin and end standing, a walk and a run on curves
    "walk": "143_38 parameter=turn cut=cycles", "run": "143_04 parameter=turn cut=cycles", "sit": "143_18 cut=none",
    "jump": "143_05 cut=none", "stairs": "143_17 cut=none", "sneak": "143_41 cut=none", "stroll": "143_32 cut=none",
    "begin_run": "143_03 cut=none", "end_run": "143_02 cut=none", "punch": "143_23 cut=none",
}  # fmt: skip
SMALLER = {"sources": 16, "targets": 300, "verified": 2000}  # samples of edges of captured clips
LOCOMOTION = {  # clips of subjects that walk and run
    "16": ("16_11|16_13|16_15|16_16|16_17|16_19", "16_35|16_37|16_38|16_39|16_40|16_41|16_43"),
    "35": ("35_01|35_02|35_03|35_04", "35_17|35_18|35_19|35_20"),
}


def subject_143() -> str:
    """The graph of many actions of one subject."""
    made = [load(MOCAP / f"{line.split()[0]}.bvh", trim_tpose=True, fps=60) for line in SUBJECT.values()]
    nodes = [f"{n} clips={line.replace(' ', '* ', 1)}" for n, line in SUBJECT.items()]
    wider = learn("parametric-graph", made, {"node": nodes, "good": 0.05, "bad": 0.07, **SMALLER})
    begin = time.process_time()
    model = learn("parametric-graph", made, {"node": nodes, **SMALLER})
    spent = time.process_time() - begin
    kept = [n.name for n in model.nodes]
    edges = ", ".join(f"{e.report.source} > {e.report.target}" for e in model.edges if e.source != e.target)
    refused = sorted((r for r in model.refused if r.source != r.target), key=lambda r: r.best / r.good_limit)
    own = [r for r in refused if "punch" in (r.source, r.target)]
    return f"""**Subject 143** (60 fps): {len(SUBJECT)} nodes, walk and run on curves by their turn, the others whole
clips that begin and end standing; all {len(SUBJECT) ** 2} edges are tried, in {spent:.0f} s of processor time. Kept:
{", ".join(kept)}. Left out, because no edges lead to them and back:
{", ".join(n for n in SUBJECT if n not in kept) or "none"}. Edges between different nodes: {edges or "none"}.
{len(model.refused)} are refused. The nearest of these, and the nearest with a punch:

| edge | nearest pair, cm | limit, cm | reason |
| --- | --- | --- | --- |
{chr(10).join(_row(r) for r in [*refused[:8], *own[:1]])}

With limits of 5 and 7 cm for all edges, the graph keeps {", ".join(n.name for n in wider.nodes)}, with
{len(wider.edges)} edges: {", ".join(f"{e.report.source} > {e.report.target}" for e in wider.edges)}.
"""


def _row(r: Report) -> str:
    return f"| {r.source} > {r.target} | {100 * r.best:.1f} | {100 * r.good_limit:.1f} | {r.reason} |"


def locomotion(subject: str) -> str:
    """The graph of one subject's walks and runs."""
    walks, runs = LOCOMOTION[subject]
    made = [load(MOCAP / f"{name}.bvh", trim_tpose=True) for name in (*walks.split("|"), *runs.split("|"))]
    nodes = [
        f"{name} clips={use.replace('|', '*|')}* parameter=turn cut=cycles"
        for name, use in (("walk", walks), ("run", runs))
    ]
    model = learn("parametric-graph", made, {"node": nodes, **SMALLER})
    kinds = dict(zip(("walk", "run"), (walks.split("|"), runs.split("|")), strict=True))
    used = [
        resample(load(MOCAP / f"{name}.bvh", trim_tpose=True), fps=30.0) for n in model.nodes for name in kinds[n.name]
    ]
    kept = ", ".join(
        f"{n.name} ({np.degrees(n.space.low[0]):.0f} to {np.degrees(n.space.high[0]):.0f} degrees)" for n in model.nodes
    )
    listed = "; ".join(
        f"{r.source} > {r.target} is refused: {r.reason}; the nearest pair is {100 * r.best:.1f} cm apart, limit "
        f"{100 * r.good_limit:.1f}"
        for r in model.refused
    )
    edges = ", ".join(f"{e.report.source} > {e.report.target} ({e.report.reach:.0%} reach)" for e in model.edges)
    walked = [part for seed in (4, 5) for part in level_parts(foot_locked(model.live), seed, 60.0, commands())]
    slid, own, jump, own_jump = skate(walked), skate(used), largest_turn(walked), largest_turn(used)
    quality = (
        f"Two minutes of random walks with locked feet: skate {slid:.1f} cm/s, {slid / own:.2f} of the clips' "
        f"{own:.1f} (target 0.6); largest turn of a joint in a frame {jump:.1f} degrees, {jump / own_jump:.2f} of the "
        f"clips' (target 1.0)."
    )
    return f"**Subject {subject}**, walk and run. Kept: {kept}; edges: {edges}. {listed}. {quality}\n"


def main() -> None:
    parts = []
    for part in (locomotion("16"), locomotion("35"), subject_143()):
        print(part, flush=True)
        parts.append(part)
    text = f"""# Parametric graphs of captured clips

Edges are made with {SMALLER["sources"]} source samples, {SMALLER["targets"]} target samples and {SMALLER["verified"]:,}
verified pairs, and with the proposed limits. (`experiments/126_graphs_of_captures.py`)

{chr(10).join(parts)}
{CREDIT}
"""
    (PAGES / "graphs_of_captures.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
