"""What of a graph can be walked for ever: strongly connected parts, per label set and in all (GUAN 2.4.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from motionloom.core import BadRequest, BoolArray, IntArray, Note
from motionloom.core.note import info, warning
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.labels import label_sets

NAMED = 5  # files left out that are named
FEW = 0.5  # a connected share below this is warned of


@dataclass(frozen=True)
class Kept:
    """What pruning left of one label set."""

    labels: frozenset[str]  # empty: frames without a label
    frames: int
    largest: int  # frames of its largest strongly connected part
    kept: int  # those, and the ones on the way from one such part to another

    @property
    def name(self) -> str:
        return " + ".join(sorted(self.labels)) or "no label"


@dataclass(frozen=True)
class Report:
    """What pruning took away."""

    sets: tuple[Kept, ...]
    frames: int  # left out
    transitions: int  # left out
    clips: tuple[int, ...]  # those of which no frame is left
    names: tuple[str, ...] = ()  # files of which no frame is left; a file may be several clips

    def notes(self) -> list[Note]:
        """The same in words, a note each."""
        out = [
            Note(f"{s.name}: {s.kept} of {s.frames} frames kept, {s.largest} of them can be walked without leaving it")
            for s in self.sets
        ]
        left = f"left out: {self.frames} frames, {self.transitions} transitions"
        if not self.names:
            return [*out, Note(left)]
        some, more = ", ".join(self.names[:NAMED]), len(self.names) - NAMED
        return [*out, Note(f"{left}, and all of {some}{f' and {more} more' if more > 0 else ''}")]


@dataclass(frozen=True)
class Facts:
    """A graph in numbers."""

    seconds: float  # of material
    transitions: int
    per_second: float  # transitions for each second of material
    connected: float  # share of the frames that lie in the largest strongly connected part
    longest: float  # s: the longest time in that part from one choice to the next; infinite if there is none

    def notes(self) -> list[Note]:
        """The same in words, a note each."""
        many = "1 transition" if self.transitions == 1 else f"{self.transitions} transitions"
        out = info(
            f"{many}, {self.per_second:.2f} for each of {self.seconds:.1f} s",
            f"{100 * self.connected:.1f} % of the frames are strongly connected",
            f"at most {self.longest:.2f} s between choices"
            if np.isfinite(self.longest)
            else "no choice anywhere: one loop",
        )
        if self.connected < FEW:
            ways = "a larger --limit, with --mirror, or from clips that do more alike things"
            return [*out, warning(f"most of this material cannot be walked for ever; learn with {ways}")]
        return list(out)


def prune(graph: Graph) -> tuple[Graph, Report]:
    """The graph without transitions that lead into a dead end, out of nowhere, or into a part that cannot be left.

    GUAN 2.4.1: for each set of labels the largest strongly connected part of its own frames and transitions is kept.
    Literally, that would cut every way from one label set to another. So the largest strongly connected part of all
    frames is kept too, and whatever lies on a way from one of these parts to one of them (a jump between walks, say).
    Without labels, it is the largest strongly connected part and nothing else.

    Clips stay whole, so frames keep their numbers: `alive` says which ones are left. In each clip they are one stretch,
    from its first entrance to its last exit.
    """
    found = label_sets(graph.clips)
    core = component(graph)
    largest = []
    for k in range(len(found.sets)):
        part = component(graph, found.of == k)
        largest.append(int(part.sum()))
        core |= part
    kept = _between(graph, core)
    stay = kept[graph.leave] & kept[graph.enter]
    rows = tuple(
        Kept(labels, int((found.of == k).sum()), largest[k], int((kept & (found.of == k)).sum()))
        for k, labels in enumerate(found.sets)
    )
    gone = tuple(i for i in range(len(graph.clips)) if not kept[graph.starts[i] : graph.starts[i + 1]].any())
    names = [clip.name or f"clip {i}" for i, clip in enumerate(graph.clips)]
    left = {name for i, name in enumerate(names) if i not in gone}
    lost = tuple(dict.fromkeys(name for name in names if name not in left))
    report = Report(rows, int((~kept).sum()), int((~stay).sum()), gone, lost)
    return replace(graph, transitions=graph.transitions[stay]), report


def alive(graph: Graph) -> BoolArray:
    """(N,) frames that lie between an entrance and a later exit of their clip: all others lead nowhere.

    In a pruned graph one can go on for ever from each of them. Blends may show frames that lie outside, so this is no
    mask of allowed frames.
    """
    edge = np.zeros(graph.count + 1, np.int64)
    out = np.zeros(graph.count, bool)
    first = np.full(len(graph.clips), graph.count)
    last = np.full(len(graph.clips), -1)
    np.minimum.at(first, graph.clip_of[graph.enter], graph.enter)
    np.maximum.at(last, graph.clip_of[graph.leave], graph.leave)
    some = first <= last
    np.add.at(edge, first[some], 1)
    np.add.at(edge, last[some] + 1, -1)
    out[:] = np.cumsum(edge)[:-1] > 0
    return out


def component(graph: Graph, allowed: BoolArray | None = None) -> BoolArray:
    """(N,) the frames of the largest strongly connected part: from each of them one can get to all others.

    With `allowed` (N,), of the part that never leaves these frames; a transition shows frames of its first clip up to
    its middle, then of its second. Nothing if there is no way round at all. Of equal ones the first in the material.
    """
    if allowed is not None and allowed.shape != (graph.count,):
        raise BadRequest(f"allowed frames: expected {(graph.count,)} of them, found shape {allowed.shape}")
    use = np.ones(graph.count, bool) if allowed is None else allowed
    source, target = _edges(graph, use)
    part = strong_parts(graph.count, source, target)
    round_it = np.zeros(int(part.max()) + 1, bool)  # parts that one can go round in: with an edge inside
    inside = part[source] == part[target]
    round_it[part[source[inside]]] = True
    sizes = np.where(round_it, np.bincount(part), 0)
    if not sizes.any():
        return np.zeros(graph.count, bool)
    first = np.argmax(sizes[part] == sizes.max())  # the part of the first frame that lies in a largest one
    return np.asarray(part == part[first])


def facts(graph: Graph) -> Facts:
    """How many transitions, how well connected, how long between choices."""
    seconds = graph.count / graph.clips[0].fps
    part = component(graph)
    longest = _without_choice(graph, part) / graph.clips[0].fps if part.any() else float("inf")
    return Facts(seconds, len(graph.transitions), len(graph.transitions) / seconds, float(part.mean()), longest)


def usable(graph: Graph, allowed: BoolArray) -> BoolArray:
    """(T,) transitions that show only allowed frames: of the first clip up to the middle, then of the second."""
    bad = np.concatenate([[0], np.cumsum(~allowed)])
    a, b, half = graph.transitions.a, graph.transitions.b, graph.half
    return np.asarray((bad[a] == bad[a - half]) & (bad[b + half + 1] == bad[b]))


def _edges(graph: Graph, allowed: BoolArray) -> tuple[IntArray, IntArray]:
    """From and to frame of every edge within the allowed frames."""
    following = np.flatnonzero(allowed[:-1] & allowed[1:] & (graph.clip_of[:-1] == graph.clip_of[1:]))
    over = usable(graph, allowed)
    return (
        np.concatenate([following, graph.leave[over]]),
        np.concatenate([following + 1, graph.enter[over]]),
    )


def strong_parts(count: int, source: IntArray, target: IntArray) -> IntArray:
    """(count,) the number of the strongly connected part of each node, for edges from source (E,) to target (E,)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    matrix = csr_array((np.ones(len(source), np.int8), (source, target)), shape=(count, count))
    return np.asarray(connected_components(matrix, connection="strong")[1])


def _between(graph: Graph, core: BoolArray) -> BoolArray:
    """(N,) frames that can be reached from the core and from which it can be reached; the core is among them."""
    if not core.any():
        return core
    source, target = _edges(graph, np.ones(graph.count, bool))
    return _reached(graph, source, target, core) & _reached(graph, target, source, core)


def _reached(graph: Graph, source: IntArray, target: IntArray, core: BoolArray) -> BoolArray:
    """(N,) frames that can be reached along the edges from the core: breadth first from one more node before it."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    n, inside = graph.count, np.flatnonzero(core)
    ends = (np.concatenate([source, np.full(len(inside), n)]), np.concatenate([target, inside]))
    order = breadth_first_order(
        csr_array((np.ones(len(ends[0]), np.int8), ends), shape=(n + 1, n + 1)), n, return_predecessors=False
    )
    out = np.zeros(n + 1, bool)
    out[order] = True
    return out[:n]


def _without_choice(graph: Graph, part: BoolArray) -> float:
    """The most frames within a part from one choice to the next.

    Where only one edge leads on it is followed, all frames at once and in doubled steps, until two lead on.
    """
    source, target = _edges(graph, np.ones(graph.count, bool))
    steps = np.ones(len(source))
    steps[len(source) - len(graph.transitions) :] = graph.blend
    inside = part[source] & part[target]
    source, target, steps = source[inside], target[inside], steps[inside]
    ways = np.bincount(source, minlength=graph.count)
    to, taken = np.arange(graph.count), np.zeros(graph.count)
    forced = ways[source] == 1
    if forced.all():
        return float("inf")
    to[source[forced]], taken[source[forced]] = target[forced], steps[forced]
    for _ in range(int(np.ceil(np.log2(graph.count + 1))) + 1):
        taken, to = taken + taken[to], to[to]
    return float((steps + taken[target])[~forced].max())
