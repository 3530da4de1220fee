"""Coverage of a graph: speeds, turn rates and directions of travel that its clips contain."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, Progress, silent
from motionloom.core.progress import each
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.graph.build.prune import walkable_frames
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.search.moves import GroundMoves, compose_moves, ground_moves, positions_ahead
from motionloom.rotation import wrap_angle

WINDOW = 1.0  # s over which speed and turn are measured: about a stride, which averages the sway of the hips
MIN_TURN_RATE = np.radians(30.0)  # rad/s: slower is straight
MIN_MOVING_SPEED = 0.3  # m/s over a whole window: slower is standing or a step on the spot
SPEEDS = (0.0, MIN_MOVING_SPEED, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, np.inf)  # m/s, of the table
TURNS = (-np.inf, np.radians(-90.0), -MIN_TURN_RATE, MIN_TURN_RATE, np.radians(90.0), np.inf)  # rad/s, left positive
OFFSETS_PER_SECOND = 6  # offsets of a transition within the window that are measured, about
COLUMNS = ("sharp right", "right", "straight", "left", "sharp left")


@dataclass(frozen=True, eq=False)
class Coverage:
    """Speed and turn of every second within the clips, and of seconds with one transition anywhere in them."""

    speed: FloatArray  # (W,) m/s
    turn: FloatArray  # (W,) rad/s of the heading, left positive
    course: FloatArray  # (W,) rad: direction of travel relative to the body: 0 forward, positive to its left
    counts: BoolArray  # (W,) windows in the table: those of the clips, and one for each transition, in its middle
    fps: float

    def table(self) -> IntArray:
        """(S, 5) number of windows for each row of `SPEEDS` and each of `COLUMNS`."""
        shape = (len(SPEEDS) - 1, len(TURNS) - 1)
        row = np.searchsorted(SPEEDS, self.speed[self.counts], side="right") - 1
        column = np.searchsorted(TURNS, self.turn[self.counts], side="right") - 1
        return np.bincount(row * shape[1] + column, minlength=shape[0] * shape[1]).reshape(shape)

    def rows(self) -> list[tuple[str, ...]]:
        """The table as text, one row for each speed that occurs: speed, then the share of windows in each column."""
        counts = self.table()
        out = []
        for (low, high), row in zip(pairwise(SPEEDS), counts, strict=True):
            if row.sum():
                name = f"{low:g} to {high:g} m/s" if np.isfinite(high) else f"over {low:g} m/s"
                out.append((name, *("-" if not n else f"{n / counts.sum():.1%}" for n in row)))
        return out

    def sentences(self) -> list[str]:
        """Sentences about the speeds, turns and directions that the clips contain or lack."""
        if not len(self.speed):
            return ["no second of these clips can be shown: all frames are dead ends"]
        low, high = np.quantile(self.speed[self.counts], [0.005, 0.995])
        out = [f"speeds from {low:.1f} to {high:.1f} m/s" + _gaps(self.speed)]
        if (self.speed > MIN_MOVING_SPEED).all():
            out.append("no standing frames")
        moving = self.speed > MIN_MOVING_SPEED
        for side, sign in (("left", 1.0), ("right", -1.0)):
            out.append(self._side(side, moving & (sign * self.turn >= MIN_TURN_RATE), sign))
        off = np.degrees(np.abs(self.course))
        directions = {"backwards": off > 120, "sideways": (off > 50) & (off <= 120)}
        missing = [name for name, there in directions.items() if not (there & moving).any()]
        if missing:
            out.append(f"no steps {' or '.join(missing)}")
        return out

    def _side(self, side: str, turning: BoolArray, sign: float) -> str:
        if not turning.any():
            return f"no {side} turn of {np.degrees(MIN_TURN_RATE):.0f} degrees a second or more"
        top = float(self.speed[turning].max())
        best = int(np.argmax(np.where(turning, sign * self.turn, -np.inf)))
        rate, at = np.degrees(sign * self.turn[best]), self.speed[best]
        sharpest = f"the sharpest turns {rate:.0f} degrees a second, at {at:.1f} m/s"
        return f"no {side} turn faster than {round_up(top)} m/s; {sharpest}"


def coverage(graph: Graph, *, progress: Progress | None = None) -> Coverage:
    """Coverage of a graph by windows of a second: along its clips, and with each transition at several offsets.

    Speed is the straight distance between both ends of the second; turn is how the heading changes.
    """
    fps = graph.clips[0].fps
    width = max(2, round(WINDOW * fps))
    found = ground_moves(graph)
    use = walkable_frames(graph)
    found = found.within(use, np.ones(len(found.enter), bool))
    path = positions_ahead(found, width)  # (N, width + 1, 3): place and turn relative to each frame
    whole = use & np.isfinite(path[:, width, 0])
    moves, counts = [path[whole, width]], [np.ones(int(whole.sum()), bool)]
    sides = range(1 - found.blend, width, max(1, width // OFFSETS_PER_SECOND))
    for side in each(sides, progress or silent(), "passing transitions"):
        across = _across(found, path, side, width)
        moves.append(across)
        counts.append(np.zeros(len(across), bool))
    side = (width - found.blend) // 2
    if side > 0:
        moves.append(_across(found, path, side, width))
        counts.append(np.ones(len(moves[-1]), bool))
    move = np.concatenate(moves)
    speed = np.linalg.norm(move[:, :2], axis=1) * fps / width
    course = np.arctan2(move[:, 0], move[:, 1]) - move[:, 2] / 2  # relative to the heading in the middle
    return Coverage(speed, move[:, 2] * fps / width, wrap_angle(course), np.concatenate(counts), fps)


def _across(found: GroundMoves, path: FloatArray, side: int, width: int) -> FloatArray:
    """(n, 3) displacement in `width` frames with a transition that starts after `side` frames, where possible.

    Below 0: it started as many frames before. `path` is that of `positions_ahead`.
    """
    leave = np.repeat(np.arange(len(path)), np.diff(found.first_out))
    inside = min(width - side, found.blend)  # frames of the blend in the window, from its start
    rest = width - side - inside
    starts = leave - max(side, 0)
    fits = (starts >= 0) & np.isfinite(path[np.maximum(starts, 0), max(side, 0), 0])
    fits &= np.isfinite(path[found.enter, rest, 0])
    over = found.over[fits, inside - 1]
    if side < 0:
        return compose_moves(
            compose_moves(_inverse_moves(found.over[fits, -side - 1]), over), path[found.enter[fits], rest]
        )
    return compose_moves(compose_moves(path[starts[fits], side], over), path[found.enter[fits], rest])


def _inverse_moves(move: FloatArray) -> FloatArray:
    """(n, 3) the inverses of moves."""
    return np.column_stack([ground_turn(-move[:, 2], -move[:, :2]), -move[:, 2]])


def round_up(value: float) -> float:
    """A value rounded up to one decimal, so that nothing exceeds it."""
    return float(np.ceil(10 * value - 1e-9) / 10)


def _gaps(speed: FloatArray) -> str:
    """Ranges of speed of at least 0.4 m/s that do not occur, as text."""
    order = np.sort(speed)
    wide = np.flatnonzero(np.diff(order) > 0.4)
    found = [f"{order[k]:.1f} and {order[k + 1]:.1f} m/s" for k in wide]
    return f", but nothing between {', between '.join(found)}" if found else ""
