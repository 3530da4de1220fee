"""One clip after another, by any of the transitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from motionloom.blend.crossfade import blend_transition
from motionloom.blend.spacetime import spacetime
from motionloom.blend.stitch import stitch
from motionloom.core import BadRequest, Clip

TRANSITIONS: dict[str, Callable[..., Clip]] = {"blend": blend_transition, "stitch": stitch, "spacetime": spacetime}


def append(a: Clip, b: Clip, *, method: str = "blend", **options: Any) -> Clip:
    """Clip `a`, then clip `b`, joined where they are most alike: by "blend", "stitch" or "spacetime".

    `options` are those of the transition: `at`, `seconds`, `plants`, `search`, `measure` for all of them, `ease` for
    blends, `iterations` and `stiffness` for spacetime, and `progress`.
    """
    if method not in TRANSITIONS:
        raise BadRequest(f"transition: expected one of {', '.join(TRANSITIONS)}, found {method!r}")
    return TRANSITIONS[method](a, b, **options)
