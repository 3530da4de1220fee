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
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.skate_measures import skate_b
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import travel
from motionloom.methods.texture.transfer_by_analogy import ANALOGY, transfer
from motionloom.plot import filmstrip
from motionloom.rotation import rotate, yaw
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


def in_step(clip: Clip, b: Clip) -> float:
    """The correlation of how far the left foot is ahead of the right one in both clips; of a dog, the hind feet."""
    rows = []
    for shown in (clip, resample(b, clip.fps)):
        legs = {foot.name: foot.ankle for foot in feet(shown.skeleton)}
        across = fk(shown)[:, legs["left_foot"]] - fk(shown)[:, legs["right_foot"]]
        rows.append(rotate(yaw(-travel(shown).heading), across)[:, 2])
    count = min(map(len, rows))
    return float(np.corrcoef(rows[0][:count], rows[1][:count])[0, 1])


def mixed(clip: Clip) -> float:
    """%: frames whose joints come from more than one frame of a'."""
    return 100 * float((clip.origin.frames[..., 0] != clip.origin.frames[:, :1, 0]).any(1).mean())


def case(a: Clip, styled: Clip, b: Clip) -> tuple[dict[str, float], Clip]:
    rows = []
    for seed in SEEDS:
        found, free = (transfer(a, styled, b, seed=seed, weight=w) for w in (ANALOGY, 0.0))
        points, played = fk(found.clip), styled.fps * found.rate
        rows.append(
            {
                "rate": found.rate,
                "gap cm": 100 * found.gap,
                "gap without the third term cm": 100 * free.gap,
                "in step with b": in_step(found.clip, b),
                "in step without the third term": in_step(free.clip, b),
                "speed of a' m/s": speed(styled),
                "speed m/s": speed(found.clip),
                "skate cm/s": skate_b(found.clip) or 0.0,
                "jerk": mean_jerk(points, found.clip.fps) / mean_jerk(fk(styled), played),
                "peak acceleration": peak_acceleration(points, found.clip.fps) / peak_acceleration(fk(styled), played),
                "mixed frames %": mixed(found.clip),
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
    figure = filmstrip(
        strips, titles=titles, poses=10, aligned=False, streamers=("left_hand", "right_hand", "head")
    ).figure
    page = PAGE.format(seeds=len(SEEDS), table=rows_table(found))
    publish("texture_transfer", figure, found, page + "\n\n" + CREDIT_DOG, dpi=60)


PAGE = """# Transfer

EDEN 5.2.3 proposes motion transfer: a is to a' as b is to the result. Frames of a' belong to moments of a by time
alignment of their feet; a third term of the comparison asks that the feet in the moment of a are where those in the
frame of b are, each in units of their own motion. *In step with b* is the correlation of how far the left foot is
ahead of the right one in the result and in b (of a dog, the hind feet). The *gap* is how far the moment of a does not
look like the frame of b (RMS over joints), beside that of a result without the term. *Rate* is how many times as fast
a' is played, so that its step cycles last as long as those of b. Jerk and peak acceleration are relative to a' played
at this rate. Means of {seeds} seeds.

{table}

![walk, sneak, run, and the result](texture_transfer.png)

The result sneaks in step with the run, and the dog walks in step with it. Both are frames of a' only: no stride becomes
longer than those of a', so speeds grow with the rate alone, and neither runs.
"""


if __name__ == "__main__":
    main()
