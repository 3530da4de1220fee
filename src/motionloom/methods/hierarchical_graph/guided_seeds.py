"""Seeds that lead to the places of a request: a beam search over the edges of G1, each as one of its leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionloom.constraints import Request, RootPath
from motionloom.core import IntArray, Progress
from motionloom.methods.graph import Graph
from motionloom.methods.graph.query.allowed_frames import with_frame_costs
from motionloom.methods.graph.query.request import read_request
from motionloom.methods.graph.search.beam import search_beam
from motionloom.methods.graph.search.moves import GroundMoves
from motionloom.methods.graph.search.result import SearchResult

LEAST_PROGRESS = 0.1  # m/s along the path
OUTLOOK = 0.5  # s: the beam estimates costs along each candidate's clip this far ahead


@dataclass(frozen=True, eq=False)
class BeamGuide:
    """What a beam search over some transitions of a graph needs to know of a request."""

    graph: Graph
    moves: GroundMoves  # of all transitions of the graph
    request: Request  # at the graph's frame rate, with a length
    pace: float  # m/s, usual in the clips

    def route(self, leaves: IntArray, width: int, budget: int, progress: Progress) -> SearchResult | None:
        """The best route over these transitions alone, by a beam of `width` with a `budget` of states.

        None if the request has no place to go, or none of these routes keeps its hard labels.
        """
        fps, count = self.graph.clips[0].fps, self.graph.count
        usable = np.zeros(len(self.graph.transitions), bool)
        usable[leaves] = True
        moves = self.moves.within(np.ones(count, bool), usable[self.moves.number])
        query = read_request(self.graph, moves, self.request, fps, self.pace)
        leads = moves.goes_on | (np.diff(moves.first_out) > 0)
        if query.schedule.reachable is not None:
            leads &= query.schedule.reachable.at(0)
        if query.goal is None or query.schedule.missing or not leads.any():
            return None
        starts = np.flatnonzero(leads)
        return search_beam(
            query.schedule.moves,
            with_frame_costs(query.goal, self.graph, query.constraints),
            query.start,
            starts if len(starts) < 100 else starts[::2],
            query.schedule.bits,
            width=width,
            least=LEAST_PROGRESS / fps,
            look=round(OUTLOOK * fps),
            budget=budget,
            steadiness=1.0,
            progress=progress,
        )


def guide(graph: Graph, moves: GroundMoves, request: Request, pace: float) -> BeamGuide | None:
    """The guide of a request; None if it has several paths, which a beam cannot follow at once."""
    if sum(isinstance(c, RootPath) for c in request.constraints) > 1:
        return None
    return BeamGuide(graph, moves, request, pace)
