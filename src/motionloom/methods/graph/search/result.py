"""The result of a search through a motion graph."""

from __future__ import annotations

from typing import NamedTuple

from motionloom.methods.graph.graph import Route


class SearchResult(NamedTuple):
    """A route through a graph, and how the search for it went."""

    route: Route
    arrived: bool  # at the end of the line (or at the last frame)
    along: float  # metres of the line that were walked
    cost: float
    expanded: int  # states that the search expanded
    spent: bool  # the budget limited the search
