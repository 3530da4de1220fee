"""In-betweening: fill the gap between ten known frames and one target frame, and compare with the captured frames.

LAFAN1's protocol (Harvey et al., Robust Motion In-betweening, SIGGRAPH 2020, and its published evaluation code), on any
data set: gaps of 5, 15, 30 and 45 frames at 30 fps; test windows of 65 frames every 40; statistics from training
windows of 50 frames every 20; each window centred on its mean x and z and facing +x at past frame 9 (by our heading;
published: the hips' local y axis, which is specific to LAFAN1). Values of two data sets cannot be compared: the
statistics, the bodies and the motions differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from motionloom.core import Clip, FloatArray, Progress, replace, silent
from motionloom.core.progress import each, parts
from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.travel import headings, moved, turned
from motionloom.rotation import continuous, exp, inverse, log, multiply, slerp

PAST = 10  # known frames before the gap; the last one, frame 9, gives the facing
GAPS = (5, 15, 30, 45)
FPS = 30.0  # of the protocol; `hermite` and `neighbours` fill gaps at any frame rate
TEST = (65, 40)  # frames of a test window, frames between starts
TRAIN = (50, 20)
FACING = np.pi / 2  # +x: heading 0 is +z, positive turns towards +x

Filler = Callable[[Clip, int], Clip]
"""(window, gap) -> the window with frames PAST .. PAST + gap - 1 filled in, using only the others up to the target."""


@dataclass(frozen=True, eq=False)
class Scale:
    """Mean and standard deviation of global joint places over the training windows, each (J, 3) metres."""

    mean: FloatArray
    deviation: FloatArray


@dataclass(frozen=True)
class GapScore:
    """L2P (z-scored positions), L2Q (quaternions) and NPSS of one filler and one gap."""

    l2p: float
    l2q: float
    npss: float


def windows(clips: Sequence[Clip], size: int, step: int) -> list[Clip]:
    """Every window of `size` frames, `step` apart, centred and turned as in the protocol.

    As published, a window must end before the clip's last frame (`i + window < frames`).
    """
    out = []
    for clip in clips:
        clip = replace(clip, rotations=continuous(clip.rotations))
        out += [centred(clip[i : i + size]) for i in range(0, len(clip) - size, step)]
    return out


def centred(window: Clip) -> Clip:
    """The window with its mean x and z at 0, then turned about the origin to face +x at past frame 9."""
    middle = moved(window, -window.root[:, [0, 2]].mean(axis=0))
    return turned(middle, FACING - float(headings(middle[PAST - 1 : PAST])[0]))


def scale_of(training: Sequence[Clip]) -> Scale:
    """The statistics that L2P divides by, from training clips at 30 fps."""
    found = windows(training, *TRAIN)
    if not found:
        raise NotApplicable(f"no training clip is longer than {TRAIN[0]} frames")
    points = np.concatenate([fk_rotations(w)[0] for w in found])
    deviation = points.std(axis=0)
    return Scale(points.mean(axis=0), np.where(deviation > 1e-9, deviation, 1.0))


def interpolated(window: Clip, gap: int) -> Clip:
    """The baseline: straight lines for the root, slerp for every local rotation, from frame 9 to the target."""
    first, target = PAST - 1, PAST + gap
    share = np.arange(1, gap + 1) / (gap + 1)
    root, rotations = window.root.copy(), window.rotations.copy()
    root[PAST:target] = root[first] + share[:, None] * (root[target] - root[first])
    rotations[PAST:target] = slerp(rotations[first], rotations[target], share[:, None])
    return replace(window, root=root, rotations=rotations)


def past_frames(fps: float) -> int:
    """Known frames before a gap: those of 0.3 s and one more, 10 at 30 fps."""
    return round((PAST - 1) * fps / FPS) + 1


def hermite(window: Clip, gap: int) -> Clip:
    """The baseline with the velocity of the last known frames: cubics that arrive with the mean velocity.

    With T = gap + 1 frames, u the share of them, d the displacement of the target and v the last step (mean of a
    thirtieth of a second), the root moves by x(u) = T v (u - 2 u^2 + u^3) + d (2 u^2 - u^3): x(0) = 0, x'(0) = T v,
    x(1) = x'(1) = d. Local rotations do so in the exponential map at the last known frame.
    """
    past, step = past_frames(window.fps), max(1, round(window.fps / FPS))
    first, target = past - 1, past + gap
    u = np.arange(1, gap + 1) / (gap + 1)
    lasting, reaching = u - 2 * u**2 + u**3, 2 * u**2 - u**3
    root, rotations = window.root.copy(), window.rotations.copy()
    speed = (gap + 1) * (root[first] - root[first - step]) / step
    root[past:target] = root[first] + lasting[:, None] * speed + reaching[:, None] * (root[target] - root[first])
    here = rotations[first]
    spin = (gap + 1) * log(multiply(inverse(rotations[first - step]), here)) / step
    turn = log(multiply(inverse(here), rotations[target]))
    rotations[past:target] = multiply(here, exp(lasting[:, None, None] * spin + reaching[:, None, None] * turn))
    return replace(window, root=root, rotations=rotations)


def zero_velocity(window: Clip, gap: int) -> Clip:
    """The baseline that holds the last known frame."""
    root, rotations = window.root.copy(), window.rotations.copy()
    root[PAST : PAST + gap] = root[PAST - 1]
    rotations[PAST : PAST + gap] = rotations[PAST - 1]
    return replace(window, root=root, rotations=rotations)


BASELINES: dict[str, Filler] = {"interpolation": interpolated, "hermite": hermite, "zero velocity": zero_velocity}


def score(truths: Sequence[Clip], guesses: Sequence[Clip], gap: int, scale: Scale) -> GapScore:
    """L2P, L2Q and NPSS of filled windows against the captured ones, over the frames of the gap only.

    L2P: mean over windows and frames of |z - z'|, one norm over all joints' z-scored global places (a vector of 3 J).
    L2Q: the same over global quaternions (a vector of 4 J) whose local rotations are sign-continuous in time.
    """
    if not truths:
        raise NotApplicable(f"no test clip is longer than {TEST[0]} frames")
    inside = slice(PAST, PAST + gap)
    places, turns = zip(*(_global(t, inside, t) for t in truths), strict=True)
    places_2, turns_2 = zip(*(_global(g, inside, t) for g, t in zip(guesses, truths, strict=True)), strict=True)
    x, x2 = (((np.stack(p) - scale.mean) / scale.deviation).reshape(len(truths), gap, -1) for p in (places, places_2))
    q, q2 = (np.stack(t).reshape(len(truths), gap, -1) for t in (turns, turns_2))
    return GapScore(
        float(np.linalg.norm(x - x2, axis=-1).mean()), float(np.linalg.norm(q - q2, axis=-1).mean()), npss(q, q2)
    )


def _global(clip: Clip, inside: slice, like: Clip) -> tuple[FloatArray, FloatArray]:
    """Global places and rotations inside the gap; signs run on from `like`'s at frame 9, so equal turns are equal."""
    local = continuous(clip.rotations)
    signs = np.sign(np.einsum("jc,jc->j", local[PAST - 1], like.rotations[PAST - 1]))
    places, turns = fk_rotations(replace(clip, rotations=local * signs[:, None]))
    return places[inside], turns[inside]


def npss(truth: FloatArray, guess: FloatArray) -> float:
    """Normalised power spectrum similarity of sequences (B, T, D); 0 is equal (Gopalakrishnan et al. 2019).

    As LAFAN1 computes it: powers are squares of the *real part* of the FFT over time, each scaled to sum 1; the earth
    mover's distance is the sum of |difference of running sums|; the mean is weighted by the truth's power, pooled over
    all sequences and channels. A channel of the guess without any power counts as all of it missing (published: NaN).
    """
    powers = [np.real(np.fft.fft(x, axis=1)) ** 2 for x in (truth, guess)]
    totals = [p.sum(axis=1) for p in powers]
    shares = [p / np.where(t > 0, t, 1.0)[:, None] for p, t in zip(powers, totals, strict=True)]
    distance = np.abs(np.cumsum(shares[0] - shares[1], axis=1)).sum(axis=1)
    if not totals[0].sum():
        raise NotApplicable("nothing moves in the captured frames")
    return float(np.average(distance, weights=totals[0]))


@dataclass(frozen=True)
class GapResult:
    """Scores of a filler for each gap, over the first `windows` of the test windows."""

    scores: Mapping[int, GapScore]
    windows: int


def benchmark(
    test: Sequence[Clip],
    scale: Scale,
    fillers: Mapping[str, Filler],
    *,
    most: int | None = None,
    first: int | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> dict[str, GapResult]:
    """Every filler on every gap. Clips at 30 fps, none of them seen in training.

    `most` limits the number of windows, `first` takes only the first of these; `seconds` stops a filler that takes
    longer, with the windows filled so far (at least one). Results state the windows, because scores over different
    windows cannot be compared. Every beginning of the order of windows is spread evenly over all of them.
    """
    found = windows(test, *TEST)
    if not found:
        raise NotApplicable(f"no test clip is longer than {TEST[0]} frames")
    found = [found[k] for k in evenly(len(found), most)[:first]]
    report = progress or silent()
    steps = zip(fillers.items(), parts(report, [1] * len(fillers)), strict=True)
    out = {name: _benchmark(found, scale, fill, seconds, step) for (name, fill), step in steps}
    report(1.0, "done")
    return out


def _benchmark(
    found: Sequence[Clip], scale: Scale, fill: Filler, seconds: float | None, progress: Progress
) -> GapResult:
    start = perf_counter()
    filled: dict[int, list[Clip]] = {gap: [] for gap in GAPS}
    done = 0
    for window in each(found, progress, "filling gaps"):
        for gap in GAPS:
            filled[gap].append(fill(window, gap))
        done += 1
        if seconds is not None and perf_counter() - start > seconds:
            break
    return GapResult({gap: score(found[:done], filled[gap], gap, scale) for gap in GAPS}, done)


def evenly(count: int, most: int | None = None) -> list[int]:
    """At most `most` numbers below `count`, spread evenly, in an order whose beginnings are spread evenly too."""
    chosen = np.linspace(0, count - 1, count if most is None else min(count, most)).astype(int)
    golden = (np.arange(len(chosen)) * (np.sqrt(5) - 1) / 2) % 1
    return [int(chosen[k]) for k in np.argsort(np.argsort(golden))]
