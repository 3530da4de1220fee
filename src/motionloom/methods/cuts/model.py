"""Clips and the places where they can be cut: any length of motion from pieces of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Constraint, PoseAt, Request, RootAt, Style, tilt_between
from motionloom.core import BoolArray, Clip, FloatArray, FormatError, NoPath, Progress
from motionloom.kinematics.edit import concatenate_aligned
from motionloom.kinematics.loop import Loop
from motionloom.methods.base import Band, Honours, Model, place
from motionloom.methods.cuts.config import Options
from motionloom.methods.cuts.search import Cuts
from motionloom.methods.cuts.ways import Alive, Graph, pieces, wander
from motionloom.methods.settings import Settings
from motionloom.methods.validate import check_array, check_clips
from motionloom.rotation import angle_between


class Plan(NamedTuple):
    """Stretches of clips to be joined end to end."""

    pieces: tuple[tuple[int, int, int], ...]  # clip, first frame, end frame (excluded)
    names: tuple[str, ...]  # of all clips
    reason: str = ""  # the hard constraint that it cannot keep

    @property
    def frames(self) -> int:
        return sum(end - first for _, first, end in self.pieces)

    def bands(self) -> list[Band]:
        starts = np.cumsum([0, *(end - first for _, first, end in self.pieces)])
        return [
            Band(int(at), end - first, f"{self.names[c]}#{first}", "clip")
            for at, (c, first, end) in zip(starts[:-1], self.pieces, strict=True)
        ]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CutsModel(Model[Options]):
    """Clips, their loops, and the places where one can be cut to another."""

    method: ClassVar[str] = "cuts"
    honours: ClassVar[Honours] = (
        (RootAt, "hard"),
        (PoseAt, "hard"),
        (Style, "hard"),
        (Style, "soft"),
    )
    options_type: ClassVar[type[Settings]] = Options

    clips: tuple[Clip, ...]
    loops: tuple[Loop | None, ...]  # one for each clip
    cuts: Cuts

    def check(self) -> None:
        check_clips(self.clips, self.skeleton, self.fps)
        count, (leave, enter, seam) = sum(map(len, self.clips)), self.cuts
        check_array(leave, "cuts.leave", "i", (None,), low=0, high=count - 1)
        check_array(enter, "cuts.enter", "i", (len(leave),), low=0, high=count - 1)
        check_array(seam, "cuts.seam", "f", (len(leave),), low=0)
        if (np.diff(leave) < 0).any():
            raise FormatError("cuts.leave: expected frames in increasing order")
        if len(self.loops) != len(self.clips):
            raise FormatError(f"loops: expected one for each of {len(self.clips)} clips, found {len(self.loops)}")
        for k, (loop, clip) in enumerate(zip(self.loops, self.clips, strict=True)):
            if loop is not None and not 0 <= loop.start < loop.end <= len(clip):
                raise FormatError(f"loops.{k}: expected frames of a clip of {len(clip)}, found {loop}")

    def refuses(self, constraint: Constraint, frames: int | None) -> str:
        if isinstance(constraint, RootAt) and frames is not None and constraint.frame(frames, self.fps) != 0:
            return "it does not choose its way, so a root_at can only be at time 0"
        return ""

    def graph(self) -> Graph:
        """All frames and cuts, as the search sees them."""
        return Graph(tuple(len(c) for c in self.clips), self.cuts)

    def _plan(self, request: Request, options: Options, rng: Generator, progress: Progress) -> Plan:
        frames = request.length(self.fps)
        assert frames is not None  # checked before
        graph = self.graph()
        alive, missing = self._alive(graph, request, frames)
        progress(0.5, "planning")
        shortest = round(options.shortest * self.fps)
        nodes = wander(graph, alive, frames, shortest=shortest, eagerness=options.eagerness, rng=rng)
        names = tuple(clip.name or f"clip {k}" for k, clip in enumerate(self.clips))
        return Plan(tuple(pieces(nodes, graph.lengths)), names, missing)

    def render(self, plan: Plan, request: Request, options: Options, rng: Generator, progress: Progress) -> Clip:
        return place(concatenate_aligned([self.clips[c][a:b] for c, a, b in plan.pieces]), request)

    def _alive(self, graph: Graph, request: Request, frames: int) -> tuple[Alive, str]:
        """Where the way may lead, and what had to be given up of what is hard."""
        free = Alive(graph, frames, lambda t: None)
        if free.first_dead >= 0:
            lasts = (frames - 1 - free.first_dead) / self.fps
            raise NoPath(
                f"no way through these clips lasts {frames / self.fps:g} s; the longest lasts {lasts:g} s "
                f"(no cut below a seam of {self.config.largest * 100:g} cm leads on; raise `largest`)"
            )
        styles = [c for c in request.constraints if isinstance(c, Style)]
        hard = [s for s in styles if s.hard]
        soft = sorted((s for s in styles if not s.hard), key=lambda s: -(s.weight or 0.0) * s.importance)
        best: Alive = free
        kept: list[tuple[Style, float]] = []
        for style in hard + soft:  # each is added if there is still a way, strictly or with room at its ends
            for slack in (0.0, 1.0):
                trial = [*kept, (style, slack)]
                alive = Alive(graph, frames, self._allowed(trial, frames))
                if alive.first_dead < 0:
                    best, kept = alive, trial
                    break
            else:
                if style.hard:
                    return best, self._why(style)
        return self._towards_poses(graph, request, frames, best, kept), ""

    def _towards_poses(
        self, graph: Graph, request: Request, frames: int, best: Alive, kept: list[tuple[Style, float]]
    ) -> Alive:
        """Among the ways left, those that come near to the poses asked for: the nearest share that has a way."""
        apart = {}
        for c in request.constraints:
            if isinstance(c, PoseAt):
                apart[c.frame(frames, self.fps)] = self._pose_distances(c)
        for share in (0.002, 0.01, 0.05, 0.25):
            if not apart:
                return best
            near = {t: d <= np.quantile(d, share) for t, d in apart.items()}
            alive = Alive(graph, frames, self._allowed(kept, frames, near))
            if alive.first_dead < 0:
                return alive
        return best

    def _pose_distances(self, constraint: PoseAt) -> FloatArray:
        """(N,) radians: mean difference of each frame from a pose, over the joints that it fixes."""
        joints, rotations, _ = constraint.target(self.skeleton)
        out = []
        for clip in self.clips:
            apart = angle_between(clip.rotations[:, joints], rotations)
            if 0 in joints:
                apart[:, joints.index(0)] = tilt_between(clip.rotations[:, 0], rotations[joints.index(0)])
            out.append(apart.mean(1))
        return np.concatenate(out)

    def _allowed(
        self, styles: Sequence[tuple[Style, float]], frames: int, near: dict[int, BoolArray] | None = None
    ) -> Any:
        """For `Alive`: the nodes that each frame of the result may be."""
        wanted: list[tuple[range, BoolArray]] = []
        for style, slack in styles:
            span = style.frames(frames, self.fps)
            room = int(slack * style.tolerance * len(span) / 2)
            labels = np.concatenate([clip.label(style.label) for clip in self.clips])
            wanted.append((range(span.start + room, span.stop - room), labels))

        def allowed(t: int) -> BoolArray | None:
            masks = [labels for span, labels in wanted if t in span]
            if near and t in near:
                masks.append(near[t])
            return np.logical_and.reduce(masks) if masks else None

        return allowed

    def _why(self, style: Style) -> str:
        known = sorted({n for clip in self.clips for n in clip.label_names if clip.label(n).any()})
        if style.label not in known:
            labels = ", ".join(n for n in known if ":" not in n) or "no labels"
            return f"no clip carries the label {style.label!r}; these clips carry {labels}"
        seam = f"{self.config.largest * 100:g} cm"
        return f"no way through these clips keeps {style.describe()}: no cut with a seam below {seam} leads there"
