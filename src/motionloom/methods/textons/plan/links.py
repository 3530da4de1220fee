"""Links: places where one observed segment can be left for another, anywhere in the two.

LI joins textons at their ends. Most ends are near to one beginning only, that of the segment which followed in the
clip, so a walk over such joins replays its source. Between the ends, segments come near to each other far more often.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.ndimage import minimum_filter

from motionloom.core import BoolArray, FloatArray, IntArray, Progress
from motionloom.core.numbers import squared_distances
from motionloom.core.progress import each
from motionloom.kinematics.pace import speed_along
from motionloom.kinematics.travel import Travel, from_root_motion, ground_turn
from motionloom.methods.textons.plan.followed_takes import missing_departure, runs_of_segments
from motionloom.methods.textons.plan.joins import Joins, pose_features
from motionloom.methods.textons.segments import Segments

MIN_PLAYED = 0.6  # s: a segment is played at least so long before it is left
SAME_PLACE = 0.5  # s: frames of one clip that are nearer in time are not linked
SAMPLE_RATE = 30.0  # frames a second that are compared
MAX_SAMPLES = 6000  # frames that are compared in all: of more material, fewer a second
NEIGHBOURHOOD = 0.25  # s: a link is the nearest pair of frames within this time
LINKS_PER_SEGMENT = 30  # the nearest ones out of each
PER_PAIR = 3  # links from one segment to another
ORIGINAL_LOG = -3.0  # log of the factor by which a join that continues the clip is less likely than it would be
MAX_GAP_COST = 12.0  # nats: a change of speed stays possible where nothing else leads to what is requested
MAX_COPY_COST = 3.0  # nats: the most that a link costs after which two takes continue alike
GAP_UNIT = 0.03  # m/s: a change of speed at a link that costs one nat, times `steadiness`


class SegmentLinks(NamedTuple):
    """L links, ordered by the segment that they leave and the frame at which."""

    source: IntArray  # (L,) the segment that is left,
    exit: IntArray  # (L,) before this frame of it: this one and the next are replaced by the key poses of
    target: IntArray  # (L,) the other segment,
    entry: IntArray  # (L,) from this frame of it on
    distance: FloatArray  # (L,) m, as of joins
    original: BoolArray  # (L,) does it continue the clip?
    score: FloatArray  # (L,) log weight among the links out of a segment
    start: IntArray  # (L,) first and
    stop: IntArray  # (L,) last link (excluded) that can follow: out of the target, some time after the entry


class SegmentPaths(NamedTuple):
    """The path over the ground of every segment, all frames in a row."""

    first: IntArray  # (n,) row of each segment's first frame
    place: FloatArray  # (F, 2) m
    heading: FloatArray  # (F,) rad
    speed: FloatArray  # (F,) m/s, averaged over half a second


def segment_paths(segments: Segments) -> SegmentPaths:
    """The paths of all segments, each from the origin."""
    tracks = [from_root_motion(o.frames.root[:, :3] / segments.fps) for o in segments.observed]
    speeds = [speed_along(t.place, segments.fps) for t in tracks]
    first = np.cumsum([0, *(len(o.frames) for o in segments.observed[:-1])])
    return SegmentPaths(
        first,
        np.concatenate([t.place for t in tracks]),
        np.concatenate([t.heading for t in tracks]),
        np.concatenate(speeds),
    )


def captured_paths(segments: Segments, track: SegmentPaths) -> list[FloatArray]:
    """The paths (F, 2) m of runs of segments that follow each other in a clip."""
    out: list[list[FloatArray]] = []
    end = Travel(np.zeros((1, 2)), np.zeros(1))
    for run, first, seen in zip(runs_of_segments(segments), track.first, segments.observed, strict=True):
        if run == len(out):
            out.append([])
            end = Travel(np.zeros((1, 2)), np.zeros(1))
        turn = end.heading[0] - track.heading[first]
        place = end.place + ground_turn(turn, track.place[first : first + seen.length + 1] - track.place[first])
        out[-1].append(place[:-1])
        end = Travel(place[-1:], track.heading[first + seen.length : first + seen.length + 1] + turn)
    return [np.concatenate(run) for run in out]


def find_links(
    segments: Segments, joins: Joins, chances: FloatArray, track: SegmentPaths, steadiness: float, progress: Progress
) -> SegmentLinks:
    """Every link under the limit of unseen joins, and the joins at the ends of segments.

    A link is a pair of frames that is the nearest within `NEIGHBOURHOOD` of both. Its weight is that of a join: M of
    the textons (`chances`; for an unseen pair that of any segment) times exp(-fall d), less for a change of speed by g:
    exp(-steadiness (g / unit)^2), where the unit is 0.03 m/s, or a fifth of the usual change within a second of the
    clips. What a second around the link lacks to be as far from its source as takes are from each other
    (`missing_departure`) counts as so much distance. Links from which no walk without end continues are left out; there
    may be none at all.
    """
    least = max(4, round(MIN_PLAYED * segments.fps))
    found = [_ends(segments, joins)]
    if joins.limit > 0:
        found += _near_pairs(segments, joins.limit, least, progress)
    source, exit_, target, entry, distance = (np.concatenate(x) for x in zip(*found, strict=True))
    keep = np.lexsort((exit_, source))
    source, exit_, target, entry, distance = (x[keep] for x in (source, exit_, target, entry, distance))
    gap = np.abs(track.speed[track.first[source] + exit_] - track.speed[track.first[target] + entry])
    of = segments.textons
    shared = np.bincount(of, minlength=segments.texton_count)[of]
    usual = np.where(joins.seen, chances[np.ix_(of, of)] / shared, 1 / len(of))
    score = np.log(np.maximum(usual[source, target], 1e-12)) - joins.fall * distance
    score -= np.minimum(steadiness * (gap / speed_unit(segments, track)) ** 2, MAX_GAP_COST)
    score -= np.minimum(joins.fall * missing_departure(segments, source, exit_, target, entry), MAX_COPY_COST)
    original = _continues(segments, source, exit_, target, entry)
    score[original] += ORIGINAL_LOG
    return _endless(SegmentLinks(source, exit_, target, entry, distance, original, score, source, source), least)


def speed_unit(segments: Segments, track: SegmentPaths) -> float:
    """m/s: the change of speed at a link that costs one nat."""
    second, changes = round(segments.fps), []
    for first, seen in zip(track.first, segments.observed, strict=True):
        own = track.speed[first : first + len(seen.frames)]
        changes.append(np.abs(own[second:] - own[:-second]))
    every = np.concatenate(changes)
    usual = float(np.sqrt((every**2).mean())) if len(every) else 0.0
    return max(GAP_UNIT, usual / 5)


def _ends(segments: Segments, joins: Joins) -> tuple[IntArray, IntArray, IntArray, IntArray, FloatArray]:
    """The joins at the ends of segments that a walk may take."""
    source, target = np.nonzero(joins.chances)
    lengths = np.array([o.length for o in segments.observed])
    return source, lengths[source], target, np.zeros(len(source), np.int64), joins.distance[source, target]


def _near_pairs(
    segments: Segments, limit: float, least: int, progress: Progress
) -> list[tuple[IntArray, IntArray, IntArray, IntArray, FloatArray]]:
    """The nearest pairs of frames of every two segments, within the limit."""
    observed, fps = segments.observed, segments.fps
    total = sum(o.length for o in observed)
    step = max(1, round(fps / SAMPLE_RATE), -(-total // MAX_SAMPLES))
    samples = [np.arange(0, o.length + 1, step) for o in observed]
    features = [pose_features(o.frames[_pairs(at)], segments) for o, at in zip(observed, samples, strict=True)]
    starts = np.cumsum([0, *map(len, samples)])
    everything = np.concatenate(features)
    joints = len(segments.skeleton)
    around = max(1, round(NEIGHBOURHOOD * fps / step))
    clip = [o.source for o in observed]
    out = []
    for a, own in each(list(enumerate(observed)), progress, "linking segments"):
        square = squared_distances(features[a], everything) / joints
        found = []
        for b, other in enumerate(observed):
            block = square[:, starts[b] : starts[b + 1]]
            at_a, at_b = samples[a], samples[b]
            usable = (at_a >= least)[:, None] & (at_b <= other.length - least)[None, :]
            if clip[a] == clip[b]:
                apart = (own.frame + at_a * own.pace)[:, None] - (other.frame + at_b * other.pace)[None, :]
                usable &= np.abs(apart) > SAME_PLACE * fps * own.pace
            block = np.where(usable & (block <= limit**2), block, np.inf)
            if not np.isfinite(block).any():
                continue
            low = np.isfinite(block) & (block <= minimum_filter(block, size=2 * around + 1, mode="nearest"))
            i, j = np.nonzero(low)
            best = np.argsort(block[i, j], kind="stable")[:PER_PAIR]
            found.append((at_a[i[best]], np.full(len(best), b), at_b[j[best]], np.sqrt(block[i, j][best])))
        if found:
            exit_, target, entry, distance = (np.concatenate(x) for x in zip(*found, strict=True))
            best = np.argsort(distance, kind="stable")[:LINKS_PER_SEGMENT]
            out.append((np.full(len(best), a), exit_[best], target[best], entry[best], distance[best]))
    return out


def _pairs(at: IntArray) -> IntArray:
    return np.stack([at, at + 1], 1).ravel()


def _continues(segments: Segments, source: IntArray, exit_: IntArray, target: IntArray, entry: IntArray) -> BoolArray:
    """(L,) does a link lead to the frame of the clip that comes next anyway?"""
    clips = list(dict.fromkeys(o.source for o in segments.observed))
    clip = np.array([clips.index(o.source) for o in segments.observed])
    frame, pace = (np.array([getattr(o, what) for o in segments.observed], float) for what in ("frame", "pace"))
    ahead = frame[target] + entry * pace[target] - frame[source] - exit_ * pace[source]
    return np.asarray((clip[source] == clip[target]) & (np.abs(ahead) <= 2 * pace[source]))


def _endless(links: SegmentLinks, least: int) -> SegmentLinks:
    """The links that can follow each other without end, each with those that can follow it."""
    while True:
        count = len(links.source)
        if not count:
            return links
        key = links.source * 2**32 + links.exit
        start = np.searchsorted(key, links.target * 2**32 + links.entry + least)
        stop = np.searchsorted(key, (links.target + 1) * 2**32)
        inside = _largest_part(start, stop)
        if len(inside) == count:
            return links._replace(start=start, stop=stop)
        links = SegmentLinks._make(x[inside] for x in links)


def _largest_part(start: IntArray, stop: IntArray) -> IntArray:
    """The links of the largest part in which all can reach each other; none if every walk ends."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    count, widths = len(start), np.maximum(stop - start, 0)
    columns = ranges(start, widths)
    rows = np.concatenate([[0], np.cumsum(widths)])
    graph = csr_matrix((np.ones(len(columns), np.int8), columns, rows), shape=(count, count))
    _, part = connected_components(graph, directed=True, connection="strong")
    own = np.repeat(part, widths) == part[columns]
    inner = np.bincount(np.repeat(part, widths)[own], minlength=part.max() + 1)
    sizes = np.where(inner > 0, np.bincount(part), 0)
    return np.flatnonzero(part == int(sizes.argmax())) if sizes.max() > 0 else np.zeros(0, np.int64)


def ranges(start: IntArray, widths: IntArray) -> IntArray:
    """start[0], start[0] + 1, ... (widths[0] numbers), then those from start[1] on, and so forth."""
    offset = np.repeat(start - np.concatenate([[0], np.cumsum(widths)[:-1]]), widths)
    return np.asarray(np.arange(int(widths.sum())) + offset)
