"""Crowds: commands that keep neighbours apart, and members that are replaced.

Characters do not influence each other inside a step, so each is the same alone or in a crowd. Interaction between
neighbours is expressed as commands.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from motionloom.core import BadRequest, FloatArray, IntArray
from motionloom.core.poses import Commands, broadcast
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.live import join, select, state_count

S = TypeVar("S", bound=tuple[Any, ...])
PUSH_TURN = math.radians(45.0)  # how far the push away from a neighbour is turned to the left


def keep_apart(given: Commands, place: FloatArray, *, radius: float = 2.0, strength: float = 2.0) -> Commands:
    """The commands of N characters at `place` (N, 2), with headings turned away from neighbours within `radius` (m).

    Every neighbour adds a push to the commanded direction (the heading, or the direction to the place), away from it
    and to the left, so that two characters that meet pass on one side: `strength` where they touch, falling to zero at
    `radius`. Characters without heading and place, or without neighbours, are not changed; a pushed character gets a
    heading instead of a place.
    """
    full, direction = _directed(given, place, radius)
    return _turned(full, direction, ground_turn(PUSH_TURN, _pushes(place, radius)) * strength)


def keep_out(
    given: Commands,
    place: FloatArray,
    regions: Sequence[tuple[float, float, float]],
    *,
    radius: float = 2.0,
    strength: float = 2.0,
) -> Commands:
    """The commands of N characters at `place` (N, 2), with headings turned around regions within `radius` (m).

    Regions are circles on the ground: x, z and radius. Each that lies ahead pushes away from its border and along it,
    to the side on which the course passes; pushes fall to zero at `radius` from the border. Else as `keep_apart`.
    """
    full, direction = _directed(given, place, radius)
    push = np.zeros((len(place), 2))
    for region in regions:
        push += strength * _region_push(place, direction, region, radius)
    return _turned(full, direction, push)


def _directed(given: Commands, place: FloatArray, radius: float) -> tuple[Commands, FloatArray]:
    """The commands of all characters, and the direction (N,) of each: its heading, or to its place; NaN for none."""
    count = len(place)
    if place.shape != (count, 2):
        raise BadRequest(f"place: expected shape (N, 2), found {place.shape}")
    if not radius > 0:
        raise BadRequest(f"radius must be positive, found {radius}")
    full = broadcast(given, count)
    return full, np.where(np.isnan(full.place).any(1), full.heading, np.arctan2(*(full.place - place).T))


def _turned(full: Commands, direction: FloatArray, push: FloatArray) -> Commands:
    """The commands with pushes (N, 2) added to the directions."""
    pushed = ~np.isnan(direction) & (push != 0).any(1)
    pushed_direction = np.stack([np.sin(direction), np.cos(direction)], 1) + push
    heading = np.where(pushed, np.arctan2(pushed_direction[:, 0], pushed_direction[:, 1]), full.heading)
    return full._replace(heading=heading, place=np.where(pushed[:, None], np.nan, full.place))


def _pushes(place: FloatArray, radius: float) -> FloatArray:
    """(N, 2) the sum over neighbours of the unit vector away from them, times 1 - distance / radius."""
    from scipy.spatial import cKDTree

    out = np.zeros((len(place), 2))
    if len(place) < 2:
        return out
    pairs = np.sort(cKDTree(place).query_pairs(radius, output_type="ndarray"), axis=1)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    away = place[pairs[:, 0]] - place[pairs[:, 1]]
    far = np.linalg.norm(away, axis=1, keepdims=True)
    away = np.where(far > 1e-6, away / np.maximum(far, 1e-6), [1.0, 0.0]) * (1 - far / radius)
    np.add.at(out, pairs[:, 0], away)
    np.add.at(out, pairs[:, 1], -away)
    return out


def _region_push(
    place: FloatArray, direction: FloatArray, region: tuple[float, float, float], radius: float
) -> FloatArray:
    """(N, 2) along the border of a region and away from it, for characters ahead of which it lies within `radius`."""
    away = place - np.array(region[:2])
    far = np.linalg.norm(away, axis=1, keepdims=True)
    away = np.where(far > 1e-6, away / np.maximum(far, 1e-6), [1.0, 0.0])
    course = np.nan_to_num(np.stack([np.sin(direction), np.cos(direction)], 1))
    side = np.stack([away[:, 1], -away[:, 0]], 1)  # along the border
    side = side * np.where((side * course).sum(1, keepdims=True) >= 0, 1.0, -1.0)
    ahead = (away * course).sum(1, keepdims=True) < 0.3
    share = np.clip(1 - (far - region[2]) / radius, 0.0, 1.5)
    return np.where(ahead | (far < region[2]), share * (away + side), 0.0)


def replace_members(state: S, index: IntArray, members: S) -> S:
    """The state of a crowd with the characters `index` (n,) replaced by those of another state."""
    index = np.asarray(index, np.int64)
    both = join([state, members])
    count, new = state_count(state), state_count(members)
    if new != len(index) or (len(index) and not 0 <= index.min() <= index.max() < count):
        raise BadRequest(f"index: expected {new} characters from 0 to {count - 1}, found {index}")
    order = np.arange(count)
    order[index] = count + np.arange(len(index))
    return select(both, order)
