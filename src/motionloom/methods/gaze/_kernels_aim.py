"""Compiled aiming: displacements of spine, neck, head and eyes that turn a gaze to a target."""

from __future__ import annotations

import math
from typing import Any

from motionloom.core._jit import kernel
from motionloom.kinematics.feet._kernels_two_bone import (
    add,
    between,
    exp,
    inverse,
    log,
    minus,
    multiply,
    norm,
    normalize,
    rotate,
    scaled,
)

EYE_LIMIT = math.radians(50.0)  # an eye turns no farther in the head; the neck does the rest
EASE = math.radians(4.0)  # before its limit, an eye or a neck slows down: speeds do not jump
NECK_LIMIT = math.radians(90.0)  # neck and head turn no farther on the trunk, except as far as an example does
NOD_LIMIT = math.radians(60.0)  # of which this much is up or down
TRUNK_LIMIT = math.radians(30.0)  # where eyes and neck do not reach a target, the spine turns this much farther
ROUNDS = 4  # the eyes move with the head, so the direction to a near point is found again, until it is met
FARTHER = 2.0  # a target nearer than so many times that movement is looked at as if it were so far: no flips
MET = 1e-12  # by a direction that is no longer changed


@kernel
def quaternion(row: Any) -> Any:
    return (row[0], row[1], row[2], row[3])


@kernel
def vector(row: Any) -> Any:
    return (row[0], row[1], row[2])


@kernel
def eased(angle: float, limit: float) -> float:
    """The angle up to a limit, then ever less of it, up to `EASE` more: C1."""
    over = angle - limit
    if over <= 0.0:
        return angle
    return limit + EASE if over >= 2.0 * EASE else angle - over * over / (4.0 * EASE)


@kernel
def forward(body: Any, root: Any, turns: Any, places: Any, world: Any) -> None:
    """World rotations and places of the joints from the root to the eyes."""
    parents, offsets, trunk = body[0], body[1], body[2]
    for j in trunk:
        own = quaternion(turns[j])
        p = parents[j]
        if p < 0:
            place, turn = vector(root), own
        else:
            above = quaternion(world[p])
            place = add(vector(places[p]), rotate(above, vector(offsets[j])))
            turn = multiply(above, own)
        for k in range(3):
            places[j, k] = place[k]
        for k in range(4):
            world[j, k] = turn[k]


@kernel
def eye_place(body: Any, places: Any) -> Any:
    eyes = body[5]
    point = (0.0, 0.0, 0.0)
    for j in eyes:
        point = add(point, vector(places[j]))
    return scaled(point, 1.0 / len(eyes))


@kernel
def look_direction(body: Any, world: Any) -> Any:
    """The direction of the gaze."""
    look = (0.0, 0.0, 0.0)
    for k in range(len(body[5])):
        look = add(look, rotate(quaternion(world[body[5][k]]), vector(body[6][k])))
    return scaled(look, 1.0 / max(norm(look), 1e-9))


@kernel
def own_turn(shares: Any, vectors: Any, c: int) -> Any:
    """The rotation vector that joint c of the chain takes of the displacements (5, 3)."""
    v = (0.0, 0.0, 0.0)
    for k in range(4):
        if shares[c, k] != 0.0:
            v = add(v, scaled(vector(vectors[k]), shares[c, k]))
    return v


@kernel
def displace(body: Any, frame: Any, world: Any, turns: Any, vectors: Any, out: Any) -> None:
    """Local rotations `out` of chain and eyes: q' = (G_p^-1 F d F^-1 G_p) q, with G of the undisplaced pose."""
    parents, chain, shares, eyes, has_eyes = body[0], body[3], body[4], body[5], body[7]
    count = len(chain) + (len(eyes) if has_eyes else 0)
    for c in range(count):
        if c < len(chain):
            j, v = chain[c], own_turn(shares, vectors, c)
        else:
            j, v = eyes[c - len(chain)], vector(vectors[4])
        p = parents[j]
        side = multiply(inverse(frame), quaternion(world[p])) if p >= 0 else inverse(frame)
        made = normalize(multiply(multiply(inverse(side), multiply(exp(v), side)), quaternion(turns[j])))
        for k in range(4):
            out[j, k] = made[k]


@kernel
def turn_joints(body: Any, frame: Any, world: Any, turns: Any, vectors: Any, moved: Any) -> None:
    """`displace` in place."""
    displace(body, frame, world, turns, vectors, moved)
    for j in body[3]:
        turns[j] = moved[j]
    if body[7]:
        for j in body[5]:
            turns[j] = moved[j]


@kernel
def missing_turn(body: Any, base: Any, line: Any, goal: Any, limit: float) -> Any:
    """What is missing from the displacements to the direction: of the eyes, and the whole of the neck."""
    frame, look = base
    turn = exp(own_turn(body[4], goal, 0))
    for c in range(1, len(body[3])):
        turn = multiply(turn, exp(own_turn(body[4], goal, c)))
    whole = multiply(frame, multiply(turn, inverse(frame)))
    left = rotate(inverse(frame), log(between(look, rotate(inverse(whole), line))))
    size = max(norm(left), 1e-12)
    part = eased(size, limit - EASE) / size if body[7] else 0.0
    return scaled(left, part), log(multiply(exp(vector(goal[3])), exp(scaled(left, 1.0 - part))))


@kernel
def within_neck(bent: Any, own: Any, limit: float, spare: float) -> Any:
    """A turn of the neck within its limits, or those of the map's own turn; `spare` is how far they are widened."""
    nod = max(NOD_LIMIT - 2.0 * EASE, abs(own[0])) + spare
    bent = (math.copysign(eased(abs(bent[0]), nod), bent[0]), bent[1], bent[2])
    size = max(norm(bent), 1e-12)
    whole = max(NECK_LIMIT + EYE_LIMIT - limit - 2.0 * EASE, norm(own)) + spare
    return scaled(bent, eased(size, whole) / size)


@kernel
def aim_goal(
    body: Any, base: Any, root: Any, turns: Any, world: Any, line: Any, point: Any, near: bool, rest: Any, goal: Any
) -> None:
    """Displacements `goal` (5, 3) that hit the target: by the eyes, beyond their limit the neck, beyond its the spine.

    A head without eyes turns farther by what they would.
    """
    limit = EYE_LIMIT if body[7] else 0.0
    spine = TRUNK_LIMIT if body[4][0, 3] == 0.0 else 0.0  # a body without spine has its shares in the neck
    lowest, middle, upper, neck = vector(goal[0]), vector(goal[1]), vector(goal[2]), vector(goal[3])
    places, moved, other = rest
    eye, straight = eye_place(body, places), line
    away = norm(minus(point, eye))
    for _ in range(ROUNDS if near else 1):
        for k in range(3):
            goal[0, k], goal[1, k], goal[2, k], goal[3, k] = lowest[k], middle[k], upper[k], neck[k]
        seen, bent = missing_turn(body, base, line, goal, limit)
        held = within_neck(bent, neck, limit, 0.0)
        beyond = log(multiply(exp(bent), inverse(exp(held))))
        size = norm(beyond)
        if size > 1e-12:
            part = eased(size, spine) / (3.0 * size) if spine > 0.0 else 0.0
            for k in range(3):
                for i in range(3):
                    goal[i, k] += part * beyond[k]
            seen, bent = missing_turn(body, base, line, goal, limit)
            held = within_neck(bent, neck, limit, EASE)
        for k in range(3):
            goal[3, k], goal[4, k] = held[k], seen[k]
        if near:
            displace(body, base[0], world, turns, goal, moved)
            forward(body, root, moved, places, other)
            before, now = line, eye_place(body, places)
            line = minus(add(eye, scaled(straight, max(away, FARTHER * norm(minus(now, eye))))), now)
            line = scaled(line, 1.0 / max(norm(line), 1e-9))
            if norm(minus(line, before)) < MET:
                break
