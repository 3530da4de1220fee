"""What a graph's material can do on the ground: how fast it goes, how sharply it turns, which way it steps."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.methods.graph.core import Graph
from motionloom.methods.graph.prune import alive
from motionloom.methods.graph.steps import after, ahead, steps

WINDOW = 1.0  # s over which speed and turn are taken: about a stride, within which hips swing to and fro
TURN = np.radians(30.0)  # rad/s: slower is going straight
STILL = 0.3  # m/s: slower is standing
SPEEDS = (0.0, STILL, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, np.inf)  # m/s, of the table
TURNS = (-np.inf, np.radians(-90.0), -TURN, TURN, np.radians(90.0), np.inf)  # rad/s, left positive
COLUMNS = ("sharp right", "right", "straight", "left", "sharp left")


@dataclass(frozen=True, eq=False)
class Coverage:
    """Speed and turn of every second that the graph can show, within clips and across each of its transitions."""

    speed: FloatArray  # (W,) m/s
    turn: FloatArray  # (W,) rad/s of the heading, left positive
    course: FloatArray  # (W,) radians: direction of travel as the body sees it: 0 forward, positive to its left
    fps: float

    def table(self) -> IntArray:
        """(S, 5) moments for each row of `SPEEDS` and each of `COLUMNS`."""
        shape = (len(SPEEDS) - 1, len(TURNS) - 1)
        row = np.searchsorted(SPEEDS, self.speed, side="right") - 1
        column = np.searchsorted(TURNS, self.turn, side="right") - 1
        return np.bincount(row * shape[1] + column, minlength=shape[0] * shape[1]).reshape(shape)

    def rows(self) -> list[tuple[str, ...]]:
        """The table in words, one row for each speed that occurs: speed, then the share of moments in each column."""
        counts = self.table()
        out = []
        for (low, high), row in zip(pairwise(SPEEDS), counts, strict=True):
            if row.sum():
                name = f"{low:g} to {high:g} m/s" if np.isfinite(high) else f"over {low:g} m/s"
                out.append((name, *("-" if not n else f"{n / counts.sum():.1%}" for n in row)))
        return out

    def sentences(self) -> list[str]:
        """What these clips can do and what they cannot, in words."""
        if not len(self.speed):
            return ["no second of these clips can be shown"]
        low, high = np.quantile(self.speed, [0.005, 0.995])
        out = [f"speeds from {low:.1f} to {high:.1f} m/s" + _gaps(self.speed)]
        if (self.speed > STILL).all():
            out.append("nobody stands still")
        moving = self.speed > STILL
        for side, sign in (("left", 1.0), ("right", -1.0)):
            out.append(self._side(side, moving & (sign * self.turn >= TURN), sign, float(high)))
        off = np.degrees(np.abs(self.course))
        ways = {"backwards": off > 120, "sideways": (off > 50) & (off <= 120)}
        missing = [name for name, there in ways.items() if not (there & moving).any()]
        if missing:
            out.append(f"no steps {' or '.join(missing)}")
        return out

    def _side(self, side: str, turning: BoolArray, sign: float, fastest: float) -> str:
        if not turning.any():
            return f"no {side} turn of {np.degrees(TURN):.0f} degrees a second or more"
        top = float(self.speed[turning].max())
        best = int(np.argmax(np.where(turning, sign * self.turn, -np.inf)))
        rate, at = np.degrees(sign * self.turn[best]), self.speed[best]
        sharpest = f"sharpest {side} turn {rate:.0f} degrees a second, at {at:.1f} m/s"
        return f"no {side} turn faster than {top:.1f} m/s; {sharpest}" if top < fastest - 0.2 else sharpest


def coverage(graph: Graph) -> Coverage:
    """Every second that a graph can show: along its clips, and with each transition in the middle.

    Speed is the straight distance between both ends of the second; turn is how the heading changes.
    """
    fps = graph.clips[0].fps
    width = max(2, round(WINDOW * fps))
    found = steps(graph)
    use = alive(graph)
    found = found.within(use, np.ones(len(found.enter), bool))
    way = ahead(found, width)  # (N, width + 1, 3): place and turn seen from each frame
    whole = use & np.isfinite(way[:, width, 0])
    moves = [way[whole, width]]
    side = max(0, (width - found.blend) // 2)
    leave = np.repeat(np.arange(graph.count), np.diff(found.first_out))
    starts = leave - side
    fits = (starts >= 0) & np.isfinite(way[np.maximum(starts, 0), side, 0])
    fits &= np.isfinite(way[found.enter, width - found.blend - side, 0]) if width > found.blend + side else True
    if side and fits.any():
        before = way[starts[fits], side]
        rest = way[found.enter[fits], width - found.blend - side]
        moves.append(after(after(before, found.over[fits, -1]), rest))
    move = np.concatenate(moves)
    speed = np.linalg.norm(move[:, :2], axis=1) * fps / width
    course = np.arctan2(move[:, 0], move[:, 1]) - move[:, 2] / 2  # seen from the heading in the middle
    course = (course + np.pi) % (2 * np.pi) - np.pi
    return Coverage(speed, move[:, 2] * fps / width, course, fps)


def _gaps(speed: FloatArray) -> str:
    """Ranges of speed of at least 0.4 m/s that nothing goes at."""
    order = np.sort(speed)
    wide = np.flatnonzero(np.diff(order) > 0.4)
    found = [f"{order[k]:.1f} and {order[k + 1]:.1f} m/s" for k in wide]
    return f", but nothing between {', between '.join(found)}" if found else ""
