"""EDEN 4.1 and 4.2.1: a dog that runs and jumps through root keys that are timed differently from the example.

    python experiments/82_texture_of_a_jump.py

Writes out/experiments/texture_of_a_jump.{png,json}, filmstrips, and docs/experiments/texture_of_a_jump.md.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.ndimage import median_filter
from similarity_material import publish
from texture_material import (
    APEX,
    CREDIT_DOG,
    LANDING,
    TAKE_OFF,
    backwards,
    dog_jump,
    dog_walk,
    fall,
    made,
    mean_rows,
    measured,
    rows_table,
    strip,
)

from motionloom.constraints import Constraint, Pose, PoseAt, Request, RootAt
from motionloom.core import Clip, FloatArray, replace
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import ground_turn, travel
from motionloom.methods import learn
from motionloom.plot.figures import new_figure
from motionloom.plot.style import INK, SOURCES

SEEDS = range(4)
LATER = 8  # frames by which the jump comes later than in the example


class Case(NamedTuple):
    """One row of the table."""

    title: str
    options: dict[str, Any]
    weight: float | None = None
    body: bool = False  # keys of the whole body, too
    higher: float = 0.0  # m: of the apex


CASES = (
    Case("hard", {}),
    Case("soft, weight 1", {}, 1.0),
    Case("soft, weight 0", {}, 0.0),
    Case("hard, two levels", {"levels": 2}),
    Case("hard, whole body", {}, None, True),
    Case("hard, apex 0.3 m higher", {}, None, False, 0.3),
    Case("hard, 4 passes", {"passes": 4}),
    Case(
        "hard, 4 passes, place then orientation", {"passes": 4, "point_weight": [10, 1], "orientation_weight": [0.1, 5]}
    ),
    Case("hard, 2 levels, 3 passes", {"levels": 2, "passes": 3}),
    Case("improved, hard", {"variant": "improved"}),
    Case("improved, soft, weight 1", {"variant": "improved"}, 1.0),
)


SHOWN = ("hard", "soft, weight 1", "hard, two levels", "improved, hard")  # in the filmstrip
SMOOTH = (
    Case("1 pass", {}),
    Case("1 pass, K = 5", {"window": [5]}),
    Case("4 passes", {"passes": 4}),
    Case("4 passes, place then orientation", {"passes": 4, "point_weight": [10, 1], "orientation_weight": [0.1, 5]}),
    Case("2 levels", {"levels": 2}),
    Case("2 levels, 4 passes", {"levels": 2, "passes": 4}),
    Case(
        "2 levels, 4 passes, place then orientation",
        {"levels": 2, "passes": 4, "point_weight": [10, 1], "orientation_weight": [0.1, 5]},
    ),
    Case("improved", {"variant": "improved"}),
)


def three_keys(walk: Clip, jump: Clip) -> list[Constraint]:
    """EDEN 4.2.1: the root alone is keyed, at places of the walk at 0 and i1, and as in the jump at i2 (its apex)."""
    path, leap = travel(walk), travel(jump)
    turn = float(path.heading[TAKE_OFF] - leap.heading[TAKE_OFF])
    ahead = path.place[TAKE_OFF] + ground_turn(turn, leap.place[APEX] - leap.place[TAKE_OFF])
    places = ((0, path.place[0], walk.root[0, 1]), (TAKE_OFF, path.place[TAKE_OFF], walk.root[TAKE_OFF, 1]))
    return [
        RootAt(time=f"{at}f", position=(float(x), float(z)), height=float(height))
        for at, (x, z), height in (*places, (APEX, ahead, jump.root[APEX, 1]))
    ]


def snap(clip: Clip, at: int, examples: list[Clip]) -> dict[str, float]:
    """The largest step within two frames of a key, relative to the examples' largest: of a joint in the world, the
    root's place among them, of the root alone, and of a joint seen from the root; and the share of jumping frames."""
    out = {}
    for name, seen in (
        ("of a joint in the world", fk),
        ("of the root", _root),
        ("of a joint seen from it", _from_root),
    ):
        steps, own = (
            [np.linalg.norm(np.diff(seen(c), axis=0), axis=-1).max(-1) for c in group] for group in ([clip], examples)
        )
        out[f"snap {name}"] = float(steps[0][at - 2 : at + 2].max() / max(s.max() for s in own))
    return out


def _root(clip: Clip) -> FloatArray:
    return clip.root[:, None]


def _from_root(clip: Clip) -> FloatArray:
    return fk(replace(clip, root=np.zeros_like(clip.root)))


def smooth(model: Any, examples: list[Clip]) -> dict[str, dict[str, float]]:
    """EDEN 4.2.1: the snap at i2, and how much of the way from i1 to i2 is shown by the jump."""
    found, asked = {}, three_keys(*examples)
    for case in SMOOTH:
        rows = []
        for seed in SEEDS:
            options = {"variant": "faithful", **case.options}
            request = Request(frames=APEX + 15, constraints=tuple(asked), options=options)
            clip, plan = made(model, request, seed, finish=options["variant"] == "improved")
            between = plan.source[TAKE_OFF + 1 : APEX]
            row = measured(clip, plan, examples, asked) | snap(clip, APEX, examples)
            leaps = between >= len(examples[0]) + TAKE_OFF - 4
            rows.append(row | {"jumping between i1 and i2 %": 100 * float(leaps.mean())})
        found[case.title] = mean_rows(rows)
    return found


def keys(jump: Clip, case: Case) -> list[Constraint]:
    """The root at the start, at take-off, apex and landing; the last three later than in the example."""
    out: list[Constraint] = []
    path = travel(jump)
    for at, later in ((0, 0), (TAKE_OFF, LATER), (APEX, LATER), (LANDING, LATER)):
        x, z = path.place[at]
        height = float(jump.root[at, 1]) + (case.higher if at == APEX else 0.0)
        time = f"{at + later}f"
        out.append(RootAt(time=time, position=(float(x), float(z)), height=height, weight=case.weight))
        if case.body:
            out.append(PoseAt(time=time, pose=Pose(jump[at : at + 1]), weight=case.weight))
    return out


def one(model: Any, jump: Clip, examples: list[Clip], case: Case, seed: int) -> tuple[dict[str, float], Clip]:
    asked = keys(jump, case)
    frames = LANDING + LATER + 12
    options = {"variant": "faithful", **case.options}
    improved = options["variant"] == "improved"
    request = Request(frames=frames, constraints=tuple(asked), options=options)
    clip, plan = made(model, request, seed, finish=improved)
    at = slice(TAKE_OFF + LATER - 10, TAKE_OFF + LATER)
    pull, pauses = fall(clip.root[:, 1], APEX + LATER, LANDING + LATER, clip.fps)
    crouch = float(np.median(jump.root[:TAKE_OFF, 1]) - clip.root[at, 1].min())
    row = measured(clip, plan, examples, asked)
    row |= {
        "jumps at frame": float(median_filter(clip.root[:, 1], 5).argmax()),
        "backwards m": backwards(clip),
        "crouch m": crouch,
        "fall m/s²": pull,
        "pauses": pauses,
        "snap": snap(clip, APEX + LATER, examples)["snap of a joint in the world"],
    }
    return row, clip


def strips(sample: bool) -> None:
    """Filmstrips of four cases."""
    examples = [dog_walk(sample), dog_jump(sample)]
    model = learn("texture", examples, {"fps": None, "variant": "faithful"})
    cases = [case for case in CASES if case.title in SHOWN]
    made_clips = [one(model, examples[1], examples, case, 0)[1] for case in cases]
    strip("texture_of_a_jump", [examples[1], *made_clips], ["example", *(c.title for c in cases)], sample)


def main() -> None:
    jump = dog_jump()
    examples = [dog_walk(), jump]
    model = learn("texture", examples, {"fps": None, "variant": "faithful"})
    found, shown = {}, []
    for sample in (False, True):
        strips(sample)
    for case in CASES:
        rows = [one(model, jump, examples, case, seed) for seed in SEEDS]
        found[case.title] = mean_rows([row for row, _ in rows])
        shown.append(rows[0][1])
    figure = new_figure(9, 3.6)
    ax = figure.subplots()
    ax.plot(np.arange(TAKE_OFF + 40), jump.root[: TAKE_OFF + 40, 1], color=INK, label="example", lw=2)
    for k, case in enumerate(c for c in CASES if c.title in ("hard", "soft, weight 1", "improved, hard")):
        clip = shown[CASES.index(case)]
        ax.plot(clip.root[:, 1], color=SOURCES[k], label=case.title)
    ax.set_xlabel("frame")
    ax.set_ylabel("height of the hips, m")
    ax.legend()
    own = fall(jump.root[:, 1], APEX, LANDING, jump.fps)
    later = smooth(model, examples)
    page = PAGE.format(
        smooth=rows_table(later),
        found=snapped(later),
        first=TAKE_OFF,
        second=APEX,
        later=LATER,
        seeds=len(SEEDS),
        table=rows_table(found),
        pull=own[0],
        pauses=own[1],
        notes=notes(found),
    )
    publish("texture_of_a_jump", figure, found | later, page + "\n\n" + CREDIT_DOG)


def notes(found: dict[str, dict[str, float]]) -> str:
    """What the numbers show, computed from them."""
    three = [found[name] for name in ("hard", "soft, weight 1", "improved, hard")]

    def values(name: str) -> str:
        return "{:.2f} with hard keys, {:.2f} with soft ones and {:.2f} in the improved variant".format(
            *(row[name] for row in three)
        )

    snaps = {name: row["snap"] for name, row in found.items()}
    lines = [
        f"When does it jump? The apex is requested at frame {APEX + LATER}; frame {values('jumps at frame')} (a median "
        "over 5 frames: one frame at the key is no jump). The faithful results follow the example of the jump from an "
        "early frame on, land, and are lifted to the key of the apex for a frame: EDEN's snap.",
        f"Does the dog slide backwards? m: {values('backwards m')}.",
        f"Does it crouch before it jumps? m below the usual height: {values('crouch m')}.",
        f"Does it fall as the example does? m/s²: {values('fall m/s²')}.",
        f"Does it fall in steps? Frames in which it pauses: {values('pauses')}.",
        "The snap at the apex, the largest step of a joint in the world there relative to the examples': "
        + "; ".join(f"{name} {value:.2f}" for name, value in snaps.items())
        + ".",
    ]
    return "\n".join(f"- {line}" for line in lines)


PAGE = """# A jump through keys

EDEN 4.1 leads a dog that walks and jumps through four keys of the root: start, take-off, apex, landing. Here the last
three come {later} frames later than in the example. Examples: EDEN's walk (99 frames) and a run with a jump (D1_057
from frame 940, 104 frames at 30 fps); means of {seeds} seeds. Faithful results are not cleaned. Jerk and peak
acceleration are ratios to the examples'; key errors of soft keys are what was missed. In the example the hips fall with
{pull:.1f} m/s² (pauses: {pauses}): they are not the centre of mass, which gravity pulls with 9.8. (The measure of
gravity in `evaluate` needs segment masses, and there are none for a dog.)

{table}

![height of the hips](texture_of_a_jump.png)

![example, hard and soft keys, two levels, improved](texture_of_a_jump_strip.png)

The strip shows a sample dog, which does not leap: it is lifted along a parabola.

{notes}

## Keyframing smoothly (EDEN 4.2.1)

Three hard keys of the root's place and height alone: walking at frames 0 and i1 = {first}, jumping at i2 = {second}
(the first two are places of the walk, the third is as far from the second as the apex is from take-off in the jump).
EDEN expects a walk that snaps into the jump at i2, and proposes levels, passes, and weights by pass: the place in the
first pass (10 and 0.1), the orientation in later ones (1 and 5). The *snap* is the largest step between frames within
two of i2, relative to the largest of the examples.

{smooth}

{found}
"""


def snapped(found: dict[str, dict[str, float]]) -> str:
    """The result of 4.2.1 in a sentence, computed."""
    faithful = [row["snap of the root"] for title, row in found.items() if title != "improved"]
    return (
        f"The step of the root into i2 is {min(faithful):.1f} to {max(faithful):.1f} times the largest of the examples "
        f"in every faithful case, and {found['improved']['snap of the root']:.1f} times in the improved variant."
    )


if __name__ == "__main__":
    main()
