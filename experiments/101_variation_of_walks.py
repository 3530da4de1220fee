"""Fifteen variants of four walk cycles: how far from the takes, how diverse, how quick, how timed (LAU 8).

    python experiments/101_variation_of_walks.py

Prints tables and figures of ten minutes of walking, and draws takes and variants for
docs/experiments/variation_of_walks.md. Uses ../shared/mocap (CMU subject 35), else samples.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from unittest.mock import patch

import numpy as np
from similarity_material import PAGES, REAL, shrink
from variation_material import (
    ROWS,
    TAKES,
    angles_of,
    bootstrap,
    cycles,
    figures,
    pairs,
    print_table,
    table,
    unseen,
    variants,
)

from motionloom.constraints import Request
from motionloom.core import Clip, replace
from motionloom.core.numbers import squared_distances
from motionloom.kinematics.travel import travel
from motionloom.methods.synthesis import rendered
from motionloom.methods.variation import Config, VariationModel, fit
from motionloom.plot.variation import PICTURES

MINUTES = 10


def pulled(clip: Clip) -> float:
    """Root mean square acceleration of the hips over the ground, m/s^2."""
    return float(np.sqrt((np.diff(clip.root[:, [0, 2]], n=2, axis=0) ** 2).sum(1).mean()) * clip.fps**2)


def stream(name: str, takes: Sequence[Clip], model: VariationModel) -> None:
    """Ranges, speed and spread of ten minutes, and how near its poses stay to those of the takes."""
    plan, clip = rendered(model, Request(seconds=60 * MINUTES), np.random.default_rng([0, 0]))
    values, whole = model.dofs.values(clip), np.concatenate(model.sequences)
    angles = ~model.dofs.displacement
    low, high = whole.min(0), whole.max(0)
    half = 0.5 * np.maximum(high - low, 1e-9)
    beyond = np.abs(values - 0.5 * (low + high)).max(0) / half
    speed = np.linalg.norm(np.diff(travel(clip).place, axis=0), axis=1).mean() * clip.fps
    own = np.mean([np.linalg.norm(np.diff(travel(c).place, axis=0), axis=1).mean() * c.fps for c in model.clips])
    minutes = np.array_split(values[:, angles], MINUTES)
    spread = [float(np.sqrt(minute.var(0).mean())) for minute in minutes]
    poses = values[:: round(model.fps / 5), angles]
    near = np.sqrt(((poses[:, None] - whole[None, :, angles]) ** 2).mean(2)).min(1)
    apart = [np.sqrt(((s[:, None] - o[None]) ** 2).mean(2)).min(1).mean() for s, o in _others(model, angles)]
    print(
        f"{name}, {MINUTES} min: largest value {beyond[angles].max():.2f} of its range, "
        f"speed {speed / own:.3f} of the takes', "
        f"spread of a minute {min(spread) / spread[0]:.2f} to {max(spread) / spread[0]:.2f} of the first; "
        f"distance of a pose from the nearest one of the takes {near.mean() / np.mean(apart):.2f} (largest "
        f"{near.max() / np.mean(apart):.2f}) of that between takes; "
        f"{100 * support(model, clip, plan.starts):.1f} % of the "
        f"{model.config.neighbours} nearest poses of the takes are out of phase; the hips accelerate by "
        f"{pulled(clip):.2f} m/s^2 (takes: {np.median([pulled(take) for take in takes]):.2f})"
    )


def support(model: VariationModel, clip: Clip, starts: Sequence[int]) -> float:
    """The share of the neighbours of a stream's poses that are more than an eighth of a cycle out of phase.

    Neighbours are the k nearest poses of the takes, as in the regression; the phase of a stream grows evenly
    between the `starts` of its cycles.
    """
    assert model.loop is not None
    angles, known = ~model.dofs.displacement, []
    for take, row in zip(model.sequences, model.clock, strict=True):
        moments = np.interp(np.arange(len(take)), row, np.arange(len(row)))
        known.append((moments - model.loop.start) / (model.loop.stop - model.loop.start))
    phases, whole = np.concatenate(known), np.concatenate(model.sequences)[:, angles]
    every = np.arange(0, starts[-1], round(model.fps / 5))
    own = np.interp(every, starts, np.arange(len(starts)))
    poses = model.dofs.values(clip)[every][:, angles]
    near = np.argsort(squared_distances(poses, whole), axis=1)[:, : model.config.neighbours]
    off = np.abs((phases[near] - own[:, None] + 0.5) % 1.0 - 0.5)
    return float((off > 1 / 8).mean())


def not_raised(model: VariationModel) -> list[Clip]:
    """Variants by the amount as it is, not raised until they are as far apart as further takes."""
    with patch.object(VariationModel, "gain", lambda *_: 1.0):
        return variants(model)


def evenly_timed(model: VariationModel) -> list[Clip]:
    """Variants of takes that are stretched to one length instead of warped to a common clock."""
    clock = [np.linspace(0, len(take) - 1, model.clock.shape[1]) for take in model.sequences]
    return variants(replace(model, clock=np.stack(clock)))


def constant_weights(model: VariationModel) -> list[Clip]:
    """Variants whose weights hardly change: interpolations of the takes, of each part of the body on its own."""
    slow = replace(model, notes=())
    slow.__dict__["takes"] = model.takes._replace(knot=100.0)
    return variants(slow)


def between_held_out(model: VariationModel, made: Sequence[Clip], held: Sequence[Clip]) -> float:
    """The median distance between variants, in units of that between takes which were not learned from.

    The amount of variation is adjusted to the distance between the takes themselves, so that is no independent figure.
    """
    found = [float(np.median(pairs(table(angles_of(model, group)))[:, 0])) for group in (made, held)]
    return found[0] / found[1]


def others() -> None:
    """The same on walks of other performers, on which no setting was chosen."""
    columns: dict[str, list[float]] = {}
    for name, takes in unseen().items():
        model = fit(takes[:TAKES], Config(fps=60.0), rng=np.random.default_rng(0))
        made, held = variants(model), takes[TAKES : 2 * TAKES]
        stream(name, takes[:TAKES], model)
        between = between_held_out(model, made, held) if len(held) > 1 else np.nan
        columns[name] = [*figures(model.clips, made, model), between]
        if len(held) > 1:
            columns[f"{name[:3]}, held out"] = [*figures(model.clips, held, model), 1.0]
    print_table(columns, (*ROWS, "between, of held out"))


def _others(model: VariationModel, angles: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Each take, and all others."""
    return [
        (s[:, angles], np.concatenate([o for m, o in enumerate(model.sequences) if m != k])[:, angles])
        for k, s in enumerate(model.sequences)
    ]


def draw(model: VariationModel) -> None:
    """docs/experiments/variation_of_walks_{curves,bodies}.png."""
    for name in ("curves", "bodies"):
        path = PAGES / f"variation_of_walks_{name}.png"
        PICTURES[name](model, 0).savefig(path, dpi=70, pil_kwargs={"optimize": True})
        shrink(path)


def main() -> None:
    walks = cycles()
    start = time.process_time()
    model = fit(walks[:TAKES], Config(fps=60.0), rng=np.random.default_rng(0))
    print(f"learned in {time.process_time() - start:.1f} s of processor time, compiling included")
    for note in model.notes:
        print(note.text)
    made = variants(model)
    columns = {"takes": model.clips, "held out": walks[TAKES:], "default": made}
    columns |= {f"amount {a}": variants(model, amount=a) for a in (0.5, 1.5)}
    columns |= {"not shared": variants(replace(model, sharing=np.eye(model.dofs.count)))}
    columns |= {"no clock": evenly_timed(model), "constant": constant_weights(model)}
    columns |= {"not raised": not_raised(model), "feet free": variants(model, hold_feet=False)}
    columns |= {"faithful": variants(model, variant="faithful")}
    print_table({name: figures(model.clips, list(clips), model) for name, clips in columns.items()})
    low, high = bootstrap(model.clips, made, model)
    print(f"between variants, 95 % bootstrap interval: {low:.2f} to {high:.2f}")
    print(f"between variants, in units of takes held out: {between_held_out(model, made, walks[TAKES:]):.2f}")
    stream("35", walks[:TAKES], model)
    if REAL:
        draw(model)
        others()


if __name__ == "__main__":
    main()
