"""One palette for all pictures and pages: paper and ink, left in warm, right in cool."""

from __future__ import annotations

PAPER = "#fbfaf7"
INK = "#22303c"
QUIET = "#8a949c"
LINE = "#dcd9d2"
TONES = {"left": "#e2603a", "right": "#1f86a8", "middle": "#54636f", "eye": "#1b242c", "prop": "#b98a3d"}
SOURCES = ("#4c78a8", "#f2a541", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#9d755d", "#79706e")

RGB = tuple[float, float, float]


def rgb(colour: str) -> RGB:
    """'#rrggbb' to three numbers in 0..1."""
    return (int(colour[1:3], 16) / 255, int(colour[3:5], 16) / 255, int(colour[5:7], 16) / 255)


def as_hex(colour: RGB) -> str:
    """Three numbers in 0..1 to '#rrggbb'."""
    return "#" + "".join(f"{round(255 * value):02x}" for value in colour)


def mix(a: RGB, b: RGB, share: float) -> RGB:
    """`share` of b in a: 0 is a, 1 is b."""
    return (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share)
