"""Prune a graph to its strongly connected components, per label set and overall (GUAN 2.4.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from motionloom.core import BadRequest, BoolArray, IntArray, Note
from motionloom.core.note import info, warning
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.labels import label_sets

MAX_NAMES = 5  # files that are listed by name in a note
MIN_CONNECTED_SHARE = 0.5  # a connected share below this gives a warning


@dataclass(frozen=True)
class KeptLabelSet:
    """Frames of one label set that pruning kept."""

    labels: frozenset[str]  # empty: frames without a label
    frames: int
    largest: int  # frames of its largest strongly connected component
    kept: int  # those, and the ones on routes between such components

    @property
    def name(self) -> str:
        return " + ".join(sorted(self.labels)) or "no label"


@dataclass(frozen=True)
class PruneReport:
    """Frames, transitions and clips that pruning removed."""

    sets: tuple[KeptLabelSet, ...]
    frames: int  # removed
    transitions: int  # removed
    clips: tuple[int, ...]  # clips without frames left
    names: tuple[str, ...] = ()  # files without frames left; a file may be several clips

    def notes(self) -> list[Note]:
        """The same as notes."""
        out = [
            Note(
                f"{s.name}: {s.kept} of {s.frames} frames kept, "
                + ("all" if s.largest == s.kept else f"{s.largest} of them")
                + " strongly connected"
            )
            for s in self.sets
        ]
        left = f"left out: {self.frames} frames, {self.transitions} transitions"
        if not self.names:
            return [*out, Note(left)]
        some, more = ", ".join(self.names[:MAX_NAMES]), len(self.names) - MAX_NAMES
        return [*out, Note(f"{left}, and all of {some}{f' and {more} more' if more > 0 else ''}")]


@dataclass(frozen=True)
class GraphFacts:
    """A graph in numbers."""

    seconds: float  # of material
    transitions: int
    per_second: float  # transitions for each second of material
    connected: float  # share of the frames in the largest strongly connected component
    longest: float  # s: the longest time in it from one choice to the next; infinite if there is none

    def notes(self) -> list[Note]:
        """The same as notes."""
        many = "1 transition" if self.transitions == 1 else f"{self.transitions} transitions"
        out = info(
            f"{many}, {self.per_second:.2f} per second in {self.seconds:.1f} s",
            f"{100 * self.connected:.1f} % of the frames are strongly connected",
            f"at most {self.longest:.2f} s between choices"
            if np.isfinite(self.longest)
            else "a single loop without choices",
        )
        if self.connected < MIN_CONNECTED_SHARE:
            advice = "learn with a larger --limit, with --mirror, or from clips with more similar poses"
            return [*out, warning(f"most frames are dead ends; {advice}")]
        return list(out)


def prune(graph: Graph) -> tuple[Graph, PruneReport]:
    """The graph without transitions into dead ends, from unreachable frames, or into components without exit.

    GUAN 2.4.1: for each set of labels the largest strongly connected component of its frames and transitions is kept.
    Literally, that would remove all transitions between label sets. So the largest strongly connected component of all
    frames is kept too, and everything on routes between these components (a jump between walks, for example).
    Without labels, only the largest strongly connected component is kept.

    Clips stay whole, so frames keep their numbers; `walkable_frames` returns those that are left. In each clip they are
    one stretch, from its first entrance to its last exit.
    """
    found = label_sets(graph.clips)
    core = largest_component(graph)
    largest = []
    for k in range(len(found.sets)):
        part = largest_component(graph, found.of == k)
        largest.append(int(part.sum()))
        core |= part
    kept = _between(graph, core)
    stay = kept[graph.leave] & kept[graph.enter]
    rows = tuple(
        KeptLabelSet(labels, int((found.of == k).sum()), largest[k], int((kept & (found.of == k)).sum()))
        for k, labels in enumerate(found.sets)
    )
    gone = tuple(i for i in range(len(graph.clips)) if not kept[graph.starts[i] : graph.starts[i + 1]].any())
    names = [clip.name or f"clip {i}" for i, clip in enumerate(graph.clips)]
    left = {name for i, name in enumerate(names) if i not in gone}
    lost = tuple(dict.fromkeys(name for name in names if name not in left))
    report = PruneReport(rows, int((~kept).sum()), int((~stay).sum()), gone, lost)
    return replace(graph, transitions=graph.transitions[stay]), report


def walkable_frames(graph: Graph) -> BoolArray:
    """(N,) frames between an entrance and a later exit of their clip; all others are dead ends.

    In a pruned graph a walk can continue without end from each of them. Blends may show other frames, so this is not a
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


def largest_component(graph: Graph, allowed: BoolArray | None = None) -> BoolArray:
    """(N,) the frames of the largest strongly connected component: routes lead from each of them to all others.

    With `allowed` (N,), only these frames may be shown; a transition shows frames of its first clip up to its middle,
    then of its second. Empty if there is no loop. Of components of equal size, the one with the most transitions, then
    that with the nearest ones, so that the order of clips does not matter.
    """
    if allowed is not None and allowed.shape != (graph.count,):
        raise BadRequest(f"allowed: expected shape {(graph.count,)}, found {allowed.shape}")
    use = np.ones(graph.count, bool) if allowed is None else allowed
    source, target = _edges(graph, use)
    part = strong_components(graph.count, source, target)
    loops = np.zeros(int(part.max()) + 1, bool)  # components with an edge inside
    inside = part[source] == part[target]
    loops[part[source[inside]]] = True
    sizes = np.where(loops, np.bincount(part), 0)
    if not sizes.any():
        return np.zeros(graph.count, bool)
    own = usable_transitions(graph, use) & (part[graph.leave] == part[graph.enter])
    home = part[graph.leave[own]]
    count, far = (np.bincount(home, some[own], len(sizes)) for some in (own, graph.transitions.distance))
    first = np.unique(part, return_index=True)[1]  # of components that are alike in all, the first in the material
    return np.asarray(part == np.lexsort((first, far, -count, -sizes))[0])


def graph_facts(graph: Graph) -> GraphFacts:
    """The number of transitions, the connected share, and the longest time between choices."""
    seconds = graph.count / graph.clips[0].fps
    part = largest_component(graph)
    longest = _without_choice(graph, part) / graph.clips[0].fps if part.any() else float("inf")
    return GraphFacts(seconds, len(graph.transitions), len(graph.transitions) / seconds, float(part.mean()), longest)


def usable_transitions(graph: Graph, allowed: BoolArray) -> BoolArray:
    """(T,) transitions that show only allowed frames: of the first clip up to the middle, then of the second."""
    bad = np.concatenate([[0], np.cumsum(~allowed)])
    a, b, half = graph.transitions.a, graph.transitions.b, graph.half
    return np.asarray((bad[a] == bad[a - half]) & (bad[b + half + 1] == bad[b]))


def _edges(graph: Graph, allowed: BoolArray) -> tuple[IntArray, IntArray]:
    """Source and target frame of every edge within the allowed frames."""
    following = np.flatnonzero(allowed[:-1] & allowed[1:] & (graph.clip_of[:-1] == graph.clip_of[1:]))
    over = usable_transitions(graph, allowed)
    return (np.concatenate([following, graph.leave[over]]), np.concatenate([following + 1, graph.enter[over]]))


def strong_components(count: int, source: IntArray, target: IntArray) -> IntArray:
    """(count,) the strongly connected component of each node, for edges from source (E,) to target (E,)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    matrix = csr_array((np.ones(len(source), np.int8), (source, target)), shape=(count, count))
    return np.asarray(connected_components(matrix, connection="strong")[1])


def _between(graph: Graph, core: BoolArray) -> BoolArray:
    """(N,) frames on routes from the core to the core, with the core itself."""
    if not core.any():
        return core
    source, target = _edges(graph, np.ones(graph.count, bool))
    return _reached(graph, source, target, core) & _reached(graph, target, source, core)


def _reached(graph: Graph, source: IntArray, target: IntArray, core: BoolArray) -> BoolArray:
    """(N,) frames that can be reached from the core: breadth first from an extra node before it."""
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
    """The largest number of frames within a component from one choice to the next.

    A single outgoing edge is followed, for all frames at once and in doubled steps, until two edges leave.
    """
    source, target = _edges(graph, np.ones(graph.count, bool))
    steps = np.ones(len(source))
    steps[len(source) - len(graph.transitions) :] = graph.blend
    inside = part[source] & part[target]
    source, target, steps = source[inside], target[inside], steps[inside]
    degree = np.bincount(source, minlength=graph.count)
    to, taken = np.arange(graph.count), np.zeros(graph.count)
    forced = degree[source] == 1
    if forced.all():
        return float("inf")
    to[source[forced]], taken[source[forced]] = target[forced], steps[forced]
    for _ in range(int(np.ceil(np.log2(graph.count + 1))) + 1):
        taken, to = taken + taken[to], to[to]
    return float((steps + taken[target])[~forced].max())
