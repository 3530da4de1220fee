"""Rough transitions: in the blend a joint would flip over or turn too fast, a knee bend or the hips move suddenly."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, Note, Progress, silent
from motionloom.core.progress import parts, slices
from motionloom.kinematics.body.roles import fingers
from motionloom.methods.graph.build.blended_hips import hips_ratios
from motionloom.methods.graph.build.blended_knees import knee_ratios
from motionloom.methods.graph.build.prune import largest_component
from motionloom.methods.graph.graph import Graph
from motionloom.rotation import angle_between

MAX_JOINT_GAP = np.radians(90.0)  # a joint that differs by more at a transition would flip over in its blend
MAX_SPEED_RATIO = 0.95  # of a joint's fastest turn in the clips; the rest is for legs that keep plants
RELAXED_SPEED_RATIOS = (1.25, 1.6)  # for clips so uniform that hardly any blend is slower than their fastest frame
MIN_CONNECTED_SHARE = 0.8  # of the frames connected without a speed limit; below it, the next ratio is tried
MIN_KEPT_BY_HIPS = 0.95  # of the frames connected without the rule for hips, which is relaxed or left out below it
WORK = (6, 3, 3)  # parts of the check at the three ratios; the last two are rarely needed
STAGE, TRANSITIONS_PER_CALL = "checking transitions", 20_000  # one call of the kernel takes some 0.1 s
NO_SPEED_LIMIT = 1e6  # times the fastest turn
MIN_TURN = np.radians(0.5)  # in a frame: allowed for a joint that never turns in the clips


def rough_transitions(graph: Graph, *, gap: float = MAX_JOINT_GAP, speed_ratio: float | None = None) -> BoolArray:
    """(T,) rough transitions; those to keep are `graph.transitions[~rough_transitions(graph)]`.

    Distances of positions ignore the rotation of a head or hand about its own axis, and captures exist in which a head
    is half a turn off through a whole clip. A transition is rough if in one joint (except fingers) the two frames
    differ by more than `gap` radians, the hips after alignment; or if a joint turns by more in one frame of the blend
    than `speed_ratio` times its fastest turn in the clips, and by more than in either clip at that moment; or if a
    knee bends too suddenly while feet are held at their plants (`knee_ratios`, relaxed as `speed_ratio` is).

    Without `speed_ratio` they are those of `find_rough_transitions`.
    """
    if speed_ratio is None:
        return find_rough_transitions(graph, gap=gap).marked
    return _mark_rough(graph, gap, speed_ratio, silent()) | _sudden(knee_ratios(graph, silent(), STAGE), speed_ratio)


class RoughTransitions(NamedTuple):
    """Transitions to leave out, and the speed that the others may have."""

    marked: BoolArray  # (T,)
    speed_ratio: float  # times the fastest turn of a joint in the clips
    flips: int  # number of those in which a joint would flip over

    def notes(self) -> list[Note]:
        """A note if blends may turn joints faster than the clips do."""
        if self.speed_ratio <= 1:
            return []
        return [
            Note(f"uniform clips: blends may turn a joint up to {self.speed_ratio:g} times as fast as the clips do")
        ]


def no_rough_transitions(graph: Graph) -> RoughTransitions:
    """No rough transitions, where they are not checked."""
    return RoughTransitions(np.zeros(len(graph.transitions), bool), 1.0, 0)


def find_rough_transitions(
    graph: Graph, *, gap: float = MAX_JOINT_GAP, progress: Progress | None = None
) -> RoughTransitions:
    """Transitions in which a joint flips over or turns too fast, at the lowest speed limit that keeps clips connected.

    A blend may turn a joint at 0.95 times its fastest turn in the clips; or, if that disconnects them, at 1.25 times,
    or at most 1.6. They are disconnected where less than 80 % of the frames that are connected without a speed limit
    still are: computed clips are so uniform that hardly any blend is slower than their fastest frame. Then transitions
    go in which the hips accelerate more over the ground than in the clips (`hips_ratios`), if that keeps 95 % of these
    frames connected; else those in which they do so 1.25 or 1.6 times as much, or none.
    """
    report, shares = progress or silent(), (MAX_SPEED_RATIO, *RELAXED_SPEED_RATIOS)
    first, *steps, last = parts(report, [1, *WORK, 1])
    flips = _mark_rough(graph, gap, NO_SPEED_LIMIT, first)
    most = _connected(graph, flips)
    bends = np.full(len(flips), np.nan)  # not needed where a joint turns too fast
    found, share = flips, MAX_SPEED_RATIO
    for share, step in zip(shares, steps, strict=True):
        turning, bending = parts(step, [1, 5])
        found = _mark_rough(graph, gap, share, turning)
        needed = np.isnan(bends) & ~found
        bends[needed] = knee_ratios(replace(graph, transitions=graph.transitions[needed]), bending, STAGE)
        found |= _sudden(bends, share)
        if _connected(graph, found) >= MIN_CONNECTED_SHARE * most:
            break
    hips, without = hips_ratios(graph, last, STAGE), _connected(graph, found)
    for limit in (ratio for ratio in shares if ratio >= share):
        also = found | _sudden(hips, limit)
        if _connected(graph, also) >= MIN_KEPT_BY_HIPS * without:
            found = also
            break
    report(1.0, STAGE)
    return RoughTransitions(found, share, int(flips.sum()))


def _connected(graph: Graph, left_out: BoolArray) -> int:
    """The number of frames that stay connected without some transitions."""
    return int(largest_component(replace(graph, transitions=graph.transitions[~left_out])).sum())


def _sudden(ratios: FloatArray, speed_ratio: float) -> BoolArray:
    """(T,) transitions in whose blends knees or hips move too suddenly, by `knee_ratios` or `hips_ratios`."""
    return np.asarray(ratios > speed_ratio / MAX_SPEED_RATIO)


def _mark_rough(graph: Graph, gap: float, speed_ratio: float, progress: Progress) -> BoolArray:
    """(T,) transitions in which a joint flips over, or turns faster than `speed_ratio` times its fastest turn."""
    from motionloom.methods.graph.render._kernels import mark_rough

    skeleton = graph.clips[0].skeleton
    chosen = [j for j in range(len(skeleton)) if j not in set(fingers(skeleton))]
    rotations = [clip.rotations[:, chosen] for clip in graph.clips]
    alpha = np.concatenate([[0.0], graph.weights, [1.0]])
    fastest = np.cos(np.clip(speed_ratio * _fastest_turns(rotations), MIN_TURN, np.pi) / 2)
    t, out = graph.transitions, np.empty(len(graph.transitions), bool)
    turns, least = np.concatenate(rotations), float(np.cos(gap / 2))
    for s in slices(len(out), TRANSITIONS_PER_CALL, progress, STAGE):
        mark_rough(turns, t.a[s], t.b[s], t.turn[s], alpha, least, fastest, out[s])
    return out


def _fastest_turns(parts: list[FloatArray]) -> FloatArray:
    """(K,) the largest turn of each joint from one frame to the next, radians."""
    steps = [angle_between(part[:-1], part[1:]).max(0) for part in parts if len(part) > 1]
    return np.asarray(np.max(steps, axis=0))
