"""What several tests of variation use."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.constraints import Request
from motionloom.core import Clip, replace
from motionloom.methods.synthesis import rendered
from motionloom.methods.variation import Config, VariationModel

QUICK = Config(rounds=1, candidates=2, tries=2, least_gain=1.0)  # tests of synthesis need no good networks


def raw(model: VariationModel, request: Request | None = None, seed: int = 0, **options: Any) -> Clip:
    """A variant before the finishing pass."""
    asked = replace(request or Request(), options=options)
    return rendered(model, asked, np.random.default_rng([seed, 0]))[1]
