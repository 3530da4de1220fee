"""What to say when clips cannot be connected: why, and with which limit they could be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from motionloom.core import Clip

WIDER = (1.25, 1.5, 2.0, 3.0, 4.0)  # times the limit that are tried


def unconnected(
    clips: Sequence[Clip], *, blend: float, transitions: int, limit: float, would: Callable[[float], bool]
) -> str:
    """Why no way leads round, and the nearest limit with which one would: `would(limit)` tries.

    `blend` is a transition's length in seconds, `transitions` how many there are.
    """
    said = f"these clips cannot be connected: {transitions} transitions, but no way leads round"
    longest = max(c.seconds for c in clips)
    if longest <= blend + 3 / clips[0].fps:
        return f"{said}; the longest clip lasts {longest:.2f} s, a transition {blend:g} s"
    for factor in WIDER:
        if would(factor * limit):
            return f"{said} with a limit of {limit:.3g}; with --limit {factor * limit:.3g} there is one"
    return f"{said}, not even with four times the limit ({WIDER[-1] * limit:.3g}): give clips that do more alike things"
