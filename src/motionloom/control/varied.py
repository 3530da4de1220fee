"""Variation on top of any live method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from motionloom.control.layered import Layered, layered
from motionloom.methods.live import Live


def varied(live: Live, model: Any, *, amount: float = 1.0, parts: Sequence[str] = ()) -> Layered:
    """`live` with the variation of a model of takes on top: no two characters move alike.

    Hips and legs are left as they are unless `parts` gives amounts for them, as ("lower=0.5", "head=0").
    """
    from motionloom.methods.variation.layer import variation_layer

    return layered(live, variation_layer(model, amount, parts))
