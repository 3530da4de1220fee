"""An hour of capture through load, check, evaluate and learning: not part of `./run bench` without a name."""

from __future__ import annotations

from typing import Any

from benchmarks.scale import ALL, growth


def figures() -> list[dict[str, Any]]:
    return growth(ALL, (30.0, 60.0), 3600.0)
