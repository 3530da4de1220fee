"""Transitions that look wrong although their frames are alike: a joint must flip over, or turns too fast."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, Note, Progress, silent
from motionloom.core.progress import parts, slices
from motionloom.kinematics.body.roles import fingers
from motionloom.methods.graph.build.prune import component
from motionloom.methods.graph.graph import Graph
from motionloom.rotation import angle_between

FAR = np.radians(90.0)  # a joint that differs by more than this at a transition would flip over in its blend
QUICK = 0.95  # of a joint's fastest turn in the clips: what a blend may do; the rest is for legs that keep plants
QUICKER = (1.25, 1.6)  # what it may do in clips that are so much of one kind that hardly a blend keeps to that
ENOUGH = 0.8  # of the frames that are connected where any speed will do: so many must be, or more is allowed
STAGE, AT_ONCE = "checking transitions", 20_000  # transitions in one call of the kernel, some 0.1 s
ANY = 1e6  # times its fastest: any speed
STILL = np.radians(0.5)  # a joint that never turns in the clips may turn this far in a frame


def rough(graph: Graph, *, far: float = FAR, quick: float | None = None) -> BoolArray:
    """(T,) transitions that are better left out: `graph.transitions[~rough(graph)]`.

    Measures of places do not see how a head or a hand is turned about its own joint, and captures have heads that are
    half a turn off through a whole clip. So: in one joint (fingers do not count) the two frames differ by more than
    `far` radians, hips after the transition's turn; or a joint of the blend turns by more in one frame than `quick`
    times what it ever does in the clips, and by more than in either of the two clips just there.

    Without `quick` it is what `find_rough` finds.
    """
    return find_rough(graph, far=far).marked if quick is None else _marked(graph, far, quick, silent())


class Rough(NamedTuple):
    """Which transitions are better left out, and how quick the others may be."""

    marked: BoolArray  # (T,)
    quick: float  # times what a joint ever does in the clips
    flips: int  # of the marked ones, those in which a joint would flip over, at any speed

    def notes(self) -> list[Note]:
        """In words what was allowed beyond the rule, if anything was."""
        if self.quick <= 1:
            return []
        faster = f"up to {self.quick:g} times as fast as it ever turns in them"
        return [Note(f"these clips are even: blends may turn a joint {faster}")]


def none_rough(graph: Graph) -> Rough:
    """No transition left out."""
    return Rough(np.zeros(len(graph.transitions), bool), 1.0, 0)


def find_rough(graph: Graph, *, far: float = FAR, progress: Progress | None = None) -> Rough:
    """Transitions in which a joint flips over or turns too fast, by the strictest rule that the clips can bear.

    A blend may do 0.95 times what the clips do; or, if that would tear them apart, 1.25 times, or at most 1.6. Torn
    apart they are where less than 80 % of the frames that could be connected at any speed still are: computed clips are
    so even that hardly a blend of them is slower than their own fastest frame.
    """
    report, shares = progress or silent(), (QUICK, *QUICKER)
    first, *steps = parts(report, [1] * (1 + len(shares)))
    flips = _marked(graph, far, ANY, first)
    most = component(replace(graph, transitions=graph.transitions[~flips])).sum()
    found, share = flips, QUICK
    for share, step in zip(shares, steps, strict=True):
        found = _marked(graph, far, share, step)
        if component(replace(graph, transitions=graph.transitions[~found])).sum() >= ENOUGH * most:
            break
    report(1.0, STAGE)
    return Rough(found, share, int(flips.sum()))


def _marked(graph: Graph, far: float, quick: float, progress: Progress) -> BoolArray:
    """(T,) transitions in which a joint flips over, or is faster than `quick` times its fastest."""
    from motionloom.methods.graph.render._kernels import mark_rough

    skeleton = graph.clips[0].skeleton
    chosen = [j for j in range(len(skeleton)) if j not in set(fingers(skeleton))]
    rotations = [clip.rotations[:, chosen] for clip in graph.clips]
    alpha = np.concatenate([[0.0], graph.weights, [1.0]])
    fastest = np.cos(np.clip(quick * _fastest(rotations), STILL, np.pi) / 2)
    t, out = graph.transitions, np.empty(len(graph.transitions), bool)
    turns, least = np.concatenate(rotations), float(np.cos(far / 2))
    for s in slices(len(out), AT_ONCE, progress, STAGE):
        mark_rough(turns, t.a[s], t.b[s], t.turn[s], alpha, least, fastest, out[s])
    return out


def _fastest(parts: list[FloatArray]) -> FloatArray:
    """(K,) the largest turn of each joint from one frame to the next, radians."""
    steps = [angle_between(part[:-1], part[1:]).max(0) for part in parts if len(part) > 1]
    return np.asarray(np.max(steps, axis=0))
