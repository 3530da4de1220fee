"""Training data: the frames of all clips as coordinates, and fits of single textons to stretches of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from motionloom.core import FloatArray, Progress, silent
from motionloom.kinematics.channels.metric import MetricSpace, change_base, to_coordinates
from motionloom.kinematics.channels.sides import continuous, segment_base
from motionloom.kinematics.local_frames import Frames
from motionloom.methods.textons.learn.lds import (
    LOG_2PI,
    Dynamics,
    Prior,
    Texton,
    fit,
    fit_error,
    log_prior,
    pool_likelihood,
)
from motionloom.methods.textons.learn.likelihood import likelihood
from motionloom.methods.textons.learn.pooled_prior import pool_of
from motionloom.methods.textons.segments import Segment


@dataclass(frozen=True, eq=False)
class LearningSettings:
    """Settings of learning, with times in frames."""

    shortest: int  # frames, T_min
    keep: float  # share of variance that a basis keeps
    largest: int  # most dimensions of a state
    tolerance: float
    smoothing: float  # pseudo-count of every transition
    rounds: int
    prior: Prior = Prior()  # noqa: RUF009
    recurring: bool = False  # are textons that were seen once dropped, where others serve as well?


class TrainingData:
    """The frames of all clips, as coordinates; textons with joints that turn far have charts of their own."""

    def __init__(self, clips: Sequence[Frames], space: MetricSpace) -> None:
        self.clips, self.space = list(clips), space
        self.shared = [to_coordinates(c, space) for c in self.clips]
        self.even = [continuous(y, space) for y in self.shared]  # without jumps at pi
        everything = np.concatenate(self.even)
        self.channels = everything.shape[1]
        self.spread = float(np.sqrt(everything.var(0).mean()))
        self.start = [_start_density(y, everything, self.even) for y in self.even]
        self.pool = pool_of(self.even)
        self._levels: dict[tuple[float, int, Prior], float] = {}

    def charted(self, segment: Segment, base: FloatArray) -> FloatArray:
        """(n, D) coordinates of a segment in the chart around `base`."""
        return change_base(self.shared[segment.clip][segment.start : segment.stop], self.cut(segment), self.space, base)

    def cut(self, segment: Segment) -> Frames:
        """The frames of a segment."""
        return self.clips[segment.clip][segment.start : segment.stop]

    def likelihood(self, segment: Segment, texton: Texton) -> FloatArray:
        """(n,) log density of every frame of a segment; 0 for the first two, which start it."""
        return likelihood(self.charted(segment, texton.base), texton.dynamics, self.space)

    def errors(self, segment: Segment, texton: Texton, within: int | None = None) -> FloatArray:
        """(n,) metres; on the side of the chart of the first `within` frames."""
        return fit_error(continuous(self.charted(segment, texton.base), self.space, within), texton.dynamics)

    def score(self, clip: int, textons: Sequence[Texton], progress: Progress | None = None) -> FloatArray:
        """(T, N) log-likelihood of every frame of a clip under every texton."""
        whole, report = Segment(clip, 0, len(self.clips[clip]), 0), progress or silent()
        rows = []
        for texton in textons:
            report(None, "segmenting")
            rows.append(self.likelihood(whole, texton))
        return np.stack(rows, 1)

    def learn_texton(
        self, segments: Sequence[Segment], settings: LearningSettings, old: Texton | None = None
    ) -> Texton:
        """A fit to these segments; with `old`, never a worse one: basis and mean change only if the objective gains."""
        base = segment_base([self.cut(s) for s in segments], self.space)
        fresh = self._fit(segments, settings, base, None)
        if old is None:
            return fresh
        same = self._fit(segments, settings, old.base, old.dynamics)
        return max((fresh, same, old), key=lambda t: self.value(segments, t, settings))

    def _fit(
        self, segments: Sequence[Segment], settings: LearningSettings, base: FloatArray, like: Dynamics | None
    ) -> Texton:
        y = [continuous(self.charted(s, base), self.space) for s in segments]
        found = fit(y, keep=settings.keep, largest=settings.largest, prior=settings.prior, pool=self.pool, like=like)
        return Texton(found, base)

    def value(self, segments: Sequence[Segment], texton: Texton, settings: LearningSettings) -> float:
        """The contribution of a texton with these segments to the objective (without starts and transitions)."""
        return sum(float(self.likelihood(s, texton).sum()) for s in segments) + self.log_prior(texton, settings)

    def log_prior(self, texton: Texton, settings: LearningSettings) -> float:
        """Log prior of one texton. The pull of the pool is 0 for the one linear system of all clips."""
        level = settings.prior.common * self.level(settings)
        return log_prior(texton.dynamics, settings.prior, self.channels, self.pool) - level

    def level(self, settings: LearningSettings) -> float:
        """Mean log density of a frame under the one linear system of all clips, the reference for textons."""
        key = (settings.keep, settings.largest, settings.prior)
        if key not in self._levels:
            prior = replace(settings.prior, common=0.0)
            one = fit(self.even, keep=settings.keep, largest=settings.largest, prior=prior)
            self._levels[key] = pool_likelihood(one, self.pool)
        return self._levels[key]


def _start_density(y: FloatArray, everything: FloatArray, clips: Sequence[FloatArray]) -> FloatArray:
    """(T,) log density of frames b, b + 1 as the start of a segment, the same for all textons and never refitted.

    The pose is Gaussian over all frames and the step from b to b + 1 Gaussian over all steps, channel by channel.
    """
    steps = np.concatenate([np.diff(c, axis=0) for c in clips])
    pose, step = everything.var(0) + 1e-8, steps.var(0) + 1e-8
    out = np.full(len(y), -np.inf)
    at = -0.5 * (((y[:-1] - everything.mean(0)) ** 2 / pose) + np.log(pose) + LOG_2PI).sum(1)
    on = -0.5 * ((np.diff(y, axis=0) ** 2 / step) + np.log(step) + LOG_2PI).sum(1)
    out[:-1] = at + on
    return out
