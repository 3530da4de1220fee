"""Driving a live character by keys: what each key commands, and a view from above in characters."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from motionloom.core import FloatArray
from motionloom.core.poses import Commands, commands
from motionloom.methods.live import Live
from motionloom.rotation import wrap_angle

TURN = math.radians(20.0)  # by which a key changes the heading
PACE = 0.3  # m/s by which a key changes the speed
ARROWS = "↑↖←↙↓↘→↗"  # seen from above, +z up and +x to the left


@dataclass(frozen=True)
class Pilot:
    """What is commanded by the keys so far."""

    heading: float | None = None  # rad
    speed: float | None = None  # m/s
    action: int = -1
    overlay: int = -1

    def pressed(self, key: str, live: Live, facing: float) -> Pilot:
        """The commands after a key: `left`, `right`, `up`, `down`, `space`, a digit, or `o` for the next
        action on top; others change nothing.

        Without a commanded heading, keys turn from `facing`. A command that the characters do not accept is left out.
        """
        if key in ("left", "right") and "heading" in live.accepts:
            at = facing if self.heading is None else self.heading
            turned = at + (TURN if key == "left" else -TURN)
            return replace(self, heading=float(wrap_angle(turned)), action=-1)
        if key in ("up", "down") and "speed" in live.accepts:
            speed = (1.4 if self.speed is None else self.speed) + (PACE if key == "up" else -PACE)
            return replace(self, speed=max(speed, 0.0), action=-1)
        if key.isdigit() and int(key) < len(live.actions) and "action" in live.accepts:
            return replace(self, action=int(key))
        if key == "o" and "overlay" in live.accepts:
            return replace(
                self, overlay=self.overlay + 1 if self.overlay + 1 < len(getattr(live, "overlays", ())) else -1
            )
        return Pilot() if key == "space" else self

    @property
    def commands(self) -> Commands:
        """As a step takes them."""
        given: dict[str, float | int] = {}
        if self.heading is not None:
            given["heading"] = self.heading
        if self.speed is not None:
            given["speed"] = self.speed
        if self.action >= 0:
            given["action"] = self.action
        if self.overlay >= 0:
            given["overlay"] = self.overlay
        return commands(**given)


def help_line(live: Live) -> str:
    """The keys that these characters know."""
    arrows = ", ".join(name for name in ("heading", "speed") if name in live.accepts)
    last = min(len(live.actions), 10) - 1 if "action" in live.accepts else -1
    known = {
        f"arrows: {arrows}": arrows != "",
        f"0-{last}: action" if last else "0: action": last >= 0,
        "o: overlay": "overlay" in live.accepts,
    }
    return "   ".join([*(text for text, on in known.items() if on), "space: none", "q: quit"])


def top_view(
    trail: FloatArray, heading: float, wanted: float | None, *, width: int = 60, height: int = 22, scale: float = 0.25
) -> list[str]:
    """Lines of characters: the ground from above around the last place of a trail (n, 2), `scale` m to a row.

    The character is an arrow in the middle, its trail is dotted, and an o shows the direction that is commanded.
    """
    grid = [[" "] * width for _ in range(height)]
    middle = trail[-1]

    def put(place: FloatArray, mark: str) -> None:
        row = height // 2 - round((place[1] - middle[1]) / scale)
        column = width // 2 - round((place[0] - middle[0]) / (0.5 * scale))
        if 0 <= row < height and 0 <= column < width:
            grid[row][column] = mark

    step = 1.0
    for x in np.arange(math.floor(middle[0] - 10), middle[0] + 10, step):
        for z in np.arange(math.floor(middle[1] - 10), middle[1] + 10, step):
            put(np.array([x, z]), "·")
    for place in trail:
        put(place, ".")
    if wanted is not None:
        put(middle + 1.5 * np.array([math.sin(wanted), math.cos(wanted)]), "o")
    put(middle, ARROWS[round(heading / (math.pi / 4)) % 8])
    return ["".join(row) for row in grid]
