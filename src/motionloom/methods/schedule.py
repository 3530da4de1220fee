"""Schedule of a request: frames that are allowed at each time, and from which the rest can still be reached.

For all methods that play frames of clips: frames are nodes in a row; a node leads to the next one of its clip, and over
transitions or cuts to others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from motionloom.constraints import Constraint, Pace, PoseAt, Style, StyleAlong, tilt_between
from motionloom.core import BoolArray, Clip, FloatArray, IntArray, Progress, UInt8Array, is_found, silent
from motionloom.core.progress import parts
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.gait_recognition import PREFIX, labelled
from motionloom.kinematics.pace import pace
from motionloom.methods.nearest_request import nearest_pace
from motionloom.rotation import angle_between

POSE_SHARES = (0.0, 0.002, 0.01, 0.05, 0.25)  # shares of all frames that are tried as near enough to a pose
SAME_POSE = 1e-3  # rad: a frame this near is the pose itself
NODES_PER_CALL = 20_000_000  # nodes and transitions in one call of the kernel, a few tenths of a second


class FrameNet(NamedTuple):
    """The nodes of all clips in a row, and their successors."""

    goes_on: BoolArray  # (N,) whether the next node is the next frame of the same clip
    first_out: IntArray  # (N + 1,) transitions first_out[n] .. first_out[n + 1] - 1 leave at node n
    enter: IntArray  # (T,) the nodes that they enter
    blend: int  # frames from the node left to the node entered: 1 for a cut, else an even number


class Allowed(NamedTuple):
    """The nodes that each frame of the result may show."""

    masks: BoolArray  # (M, N)
    rows: IntArray  # (F,) index of the mask; -1: any node

    @classmethod
    def of(cls, masks: BoolArray) -> Allowed:
        """A mask (F, N) of its own for each frame."""
        return cls(masks, np.arange(len(masks)))


def allowed_nodes(
    spans: Sequence[tuple[range, BoolArray]], near: Mapping[int, BoolArray], frames: int, nodes: int
) -> Allowed:
    """The masks that hold at each time: those of spans (N,) and those of single frames, combined."""
    given = [*(mask for _, mask in spans), *near.values()]
    on = np.zeros((frames, len(given)), bool)
    for k, (span, _) in enumerate(spans):
        on[max(span.start, 0) : max(span.stop, 0), k] = True
    for k, t in enumerate(near, start=len(spans)):
        on[t, k] = True
    sets, rows = np.unique(on, axis=0, return_inverse=True)
    masks = np.ones((len(sets), nodes), bool)
    for mask, members in zip(masks, sets, strict=True):
        for member in np.flatnonzero(members):
            mask &= given[member]
    some = np.asarray(sets.any(1))
    return Allowed(masks, np.where(some[rows.ravel()], rows.ravel(), -1))


class Reachable:
    """For each frame of the result, the nodes (and transitions) from which the rest can still be reached.

    From the last frame back: a node is reachable at t if it is allowed and the next one is reachable at t + 1, or a
    transition from it is. A transition is reachable if the node it enters is reachable at its end and the nodes shown
    meanwhile are allowed: the first clip's up to its middle, then the second's. The end may cut it off. At `pure` times
    there is no transition. `bits` are packed, (F, (N + T) / 8) with `transitions`, else (F, N / 8).
    """

    def __init__(
        self,
        net: FrameNet,
        frames: int,
        allowed: Allowed | None = None,
        *,
        pure: Sequence[int] = (),
        transitions: bool = False,
        progress: Progress | None = None,
    ) -> None:
        from motionloom.methods._kernels_schedule import DEAD, TIME, mark_reachable

        self.size = len(net.goes_on)
        edges = len(net.enter)
        self.bits: UInt8Array = np.zeros((frames, (self.size + edges * transitions + 7) // 8), np.uint8)
        masks = np.zeros((0, self.size), bool) if allowed is None else np.ascontiguousarray(allowed.masks)
        rows = np.full(frames, -1) if allowed is None else allowed.rows
        at_pure = np.zeros(frames, bool)
        at_pure[list(pure)] = True
        run = np.zeros((net.blend // 2 + 1, self.size if net.blend > 1 else 0), np.int64)
        memo = np.array([frames - 1, 0, frames + net.blend, -1, 0])
        arrays = (np.array(net.goes_on), np.array(net.first_out), np.array(net.enter), net.blend)
        report = progress or silent()
        while memo[TIME] >= 0:
            report((frames - 1 - int(memo[TIME])) / frames, "scheduling")
            steps = max(1, NODES_PER_CALL // (self.size + edges + 1))
            mark_reachable(arrays, masks, rows, at_pure, self.bits, run, memo, transitions, steps)
        report(1.0, "scheduling")
        self.first_dead = int(memo[DEAD])  # no node is reachable up to this frame; -1: the first one has some

    def at(self, t: int) -> BoolArray:
        """(N,) the nodes reachable at frame t."""
        return np.unpackbits(self.bits[t], count=self.size, bitorder="little").astype(bool)

    def has(self, t: int, node: int) -> bool:
        """Whether a node, or transition number node - N, is reachable at frame t."""
        return bool(self.bits[t, node >> 3] >> (node & 7) & 1)

    def has_all(self, t: IntArray, nodes: IntArray) -> bool:
        """Whether these nodes are reachable, each at its own frame."""
        return bool((self.bits[t, nodes >> 3] >> (nodes & 7) & 1).all())


class Schedule(NamedTuple):
    """Labels and poses that can be kept, and the nodes from which."""

    reachable: Reachable
    spans: tuple[tuple[range, BoolArray], ...]  # frames of each style and pace that is kept, and the nodes (N,) for it
    near: Mapping[int, BoolArray]  # (N,) nodes near enough to the pose, by frame
    missing: Style | Pace | None = None  # a hard style or pace that cannot be kept; later ones are not tried


def schedule(
    net: FrameNet,
    clips: Sequence[Clip],
    styles: Sequence[Style | Pace],
    poses: Sequence[PoseAt],
    frames: int,
    *,
    free: Reachable,
    progress: Progress | None = None,
) -> Schedule:
    """The nodes that can be shown at each time so that labels, paces and poses are kept to the end.

    Hard labels and paces come first, then soft ones by weight and importance, each as far as the end can be reached,
    strictly or with the margin that its tolerance leaves at its ends; then poses, by the nearest share of all frames
    with which the end can be reached: first by frames that are the pose itself. Poses are not shown within blends.
    `free` is the reachability without any of them.
    """
    fps, nodes = clips[0].fps, len(net.goes_on)
    wide = free.bits.shape[1] > (nodes + 7) // 8
    masks = {s: nodes_of(clips, s) for s in styles}
    best, kept = free, tuple[tuple[range, BoolArray], ...]()
    trials = iter(parts(progress or silent(), [1] * (2 * len(styles) + len(POSE_SHARES))))

    def trial(spans: tuple[tuple[range, BoolArray], ...], near: Mapping[int, BoolArray]) -> Reachable:
        allowed = allowed_nodes(spans, near, frames, nodes)
        return Reachable(net, frames, allowed, pure=tuple(near), transitions=wide, progress=next(trials))

    soft = sorted((s for s in styles if not s.hard), key=lambda s: -(s.weight or 0.0) * getattr(s, "importance", 1.0))
    for style in [s for s in styles if s.hard] + soft:
        for slack in (0.0, 1.0):
            spans = (*kept, (label_span(style, frames, fps, slack), masks[style]))
            found = trial(spans, {})
            if found.first_dead < 0:
                best, kept = found, spans
                break
        else:
            if style.hard:
                return Schedule(best, kept, {}, style)
    apart = [(c.frame(frames, fps), pose_distances(clips, c)) for c in poses]
    for share in POSE_SHARES if apart else ():
        near: dict[int, BoolArray] = {}
        for t, d in apart:
            close = d <= (SAME_POSE if share == 0.0 else np.quantile(d, share))
            near[t] = near[t] & close if t in near else close
        found = trial(kept, near)
        if found.first_dead < 0:
            return Schedule(found, kept, near)
    return Schedule(best, kept, {})


def label_span(style: Style | Pace, frames: int, fps: float, slack: float) -> range:
    """The frames of a span; with `slack` 1, without a margin at its ends.

    For a style that is the margin that its tolerance leaves, for a pace half of the second that it is averaged over.
    """
    span = style.frames(frames, fps)
    room = slack * (style.tolerance * len(span) if isinstance(style, Style) else min(0.5 * fps, 0.2 * len(span)))
    room = int(room / 2)
    return range(span.start + room, span.stop - room)


def nodes_of(clips: Sequence[Clip], c: Constraint) -> BoolArray:
    """(N,) frames that carry the label of a `style` or `style_along`, or move at the speed of a `pace`.

    Half of the tolerance of a pace is left for the blends between clips.
    """
    if isinstance(c, Pace):
        return np.asarray(c.deviation(frame_paces(clips)) <= 0.5 * c.tolerance)
    assert isinstance(c, (Style, StyleAlong))
    return frames_with_label(clips, c.label)


def frame_paces(clips: Sequence[Clip]) -> FloatArray:
    """(N,) m/s: the pace of the source around each frame."""
    return np.concatenate([pace(clip) for clip in clips])


def frames_with_label(clips: Sequence[Clip], label: str) -> BoolArray:
    """(N,) frames that carry a label."""
    return np.concatenate([labelled(clip, label) for clip in clips])


def pose_distances(clips: Sequence[Clip], constraint: PoseAt) -> FloatArray:
    """(N,) radians: mean difference of each frame from a pose, over the joints that it fixes; the root's tilt only."""
    joints, rotations, _ = constraint.target(clips[0].skeleton)
    out = []
    for clip in clips:
        apart = angle_between(clip.rotations[:, joints], rotations)
        if 0 in joints:
            at = joints.index(0)
            apart[:, at] = tilt_between(clip.rotations[:, 0], rotations[at])
        out.append(apart.mean(1))
    return np.concatenate(out)


def missing_label(clips: Sequence[Clip], label: str) -> str:
    """Why a label cannot be shown, or "": no frame carries it; with the labels that exist."""
    if frames_with_label(clips, label).any():
        return ""
    names = sorted({n for clip in clips for n in clip.label_names if clip.label(n).any()})
    known = ", ".join(n for n in names if not is_found(n)) or "no labels"
    found = ", ".join(n.removeprefix(PREFIX) for n in names if n.startswith(PREFIX))
    return f"no clip carries the label {label!r}; these clips carry {known}{f'; found in them: {found}' * bool(found)}"


def missing_pace(clips: Sequence[Clip], c: Pace) -> str:
    """Why a pace cannot be shown, or "": no frame moves at it; with the speeds of the clips and the nearest request."""
    if nodes_of(clips, c).any():
        return ""
    low, high = np.quantile(frame_paces(clips), [0.02, 0.98])
    return f"no clip moves at the speed of {c.describe()}; these clips move at {nearest_pace(c, low, high)}"


def style_problem(clips: Sequence[Clip], style: Style | StyleAlong | Pace, links: str, advice: str) -> str:
    """Why a style or pace cannot be kept: no frame shows it, or no `links` (transitions, cuts) lead through them."""
    if isinstance(style, Pace):
        mask = nodes_of(clips, style)
        return missing_pace(clips, style) or (
            f"no route through these clips keeps {style.describe()}: {int(mask.sum())} of {len(mask)} frames move at "
            f"that speed, and no {links} lead there and back in time ({advice})"
        )
    if problem := missing_label(clips, style.label):
        return problem
    longest = max(b - a for clip in clips for a, b in runs(labelled(clip, style.label)))
    count = int(frames_with_label(clips, style.label).sum())
    return (
        f"no route through these clips keeps {style.describe()}: {count} frames carry the label, the longest "
        f"stretch lasts {longest / clips[0].fps:.2f} s, and no {links} lead there and back in time ({advice})"
    )
