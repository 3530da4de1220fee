"""What to say when clips cannot be connected: which, with which limit they would be, and why a limit does not help."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, IntArray, NoPath, Note
from motionloom.core.note import warning
from motionloom.methods.graph.build.prune import NAMED, component
from motionloom.methods.graph.diagnose.relax import Look, Wide, widened
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.labels import label_sets

__all__ = ["Island", "Look", "above", "connection", "island_notes", "islands", "unconnected"]

WIDER = (2.0, 4.0)  # times the limit up to which is looked
ROUGH = "a joint would flip over or turn too fast (learning leaves such blends out, whatever the limit)"


class Island(NamedTuple):
    """What is not strongly connected with the largest part of a graph."""

    names: tuple[str, ...]  # files; or one set of labels
    labelled: bool
    limit: float | None  # the least with which it would be, as far as that was looked for
    pair: str = ""  # the two frames that would join it, the least alike of all that are needed
    rough: bool = False  # frames are alike enough at this limit, but the transitions are rough, so it is not joined


def connection(graph: Graph, pruned: Graph, look: Look) -> list[Note]:
    """What is to be said of a graph's connections beside its numbers; `NoPath` if no way leads round at all.

    `graph` has the transitions within the limit without the rough ones, `pruned` is what `prune` left of it.
    """
    if not len(pruned.transitions):
        raise NoPath(unconnected(graph, look))
    return [*look.rough.notes(), *island_notes(islands(graph, look), look)]


def unconnected(graph: Graph, look: Look) -> str:
    """Why no way leads round in a graph, and the least limit with which one would."""
    count, refused = len(graph.transitions), int(look.rough.marked.sum())
    said = f"these clips cannot be connected: {count} transition{'' if count == 1 else 's'} within {_says(look, 1)}"
    said += f" and {refused} more in which {ROUGH}" if refused else ""
    said += ", but no way leads round"
    longest = max(c.seconds for c in graph.clips)
    if longest <= look.blend + 3 / graph.clips[0].fps:
        return f"{said}; the longest clip lasts {longest:.2f} s, a transition {look.blend:g} s"
    every, none = np.ones(graph.count, bool), np.zeros(graph.count, bool)
    for factor in WIDER:
        wide = widened(graph, none, every, look, factor * look.limit)
        if (found := wide.least(_leads_round)) is not None:
            return f"{said}; with --limit {above(found):g} there is one, over {wide.pair(found)}"
    if (found := wide.least(_leads_round, np.ones(len(wide.smooth), bool))) is not None:
        return (
            f"{said}; a larger --limit adds nothing: from {above(found):g} on frames are alike enough, but {ROUGH}; "
            "learn with a longer --blend, or from more clips"
        )
    far = _says(look, WIDER[-1])
    return f"{said}, not even with {WIDER[-1]:g} times the limit ({far}): give clips that do more alike things"


def islands(graph: Graph, look: Look) -> list[Island]:
    """Files and label sets without a frame in the largest strongly connected part, the nearest first.

    For each the least limit with which one can get there and back: transitions up to four times the limit are found
    between what is left out and everything (`widened`), and the smallest distance is sought up to which they join it.
    """
    core = component(graph)
    groups = _groups(graph, core)
    if not core.any() or not groups:
        return []
    found: dict[int, Island] = {}
    for factor in WIDER:
        left = [k for k in range(len(groups)) if k not in found]
        if not left:
            break
        wide = widened(graph, core, np.logical_or.reduce([groups[k].own for k in left]), look, factor * look.limit)
        for k in left:
            if (least := wide.least(_joins(wide, groups[k].own))) is not None:
                found[k] = Island(groups[k].names, groups[k].labelled, least, wide.pair(least))
    for k in [k for k in range(len(groups)) if k not in found]:
        least = wide.least(_joins(wide, groups[k].own), np.ones(len(wide.smooth), bool))
        found[k] = Island(groups[k].names, groups[k].labelled, least, rough=least is not None)
    return _merged(found.values())


def island_notes(found: Sequence[Island], look: Look) -> list[Note]:
    """Islands in words, a warning each."""
    out = []
    for island in found:
        it = "they" if island.labelled or len(island.names) > 1 else "it"
        who = f"frames labelled {island.names[0]}" if island.labelled else _listed(island.names)
        said = f"{who}: no way leads there and back"
        if island.limit is None:
            said += f", not even with --limit {above(WIDER[-1] * look.limit):g}; give clips that lead over"
        elif island.rough:
            said += f"; a larger --limit adds nothing: from {above(island.limit):g} on frames are alike enough, but "
            said += f"{ROUGH}; a longer --blend may help, or clips that lead over"
        else:
            said += f"; with --limit {above(island.limit):g} {it} would be joined, over {island.pair}"
        out.append(warning(said))
    return out


def above(value: float) -> float:
    """A number rounded up to two digits, so that a limit does what is said of it.

    >>> above(0.1003), above(2.0)
    (0.11, 2.0)
    """
    if value <= 0:
        return 0.0
    step = 10.0 ** (np.floor(np.log10(value)) - 1)
    return float(f"{step * np.ceil(value / step * (1 - 1e-12)):.2g}")


class _Group(NamedTuple):
    names: tuple[str, ...]
    labelled: bool
    own: BoolArray  # (N,) its frames


def _groups(graph: Graph, core: BoolArray) -> list[_Group]:
    """Label sets and files outside the core. Files that a set tells are not told again."""
    out: list[_Group] = []
    told = np.zeros(graph.count, bool)
    found = label_sets(graph.clips)
    for k, labels in enumerate(found.sets):
        own = found.of == k
        if labels and not (own & core).any():
            out.append(_Group((" + ".join(sorted(labels)),), True, own))
            told |= own
    names = [clip.name or f"clip {i}" for i, clip in enumerate(graph.clips)]
    for name in dict.fromkeys(names):
        own = np.isin(graph.clip_of, [i for i, n in enumerate(names) if n == name])
        if not (own & core).any() and not told[own].all():
            out.append(_Group((name,), False, own))
    return out


def _joins(wide: Wide, own: BoolArray) -> Callable[[IntArray], bool]:
    """Is one of these frames, as the whole graph counts them, in the core's part?"""
    mine, first = own[wide.frames], int(wide.core.argmax())
    return lambda part: bool((part[mine] == part[first]).any())


def _leads_round(part: IntArray) -> bool:
    """Are two frames in one part? Then one can go round."""
    return bool((np.bincount(part) > 1).any())


def _merged(found: Iterable[Island]) -> list[Island]:
    """Files that the same limit joins in one; nearest first, what nothing joins last."""
    out: dict[tuple[float | None, bool, str], Island] = {}
    for island in sorted(found, key=lambda i: (i.limit is None, i.rough, i.limit or 0.0)):
        near = None if island.limit is None or island.rough else above(island.limit)
        key = (near, island.rough, island.names[0] if island.labelled else "")
        out[key] = island._replace(names=(*out[key].names, *island.names)) if key in out else island
    return list(out.values())


def _listed(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _says(look: Look, times: float) -> str:
    """The limit, so many times, with the unit of the measure."""
    return f"{above(times * look.limit):g}" + (" m" if look.measure == "point-cloud" else f" ({look.measure})")
