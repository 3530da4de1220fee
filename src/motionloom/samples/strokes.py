"""Pen strokes: letters and figures, slower where the line bends, as in handwriting."""

from __future__ import annotations

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, Skeleton
from motionloom.core.origin import from_file
from motionloom.samples.noise import Nature
from motionloom.samples.stage import frame_count

# points that a stroke passes, in units of the letter's height; x right, y up
SHAPES: dict[str, tuple[tuple[float, float], ...]] = {
    "a": ((0.86, 0.86), (0.55, 1.0), (0.18, 0.78), (0.06, 0.4), (0.24, 0.05), (0.58, 0.14), (0.82, 0.5), (0.88, 0.92),
          (0.86, 0.45), (0.93, 0.08), (1.12, 0.1), (1.3, 0.32)),
    "b": ((0.0, 0.72), (0.3, 1.25), (0.42, 1.75), (0.24, 1.95), (0.12, 1.5), (0.1, 0.8), (0.14, 0.2), (0.38, 0.0),
          (0.72, 0.22), (0.78, 0.62), (0.6, 0.92), (0.72, 0.8), (1.1, 0.86)),
    "c": ((0.84, 0.82), (0.6, 1.0), (0.22, 0.82), (0.06, 0.42), (0.24, 0.06), (0.6, 0.02), (0.95, 0.3)),
    "e": ((0.02, 0.34), (0.42, 0.46), (0.78, 0.72), (0.62, 0.98), (0.28, 0.86), (0.14, 0.42), (0.34, 0.04), (0.7, 0.06),
          (1.02, 0.34)),
    "g": ((0.84, 0.84), (0.5, 1.0), (0.14, 0.72), (0.12, 0.32), (0.42, 0.06), (0.76, 0.4), (0.86, 0.9), (0.84, 0.1),
          (0.74, -0.6), (0.44, -0.86), (0.2, -0.62), (0.5, -0.2), (1.2, 0.3)),
    "l": ((0.0, 0.1), (0.36, 0.7), (0.6, 1.5), (0.46, 1.95), (0.24, 1.5), (0.22, 0.6), (0.34, 0.06), (0.62, 0.06),
          (0.9, 0.4)),
    "o": ((0.6, 0.98), (0.22, 0.86), (0.04, 0.44), (0.22, 0.05), (0.6, 0.03), (0.86, 0.4), (0.76, 0.84), (0.48, 0.98),
          (0.66, 0.84), (1.1, 0.9)),
    "s": ((0.78, 0.84), (0.5, 1.0), (0.2, 0.86), (0.24, 0.62), (0.56, 0.44), (0.72, 0.2), (0.5, 0.0), (0.14, 0.06)),
    "w": ((0.0, 0.9), (0.1, 0.3), (0.3, 0.02), (0.55, 0.3), (0.62, 0.8), (0.64, 0.3), (0.84, 0.02), (1.1, 0.3),
          (1.22, 0.88), (1.36, 0.72)),
    "8": ((0.62, 1.72), (0.3, 1.9), (0.04, 1.6), (0.3, 1.12), (0.66, 0.66), (0.64, 0.16), (0.3, 0.0), (0.0, 0.3),
          (0.2, 0.8), (0.56, 1.24), (0.68, 1.64), (0.5, 1.86)),
    "spiral": tuple(
        ((0.08 + 0.92 * k / 24) * 0.5 * np.cos(k * np.pi / 4), (0.08 + 0.92 * k / 24) * 0.5 * np.sin(k * np.pi / 4))
        for k in range(25)
    ),
    "circle": tuple((0.5 * np.sin(k * np.pi / 4), 0.5 * np.cos(k * np.pi / 4)) for k in range(9)),
}  # fmt: skip


def stroke(letter: str, height: float, speed: float, slant: float, count: float, seed: int, fps: float) -> Clip:
    """A pen draws one `letter` (or "8", "spiral", "circle"), `height` m tall at a mean `speed` in m/s, `count` times.

    A one-joint clip: x right, y up, z 0. The pen keeps the two-thirds power law v = K k^(-1/3), k the curvature
    (Lacquaniti et al. 1983), starting and ending at rest; each repetition continues to the right of the previous one.
    `slant` (rad) leans it to the right.
    """
    if letter not in SHAPES:
        raise BadRequest(f"no stroke {letter!r}; one of {', '.join(SHAPES)}")
    nature = Nature(seed)
    points = _line(letter, round(count), nature)
    lean = np.tan(slant + nature.trait("slant", 0.05))
    points = (
        np.stack([points[:, 0] + lean * points[:, 1], points[:, 1]], -1) * height * (1 + nature.trait("size", 0.04))
    )
    fine, times = timed(points, speed * (1 + nature.trait("pace", 0.05)))
    frames = frame_count(times[-1], fps) + 1
    at = np.linspace(0, times[-1], frames)
    path = np.stack([np.interp(at, times, fine[:, k]) for k in (0, 1)], -1)
    shake = np.stack([nature.wander(f"shake {k}", 0.0035 * height, 0.8, 6.0)(at) for k in "xy"], -1)
    path = path + shake - shake[0]
    root = np.concatenate([path, np.zeros((frames, 1))], 1)
    rotations = np.zeros((frames, 1, 4))
    rotations[..., 0] = 1.0
    pen = Skeleton(("pen",), np.array([-1]), np.zeros((1, 3)))
    origin = from_file(f"sample:stroke-{letter}", frames)
    return Clip(pen, root, rotations, fps, (letter,), np.ones((frames, 1), bool), origin=origin)


def _line(letter: str, count: int, nature: Nature) -> FloatArray:
    """Control points (n, 2), in letter heights: each repetition a little different, one after the other."""
    shape = np.array(SHAPES[letter])
    rng = nature.rng("shape")
    loose = nature.amount * (0.35 if letter in ("spiral", "circle") else 1.0)
    habit = rng.normal(0, 0.03, shape.shape).clip(-0.06, 0.06) * loose  # this writer's own form
    rows: list[FloatArray] = []
    x = 0.0
    for _ in range(count):
        once = shape + habit + rng.normal(0, 0.018, shape.shape).clip(-0.04, 0.04) * loose
        once = once * (1 + 0.03 * rng.normal() * nature.amount)
        rows.append(once + [x - once[0, 0] * (len(rows) > 0), 0.02 * rng.normal() * nature.amount])
        x = rows[-1][-1, 0] + 0.12
    return np.concatenate(rows)


def timed(points: FloatArray, speed: float) -> tuple[FloatArray, FloatArray]:
    """A smooth line through `points` on a fine grid (N, 2), and when the pen is at each of its points (N,) s.

    The line is a Catmull-Rom-like spline of least bending (cubic, natural); the speed is proportional to
    (curvature + a floor)^(-1/3), to sqrt of the distance from either end within the first tenth, and averages `speed`.
    """
    from scipy.interpolate import CubicSpline

    chord = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1) ** 0.6)])
    spline = CubicSpline(chord, points)
    u = np.linspace(0, chord[-1], 40 * len(points))
    fine, first, second = spline(u), spline(u, 1), spline(u, 2)
    length = np.linalg.norm(first, axis=1)
    curvature = np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / np.maximum(length, 1e-12) ** 3
    floor = 0.6 / np.ptp(points[:, 1])
    pace = (curvature + floor) ** (-1 / 3)
    run = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))])
    part = run / run[-1]
    ends = np.sqrt(np.clip(np.minimum(part, 1 - part) / 0.1, 0.0, 1.0))
    pace = pace * np.maximum(ends * (2 - ends), 0.03)
    mid = (pace[1:] + pace[:-1]) / 2
    times = np.concatenate([[0.0], np.cumsum(np.diff(run) / mid)])
    return fine, times * (run[-1] / speed) / times[-1]
