"""Takes of gaze shifts cleaned: gaps filled, stabilized, cropped to the shift, joints as frames (HECK 5.2.2.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from motionloom.blend.splice._kernels import best_rotations
from motionloom.core import BadRequest, BoolArray, FloatArray, Markers
from motionloom.core.numbers import runs
from motionloom.rotation import angle_between, average, continuous, from_matrix

MARKER_NAMES: dict[str, tuple[str, ...]] = {
    "base": ("base",),
    "lower_back": ("lower_back_1", "lower_back_2", "lower_back_3"),
    "upper_back": ("upper_back_1", "upper_back_2", "upper_back_3"),
    "neck_base": ("neck_base_1", "neck_base_2", "neck_base_3"),
    "head": ("hat_front", "hat_left", "hat_back", "hat_right"),
}
"""Markers of each landmark. They drive pelvis, lower spine, upper spine and neck; the base is the reference."""

MORE_OF_HEAD = ("hat_top", "between_eyes")  # used where the file has them; a mapping lists them after the square
LEAD_IN = 0.25  # s of the first rest that a shift contains: joints start before their speed is above the noise

LANDMARKS = ("lower_back", "upper_back", "neck_base", "head")
MERGE = 1 / 6  # s: rests nearer to each other are one (HECK)
MIN_REST = 0.15  # s: shorter rests do not count
MEDIAN_ANGLE = 1.54  # median angle of a rotation whose three components have the standard deviation 1
NOISE_FACTOR = 2.5  # a frame rests if its markers are slower than this times their speed by noise alone


@dataclass(frozen=True)
class Marking:
    """Names of the markers; `landmarks` maps each of `MARKER_NAMES` to the names in the file."""

    landmarks: dict[str, tuple[str, ...]] = field(default_factory=lambda: dict(MARKER_NAMES))

    def __post_init__(self) -> None:
        missing = [name for name in MARKER_NAMES if name not in self.landmarks]
        if missing:
            raise BadRequest(f"markers: expected names for {', '.join(MARKER_NAMES)}; missing {', '.join(missing)}")


class Rests(NamedTuple):
    """Where a take rests, and the numbers that this was decided with."""

    speed: FloatArray  # (F,) m/s, mean over the markers
    threshold: float  # m/s
    spans: tuple[tuple[int, int], ...]  # first frame, end frame (excluded)


class Shift(NamedTuple):
    """One gaze shift: world rotations of four landmarks, from shortly before the end of the first rest to the end of
    the second.
    """

    turns: FloatArray  # (F, 4, 4) lower back, upper back, neck base, head
    fps: float
    rest: int  # frames at the beginning that belong to the first rest
    settled: int  # first frame of the second rest
    before: FloatArray  # (4, 4) mean rotations over the first rest
    after: FloatArray  # (4, 4) over the second rest
    noise: FloatArray  # (4,) rad: standard deviation of each landmark's rotation about an axis, while it rests

    @property
    def cropped(self) -> FloatArray:
        """(F, 4, 4) from the end of the first rest, as HECK crops a take."""
        return self.turns[self.rest :]


def filled(markers: Markers) -> Markers:
    """Gaps interpolated linearly in time; beyond the ends the nearest position (HECK)."""
    table = np.array(markers.positions)
    for m, name in enumerate(markers.names):
        seen = np.flatnonzero(~np.isnan(table[:, m, 0]))
        if not len(seen):
            raise BadRequest(f"marker {name!r} was never seen")
        for k in range(3):
            table[:, m, k] = np.interp(np.arange(len(table)), seen, table[seen, m, k])
    return Markers(markers.names, table, markers.fps, markers.origin)


def stabilized(markers: Markers, marking: Marking) -> Markers:
    """The markers of the landmarks, without gaps, shifted so that the base marker stays at the origin."""
    (base,) = _indices(markers, marking.landmarks["base"])
    lost = np.isnan(markers.positions[:, base, 0]).mean()
    if lost > 0.2:
        raise BadRequest(f"the base marker {markers.names[base]!r} is lost in {100 * lost:.0f} % of the frames")
    whole = filled(_used(markers, marking))
    base = whole.names.index(markers.names[base])
    return Markers(whole.names, whole.positions - whole.positions[:, [base]], whole.fps, whole.origin)


def _used(markers: Markers, marking: Marking) -> Markers:
    """The markers that a landmark needs, and of `MORE_OF_HEAD` those that are seen."""
    needed = {name for names in marking.landmarks.values() for name in names}
    needed |= {n for k, n in enumerate(markers.names) if n in MORE_OF_HEAD and not markers.gaps[:, k].all()}
    kept = [k for k, n in enumerate(markers.names) if n in needed]
    names = tuple(markers.names[k] for k in kept)
    return Markers(names, markers.positions[:, kept], markers.fps, markers.origin)


def _indices(markers: Markers, names: tuple[str, ...]) -> list[int]:
    missing = [name for name in names if name not in markers.names]
    if missing:
        raise BadRequest(
            f"there is no marker {missing[0]!r}; the file has {', '.join(markers.names)}; "
            'a mapping file (--markers) gives the names: base = ["SACR"], head = ["FHD", "LHD", "BHD", "RHD"] ...'
        )
    return [markers.names.index(name) for name in names]


def rests(markers: Markers, *, threshold: float | None = None, noise: float | None = None) -> Rests:
    """Periods in which the markers are almost still.

    HECK's threshold of V = 6 mm/s fails above 0.05 mm of marker noise, so V is set from the noise floor: speeds are
    differences over k frames, k as long as noise alone makes more than 3 mm/s (3 at least), and V is `NOISE_FACTOR`
    times the mean speed by noise, 6 mm/s at least.
    """
    path = markers.positions
    sigma = marker_noise(path) if noise is None else noise
    fps = markers.fps
    k = int(np.clip(np.ceil(1.6 * sigma * np.sqrt(2) * fps / 2 / 0.003), 3, max(3, round(0.1 * fps))))
    ahead, back = np.minimum(np.arange(len(path)) + k, len(path) - 1), np.maximum(np.arange(len(path)) - k, 0)
    step = (ahead - back)[:, None] / fps
    speed = (np.linalg.norm(path[ahead] - path[back], axis=2) / step).mean(1)
    floor = 1.6 * sigma * np.sqrt(2) * fps / (2 * k)
    limit = max(0.006, NOISE_FACTOR * floor) if threshold is None else threshold
    return Rests(speed, float(limit), spans(speed < limit, fps))


def marker_noise(path: FloatArray) -> float:
    """Metres: standard deviation of a coordinate by noise: median of second differences, which leaves motion out."""
    second = path[2:] - 2 * path[1:-1] + path[:-2]
    return float(np.median(np.abs(second)) / 0.6745 / np.sqrt(6.0))


def spans(
    still: BoolArray, fps: float, *, merge: float = MERGE, shortest: float = MIN_REST
) -> tuple[tuple[int, int], ...]:
    """Runs of still frames; those within `merge` seconds of each other are one, those shorter than `shortest` none."""
    merged: list[tuple[int, int]] = []
    for begin, end in runs(still):
        if merged and begin - merged[-1][1] <= merge * fps:
            begin = merged.pop()[0]
        merged.append((begin, end))
    return tuple((a, b) for a, b in merged if b - a >= shortest * fps)


def landmark_turns(markers: Markers, marking: Marking) -> FloatArray:
    """(F, 4, 4) rotations of the frames spanned by the triangles of markers and by the square of the head (HECK)."""
    out = []
    for name in LANDMARKS:
        points = markers.positions[:, _indices(markers, marking.landmarks[name])][:, : 4 if name == "head" else 3]
        middle = points.mean(1, keepdims=True)
        across = points[:, 0] - middle[:, 0]
        other = (points[:, 1] - points[:, 2]) if points.shape[1] == 3 else (points[:, 1] - points[:, 3])
        x = across / np.linalg.norm(across, axis=1, keepdims=True)
        z = np.cross(x, other)
        z /= np.linalg.norm(z, axis=1, keepdims=True)
        out.append(from_matrix(np.stack([x, np.cross(z, x), z], -1)))
    return continuous(np.stack(out, 1))


def rigid_turns(markers: Markers, marking: Marking, rest: slice) -> FloatArray:
    """(F, 4, 4) rotations of each landmark's markers from their mean positions in the frames `rest`.

    Least squares over all markers of the landmark (Horn): of the square of the head alone, the frame of three
    differences has 1.7 times the noise.
    """
    out = np.empty((len(markers), len(LANDMARKS), 4))
    for k, name in enumerate(LANDMARKS):
        names = marking.landmarks[name]
        if name == "head" and names == MARKER_NAMES["head"]:
            names += tuple(more for more in MORE_OF_HEAD if more in markers.names)
        points = markers.positions[:, _indices(markers, names)]
        points = points - points.mean(1, keepdims=True)
        still = np.broadcast_to(points[rest].mean(0), points.shape)
        turns = np.empty((len(points), 4))
        best_rotations(np.ascontiguousarray(still), np.ascontiguousarray(points), turns)
        out[:, k] = turns
    return continuous(out)


def shift_of(
    markers: Markers,
    marking: Marking | None = None,
    *,
    crop: tuple[float, float] | None = None,
    name: str = "",
    rigid: bool = True,
) -> Shift:
    """The gaze shift of a take, cropped from the end of its first rest to the end of its second.

    `crop` gives both ends in seconds instead: the target straight ahead has no shift, and some takes fail. Without
    `rigid`, joints are the frames that triangles and square span, as in HECK.
    """
    marking = marking or Marking()
    still = stabilized(markers, marking)
    title = name or markers.origin.name or "the take"
    if crop is not None:
        first, last = (round(t * markers.fps) for t in crop)
        if not 0 <= first < last <= len(markers):
            raise BadRequest(f"{title}: expected a crop within 0 and {len(markers) / markers.fps:.2f} s, found {crop}")
        pad = max(2, round(0.1 * markers.fps))
        settled = max(last - pad, first + 1)
        ends = ((max(0, first - pad), first + 1), (settled, last))
    else:
        found = rests(still)
        if len(found.spans) < 2:
            raise BadRequest(
                f"{title}: expected a rest before and one after the shift, found {len(found.spans)} below "
                f"{1000 * found.threshold:.1f} mm/s; give its ends by hand (columns start and end of targets.csv), "
                "or leave it out"
            )
        ends = (found.spans[0], found.spans[1])
    turns = rigid_turns(still, marking, slice(*ends[0])) if rigid else landmark_turns(still, marking)
    return shift_between(turns, markers.fps, *ends)


def shift_between(turns: FloatArray, fps: float, rest: tuple[int, int], settled: tuple[int, int]) -> Shift:
    """The shift of landmarks (F, 4, 4) between two rests: first frame and end frame (excluded) of both."""
    (a, b), (c, d) = rest, settled
    before, after = average(turns[a:b], axis=0), average(turns[c:d], axis=0)
    noise = np.median(angle_between(turns[a:b], before), axis=0) / MEDIAN_ANGLE
    start = max(a, b - 1 - round(LEAD_IN * fps))
    return Shift(turns[start:d], fps, b - 1 - start, c - start, before, after, noise)
