"""How far a moving body extends from its hips over the ground: the distance that they keep from obstacles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import Clip
from motionloom.kinematics.fk import fk

USUAL_SHARE = 0.9  # of frames


def body_reach(clips: Sequence[Clip]) -> float:
    """Metres from the hips to the farthest joint over the ground, which nine of ten frames do not exceed."""
    far = [np.linalg.norm(fk(c)[..., [0, 2]] - c.root[:, None, [0, 2]], axis=2).max(1) for c in clips]
    return float(np.quantile(np.concatenate(far), USUAL_SHARE))
