"""GUAN 2.5 and fig. 4.10: from a walk to a run at chosen pairs, without smoothing and by every transition there is.

    python experiments/56_transitions.py

Writes out/experiments/transitions.{png,json} and docs/experiments/transitions.md.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from similarity_material import PAGES, publish, shrink, table, walk_and_run

from motionloom.analysis import Curvature, PointCloud, best_share, local_minima
from motionloom.blend import Point, append
from motionloom.blend.quality import window_quality
from motionloom.core import Clip
from motionloom.kinematics.feet.contacts import with_contacts
from motionloom.plot.filmstrip import save_filmstrip
from motionloom.plot.transitions import trails

SECONDS, PAIRS = 0.4, 6
METHODS: dict[str, dict[str, Any]] = {
    "stitch": {"method": "stitch"},
    "stitch, feet left alone": {"method": "stitch", "plants": False},
    "blend, linear, feet left alone": {"method": "blend", "ease": "linear", "plants": False},
    "blend, smooth, feet left alone": {"method": "blend", "plants": False},
    "blend, linear": {"method": "blend", "ease": "linear"},
    "blend, smooth": {"method": "blend"},
    "spacetime, feet left alone": {"method": "spacetime", "plants": False},
    "spacetime": {"method": "spacetime"},
}


def chosen_pairs(a: Clip, b: Clip, half: int) -> list[Point]:
    """The best local minima of the point-cloud matrix, with room for the window in both clips."""
    measure = PointCloud()
    matrix = measure.matrix(a, b)
    room = half - measure.radius + 1
    inside = matrix[room:-room, room:-room]
    first = (half + 1, half + 1)
    minima = {(int(i), int(j)) for i, j in local_minima(inside, first=first).frames}
    best = best_share(inside, 0.05, first=first)
    found = [Point(int(i), int(j), float(v)) for (i, j), v in zip(best.frames, best.values, strict=True)]
    return [p for p in found if (p.a, p.b) in minima][:PAIRS]


def pairs_by_curvature(a: Clip, b: Clip, half: int) -> list[Point]:
    """GUAN fig. 4.10: the best and a middling one of the pairs that D_rp + curvature chooses."""
    measure = Curvature()
    room = half - measure.radius + 1
    best = best_share(measure.matrix(a, b)[room:-room, room:-room], 0.01, first=(half + 1, half + 1))
    return [Point(int(i), int(j), float("nan")) for i, j in best.frames[[0, len(best) // 2]]]


def at_pairs_by_curvature(a: Clip, b: Clip, half: int) -> tuple[list[list[str]], list[Clip], list[str]]:
    """Rows of the table, and the clips of the picture with their titles."""
    rows, clips, titles = [], [], []
    for point in pairs_by_curvature(a, b, half):
        made = [append(a, b, at=point, seconds=SECONDS, method=method) for method in ("blend", "spacetime")]
        found = [window_quality(a, b, one, point, half) for one in made]
        when = f"{point.a / a.fps:.2f} s to {point.b / b.fps:.2f} s"
        pushes = (found[0].jump_cut, *(quality.jump for quality in found))
        rows.append([when, f"{found[0].apart:.1f}", *(f"{push * a.fps**2 / 100:.0f}" for push in pushes)])
        near = slice(max(0, point.a - 7 * half), point.a + 7 * half)
        clips += [found[0].cut[near], made[0][near]]
        titles += [f"cut at {when}", "the same, blended"]
    return rows, clips, titles


def main() -> None:
    a, b = (with_contacts(clip) for clip in walk_and_run())
    half = round(SECONDS * a.fps / 2)
    points = chosen_pairs(a, b, half)
    numbers: dict[str, list[list[float]]] = {name: [] for name in METHODS}
    cuts, sources, shown = [], [], {}
    for point in points:
        for name, options in METHODS.items():
            start = time.perf_counter()
            made = append(a, b, at=point, seconds=SECONDS, **options)
            took = time.perf_counter() - start
            quality = window_quality(a, b, made, point, half)
            numbers[name].append([quality.jump * a.fps**2 / 100, quality.slide or 0.0, took])
            shown.setdefault(name, made)
        cuts.append(quality.jump_cut * a.fps**2 / 100)
        sources.append(quality.slide_source or 0.0)
        shown.setdefault("cut", quality.cut)
    rows = [["cut", f"{np.mean(cuts):.0f}", f"{np.max(cuts):.0f}", "", ""]]
    for name, values in numbers.items():
        push, slide, took = np.array(values).T
        rows.append(
            [name, f"{push.mean():.0f}", f"{push.max():.0f}", f"{slide.mean():.1f}", f"{took.mean() * 1000:.0f}"]
        )
    own = max(window_quality(c, c, c, Point(len(c) // 2, len(c) // 2, 0.0), len(c) // 2 - 2).jump for c in (a, b))
    names = ["cut", "stitch", "blend, smooth", "spacetime"]
    p = points[0]
    span = (max(0.0, p.a / a.fps - 0.8), p.a / a.fps + 0.8)
    figure = trails(
        [shown[n] for n in names], [f"{n} at {p.a / a.fps:.2f} s to {p.b / b.fps:.2f} s" for n in names], span=span
    )
    pairs = ", ".join(f"{p.a / a.fps:.2f} s to {p.b / b.fps:.2f} s ({100 * p.distance**0.5:.1f} cm)" for p in points)
    by_curvature, clips, titles = at_pairs_by_curvature(a, b, half)
    save_filmstrip(clips, PAGES / "transitions_filmstrip.png", titles=titles, poses=9, dpi=110)
    page = f"""
# Transitions from a walk to a run

GUAN 2.5 and fig. 4.10: `{a.name}` to `{b.name}` at the {len(points)} best local minima of the point-cloud distance
({pairs}), cut, and joined over {SECONDS:g} s by each transition. The push is the largest acceleration of any joint in
the window; the clips themselves reach {own * a.fps**2 / 100:.0f} m/s². The slide is the mean speed over the ground of
heels and toes while they stand; in the clips' own frames it is {np.mean(sources):.1f} cm/s.

![trails of head, hips, hands and toes](transitions.png)

{table(["transition", "push, mean [m/s²]", "push, worst [m/s²]", "slide [cm/s]", "time [ms]"], rows)}

Fig. 4.10 takes its pairs from D_rp + curvature: here the best of them and a middling one, cut (laid by the best
ground-plane alignment) and joined; the push in m/s².

{table(["pair", "apart [cm]", "cut", "blend", "spacetime"], by_curvature)}

![the same pairs, cut and blended](transitions_filmstrip.png)

Findings: every smoothing takes the jump of a cut away. Stitching spreads it but leaves the kink in speed at the
join, so its push is the largest of the three. A blend with linear weights kinks at the ends of its window, one with
3p² - 2p³ does not. Holding the plants brings the slide down to what the captured feet do themselves. Spacetime
constraints make the gentlest motion while feet are left alone; with feet held, the blend is as gentle, stays closer to
the clips and is far faster.
"""
    numbers_of = {"pairs": pairs, "rows": rows, "own": own, "slide of the clips": sources, "by curvature": by_curvature}
    publish("transitions", figure, numbers_of, page, dpi=75)
    shrink(PAGES / "transitions_filmstrip.png")


if __name__ == "__main__":
    main()
