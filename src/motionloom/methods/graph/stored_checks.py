"""Checks of a stored graph: every transition lies inside its clips."""

from __future__ import annotations

from motionloom.core import FormatError, Skeleton
from motionloom.methods.array_checks import check_array, check_clips, check_number
from motionloom.methods.graph.graph import Graph


def check_graph(graph: Graph, skeleton: Skeleton, fps: float) -> None:
    """`FormatError` unless clips and transitions are consistent: kernels use these numbers as indices."""
    check_clips(graph.clips, skeleton, fps)
    check_number(graph.half, "graph.half", low=1, high=graph.count)
    if not isinstance(graph.linear, bool):
        raise FormatError(f"graph.linear: expected true or false, found {graph.linear!r}")
    count = len(graph.transitions)
    for name in ("a", "b"):
        frames = getattr(graph.transitions, name)
        check_array(frames, f"graph.transitions.{name}", "i", (count,), low=0, high=graph.count - 1)
        clip = graph.clip_of[frames]
        inside = (frames - graph.half >= graph.starts[clip]) & (frames + graph.half < graph.starts[clip + 1])
        if not inside.all():
            at = int(frames[~inside][0])
            raise FormatError(
                f"graph.transitions.{name}: expected frames with {graph.half} frames of their clip on either side, "
                f"found {at}"
            )
    check_array(graph.transitions.distance, "graph.transitions.distance", "f", (count,))
    check_array(graph.transitions.turn, "graph.transitions.turn", "f", (count,))
    check_array(graph.transitions.shift, "graph.transitions.shift", "f", (count, 2))
