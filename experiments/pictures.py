"""Pictures of the experiments, small enough for the repository."""

from __future__ import annotations

from pathlib import Path

WIDTH, COLOURS = 1100, 64


def make_smaller(path: Path) -> None:
    """Scale a PNG to a width of at most `WIDTH` pixels and reduce it to a palette."""
    from PIL import Image

    picture = Image.open(path).convert("RGB")
    width = min(WIDTH, picture.width)
    size = (width, round(picture.height * width / picture.width))
    picture.resize(size, Image.Resampling.LANCZOS).quantize(COLOURS).save(path, optimize=True)
