"""What a graph's material can do on the ground: how fast it goes, how sharply it turns, which way it steps."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, Progress, silent
from motionloom.core.progress import each
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.graph.build.prune import alive
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.search.moves import Steps, after, ahead, steps
from motionloom.rotation import wrap_angle

WINDOW = 1.0  # s over which speed and turn are taken: about a stride, within which hips swing to and fro
TURN = np.radians(30.0)  # rad/s: slower is going straight
STILL = 0.3  # m/s: slower is standing
SPEEDS = (0.0, STILL, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, np.inf)  # m/s, of the table
TURNS = (-np.inf, np.radians(-90.0), -TURN, TURN, np.radians(90.0), np.inf)  # rad/s, left positive
PLACES = 6  # about so many places of a transition in a second are looked at
COLUMNS = ("sharp right", "right", "straight", "left", "sharp left")


@dataclass(frozen=True, eq=False)
class Coverage:
    """Speed and turn of every second within the clips, and of seconds with one transition anywhere in them."""

    speed: FloatArray  # (W,) m/s
    turn: FloatArray  # (W,) rad/s of the heading, left positive
    course: FloatArray  # (W,) radians: direction of travel as the body sees it: 0 forward, positive to its left
    counts: BoolArray  # (W,) those in the table: seconds of the clips, and one for each transition, in its middle
    fps: float

    def table(self) -> IntArray:
        """(S, 5) moments for each row of `SPEEDS` and each of `COLUMNS`."""
        shape = (len(SPEEDS) - 1, len(TURNS) - 1)
        row = np.searchsorted(SPEEDS, self.speed[self.counts], side="right") - 1
        column = np.searchsorted(TURNS, self.turn[self.counts], side="right") - 1
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
        low, high = np.quantile(self.speed[self.counts], [0.005, 0.995])
        out = [f"speeds from {low:.1f} to {high:.1f} m/s" + _gaps(self.speed)]
        if (self.speed > STILL).all():
            out.append("nobody stands still")
        moving = self.speed > STILL
        for side, sign in (("left", 1.0), ("right", -1.0)):
            out.append(self._side(side, moving & (sign * self.turn >= TURN), sign))
        off = np.degrees(np.abs(self.course))
        ways = {"backwards": off > 120, "sideways": (off > 50) & (off <= 120)}
        missing = [name for name, there in ways.items() if not (there & moving).any()]
        if missing:
            out.append(f"no steps {' or '.join(missing)}")
        return out

    def _side(self, side: str, turning: BoolArray, sign: float) -> str:
        if not turning.any():
            return f"no {side} turn of {np.degrees(TURN):.0f} degrees a second or more"
        top = float(self.speed[turning].max())
        best = int(np.argmax(np.where(turning, sign * self.turn, -np.inf)))
        rate, at = np.degrees(sign * self.turn[best]), self.speed[best]
        sharpest = f"the sharpest turns {rate:.0f} degrees a second, at {at:.1f} m/s"
        return f"no {side} turn faster than {above(top)} m/s; {sharpest}"


def coverage(graph: Graph, *, progress: Progress | None = None) -> Coverage:
    """What a graph can show in a second: along its clips, and with each transition early, late and in the middle.

    Speed is the straight distance between both ends of the second; turn is how the heading changes.
    """
    fps = graph.clips[0].fps
    width = max(2, round(WINDOW * fps))
    found = steps(graph)
    use = alive(graph)
    found = found.within(use, np.ones(len(found.enter), bool))
    way = ahead(found, width)  # (N, width + 1, 3): place and turn seen from each frame
    whole = use & np.isfinite(way[:, width, 0])
    moves, counts = [way[whole, width]], [np.ones(int(whole.sum()), bool)]
    sides = range(1 - found.blend, width, max(1, width // PLACES))
    for side in each(sides, progress or silent(), "passing transitions"):
        across = _across(found, way, side, width)
        moves.append(across)
        counts.append(np.zeros(len(across), bool))
    side = (width - found.blend) // 2
    if side > 0:
        moves.append(_across(found, way, side, width))
        counts.append(np.ones(len(moves[-1]), bool))
    move = np.concatenate(moves)
    speed = np.linalg.norm(move[:, :2], axis=1) * fps / width
    course = np.arctan2(move[:, 0], move[:, 1]) - move[:, 2] / 2  # seen from the heading in the middle
    return Coverage(speed, move[:, 2] * fps / width, wrap_angle(course), np.concatenate(counts), fps)


def _across(found: Steps, way: FloatArray, side: int, width: int) -> FloatArray:
    """(n, 3) how the body moves in `width` frames in which a transition begins after `side` frames, where there are.

    Less than 0: it has begun so many frames before. `way` is `ahead`.
    """
    leave = np.repeat(np.arange(len(way)), np.diff(found.first_out))
    inside = min(width - side, found.blend)  # frames of the blend that are passed, from its beginning
    rest = width - side - inside
    starts = leave - max(side, 0)
    fits = (starts >= 0) & np.isfinite(way[np.maximum(starts, 0), max(side, 0), 0])
    fits &= np.isfinite(way[found.enter, rest, 0])
    over = found.over[fits, inside - 1]
    if side < 0:
        return after(after(_back(found.over[fits, -side - 1]), over), way[found.enter[fits], rest])
    return after(after(way[starts[fits], side], over), way[found.enter[fits], rest])


def _back(move: FloatArray) -> FloatArray:
    """(n, 3) the move that undoes a move."""
    return np.column_stack([ground_turn(-move[:, 2], -move[:, :2]), -move[:, 2]])


def above(value: float) -> float:
    """Rounded up to one digit after the point: nothing is faster than what is said."""
    return float(np.ceil(10 * value - 1e-9) / 10)


def _gaps(speed: FloatArray) -> str:
    """Ranges of speed of at least 0.4 m/s that nothing goes at."""
    order = np.sort(speed)
    wide = np.flatnonzero(np.diff(order) > 0.4)
    found = [f"{order[k]:.1f} and {order[k + 1]:.1f} m/s" for k in wide]
    return f", but nothing between {', between '.join(found)}" if found else ""
