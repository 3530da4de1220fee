"""GUAN 4.3 as it was done: a hierarchical graph on the pairs of each similarity measure, and sequences made to order.

    python experiments/64_hierarchical_measures.py

Writes out/experiments/hierarchical_measures.{png,json} and docs/experiments/hierarchical_measures.md.
Needs ../shared/mocap.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from measure_pairs import accelerations, apart, best_pairs
from similarity_material import MOCAP, PAGES, REAL, capture, publish, shrink, table

from motionloom.analysis import MEASURES
from motionloom.blend import Point, append
from motionloom.blend.quality import window_quality
from motionloom.constraints import Constraint, Pose, PoseAt, Request, RootAt, Style
from motionloom.core import Clip, concatenate, with_labels
from motionloom.evaluate.measures.jumps import transition_jumps
from motionloom.io import load
from motionloom.kinematics import measure_skate
from motionloom.methods import attempt
from motionloom.methods.graph.build.transitions import graph_clips
from motionloom.methods.graph.graph import Graph
from motionloom.methods.hierarchical_graph import Config, HierarchicalGraphModel, fit
from motionloom.methods.prepare_clips import prepare
from motionloom.plot.figures import new_figure
from motionloom.plot.filmstrip import save_filmstrip
from motionloom.plot.style import INK, LINE, PAPER, QUIET, SOURCES

FPS, SEEDS, MOST = 30.0, 3, 40_000
SECONDS = 0.4  # of a transition
GRAPHS = ["measure", "limit", "D_p [cm]", "edges left", "between labels", "top level"]
MADE = ["measure", "met", "transitions", "D_p [cm]", "gap [cm]", "cut", "linear", "rare", "skate", "push"]
SOURCE_TABLE = """
| GUAN | curvature and D_rp | point clouds | joint angles | joint positions |
| --- | --- | --- | --- | --- |
| D_p (table 4.2) | acceptable | acceptable | acceptable | good |
| D_v (table 4.2) | acceptable | good | good | acceptable |
| D_a (table 4.2) | good | acceptable | good | good |
| transitions (4.3) | smooth, natural | in a movie | in a movie | in a movie |
"""


class Material(NamedTuple):
    """Clips of one subject, and what is requested of their graphs."""

    title: str
    request: str  # in words
    clips: tuple[Clip, ...]
    wanted: Request


def labelled(clip: Clip, label: str) -> Clip:
    return with_labels(clip, {label: np.ones(len(clip), bool)})


def walk_and_run() -> Material:
    """GUAN's movies: from a walk into a run."""
    kinds = {"walk": ("143_32", "143_38"), "run": ("143_01", "143_02", "143_03", "143_04", "143_42")}
    clips = [labelled(capture(name, 0, 10_000, FPS), kind) for kind, names in kinds.items() for name in names]
    styles = [Style("walk", span=(0.0, 3.0), weight=3.0), Style("run", span=(4.0, 8.0), weight=3.0)]
    places = [RootAt(t, position=(0.0, z), weight=1.0) for t, z in ((3.0, 3.6), (8.0, 13.0))]
    constraints: tuple[Constraint, ...] = (*styles, *places)
    text = "walk 3.6 m in 3 s, then run to 13 m until 8 s (soft styles and places)"
    return Material("143, walks and runs", text, tuple(clips), Request(seconds=8.0, constraints=constraints))


def places() -> Material:
    """Five places along a curve."""
    numbers = (11, 13, 15, 16, 17, 19, 21, 23, 25, 27, 29)
    clips = prepare([load(MOCAP / f"16_{n}.bvh") for n in numbers], FPS).clips
    spots = ((0.0, 0.0, 0.0), (2.5, 0.6, 2.2), (5.0, 2.2, 3.6), (7.5, 4.2, 3.8), (10.0, 6.0, 2.6))
    constraints: tuple[Constraint, ...] = tuple(RootAt(t, position=(x, z), weight=1.0) for t, x, z in spots)
    text = "five places of a curve in 10 s (soft)"
    return Material("16, walks with turns", text, tuple(clips), Request(seconds=10.0, constraints=constraints))


def poses() -> Material:
    """From a pose of one dance to a pose of another."""
    names = [f"60_{n:02d}" for n in range(1, 11)]
    clips = prepare([load(MOCAP / f"{name}.bvh") for name in names], FPS).clips
    clips = [clip for clip in clips if len(clip) > 3 * FPS]
    ends = (
        PoseAt(0.0, pose=Pose(clips[0][60:61]), weight=1.0),
        PoseAt(6.0, pose=Pose(clips[-1][60:61]), weight=1.0),
    )
    text = "from a pose of one take to a pose of another in 6 s (soft)"
    return Material("60, salsa", text, tuple(clips), Request(seconds=6.0, constraints=ends))


def learned(clips: tuple[Clip, ...], measure: str, count: int) -> tuple[HierarchicalGraphModel, dict[str, Any]]:
    """The hierarchical graph as GUAN describes it (linear blends, nothing left out), and numbers about it."""
    chosen = best_pairs(clips, measure, count, minima=False)
    limit = float(chosen.values[-1])
    model = fit(clips, Config(measure=measure, limit=limit, variant="faithful"))
    t = model.graph.transitions
    kinds = [
        next((n for n in ("walk", "run") if n in clip.label_names and clip.label(n).any()), "")
        for clip in model.graph.clips
    ]
    kind = np.array([sorted(set(kinds)).index(k) for k in kinds])[model.graph.clip_of]
    return model, {
        "limit": limit,
        "apart": apart(concatenate(clips), chosen.frames),
        "edges": len(t),
        "across": int((kind[t.a] != kind[t.b]).sum()),
        "clusters": len(model.levels.roots),
    }


def point_of(graph: Graph, k: int) -> tuple[Clip, Clip, Point]:
    """Both clips of a transition and the frames at which they meet."""
    t = graph.transitions
    i, j = int(graph.clip_of[t.a[k]]), int(graph.clip_of[t.b[k]])
    at = Point(int(t.a[k] - graph.starts[i]), int(t.b[k] - graph.starts[j]), float(t.distance[k]))
    return graph.clips[i], graph.clips[j], at


def judged(model: HierarchicalGraphModel, wanted: Request, skate: float) -> tuple[dict[str, Any], Clip]:
    """What sequences made to order are like, over all seeds; and the first of them."""
    graph = model.graph
    made = [attempt(model, wanted, seed=seed) for seed in range(SEEDS)]
    clips = [one.clip for one in made if one.clip is not None]
    used = np.unique(np.concatenate([np.array(one.plan.route.taken, int) for one in made if one.plan is not None]))
    quality = []
    for k in used:
        a, b, at = point_of(graph, int(k))
        joined = append(a, b, at=at, seconds=SECONDS, method="blend", ease="linear", plants=False)
        quality.append(window_quality(a, b, joined, at, graph.half))
    inside = [c for c in clips if (~c.origin.single).any()]
    jumps = [transition_jumps(c, graph.clips) for c in inside]
    per_m = FPS**2 / 100  # cm in a frame squared to m/s^2
    found = {
        "met": float(np.mean([_missed(one.residuals) for one in made])),
        "transitions": float(np.mean([len(one.plan.route.taken) for one in made if one.plan is not None])),
        "apart": apart(concatenate(graph.clips), np.stack([graph.transitions.a[used], graph.transitions.b[used]], 1)),
        "gap": float(np.mean([q.apart for q in quality])),
        "cut": per_m * float(np.median([q.jump_cut for q in quality])),
        "linear": per_m * float(np.median([q.jump for q in quality])),
        "rare": float(np.mean([j.rare for j in jumps])),
        "skate": float(np.mean([measure_skate(c).b or 0.0 for c in clips])) / skate,
        "push": max(float(accelerations(c)[~c.origin.single[1:-1]].max()) for c in inside),
    }
    return found, clips[0]


def _missed(rows: Any) -> float:
    """The mean of the residuals, in their own unit."""
    return float(np.mean([row.worst or 0.0 for row in rows])) if rows else 0.0


def main() -> None:
    if not REAL:
        print(f"needs the real clips of {MOCAP.parent.name}, which are not here")
        return
    numbers: dict[str, Any] = {}
    text, strips, titles = "", [], []
    for material in (walk_and_run(), places(), poses()):
        clips = graph_clips(material.clips)
        skate = float(np.average([measure_skate(c).b or 0.0 for c in clips], weights=[len(c) for c in clips]))
        push = float(np.percentile(np.concatenate([accelerations(c) for c in clips]), 99.9))
        count = min(MOST, len(best_pairs(clips, "point-cloud", MOST, minima=False).values))
        found: dict[str, Any] = {"skate": skate, "push": push, "count": count}
        for measure in MEASURES:
            model, about = learned(clips, measure, count)
            about["walks"], first = judged(model, material.wanted, skate)
            found[measure] = about
            print(material.title, measure, about, flush=True)
            if material.title.startswith("143"):
                strips.append(first)
                titles.append(measure)
        numbers[material.title] = found
        text += section(material, found, clips)
    save_filmstrip(strips, PAGES / "hierarchical_measures_films.png", titles=titles)
    shrink(PAGES / "hierarchical_measures_films.png")
    publish(
        "hierarchical_measures", _figure(numbers), numbers, PAGE.format(text=text, source=SOURCE_TABLE, seeds=SEEDS)
    )


def _figure(numbers: dict[str, Any]) -> Any:
    """Acceleration at the transitions: cut and linearly blended, beside the clips' own."""
    figure = new_figure(9.6, 2.8)
    for ax, (title, found) in zip(figure.subplots(1, len(numbers)), numbers.items(), strict=True):
        for n, measure in enumerate(MEASURES):
            values = [found[measure]["walks"][key] for key in ("cut", "linear")]
            ax.plot(["cut", "linear"], values, color=SOURCES[n], marker="o", ms=4, lw=1.4, label=measure)
        ax.axhline(found["push"], color=LINE, lw=1, ls="--")
        ax.set_title(title, color=INK, fontsize=9, loc="left")
        ax.set_ylim(bottom=0)
        ax.set_facecolor(PAPER)
        ax.tick_params(colors=QUIET, labelsize=7)
    figure.axes[0].set_ylabel("m/s²", color=QUIET, fontsize=8)
    figure.axes[0].legend(fontsize=7, frameon=False, labelcolor=INK)
    return figure


def section(material: Material, found: dict[str, Any], clips: tuple[Clip, ...]) -> str:
    """The two tables of one subject."""
    graphs, made = [], []
    for measure in MEASURES:
        m, w = found[measure], found[measure]["walks"]
        across = f"{m['across']:,}" if material.title.startswith("143") else "-"
        graphs.append(
            [measure, f"{m['limit']:.3g}", f"{m['apart']:.1f}", f"{m['edges']:,}", across, f"{m['clusters']:,}"]
        )
        made.append(
            [measure, f"{w['met']:.2f}", f"{w['transitions']:.1f}", f"{w['apart']:.1f}", f"{w['gap']:.1f}"]
            + [f"{w['cut']:.0f}", f"{w['linear']:.0f}", f"{w['rare']:.2%}", f"{w['skate']:.2f}", f"{w['push']:.0f}"]
        )
    frames = sum(map(len, clips))
    return f"""
## Subject {material.title}

{len(clips)} clips, {frames:,} frames. {found["count"]:,} pairs for each measure. Requested:
{material.request}. The clips' own skate is {found["skate"]:.1f} cm/s,
their acceleration is above {found["push"]:.0f} m/s² in 0.1 % of the frames.

{table(GRAPHS, graphs)}

{table(MADE, made)}
"""


PAGE = """
# A hierarchical graph on each measure

GUAN 4.3 builds a hierarchical graph (2.4.3) on the pairs of each measure, makes sequences to order and looks at them.
Here the graphs are the faithful ones: linear blends, no transition left out but by pruning, no planted feet held. Every
measure gets the 40,000 pairs that it finds most alike (curvature fewer where it has fewer candidates).

The verdicts of the source, which has no figures for this experiment:
{source}
*between labels*: edges between walks and runs. *top level*: clusters of edges. *met*: mean residual of the request
(share of a span without its style, m, rad). *gap*: distance of the joints where the clips meet. *cut* and *linear*: the
largest acceleration of a joint at a transition, without smoothing and with linear interpolation (m/s², median), as the
middle and right columns of GUAN's fig 4.10. *rare*: frames inside transitions in which a joint turns faster than in all
but 0.1 % of the clips' frames. *skate* as a share of the clips' own; *push*: the largest acceleration inside
transitions. {seeds} seeds.

![Acceleration at transitions, cut and blended](hierarchical_measures.png)

Dashed: what 0.1 % of the clips' frames exceed.
{text}
![From walk to run by each measure](hierarchical_measures_films.png)

What this shows, beside the source:

- GUAN's verdict on curvature holds in part. Once its transitions are blended, no joint turns faster than in the clips,
  and in walks with turns and in salsa the acceleration is that of the other measures. From walk to run it is the
  highest of the four. The frames that it joins are the farthest apart in all subjects, so that the cut is the harshest
  in two (16 and 60; from walk to run that of joint angles is as harsh); from walk to run feet slide most, too: linear
  interpolation hides the jump and pays for it with skate.
- "Not too much difference" between the measures (4.2.3) does not hold for the pairs: point clouds join the nearest
  frames in every subject. They slide least in two (143 and 16).
- The source's table 4.2 calls the D_p of three measures alike ("acceptable": curvature, point clouds, joint angles).
  From walk to run they differ by 3.0 times here.
"""


if __name__ == "__main__":
    main()
