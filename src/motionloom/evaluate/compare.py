"""Every method that honours a request, learned on the same clips with the same seeds and measured alike."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from motionloom.constraints import Request
from motionloom.core import BadRequest, Clip, MotionloomError, Unmet
from motionloom.evaluate.base import NotApplicable, take
from motionloom.evaluate.baselines import BASELINES
from motionloom.evaluate.cost import measured
from motionloom.evaluate.reference import Reference, reference
from motionloom.evaluate.report import Own, Report, evaluate, source_values, spread_of
from motionloom.methods import METHODS, Model, learn, prepare, save_model, synthesize

BASELINE_SECONDS = 10.0  # length of the baselines where the request names none


@dataclass(frozen=True)
class Costs:
    """What a method costs on these clips."""

    learn_seconds: float
    per_second: float  # seconds of work for a second of motion
    peak_bytes: int | None  # of memory, over learning and making
    stored_bytes: int


@dataclass(frozen=True, eq=False)
class Entry:
    """One line of a comparison: a method or a baseline, its results and their reports, or why there are none."""

    name: str
    kind: str  # "method" or "baseline"
    clips: tuple[Clip, ...] = ()
    reports: tuple[Report, ...] = ()
    costs: Costs | None = None
    spread: float | None = None  # distance between results of different seeds over that between source takes
    spread_reason: str = ""
    reason: str = ""  # why there is no result
    notes: tuple[str, ...] = ()

    def mean(self, measure: str) -> float | None:
        """The mean of a measure over the results that have it."""
        found = [v for r in self.reports if (v := r.values[measure].value) is not None]
        return float(np.mean(found)) if found else None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods and baselines on the same clips."""

    request: Request
    sources: tuple[Clip, ...]
    own: dict[str, Own]
    entries: tuple[Entry, ...]
    seed: int
    notes: tuple[str, ...] = field(default=())

    @property
    def best(self) -> tuple[Entry, ...]:
        """Those with results."""
        return tuple(e for e in self.entries if e.reports)


def compare(
    clips: Sequence[Clip],
    request: Request,
    *,
    methods: Sequence[str] | None = None,
    seed: int = 0,
    count: int = 2,
    said: Callable[[str], None] | None = None,
) -> Comparison:
    """Learn every method in the table (or `methods`) that honours the request, make `count` takes, and measure all.

    The source clips are prepared as for learning (one skeleton, no T-pose); measures look at 30 fps. A method that
    cannot honour the request, or fails at it, stays in the table with the reason. `said` hears what is being done.
    """
    unknown = sorted(set(methods or ()) - set(METHODS))
    if unknown:
        raise BadRequest(f"there is no method {unknown[0]!r}; there is {', '.join(METHODS)}")
    tell = said or (lambda text: None)
    ready = prepare(clips, request.fps or 30.0)
    source = reference(ready.clips)
    tell("measuring the source")
    own = source_values(source)
    entries = []
    for name in methods or METHODS:
        tell(f"learning {name}")
        entries.append(_method(name, clips, request, source, own, seed, count))
    frames = request.length(ready.clips[0].fps) or round(BASELINE_SECONDS * ready.clips[0].fps)
    for name, make in BASELINES.items():
        tell(f"making {name}")
        made = [make(ready.clips, frames, np.random.default_rng([seed, i])) for i in range(count)]
        made = [_named(c, name) for c in made]
        entries.append(_measured(Entry(name, "baseline", tuple(made)), request, source, own))
    return Comparison(request, ready.clips, own, tuple(entries), seed, ready.notes)


def _named(clip: Clip, name: str) -> Clip:
    """The clip under another name."""
    return replace(clip, origin=replace(clip.origin, name=name))


def _method(
    name: str, clips: Sequence[Clip], request: Request, source: Reference, own: dict[str, Own], seed: int, count: int
) -> Entry:
    honours = METHODS[name].module().MODEL.honours
    for wish in request.wishes:
        if (type(wish), "hard" if wish.hard else "soft") not in honours:
            return Entry(name, "method", reason=f"does not honour {wish.key()} ({'hard' if wish.hard else 'soft'})")
    try:
        model, learning = measured(lambda: learn(name, clips, seed=seed))
        made, making = measured(lambda: [synthesize(model, request, seed=seed, take=i) for i in range(count)])
    except Unmet as error:
        best = (error.best,) if isinstance(error.best, Clip) else ()
        return Entry(name, "method", best, reason=f"not met: {error}")
    except MotionloomError as error:
        return Entry(name, "method", reason=str(error))
    peaks = [p for p in (learning.peak, making.peak) if p is not None]
    per_second = making.seconds / sum(c.seconds for c in made)
    costs = Costs(learning.seconds, per_second, max(peaks) if peaks else None, _stored(model))
    return _measured(Entry(name, "method", tuple(made), costs=costs, notes=model.notes), request, source, own)


def _stored(model: Model) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.loom"
        save_model(model, path)
        return path.stat().st_size


def _measured(entry: Entry, request: Request, source: Reference, own: dict[str, Own]) -> Entry:
    takes = [take(c) for c in entry.clips]
    asked = request if entry.kind == "method" else None  # a baseline was not told what to do
    reports = tuple(evaluate(t, source, own=own, request=asked) for t in takes)
    try:
        between, alike = spread_of(takes, source)
        ratio, reason = (between / alike, "") if alike else (None, "one source take only")
    except NotApplicable as error:
        ratio, reason = None, str(error)
    return replace(entry, reports=reports, spread=ratio, spread_reason=reason)
