"""Edges as arrays, and what was found about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from motionloom.core import FloatArray, FormatError
from motionloom.methods.array_checks import check_array, check_number
from motionloom.methods.parametric_graph.nodes import Node

COLUMNS = (
    "edge", "good", "neutral", "bad", "trimmed", "shrunk", "good, cm", "bad, cm", "best, cm", "worst, cm", "reach", "",
)  # fmt: skip


class Report(NamedTuple):
    """What was found about an edge: counts are over all pairs of samples."""

    source: str
    target: str
    good: int
    neutral: int
    bad: int
    trimmed: int  # boxes that were made smaller because of a bad sample
    shrunk: int  # boxes made smaller because of a pair at the point that is used
    medoids: int  # samples whose points have two minima
    reach: float  # mean share of the target's range, over samples and parameters
    best: float  # m, the best pair of all
    worst: float  # m, the worst of the verified pairs
    good_limit: float  # m
    bad_limit: float  # m
    reason: str  # why there is no edge, or ""
    part: str = ""  # parameters of the source that the edge is limited to, or ""

    @property
    def text(self) -> str:
        """One line."""
        limits = f"limits {100 * self.good_limit:.1f} and {100 * self.bad_limit:.1f} cm"
        if self.reason:
            return f"{self.source} > {self.target}: no edge: {self.reason}; {limits}"
        part = f"only from {self.part}, " if self.part else ""
        return (
            f"{self.source} > {self.target}: {part}{100 * self.reach:.0f} % of {self.target} can follow on average; "
            f"worst pair {100 * self.worst:.1f} cm, {limits}"
        )

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table with the columns `COLUMNS`."""
        made = not self.reason
        return (
            f"{self.source} > {self.target}", str(self.good), str(self.neutral), str(self.bad),
            *(str(n) if made else "-" for n in (self.trimmed, self.shrunk)),
            *(f"{100 * x:.1f}" for x in (self.good_limit, self.bad_limit, self.best)),
            f"{100 * self.worst:.1f}" if made else "-", f"{100 * self.reach:.0f} %" if made else "-",
            f"no edge: {self.reason}" if not made else f"only from {self.part}" if self.part else "",
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Edge:
    """n samples of the source: parameters, box of the target, and transition point."""

    source: int
    target: int
    values: FloatArray  # (n, D) parameters of the source, in their units
    low: FloatArray  # (n, D') box of the target's parameters
    high: FloatArray
    points: FloatArray  # (n, 2) u of the source and u' of the target
    within: FloatArray  # (2, D) least and largest parameters of the source that it leaves from
    report: Report

    def limited(self, node: Node) -> bool:
        """Whether it leaves from a part of its source only: the source is split (HECK 6.3)."""
        return bool((self.within[0] > node.space.low + 1e-9).any() or (self.within[1] < node.space.high - 1e-9).any())

    def check(self, nodes: Sequence[Node], name: str) -> None:
        """`FormatError` unless all arrays fit together."""
        check_number(float(self.source), f"{name}.source", low=0, high=len(nodes) - 1)
        check_number(float(self.target), f"{name}.target", low=0, high=len(nodes) - 1)
        count = len(self.values)
        if count < 1:
            raise FormatError(f"{name}.values: expected samples, found none")
        check_array(self.values, f"{name}.values", "f", (count, nodes[self.source].space.size))
        for key in ("low", "high"):
            check_array(getattr(self, key), f"{name}.{key}", "f", (count, nodes[self.target].space.size))
        check_array(self.points, f"{name}.points", "f", (count, 2), low=0, high=1)
        check_array(self.within, f"{name}.within", "f", (2, nodes[self.source].space.size))
        if (self.high < self.low).any():
            raise FormatError(f"{name}.low: expected boxes, found a lower side above the upper one")
