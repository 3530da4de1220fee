"""What is said about a way that was found: how far it is from what was asked, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.constraints import Avoid, Constraint, Reach, RootAt, RootPath, Start, Style, StyleAlong
from motionloom.core import Clip, Note
from motionloom.core.note import warning
from motionloom.methods.graph.config import WayOptions
from motionloom.methods.graph.query.goal import APART, Goal
from motionloom.methods.graph.search.path_search import Found
from motionloom.methods.schedule import not_carried


def check_start(begin: Start, wishes: Sequence[Constraint]) -> str:
    """Why a hard path cannot be kept from its very start, or "": it begins where the body is not."""
    for c in wishes:
        if isinstance(c, RootPath) and c.hard and (c.times is None or c.times[0] == 0):
            away = float(np.linalg.norm(np.array(c.points[0]) - begin.position))
            if away > max(c.tolerance, APART):
                facing = np.degrees(np.arctan2(*np.subtract(c.points[1], c.points[0])))
                x, z = c.points[0]
                return (
                    f"the path starts at ({x:g}, {z:g}), {away:.2f} m from the body at ({begin.position[0]:g}, "
                    f"{begin.position[1]:g}), allowed {c.tolerance:g} m: let it begin there with "
                    f"`start: {{position: [{x:g}, {z:g}], heading: {facing:.0f}deg}}`, or give the path a weight"
                )
    return ""


def halted(found: Found, options: WayOptions) -> list[Note]:
    """A spent budget, in words, or one that kept the search from looking at more on the way."""
    if not found.spent:
        return []
    if found.looked < 0.9 * options.budget:
        said = f"{found.looked:,} frames looked at, {options.budget:,} allowed in all"
        return [warning(f"the search's budget made it leave out ways ({said}); a larger one may find a better way")]
    least = ": fewer are not enough to come to an end" if found.looked > 1.1 * options.budget else ""
    said = f"{found.looked:,} frames looked at, allowed {options.budget:,}{least}"
    return [warning(f"the search's budget was spent ({said}); a larger one may find a better way")]


def unreached(found: Found, goal: Goal, wishes: Sequence[Constraint], fps: float) -> str:
    """Why the end was not reached, and how far one gets, if a hard wish asks for it."""
    lasts = found.route.frames / fps
    got = f"{found.along:.1f} of {goal.line.length:.1f} m in {lasts:.1f} s"
    for c in wishes:
        if isinstance(c, Reach) and c.hard:
            return f"no way to {c.describe()} was found in time: the best gets {got}"
        if isinstance(c, RootPath) and c.hard:
            return f"no way along the whole path was found: the best gets {got}"
    return ""


def out_of_reach(clip: Clip, goal: Goal | None, wishes: Sequence[Constraint], options: WayOptions) -> str:
    """The first hard wish that a way is too far from to be bent to, in words, or ""; measured before any bending."""
    for c in wishes:
        if not isinstance(c, (RootPath, Reach, RootAt, Avoid)) or not c.hard:
            continue
        worst = float(np.abs(c.residual(clip)).max(initial=0.0))
        if worst > c.limit + options.bend:
            return (
                f"no way found through these clips keeps {c.describe()}: the nearest is {worst:.2f} m off, allowed "
                f"{c.limit:g} m (and {options.bend:g} m of bending); {_hint(c, goal)}"
            )
    return ""


def remarks(
    clip: Clip, clips: Sequence[Clip], wishes: Sequence[Constraint], arrival: float | None = None
) -> tuple[Note, ...]:
    """What is said of a finished clip: how far it is from its path, and soft labels that none of the `clips` carries.

    A path's end that is missed by more than `arrival` metres is warned of.
    """
    said: list[Note] = []
    for c in wishes:
        if isinstance(c, RootPath):
            said += _of_path(c, clip, arrival)
        elif isinstance(c, (Style, StyleAlong)) and not c.hard and (nowhere := not_carried(clips, c.label)):
            said.append(warning(nowhere, constraint=c.describe()))
    return tuple(dict.fromkeys(said))


def _of_path(c: RootPath, clip: Clip, arrival: float | None) -> list[Note]:
    length = float(np.linalg.norm(np.diff(np.array(c.points), axis=0), axis=1).sum())
    off = np.abs(c.residual(clip))
    worst = int(off.argmax())
    text = (
        f"path of {length:.1f} m followed, {100 * off.mean():.1f} cm off on average, {100 * off.max():.1f} cm at worst "
        f"(at {worst / clip.fps:.1f} s)"
    )
    out = [Note(text, frame=worst, constraint=c.describe())]
    end = float(np.linalg.norm(clip.root[-1, [0, 2]] - np.array(c.points[-1])))
    if arrival is not None and c.times is None and end > arrival:
        missed = f"it ends {end:.2f} m from the path's end, more than {arrival:g} m"
        out.append(warning(missed, frame=len(clip) - 1, constraint=c.describe()))
    return out


def _hint(c: Constraint, goal: Goal | None) -> str:
    if isinstance(c, Avoid):
        return "ask for a smaller radius, a start and goals outside of it, or with a weight"
    if isinstance(c, RootAt):
        only_height = c.position is None and c.heading is None
        return f"ask for {'another height' if only_height else 'a later time'}, or with a weight"
    if isinstance(c, Reach):
        return "ask for a larger tolerance or more time"
    if isinstance(c, RootPath) and goal is not None and goal.timed:
        return "leave out seconds and times (the clips have a pace of their own), allow more, or give it a weight"
    return "ask for a larger tolerance, gentler turns or more time, or with a weight"
