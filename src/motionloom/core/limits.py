"""Limits on the size of files, clips and results, so that an oversized one is an error instead of a full memory."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

from motionloom.core.errors import BadRequest

VARIABLE = "MOTIONLOOM_LIMITS"
MAX_DEPTH = 256  # joints in one chain, for readers and writers; real bodies have about ten


@dataclass(frozen=True)
class Limits:
    """The largest accepted sizes. The environment variable MOTIONLOOM_LIMITS changes the defaults.

    >>> Limits().exceeded(frames=10**12)
    '1000000000000 frames are more than the limit of 1000000 (MOTIONLOOM_LIMITS="frames=..." raises it)'
    """

    seconds: float = 7200.0  # of a clip or a result
    frames: float = 1e6
    joints: float = 2000
    bytes: float = 1e9  # of a file

    @classmethod
    def current(cls) -> Limits:
        """The defaults, changed by the environment: `MOTIONLOOM_LIMITS="seconds=36000 frames=5e6"`."""
        words = os.environ.get(VARIABLE, "").replace(",", " ").split()
        changes: dict[str, float] = {}
        for word in words:
            name, _, text = word.partition("=")
            try:
                changes[name] = float(text)
            except ValueError:
                changes[name] = 0.0
            if name not in (f.name for f in fields(cls)) or not changes[name] > 0:
                known = ", ".join(f"{f.name}={f.default:g}" for f in fields(cls))
                raise BadRequest(f"{VARIABLE}: expected values such as {known}, found {word[:60]!r}")
        return cls(**changes)

    def check_length(self, seconds: float, fps: float) -> None:
        """`BadRequest` if a result of this length is not longer than 0 s, or longer than the limits."""
        if not seconds > 0:
            raise BadRequest(f"expected a length above 0 s, found {seconds:g} s", where=("seconds",))
        if why := self.exceeded(seconds=seconds, frames=seconds * fps):
            raise BadRequest(why, where=("seconds",))

    def exceeded(self, **amounts: float) -> str:
        """Which of these amounts (`frames=...`) is above its limit, in words; "" if none is."""
        for name, amount in amounts.items():
            most = getattr(self, name)
            if not amount <= most:
                return (
                    f'{amount:.15g} {name} are more than the limit of {most:.15g} ({VARIABLE}="{name}=..." raises it)'
                )
        return ""
