"""LAU fig 7: circular strokes with known truth. Are 15 variants of four strokes like 15 true ones?

    python experiments/82_strokes_with_known_truth.py

Two-sample test: the energy distance between variants and true strokes, against that of random splits of both together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from similarity_material import OUT

from motionloom.constraints import Request
from motionloom.core import Clip, FloatArray
from motionloom.io.strokes.csv import stroke_clip
from motionloom.methods import synthesize
from motionloom.methods.variation import Config, fit
from motionloom.methods.variation.model import VariationModel
from motionloom.plot.variation import PICTURES

FPS = 60.0
TAKES, TRUE = 4, 15
POINTS = 40  # of a stroke, evenly in time
SPLITS = 1000


def circle(rng: np.random.Generator) -> Clip:
    """A circle whose size, place, shape and speed vary."""
    seconds = 1.0 + 0.1 * rng.normal()
    t = np.linspace(0, 1, round(seconds * FPS))
    turn = 2 * np.pi * (t + 0.03 * rng.normal() * np.sin(2 * np.pi * t))
    wide, high = 0.10 + 0.008 * rng.normal(), 0.08 + 0.008 * rng.normal()
    x = 0.02 * rng.normal() + wide * np.cos(turn) + 0.004 * rng.normal() * np.cos(2 * turn)
    y = 0.2 + 0.02 * rng.normal() + high * np.sin(turn) + 0.004 * rng.normal() * np.sin(3 * turn)
    return stroke_clip(np.stack([x, y], 1), FPS)


def features(clips: Sequence[Clip]) -> FloatArray:
    """(N, F) points of each stroke at even times, and its length."""
    rows = []
    for clip in clips:
        at = np.linspace(0, len(clip) - 1, POINTS)
        points = [np.interp(at, np.arange(len(clip)), clip.root[:, c]) for c in (0, 1)]
        rows.append(np.concatenate([*points, [0.1 * len(clip) / FPS]]))
    return np.array(rows)


def energy(a: FloatArray, b: FloatArray) -> float:
    """The energy distance of two samples (Székely and Rizzo 2013)."""
    far = lambda x, y: np.linalg.norm(x[:, None] - y[None], axis=2)
    return float(2 * far(a, b).mean() - far(a, a).mean() - far(b, b).mean())


def test(a: FloatArray, b: FloatArray, rng: np.random.Generator) -> float:
    """The share of random splits whose energy distance is as large."""
    found, whole = energy(a, b), np.concatenate([a, b])
    larger = 0
    for _ in range(SPLITS):
        order = rng.permutation(len(whole))
        larger += energy(whole[order[: len(a)]], whole[order[len(a) :]]) >= found
    return (larger + 1) / (SPLITS + 1)


def main() -> None:
    rng = np.random.default_rng(0)
    ps: dict[str, list[float]] = {"default": [], "faithful": [], "replayed takes": [], "other true ones": []}
    model: VariationModel | None = None
    for trial in range(5):
        takes = [circle(rng) for _ in range(TAKES)]
        truth, other = ([circle(rng) for _ in range(TRUE)] for _ in range(2))
        model = fit(takes, Config(fps=None), rng=np.random.default_rng(trial))
        groups = {
            "default": [synthesize(model, Request(), seed=trial, take=k) for k in range(TRUE)],
            "faithful": [
                synthesize(model, Request(options={"variant": "faithful"}), seed=trial, take=k) for k in range(TRUE)
            ],
            "replayed takes": [takes[k % TAKES] for k in range(TRUE)],
            "other true ones": other,
        }
        for name, clips in groups.items():
            ps[name].append(test(features(truth), features(clips), rng))
    for name, values in ps.items():
        print(f"{name:18} p = {', '.join(f'{p:.3f}' for p in values)}")
    assert model is not None
    folder = OUT / "variation_strokes"
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        draw(model, 0).savefig(folder / f"{name}.png", dpi=110)
    print(f"pictures of the last model: {folder}")


if __name__ == "__main__":
    main()
