"""Comparison of methods: the same clips, request, seeds and measures for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from motionloom.constraints import Request
from motionloom.constraints.yaml_lines import read_yaml
from motionloom.core import BadRequest, Cancelled, Clip, MotionloomError, Note, Progress, silent
from motionloom.core.errors import unknown
from motionloom.core.progress import StepProgress, parts
from motionloom.core.watched import watched
from motionloom.evaluate.compare.baselines import BASELINES
from motionloom.evaluate.compare.trial import Failed, TakeResult, Trained, TrialStep, refusal, trial
from motionloom.evaluate.evaluation import TAKE_WORK, evaluate_take, source_values, source_work, spread_of
from motionloom.evaluate.measures.prepared_clip import FPS, NotApplicable, feature_joints, take
from motionloom.evaluate.measures.table import evaluation_work
from motionloom.evaluate.reference import Reference, reference
from motionloom.evaluate.report import QualityReport, SourceValue, Spread
from motionloom.jobs import TimeUp, start
from motionloom.methods import METHODS, describe, prepare
from motionloom.methods.prepare_clips import PreparedClips
from motionloom.methods.request_check import check_length

METHOD_WORK = 3000.0  # estimated units of work (see `Effort`) of a method for each source frame and result frame
DEFAULT_SECONDS = 10.0  # length of baselines, and estimated length of results, where the request has none


@dataclass(frozen=True)
class Costs:
    """Time and memory that a method needs for these clips."""

    learn_seconds: float
    per_second: float | None  # seconds of computation for a second of motion; None without a result
    peak_bytes: int | None  # of memory, over learning and making
    stored_bytes: int


@dataclass(frozen=True, eq=False)
class Entry:
    """A method or baseline of a comparison: its results and their reports, or the reason why there are none."""

    name: str
    kind: str  # "method" or "baseline"
    clips: tuple[Clip, ...] = ()
    reports: tuple[QualityReport, ...] = ()
    costs: Costs | None = None
    spread: Spread = field(default_factory=lambda: Spread(None))
    reason: str = ""  # why there is no result, or which constraints the results do not meet
    notes: tuple[Note, ...] = ()

    def mean(self, measure: str) -> float | None:
        """The mean of a measure over the results that have it."""
        found = [v for r in self.reports if (v := r.values[measure].value) is not None]
        return float(np.mean(found)) if found else None


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """Methods and baselines on the same clips."""

    request: Request
    sources: tuple[Clip, ...]
    own: dict[str, SourceValue]
    entries: tuple[Entry, ...]
    seed: int
    notes: tuple[Note, ...] = field(default=())

    @property
    def with_results(self) -> tuple[Entry, ...]:
        """The entries with results."""
        return tuple(e for e in self.entries if e.reports)

    @property
    def joints(self) -> int:
        """Joints that coverage and diversities compare: the values depend on their number."""
        return len(feature_joints(self.sources[0].skeleton))


@watched
def compare_methods(
    clips: Sequence[Clip],
    request: Request,
    *,
    methods: Sequence[str] | None = None,
    seed: int = 0,
    count: int = 2,
    budget: float | None = None,
    progress: Progress | None = None,
) -> MethodComparison:
    """Learn every method in the table (or `methods`) that honours the request, make `count` takes, and measure all.

    One of `methods` may have settings of its own, for learning or synthesis: `motion-graph: {steadiness: 0}` as text.
    The source clips are prepared as for learning (one skeleton, no T-pose, no broken frames) and measured at 30 fps. A
    method that cannot honour the request, or fails, stays in the table with the reason; the best clip of one that does
    not meet all constraints is measured, and the entry states them. `budget` limits the seconds of each method to learn
    and to make its takes: it runs in a process of its own, which is stopped then, and the takes made so far are
    measured.
    """
    report, names = progress or silent(), [read_contender(text) for text in methods or _usual()]
    check_length(request, FPS)
    steps = iter(parts(report, _works(clips, request, names, count)))
    source, ready = _prepared(clips, request, next(steps))
    own = source_values(source, progress=next(steps))
    entries = []
    for contender in names:
        own_request = replace(request, options={**request.options, **contender.options})
        entry = _method(contender, clips, own_request, seed, count, budget, next(steps))
        entries.append(_measured(entry, request, source, own, next(steps)))
    frames = request.length(ready.clips[0].fps) or round(DEFAULT_SECONDS * ready.clips[0].fps)
    for (name, make), step in zip(BASELINES.items(), steps, strict=True):
        step(0.0, f"making {name}")
        try:
            made = [make(ready.clips, frames, np.random.default_rng([seed, i])) for i in range(count)]
        except NotApplicable as error:
            entries.append(Entry(name, "baseline", reason=str(error)))
            continue
        named = tuple(replace(c, origin=replace(c.origin, name=name)) for c in made)
        entries.append(_measured(Entry(name, "baseline", named), request, source, own, step))
    report(1.0, "done")
    return MethodComparison(request, tuple(clips), own, tuple(entries), seed, ready.notes)


def _works(clips: Sequence[Clip], request: Request, names: Sequence[Contender], count: int) -> list[float]:
    """Estimated units of work: preparing, source values, learning and measuring each method, each baseline."""
    sizes = [max(1, round(clip.seconds * FPS)) for clip in clips]
    total, made = sum(sizes), request.length(FPS) or round(DEFAULT_SECONDS * FPS)
    measuring = count * evaluation_work(made, total)
    method = METHOD_WORK * (total + count * made)
    return [3 * TAKE_WORK * total, source_work(sizes), *[method, measuring] * len(names), *[measuring] * len(BASELINES)]


def _prepared(clips: Sequence[Clip], request: Request, progress: Progress) -> tuple[Reference, PreparedClips]:
    """The reference, at the highest rate of the clips so that copies are found, and the clips for baselines."""
    low, high, measured = parts(progress, [1, 1, 1])
    ready = prepare(clips, request.fps or FPS, progress=low)
    return reference(prepare(clips, max(c.fps for c in clips), progress=high).clips, progress=measured), ready


class Contender(NamedTuple):
    """A method with settings of its own."""

    title: str  # as it was given
    method: str
    config: Mapping[str, Any]
    options: Mapping[str, Any]


def _usual() -> list[str]:
    """The methods that learn from clips of any motion."""
    return [name for name, method in METHODS.items() if method.learns_from_any_clips]


def read_contender(text: str) -> Contender:
    """`cuts`, or a method with settings: `motion-graph: {steadiness: 0, blend: 0.6s}`.

    >>> read_contender("cuts: {shortest: 2s}").method
    'cuts'
    """
    found = read_yaml(text, "method")
    name, given = next(iter(found.items())) if isinstance(found, dict) and len(found) == 1 else (found, {})
    if not isinstance(name, str) or name not in METHODS:
        raise BadRequest(unknown(str(text)[:80], METHODS, "method"))
    if not METHODS[name].learns_from_any_clips:
        raise BadRequest(f"{name} learns from {METHODS[name].learns_from[0]}, so it cannot be compared on clips")
    if not isinstance(given, dict):
        raise BadRequest(f"{text}: expected settings as {{name: value}}")
    known = describe(name)
    options = {field.name for field in known.options}
    config = {field.name for field in known.config}
    for setting in given:
        if setting not in config | options:
            raise BadRequest(unknown(str(setting), sorted(config | options), f"setting of {name}"))
    return Contender(
        text, name, {k: v for k, v in given.items() if k in config}, {k: v for k, v in given.items() if k in options}
    )


def _method(
    name: Contender,
    clips: Sequence[Clip],
    request: Request,
    seed: int,
    count: int,
    budget: float | None,
    progress: Progress,
) -> Entry:
    """The results of one method, not yet measured, or the reason why there are none."""
    if reason := refusal(name.method, request):
        return Entry(name.title, "method", reason=reason)
    progress(0.0, name.title)
    given = (name.method, clips, request, seed, count, dict(name.config))
    steps: list[TrialStep] = []
    late = ""
    try:
        if budget is None:
            steps.extend(trial(*given, progress=_Named(progress, name.title)))
        else:
            for step in start(trial, *given, name=name.title, seconds=budget).values(_Named(progress, name.title)):
                steps.append(step)
    except TimeUp:
        doing = (
            f"with {sum(isinstance(s, TakeResult) for s in steps)} of {count} takes made" if steps else "while learning"
        )
        late = f"stopped after {budget:g} s, {doing} (the budget)"
    except Cancelled:
        raise
    except MotionloomError as error:
        late = str(error)
    return _entry(name.title, steps, late, count)


def _entry(name: str, steps: Sequence[TrialStep], late: str, count: int) -> Entry:
    """The entry of a method from its steps. `late` is the reason why they ended early."""
    made = [s for s in steps if isinstance(s, TakeResult)]
    unmet = [s.reason for s in made if s.reason]
    reasons = [s.reason for s in steps if isinstance(s, Failed)]
    found = tuple(s.clip for s in made if s.clip is not None)
    if unmet:
        reasons.append(f"{len(unmet)} of {count} takes not met: {unmet[0]}" if found else unmet[0])
    reason = "; ".join(reasons + ([late] if late else []))
    learned = next((s for s in steps if isinstance(s, Trained)), None)
    if learned is None:
        return Entry(name, "method", reason=reason)
    peaks = [c.peak for c in (learned.cost, *(s.cost for s in made)) if c.peak is not None]
    lengths = sum(c.seconds for c in found)
    per_second = sum(s.cost.seconds for s in made) / lengths if found else None
    costs = Costs(learned.cost.seconds, per_second, max(peaks, default=None), learned.stored)
    return Entry(name, "method", found, costs=costs, notes=learned.notes, reason=reason)


class _Named(StepProgress):
    """The progress of a method; its stages begin with the name of the method."""

    def __init__(self, whole: Progress, name: str) -> None:
        super().__init__(whole, 0.0, 1.0)
        self._name = name

    def __call__(self, share: float | None, stage: str) -> None:
        super().__call__(share, f"{self._name}, {stage}" if stage and stage != self._name else self._name)


def _measured(
    entry: Entry, request: Request, source: Reference, own: dict[str, SourceValue], progress: Progress
) -> Entry:
    takes = [take(c) for c in entry.clips]
    if not takes:
        return entry
    checked = request if entry.kind == "method" else None  # baselines ignore the request
    *steps, last = parts(progress, [4.0] * len(takes) + [1.0])
    reports = tuple(
        evaluate_take(t, source, own=own, request=checked, progress=step) for t, step in zip(takes, steps, strict=True)
    )
    return replace(entry, reports=reports, spread=spread_of(takes, source, progress=last))
