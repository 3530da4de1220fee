"""A comparison of methods in words: which results look like the clips, and what is wrong with the others."""

from __future__ import annotations

from collections.abc import Mapping

from motionloom.evaluate.compare.compare import Entry, MethodComparison
from motionloom.evaluate.measures.table import QUALITY_MEASURES
from motionloom.evaluate.report import SourceValue
from motionloom.evaluate.tables import number

VERDICT_MEASURES = ("skate", "jump", "peak acceleration", "flips", "knee acceleration", "speed changes", "standing",
                    "root acceleration", "range violations", "deepest penetration")  # fmt: skip
"""What people see first; diversity and copies are a matter of taste."""
MUCH_WORSE = 1.25  # times the clips' own value


def faults(entry: Entry, own: Mapping[str, SourceValue]) -> list[str]:
    """The measures in which the results of an entry are clearly worse than the clips, in words, the worst first."""
    found: list[tuple[float, str]] = []
    for name in VERDICT_MEASURES:
        value, clips = entry.mean(name), own[name].value
        if value is None or clips is None:
            continue
        known = QUALITY_MEASURES[name]
        if clips > max(known.near_zero, 1e-9):
            if value > MUCH_WORSE * clips:
                found.append((value / clips, f"{name} {value / clips:.1f} times that of the clips"))
        elif value - clips > max(known.near_zero, 0.5):
            found.append((2.0, f"{name} {number(value, known.unit)}, the clips {number(clips, known.unit)}"))
    return [text for _, text in sorted(found, reverse=True)]


def verdict_lines(found: MethodComparison) -> list[str]:
    """The comparison in words: which methods look like the clips, and what is wrong with the others."""
    rows = []
    for entry in found.with_results:
        if entry.kind == "method":
            wrong = faults(entry, found.own)
            wrong = ["the request is not met", *wrong] if entry.reason else wrong
            rows.append((len(wrong), entry.costs.learn_seconds if entry.costs else 0.0, entry.name, wrong))
    rows.sort(key=lambda row: row[:2])
    if not rows:
        return ["no method has a result for this request"]
    least = rows[0][0]
    best = [name for count, _, name, _ in rows if count == least]
    how = "nothing is clearly worse than in the clips" if least == 0 else f"the fewest faults ({least})"
    names = " and ".join(filter(None, (", ".join(best[:-1]), best[-1])))
    lines = [f"best: {names}: {how}"]
    return lines + [f"{name}: {', '.join(wrong)}" for _, _, name, wrong in rows if wrong]


def problem_lines(found: MethodComparison) -> list[str]:
    """Methods without a result, or whose results do not meet the request, with the reasons."""
    return [f"{'not all met' if e.reports else 'left out'}: {e.name}: {e.reason}" for e in found.entries if e.reason]
