"""Similar frames of two clips: matrix, threshold and chosen pairs in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

import numpy as np

from motionloom.analysis.comparison import Measure
from motionloom.analysis.contact_agreement import contacts_agree
from motionloom.analysis.curvature_similarity import Curvature
from motionloom.analysis.joint_angles import JointAngles
from motionloom.analysis.joint_positions import JointPositions, Scales, scales
from motionloom.analysis.pairs import Pairs, below, best_share, local_minima
from motionloom.analysis.point_cloud import PointCloud
from motionloom.analysis.weights import Weights
from motionloom.core import BadRequest, Clip, FloatArray, Progress, part, silent
from motionloom.core.watched import watched
from motionloom.kinematics.body.proportions import in_joint_order
from motionloom.kinematics.resample import resample

AnyMeasure = JointAngles | JointPositions | PointCloud | Curvature

MEASURES: dict[str, type[AnyMeasure]] = {
    "joint-angles": JointAngles,
    "joint-positions": JointPositions,
    "point-cloud": PointCloud,
    "curvature": Curvature,
}


class MeasureSettings(TypedDict, total=False):
    """Settings of single measures."""

    freedom: str  # point-cloud: ground, height or rigid
    attributes: Sequence[float]  # joint-angles: w_p, w_a, w_v; joint-positions: w_p, w_v, w_v0, w_a0
    scales: Sequence[float]  # joint-positions: the values of `Scales`
    candidates: float  # curvature: share of pairs that pass the first stage, 0..1
    speed_floor: float  # curvature: m/s below which a joint rests
    normalised: str  # curvature: windows or joints


_SETTINGS: dict[str, tuple[str, tuple[str, ...], Any]] = {
    "freedom": ("freedom", ("point-cloud",), str),
    "attributes": ("attributes", ("joint-angles", "joint-positions"), lambda v: tuple(map(float, v))),
    "scales": ("scales", ("joint-positions",), lambda v: Scales(*map(float, v))),
    "candidates": ("share", ("curvature",), float),
    "speed_floor": ("floor", ("curvature",), float),
}


@dataclass(frozen=True, eq=False)
class Similarity:
    """What was found: the matrix, the frames that its first row and column stand for, and the chosen pairs."""

    a: Clip
    b: Clip
    measure: Measure
    matrix: FloatArray
    pairs: Pairs

    @property
    def first(self) -> tuple[int, int]:
        return (self.measure.radius, self.measure.radius)


def measure_named(
    name: str,
    *,
    weights: Weights | None = None,
    radius: int | None = None,
    database: Sequence[Clip] = (),
    **settings: Unpack[MeasureSettings],
) -> AnyMeasure:
    """A measure by its name, with joint weights, a window radius in frames, and a data set to normalise by.

    `radius` is for the two that look at windows (point-cloud, curvature); `database` for joint-positions. `settings`
    belong to one or two of the measures, and are an error with others.
    """
    if name not in MEASURES:
        raise BadRequest(f"measure: expected one of {', '.join(MEASURES)}, found {name!r}")
    measure = MEASURES[name]()
    if weights is not None:
        measure = replace(measure, weights=weights)
    if radius is not None and isinstance(measure, (PointCloud, Curvature)):
        measure = replace(measure, radius=radius)
    if database and isinstance(measure, JointPositions):
        measure = replace(measure, scales=scales(database, measure.weights))
    given: dict[str, Any] = dict(settings)
    form = given.pop("normalised", None)
    if form is not None and (name != "curvature" or form not in ("windows", "joints")):
        raise BadRequest(f"normalised: expected windows or joints, with measure curvature, found {form} with {name}")
    if form is not None:
        changed: Any = {"normalised" if form == "windows" else "per_joint": True}
        measure = replace(measure, **changed)
    for key, value in given.items():
        field, measures, convert = _SETTINGS[key]
        if name not in measures:
            raise BadRequest(f"{key}: only with measure {' or '.join(measures)}, found {name}")
        setting: Any = {field: convert(value)}
        measure = replace(measure, **setting)
    if isinstance(measure, (JointAngles, JointPositions)):
        count = len(type(measure)().attributes)
        if len(measure.attributes) != count:
            raise BadRequest(f"attributes: expected {count} weights for {name}, found {len(measure.attributes)}")
    return measure


@watched
def find_similar(
    a: Clip,
    b: Clip,
    measure: Measure,
    *,
    share: float = 0.01,
    threshold: float | None = None,
    minima: bool = False,
    contacts: bool = False,
    progress: Progress | None = None,
) -> Similarity:
    """The frames of `a` and `b` that look alike under a measure.

    The best `share` of all pairs; with `threshold` all at or below it instead (for point clouds in metres, root mean
    square over the joints, as the limits of graphs; for other measures in their own unit). Pairs that the first stage
    of curvature rejects are never among them. With `minima` only local minima among them; with `contacts` only pairs
    with the same feet on the ground (`contact:` labels).
    """
    report = progress or silent()
    matrix = measure.matrix(a, b, part(report, 0.0, 0.9))
    first = (measure.radius, measure.radius)
    if threshold is not None and measure.unit == "m^2":
        threshold = threshold**2
    if minima:
        limit = threshold if threshold is not None else float(best_share(matrix, share).values[-1])
        pairs = local_minima(matrix, threshold=limit, first=first)
    elif threshold is not None:
        pairs = below(matrix, threshold, first=first)
    else:
        pairs = best_share(matrix, share, first=first)
    if isinstance(measure, Curvature) and measure.share < 1:
        pairs = pairs.where(pairs.values < matrix.max())  # the value of all pairs that are no candidates
    if contacts:
        pairs = pairs.where(contacts_agree(a, b, pairs))
    report(1.0, "choosing pairs")
    return Similarity(a, b, measure, matrix, pairs)


def same_rate(a: Clip, b: Clip) -> tuple[Clip, Clip]:
    """Both clips at the lower of their frame rates, the joints of `b` in the order of those of `a`."""
    fps = min(a.fps, b.fps)
    b = in_joint_order(b, a.skeleton)
    return tuple(clip if abs(clip.fps - fps) < 1e-3 * fps else resample(clip, fps) for clip in (a, b))  # type: ignore[return-value]


def readable(similarity_unit: str, matrix: FloatArray) -> tuple[FloatArray, str]:
    """A matrix in words that people use: squared metres as root mean square centimetres, others as they are."""
    if similarity_unit == "m^2":
        return 100 * np.sqrt(matrix), "cm (root mean square)"
    return matrix, similarity_unit
