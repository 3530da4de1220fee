"""What an error carries: the nearest clip, as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from motionloom import samples
from motionloom.constraints import Reach, Request
from motionloom.core import NoPath
from motionloom.methods import synthesize
from motionloom.methods.base import Honours, Model


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OneWalk(Model):
    """Has one walk, and finds no path to anywhere."""

    method: ClassVar[str] = "one-walk"
    honours: ClassVar[Honours] = ((Reach, "hard"),)

    def check(self):
        """Nothing is stored."""

    def _plan(self, request, options, rng, progress):
        raise NoPath("no path there", best=samples.make("walk", seconds=3, fps=30))

    def render(self, plan, request, options, rng, progress):
        raise AssertionError("there is no plan")


def test_the_best_clip_of_an_error_is_not_pulled_to_what_it_cannot_reach():
    walk = samples.make("walk", seconds=3, fps=30)
    model = OneWalk(skeleton=walk.skeleton, config=None, fps=30.0)
    with pytest.raises(NoPath) as caught:
        synthesize(model, Request(seconds=3, constraints=(Reach(position=(0, 50), by=3),)))
    best, (row,) = caught.value.best, caught.value.residuals
    far = np.linalg.norm(best.root[:, [0, 2]] - (0, 50), axis=1).min()
    assert far == pytest.approx(50 - np.linalg.norm(walk.root[-1] - walk.root[0]), abs=0.2)
    assert not row.met
    assert row.worst == pytest.approx(far, abs=0.01)
