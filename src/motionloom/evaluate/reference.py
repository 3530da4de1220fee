"""The source clips that results are measured against, prepared once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, Progress, SkeletonMismatch, require_same_hierarchy, silent
from motionloom.core.progress import each, parts
from motionloom.evaluate.measures.coverage_diversity import WIDE, WindowScores, usual_distance, window_scores
from motionloom.evaluate.measures.prepared_clip import NotApplicable, Take, take, upright_rotations
from motionloom.evaluate.measures.statistics import centre_of
from motionloom.kinematics.channels.centred import centred_angles

SHUFFLED = 600  # frames of the shuffled bound: with more the value hardly changes
MAX_ORDERS, MAX_COMPARED = (
    8,
    5_000_000,
)  # random orders, and pairs of frames in them: those of long sources hardly differ


@dataclass(frozen=True, eq=False)
class Reference:
    """Source clips prepared for measuring; what measures need of all of them is computed once."""

    takes: tuple[Take, ...]
    whole: Reference | None = None  # the source of which these are all takes but one
    _shuffled: list[WindowScores] = field(default_factory=list, init=False, repr=False)
    _apart: list[float] = field(default_factory=list, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.takes)

    @property
    def frames(self) -> int:
        """At 30 fps."""
        return sum(len(t) for t in self.takes)

    def without(self, index: int) -> Reference:
        """The other takes, against which a held-out take is measured, by the thresholds of all takes together."""
        return Reference(tuple(t for i, t in enumerate(self.takes) if i != index), self.whole or self)

    def require_same_body(self, result: Take) -> None:
        """Raise `NotApplicable` unless poses of the result and of every source can be compared joint by joint."""
        for source in self.takes:
            try:
                require_same_hierarchy(result.skeleton, source.skeleton, names=(result.name, source.name))
            except SkeletonMismatch as error:
                raise NotApplicable(f"other skeletons: {error}") from None
        if result.features.shape[1] <= 6 and not np.ptp(result.features, axis=0).any():
            raise NotApplicable("the only joint never turns, so there are no poses to compare")

    @cached_property
    def features(self) -> list[FloatArray]:
        return [t.features for t in self.takes]

    @cached_property
    def centre(self) -> FloatArray:
        """(K, 4) the mean rotation of every joint."""
        return centre_of([upright_rotations(t.clip) for t in self.takes])

    @cached_property
    def channels(self) -> list[FloatArray]:
        """Exponential maps (F, K, 3) about `centre`, one array per take."""
        return [centred_angles(upright_rotations(t.clip), self.centre) for t in self.takes]

    @cached_property
    def sound_channels(self) -> list[FloatArray]:
        """The same without the frames that `motionloom check` reports as broken: the true ranges of joints."""
        pieces = [p for t in self.takes for p in t.sound]
        return [centred_angles(upright_rotations(p.clip), self.centre) for p in pieces]

    @property
    def has_shuffled(self) -> bool:
        """Whether `shuffled` was computed already."""
        return bool(self._shuffled)

    @property
    def orders(self) -> int:
        """How many random orders of the frames are scored."""
        return int(np.clip(MAX_COMPARED // (SHUFFLED * self.frames), 1, MAX_ORDERS))

    def shuffled(self, progress: Progress | None = None) -> WindowScores:
        """Scores of the source's frames in random order, an upper bound of diversity. Seeded; computed once."""
        if self.whole is not None:
            return self.whole.shuffled(progress)
        if not self._shuffled:
            frames, found = np.concatenate(self.features), []
            for seed, step in enumerate(parts(progress or silent(), [1.0] * self.orders)):
                order = np.random.default_rng(seed).permutation(len(frames))[: max(SHUFFLED, WIDE)]
                found.append(window_scores(frames[order], self.features, progress=step))
            self._shuffled.extend(found)
        return self._shuffled[0]

    def chance_cost(self) -> float:
        """The least `WindowScores.chance_cost` of all orders: where takes are alike, it differs by a tenth."""
        if self.whole is not None:
            return self.whole.chance_cost()
        self.shuffled()
        return min(scores.chance_cost() for scores in self._shuffled)

    def take_distance(self, progress: Progress | None = None) -> float:
        """The usual distance of two takes; `NotApplicable` if there is only one. Computed once."""
        if self.whole is not None:
            return self.whole.take_distance(progress)
        if not self._apart:
            self._apart.append(usual_distance(self.features, progress))
        return self._apart[0]


def reference(clips: Sequence[Clip], *, ground: float | None = None, progress: Progress | None = None) -> Reference:
    """Prepare source clips for measuring."""
    if not clips:
        raise BadRequest("expected at least one source clip, found none")
    sizes, report = [len(c) for c in clips], progress or silent()
    return Reference(tuple(take(c, ground=ground) for c in each(clips, report, "preparing the source", sizes)))
