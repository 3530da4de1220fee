"""The guide to live characters: its Python is run."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_python_of_the_guide_runs():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "live.md").read_text(), re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, "docs/live.md", "exec"), names)
    assert len(names["clip"]) == 120  # type: ignore[arg-type]


def test_the_guide_lists_the_commands_that_motion_matching_accepts():
    from motionloom.methods.motion_matching.live import MatchingLive

    text = (ROOT / "docs" / "live.md").read_text()
    assert all(f"| `{name}` |" in text for name in MatchingLive.accepts)
