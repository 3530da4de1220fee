"""Textons frame by frame: a state that is stepped on, as live characters need it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from motionloom.core import BadRequest, Clip, NoPath
from motionloom.core.clip import concatenate
from motionloom.methods.textons import paths
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.joins import EDGE
from motionloom.methods.textons.pieces import Piece, cut
from motionloom.methods.textons.walking import Walk
from motionloom.methods.textons.weaving import Ground, Wash, carried, made, washed
from motionloom.rotation import slerp

if TYPE_CHECKING:
    from motionloom.methods.textons.model import TextonModel

WINDOW = 1.0  # s: frames cleaned at once: short, so that a command is heard soon


@dataclass(frozen=True, eq=False)
class State:
    """A motion in the making. It never changes: stepping twice from one state, with equal generators, is the same."""

    walk: Walk  # a copy is drawn from, never this one
    piece: Piece  # the last that was drawn; its frames are made when the next is known
    ground: Ground
    wash: Wash
    ready: Clip | None = None  # cleaned frames that were not passed yet
    time: float = 0.0  # s, since the first of them


def start(model: TextonModel, rng: Generator, options: Options) -> State:
    """The state before the first frame: at the origin, facing +z."""
    walk = Walk(model, options, rng)
    piece = walk.first()
    walk.go(piece)
    return State(walk, piece, Ground(atonce=0.0), Wash(window=WINDOW))


def step(model: TextonModel, state: State, command: int | None, dt: float, rng: Generator) -> tuple[State, Clip]:
    """The pose (a clip of one frame) `dt` seconds on. `command` is a texton to head for; None: any way.

    Textons are drawn a few seconds before they are seen (the next one must be known, and plants are cleaned with
    look-ahead), so a command is heard after about three seconds. The texton at hand is then left early where it comes
    near to the one that is headed for; else that is headed for along the best path.
    """
    if dt < 0:
        raise BadRequest(f"dt: time only goes on, found {dt:g} s")
    if command is not None and not 0 <= command < len(model.textons):
        raise BadRequest(f"command: there is no texton {command}; there are 0 to {len(model.textons) - 1}")
    time = state.time + dt
    while state.ready is None or time * model.fps > len(state.ready) - 2:
        state = _further(model, state, command, rng)
    assert state.ready is not None
    at = time * model.fps
    low = int(at)
    pose = _between(state.ready[low : low + 2], at - low)
    passed = max(0, low - 1)  # frames that no later pose needs
    return dataclasses.replace(state, ready=state.ready[passed:], time=time - passed / model.fps), pose


def _further(model: TextonModel, state: State, command: int | None, rng: Generator) -> State:
    """One more texton drawn, and the frames that are ready by that."""
    walk = state.walk.copy(rng)
    piece, ahead = _early(model, walk, state.piece, command) or (state.piece, None)
    following = ahead or _towards(model, walk, piece, command) or walk.step(piece)
    if following is None:
        raise NoPath(walk.stuck(piece, "the motion"))
    walk.go(following)
    raw, following = made(model, piece, following, rng, walk.options)
    assert following is not None
    ground, clip = carried(model, state.ground, raw, walk)
    wash, clean = (state.wash, []) if clip is None else washed(model, state.wash, clip)
    known = clean if state.ready is None else [state.ready, *clean]
    ready = concatenate(known) if known else None
    return dataclasses.replace(state, walk=walk, piece=following, ground=ground, wash=wash, ready=ready)


def _early(model: TextonModel, walk: Walk, piece: Piece, command: int | None) -> tuple[Piece, Piece] | None:
    """The piece, cut where it first comes near to the texton that is headed for, and what follows; None if never."""
    if command is None or piece.texton == command:
        return None
    exits = walk.exits
    begin = 0 if piece.span is None else piece.span[0]
    goals = np.isin(exits.target, model.of_texton(command))
    mine = np.flatnonzero((exits.source == piece.observed) & goals & (exits.frame - begin >= EDGE))
    if not len(mine):
        return None
    soonest = int(mine[exits.frame[mine].argmin()])
    whole = walk.piece(int(exits.target[soonest]))
    return cut(model, piece, int(exits.frame[soonest])), walk.varied(whole)


def _towards(model: TextonModel, walk: Walk, piece: Piece, command: int | None) -> Piece | None:
    """The next piece on the cheapest way to a texton; None if it is there already, or no way leads there."""
    if command is None or piece.texton == command:
        return None
    ways = []
    for goal in model.of_texton(command):
        try:
            ways.append(paths.cheapest_path(walk.joins.chances, piece.observed, goal))
        except NoPath:
            continue
    if not ways:
        return None
    best = max(ways, key=lambda way: paths.log_probability(walk.joins.chances, way))
    return walk.varied(walk.piece(best[1]))


def _between(two: Clip, share: float) -> Clip:
    """One frame between two."""
    root = two.root[0] + share * (two.root[-1] - two.root[0])
    turns = slerp(two.rotations[0], two.rotations[-1], np.full(len(two.skeleton), share))
    return dataclasses.replace(two[:1], root=root[None], rotations=turns[None])
