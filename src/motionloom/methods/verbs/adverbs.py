"""Interpolation over adverbs (GUAN eqs 2.7-2.8), and tables of adverbs and key times in YAML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from motionloom.constraints.yaml_lines import read_yaml
from motionloom.core import BadRequest, Clip, FloatArray

RIDGE = 1e-9  # on the diagonal of the radial basis functions


def cubic_b_spline(r: FloatArray) -> FloatArray:
    """The cubic B-spline of distances: 2/3 at 0, 0 from 2 on."""
    r = np.abs(r)
    near, far = 2 / 3 - r**2 + r**3 / 2, np.maximum(2 - r, 0.0) ** 3 / 6
    return np.where(r < 1, near, far)


class Interpolation:
    """Weights of examples at adverbs p: a plane by least squares, and radial functions fitted to what it misses.

    All control points and key times are interpolated in the same way, and the result is linear in those of the
    examples; so one weight for each example does for all. R_i has a support of twice the distance from example i to
    its nearest one. At an example its own weight is 1; the weights add up to 1, and may be negative.
    """

    def __init__(self, values: FloatArray) -> None:
        self.values = values
        apart = np.linalg.norm(values[:, None] - values[None], axis=-1)
        np.fill_diagonal(apart, np.inf)
        self.reach = np.maximum(apart.min(1), 1e-9)
        plane = self._plane(values)
        fit = np.linalg.pinv(plane)  # (D + 1, K): least squares, A_l(p_i) to the coefficients a
        radial = self._radial(values)
        self.plane = fit
        self.residual = np.linalg.solve(radial + RIDGE * np.eye(len(values)), np.eye(len(values)) - plane @ fit)

    def __call__(self, p: FloatArray) -> FloatArray:
        """(K,) weights of the examples at adverbs (D,)."""
        at = np.atleast_2d(p)
        return np.asarray((self._plane(at) @ self.plane + self._radial(at) @ self.residual)[0])

    def _plane(self, values: FloatArray) -> FloatArray:
        return np.concatenate([np.ones((len(values), 1)), values], 1)  # A_0 = 1, A_l = p_l

    def _radial(self, values: FloatArray) -> FloatArray:
        far = np.linalg.norm(values[:, None] - self.values[None], axis=-1)
        return cubic_b_spline(far / self.reach)


def adverb_table(text: str, clips: Sequence[Clip]) -> tuple[tuple[str, ...], FloatArray]:
    """The names of adverbs, and (clips, D) their values, from a table in YAML."""
    table = _by_clip(text, clips, "adverbs")
    names = tuple(dict.fromkeys(name for row in table if isinstance(row, dict) for name in row))
    values = np.empty((len(clips), len(names)))
    for i, (clip, row) in enumerate(zip(clips, table, strict=True)):
        if not isinstance(row, dict) or set(row) != set(names):
            raise BadRequest(
                f"adverbs of {clip.name}: expected a number for each of {', '.join(map(str, names)) or 'some names'}, "
                f"found {row!r}",
                where=("adverbs",),
            )
        values[i] = [_number(row[name], f"adverbs of {clip.name}, {name}", "adverbs") for name in names]
    return tuple(map(str, names)), values


def check_different(values: FloatArray, clips: Sequence[Clip]) -> None:
    """`BadRequest` that names two clips with equal adverbs (clips, D), of which one would be left out."""
    for i, clip in enumerate(clips):
        for k in map(int, np.flatnonzero((values[:i] == values[i]).all(1))):
            raise BadRequest(f"{clips[k].name} and {clip.name} have equal ones; leave one out", where=("adverbs",))


def key_table(text: str, clips: Sequence[Clip]) -> list[FloatArray]:
    """Key times of every clip, seconds, from a table in YAML."""
    out = []
    for clip, row in zip(clips, _by_clip(text, clips, "keys"), strict=True):
        if not isinstance(row, list):
            raise BadRequest(f"keys of {clip.name}: expected a list of seconds, found {row!r}", where=("keys",))
        times = np.array([_number(t, f"keys of {clip.name}", "keys") for t in row])
        if (np.diff(times) <= 0).any() or (len(times) and not 0 < times[0] <= times[-1] < clip.seconds):
            raise BadRequest(
                f"keys of {clip.name}: expected increasing seconds from 0 to {clip.seconds:.2f}, found {row}",
                where=("keys",),
            )
        out.append(times)
    if len({len(times) for times in out}) > 1:
        raise BadRequest(f"expected as many for each clip, found {[len(times) for times in out]}", where=("keys",))
    return out


def _by_clip(text: str, clips: Sequence[Clip], key: str) -> list[Any]:
    table = read_yaml(text, key, as_text=True)  # 35_01 is a name, not a number
    if not isinstance(table, dict):
        raise BadRequest(f"expected a table by clip, as {{walk_1: ...}}, found {text[:80]!r}", where=(key,))
    by_name = {str(name): row for name, row in table.items()}
    absent = [clip.name for clip in clips if not {clip.name, PurePath(clip.name).stem} & set(by_name)]
    if absent:
        raise BadRequest(f"no row for {', '.join(absent)}; found {', '.join(by_name)}", where=(key,))
    return [by_name.get(clip.name, by_name.get(PurePath(clip.name).stem)) for clip in clips]


def _number(value: Any, what: str, key: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise BadRequest(f"{what}: expected a number, found {value!r}", where=(key,))
    return number
