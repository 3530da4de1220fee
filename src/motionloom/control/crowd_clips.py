"""Recording a crowd: one clip for each member, each with its recipe."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from motionloom.control.crowd import keep_apart, keep_out
from motionloom.control.foot_lock import foot_locked
from motionloom.control.record import record_rows
from motionloom.control.streaming import live_characters
from motionloom.control.tracks import SIGHT, Tracks
from motionloom.core import BadRequest, Clip, FloatArray, Made, Progress, silent
from motionloom.core.limits import Limits
from motionloom.core.poses import Commands, Poses, commands
from motionloom.core.progress import parts
from motionloom.core.watched import watched
from motionloom.kinematics.travel import Travel
from motionloom.methods.base import Model
from motionloom.methods.live import State
from motionloom.methods.recipe_steps import synthesis_step
from motionloom.methods.synthesis import signed

NEIGHBOUR = 3.0  # m: with `apart`, characters turn away from others that are nearer
BORDER = 1.5  # m: regions whose border is nearer than this are walked around
SPACING = 2.0  # m between the first places of neighbours


@watched
def crowd_clips(
    model: Model[Any],
    count: int,
    seconds: float,
    *,
    rate: float = 30.0,
    seed: int = 0,
    apart: bool = False,
    avoid: Sequence[Sequence[float]] = (),
    tracks: Sequence[Sequence[float]] | None = None,
    members: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> list[Clip]:
    """The clips of `count` characters on a grid, all or some `members`; character i has the seed `seed` + i.

    Each takes its own random path, independent of the others; with `apart`, characters turn away from
    neighbours, and all are needed for each; `avoid` are circles on the ground (x, z, radius) that they walk around.
    `tracks` are rows (id, t, x, z): character `id` is to be at x, z at t,
    and begins at its first row; a single row is a goal.
    """
    report = progress or silent()
    chosen = list(range(count)) if members is None else list(members)
    check_crowd(model, count, seconds, rate=rate, apart=apart, members=chosen)
    if not 0 <= seed < 1 << 62:
        raise BadRequest(f"expected a seed from 0 to 2^62, found {seed}", where=("seed",))
    if not chosen:
        report(1.0, "stepping")
        return []
    whole = np.arange(count) if apart else np.array(chosen, np.int64)
    regions = _regions(avoid)
    live = foot_locked(live_characters(model))
    places, starts = grid_places(count), np.random.default_rng([seed, 1]).uniform(-np.pi, np.pi, count)
    lines = None if tracks is None else Tracks(tracks, count)
    if lines is not None:
        places, starts = lines.begin(places, starts)
    places, starts = places[whole], starts[whole]
    frames = max(1, round(seconds * rate))
    stepping, recording = parts(report, [8, 2])

    def steps() -> Iterator[tuple[State, Poses]]:
        state, here = live.begin(seed + whole, Travel(places, starts)), places
        for f in range(frames):
            stepping(f / frames, "stepping")
            given = commands()
            if lines is not None:
                goals, speeds = lines.goals(whole, here, f / rate, _sight(here, regions))
                given = commands(place=goals, speed=speeds if "speed" in live.accepts else math.nan)
            if apart or regions:
                course = commands(heading=_courses(given, starts, here), speed=given.speed)
                given = keep_apart(course, here, radius=NEIGHBOUR) if apart else course
                given = keep_out(given, here, regions, radius=BORDER)
            state, poses = live.step(state, given, 1.0 / rate)
            here = poses.root[:, [0, 2]]
            yield state, poses

    clips = record_rows(live, steps(), rate, chosen if apart else None, progress=recording)
    edits: list[dict[str, Any]] = [{"count": count}, {"seconds": seconds}, {"rate": rate}, {"apart": apart}]
    if regions:
        edits.append({"avoid": [list(region) for region in regions]})
    if tracks is not None:
        edits.append({"tracks": [list(map(float, line)) for line in tracks]})
    step = synthesis_step(model, "crowd", seed=seed, edits=edits)
    made = [signed(clip, model, replace(step, take=i)) for i, clip in zip(chosen, clips, strict=True)]
    report(1.0, "recording")
    return made


def check_crowd(
    model: Model[Any],
    count: int,
    seconds: float,
    *,
    rate: float = 30.0,
    apart: bool = False,
    members: Sequence[int] | None = None,
) -> None:
    """`BadRequest`, before any work, if members do not exist or their clips would be above the limits; 0 is allowed."""
    limits = Limits.current()
    limits.check_length(seconds, rate)
    if count < 0:
        raise BadRequest(f"expected 0 or more characters, found {count}", where=("count",))
    unknown = next((i for i in members or () if not 0 <= i < count), None)
    if unknown is not None:
        raise BadRequest(f"expected members from 0 to {count - 1}, found {unknown}", where=("members",))
    stepped = count if apart or members is None else len(members)
    frames = seconds * rate * stepped
    if why := limits.exceeded(frames=frames):
        memory = frames * 8 * (3 + 4 * len(model.skeleton)) / 1e9
        raise BadRequest(
            f"{stepped} characters for {seconds:g} s need {memory:.1f} GB: {why}; "
            "fewer characters, a shorter time or some members (--member)",
            where=("count",),
        )


def crowd_member(model: Model[Any], made: Made, options: Mapping[str, Any], progress: Progress | None = None) -> Clip:
    """The member of a crowd that a step of a recipe describes."""
    return crowd_clips(model, seed=made.seed or 0, members=[made.take or 0], progress=progress, **options)[0]


def _regions(given: Sequence[Sequence[float]]) -> list[tuple[float, float, float]]:
    out = []
    for region in given:
        if len(region) != 3 or not np.isfinite(region).all() or not region[2] > 0:
            raise BadRequest(f"avoid: expected x, z and a positive radius, found {list(region)}")
        out.append((float(region[0]), float(region[1]), float(region[2])))
    return out


def _sight(place: FloatArray, regions: Sequence[tuple[float, float, float]]) -> FloatArray:
    """(N,) m: how far ahead on their tracks characters aim: beyond regions nearby, to stay on one side of them."""
    out = np.full(len(place), SIGHT)
    for x, z, radius in regions:
        far = np.linalg.norm(place - [x, z], axis=1)
        out = np.maximum(out, np.where(far < radius + BORDER, far + radius + SIGHT, 0.0))
    return out


def grid_places(count: int) -> FloatArray:
    """(N, 2) m: places on a square grid around the origin."""
    side = max(1, int(np.ceil(np.sqrt(count))))
    at = np.arange(count)
    return np.asarray(SPACING * (np.stack([at % side, at // side], 1) - (side - 1) / 2), float)


def _courses(given: Commands, starts: FloatArray, place: FloatArray) -> FloatArray:
    """Directions: to the place that is commanded, or that of the beginning."""
    goals = np.broadcast_to(given.place, place.shape)
    to = np.arctan2(*(goals - place).T)
    return np.where(np.isnan(to), starts, to)
