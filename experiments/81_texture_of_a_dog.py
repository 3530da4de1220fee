"""EDEN 4.1: a walking dog as a texture, with other lengths, levels, passes, joint orders, padding and influences.

    python experiments/81_texture_of_a_dog.py

Writes out/experiments/texture_of_a_dog.{png,json}, filmstrips, and docs/experiments/texture_of_a_dog.md.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from similarity_material import publish
from texture_material import CREDIT_DOG, dog_walk, made, mean_rows, measured, rows_table, strip

from motionloom.constraints import Request
from motionloom.core import Clip, Skeleton
from motionloom.kinematics.travel import ground_turn, travel
from motionloom.methods import learn
from motionloom.methods.texture.config import ORDERS
from motionloom.methods.texture.influence import joint_order
from motionloom.methods.texture.plan import TexturePlan
from motionloom.plot.figures import new_figure
from motionloom.plot.style import INK, SOURCES
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


def spread(clip: Clip) -> float:
    """rad: how far joints are from their mean rotation, RMS over frames and joints but the root."""
    middle = np.stack([average(clip.rotations[:, j]) for j in range(1, len(clip.skeleton))])
    return float(np.sqrt((angle_between(clip.rotations[:, 1:], middle) ** 2).mean()))


def path_spread(clip: Clip) -> float:
    """m/s: how far the velocity over the ground, seen from the body, is from its mean, RMS over frames."""
    path = travel(clip)
    velocity = ground_turn(-path.heading[:-1], np.diff(path.place, axis=0)) * clip.fps
    return float(np.sqrt(((velocity - velocity.mean(0)) ** 2).sum(1).mean()))


def speed(clip: Clip) -> float:
    """m/s over the ground, mean."""
    return float(np.linalg.norm(np.diff(travel(clip).place, axis=0), axis=1).mean() * clip.fps)


def row(model: Any, case: Case) -> dict[str, float]:
    """Means over the seeds; ratios are to the example's own."""
    [clip], rows = model.clips, []
    for seed in SEEDS:
        start = time.process_time()
        shown, plan = made(model, asked(case), seed)
        took = time.process_time() - start
        assert isinstance(plan, TexturePlan)
        energy = plan.energy[-1].value / plan.source.size if plan.energy else float("nan")
        rows.append(
            {
                "joint spread": spread(shown) / spread(clip),
                "path spread": path_spread(shown) / path_spread(clip),
                "speed": speed(shown) / speed(clip),
                **measured(shown, plan, [clip]),
                "E per cell": energy,
                "CPU ms": 1000 * took,
            }
        )
    return mean_rows(rows)


def asked(case: Case) -> Request:
    return Request(frames=case.frames, options={"variant": "faithful", **case.options})


def _key(config: Mapping[str, Any]) -> str:
    return json.dumps(dict(config))


def main() -> None:
    clip = dog_walk()
    models = {}
    for config in ({}, {"influence": "constant"}, {"influence": "bones"}, SORTED):
        settings = {name: value for name, value in config.items() if name != "sorted"}
        shown = sorted_by_name(clip) if "sorted" in config else clip
        models[_key(config)] = learn("texture", [shown], {"fps": None, "variant": "faithful", **settings})
    found = {case.title: row(models[_key(case.config)], case) for case in CASES}
    figure = new_figure(9, 3.4)
    left, right = figure.subplots(1, 2, sharey=True)
    for ax, name in ((left, "jerk"), (right, "verbatim frames")):
        ax.barh(range(len(found)), [row[name] for row in found.values()], color=SOURCES[0])
        ax.set_title(name, color=INK, fontsize=10)
    left.set_yticks(range(len(found)), list(found), fontsize=7)
    left.invert_yaxis()
    for example, model in ((clip, models["{}"]), (dog_walk(sample=True), None)):
        model = model or learn("texture", [example], {"fps": None, "variant": "faithful"})
        results = [made(model, asked(CASES[k]), 0)[0] for k in (0, 1, 2, len(CASES) - 1)]
        titles = ["example", *(CASES[k].title for k in (0, 1, 2, len(CASES) - 1))]
        strip(NAME, [example, *results], titles, sample=example is not clip)
    page = PAGE.format(joints=len(clip.skeleton), seeds=len(SEEDS), table=rows_table(found), notes=notes(found))
    publish(NAME, figure, found, page + "\n\n" + CREDIT_DOG)


def notes(found: dict[str, dict[str, float]]) -> str:
    """What the numbers show, computed from them."""
    jerk = {title: row["jerk"] for title, row in found.items()}
    copy = {title: row["verbatim frames"] for title, row in found.items()}
    energy = {title: row["E per cell"] for title, row in found.items()}
    lines = [
        "Joints spread "
        + ", ".join(
            f"{found[title]['joint spread']:.2f} times as far as in the example and its path "
            f"{found[title]['path spread']:.2f} times ({title})"
            for title in list(found)[:3]
        )
        + ".",
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

EDEN 4.1 makes walks of 99, 150 and (with two levels) 50 frames from 99 frames of a walking dog. Here: D1_007 from frame
90, 30 fps, {joints} joints, means of {seeds} seeds, results before any cleaning. Ratios to the example: spread of
joints (RMS distance from their mean rotations), of the path (RMS distance of the velocity over the ground, seen from
the body, from its mean), speed, jerk and peak acceleration. A mixed frame shows joints of more than
one example frame. There are no keys.

{table}

![jerk and the longest copied stretch](texture_of_a_dog.png)

![example, 99, 150 and 50 frames, and improved](texture_of_a_dog_strip.png)

{notes}
"""


if __name__ == "__main__":
    main()
