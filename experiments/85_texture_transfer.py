"""EDEN 5.2.3: walk is to sneak as run is to what, and a person's walk to a dog's as a person's run to what.

    python experiments/85_texture_transfer.py

Writes out/experiments/texture_transfer.{png,json} and docs/experiments/texture_transfer.md. Without captures: samples.
"""

from __future__ import annotations

import numpy as np
from similarity_material import REAL, capture, publish
from texture_material import CREDIT_DOG, dog_walk, rows_table

from motionloom.core import Clip
from motionloom.evaluate.measures.smoothness import mean_jerk, peak_acceleration
from motionloom.evaluate.measures.verbatim import verbatim_run
from motionloom.kinematics.feet.skate_measures import skate_b
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import travel
from motionloom.methods.texture.transfer import transfer
from motionloom.plot import filmstrip
from motionloom.samples import make

SEEDS = range(3)


def clips() -> tuple[Clip, Clip, Clip]:
    """A walk, a sneak and a run of one person."""
    if REAL:
        return capture("143_32", 10, 150, 30.0), capture("143_41", 50, 300, 30.0), capture("143_04", 100, 110, 30.0)
    walk, slow = make("walk", seconds=5, seed=1), make("walk", seconds=5, speed=0.6, seed=2)
    return walk, slow, make("run", seconds=4, seed=3)


def speed(clip: Clip) -> float:
    """m/s over the ground, mean."""
    return float(np.linalg.norm(np.diff(travel(clip).place, axis=0), axis=1).mean() * clip.fps)


def case(a: Clip, styled: Clip, b: Clip) -> tuple[dict[str, float], Clip]:
    rows = []
    for seed in SEEDS:
        found = transfer(a, styled, b, seed=seed)
        points, own = fk(found.clip), fk(styled)
        rows.append(
            {
                "rate": found.rate,
                "gap cm": 100 * found.gap,
                "gap without the third term cm": 100 * transfer(a, styled, b, seed=seed, weight=0.0).gap,
                "speed of a' m/s": speed(styled),
                "speed m/s": speed(found.clip),
                "skate cm/s": skate_b(found.clip) or 0.0,
                "jerk": mean_jerk(points, found.clip.fps) / mean_jerk(own, styled.fps),
                "peak acceleration": peak_acceleration(points, found.clip.fps) / peak_acceleration(own, styled.fps),
                "verbatim frames": float(verbatim_run(found.clip, [styled]).length),
            }
        )
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}, found.clip


def main() -> None:
    walk, sneak, run = clips()
    found, shown = {}, []
    for title, styled in (("walk : sneak = run : ?", sneak), ("person walk : dog walk = person run : ?", dog_walk())):
        found[title], clip = case(walk, styled, run)
        shown.append(clip)
    strips = [walk, sneak, run, shown[0]]
    titles = ["a: walk", "a': sneak", "b: run", "result"]
    figure = filmstrip(strips, titles=titles, poses=10, aligned=False).figure
    page = PAGE.format(seeds=len(SEEDS), table=rows_table(found))
    publish("texture_transfer", figure, found, page + "\n\n" + CREDIT_DOG, dpi=60)


PAGE = """# Transfer

EDEN 5.2.3 proposes motion transfer: a is to a' as b is to the result. Frames of a' belong to moments of a by time
alignment of their feet; a third term of the comparison asks that the moment of a looks like the frame of b. The *gap*
is how far it does not (RMS over joints), beside that of a result without the term. *Rate* is how many times as fast a'
is played, so that its steps take as long as those of b. Jerk and peak acceleration are relative to a' at its own speed:
they grow with the cube and the square of the rate. Means of {seeds} seeds.

{table}

![walk, sneak, run, and the result](texture_transfer.png)

The result sneaks in time with the run, and the dog trots in time with it. Both are frames of a' only: no stride becomes
longer than those of a', so speeds grow with the rate alone.
"""


if __name__ == "__main__":
    main()
