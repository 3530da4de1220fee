"""Reports and comparisons as rows of text, for the command line and for HTML pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from motionloom.core.note import as_dicts
from motionloom.evaluate.compare.compare import Entry, MethodComparison
from motionloom.evaluate.measures.table import QUALITY_MEASURES
from motionloom.evaluate.report import MeasuredValue, QualityReport, SourceValue

Rows = list[tuple[str, ...]]
DIVERSE = ("global diversity", "local diversity")
"""Never printed alone, because shuffled frames score highest: always with coverage, skate, accelerations and bounds."""


def number(value: float | None, unit: str = "") -> str:
    """Three significant digits, or n/a."""
    if value is None:
        return "n/a"
    if abs(value) < 5e-4:
        return f"0 {unit}".rstrip()
    text = f"{value:.0f}" if unit == "frames" or abs(value) >= 1000 else f"{value:.3g}"
    return f"{text} {unit}".rstrip()


def versus(v: MeasuredValue) -> str:
    """The value relative to the source's: "x1.3", or "+0.4 cm/s" where the source is near zero."""
    if v.ratio is not None:
        return f"x{number(v.ratio)}"
    if v.difference is not None:
        sign = "+" if v.difference > 0 and number(v.difference) != "0" else ""
        return sign + number(v.difference, v.unit)
    return ""


def evaluation_rows(reports: Sequence[QualityReport]) -> tuple[tuple[str, ...], Rows]:
    """Head and rows: one row per measure, with the value of each result and its relation to the source's."""
    head = ["measure", "unit", "source", "range"]
    for report in reports:
        head += [report.name, "vs source"]
    rows: Rows = []
    for name, measure in QUALITY_MEASURES.items():
        own = reports[0].values[name].own
        cells = [name, measure.unit, number(own.value), _range(own)]
        for report in reports:
            cells += [number(report.values[name].value), versus(report.values[name])]
        rows.append(tuple(cells))
    return tuple(head), rows


def _range(own: SourceValue) -> str:
    return "" if own.low is None or own.low == own.high else f"{number(own.low)}..{number(own.high)}"


def bound_rows(report: QualityReport) -> tuple[tuple[str, ...], Rows]:
    """Coverage and diversities of a copied and of a shuffled source, as a scale for those of the result."""
    names = ("coverage", *DIVERSE)
    rows = [(f"{kind} source", *(number(values[n]) for n in names)) for kind, values in report.bounds.items()]
    return ("bound", "coverage %", *DIVERSE), rows


def reasons(reports: Sequence[QualityReport]) -> list[str]:
    """One line for each reason of an n/a: the clip, the reason, the measures."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for report in reports:
        for name, v in report.values.items():
            if v.value is None:
                found.setdefault((report.name, v.reason), {})[name] = None
            if v.own.value is None:
                found.setdefault(("source", v.own.reason), {})[name] = None
        for c in report.constraints:
            if c.worst is None:
                found.setdefault((report.name, c.reason), {})[c.constraint] = None
    return [f"{who}: {why} ({', '.join(names)})" for (who, why), names in found.items()]


def roughest(report: QualityReport, most: int = 3) -> str:
    """The joints whose jerk exceeds the source's 95th percentile most often, in one line; "" if unknown."""
    order = sorted(report.joint_roughness.items(), key=lambda item: -item[1])[:most]
    joints = ", ".join(f"{name} {share:.0f} %" for name, share in order)
    return f"roughest joints of {report.name} (5 %: as in the source): {joints}" if order else ""


def constraint_rows(report: QualityReport) -> tuple[tuple[str, ...], Rows]:
    """Head and rows: the constraints of the request with their residuals."""
    head = ("constraint", "", "residual", "tolerance", "met", "mean", "arrival")
    rows: Rows = [
        (
            c.constraint,
            "hard" if c.hard else "soft",
            c.text,
            c.allowed,
            "n/a" if c.worst is None else "yes" if c.met else "no",
            "" if c.mean is None else number(c.mean, c.unit),
            "" if c.arrival is None else f"{c.arrival:.2f} s",
        )
        for c in report.constraints
    ]
    return head, rows


COMPARISON_COLUMNS: Mapping[str, str] = {
    "coverage": "coverage %",
    "global diversity": "global div.",
    "local diversity": "local div.",
    "skate": "skate cm/s",
    "peak acceleration": "peak acc. m/s^2",
    "jump": "jump deg",
    "jerk": "jerk m/s^3",
    "verbatim run": "verbatim s",
    "verbatim upper": "upper",
    "loose run": "loose s",
    "correlation error": "corr. error",
    "range violations": "out of range %",
    "spectrum distance": "spectrum Hz",
}
"""The columns of a comparison; its JSON contains every measure."""


def comparison_rows(found: MethodComparison) -> tuple[tuple[str, ...], Rows]:
    """One row per method and baseline after the source's own values; copy and shuffled are the bounds of diversity.

    Entries without a result have n/a everywhere; `problem_lines` lists the reasons.
    """
    head = ("", *COMPARISON_COLUMNS.values(), "spread", "met", "learn s", "s per s", "peak MB", "stored KB")
    rows: Rows = [("source", *(number(found.own[n].value) for n in COMPARISON_COLUMNS), "1", "", "", "", "", "")]
    rows += [_entry_row(e) for e in found.entries]
    return head, rows


def _entry_row(e: Entry) -> tuple[str, ...]:
    results = [c for r in e.reports for c in r.constraints]
    met = f"{sum(c.met is True for c in results)}/{len(results)}" if results else ""
    cost = ("", "", "", "")
    if e.costs is not None:
        peak = e.costs.peak_bytes
        cost = (
            number(e.costs.learn_seconds),
            number(e.costs.per_second),
            "n/a" if peak is None else f"{peak / 1e6:.0f}",
            f"{e.costs.stored_bytes / 1e3:.0f}",
        )
    return (e.name, *(number(e.mean(n)) for n in COMPARISON_COLUMNS), number(e.spread.ratio), met, *cost)


def comparison_dict(found: MethodComparison) -> dict[str, object]:
    """Plain values for JSON."""
    return {
        "seed": found.seed,
        "joints": found.joints,
        "notes": as_dicts(found.notes),
        "source": {
            n: {"value": o.value, "low": o.low, "high": o.high, **({"reason": o.reason} if o.value is None else {})}
            for n, o in found.own.items()
        },
        "entries": [
            {
                "name": e.name,
                "kind": e.kind,
                "reason": e.reason,
                "notes": as_dicts(e.notes),
                "reports": [r.as_dict() for r in e.reports],
                "mean": {n: e.mean(n) for n in QUALITY_MEASURES} if e.reports else {},
                "spread": e.spread.as_dict(),
                "costs": None if e.costs is None else vars(e.costs),
            }
            for e in found.entries
        ],
    }
