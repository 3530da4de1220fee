"""Recording a crowd: one clip for each member, each with its recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motionloom.control.crowd import keep_apart
from motionloom.control.foot_lock import foot_locked
from motionloom.control.record import record
from motionloom.control.streaming import live_characters
from motionloom.core import BadRequest, Clip, FloatArray, Made, Progress, silent
from motionloom.core.limits import Limits
from motionloom.core.poses import Commands, commands
from motionloom.kinematics.travel import Travel
from motionloom.methods.base import Model
from motionloom.methods.recipe_steps import synthesis_step
from motionloom.methods.synthesis import signed

SPACING = 2.0  # m between the first places of neighbours


def crowd_clips(
    model: Model[Any],
    count: int,
    seconds: float,
    *,
    rate: float = 30.0,
    seed: int = 0,
    apart: bool = False,
    tracks: Sequence[Sequence[float]] | None = None,
    members: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> list[Clip]:
    """The clips of `count` characters on a grid, all or some `members`; character i has the seed `seed` + i.

    Each takes its own random path, independent of the others; with `apart`, characters turn away from
    neighbours, and all are needed for each. `tracks` are rows (id, t, x, z): character `id` goes to x, z from t on.
    """
    limits = Limits.current()
    limits.check_length(seconds, rate)
    report = progress or silent()
    chosen = list(range(count)) if members is None else list(members)
    if count < 1 or not all(0 <= i < count for i in chosen):
        raise BadRequest(f"count: expected members from 0 to {count - 1}, found {chosen}")
    whole = np.arange(count) if apart else np.array(chosen)
    if why := limits.exceeded(frames=seconds * rate * len(whole)):
        raise BadRequest(f"{why}: fewer characters, a shorter time or some members (--member)", where=("count",))
    live = foot_locked(live_characters(model))
    table = _checked_tracks(tracks, count)
    places = grid_places(count)[whole]
    starts = np.random.default_rng([seed, 1]).uniform(-np.pi, np.pi, count)[whole]
    state = live.begin(seed + whole, Travel(places, starts))
    frames = max(1, round(seconds * rate))
    steps = []
    poses = None
    given = commands()
    for f in range(frames):
        report(f / frames, "stepping")
        given = _followed(table, whole, f / rate, given, len(chosen) if not apart else count)
        now = given
        if apart and poses is not None:
            course = commands(heading=_courses(given, starts, poses.root[:, [0, 2]]))
            now = keep_apart(course, poses.root[:, [0, 2]], radius=1.5)
        state, poses = live.step(state, now, 1.0 / rate)
        steps.append((state, poses))
    out = []
    for n, i in enumerate(chosen):
        row = i if apart else n
        clip = record(live, steps, rate, row=row)
        edits: list[dict[str, Any]] = [{"count": count}, {"seconds": seconds}, {"rate": rate}, {"apart": apart}]
        if tracks is not None:
            edits.append({"tracks": [list(map(float, line)) for line in tracks]})
        out.append(signed(clip, model, synthesis_step(model, "crowd", seed=seed, take=i, edits=edits)))
    report(1.0, "stepping")
    return out


def crowd_member(model: Model[Any], made: Made, options: Mapping[str, Any]) -> Clip:
    """The member of a crowd that a step of a recipe describes."""
    return crowd_clips(model, seed=made.seed or 0, members=[made.take or 0], **options)[0]


def grid_places(count: int) -> FloatArray:
    """(N, 2) m: places on a square grid around the origin."""
    side = int(np.ceil(np.sqrt(count)))
    at = np.arange(count)
    return np.asarray(SPACING * (np.stack([at % side, at // side], 1) - (side - 1) / 2), float)


def _checked_tracks(tracks: Sequence[Sequence[float]] | None, count: int) -> FloatArray | None:
    if tracks is None:
        return None
    table = np.array(tracks, float)
    if table.ndim != 2 or table.shape[1] != 4 or not np.isfinite(table).all():
        raise BadRequest("tracks: expected rows of id, t, x, z")
    if ((table[:, 0] < 0) | (table[:, 0] >= count)).any():
        raise BadRequest(f"tracks: expected ids from 0 to {count - 1}, found {table[:, 0].max():g}")
    return table[np.argsort(table[:, 1], kind="stable")]


def _followed(table: FloatArray | None, whole: Any, time: float, given: Commands, count: int) -> Commands:
    """The commands of a time: the places that tracks lead to next."""
    if table is None:
        return given
    goals = np.full((count, 2), np.nan)
    for n, i in enumerate(whole):
        own = table[table[:, 0] == i]
        ahead = own[own[:, 1] > time]
        if len(own):
            goals[n] = (ahead[0] if len(ahead) else own[-1])[2:]
    return commands(place=goals)


def _courses(given: Commands, starts: FloatArray, place: FloatArray) -> FloatArray:
    """Directions: to the place that is commanded, or that of the beginning."""
    goals = np.broadcast_to(given.place, place.shape)
    to = np.arctan2(*(goals - place).T)
    return np.where(np.isnan(to), starts, to)
