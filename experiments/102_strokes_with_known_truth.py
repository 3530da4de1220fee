"""LAU fig 7: circular strokes with known truth. Are 15 variants of four of them like all 15 true ones?

    python experiments/102_strokes_with_known_truth.py

Two-sample test: the energy distance between variants and true strokes, against that of random splits of both together;
also against 15 other true strokes, of which the four takes are a small sample. Letters (../shared/mocap/handwriting):
the same against the letters that were not learned from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from similarity_material import MOCAP, OUT

from motionloom.constraints import Request
from motionloom.core import Clip, FloatArray
from motionloom.io.strokes.csv import stroke_clip
from motionloom.io.strokes.handwriting import read_handwriting
from motionloom.methods import synthesize
from motionloom.methods.variation import Config, fit
from motionloom.methods.variation.model import VariationModel
from motionloom.plot.variation import PICTURES

FPS = 60.0
TAKES, TRUE = 4, 15
POINTS = 40  # of a stroke, evenly in time
SPLITS = 300
TRIALS = 6
LETTERS = ("a", "b", "e", "s")


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


def jerk(clips: Sequence[Clip]) -> float:
    """Root mean square of third differences."""
    return float(np.mean([np.sqrt((np.diff(c.root[:, :2], n=3, axis=0) ** 2).mean()) for c in clips]))


def made(model: VariationModel, seed: int, **options: str) -> list[Clip]:
    """As many variants as there are true strokes."""
    return [synthesize(model, Request(options=options), seed=seed, take=k) for k in range(TRUE)]


def circles() -> VariationModel:
    """The last model; prints the tests."""
    rng = np.random.default_rng(0)
    ps: dict[str, list[tuple[float, float]]] = {}
    ratios = []
    for trial in range(TRIALS):
        truth, other = ([circle(rng) for _ in range(TRUE)] for _ in range(2))
        takes = truth[:TAKES]
        model = fit(takes, Config(fps=None), rng=np.random.default_rng(trial))
        groups = {
            "default": made(model, trial),
            "faithful": made(model, trial, variant="faithful"),
            "replayed takes": [takes[k % TAKES] for k in range(TRUE)],
            "true ones": truth,
        }
        ratios.append(jerk(groups["default"]) / jerk(takes))
        for name, clips in groups.items():
            found = [1.0 if clips is group else test(features(group), features(clips), rng) for group in (truth, other)]
            ps.setdefault(name, []).append((found[0], found[1]))
    for name, rows in ps.items():
        for k, against in enumerate(("the true ones", "other true ones")):
            values = [row[k] for row in rows]
            told = sum(p < 0.05 for p in values)
            shown = np.round(values, 3).tolist()
            print(f"{name:15} against {against:15}: told apart in {told:2} of {TRIALS}, p = {shown}")
    print(f"jerk of the variants against that of the takes: {min(ratios):.2f} to {max(ratios):.2f}")
    return model


def letters() -> None:
    """Four letters of each kind, variants of them, and as many others of the same hand."""
    path = MOCAP.parent / "handwriting" / "trajectories_train.mat"
    if not path.is_file():
        print("handwriting is not here: skipped")
        return
    everything = read_handwriting(path)
    for letter in LETTERS:
        found = [clip for clip in everything if clip.name.startswith(f"{letter}_")]
        takes, others = found[:TAKES], found[TAKES : TAKES + TRUE]
        model = fit(takes, Config(fps=None), rng=np.random.default_rng(0))
        groups = {"default": made(model, 0), "replayed": [takes[k % TAKES] for k in range(TRUE)]}
        rng = np.random.default_rng(0)
        ps = {name: test(features(others), features(clips), rng) for name, clips in groups.items()}
        rough = jerk(groups["default"]) / jerk(takes)
        shown = ", ".join(f"{name} p = {p:.3f}" for name, p in ps.items())
        print(f"letter {letter}: {shown}, jerk {rough:.2f} of the takes'")


def main() -> None:
    model = circles()
    letters()
    folder = OUT / "variation_strokes"
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        draw(model, 0).savefig(folder / f"{name}.png", dpi=110)
    print(f"pictures of the last model: {folder}")


if __name__ == "__main__":
    main()
