"""What ratings show: analysis of variance between groups, within participants, and equivalence of two groups.

Textbook forms: one-way and repeated-measures analysis of variance (F tests with the Greenhouse-Geisser correction), and
two one-sided t tests for equivalence (Schuirmann 1987).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, FloatArray, Progress, silent
from motionloom.core.progress import each
from motionloom.evaluate.study.ratings import Rating, Ratings

MARGIN = 1.0  # rating points within which two groups count as equivalent
MOST_QUESTIONS, MOST_PAIRS = 50, 2000  # pairs of groups, in all questions
CONFIDENCE = 0.9  # of the interval that must lie within the margin: two one-sided tests at 5 %


class Group(NamedTuple):
    """The ratings of one group."""

    name: str
    ratings: int
    mean: float
    deviation: float
    quartiles: tuple[float, float, float, float, float]  # least, lower quartile, median, upper quartile, largest


class Variance(NamedTuple):
    """An F test: are the means of the groups equal?"""

    f: float
    between: float  # degrees of freedom
    within: float
    p: float
    eta_squared: float  # share of the variance that the groups explain; partial, within participants
    epsilon: float = 1.0  # Greenhouse-Geisser: the degrees of freedom are multiplied by it


class Equivalence(NamedTuple):
    """Two one-sided tests: is the difference of two groups' means within the margin?"""

    first: str
    second: str
    difference: float  # mean of the second minus that of the first
    low: float  # 90 % confidence interval
    high: float
    p: float  # the larger one of the two
    paired: bool  # by participants


class Analysis(NamedTuple):
    """The analysis of one question."""

    question: str
    groups: tuple[Group, ...]
    one_way: Variance
    repeated: Variance | None  # None with fewer than two participants who rated every group
    equivalences: tuple[Equivalence, ...]
    participants: int
    complete: int  # participants who rated every group
    missing: int
    margin: float


def analyse_ratings(
    ratings: Ratings, *, margin: float = MARGIN, progress: Progress | None = None
) -> tuple[Analysis, ...]:
    """One analysis for each question. Rows without a rating are left out.

    The one-way analysis takes every rating; those within participants take the mean rating that each one gave each
    group, of participants who rated all groups.
    """
    if not margin > 0:
        raise BadRequest(f"margin: expected more than 0 rating points, found {margin:g}")
    questions: dict[str, dict[str, list[Rating]]] = {}
    for row in ratings.answers:
        questions.setdefault(row.question, {}).setdefault(row.group, []).append(row)
    if not questions:
        raise BadRequest("there are no ratings to analyse")
    pairs = [len(groups) * (len(groups) - 1) // 2 for groups in questions.values()]
    if len(pairs) > MOST_QUESTIONS or sum(pairs) > MOST_PAIRS:
        most = max(map(len, questions.values()))
        raise BadRequest(
            f"expected at most {MOST_QUESTIONS} questions and {MOST_PAIRS} pairs of groups in all, found {len(pairs)} "
            f"questions, {most} groups and {sum(pairs)} pairs"
        )
    rows = each(list(questions.items()), progress or silent(), "analysing", [1 + n for n in pairs])
    return tuple(_question(question, groups, ratings.unanswered.count(question), margin) for question, groups in rows)


def _question(question: str, groups: Mapping[str, Sequence[Rating]], missing: int, margin: float) -> Analysis:
    names = sorted(groups)
    values = {n: np.array([r.rating for r in groups[n]], float) for n in names}
    if len(names) < 2 or any(len(values[n]) < 2 for n in names):
        found = ", ".join(f"{n[:40]} ({len(values[n])})" for n in names[:20])
        raise BadRequest(f"{question[:40]}: expected two groups or more with two ratings or more each, found {found}")
    cells: dict[str, dict[str, list[float]]] = {}  # by participant and group
    for name in names:
        for r in groups[name]:
            cells.setdefault(r.participant, {}).setdefault(name, []).append(float(r.rating or 0))
    complete = [row for _, row in sorted(cells.items()) if len(row) == len(names)]
    table = np.array([[sum(row[n]) / len(row[n]) for n in names] for row in complete]).reshape(-1, len(names))
    return Analysis(
        question,
        tuple(_group(n, values[n]) for n in names),
        one_way(list(values.values())),
        repeated_measures(table) if len(table) >= 2 else None,
        tuple(
            equivalence(names[a], names[b], values[names[a]], values[names[b]], margin, table[:, [a, b]])
            for a, b in combinations(range(len(names)), 2)
        ),
        len(cells),
        len(table),
        missing,
        margin,
    )


def _group(name: str, values: FloatArray) -> Group:
    low, lower, median, upper, high = (float(x) for x in np.percentile(values, (0, 25, 50, 75, 100)))
    return Group(name, len(values), float(values.mean()), float(values.std(ddof=1)), (low, lower, median, upper, high))


def one_way(groups: Sequence[FloatArray]) -> Variance:
    """One-way analysis of variance: variance between the means of groups against that within them."""
    whole = np.concatenate(groups)
    between = sum(len(g) * (g.mean() - whole.mean()) ** 2 for g in groups)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups)
    return _tested(float(between), float(within), len(groups) - 1, len(whole) - len(groups))


def repeated_measures(table: FloatArray) -> Variance:
    """Repeated measures of variance: table (participants, groups); what participants differ by overall is left out."""
    people, groups = table.shape
    whole = table.mean()
    between = people * ((table.mean(0) - whole) ** 2).sum()
    rest = ((table - table.mean(0) - table.mean(1, keepdims=True) + whole) ** 2).sum()
    epsilon = greenhouse_geisser(table)
    return _tested(float(between), float(rest), groups - 1, (groups - 1) * (people - 1), epsilon)


def greenhouse_geisser(table: FloatArray) -> float:
    """How far the covariance of groups is from sphericity: 1 (not at all) down to 1 / (groups - 1)."""
    groups = table.shape[1]
    if groups < 3 or len(table) < 3:
        return 1.0
    centre = np.eye(groups) - 1.0 / groups
    s = centre @ np.cov(table.T) @ centre
    total = float((s**2).sum())
    return float(np.trace(s) ** 2 / ((groups - 1) * total)) if total > 0 else 1.0


def _tested(between: float, within: float, d1: float, d2: float, epsilon: float = 1.0) -> Variance:
    from scipy.stats import f as f_distribution

    eta = between / (between + within) if between + within > 0 else 0.0
    if within <= 0:  # everybody gave equal ratings within each group
        f, p = (np.inf, 0.0) if between > 0 else (0.0, 1.0)
    else:
        f = (between / d1) / (within / d2)
        p = float(f_distribution.sf(f, epsilon * d1, epsilon * d2))
    return Variance(float(f), d1 * epsilon, d2 * epsilon, p, float(eta), epsilon)


def equivalence(first: str, second: str, a: FloatArray, b: FloatArray, margin: float, pairs: FloatArray) -> Equivalence:
    """Two one-sided tests of the difference of means: by participants (pairs, 2) if there are two, else Welch's."""
    from scipy.stats import t as t_distribution

    paired = len(pairs) >= 2
    if paired:
        differences = pairs[:, 1] - pairs[:, 0]
        difference = float(differences.mean())
        error, freedom = float(differences.std(ddof=1) / np.sqrt(len(pairs))), float(len(pairs) - 1)
    else:
        difference = float(b.mean() - a.mean())
        u, v = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
        error = float(np.sqrt(u + v))
        freedom = float((u + v) ** 2 / (u**2 / (len(a) - 1) + v**2 / (len(b) - 1))) if error > 0 else 1.0
    if error == 0.0:
        p = 0.0 if abs(difference) < margin else 1.0
        return Equivalence(first, second, difference, difference, difference, p, paired)
    p = max(
        float(t_distribution.sf((difference + margin) / error, freedom)),
        float(t_distribution.cdf((difference - margin) / error, freedom)),
    )
    half = float(t_distribution.ppf(0.5 + CONFIDENCE / 2, freedom)) * error
    return Equivalence(first, second, difference, difference - half, difference + half, p, paired)
