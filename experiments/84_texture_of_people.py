"""A person as a texture: walk, sneak and dance by style, hand keys, uneven ground, and a live minute.

    python experiments/84_texture_of_people.py

Writes out/experiments/texture_of_people.{png,json} and docs/experiments/texture_of_people.md.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from similarity_material import REAL, capture, publish
from texture_material import labelled, made, mean_rows, measured, rows_table

from motionloom.constraints import Constraint, Ground, PositionAt, Request, Style
from motionloom.control import foot_locked, record
from motionloom.core import Clip
from motionloom.core.poses import commands
from motionloom.evaluate.measures.smoothness import mean_jerk, peak_acceleration
from motionloom.evaluate.measures.verbatim import verbatim_run
from motionloom.kinematics.feet.contacts import foot_parts, part_positions
from motionloom.kinematics.feet.skate_measures import skate_b
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.methods import learn
from motionloom.methods.live import live_of
from motionloom.plot import filmstrip
from motionloom.samples import make

SEEDS = range(3)
STYLES = ("walk", "sneak", "dance")
SECONDS = 12.0
MINUTE = 60.0


def examples() -> list[Clip]:
    """A walk, a sneak and a dance of CMU's subject 143; else samples."""
    if REAL:
        taken = [capture(name, 10, 10_000, 30.0) for name in ("143_32", "143_41", "143_35")]
    else:
        taken = [resample(make("walk", seconds=8, seed=k, speed=s), 30.0) for k, s in enumerate((1.3, 0.6, 0.9))]
    return [labelled(clip, {name: (0, len(clip))}) for clip, name in zip(taken, STYLES, strict=True)]


def by_style(hard: bool) -> tuple[Constraint, ...]:
    """The three styles, a third of the time each."""
    spans = np.linspace(0, SECONDS, len(STYLES) + 1).tolist()
    return tuple(
        Style(label=label, span=(a, b), weight=None if hard else 1.0, tolerance=0.2)
        for label, a, b in zip(STYLES, spans[:-1], spans[1:], strict=True)
    )


def hands(clip: Clip) -> tuple[Constraint, ...]:
    """Three points 10 cm above where the hands pass without keys."""
    places = fk(clip)
    out = []
    for frame, joint in ((40, "left_hand"), (80, "right_hand"), (120, "left_hand")):
        x, y, z = (places[frame, clip.skeleton.joint(joint)] + [0.0, 0.1, 0.0]).tolist()
        out.append(PositionAt(joint=joint, time=f"{frame}f", target=(x, y, z)))
    return tuple(out)


def ground(kind: str) -> Ground:
    """A slope of one in ten, or two steps of 15 cm."""
    xs, zs = np.linspace(-6.0, 6.0, 9), np.linspace(-6.0, 9.0, 301)
    height = {"slope": lambda z: 0.1 * z, "steps": lambda z: 0.15 * float(z > 1.5) + 0.15 * float(z > 2.4)}[kind]
    return Ground(np.array([(x, z, height(z)) for x in xs for z in zs]))


def over_ground(clip: Clip, below: Ground) -> float:
    """cm: the spread of the heights over the ground of parts of feet that stand, at most over the parts."""
    points = part_positions(clip)
    over = points[..., 1] - below.height_at(points[..., 0], points[..., 2])
    spreads = [
        float(np.std(over[clip.label(part.label), i]))
        for i, part in enumerate(foot_parts(clip.skeleton))
        if clip.label(part.label).any()
    ]
    return 100 * max(spreads)


def live_minute(model: Any, own: list[Clip]) -> tuple[dict[str, float], Clip]:
    """A minute of one character whose style and heading change every 5 seconds."""
    live = foot_locked(live_of(model))
    state, took, steps, right = live.begin([1]), [], [], []
    live.step(state, commands(), 1 / 30)
    for k in range(round(MINUTE * 30)):
        part = k // 150
        action = part % len(live.actions)
        start = time.process_time()
        state, poses = live.step(state, commands(heading=0.6 * part, action=action), 1 / 30)
        took.append(1000 * (time.process_time() - start))
        steps.append((state, poses))
        right.append(int(live.status(state).action[0]) == action)
    clip = record(live, steps, 30.0)
    peak, jerk = ([f(fk(c), c.fps) for c in (clip, *own)] for f in (peak_acceleration, mean_jerk))
    lag = [next((i for i, on in enumerate(right[a : a + 150]) if on), 150) / 30 for a in range(0, len(right), 150)]
    cells = clip.origin.which[..., 0] * 1e6 + clip.origin.frames[..., 0]
    return {
        "style shown %": 100 * float(np.mean(right)),
        "longest wait for a style s": max(lag),
        "skate cm/s": skate_b(clip) or 0.0,
        "jerk": jerk[0] / float(np.mean(jerk[1:])),
        "peak acceleration": peak[0] / max(peak[1:]),
        "verbatim frames": float(verbatim_run(clip, own).length),
        "mixed frames %": 100 * float((cells != cells[:, :1]).any(1).mean()),
        "median step ms": float(np.median(took)),
        "worst step ms": max(took),
    }, clip


def main() -> None:
    own = examples()
    model = learn("texture", own, {"fps": None})
    found: dict[str, dict[str, float]] = {}
    strips: list[Clip] = []
    titles: list[str] = []

    def case(title: str, request: Request, below: Ground | None = None) -> Clip:
        rows = []
        for seed in SEEDS:
            clip, plan = made(model, request, seed, finish=True)
            row = measured(clip, plan, own, request.constraints)
            styles = [c.worst(clip) for c in request.constraints if isinstance(c, Style)]
            row["key error m"] = float("nan") if styles else row["key error m"]
            row["style shown %"] = 100 * (1 - max(styles)) if styles else float("nan")
            row["feet over ground cm"] = float("nan") if below is None else over_ground(clip, below)
            rows.append(row)
        found[title] = mean_rows(rows)
        strips.append(clip)
        titles.append(title)
        return clip

    case("by style, hard", Request(seconds=SECONDS, constraints=by_style(True)))
    case("by style, weight 1", Request(seconds=SECONDS, constraints=by_style(False)))
    walking = (Style(label="walk"),)
    plain, _ = made(model, Request(seconds=5, constraints=walking), 0, finish=True)
    case("hand keys", Request(seconds=5, constraints=hands(plain)))
    for kind in ("slope", "steps"):
        below = ground(kind)
        case(kind, Request(seconds=5, constraints=walking, ground=below), below)
    live, minute = live_minute(model, own)
    shown = [strips[0], strips[2], *strips[3:], minute[:360]]
    names = ["by style: walk, sneak, dance", "hand keys", "slope", "two steps", "live, the first 12 of 60 s"]
    figure = filmstrip(shown, titles=names, poses=14, aligned=False,
                       streamers=("left_hand", "right_hand")).figure  # fmt: skip
    page = PAGE.format(seeds=len(SEEDS), table=rows_table(found), live=rows_table({"60 s live": live}),
                       frames=sum(map(len, own)))  # fmt: skip
    publish("texture_of_people", figure, {**found, "live": live}, page, dpi=70)


PAGE = """# A person as a texture

Walk, sneak and dance of one person ({frames} frames at 30 fps), each with its label. Results are finished (feet
cleaned), means of {seeds} seeds. Jerk is relative to the mean of the examples, peak acceleration to their largest; the
style shown is that of the worst span.

{table}

![by style, with hand keys, on a slope, on steps, and live](texture_of_people.png)

## A live minute

One character with the foot lock; style and heading change every 5 s. Steps are in CPU time, on a busy machine.

{live}
"""


if __name__ == "__main__":
    main()
