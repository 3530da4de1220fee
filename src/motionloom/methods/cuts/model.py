"""The model of cuts: motion of any length from pieces of clips."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Constraint, Pace, PoseAt, Request, RootAt, Style
from motionloom.core import Clip, FloatArray, FormatError, NoPath, Progress, part, replace
from motionloom.core.progress import parts
from motionloom.kinematics.loop import Loop
from motionloom.kinematics.pace import STANDING_SPEED
from motionloom.kinematics.resample import concatenate_aligned
from motionloom.methods.array_checks import check_array, check_clips
from motionloom.methods.base import Band, Honours, Model, place
from motionloom.methods.cuts.config import Options
from motionloom.methods.cuts.cut_points import Cuts
from motionloom.methods.cuts.random_path import CutGraph, pieces, random_nodes
from motionloom.methods.lead_into_constraints import lead_into, pose_problem, pose_warnings, root_problem
from motionloom.methods.redraw_uneven_pace import steadiest, usual_changes
from motionloom.methods.schedule import Reachable, frame_paces, schedule, style_problem
from motionloom.methods.settings import Settings

STANDING_AHEAD = 2.0  # s: a result may stand so much longer than its clips do in the same time
MAX_RISE = 0.1  # m by which the hips are raised or lowered to the height of a root_at


class CutsPlan(NamedTuple):
    """Pieces of clips to be joined end to end."""

    pieces: tuple[tuple[int, int, int], ...]  # clip, first frame, end frame (excluded)
    names: tuple[str, ...]  # of all clips
    reason: str = ""  # why a hard constraint is not met

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
    """Clips, their loops, and the possible cuts between them."""

    method: ClassVar[str] = "cuts"
    honours: ClassVar[Honours] = (
        (RootAt, "hard"),
        (PoseAt, "hard"),
        (Style, "hard"),
        (Style, "soft"),
        (Pace, "hard"),
        (Pace, "soft"),
    )
    keeps_notes: ClassVar[bool] = True
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

    def refuses(self, constraint: Constraint, frames: int | None, options: Options | None = None) -> str:
        if isinstance(constraint, Pace) and constraint.stretch is not None:
            return "it does not choose its path: give pace a span instead of a stretch"
        if isinstance(constraint, RootAt) and frames is not None and constraint.frame(frames, self.fps) != 0:
            return "it does not choose its path, so a root_at can only be at time 0"
        return ""

    def graph(self) -> CutGraph:
        """All frames and cuts as a graph."""
        return CutGraph(tuple(len(c) for c in self.clips), self.cuts)

    def _plan(self, request: Request, options: Options, rng: Generator, progress: Progress) -> CutsPlan:
        frames = request.length(self.fps)
        assert frames is not None  # checked before
        graph = self.graph()
        reachable, problem = self._reachable(graph, request, frames, part(progress, 0.0, 0.5))
        shortest = round(options.shortest * self.fps)
        paces, usual = frame_paces(self.clips), usual_changes(self.clips)
        draw = lambda: random_nodes(
            graph, reachable, paces, frames, shortest=shortest, eagerness=options.eagerness, rng=rng
        )
        at = lambda nodes: self._place(pieces(nodes, graph.lengths))
        asked = any(isinstance(c, Style | Pace) for c in request.constraints)  # may ask for any time of standing
        stands = paces < STANDING_SPEED
        most = stands.mean() * frames + STANDING_AHEAD * self.fps
        idle = lambda nodes: 0.0 if asked else max(0.0, float(stands[nodes].sum() - most))
        nodes = steadiest(draw, at, usual, self.fps, idle, progress=part(progress, 0.5, 1.0))
        names = tuple(clip.name or f"clip {k}" for k, clip in enumerate(self.clips))
        return CutsPlan(tuple(pieces(nodes, graph.lengths)), names, problem)

    def _place(self, parts: Sequence[tuple[int, int, int]]) -> FloatArray:
        """(F, 2) m: the path of the hips along pieces of clips."""
        return concatenate_aligned([self.clips[c][a:b] for c, a, b in parts]).root[:, [0, 2]]

    def render(self, plan: CutsPlan, request: Request, options: Options, rng: Generator, progress: Progress) -> Clip:
        clip = place(concatenate_aligned([self.clips[c][a:b] for c, a, b in plan.pieces], progress), request, self)
        notes = pose_warnings(clip, request.constraints)
        clip = lead_into(clip, request.constraints, plan.reason or self.shortfall(clip, plan, request, options))
        return replace(clip, origin=dataclasses.replace(clip.origin, notes=tuple(notes)))

    def shortfall(self, clip: Clip, plan: CutsPlan, request: Request, options: Options) -> str:
        return root_problem(clip, request.constraints, MAX_RISE) or pose_problem(
            clip, request.constraints, options.bend_pose
        )

    def _reachable(self, graph: CutGraph, request: Request, frames: int, progress: Progress) -> tuple[Reachable, str]:
        """The reachable nodes at each time, and the hard constraint that cannot be kept, or ""."""
        first, rest = parts(progress, [1, 4])
        free = Reachable(graph.net, frames, progress=first)
        if free.first_dead >= 0:
            lasts = (frames - 1 - free.first_dead) / self.fps
            raise NoPath(
                f"no sequence of cuts lasts {frames / self.fps:g} s; the longest lasts {lasts:g} s (no cut with a seam "
                f"below {self.config.largest * 100:g} cm continues it; raise `largest`)"
            )
        styles = [c for c in request.constraints if isinstance(c, (Style, Pace))]
        poses = [c for c in request.constraints if isinstance(c, PoseAt)]
        found = schedule(graph.net, self.clips, styles, poses, frames, free=free, progress=rest)
        if found.missing is None:
            return found.reachable, ""
        links = f"cuts with a seam below {self.config.largest * 100:g} cm"
        return found.reachable, style_problem(self.clips, found.missing, links, "raise `largest`, or give a weight")
