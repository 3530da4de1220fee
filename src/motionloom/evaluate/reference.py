"""The source clips that results are measured against, made ready once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, Progress, SkeletonMismatch, require_same_hierarchy, silent
from motionloom.core.progress import each
from motionloom.evaluate.measures.statistics import centre_of, centred_channels
from motionloom.evaluate.measures.take import NotApplicable, Take, take, upright_rotations
from motionloom.evaluate.measures.windows import WIDE, WindowScores, window_scores

SHUFFLED = 600  # frames of the shuffled bound: enough for a steady number


@dataclass(frozen=True, eq=False)
class Reference:
    """Source clips ready for measuring. What measures ask of all of them together is worked out once."""

    takes: tuple[Take, ...]
    _shuffled: list[WindowScores] = field(default_factory=list, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.takes)

    @property
    def frames(self) -> int:
        """At 30 fps."""
        return sum(len(t) for t in self.takes)

    def without(self, index: int) -> Reference:
        """The other takes: what a held-out take is measured against."""
        return Reference(tuple(t for i, t in enumerate(self.takes) if i != index))

    def require_same_body(self, result: Take) -> None:
        """Raise `NotApplicable` unless poses of the result and of every source can be compared joint by joint."""
        for source in self.takes:
            try:
                require_same_hierarchy(result.skeleton, source.skeleton, names=(result.name, source.name))
            except SkeletonMismatch as error:
                raise NotApplicable(f"other skeletons: {error}") from None
        if result.features.shape[1] <= 6 and not np.ptp(result.features, axis=0).any():
            raise NotApplicable("the only joint never turns: there are no poses to compare")

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
        return [centred_channels(upright_rotations(t.clip), self.centre) for t in self.takes]

    @cached_property
    def sound_channels(self) -> list[FloatArray]:
        """The same without the frames that `motionloom check` calls broken: how far joints really turn."""
        pieces = [p for t in self.takes for p in t.sound]
        return [centred_channels(upright_rotations(p.clip), self.centre) for p in pieces]

    def shuffled(self, progress: Progress | None = None) -> WindowScores:
        """The bound that frames of the source in random order reach: full diversity, no motion. Seeded; kept."""
        if not self._shuffled:
            frames = np.concatenate(self.features)
            order = np.random.default_rng(0).permutation(len(frames))[: max(SHUFFLED, WIDE)]
            self._shuffled.append(window_scores(frames[order], self.features, progress=progress))
        return self._shuffled[0]


def reference(clips: Sequence[Clip], *, ground: float | None = None, progress: Progress | None = None) -> Reference:
    """Source clips, ready for measuring."""
    if not clips:
        raise BadRequest("there is nothing to measure against: give at least one source clip")
    sizes, report = [len(c) for c in clips], progress or silent()
    return Reference(tuple(take(c, ground=ground) for c in each(clips, report, "preparing the source", sizes)))
