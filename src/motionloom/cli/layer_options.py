"""Options of commands that put actions on live characters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from motionloom.cli.flags import option
from motionloom.cli.options import read_clip

Overlays = Annotated[
    list[str] | None,
    option("--overlay", "[NAME=]CLIP", "An action for the order `overlay NAME`, carried out while walking."),
]
OverlayRate = Annotated[float | None, option("--source-fps", "FPS", "Frame rate of the clips of --overlay [frames/s].")]


def load_overlays(texts: Sequence[str], fps: float | None = None) -> dict[str, Any]:
    """The actions of `--overlay` by name: `box=carry.bvh`, or the name of the file without its suffix."""
    from motionloom.core import BadRequest

    found: dict[str, Any] = {}
    for text in texts:
        name, given, path = text.partition("=")
        name, path = (name, path) if given and not Path(text).exists() else (Path(text).stem, text)
        if name in found:
            raise BadRequest(f"--overlay: two actions are called {name}; name one of them, as other={path}")
        found[name] = read_clip(path, trim_tpose=True, fps=fps)
    return found
