"""Building motion graphs: time, memory, growth with the material, and what the bounds lose."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.timing import MOCAP, best_seconds, figure
from motionloom.analysis.cloud_search import clip_spans
from motionloom.analysis.point_cloud import PointCloud
from motionloom.core import Clip, replace
from motionloom.io import load
from motionloom.kinematics.fk import fk
from motionloom.kinematics.mirror import mirror
from motionloom.kinematics.resample import resample
from motionloom.methods.graph import Graph
from motionloom.methods.graph.build.prune import graph_facts, prune
from motionloom.methods.graph.build.transitions import DEFAULT_LIMIT, build_graph, find_transitions, graph_clips

# a process of its own: how far it grows beyond what it holds before; it builds a little first, to have compiled
MEMORY = """
from benchmarks.graphs import more_salsa, salsa
from motionloom.methods.graph.build.transitions import build
clips = more_salsa(salsa(30.0), {frames}) if {frames} else salsa({fps})
build([c[:200] for c in clips[:2]])
size = lambda name: next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))
open("/proc/self/clear_refs", "w").write("5")  # forget the largest size so far
before = size("VmRSS")
build(clips)
print((size("VmHWM") - before) / 1024)
"""


def salsa(fps: float, subject: str = "60") -> list[Clip]:
    """Takes of a CMU subject without their T-poses."""
    return [resample(load(f)[1:], fps) for f in sorted(MOCAP.glob(f"cmu/{subject}_*.bvh"))]


def more_salsa(takes: Sequence[Clip], frames: int) -> list[Clip]:
    """About `frames` frames: the takes and their mirror images, at their own speed and ever a little quicker."""
    out: list[Clip] = []
    quicker = 1.0
    while True:
        for take in takes:
            for clip in (take, mirror(take)):
                out.append(resample(replace(clip, fps=take.fps * quicker), take.fps))
                if sum(map(len, out)) >= frames:
                    return out
        quicker += 0.04


def figures() -> list[dict[str, Any]]:
    if not list(MOCAP.glob("cmu/60_*.bvh")):
        names = (("30", "< 3"), ("120", "< 10"))
        return [
            figure(f"motion graph of salsa, {n} fps", None, t, unit="s", note="no ../shared/mocap") for n, t in names
        ]
    few, many = salsa(30.0), salsa(120.0)
    built(few[:2])
    return [
        speed(few, "30 fps", "< 3"),
        speed(many, "120 fps", "< 10"),
        memory("120 fps", 0, 120.0),
        memory("40,000 frames at 30 fps", 40_000, 30.0),
        *growth(few),
        *loss(few),
        *connected(few),
    ]


def built(clips: Sequence[Clip]) -> Graph:
    """Everything from clips to a graph that can be walked: contacts, pairs, how they lie, pruning."""
    return prune(build_graph(clips))[0]


def speed(clips: Sequence[Clip], name: str, target: str) -> dict[str, Any]:
    (seconds,) = best_seconds([lambda: built(clips)], rounds=3)
    frames, found = sum(map(len, clips)), len(built(clips).transitions)
    note = f"CMU subject 60, {frames:,} frames: contacts, pairs, alignments and pruning; {found:,} transitions left"
    return figure(f"motion graph of salsa, {name}", round(seconds, 2), target, unit="s", note=note)


def memory(name: str, frames: int, fps: float) -> dict[str, Any]:
    program = MEMORY.format(frames=frames, fps=fps)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    value = round(float(done.stdout))
    return figure(f"motion graph, memory beyond the clips, {name}", value, "", unit="MB", note="grows as the frames do")


def growth(takes: Sequence[Clip]) -> list[dict[str, Any]]:
    sizes = (5_000, 10_000, 20_000, 40_000)
    seconds, counts, lengths = [], [], []
    for size in sizes:
        clips = graph_clips(more_salsa(takes, size))
        start = time.perf_counter()
        found = find_transitions(clips)
        seconds.append(time.perf_counter() - start)
        counts.append(len(found))
        lengths.append(sum(map(len, clips)))
    x = np.log(lengths)
    times, pairs = (float(np.polyfit(x, np.log(y), 1)[0]) for y in (seconds, counts))
    note = ", ".join(f"{n:,}: {s:.1f} s, {c:,} found" for n, s, c in zip(lengths, seconds, counts, strict=True))
    unit = "power (1 is linear)"
    return [
        figure(
            "motion graph, time to find transitions, growth with frames", round(times, 2), "< 2", unit=unit, note=note
        ),
        figure("motion graph, transitions found, growth with frames", round(pairs, 2), "", unit=unit),
    ]


def loss(clips: Sequence[Clip]) -> list[dict[str, Any]]:
    """The search with bounds against the whole matrix: pairs missed, and how much faster."""
    from motionloom.methods.graph.build._kernels import choose_cells

    clips = graph_clips(clips)
    span = clip_spans(clips, 6)
    points = np.concatenate([fk(c) for c in clips])
    rules = (span, np.zeros(len(span), np.int64), np.array([[DEFAULT_LIMIT**2]], np.float32), 3, 15)

    def whole() -> set[tuple[int, int]]:
        out: set[tuple[int, int]] = set()
        for tile in PointCloud().between(points, points, np.ones(points.shape[1])).tiles(1024, halo=3):
            rows, columns = tile.inner
            corner = (tile.rows.start - rows.start + 5, tile.columns.start - columns.start + 5)
            inner = (rows.start, rows.stop, columns.start, columns.stop)
            out |= {(int(a), int(b)) for a, b in choose_cells(tile.values, corner, inner, *rules)[0]}
        return out

    def bounded() -> set[tuple[int, int]]:
        found = find_transitions(clips)
        return {(a, b) for a, b in zip(found.a.tolist(), found.b.tolist(), strict=True) if a < b}

    all_pairs, mine = whole(), bounded()
    beside = {(a + i, b + j) for a, b in mine for i in (-1, 0, 1) for j in (-1, 0, 1)}
    lost, other = len(all_pairs - beside), len(all_pairs - mine)
    slow, fast = best_seconds([whole, bounded], rounds=2)
    share = round(100 * lost / len(all_pairs), 2)
    note = f"{len(all_pairs):,} pairs in the whole matrix; {other} found one frame beside, where both are equally near"
    return [
        figure("motion graph, transitions lost by bounds", share, "< 1", unit="%", note=note),
        figure(
            "motion graph, bounds faster than the whole matrix",
            round(slow / fast, 1),
            "",
            unit="x",
            note=f"{len(span):,} frames: {fast:.2f} against {slow:.2f} s (single precision, both triangles)",
        ),
    ]


def connected(takes: Sequence[Clip]) -> list[dict[str, Any]]:
    out = []
    for subject, clips in (("60", takes), ("16", salsa(30.0, "16"))):
        found = graph_facts(build_graph(clips))
        note = "; ".join(map(str, found.notes()))
        value = round(100 * found.connected, 1)
        out.append(figure(f"motion graph of subject {subject}, strongly connected", value, "", unit="%", note=note))
    return out
