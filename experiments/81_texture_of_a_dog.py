"""EDEN 4.1: a walking dog as a texture, with other lengths, levels, passes, joint orders, padding and influences.

    python experiments/81_texture_of_a_dog.py

Writes out/experiments/texture_of_a_dog.{png,json} and docs/experiments/texture_of_a_dog.md. Uses EDEN's length of 99
frames: D1_007 from frame 90 at 30 fps where ../shared/mocap is at hand, else our sample dog.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from similarity_material import OUT, PAGES, shrink, table

from motionloom.constraints import Request
from motionloom.core import Clip, Skeleton
from motionloom.evaluate.measures.smoothness import mean_jerk, peak_acceleration
from motionloom.io import load
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import travel
from motionloom.methods import Model, learn
from motionloom.methods.synthesis import rendered
from motionloom.methods.texture.config import ORDERS
from motionloom.methods.texture.influence import joint_order
from motionloom.methods.texture.plan import TexturePlan
from motionloom.plot.figures import new_figure
from motionloom.plot.style import INK, PAPER, SOURCES
from motionloom.rotation import angle_between, average

SEEDS = range(8)
NAME = "texture_of_a_dog"


class Case(NamedTuple):
    """One row of the table."""

    title: str
    frames: int
    options: dict[str, Any]
    config: Mapping[str, Any] = MappingProxyType({})


SORTED = MappingProxyType({"sorted": True})  # the joints of the example sorted by name, parents before children

CASES = (
    Case("99 frames", 99, {}),
    Case("150 frames", 150, {}),
    Case("50 frames, 2 levels", 50, {"levels": 2}),
    Case("150 frames, 2 levels", 150, {"levels": 2}),
    Case("150 frames, 2 passes", 150, {"passes": 2}),
    Case("150 frames, 4 passes", 150, {"passes": 4}),
    Case("150 frames, c = 1.1", 150, {"tolerance": 1.1}),
    Case("150 frames, c = 3", 150, {"tolerance": 3}),
    Case("150 frames, joints by name, file order", 150, {}, SORTED),
    Case("150 frames, joints by name, breadth-first", 150, {"joint_order": "breadth-first"}, SORTED),
    Case("150 frames, joints by name, depth-first", 150, {"joint_order": "depth-first"}, SORTED),
    Case("150 frames, reflected padding", 150, {"padding": "reflected"}),
    Case("150 frames, constant M", 150, {}, {"influence": "constant"}),
    Case("150 frames, M by bone length", 150, {}, {"influence": "bones"}),
    Case("150 frames, improved", 150, {"variant": "improved"}),
)


def example() -> tuple[Clip, str]:
    """99 frames of a walking dog, and what they are."""
    from similarity_material import MOCAP

    path = MOCAP.parent / "dog" / "D1_007_KAN01_001.bvh"
    if path.is_file():
        clip = load(path)
        return resample(clip[90:], 30.0)[:99], "D1_007 from frame 90, 30 fps"
    return resample(make_dog(), 30.0)[:99], "the sample dog"


def sorted_by_name(clip: Clip) -> Clip:
    """The clip with its joints in reverse order of names, parents before children: neither in breadth nor in depth.

    A BVH file lists joints depth-first, so that file order would be no third order.
    """
    body, order, next_ones = clip.skeleton, [], [0]
    while next_ones:
        joint = max(next_ones, key=lambda j: body.names[j])
        next_ones.remove(joint)
        order.append(joint)
        next_ones += body.children(joint)
    new = {old: k for k, old in enumerate(order)}
    parents = np.array([-1, *(new[int(body.parents[j])] for j in order[1:])])
    names, roles = (tuple(row[j] for j in order) for row in (body.names, body.roles))
    own = Skeleton(names, parents, body.offsets[order], roles)
    assert len({tuple(joint_order(own, kind)) for kind in ORDERS}) == len(ORDERS)
    return Clip(own, clip.root, clip.rotations[:, order], clip.fps)


def make_dog() -> Clip:
    from motionloom.samples import make

    return make("dog_walk", seconds=5)


def spread(clip: Clip) -> float:
    """rad: how far joints are from their mean rotation, RMS over frames and joints but the root."""
    middle = np.stack([average(clip.rotations[:, j]) for j in range(1, len(clip.skeleton))])
    return float(np.sqrt((angle_between(clip.rotations[:, 1:], middle) ** 2).mean()))


def speed(clip: Clip) -> float:
    """m/s over the ground, mean."""
    return float(np.linalg.norm(np.diff(travel(clip).place, axis=0), axis=1).mean() * clip.fps)


def measured(model: Model[Any], case: Case, clip: Clip) -> dict[str, float]:
    """Means over the seeds; ratios are to the example's own."""
    rows = []
    for seed in SEEDS:
        start = time.process_time()
        request = Request(frames=case.frames, options={"variant": "faithful", **case.options})
        plan, made = rendered(model, request, np.random.default_rng([seed, 0]))
        took = time.process_time() - start
        assert isinstance(plan, TexturePlan)
        same = (plan.source == plan.source[:, :1]).all(1)
        copied = (np.diff(plan.source[:, 0]) == 1) & same[1:] & same[:-1]
        points, own = fk(made), fk(clip)
        rows.append(
            {
                "ms": 1000 * took,
                "longest copy": max((b - a for a, b in runs(copied)), default=0) + 1,
                "mixed frames": 100 * float((~same).mean()),
                "joint spread": spread(made) / spread(clip),
                "speed": speed(made) / speed(clip),
                "peak acceleration": peak_acceleration(points, made.fps) / peak_acceleration(own, clip.fps),
                "jerk": mean_jerk(points, made.fps) / mean_jerk(own, clip.fps),
                "E per cell": plan.energy[-1].value / plan.source.size if plan.energy else float("nan"),
            }
        )
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def _key(config: Mapping[str, Any]) -> str:
    return json.dumps(dict(config))


def main() -> None:
    clip, what = example()
    models = {}
    for config in ({}, {"influence": "constant"}, {"influence": "bones"}, SORTED):
        settings = {name: value for name, value in config.items() if name != "sorted"}
        shown = sorted_by_name(clip) if "sorted" in config else clip
        models[_key(config)] = learn("texture", [shown], {"fps": None, "variant": "faithful", **settings})
    found = {case.title: measured(models[_key(case.config)], case, clip) for case in CASES}
    names = list(next(iter(found.values())))
    cells = {title: ["–" if np.isnan(v) else f"{v:.3g}" for v in row.values()] for title, row in found.items()}
    text = table(["", *names], [[title, *row] for title, row in cells.items()])
    figure = new_figure(9, 3.4)
    left, right = figure.subplots(1, 2, sharey=True)
    for ax, name in ((left, "jerk"), (right, "longest copy")):
        ax.barh(range(len(found)), [row[name] for row in found.values()], color=SOURCES[0])
        ax.set_title(name, color=INK, fontsize=10)
    left.set_yticks(range(len(found)), list(found), fontsize=7)
    left.invert_yaxis()
    PAGES.mkdir(parents=True, exist_ok=True)
    OUT.mkdir(parents=True, exist_ok=True)
    figure.savefig(OUT / f"{NAME}.png", dpi=150, facecolor=PAPER)
    figure.savefig(PAGES / f"{NAME}.png", dpi=80, facecolor=PAPER)
    shrink(PAGES / f"{NAME}.png")
    (OUT / f"{NAME}.json").write_text(json.dumps(found, indent=1) + "\n")
    page = PAGE.format(what=what, joints=len(clip.skeleton), seeds=len(SEEDS), table=text, notes=notes(found))
    (PAGES / f"{NAME}.md").write_text(page)
    print(page)


def notes(found: dict[str, dict[str, float]]) -> str:
    """What the numbers show, computed from them."""
    jerk = {title: row["jerk"] for title, row in found.items()}
    copy = {title: row["longest copy"] for title, row in found.items()}
    energy = {title: row["E per cell"] for title, row in found.items()}
    lines = [
        f"With c = 1.1 stretches of {copy['150 frames, c = 1.1']:.0f} frames are copied, with c = 2 of "
        f"{copy['150 frames']:.0f}.",
        f"Jerk is {jerk['150 frames']:.2f} times the example's with one level and one pass, "
        f"{jerk['150 frames, 2 levels']:.2f} with two levels, {jerk['150 frames, 2 passes']:.2f} with two passes, "
        f"{jerk['150 frames, 4 passes']:.2f} with four, and "
        f"{jerk['150 frames, improved']:.2f} in the improved variant.",
        f"E per cell is {energy['150 frames']:.3g} in one pass and {energy['150 frames, 4 passes']:.3g} in the fourth, "
        "in which neighbourhoods are full, so that their sums have twice as many terms.",
        "The file lists joints depth-first, as every BVH does; with joints sorted by name, jerk is "
        f"{jerk['150 frames, joints by name, file order']:.2f} in that order, "
        f"{jerk['150 frames, joints by name, breadth-first']:.2f} breadth-first and "
        f"{jerk['150 frames, joints by name, depth-first']:.2f} depth-first. Reflected padding: "
        f"{jerk['150 frames, reflected padding']:.2f}. A constant M: {jerk['150 frames, constant M']:.2f}.",
    ]
    return "\n".join(f"- {line}" for line in lines)


PAGE = """# A walking dog as a texture

EDEN 4.1 makes walks of 99, 150 and (with two levels) 50 frames from 99 frames of a walking dog. Here: {what}, {joints}
joints, means of {seeds} seeds, results before any cleaning. Spread, speed, acceleration and jerk are ratios to those of
the example; a copy is a stretch in which all joints follow one example; a mixed frame shows joints of more than one
example frame.

{table}

![jerk and the longest copied stretch](texture_of_a_dog.png)

{notes}
"""


if __name__ == "__main__":
    main()
