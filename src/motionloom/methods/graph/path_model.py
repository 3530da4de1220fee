"""The base class of graph methods that search paths over the ground, or draw routes at random."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Avoid, Constraint, Pace, Reach, Request, RootPath, StyleAlong
from motionloom.core import Clip, FloatArray, IntArray, Note, Progress, part
from motionloom.core.note import warning
from motionloom.core.progress import parts
from motionloom.kinematics.pace import STANDING_SPEED
from motionloom.kinematics.travel import travel
from motionloom.methods.base import place
from motionloom.methods.graph.config import RouteOptions
from motionloom.methods.graph.graph import Route
from motionloom.methods.graph.model import GraphModel, GraphPlan, timeline
from motionloom.methods.graph.pace_change import PACE_FACTORS, PaceChange, nearest_requests
from motionloom.methods.graph.query.allowed_frames import (
    FrameSchedule,
    label_problem,
    time_beyond_end,
    with_frame_costs,
)
from motionloom.methods.graph.query.facing import walks_sideways
from motionloom.methods.graph.query.goal import GroundGoal, is_later_place
from motionloom.methods.graph.query.messages import (
    bend_problem,
    budget_notes,
    left_out_problem,
    path_length,
    start_problem,
    unreached_reason,
    walked_length,
)
from motionloom.methods.graph.query.request import GraphQuery, read_request
from motionloom.methods.graph.render.render import join_route, render
from motionloom.methods.graph.search.beam import search_beam
from motionloom.methods.graph.search.deadline import search_by_deadline
from motionloom.methods.graph.search.random_walk import random_route
from motionloom.methods.graph.search.result import SearchResult
from motionloom.methods.graph.search.scheduled_walk import EdgeWeights, continue_route, scheduled_walk
from motionloom.methods.graph.search.steadiness import steady_weights
from motionloom.methods.graph.search.variation import TRIES, Variation, draw_variation
from motionloom.methods.lead_into_constraints import pose_problem
from motionloom.methods.schedule import Reachable, nodes_of

SCHEDULE_SHARE = 0.1  # of planning, for the schedule of allowed frames
MAX_WALKS = 200  # random walks that are tried to meet constraints on their path
BEAM_OUTLOOK = 0.5  # s: the beam estimates costs along each candidate's clip this far ahead
BEAM_PROGRESS = 0.1  # m/s: default of `min_progress` in a beam search, and the least one anywhere

P = TypeVar("P", bound=RouteOptions)
FARTHER = 1.25  # times the best route's mean distance to a soft path that it misses, for a varied route


def _path_misfit(path: RootPath, clip: Clip, goal: GroundGoal, options: RouteOptions) -> str:
    """Why a path is not followed in its time by a clip that is not bent yet, or ""."""
    if path.hard:
        return bend_problem(clip, goal, [path], options)
    return "" if path.met(clip) else f"{path.describe()} is not met"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PathGraphModel(GraphModel[P]):
    """A graph whose routes are searched along paths over the ground, or drawn at random."""

    def ends(self, request: Request) -> bool:
        return any(isinstance(c, (RootPath, Reach)) for c in request.constraints)

    @abstractmethod
    def search(self, query: GraphQuery, goal: GroundGoal, options: P, progress: Progress) -> SearchResult:
        """The best route found for a goal; each method has its own search."""

    @abstractmethod
    def untimed_search(self, options: P) -> str:
        """The option that selects a search without times, places and obstacles, with its alternative; "" if none."""

    def for_take(self, request: Request, take: int) -> Request:
        if take == 0 or self.options(request).variety is not None:
            return request
        return dataclasses.replace(request, options={**request.options, "variety": 1.0})

    def refuses(self, constraint: Constraint, frames: int | None, options: P | None = None) -> str:
        found = self.untimed_search(self.options(Request()) if options is None else options)
        timed = isinstance(constraint, RootPath) and constraint.times is not None
        if found and (timed or isinstance(constraint, (Reach, Avoid)) or is_later_place(constraint, frames, self.fps)):
            return f"{found} follows a root_path without times only"
        return ""

    def start_frame(self, options: P) -> int | None:
        """The graph frame that the request starts with, or None: any."""
        return None

    def walk_weights(self, options: P) -> EdgeWeights | None:
        """The probability of each step of a random walk; None: by the options `sampling` and `avoid_repeats`."""
        return None

    def transition_weights(self, options: P) -> FloatArray | None:
        """(T,) weight of each transition in a random walk, against 1 for continuing; None: by the option `sampling`."""
        return None

    def shortfall(self, clip: Clip, plan: GraphPlan, request: Request, options: P) -> str:
        constraints = request.constraints
        too_far = bend_problem(clip, plan.goal, constraints, options)
        too_far = too_far or pose_problem(clip, constraints, options.bend_pose)
        return too_far or left_out_problem(clip, self.graph, constraints)

    def query(self, request: Request, progress: Progress | None = None, *, timed: bool = True) -> GraphQuery:
        """The request as the search takes it."""
        return read_request(self.graph, self.moves, request, self.fps, self.pace, progress, timed=timed)

    def _plan(self, request: Request, options: P, rng: Generator, progress: Progress) -> GraphPlan:
        query = self.query(request, part(progress, 0.0, SCHEDULE_SHARE), timed=not self.untimed_search(options))
        progress = part(progress, SCHEDULE_SHARE, 1.0)
        if query.goal is None:
            assert query.frames is not None  # checked before
            return self._random_plan(request, options, query.schedule, query.frames, rng, progress)
        plan = self._path_plan(request, query, query.goal, options, rng, part(progress, 0.0, 0.6))
        path = query.goal.path
        if path is None or path.times is not None or not query.goal.timed or query.constraints != [path]:
            return plan
        return self._at_natural_pace(plan, request, query, options, rng, part(progress, 0.6, 1.0))

    def _at_natural_pace(
        self, plan: GraphPlan, request: Request, query: GraphQuery, options: P, rng: Generator, progress: Progress
    ) -> GraphPlan:
        """The plan; if its body walks sideways or its strides do not fit the path, a walk whose pace is changed.

        Slow frames are often those of turns, so routes that arrive late enough are found among them.
        """
        assert plan.goal is not None
        assert plan.goal.path is not None
        assert query.frames is not None
        path, clip = plan.goal.path, self._unbent(plan, request)
        length, walked = path_length(path), walked_length(clip)
        misfit = plan.reason or _path_misfit(path, clip, plan.goal, options)
        sideways = walks_sideways(travel(clip), self.graph.clips)
        if not sideways and not (misfit and max(walked / length, length / max(walked, 1e-6)) > 1.05):
            return plan
        reports, nearest, least = parts(progress, [1] * (len(PACE_FACTORS) + 1)), plan, path.worst(clip)
        for factor, report in zip(PACE_FACTORS, reports, strict=False):
            change = PaceChange(factor if walked > length else 1 / factor, query.frames)
            own = change.request(request, path, query.start)
            walk, goal = self._along(own, options, rng, report)
            clip = self._unbent(walk, own)
            assert goal.path is not None
            problem = walk.reason or _path_misfit(goal.path, clip, goal, options)
            walk = walk._replace(goal=plan.goal, notes=(*walk.notes, change.note()), pace_change=change)
            if not problem and not walks_sideways(travel(clip), self.graph.clips):
                return walk
            if not path.hard and goal.path.worst(clip) / change.factor < least:
                nearest, least = walk, goal.path.worst(clip) / change.factor
        seconds = query.frames / self.fps
        if misfit:
            text = nearest_requests(length, seconds, walked / seconds)
            return plan._replace(reason=text) if path.hard else nearest._replace(notes=(*nearest.notes, warning(text)))
        untimed = self._along(dataclasses.replace(request, seconds=None, frames=None), options, rng, reports[-1])[0]
        text = nearest_requests(length, seconds, length / untimed.frames * self.fps)
        return plan._replace(notes=(*plan.notes, warning(text)))

    def _along(self, request: Request, options: P, rng: Generator, progress: Progress) -> tuple[GraphPlan, GroundGoal]:
        """The plan and the goal of a request with a path."""
        query = self.query(request, progress)
        assert query.goal is not None
        return self._path_plan(request, query, query.goal, options, rng, progress), query.goal

    def _unbent(self, plan: GraphPlan, request: Request) -> Clip:
        """The motion of a plan before it is led into the constraints of its request."""
        return place(join_route(self.graph, plan.route), request, self)

    def _path_plan(
        self, request: Request, query: GraphQuery, goal: GroundGoal, options: P, rng: Generator, progress: Progress
    ) -> GraphPlan:
        """With `variety`, a varied route that meets the request if a few tries find one; else the best route.

        Where the best route misses a soft path too, a varied one may be up to 1.25 times as far off on average.
        """
        reports = parts(progress, [1] * (TRIES + 1 if options.variety else 1))
        missed: list[tuple[float, GraphPlan]] = []
        for report in reports[:-1]:
            count = self.graph.count, len(self.graph.transitions)
            varied = query._replace(variation=draw_variation(*count, self.fps, options.variety or 0.0, rng))
            plan = self._searched_plan(varied, goal, options, rng, report)
            clip = self._unbent(plan, request)
            if plan.reason or self.shortfall(clip, plan, request, options):
                continue
            if goal.path is None or goal.path.hard or goal.path.met(clip):
                return plan
            missed.append((goal.path.mean_distance(clip), plan))
        best = self._searched_plan(query, goal, options, rng, reports[-1])
        if missed and goal.path is not None:
            off, nearest = min(missed, key=lambda found: found[0])
            return nearest if off <= FARTHER * goal.path.mean_distance(self._unbent(best, request)) else best
        return best

    def _searched_plan(
        self, query: GraphQuery, goal: GroundGoal, options: P, rng: Generator, progress: Progress
    ) -> GraphPlan:
        """The route that the search finds, continued at random to the length of the request."""
        frames, constraints, latest, start, _, schedule, _ = query
        problem = schedule.missing or self._unknown_label(constraints) or start_problem(start, constraints)
        goal = with_frame_costs(goal, self.graph, constraints)
        found = self.search(query, goal, options, part(progress, 0.0, 0.6))
        rest = part(progress, 0.6, 1.0)

        def search_again(timed_goal: GroundGoal, budget: int) -> SearchResult:
            return self.search(query, timed_goal, dataclasses.replace(options, budget=budget), rest)

        found = search_by_deadline(found, goal, constraints, start, self.fps, search_again, options.budget)
        if not found.arrived:
            problem = problem or unreached_reason(found, goal, constraints, self.fps)
        route, notes = found.route, budget_notes(found, options)
        if route.frames < (frames or latest.frames):
            if frames is None and goal.path is not None and found.arrived:
                raise time_beyond_end(latest, route.frames / self.fps, self.fps, exactly=True)
            if goal.path is not None and not goal.timed and found.arrived:
                notes.append(Note(f"the path ends after {route.frames / self.fps:.2f} s; a random walk follows"))
            route = self.extend(route, schedule, frames or latest.frames, options, rng)
        return GraphPlan(route, timeline(self.graph, route), goal, tuple(notes), problem)

    def _beam(self, query: GraphQuery, goal: GroundGoal, options: P, progress: Progress, **own: Any) -> SearchResult:
        """The result of the beam search; `own` are its `width` and `transition_cost`."""
        moves, bits = query.schedule.moves, query.schedule.bits
        return search_beam(
            moves,
            goal,
            query.start,
            self.starts(query.schedule, options, query.variation),
            bits,
            least=(BEAM_PROGRESS if options.min_progress is None else options.min_progress) / self.fps,
            look=round(BEAM_OUTLOOK * self.fps),
            budget=options.budget,
            steadiness=options.steadiness,
            free_angle=self.free_angle,
            extra_costs=None if query.variation is None else query.variation.costs,
            progress=progress,
            **own,
        )

    def least_progress(self, options: P) -> float:
        """m per frame by which a search along a path counts a body as farther on, even if it stands.

        By default half the speed of slow motion in the clips (the lowest quarter of the frames that move): with less,
        a body that stands on the path costs nearly nothing, and searches that look only a few seconds ahead let it
        stand until the path has been counted to its end.
        """
        if options.min_progress is not None:
            return options.min_progress / self.fps
        speeds = np.linalg.norm(self.moves.step[:, :2], axis=1) * self.fps
        moving = speeds[speeds > STANDING_SPEED]
        slow = float(np.quantile(moving, 0.25)) if len(moving) else 0.0
        return max(BEAM_PROGRESS, 0.5 * slow) / self.fps

    def extend(self, route: Route, schedule: FrameSchedule, frames: int, options: P, rng: Generator) -> Route:
        """The route made longer by a random walk, as far as the schedule of the request allows."""
        least = round(options.shortest * self.fps)
        weights = self.walk_weights(options) or self._steady_weights(options)
        reachable, moves = schedule.reachable, schedule.moves
        return continue_route(self.graph, moves, route, reachable, frames, rng, shortest=least, weights=weights)

    def starts(self, schedule: FrameSchedule, options: P, variation: Variation | None = None) -> IntArray:
        """Graph frames to start at: the one that the request names, or every second one that is not a dead end."""
        named = self.start_frame(options)
        if named is not None:
            return np.array([named])
        leads = schedule.moves.goes_on | (np.diff(schedule.moves.first_out) > 0)
        found = np.flatnonzero(leads if schedule.reachable is None else leads & schedule.reachable.at(0))
        found = found if len(found) < 100 else found[::2]
        return found if variation is None else variation.of_starts(found)

    def _unknown_label(self, constraints: Sequence[Constraint]) -> str:
        """Why a hard label or pace along the path cannot be kept, or "": no frame shows it."""
        hard = [c for c in constraints if isinstance(c, (StyleAlong, Pace)) and c.hard]
        return next((label_problem(self.graph, c) for c in hard if not nodes_of(self.graph.clips, c).any()), "")

    def _random_plan(
        self, request: Request, options: P, schedule: FrameSchedule, frames: int, rng: Generator, progress: Progress
    ) -> GraphPlan:
        """A random walk; with obstacles, labels or paces, the best of up to `MAX_WALKS` of them."""
        measured = [
            c
            for c in request.constraints
            if isinstance(c, (Avoid, StyleAlong)) or (isinstance(c, Pace) and (c.hard or c.stretch is not None))
        ]
        problem = schedule.missing or self._unknown_label(measured)
        found: list[tuple[float, Route]] = []
        for k in range(MAX_WALKS if measured else 1):
            progress(k / MAX_WALKS, "drawing random walks")
            route = self.random_route(schedule, frames, options, rng)
            clip = place(render(self.graph, route, lift=options.clean_feet), request, self) if measured else None
            over = sum(max(0.0, c.worst(clip) - c.limit) for c in measured) if clip is not None else 0.0
            found.append((over, route))
            if over == 0.0 or problem:
                break
        best = min(found, key=lambda pair: pair[0])[1]
        return GraphPlan(best, timeline(self.graph, best), reason=problem)

    def _steady_weights(self, options: P) -> EdgeWeights | None:
        usable = np.zeros(len(self.graph.transitions), bool)
        usable[self.moves.number] = True
        gaps = np.zeros(len(usable))
        gaps[self.moves.number] = self.moves.speed_gap
        return steady_weights(self.graph, gaps, self.walkable, usable, options.steadiness)

    def random_route(
        self, schedule: FrameSchedule, frames: int, options: P, rng: Generator, start: int | None = None
    ) -> Route:
        """A random walk of `frames` frames within a schedule, from graph frame `start` (None: as in `options`)."""
        start, weights = self.start_frame(options) if start is None else start, self.walk_weights(options)
        if schedule.reachable is None and (weights is None or options.avoid_repeats or options.steadiness > 0):
            walk = {"allowed": schedule.allowed, "likely": self.transition_weights(options), **options.walk_options}
            return random_route(self.graph, frames, rng, start=start, **walk)
        reachable = schedule.reachable or Reachable(schedule.moves.net, frames, transitions=True)
        weights = weights or self._steady_weights(options)
        least = round(options.shortest * self.fps)
        first, taken = scheduled_walk(schedule.moves, reachable, 0, start, rng, shortest=least, weights=weights)
        return Route(first, taken, frames)
