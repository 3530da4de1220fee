"""The objective of a request as arrays: the terms of eq. 2.18, and hard poses and labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from motionloom.constraints import Avoid, Constraint, Pace, PoseAt, PositionAt, Reach, Request, RootAt, RootPath, Style
from motionloom.constraints.path_error import along_path
from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.kinematics.fk import fk
from motionloom.methods.graph import Graph
from motionloom.methods.graph.render.root_tracks import tracks
from motionloom.methods.graph.search.random_walk import LEAST_STEADY
from motionloom.methods.graph.search.speed_gaps import speed_gaps
from motionloom.methods.graph.search.steadiness import steady_weights
from motionloom.methods.hierarchical_graph.config import Options
from motionloom.methods.hierarchical_graph.edge_trees import EdgeTrees
from motionloom.methods.hierarchical_graph.search_arrays import TERMS, HardFrames, ScoreTerms, SearchMaterial
from motionloom.methods.schedule import nodes_of, pose_distances

HARD_WEIGHT = 10.0  # of a hard constraint while routes are compared; bending then meets it
SAMPLE_STEP = 0.1  # s between the frames at which obstacles and arrivals are evaluated; for paths, every other
PATH_SAMPLES = 40  # of a given path
PLACE_SPACING = 2.0  # m of a path that count as much as one place

BODY, JOINTS = float(TERMS.index("body")), float(TERMS.index("joints"))


def material(graph: Graph, levels: EdgeTrees, *, steady: bool = False) -> SearchMaterial:
    """A graph and its trees as arrays for the compiled search.

    If `steady`, changes of speed (m/s) beyond those of the clips are added to the distances of the joined frames.
    """
    moves, clips = graph.transitions, len(graph.clips)
    top = levels.medoid[levels.roots]
    pair = graph.clip_of[moves.a[top]] * clips + graph.clip_of[moves.b[top]]
    largest = float(moves.distance.max(initial=0.0)) or 1.0
    apart = moves.distance / largest + (speed_gaps(graph) if steady else 0.0)
    lengths = np.diff(graph.starts)
    by_leaving = np.argsort(levels.ends[levels.roots, 0], kind="stable")
    out = np.asarray(levels.roots, np.int64)[by_leaving]
    return SearchMaterial(
        clip=np.repeat(np.stack([graph.starts[:-1], graph.starts[1:]], 1), lengths, axis=0),
        heading=tracks(graph).heading,
        edge=np.stack([moves.a, moves.b], 1),
        move=np.column_stack([apart, moves.turn, moves.shift]),
        first_out=graph.first_out,
        half=graph.half,
        node=np.column_stack([levels.first, levels.stop, levels.medoid, levels.ends]).astype(np.int64),
        centre=levels.centre,
        order=levels.order.astype(np.int64),
        home=levels.home,
        root=levels.root,
        roots=levels.roots.astype(np.int64),
        pair=np.searchsorted(pair, np.arange(clips * clips + 1)),
        number=graph.clip_of,
        out=out,
        latest=levels.ends[out, 0].astype(np.int64),
    )


def at_steady_pace(m: SearchMaterial, graph: Graph) -> SearchMaterial:
    """The same material, whose random routes rarely take edges that changes of speed follow."""
    weights = steady_weights(graph, speed_gaps(graph), np.ones(graph.count, bool), np.ones(len(m.edge), bool), 1.0)
    assert weights is not None
    gone = np.append(0.0, np.cumsum(np.log(np.maximum(weights.go, LEAST_STEADY)))[:-1])
    return m._replace(
        steadiness=1.0, gone=gone, likely=gone[graph.leave] + np.log(np.maximum(weights.take, LEAST_STEADY))
    )


def hard_frames(graph: Graph, poses: Mapping[int, BoolArray], styles: Sequence[tuple[range, BoolArray]]) -> HardFrames:
    """Hard poses, labels and paces: at each time of `poses` one of these frames; in each span only these (N,)."""
    times, count = sorted(poses), graph.count
    return HardFrames(
        np.array(times, np.int64),
        np.array([poses[k] for k in times], bool).reshape(-1, count),
        np.array([(span.start, span.stop) for span, _ in styles], np.int64).reshape(-1, 2),
        np.array([counts_before(mask) for _, mask in styles], np.int64).reshape(-1, count + 1),
    )


def score_terms(graph: Graph, request: Request, options: Options) -> ScoreTerms:
    """The request as arrays. `request` is at the graph's frame rate and has a length."""
    return _Builder(graph, request, options).built()


def counts_before(mask: BoolArray) -> IntArray:
    """(N + 1,) the number of marked frames before each frame, of `mask` (N,)."""
    return np.concatenate([[0], np.cumsum(mask)])


class _Builder:
    """Collects the rows of all constraints."""

    def __init__(self, graph: Graph, request: Request, options: Options) -> None:
        self.graph, self.request, self.options = graph, request, options
        self.fps = graph.clips[0].fps
        frames = request.length(self.fps)
        assert frames is not None  # checked before
        self.frames = frames
        self.stride = max(1, round(SAMPLE_STEP * self.fps))
        self.tables = [np.concatenate([clip.root for clip in graph.clips])]
        self.rows: dict[str, list[tuple[float, ...]]] = {
            name: [] for name in ("points", "headings", "poses", "spans", "reaches", "circles", "paths")
        }
        self.unlike: list[FloatArray] = []
        self.carried: list[IntArray] = []
        self.samples: list[FloatArray] = []
        self.bodies: FloatArray | None = None

    def built(self) -> ScoreTerms:
        for c in self.request.constraints:
            if type(c) in _ADD:
                _ADD[type(c)](self, c)
        begin = self.request.beginning(self.frames, self.fps)
        count = self.graph.count
        widths = {"points": 9, "headings": 3, "poses": 3, "spans": 4, "reaches": 7, "circles": 5, "paths": 5}
        return ScoreTerms(
            frames=self.frames,
            begin=np.array([*begin.position, begin.heading]),
            smoothness=self.options.smoothness,
            length=self.options.length / self.fps,
            tables=np.stack(self.tables),
            unlike=np.array(self.unlike).reshape(-1, count),
            carried=np.array(self.carried, np.int64).reshape(-1, count + 1),
            samples=np.concatenate([np.zeros((0, 2)), *self.samples]),
            stride=self.stride,
            bodies=np.zeros((0, 0, 2)) if self.bodies is None else self.bodies,
            **{name: np.array(rows, float).reshape(-1, widths[name]) for name, rows in self.rows.items()},
        )

    def weight(self, c: Constraint, of: str) -> float:
        """The method's weight for this part of the score times the constraint's own."""
        return float(getattr(self.options, of)) * (HARD_WEIGHT if c.weight is None else c.weight)

    def root_at(self, c: RootAt) -> None:
        time, weight = float(c.frame(self.frames, self.fps)), self.weight(c, "body")
        if c.position is not None:
            x, z = c.position
            self.rows["points"].append((time, 0, x, 0, z, 1, 0, BODY, weight))
        if c.height is not None:
            self.rows["points"].append((time, 0, 0, c.height, 0, 0, 1, BODY, weight))
        if c.heading is not None:
            self.rows["headings"].append((time, c.heading, weight))

    def position_at(self, c: PositionAt) -> None:
        joint = self.graph.clips[0].skeleton.joint(c.joint)
        self.tables.append(np.concatenate([fk(clip)[:, joint] for clip in self.graph.clips]))
        time = float(c.frame(self.frames, self.fps))
        self.rows["points"].append((time, len(self.tables) - 1, *c.target, 1, 1, JOINTS, self.weight(c, "joints")))

    def pose_at(self, c: PoseAt) -> None:
        self.unlike.append(pose_distances(self.graph.clips, c))
        time = float(c.frame(self.frames, self.fps))
        self.rows["poses"].append((time, len(self.unlike) - 1, self.weight(c, "joints")))

    def style(self, c: Style | Pace) -> None:
        if c.hard:
            return  # kept by every route
        span = c.frames(self.frames, self.fps)
        self.carried.append(counts_before(nodes_of(self.graph.clips, c)))
        weight = self.weight(c, "style") * (c.importance if isinstance(c, Style) else 1.0)
        self.rows["spans"].append((span.start, span.stop, len(self.carried) - 1, weight))

    def reach(self, c: Reach) -> None:
        by, (x, z) = c.frame(self.frames, self.fps), c.position
        heading = (0.0, 0.0, 0.0) if c.heading is None else (c.heading, 1.0, c.tolerance / c.heading_tolerance)
        self.rows["reaches"].append((by, x, z, *heading, self.weight(c, "body")))

    def avoid(self, c: Avoid) -> None:
        weight = self.weight(c, "obstacles")
        self.rows["circles"].append((*c.center, c.radius, weight, weight * self.stride / self.fps))
        if self.bodies is None:
            self.bodies = np.concatenate([fk(clip)[..., [0, 2]] for clip in self.graph.clips])

    def root_path(self, c: RootPath) -> None:
        points, at = np.array(c.points), c.frames(self.frames, self.fps)
        legs = [(0, self.frames - 1, points)]
        if at is not None:
            legs = [(a, b, points[i : i + 2]) for i, (a, b) in enumerate(pairwise(at))]
        places = max(1.0, float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum()) / PLACE_SPACING)
        weight = self.weight(c, "body") * places / len(legs)
        for first, last, line in legs:
            length = float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
            low = sum(len(s) for s in self.samples)
            self.samples.append(along_path(line, max(length / PATH_SAMPLES, 0.02)))
            self.rows["paths"].append((first, last, low, low + len(self.samples[-1]), weight))


_ADD: dict[type[Constraint], Callable[[_Builder, Any], None]] = {
    RootAt: _Builder.root_at,
    PositionAt: _Builder.position_at,
    PoseAt: _Builder.pose_at,
    Style: _Builder.style,
    Pace: _Builder.style,
    Reach: _Builder.reach,
    Avoid: _Builder.avoid,
    RootPath: _Builder.root_path,
}
