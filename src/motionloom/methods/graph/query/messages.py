"""Messages about the route found for a request: deviations, spent budgets, and why it cannot be met."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.constraints import Avoid, Constraint, Pace, Reach, RootAt, RootPath, Start, Style, StyleAlong
from motionloom.core import Clip, Note
from motionloom.core.note import warning
from motionloom.kinematics.travel import steady_travel
from motionloom.methods.graph.build.prune import walkable_frames
from motionloom.methods.graph.config import RouteOptions
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.query.facing import facing_notes
from motionloom.methods.graph.query.goal import MAX_START_GAP, GroundGoal
from motionloom.methods.graph.search.result import SearchResult
from motionloom.methods.nearest_request import nearest_path
from motionloom.methods.schedule import frames_with_label, missing_label, missing_pace

MOSTLY = 0.5  # of the frames with a label: if more are left out of a graph, that explains why it is missed
STRAIGHT = 0.5  # of the turn of a path: clips that turn less than that explain why its end is missed
MAX_STRETCH = 1.2  # of strides, longer or shorter, when a route is bent to a path


def start_problem(begin: Start, constraints: Sequence[Constraint]) -> str:
    """Why a hard path cannot be met from its first point, or "": it starts away from the body."""
    for c in constraints:
        if isinstance(c, RootPath) and c.hard and (c.times is None or c.times[0] == 0):
            away = float(np.linalg.norm(np.array(c.points[0]) - begin.position))
            if away > max(c.tolerance, MAX_START_GAP):
                facing = np.degrees(np.arctan2(*np.subtract(c.points[1], c.points[0])))
                x, z = c.points[0]
                return (
                    f"the path starts at ({x:g}, {z:g}), {away:.2f} m from the body at ({begin.position[0]:g}, "
                    f"{begin.position[1]:g}), allowed {c.tolerance:g} m: start there with "
                    f"`start: {{position: [{x:g}, {z:g}], heading: {facing:.0f}deg}}`, or give the path a weight"
                )
    return ""


def budget_notes(found: SearchResult, options: RouteOptions) -> list[Note]:
    """A warning if the budget was spent or limited the search."""
    if not found.spent:
        return []
    used = f"{found.expanded:,} states expanded, budget {options.budget:,}"
    if found.expanded < 0.9 * options.budget:
        return [warning(f"the budget limited the search ({used}); a larger one may find a better route")]
    least = "; the search needs at least as many" if found.expanded > 1.1 * options.budget else ""
    return [warning(f"the search budget was spent ({used}{least}); a larger one may find a better route")]


def unreached_reason(found: SearchResult, goal: GroundGoal, constraints: Sequence[Constraint], fps: float) -> str:
    """Why a hard constraint cannot be met if the end was not reached, with how far the route gets; or ""."""
    lasts = found.route.frames / fps
    got = f"{found.along:.1f} of {goal.line.length:.1f} m in {lasts:.1f} s"
    for c in constraints:
        if isinstance(c, Reach) and c.hard:
            return f"{c.describe()} is not reached in time: the best route gets {got}"
        if isinstance(c, RootPath) and c.hard:
            return f"no route follows the whole path: the best gets {got}"
    return ""


def bend_problem(clip: Clip, goal: GroundGoal | None, constraints: Sequence[Constraint], options: RouteOptions) -> str:
    """The first hard constraint that a route is too far from to be bent to, or ""; measured before bending."""
    for c in constraints:
        if not isinstance(c, (RootPath, Reach, RootAt, Avoid)) or not c.hard:
            continue
        worst = float(np.abs(c.residual(clip)).max(initial=0.0))
        timed = goal is not None and goal.timed
        if isinstance(c, RootPath) and timed and worst > c.limit and (problem := _stride_problem(c, clip)):
            return problem
        if worst > c.limit + options.bend:
            return (
                f"no route found through these clips meets {c.describe()}: the nearest is {worst:.2f} m off, allowed "
                f"{c.limit:g} m (and {options.bend:g} m of bending); {_hint(c, goal)}"
            )
    return ""


def left_out_problem(clip: Clip, graph: Graph, constraints: Sequence[Constraint]) -> str:
    """Why a hard label along the path is missed, or "": most of its frames are left out, as they lead nowhere.

    Not with hard places or paths, to which a route is bent only afterwards.
    """
    if any(c.hard and isinstance(c, (RootPath, Reach, RootAt)) for c in constraints):
        return ""
    for c in constraints:
        if isinstance(c, StyleAlong) and c.hard and (missed := c.worst(clip)) > c.limit:
            left_out = ~walkable_frames(graph)[frames_with_label(graph.clips, c.label)]
            if left_out.mean() > MOSTLY:
                return (
                    f"{missed:.0%} of the stretch of {c.describe()} is without it: {left_out.mean():.0%} of the frames "
                    f"labelled {c.label} lead nowhere and are left out of the graph; learn with a larger --limit (what "
                    "learning prints states the least), or from clips that lead from them to others, or give a weight"
                )
    return ""


def path_length(path: RootPath) -> float:
    """Metres from the first point of a path to its last."""
    return float(np.linalg.norm(np.diff(np.array(path.points), axis=0), axis=1).sum())


def walked_length(clip: Clip) -> float:
    """Metres that a clip walks, without the sway of its hips."""
    return float(np.linalg.norm(np.diff(steady_travel(clip).place, axis=0), axis=1).sum())


def _stride_problem(c: RootPath, clip: Clip) -> str:
    """Why a path cannot be followed in its time, or "": strides would have to be stretched or shortened too much."""
    length = path_length(c)
    walked = walked_length(clip)
    if walked < 0.3 or 1 / MAX_STRETCH < length / walked < MAX_STRETCH:
        return ""
    nearest = nearest_path(length, clip.seconds, walked / clip.seconds)
    return (
        f"no route found through these clips covers {c.describe()} in {clip.seconds:.1f} s: the nearest walks "
        f"{walked:.1f} m, and strides would become {length / walked:.2f} times as long (the nearest requests: "
        f"{nearest})"
    )


def result_notes(
    clip: Clip, clips: Sequence[Clip], constraints: Sequence[Constraint], arrival: float | None = None
) -> tuple[Note, ...]:
    """Notes about a finished clip: deviation from its path, and soft labels and paces that none of the `clips` shows.

    A path's end that is missed by more than `arrival` metres gives a warning.
    """
    notes: list[Note] = []
    for c in constraints:
        if isinstance(c, RootPath):
            notes += _path_notes(c, clip, clips, arrival)
        elif isinstance(c, (Style, StyleAlong, Pace)) and not c.hard and (problem := _missing(clips, c)):
            notes.append(warning(problem, constraint=c.describe()))
    if any(isinstance(c, (RootPath, Reach, RootAt)) for c in constraints):
        notes += facing_notes(clip, clips)
    return tuple(dict.fromkeys(notes))


def _missing(clips: Sequence[Clip], c: Style | StyleAlong | Pace) -> str:
    """Why a label or pace cannot be shown by any of the clips, or ""."""
    return missing_pace(clips, c) if isinstance(c, Pace) else missing_label(clips, c.label)


def _path_notes(c: RootPath, clip: Clip, clips: Sequence[Clip], arrival: float | None) -> list[Note]:
    length = path_length(c)
    off = np.abs(c.residual(clip))
    worst, mean = int(off.argmax()), c.mean_distance(clip)
    end = float(np.linalg.norm(clip.root[-1, [0, 2]] - np.array(c.points[-1])))
    text = (
        f"path of {length:.1f} m followed to {100 * end:.1f} cm from its end, "
        f"{100 * mean:.1f} cm off on average, {100 * off.max():.1f} cm at worst (at {worst / clip.fps:.1f} s)"
    )
    out = [Note(text, frame=worst, constraint=c.describe())]
    if arrival is not None and c.times is None and end > arrival:
        missed = f"it ends {end:.2f} m from the path's end, more than {arrival:g} m{_straight_clips(c, clips)}"
        out.append(warning(missed, frame=len(clip) - 1, constraint=c.describe()))
    return out


def _straight_clips(c: RootPath, clips: Sequence[Clip]) -> str:
    """A hint if a path turns and the clips hardly do."""
    ahead = np.diff(np.array(c.points), axis=0)
    wanted = float(np.ptp(np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 1]))))
    most = max(float(np.ptp(steady_travel(clip).heading)) for clip in clips)
    if most > STRAIGHT * wanted:
        return ""
    return (
        f": the clips turn by at most {np.degrees(most):.0f} degrees each, the path by {np.degrees(wanted):.0f}; learn "
        "from clips that turn, too"
    )


def _hint(c: Constraint, goal: GroundGoal | None) -> str:
    if isinstance(c, Avoid):
        return "give a smaller radius, a start and goals outside of it, or a weight"
    if isinstance(c, RootAt):
        only_height = c.position is None and c.heading is None
        return f"give {'another height' if only_height else 'a later time'}, or a weight"
    if isinstance(c, Reach):
        return "give a larger tolerance or more time"
    if isinstance(c, RootPath) and goal is not None and goal.timed:
        return "leave out seconds and times (the pace is that of the clips), give a larger tolerance, or a weight"
    return "give a larger tolerance, wider turns, more time, or a weight"
