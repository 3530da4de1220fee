"""One tick of a live texture for one character, and the step for many: plain arrays, no checks.

A row of `state` is read and written in place; `step` in `live.py` has made a copy of it. Prices are in m^2, mean
squared distances of joints, as in `coherent/choose.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_rotation import turned_by, turned_left
from motionloom.methods._kernels_inertialize import decay, jump_hips, jump_joint
from motionloom.methods._kernels_live import (
    ACTION,
    EARLY,
    SPEED,
    changed,
    command_row,
    keep_tick,
    show_between,
    uniform,
)
from motionloom.methods._kernels_tracks import commanded_trajectory, move_track, place_hips, steering_turn
from motionloom.methods.live_actions import ANY

HALF_LIFE, RESPONSE, STEERING, INTERVAL = range(4)  # columns of `tuning`

JUMP = 10.0  # factor of the cost of a link
ANY_JUMP_COST = 0.003  # of any jump, besides
SPREAD = 0.8  # of the logarithm of the costs of links, to either side, which makes characters differ
STAY = 0.03  # of an interval without a jump; grows with the square of its length
EARLY_JUMP = 0.05  # of a jump in the first half of an interval
REPEAT = 0.05  # of a jump back to where the part has been lately
CLIP_END_COST = 0.05  # of a frame at the very end of its clip
WRONG_ACTION_COST = 0.005  # of a frame without the commanded action, for each tick since the command
PACE = 1.0  # s^2: of the squared difference from the commanded speed
NEAR_SPEED = 0.05  # m/s: a commanded speed this near to one that the clips hold is used as it is
MAKE_UP = 1.0  # s in which distance gained on the commanded speed is to be lost again
FORGET = 4.0  # s: the time constant with which that distance is forgotten
MAX_CHANGE = 0.15  # m/s: the speed that frames are chosen for differs from the commanded one by at most this
GUIDE = 0.1  # of the mean squared distance from the commanded trajectory
TURN = 0.5  # m^2: a direction counts as the place of a point this far ahead, squared
LIMB_MATCH_TICKS = 15.0  # ticks: how long a limb counts beside the parts chosen before it
SAME_SOURCE_COST = 0.005  # of a limb that comes from the same stretch as the legs, in each of these ticks


@kernel
def advance(tables: Any, commands: Any, state: Any, dt: float, root: Any, rotations: Any, contacts: Any) -> None:
    """All characters by `dt`, each by as many ticks as fall into it; then the poses between their last two ticks."""
    tick = tables.tick
    goals, given, used, wanted = np.empty((len(tables.times), 4)), np.empty(6), np.empty(6), np.empty(6)
    for k in range(len(state.time)):
        command_row(commands, k, given)
        used[:] = given
        used[SPEED] = nearest_held(tables.held[np.int64(given[ACTION])], given[SPEED])
        state.time[k] += dt
        while state.time[k] >= tick - EARLY:
            state.time[k] = max(0.0, state.time[k] - tick)
            state.asked[k] = 0 if changed(given, state.commanded[k]) else state.asked[k] + 1
            state.commanded[k] = given
            wanted[:] = used
            wanted[SPEED] = used[SPEED] - min(max(state.lead[k] / MAKE_UP, -MAX_CHANGE), MAX_CHANGE)
            one_tick(tables, state, k, wanted, goals)
            gained = (tables.pace[state.frame[k, 0]] - used[SPEED]) * tick
            known = state.asked[k] > 0 and not math.isnan(gained)
            state.lead[k] = (state.lead[k] + gained) * math.exp(-tick / FORGET) if known else 0.0
        show_between(state, k, state.time[k] / tick, root, rotations, contacts)


@kernel
def nearest_held(held: Any, speed: float) -> float:
    """The speed used for a commanded one: itself where one of those `held` is near, else the nearest; NaN for none."""
    if math.isnan(speed):
        return math.nan
    best = held[0]
    for other in held:
        if abs(other - speed) < abs(best - speed):
            best = other
    return speed if abs(best - speed) <= NEAR_SPEED else best


@kernel
def one_tick(tables: Any, state: Any, k: int, given: Any, goals: Any) -> None:
    """Choose the next frame of every part, the legs first, move the track, and show the pose."""
    tick, track, tuning = tables.tick, state.track[k], state.tuning[k]
    guided = commanded_trajectory(tables, given, state.frame[k, 0], track, tuning[RESPONSE], tick, goals)
    action = np.int64(given[ACTION])
    bit = ANY if action < 0 else np.uint64(1) << np.uint64(action)
    for p in range(state.frame.shape[1]):
        j = state.frame[k, p]
        b = best_move(tables, state, k, p, goals, guided, given[SPEED], bit)
        if b != j:
            leave(tables, state, k, p, j, b)
        state.since[k, p] += 1
        if p == 0:
            x, z = tables.step[b, 0], tables.step[b, 1]
            turn = steering_turn(goals, guided, x, z, tuning[STEERING], tuning[RESPONSE], tick)
            move_track(track, x, z, tables.step[b, 2] + turn)
        state.frame[k, p] = b + 1
    keep_tick(state, k)
    show(tables, state, k, tuning[HALF_LIFE], tick)


@kernel
def best_move(tables: Any, state: Any, k: int, p: int, goals: Any, guided: bool, speed: float, bit: Any) -> int:
    """The frame whose next one part p shows: its present frame j, or the link of j with the least price."""
    j, links = state.frame[k, p], tables.links[p]
    seed, draws = state.seed[k], state.draws[k]
    state.draws[k] += links.shape[1]
    interval = state.tuning[k, INTERVAL]
    age = state.since[k, p] / interval
    best, least = -1, math.inf
    if j < tables.last[j]:
        best = j
        least = fit(tables, state, k, p, j, goals, guided, speed) + STAY * age * age + lack(tables, state, k, j, bit)
        least += CLIP_END_COST * cramped(tables, j, interval)
    soon = EARLY_JUMP * max(0.0, 1.0 - 2.0 * age)
    for at in range(links.shape[1]):
        b = links[j, at]
        if b < 0 or tables.broken[b + 1]:
            continue
        noise = math.exp(SPREAD * (2.0 * uniform(seed, draws + at) - 1.0))
        price = JUMP * tables.costs[p, j, at] * noise + ANY_JUMP_COST + soon
        if price >= least:
            continue
        price += fit(tables, state, k, p, b, goals, guided, speed) + lack(tables, state, k, b, bit)
        price += CLIP_END_COST * cramped(tables, b, interval)
        for r in range(state.recent.shape[2]):
            if abs(state.recent[k, p, r] - b) < 0.5 * interval:
                price += REPEAT
        if price < least:
            best, least = b, price
    return best if best >= 0 else tables.first[j]


@kernel
def fit(tables: Any, state: Any, k: int, p: int, c: int, goals: Any, guided: bool, speed: float) -> float:
    """What example frame c costs now: the legs beside the commanded trajectory, a limb beside the parts before it."""
    if p == 0:
        if not guided:
            return 0.0
        total = 0.0
        for i in range(len(goals)):
            x, z = tables.ahead[c, i, 0] - goals[i, 0], tables.ahead[c, i, 1] - goals[i, 1]
            u, v = tables.ahead[c, i, 2] - goals[i, 2], tables.ahead[c, i, 3] - goals[i, 3]
            total += x * x + z * z + TURN * (u * u + v * v)
        off = tables.pace[c] - speed
        return GUIDE * total / len(goals) + (0.0 if math.isnan(off) else PACE * off * off)
    total = 0.0
    for m in range(3):
        later = m * tables.stride
        c_later = min(c + later, tables.last[c])
        for q in range(p):
            shown = state.frame[k, q] - 1  # those parts have made this tick already
            q_later = min(shown + later, tables.last[shown])
            gap = 0.0
            for d in range(tables.columns[q], tables.columns[q + 1]):
                off = tables.rows[q_later, d] - tables.rows[c_later, d]
                gap += off * off
            total += tables.weights[p, q] * gap
    total *= LIMB_MATCH_TICKS / 3.0
    legs = state.frame[k, 0] - 1
    if tables.last[legs] == tables.last[c] and abs(legs - c) <= 2 * tables.stride:
        total += LIMB_MATCH_TICKS * SAME_SOURCE_COST
    return total


@kernel
def lack(tables: Any, state: Any, k: int, c: int, bit: Any) -> float:
    """The price of the frame after c if it does not have the commanded action."""
    after = min(c + 1, tables.last[c])
    return 0.0 if tables.labels[after] & bit else WRONG_ACTION_COST * min(state.asked[k] + 1, 1000)


@kernel
def cramped(tables: Any, c: int, interval: float) -> float:
    """1 at the end of a clip, 0 where at least half an interval is left."""
    return max(0.0, 1.0 - (tables.last[c] - c) / (0.5 * interval))


@kernel
def leave(tables: Any, state: Any, k: int, p: int, j: int, b: int) -> None:
    """Part p jumps from j to b: its offsets keep the pose continuous."""
    if p == 0:
        jump_hips(tables, j, b, state.offsets[k, 0])
    for joint in range(len(tables.owner)):
        if tables.owner[joint] == p:
            jump_joint(tables, j, b, joint, tables.tick, state.offsets[k, 1 + joint])
    if state.since[k, p] > 0:
        for r in range(state.recent.shape[2] - 1, 0, -1):
            state.recent[k, p, r] = state.recent[k, p, r - 1]
        state.recent[k, p, 0] = j
    state.since[k, p] = 0


@kernel
def show(tables: Any, state: Any, k: int, half_life: float, tick: float) -> None:
    """The pose of the frames of all parts on the track, with offsets that decay by a tick."""
    decay(state.offsets[k], half_life, tick)
    place_hips(tables, state.frame[k, 0], state.track[k], state.offsets[k, 0, 0], state.root[k, 1])
    out = state.rotations[k, 1]
    for j in range(len(out)):
        turned_by(state.offsets[k, 1 + j, 0], tables.rotations[state.frame[k, tables.owner[j]], j], out[j])
    turned_left(state.track[k, 2], out[0], out[0])
    state.contacts[k, 1], state.shown[k, 1] = tables.contacts[state.frame[k, 0]], state.frame[k]


@kernel
def show_first(tables: Any, state: Any) -> None:
    """The poses of the first frames, as those of both ticks."""
    for k in range(len(state.time)):
        show(tables, state, k, 1.0, 0.0)
        keep_tick(state, k)
