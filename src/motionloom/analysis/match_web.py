"""Match webs: which stretches of all clips look alike, found once and then queried many times (HECK 3.5, step 1).

A web holds, for every pair of clips, all slope-limited paths along the valleys of their distance matrix below a
threshold (after L. Kovar, M. Gleicher, Automated Extraction and Parameterization of Motions in Large Data Sets, 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from motionloom.analysis.cloud_search import build_clouds, clip_spans, near_pairs
from motionloom.analysis.point_cloud import PointCloud
from motionloom.analysis.weights import joint_weights
from motionloom.core import BadRequest, Clip, FloatArray, IntArray, Progress, Skeleton, UnknownJoint, part, silent
from motionloom.core.progress import each
from motionloom.core.watched import watched
from motionloom.kinematics.body.proportions import on_skeleton, same_bones
from motionloom.kinematics.body.roles import feet, group
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample

THRESHOLD = 0.10  # m: root mean square distance of two windows
WINDOW = 0.33  # s: length of a window, as a rule
SHORTEST = 0.3  # s: of a path
REACH = 0.14  # s: gaps of a valley that a path crosses
SLOPE = 3  # a path runs at most this many times faster in one clip than in the other
APART = 0.4  # s: frames of one clip that are nearer do not count as similar
COVER = 0.9  # of the query that a match covers
MAX_CELLS = 100_000_000  # pairs of frames below the threshold, of one skeleton
CELL_BYTES = 60  # that a pair takes while paths are joined, about
SAME = 0.5  # of the shorter of two matches: where they overlap by more, the nearer one is kept


@dataclass(frozen=True, eq=False)
class MatchWeb:
    """Paths between clips: path c goes through cells `ends[c - 1]` to `ends[c]`."""

    names: tuple[str, ...]  # of the clips
    lengths: IntArray  # (N,) frames at `fps`
    fps: float
    threshold: float  # m
    pairs: IntArray  # (C, 2) clips of each path
    ends: IntArray  # (C,)
    cells: IntArray  # (M, 2) frames of both clips
    values: FloatArray  # (M,) m
    skipped: int = 0  # pairs of clips with different skeletons
    window: float = WINDOW  # s
    joints: tuple[str, ...] = ("all",)  # groups, roles or names of the joints that are compared

    @cached_property
    def starts(self) -> IntArray:
        """(C,) the first cell of each path."""
        return np.concatenate([[0], self.ends[:-1]]).astype(np.int64)

    @cached_property
    def covered(self) -> tuple[IntArray, IntArray]:
        """(C, 2) the first and the last frame of both clips that a path covers."""
        if not len(self.ends):
            return self.pairs, self.pairs
        return self.cells[self.starts], self.cells[self.ends - 1]


class Match(NamedTuple):
    """A stretch of a clip that looks like a query."""

    clip: int
    first: int  # frame at the web's frame rate
    last: int
    distance: float  # m, mean along the path
    round: int  # 1: found from the query itself
    of_first: int  # the part of its query that it matches
    of_last: int


@watched
def build_web(
    clips: Sequence[Clip],
    *,
    fps: float | None = 30.0,
    threshold: float = THRESHOLD,
    window: float = WINDOW,
    joints: Sequence[str] = ("all",),
    progress: Progress | None = None,
) -> MatchWeb:
    """The web of some clips; pairs without a common skeleton are skipped and counted.

    Clips are compared at `fps`, or at the lowest rate of all, on the bones of the first one of their skeleton, so that
    people of different sizes can be found. `window` is in seconds: a short one compares poses, a long one speeds, too.
    `joints` are those that count, as groups, roles or names; skeletons without any of them are skipped. Memory grows
    with the pairs of frames below the threshold, about 60 bytes each, not with all pairs; `BadRequest` above
    `MAX_CELLS`.
    """
    report = progress or silent()
    if len(clips) < 1 or not threshold > 0:
        raise BadRequest(f"a match web needs clips and a threshold above 0 m, found {len(clips)} and {threshold:g}")
    rate = min([clip.fps for clip in clips] + ([fps] if fps else []))
    reading = part(report, 0.0, 0.1)
    ready = [resample(c, rate) if c.fps != rate else c for c in each(list(clips), reading, "resampling clips")]
    groups = [g for g in _groups(ready) if len(_counted(ready[g[0]].skeleton, joints))]
    if not groups:
        raise BadRequest(f"no clip has any of the joints {', '.join(joints)}")
    pieces: list[tuple[IntArray, IntArray, IntArray, FloatArray]] = []
    done, total = 0.0, float(sum(sum(len(ready[k]) for k in g) ** 2 for g in groups))
    for own in groups:
        size = float(sum(len(ready[k]) for k in own) ** 2) / total
        step = part(report, 0.1 + 0.9 * done, 0.1 + 0.9 * (done + size))
        pieces += _paths(_on_one_body([ready[k] for k in own]), own, rate, threshold, window, joints, step)
        done += size
    report(1.0, "comparing frames")
    pairs, ends, cells, values = _joined(pieces)
    count = len(clips)
    within = sum(len(g) * (len(g) + 1) // 2 for g in groups)
    lengths = np.array([len(c) for c in ready], np.int64)
    names = tuple(clip.name for clip in clips)
    skipped = count * (count + 1) // 2 - within
    return MatchWeb(
        names, lengths, rate, threshold, pairs, ends, cells, values, skipped, float(window), tuple(joints)
    )  # fmt: skip


def _counted(skeleton: Skeleton, joints: Sequence[str]) -> IntArray:
    """The joints that groups, roles or names stand for; those that a skeleton does not have are left out."""
    found: set[int] = set()
    for name in joints:
        with suppress(UnknownJoint):
            found.update(group(skeleton, name))
    return np.array(sorted(found), np.int64)


def _on_one_body(clips: Sequence[Clip]) -> list[Clip]:
    """The clips with the bones of the first one, their paths scaled by the length of legs."""
    body = clips[0].skeleton
    if not feet(body):
        return list(clips)
    return [clip if same_bones(body, clip.skeleton) else on_skeleton(clip, body) for clip in clips]


def _groups(clips: Sequence[Clip]) -> list[list[int]]:
    """Clips with the same joints and parents."""
    found: dict[tuple[tuple[str, ...], tuple[int, ...]], list[int]] = {}
    for k, clip in enumerate(clips):
        found.setdefault((clip.skeleton.names, tuple(int(p) for p in clip.skeleton.parents)), []).append(k)
    return list(found.values())


def _paths(
    clips: Sequence[Clip], which: Sequence[int], fps: float, threshold: float, window: float, joints: Sequence[str],
    progress: Progress,
) -> list[tuple[IntArray, IntArray, IntArray, FloatArray]]:  # fmt: skip
    """(clips, ends, cells, values) of all pairs of clips of one skeleton."""
    measure = PointCloud(radius=max(1, round(window * fps / 2)))
    counted = _counted(clips[0].skeleton, joints)
    span = clip_spans(clips, measure.radius)
    if not (span[:, 0] < span[:, 1]).any():
        return []
    points = np.concatenate([fk(c)[:, counted] for c in clips])
    clouds = build_clouds(points, joint_weights(clips[0].skeleton, measure.weights)[counted], span, measure)
    starts = np.concatenate([[0], np.cumsum([len(c) for c in clips])])
    owner = np.repeat(np.arange(len(clips)), np.diff(starts))
    found = near_pairs(
        clouds, np.zeros(len(points), np.int64), np.array([[threshold]]), step=max(1, round(fps / 30)), radius=-1,
        apart=max(1, round(APART * fps)), progress=part(progress, 0.0, 0.8),
    )  # fmt: skip
    tiles, count = [], 0
    for cells, values in found:
        tiles.append((cells.astype(np.int32), values.astype(np.float32)))
        count += len(cells)
        if count > MAX_CELLS:
            raise BadRequest(
                f"match web: more than {MAX_CELLS:,} pairs of frames are within {threshold:g} m, which takes over "
                f"{MAX_CELLS * CELL_BYTES / 2**30:.0f} GB; give a smaller threshold, fewer frames per second or fewer "
                "clips"
            )
    cells = np.concatenate([c for c, _ in tiles]) if tiles else np.zeros((0, 2), np.int32)
    values = np.concatenate([v for _, v in tiles]) if tiles else np.zeros(0, np.float32)
    key = owner[cells[:, 0]] * len(clips) + owner[cells[:, 1]]
    order = np.lexsort((cells[:, 1], cells[:, 0], key))
    cells, values, key = cells[order], values[order], key[order]
    return _chained(cells, values, key, starts, which, fps, part(progress, 0.8, 1.0))


def _chained(
    cells: Any, values: Any, key: IntArray, starts: IntArray, which: Sequence[int], fps: float,
    progress: Progress,
) -> list[tuple[IntArray, IntArray, IntArray, FloatArray]]:  # fmt: skip
    from motionloom.analysis._kernels_chains import chains

    bounds = np.append(np.flatnonzero(np.diff(key, prepend=-1)), len(key))
    reach, least = max(2, round(REACH * fps)), max(1, round(SHORTEST * fps))
    out = []
    for n in each(range(len(bounds) - 1), progress, "joining paths"):
        here = slice(int(bounds[n]), int(bounds[n + 1]))
        a, b = divmod(int(key[bounds[n]]), len(which))
        local = (cells[here] - np.array([starts[a], starts[b]])).astype(np.int64)
        kept, ends = chains(local, values[here].astype(float), int(local[-1, 0]) + 1, reach, SLOPE, least)
        if len(ends):
            pair = np.tile([which[a], which[b]], (len(ends), 1))
            out.append((pair.astype(np.int64), ends, local[kept], values[here][kept].astype(float)))
    return out


def _joined(
    pieces: list[tuple[IntArray, IntArray, IntArray, FloatArray]],
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    if not pieces:
        return np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros((0, 2), np.int64), np.zeros(0)
    offsets = np.cumsum([0, *(len(p[3]) for p in pieces[:-1])])
    return (
        np.concatenate([p[0] for p in pieces]),
        np.concatenate([p[1] + o for p, o in zip(pieces, offsets, strict=True)]),
        np.concatenate([p[2] for p in pieces]),
        np.concatenate([p[3] for p in pieces]),
    )


def matches_of(web: MatchWeb, clip: int, first: int, last: int, *, turn: int = 1) -> list[Match]:
    """The stretches that look like frames `first` to `last` of a clip, the nearest first; none overlaps it.

    None is shorter than what the shortest path shows at the steepest slope, 0.1 s: rounds would end at single frames.
    """
    out = []
    least, shortest = COVER * (last - first), SHORTEST / SLOPE * web.fps
    low, high = web.covered
    for side in (0, 1):
        inner = np.minimum(high[:, side], last) - np.maximum(low[:, side], first)
        for c in np.flatnonzero((web.pairs[:, side] == clip) & (inner >= least)):
            cells = web.cells[web.starts[c] : web.ends[c]]
            own, other = cells[:, side], cells[:, 1 - side]
            a, b = max(first, int(own[0])), min(last, int(own[-1]))
            begin, end = (round(float(np.interp(f, own, other))) for f in (a, b))
            low_at = min(int(np.searchsorted(own, a)), len(own) - 1)
            at = slice(low_at, max(low_at + 1, int(np.searchsorted(own, b, side="right"))))
            far = float(web.values[web.starts[c] : web.ends[c]][at].mean())
            if end - begin + 1 >= shortest:
                out.append(Match(int(web.pairs[c, 1 - side]), begin, end, far, turn, a, b))
    return apart(sorted(out, key=lambda m: m.distance), [(clip, first, last)])


def apart(matches: Sequence[Match], taken: Sequence[tuple[int, int, int]]) -> list[Match]:
    """The matches, in order, without those that overlap an earlier one or a stretch that is taken already."""
    known = list(taken)
    out = []
    for m in matches:
        if all(c != m.clip or not _overlap(m.first, m.last, a, b) for c, a, b in known):
            known.append((m.clip, m.first, m.last))
            out.append(m)
    return out


def _overlap(a: int, b: int, c: int, d: int) -> bool:
    return min(b, d) - max(a, c) > SAME * min(b - a, d - c)


def find_matches(
    web: MatchWeb,
    clip: int,
    first: int,
    last: int,
    *,
    rounds: int = 3,
    support: int = 1,
    rejected: Sequence[tuple[int, int, int]] = (),
    progress: Progress | None = None,
) -> list[Match]:
    """All stretches like a query, also those like its matches, and so on; nearest first, in order of rounds.

    A match is a new query in the next round. From the second round on, so many queries (`support`) must lead to a
    match. `rejected` stretches are not matches, and nothing is looked for from them.
    """
    if last - first + 1 < SHORTEST * web.fps - 0.5:
        seconds = (last - first + 1) / web.fps
        raise BadRequest(f"query: expected {SHORTEST:g} s or more, as all paths are so long, found {seconds:.2g} s")
    report = progress or silent()
    found: list[Match] = []
    led_to: list[list[Match]] = []  # by query, what it leads to
    queries = [(clip, first, last)]
    for turn in range(1, rounds + 1):
        for n, query in enumerate(queries):
            report((turn - 1 + n / len(queries)) / rounds, "following matches")
            led_to.append(matches_of(web, *query, turn=turn))
        taken = [(clip, first, last), *((m.clip, m.first, m.last) for m in found), *rejected]
        fresh = apart(sorted((m for own in led_to for m in own), key=lambda m: m.distance), taken)
        if turn > 1 and support > 1:
            fresh = [m._replace(round=turn) for m in fresh if _supporters(m, led_to) >= support]
        if not fresh:
            break
        found += fresh
        queries = [(m.clip, m.first, m.last) for m in fresh]
    report(1.0, "following matches")
    return found


def _supporters(match: Match, led_to: Sequence[Sequence[Match]]) -> int:
    """The number of queries that lead to a stretch."""
    found = 0
    for own in led_to:
        found += any(m.clip == match.clip and _overlap(m.first, m.last, match.first, match.last) for m in own)
    return found
