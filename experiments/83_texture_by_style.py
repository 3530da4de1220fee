"""EDEN 4.1 to 4.2: a dog by style, neighbourhoods by level, examples with more or less walking, passes and pyramids.

    python experiments/83_texture_by_style.py

Writes out/experiments/texture_by_style.{png,json}, filmstrips, and docs/experiments/texture_by_style.md.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from similarity_material import publish
from texture_material import (
    CREDIT_DOG,
    TAKE_OFF,
    dog_jump,
    dog_walk,
    labelled,
    made,
    mean_rows,
    measured,
    rows_table,
    strip,
)

from motionloom.constraints import Request, Style
from motionloom.core import Clip
from motionloom.kinematics.travel import travel
from motionloom.methods import learn
from motionloom.plot.figures import new_figure
from motionloom.plot.style import SOURCES

SEEDS = range(4)
STYLE_SEEDS = range(12)
FAITHFUL = {"fps": None, "variant": "faithful"}
WALK, BOTH = 20, 3  # frames of the result that walk, and that walk and jump; the rest jumps (EDEN's numbers)
FIRST = TAKE_OFF - 9  # the jump example begins with 5 frames of walking and 4 of both before take-off

EDEN, CALM = {"variant": "faithful"}, {"variant": "faithful", "tolerance": 1.1}
CASES: tuple[tuple[str, float, float, dict[str, Any]], ...] = (
    ("0.01, then 10", 0.01, 10.0, EDEN),
    ("0.1, then 10", 0.1, 10.0, EDEN),
    ("10 throughout", 10.0, 10.0, EDEN),
    ("0.01 throughout", 0.01, 0.01, EDEN),
    ("1 throughout", 1.0, 1.0, EDEN),
    ("0.01, then 10, c = 1.1", 0.01, 10.0, CALM),
    ("10 throughout, c = 1.1", 10.0, 10.0, CALM),
    ("improved: 0.01, then 10", 0.01, 10.0, {"variant": "improved"}),
)
IN_STRIP = ("0.01, then 10", "1 throughout", "0.01, then 10, c = 1.1", "improved: 0.01, then 10")

Rows = dict[str, dict[str, float]]


def styled(frames: int, low: float, high: float, options: dict[str, Any]) -> Request:
    """EDEN's request by style: a low importance in the first frames, a high one from the first frame of both on."""
    spans = (("walk", 0, WALK, low), ("walk", WALK, WALK + BOTH, high), ("jump", WALK, frames, high))
    wanted = tuple(
        Style(label=label, span=(f"{a}f", f"{b}f"), importance=importance, weight=1.0)
        for label, a, b, importance in spans
    )
    return Request(frames=frames, constraints=wanted, options=options)


def by_style(sample: bool = False) -> Rows:
    """EDEN's fig. 4.10: walk, both, jump; and its filmstrip."""
    jump, shown_clips = dog_jump(sample)[FIRST : FIRST + 50], {}
    walk = labelled(dog_walk(sample), {"walk": (0, 99)})
    examples = [walk, labelled(jump, {"walk": (0, 9), "jump": (5, 50)})]
    model = learn("texture", examples, FAITHFUL)
    found: Rows = {}
    for title, low, high, options in CASES:
        rows, improved = [], options["variant"] == "improved"
        for seed in STYLE_SEEDS:
            clip, plan = made(model, styled(50, low, high, options), seed, finish=improved)
            shown = {"walk": clip.label("walk")[:WALK].mean(), "jump": clip.label("jump")[WALK + BOTH :].mean()}
            row = measured(clip, plan, examples)
            rows.append(row | {f"{name} shown %": 100 * float(share) for name, share in shown.items()})
        found[title] = mean_rows(rows)
        shown_clips[title] = clip
    strip("texture_by_style", [jump, *(shown_clips[t] for t in IN_STRIP)], ["example of a jump", *IN_STRIP], sample)
    return found


def row_of(model: Any, examples: list[Clip], frames: int, options: dict[str, Any]) -> dict[str, float]:
    """Means over the seeds of a faithful synthesis, with its CPU time and E per cell."""
    rows = []
    for seed in SEEDS:
        start = time.process_time()
        clip, plan = made(model, Request(frames=frames, options={"variant": "faithful", **options}), seed)
        took = time.process_time() - start
        row = measured(clip, plan, examples)
        rows.append(row | {"E per cell": plan.energy[-1].value / plan.source.size, "CPU ms": 1000 * took})
    return mean_rows(rows)


def neighbourhoods_and_passes() -> Rows:
    """EDEN 4.2.2: K the same on both levels, or halved; and passes beside pyramids."""
    example = dog_walk()
    model = learn("texture", [example], FAITHFUL)
    cases: dict[str, dict[str, Any]] = {
        "2 levels, K = 9 and 9": {"levels": 2, "window": [9]},
        "2 levels, K = 9 and 5": {"levels": 2, "window": [9, 5]},
        "2 levels, K = 17 and 9": {"levels": 2, "window": [17, 9]},
        "1 level, K = 5": {"window": [5]},
        "1 level, K = 9": {},
        "1 level, K = 17": {"window": [17]},
        "1 level, 2 passes": {"passes": 2},
        "1 level, 6 passes": {"passes": 6},
        "3 levels": {"levels": 3},
        "2 levels, 3 passes": {"levels": 2, "passes": 3},
    }
    found = {title: row_of(model, [example], 99, options) for title, options in cases.items()}
    constant = learn("texture", [example], {**FAITHFUL, "influence": "constant"})
    return found | {"1 level, K = 9, M constant": row_of(constant, [example], 99, {})}


def patterns() -> Rows:
    """EDEN 4.2.3: 300 frames from one jump, with few and with many frames of walking before it."""
    found: Rows = {}
    jump, walk = dog_jump(), dog_walk()
    for title, clips in (
        ("jump alone, 2 frames before it", [jump[TAKE_OFF - 6 : 60]]),
        ("jump alone, 24 frames before it", [jump[4:60]]),
        ("walk, and jump with 2 frames before it", [walk, jump[TAKE_OFF - 6 : 60]]),
        ("walk, and jump with 24 frames before it", [walk, jump[4:60]]),
    ):
        for padding in ("none", "reflected"):
            model, rows = learn("texture", clips, FAITHFUL), []
            for seed in SEEDS:
                options = {"variant": "faithful", "padding": padding}
                clip, plan = made(model, Request(frames=300, options=options), seed)
                high = clip.root[:, 1] > 0.5 * (jump.root[:, 1].max() + np.median(jump.root[:, 1]))
                path = np.linalg.norm(np.diff(travel(clip).place, axis=0), axis=1)
                row = measured(clip, plan, clips)
                rows.append(row | {"jumps": float((np.diff(high.astype(int)) == 1).sum()), "path m": float(path.sum())})
            found[f"{title}, padding {padding}"] = mean_rows(rows)
    return found


def main() -> None:
    by_style(sample=True)
    styles, sizes, kinds = by_style(), neighbourhoods_and_passes(), patterns()
    figure = new_figure(9, 3.4)
    ax = figure.subplots()
    ax.barh(range(len(sizes)), [row["jerk"] for row in sizes.values()], color=SOURCES[0])
    ax.set_yticks(range(len(sizes)), list(sizes), fontsize=7)
    ax.invert_yaxis()
    ax.set_title("jerk, times the example's", fontsize=10)

    seeds = {"seeds": len(SEEDS), "style_seeds": len(STYLE_SEEDS)}
    given = {**seeds, "styles": rows_table(styles), "sizes": rows_table(sizes), "kinds": rows_table(kinds)}
    page = PAGE.format(**given, first=FIRST, walk=WALK, both=BOTH, rest=WALK + BOTH)
    publish("texture_by_style", figure, styles | sizes | kinds, page + "\n\n" + CREDIT_DOG)


PAGE = """# A dog by style, and what its texture needs

Means of {seeds} seeds, by style of {style_seeds}; faithful results are not cleaned. Jerk and peak acceleration are
ratios to the examples'.

## By style (EDEN 4.1, fig. 4.10)

Examples: a walk, and 50 frames of a jump (D1_057 from frame {first} on, 30 fps), 5 of them labelled walk, 4 both, the
rest jump. Result: 50 frames, {walk} walk (with the first importance), {both} both and the rest jump (with the second).
EDEN took a low one, then a high one. *Shown*: the share of frames with the label among the first {walk} and from frame
{rest} on. There are no keys on this page.

{styles}

- **What is low?** Distances of cells within the walk are some thousandths (E below). With 0.01 a result that begins in
  the example of the jump stays there. In the first {walk} frames 0.1 outweighs all distances already: 0.1 and 10 choose
  the same cells there, and these rows are equal.
- **What is high?** Frame {walk} is a cut to the four frames with both labels, whatever the phase of steps; only an
  importance above the distance across it (between 3 and 10) makes it. Below that no frame meets the style: its term is
  part of the least distance, and c times that admits nearly any frame of the walk (1 throughout).
- **Why is the jerk so large?** After the cut the least distance is large for as long as the neighbourhood reaches back
  over it, so c = 2 admits nearly any frame of the jump, and each of these is an odd neighbour of the next. With c = 1.1
  the jump continues. EDEN does not state its c, and calls its result natural, smooth and a bit shaky.

![example of a jump, and results by style](texture_by_style_strip.png)

The strip shows a sample dog, which does not leap: it is lifted along a parabola.

## Neighbourhoods, passes, pyramids, M (EDEN 4.2.2, 3.3, 3.6)

99 frames from 99 of a walk. E grows with the number of terms in a neighbourhood: compare it within one K only.

{sizes}

![jerk](texture_by_style.png)

## Patterns of motion (EDEN 4.2.3)

300 frames from one jump. *Jumps* are how often the hips rise above half the height of the jump.

{kinds}
"""


if __name__ == "__main__":
    main()
