"""Clips and measures that the experiments on parametric spaces share."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from similarity_material import MOCAP

from motionloom.constraints import PARAMETERS
from motionloom.core import Clip, FloatArray
from motionloom.io import load
from motionloom.kinematics.feet.skate_measures import planted_speed
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import at_frames
from motionloom.kinematics.travel import placed
from motionloom.methods.space.measure import blend_once, measure_blend
from motionloom.methods.space.one_parameter import motion_changes
from motionloom.methods.space.sampling import random_weights
from motionloom.samples import make

REQUESTS = 60
HELD_OUT = 3  # rng of blends that are not used in learning
LINES = 40  # through a space of several parameters
BLENDS = 1500  # random ones that show what can be reached
ENDS = {"repeat": "no", "cut": "none"}


def captured(*names: str, fps: float | None = None) -> list[Any]:
    """CMU clips by name, without their T-poses."""
    return [load(MOCAP / f"{name}.bvh", trim_tpose=True, fps=fps) for name in names]


def around(clip: Any, middle: int, before: float, after: float) -> Any:
    """The seconds around a frame."""
    return clip[max(0, middle - round(before * clip.fps)) : middle + round(after * clip.fps)]


def seats() -> list[Any]:
    """The sitting down of five clips: from 0.5 s before the head begins to sink to 0.7 s after the hips are lowest."""
    out = []
    for clip in [*captured("75_17", "75_18", "75_20"), *captured("143_18", "143_19", fps=60)]:
        hips, head = clip.root[:, 1], fk(clip)[:, clip.skeleton.roles.index("head"), 1]
        low = int(np.flatnonzero(hips < hips.min() + 0.03)[0])
        upright = int(np.flatnonzero(head[:low] > 0.97 * np.median(head[: round(0.2 * clip.fps)]))[-1])
        out.append(clip[max(0, upright - round(0.5 * clip.fps)) : low + round(0.7 * clip.fps)])
    return out


def leaps() -> list[Any]:
    """Jumps ahead of 118 and 83, around the highest place of the hips, and the three of 143_05, by their flights."""
    out = []
    for clip in captured("118_03", "118_06", "118_09", "118_10", "118_20", "83_42", "83_48"):
        out.append(around(clip, int(clip.root[:, 1].argmax()), 1.1, 1.0))
    [series] = captured("143_05", fps=60)
    return [*out, *(around(series, middle, 1.1, 1.0) for middle in (124, 180, 230))]


def punches() -> list[Any]:
    """27 punches at a grid of targets."""
    grid = [(x, y, z) for x in (-0.25, 0.0, 0.25) for y in (1.25, 1.4, 1.55) for z in (0.55, 0.65, 0.75)]
    return [make("punch", seed=1, target=t, count=1, fps=30) for t in grid]


def spaces() -> dict[str, tuple[list[Any], dict[str, Any]]]:
    """Clips and settings of each space, by name."""
    walks = [f"16_{n}" for n in (11, 13, 15, 16, 17, 19)]
    fast = [f"16_{n}" for n in (21, 23, 25, 27, 29)]
    heights, rises = (1.0, 1.15, 1.3, 1.5), (0.08, 0.12, 0.16, 0.2)
    lengths = ((0.3, 0.3), (0.35, 0.7), (0.4, 1.1), (0.45, 1.5))
    return {
        "walk, turns (143_38)": (captured("143_38", fps=60), {"parameter": ["turn_rate"]}),
        "run, turns (143_04)": (captured("143_04", fps=60), {"parameter": ["turn_rate"]}),
        "slow walk, turns (16)": (captured(*walks), {"parameter": ["turn_rate"]}),
        "fast walk, turns (16)": (captured(*fast), {"parameter": ["turn_rate"]}),
        "walk, turn x speed (16)": (captured(*walks, *fast), {"parameter": ["turn_rate", "speed"]}),
        "walk, into a turn (16)": (captured(*walks), {"parameter": ["travel_turn"], "repeat": "no"}),
        "seats (75, 143)": (seats(), {"parameter": ["seat_height"], **ENDS}),
        "leaps (118, 83, 143)": (leaps(), {"parameter": ["leap_length"], **ENDS}),
        "punches (samples)": (punches(), {"parameter": ["right_hand_target"], **ENDS}),
        "ducks (samples)": (
            [make("duck", seed=1, height=h, fps=30) for h in heights], {"parameter": ["head_height"], **ENDS}
        ),
        "stairs (samples)": (
            [make("steps", seed=1, rise=r, count=3, fps=30) for r in rises], {"parameter": ["step_height"], **ENDS}
        ),
        "jumps (samples)": (
            [make("jump", seed=1, height=h, distance=d, fps=30) for h, d in lengths],
            {"parameter": ["distance"], **ENDS},
        ),
    }  # fmt: skip


def apart(a: Clip, b: Clip) -> FloatArray:
    """(F, J) m: how far joints are from those of another clip, both from the origin, at equal shares of their time."""
    a, b = (placed(clip) for clip in (a, b))
    return np.asarray(np.linalg.norm(fk(stretched(a, len(b))) - fk(b), axis=-1))


def stretched(clip: Clip, frames: int) -> Clip:
    """The clip with another number of frames."""
    return at_frames(clip, np.linspace(0, len(clip) - 1, frames), clip.fps, cubic=True)


def measured(model: Any, weights: FloatArray) -> FloatArray:
    """Parameters of a blend."""
    own = [PARAMETERS[p.name] for p in model.space.parameters]
    return measure_blend(model.space.rows, model.skeleton, weights, model.fps, own, model.tables)


def held_out(model: Any, count: int = REQUESTS) -> FloatArray:
    """Measured parameters of blends that learning has not seen."""
    space, rng = model.space, np.random.default_rng(HELD_OUT)
    near = np.argsort(((space.values[:, None] - space.values[None]) ** 2 / space.ranges**2).sum(-1), axis=1)
    return np.stack([measured(model, random_weights(near, space.size + 2, rng)) for _ in range(count)])


def reachable(model: Any, count: int = BLENDS) -> FloatArray:
    """Measured parameters of random blends, also of two and three examples that need not be near each other."""
    rng, size = np.random.default_rng(HELD_OUT + 1), model.space.rows.size
    out = [measured(model, w) for w in np.eye(size)]
    for _ in range(count):
        weights = np.zeros(size)
        chosen = rng.choice(size, min(size, int(rng.integers(2, model.space.size + 3))), replace=False)
        weights[chosen] = rng.dirichlet(np.full(len(chosen), 0.5))
        out.append(measured(model, weights))
    return np.stack(out)


def errors(model: Any, asked: FloatArray, weights: FloatArray) -> FloatArray:
    """% of the range by which blends miss requests."""
    got = np.stack([measured(model, w) for w in weights])
    return np.asarray(100 * (np.abs(got - asked) / model.space.ranges).max(1))


def sliding(model: Any, weights: FloatArray) -> float:
    """cm/s: how fast feet slide over the contacts of blends, before locking."""
    made = [blend_once(model.space.rows, model.skeleton, w, model.fps, model.tables) for w in weights]
    return float(np.mean([planted_speed(c, {n: c.label(n) for n in c.label_names}) for c in made]))


def triangulated(values: FloatArray, asked: FloatArray) -> FloatArray:
    """Barycentric weights in the Delaunay triangulation of the examples; outside, those of the nearest example."""
    from scipy.spatial import Delaunay

    out = np.zeros((len(asked), len(values)))
    if values.shape[1] == 1:
        order = np.argsort(values[:, 0])
        for n, k in enumerate(order):
            out[:, k] = np.interp(asked[:, 0], values[order, 0], np.eye(len(order))[n])
        return out
    mesh = Delaunay(values)
    at = mesh.find_simplex(asked)
    for n, cell in enumerate(at):
        if cell < 0:
            out[n, ((values - asked[n]) ** 2).sum(1).argmin()] = 1.0
            continue
        step = mesh.transform[cell, :-1] @ (asked[n] - mesh.transform[cell, -1])
        out[n, mesh.simplices[cell]] = [*step, 1.0 - step.sum()]
    return out


def line(model: Any, steps: int) -> FloatArray:
    """Parameters at even steps along the range, or from one corner of the examples to the other."""
    space = model.space
    scaled = (space.values - space.middle) / space.ranges
    a, b = space.values[scaled.sum(1).argmin()], space.values[scaled.sum(1).argmax()]
    ends = (space.low, space.high) if space.size == 1 else (0.95 * a + 0.05 * b, 0.05 * a + 0.95 * b)
    return np.linspace(*ends, steps + 1)


def evenness(model: Any, weights_of: Any, line_of: Any = line) -> tuple[float, float]:
    """The largest change of the motion along a line, of the mean one; and the least ratio as steps are halved."""
    largest, ratio = [], 0.0
    for steps in (100, 200, 400, 800):
        change = motion_changes(model.space.rows, model.skeleton, model.tables, weights_of(line_of(model, steps)))
        largest.append(float(change.max()))
        ratio = max(ratio, float(change.max() / change.mean()))
    return ratio, min(a / b for a, b in pairwise(largest))


def random_lines(model: Any) -> tuple[FloatArray, FloatArray]:
    """`evenness` along lines between random measured blends: (LINES,) each."""
    space, rng = model.space, np.random.default_rng(HELD_OUT + 2)
    known = np.concatenate([space.values, space.sample_values])
    ends = known[rng.integers(len(known), size=(LINES, 2))]
    found = [
        evenness(model, lambda p: space.weights(p).weights, lambda _, n, a=a, b=b: np.linspace(a, b, n + 1))
        for a, b in ends
    ]
    even, halved = np.array(found).T
    return even, halved
