"""Pairs of frames at which the same feet are on the ground."""

from __future__ import annotations

import numpy as np

from motionloom.analysis.pairs import Pairs
from motionloom.core import BadRequest, BoolArray, Clip


def contacts_agree(a: Clip, b: Clip, pairs: Pairs) -> BoolArray:
    """(N,) where both frames have the same feet on the ground (GUAN 2.5.1: constraints should match).

    Compares every `contact:` label that either clip has; `with_contacts(clip)` finds them.
    """
    names = sorted({n for clip in (a, b) for n in clip.label_names if n.startswith("contact:")})
    for clip, letter in ((a, "A"), (b, "B")):
        if not any(n.startswith("contact:") for n in clip.label_names):
            raise BadRequest(f"clip {clip.name or letter!r} has no contact labels: use with_contacts(clip) first")
    on_a = np.stack([a.label(n) for n in names], 1)[pairs.frames[:, 0]]
    on_b = np.stack([b.label(n) for n in names], 1)[pairs.frames[:, 1]]
    return np.asarray((on_a == on_b).all(1))
