"""Equality helpers for tests: two clips that move alike, or a message that states where they differ."""

from __future__ import annotations

import numpy as np

from motionloom.core.clip import Clip
from motionloom.core.skeleton import require_same_hierarchy
from motionloom.rotation import angle_between


def assert_same_motion(a: Clip, b: Clip, *, metres: float = 1e-9, radians: float = 1e-6) -> None:
    """Same hierarchy, frame rate and length; root within `metres`, every joint's rotation within `radians`."""
    require_same_hierarchy(a.skeleton, b.skeleton)
    assert len(a) == len(b), f"{len(a)} frames against {len(b)}"
    assert a.fps == b.fps, f"{a.fps} fps against {b.fps}"
    apart = np.linalg.norm(a.root - b.root, axis=1)
    assert apart.max() <= metres, f"root {apart.max():.3g} m apart at frame {apart.argmax()}"
    turn = angle_between(a.rotations, b.rotations)
    f, j = np.unravel_index(turn.argmax(), turn.shape)
    assert turn.max() <= radians, f"{a.skeleton.names[j]!r} turned {turn.max():.3g} rad apart at frame {f}"
    bones = np.linalg.norm(a.skeleton.offsets - b.skeleton.offsets, axis=1)
    assert bones.max() <= metres, f"{a.skeleton.names[int(bones.argmax())]!r} differs in length by {bones.max():.3g} m"
