"""Recording a crowd: one clip for each member, each with its recipe."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motionloom.control.crowd import keep_apart
from motionloom.control.foot_lock import foot_locked
from motionloom.control.record import record
from motionloom.control.streaming import live_characters
from motionloom.control.tracks import Tracks
from motionloom.core import BadRequest, Clip, FloatArray, Made, Progress, silent
from motionloom.core.limits import Limits
from motionloom.core.poses import Commands, commands
from motionloom.kinematics.travel import Travel
from motionloom.methods.base import Model
from motionloom.methods.recipe_steps import synthesis_step
from motionloom.methods.synthesis import signed

NEIGHBOUR = 3.0  # m: with `apart`, characters turn away from others that are nearer
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
    neighbours, and all are needed for each. `tracks` are rows (id, t, x, z): character `id` is to be at x, z at t,
    and begins at its first row; a single row is a goal.
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
    places, starts = grid_places(count), np.random.default_rng([seed, 1]).uniform(-np.pi, np.pi, count)
    lines = None if tracks is None else Tracks(tracks, count)
    if lines is not None:
        places, starts = lines.begin(places, starts)
    places, starts = places[whole], starts[whole]
    state = live.begin(seed + whole, Travel(places, starts))
    frames = max(1, round(seconds * rate))
    steps = []
    for f in range(frames):
        report(f / frames, "stepping")
        given = commands()
        if lines is not None:
            goals, speeds = lines.goals(whole, places, f / rate)
            given = commands(place=goals, speed=speeds if "speed" in live.accepts else math.nan)
        if apart:
            course = commands(heading=_courses(given, starts, places), speed=given.speed)
            given = keep_apart(course, places, radius=NEIGHBOUR)
        state, poses = live.step(state, given, 1.0 / rate)
        places = poses.root[:, [0, 2]]
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


def _courses(given: Commands, starts: FloatArray, place: FloatArray) -> FloatArray:
    """Directions: to the place that is commanded, or that of the beginning."""
    goals = np.broadcast_to(given.place, place.shape)
    to = np.arctan2(*(goals - place).T)
    return np.where(np.isnan(to), starts, to)
