"""Ground with heights: the search compares heights over the ground under the root, and the result is lifted onto it."""

from __future__ import annotations

import numpy as np

from motionloom.constraints import Ground
from motionloom.core import Clip, FloatArray, replace
from motionloom.methods.texture.faithful.keys import HARD, HEIGHT, NONE, PLACE, Keys


def over_ground(keys: Keys, ground: Ground, places: FloatArray | None) -> Keys:
    """The keys with heights over the ground: below given places, else below `places` (F, 2) of an earlier result.

    Where neither is known, heights are left out.
    """
    if ground.flat:
        return keys
    known = keys.root_weights[:, PLACE] == HARD
    at = keys.place if places is None else np.where(known[:, None], keys.place, places)
    weights = keys.root_weights.copy()
    if places is None:
        weights[~known, HEIGHT] = NONE
    return keys._replace(height=keys.height - ground.height_at(at[:, 0], at[:, 1]), root_weights=weights)


def lifted(clip: Clip, keys: Keys, ground: Ground) -> Clip:
    """A result for flat ground with its root as high over the ground below it; hard heights are those in the world."""
    if ground.flat:
        return clip
    root, hard = clip.root.copy(), keys.root_weights[:, HEIGHT] == HARD
    root[:, 1] += ground.height_at(root[:, 0], root[:, 2])
    root[hard, 1] = keys.height[hard]
    return replace(clip, root=root)
