"""What a request gives of the result: keys of joints and of the root, and styles, on every level of the pyramid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from motionloom.constraints import Constraint, PoseAlong, PoseAt, Request, RootAt, RootPath, Style
from motionloom.core import BoolArray, FloatArray, Skeleton
from motionloom.kinematics.travel import without_heading
from motionloom.methods.texture.config import Options
from motionloom.methods.texture.faithful.pyramid import coarser, mean, mean_turn
from motionloom.methods.texture.paths import path_places
from motionloom.rotation import angle_between, slerp, yaw

NONE, HARD = -1.0, np.inf  # weights of a cell without a key and of a hard key
PLACE, HEIGHT, HEADING = 0, 1, 2  # channels of the root; its tilt is the rotation of joint 0


class Keys(NamedTuple):
    """Given values of F frames, with their weights: `NONE`, 0 or more (soft), or `HARD`."""

    turns: FloatArray  # (F, J, 4) local rotations; of joint 0 the tilt, at heading 0
    turn_weights: FloatArray  # (F, J)
    place: FloatArray  # (F, 2) m
    height: FloatArray  # (F,) m
    heading: FloatArray  # (F, 4) a turn about the vertical
    root_weights: FloatArray  # (F, 3) of place, height and heading


class Styles(NamedTuple):
    """Wanted values of G style channels in F frames."""

    targets: FloatArray  # (F, G) 0 to 1
    weights: FloatArray  # (F, G, J) importance times influence on each joint; 0: the channel does not count
    required: FloatArray  # (F, G, J) the least value that a candidate needs; 0: none


def no_keys(frames: int, joints: int) -> Keys:
    """Nothing is given."""
    turns, heading = np.zeros((frames, joints, 4)), np.zeros((frames, 4))
    turns[..., 0] = heading[..., 0] = 1.0
    weights, root_weights = np.full((frames, joints), NONE), np.full((frames, 3), NONE)
    return Keys(turns, weights, np.zeros((frames, 2)), np.zeros(frames), heading, root_weights)


def read_keys(request: Request, skeleton: Skeleton, frames: int, fps: float) -> Keys:
    """The keys of a request: poses, places, heights in the world, headings, and places along paths.

    A given start is a hard key of frame 0.
    """
    keys = no_keys(frames, len(skeleton))
    position, heading = request.given_beginning(frames, fps)
    for c in request.constraints:
        weight = HARD if c.weight is None else c.weight
        if isinstance(c, PoseAt):
            frame, target = c.frame(frames, fps), c.target(skeleton)
            for joint, turn in zip(target.joints, target.rotations, strict=True):
                value = turn if joint else without_heading(turn, skeleton)
                _set_turn(keys.turns, keys.turn_weights, (frame, joint), value, weight, c, skeleton)
            if target.height is not None:
                _set_root(keys.height, keys.root_weights, frame, HEIGHT, target.height, weight, c)
        elif isinstance(c, PoseAlong):
            own, joints = c.given(skeleton, frames, fps), c.chosen(skeleton)
            for k, frame in enumerate(c.frames(frames, fps)):
                for joint in joints:
                    turn = own.rotations[k, joint]
                    value = turn if joint else without_heading(turn, skeleton)
                    _set_turn(keys.turns, keys.turn_weights, (frame, joint), value, weight, c, skeleton)
                if 0 in joints:
                    _set_root(keys.height, keys.root_weights, frame, HEIGHT, own.root[k, 1], weight, c)
        elif isinstance(c, RootAt):
            frame = c.frame(frames, fps)
            if c.position is not None:
                _set_root(keys.place, keys.root_weights, frame, PLACE, np.array(c.position), weight, c)
            if c.height is not None:
                _set_root(keys.height, keys.root_weights, frame, HEIGHT, c.height, weight, c)
            if c.heading is not None:
                _set_root(keys.heading, keys.root_weights, frame, HEADING, yaw(c.heading), weight, c)
        elif isinstance(c, RootPath):
            for frame, place in path_places(c, frames, fps).items():
                _set_root(keys.place, keys.root_weights, frame, PLACE, place, weight, c)
    if request.start is not None:  # a root_at at time 0 takes precedence
        if keys.root_weights[0, PLACE] != HARD and position is not None:
            keys.place[0], keys.root_weights[0, PLACE] = position, HARD
        if keys.root_weights[0, HEADING] != HARD and heading is not None:
            keys.heading[0], keys.root_weights[0, HEADING] = yaw(heading), HARD
    return keys


def _set_turn(
    values: FloatArray,
    weights: FloatArray,
    cell: tuple[int, int],
    value: FloatArray,
    weight: float,
    asked: Constraint,
    skeleton: Skeleton,
) -> None:
    if weights[cell] == HARD and weight == HARD and angle_between(values[cell], value) > 1e-9:
        raise asked.problem(f"{skeleton.names[cell[1]]} has another hard value at frame {cell[0]}")
    if weight >= weights[cell]:
        values[cell], weights[cell] = value, weight


def _set_root(
    values: FloatArray, weights: FloatArray, frame: int, channel: int, value: Any, weight: float, asked: Constraint
) -> None:
    cell = (frame, channel)
    if weights[cell] == HARD and weight == HARD and _differ(values[frame], value, channel):
        name = ("place", "height", "heading")[channel]
        raise asked.problem(f"the {name} of the root has another hard value at frame {frame}")
    if weight >= weights[cell]:
        values[frame], weights[cell] = value, weight


def _differ(value: FloatArray, other: Any, channel: int) -> bool:
    if channel == HEADING:  # 180 and -180 degrees are one heading
        return bool(angle_between(value, other) > 1e-9)
    return bool(np.abs(value - other).max() > 1e-9)


def key_levels(keys: Keys, options: Options) -> list[Keys]:
    """The keys on each level, the finest first. Coarser ones are soft, with a share of the weight (EDEN 3.6.3)."""
    out = [keys]
    for _ in range(1, options.levels):
        fine = out[-1]
        turns, _ = coarser(fine.turns, fine.turn_weights >= 0, mean_turn)
        place, _ = coarser(fine.place, fine.root_weights[:, PLACE] >= 0, mean)
        height, _ = coarser(fine.height, fine.root_weights[:, HEIGHT] >= 0, mean)
        heading, _ = coarser(fine.heading, fine.root_weights[:, HEADING] >= 0, mean_turn)
        weights = [_coarser_weights(w, options) for w in (fine.turn_weights, fine.root_weights)]
        out.append(Keys(turns, weights[0], place, height, heading, weights[1]))
    return out


def _coarser_weights(weights: FloatArray, options: Options) -> FloatArray:
    given = weights >= 0
    soft = np.where(weights == HARD, options.hard_key_weight, weights)
    values, has = coarser(np.where(given, soft, 0.0), given, mean)
    return np.where(has, options.key_share * values, NONE)


def interpolated(keys: Keys) -> Keys:
    """The same keys with every channel interpolated between each key and its next; weights are as they were."""
    turns = keys.turns.copy()
    for j in range(turns.shape[1]):
        turns[:, j] = _between(keys.turns[:, j], keys.turn_weights[:, j], slerp)
    place = _between(keys.place, keys.root_weights[:, PLACE], _lerp)
    height = _between(keys.height[:, None], keys.root_weights[:, HEIGHT], _lerp)[:, 0]
    heading = _between(keys.heading, keys.root_weights[:, HEADING], slerp)
    return keys._replace(turns=turns, place=place, height=height, heading=heading)


def filled_cells(weights: FloatArray, between: bool) -> BoolArray:
    """(F, ...) cells with a key; with `between` also those from the first to the last key of their row."""
    given = weights >= 0
    if not between:
        return np.asarray(given)
    return np.asarray(np.logical_or.accumulate(given, 0) & np.logical_or.accumulate(given[::-1], 0)[::-1])


def _lerp(a: FloatArray, b: FloatArray, t: FloatArray) -> FloatArray:
    return a + t[:, None] * (b - a)


def _between(values: FloatArray, weights: FloatArray, blend: Callable[..., FloatArray]) -> FloatArray:
    at = np.flatnonzero(weights >= 0)
    out = values.copy()
    for a, b in pairwise(at.tolist()):
        t = np.arange(1, b - a) / (b - a)
        if len(t):
            ends = np.repeat(values[a][None], len(t), 0), np.repeat(values[b][None], len(t), 0)
            out[a + 1 : b] = blend(*ends, t)
    return out


def read_styles(asked: Iterable[Style], names: Sequence[str], skeleton: Skeleton, frames: int, fps: float) -> Styles:
    """The wanted styles of each frame (EDEN 3.5).

    In a frame with a style, channels that are not wanted have the target 0; in other frames no channel counts.
    """
    joints = len(skeleton)
    targets, most = np.zeros((frames, len(names))), np.zeros((frames, joints))
    weights, required = np.zeros((frames, len(names), joints)), np.zeros((frames, len(names), joints))
    for style in asked:
        span, channel = style.frames(frames, fps), names.index(style.label)
        influence = style.influence(skeleton)
        strength = style.importance * (1.0 if style.weight is None else style.weight) * influence
        rows = slice(span.start, span.stop)
        targets[rows, channel] = 1.0
        weights[rows, channel] = np.maximum(weights[rows, channel], strength)
        most[rows] = np.maximum(most[rows], strength)
        if style.hard:
            required[rows, channel, influence > 0] = 0.5
    others = (targets == 0.0)[..., None] * most[:, None, :]
    return Styles(targets, weights + others, required)


def style_levels(styles: Styles, levels: int) -> list[Styles]:
    """The styles on each level, the finest first (EDEN 3.6.4)."""
    out = [styles]
    for _ in range(1, levels):
        fine = out[-1]
        whole = np.ones(len(fine.targets), bool)
        counts = np.asarray((fine.weights > 0).any(2))
        targets, _ = coarser(fine.targets[..., None], counts, mean)
        weights, _ = coarser(fine.weights, whole, mean)
        required, _ = coarser(fine.required, whole, mean)
        out.append(Styles(targets[..., 0], weights, np.where(required > 0.25, 0.5, 0.0)))
    return out
