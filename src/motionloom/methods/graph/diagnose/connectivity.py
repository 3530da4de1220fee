"""Clips and labels that are not connected with the rest of a graph, and the limit that would connect them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from motionloom.analysis import measure_named
from motionloom.core import BoolArray, IntArray, NoPath, Note
from motionloom.core.note import warning
from motionloom.methods.graph.build.prune import MAX_NAMES, largest_component
from motionloom.methods.graph.diagnose.relax_threshold import RelaxedGraph, TransitionFinder, relax_threshold
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.labels import label_sets

__all__ = [
    "Island",
    "TransitionFinder",
    "connection_notes",
    "find_islands",
    "island_notes",
    "limit_notes",
    "no_loop_message",
    "round_up",
]

MAX_LIMIT = 1.0  # m: a larger limit is most likely a number of centimetres without its unit
RELAX_FACTORS = (2.0, 4.0)  # times the limit up to which transitions are searched
ROUGH_REASON = "a joint would flip over or turn too fast (such transitions are left out at any limit)"


class Island(NamedTuple):
    """Files or labels that are not strongly connected with the largest component of a graph."""

    names: tuple[str, ...]  # files; or one set of labels
    labelled: bool
    limit: float | None  # the least that would connect it; None: none was found
    pair: str = ""  # the two most distant frames among the transitions that would connect it
    rough: bool = False  # frames are similar enough at this limit, but the transitions are rough


def connection_notes(graph: Graph, pruned: Graph, finder: TransitionFinder) -> list[Note]:
    """Notes about the connections of a graph beside its numbers; `NoPath` if it contains no loop.

    `graph` has the transitions within the limit without the rough ones, `pruned` is the result of `prune`.
    """
    if not len(pruned.transitions):
        raise NoPath(no_loop_message(graph, finder))
    return [*finder.rough.notes(), *island_notes(find_islands(graph, finder), finder)]


def no_loop_message(graph: Graph, finder: TransitionFinder) -> str:
    """Why a graph contains no loop, and the least limit with which it would."""
    count, refused = len(graph.transitions), int(finder.rough.marked.sum())
    found = f"{count} transition{'' if count == 1 else 's'} within {_limit_text(finder, 1)}"
    more = f" and {refused} more in which {ROUGH_REASON}" if refused else ""
    message = f"the clips do not form a loop: {found}, none leads back{more}"
    longest = max(c.seconds for c in graph.clips)
    if longest <= finder.blend + 3 / graph.clips[0].fps:
        return f"{message}; the longest clip lasts {longest:.2f} s, a transition {finder.blend:g} s"
    every, none = np.ones(graph.count, bool), np.zeros(graph.count, bool)
    for factor in RELAX_FACTORS:
        relaxed = relax_threshold(graph, none, every, finder, factor * finder.limit)
        if (least := relaxed.least(_has_loop)) is not None:
            return f"{message}; with --limit {_option(finder, least)} one does, through {relaxed.pair(least)}"
    if (least := relaxed.least(_has_loop, np.ones(len(relaxed.smooth), bool))) is not None:
        return (
            f"{message}; a larger --limit does not help: from {_option(finder, least)} on frames are similar enough, "
            f"but {ROUGH_REASON}; learn with a longer --blend, or from more clips"
        )
    far = _limit_text(finder, RELAX_FACTORS[-1])
    return f"{message}, not even with {RELAX_FACTORS[-1]:g} times the limit ({far}): add clips with similar poses"


def find_islands(graph: Graph, finder: TransitionFinder) -> list[Island]:
    """Files and label sets without a frame in the largest strongly connected component, the nearest first.

    For each, the least limit with which routes lead there and back: transitions up to four times the limit between
    these frames and all others are found (`relax_threshold`), then the least distance up to which they connect it.
    """
    core = largest_component(graph)
    groups = _groups(graph, core)
    if not core.any() or not groups:
        return []
    found: dict[int, Island] = {}
    for factor in RELAX_FACTORS:
        left = [k for k in range(len(groups)) if k not in found]
        if not left:
            break
        outside = np.logical_or.reduce([groups[k].own for k in left])
        relaxed = relax_threshold(graph, core, outside, finder, factor * finder.limit)
        for k in left:
            if (least := relaxed.least(_connects(relaxed, groups[k].own))) is not None:
                found[k] = Island(groups[k].names, groups[k].labelled, least, relaxed.pair(least))
    for k in [k for k in range(len(groups)) if k not in found]:
        least = relaxed.least(_connects(relaxed, groups[k].own), np.ones(len(relaxed.smooth), bool))
        found[k] = Island(groups[k].names, groups[k].labelled, least, rough=least is not None)
    return _merged(found.values())


def island_notes(found: Sequence[Island], finder: TransitionFinder) -> list[Note]:
    """A warning for each island."""
    out = []
    for island in found:
        it = "they" if island.labelled or len(island.names) > 1 else "it"
        who = f"frames labelled {island.names[0]}" if island.labelled else _listed(island.names)
        message = f"{who}: no transitions lead there and back"
        if island.limit is None:
            message += (
                f", not even with --limit {_option(finder, RELAX_FACTORS[-1] * finder.limit)}; add connecting clips"
            )
        elif island.rough:
            message += f"; a larger --limit does not help: from {_option(finder, island.limit)} on frames are "
            message += f"similar enough, but {ROUGH_REASON}; a longer --blend may help, or connecting clips"
        else:
            message += f"; with --limit {_option(finder, island.limit)} {it} would be connected, through {island.pair}"
        out.append(warning(message))
    return out


def round_up(value: float) -> float:
    """A limit rounded up to two digits, so that it is large enough.

    >>> round_up(0.1003), round_up(2.0)
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
    """Label sets outside the core, and files that none of these sets covers."""
    out: list[_Group] = []
    covered = np.zeros(graph.count, bool)
    found = label_sets(graph.clips)
    for k, labels in enumerate(found.sets):
        own = found.of == k
        if labels and not (own & core).any():
            out.append(_Group((" + ".join(sorted(labels)),), True, own))
            covered |= own
    names = [clip.name or f"clip {i}" for i, clip in enumerate(graph.clips)]
    for name in dict.fromkeys(names):
        own = np.isin(graph.clip_of, [i for i, n in enumerate(names) if n == name])
        if not (own & core).any() and not covered[own].all():
            out.append(_Group((name,), False, own))
    return out


def _connects(relaxed: RelaxedGraph, own: BoolArray) -> Callable[[IntArray], bool]:
    """Whether one of these frames, numbered as in the whole graph, is in the component of the core."""
    mine, first = own[relaxed.frames], int(relaxed.core.argmax())
    return lambda part: bool((part[mine] == part[first]).any())


def _has_loop(part: IntArray) -> bool:
    """Whether two frames are in one component, which then contains a loop."""
    return bool((np.bincount(part) > 1).any())


def _merged(found: Iterable[Island]) -> list[Island]:
    """Islands with the same limit merged; nearest first, those without a limit last."""
    out: dict[tuple[float | None, bool, str], Island] = {}
    for island in sorted(found, key=lambda i: (i.limit is None, i.rough, i.limit or 0.0)):
        near = None if island.limit is None or island.rough else round_up(island.limit)
        key = (near, island.rough, island.names[0] if island.labelled else "")
        out[key] = island._replace(names=(*out[key].names, *island.names)) if key in out else island
    return list(out.values())


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")


def _option(finder: TransitionFinder, limit: float) -> str:
    """A limit as `--limit` takes it: 12cm for point clouds, else a number, with the measure's unit in brackets."""
    return limit_text(finder.measure, round_up(limit)).replace(" cm (root mean square)", "cm")


def _limit_text(finder: TransitionFinder, factor: float) -> str:
    """The limit times a factor; centimetres for point clouds, else in the unit of the measure."""
    return limit_text(finder.measure, round_up(factor * finder.limit)).removesuffix(" (root mean square)")


def limit_text(measure: str, limit: float) -> str:
    """A limit with its unit.

    >>> limit_text("point-cloud", 0.08), limit_text("joint-angles", 12)
    ('8 cm (root mean square)', '12 (weighted rad^2)')
    """
    return (
        f"{100 * limit:.4g} cm (root mean square)" if measure == "point-cloud" else f"{limit:.4g} ({unit_of(measure)})"
    )


def unit_of(measure: str) -> str:
    """The unit of a measure's values."""
    return measure_named(measure).unit


def limit_notes(measure: str, limit: float) -> list[Note]:
    """The limit used, and a warning where it is a length beyond any transition."""
    text = f"frames within {limit_text(measure, limit)} are joined (--limit)"
    far = measure == "point-cloud" and limit > MAX_LIMIT
    return [warning(f"{text}: beyond {100 * MAX_LIMIT:g} cm they are unlike; 8cm is usual") if far else Note(text)]
