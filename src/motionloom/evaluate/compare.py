"""Every method that honours a request, learned on the same clips with the same seeds and measured alike."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from motionloom.constraints import Request
from motionloom.core import BadRequest, Clip, MotionloomError, Unmet
from motionloom.evaluate.base import FPS, NotApplicable, feature_joints, take
from motionloom.evaluate.baselines import BASELINES
from motionloom.evaluate.cost import measured
from motionloom.evaluate.reference import Reference, reference
from motionloom.evaluate.report import Own, Report, Spread, evaluate, source_values, spread_of
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
    spread: Spread = field(default_factory=lambda: Spread(None))
    reason: str = ""  # why there is no result, or what the best ones do not meet
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

    @property
    def joints(self) -> int:
        """How many joints coverage and diversities compare: their numbers depend on it."""
        return len(feature_joints(self.sources[0].skeleton))


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

    The source clips are prepared as for learning (one skeleton, no T-pose, no broken frames); measures look at 30 fps.
    A method that cannot honour the request, or fails at it, stays in the table with the reason; where it finds a best
    clip that does not meet all that was asked, that is measured, and said. `said` hears what is being done.
    """
    unknown = sorted(set(methods or ()) - set(METHODS))
    if unknown:
        raise BadRequest(f"there is no method {unknown[0]!r}; there is {', '.join(METHODS)}")
    tell = said or (lambda text: None)
    ready = prepare(clips, request.fps or FPS)
    source = reference(prepare(clips, max(c.fps for c in clips)).clips if clips else ())  # copies are told at any rate
    tell("measuring the source")
    own = source_values(source)
    entries = []
    for name in methods or METHODS:
        tell(f"learning {name}")
        entries.append(_method(name, clips, request, source, own, seed, count))
    frames = request.length(ready.clips[0].fps) or round(BASELINE_SECONDS * ready.clips[0].fps)
    for name, make in BASELINES.items():
        tell(f"making {name}")
        try:
            made = [make(ready.clips, frames, np.random.default_rng([seed, i])) for i in range(count)]
        except NotApplicable as error:
            entries.append(Entry(name, "baseline", reason=str(error)))
            continue
        named = tuple(replace(c, origin=replace(c.origin, name=name)) for c in made)
        entries.append(_measured(Entry(name, "baseline", named), request, source, own))
    return Comparison(request, tuple(clips), own, tuple(entries), seed, ready.notes)


def _method(
    name: str, clips: Sequence[Clip], request: Request, source: Reference, own: dict[str, Own], seed: int, count: int
) -> Entry:
    honours = METHODS[name].module().MODEL.honours
    for wish in request.wishes:
        if (type(wish), "hard" if wish.hard else "soft") not in honours:
            return Entry(name, "method", reason=f"does not honour {wish.key()} ({'hard' if wish.hard else 'soft'})")
    try:
        model, learning = measured(lambda: learn(name, clips, seed=seed))
        made, making = measured(lambda: [_take(model, request, seed, i) for i in range(count)])
    except MotionloomError as error:
        return Entry(name, "method", reason=str(error))
    found = [clip for clip, _ in made if clip is not None]
    unmet = [said for _, said in made if said]
    reason = f"{len(unmet)} of {count} takes not met: {unmet[0]}" if unmet else ""
    if not found:
        return Entry(name, "method", reason=reason)
    peaks = [p for p in (learning.peak, making.peak) if p is not None]
    per_second = making.seconds / sum(c.seconds for c in found)
    costs = Costs(learning.seconds, per_second, max(peaks) if peaks else None, _stored(model))
    entry = Entry(name, "method", tuple(found), costs=costs, notes=model.notes, reason=reason)
    return _measured(entry, request, source, own)


def _take(model: Model, request: Request, seed: int, number: int) -> tuple[Clip | None, str]:
    """One result; or the best there was, and what is not met."""
    try:
        return synthesize(model, request, seed=seed, take=number), ""
    except Unmet as error:
        return (error.best if isinstance(error.best, Clip) else None), str(error)


def _stored(model: Model) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.loom"
        save_model(model, path)
        return path.stat().st_size


def _measured(entry: Entry, request: Request, source: Reference, own: dict[str, Own]) -> Entry:
    takes = [take(c) for c in entry.clips]
    asked = request if entry.kind == "method" else None  # a baseline was not told what to do
    reports = tuple(evaluate(t, source, own=own, request=asked) for t in takes)
    return replace(entry, reports=reports, spread=spread_of(takes, source))
