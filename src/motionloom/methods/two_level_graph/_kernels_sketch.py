"""Compiled evaluation of the motions of many cluster paths along a sketch. Plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.core._jit import kernel

X, Z, HEADING, ALONG, COST, WHOLE, AHEAD, GONE, USED, NODE, HALTED = range(11)  # columns of what `try_motions` returns


class SketchMoves(NamedTuple):
    """Displacements of the graph on the ground: see `GroundMoves`."""

    step: Any  # (N, 3)
    leave: Any  # (T,)
    enter: Any  # (T,)
    over: Any  # (T, 2 half, 2)
    turn: Any  # (T,)


class SketchPath(NamedTuple):
    """The path, and its timing."""

    line: Any  # (M, 2)
    spacing: float
    least: float  # m: least advance in a frame
    frames: int  # of the result; 0: any number
    even: float  # weight of an even pace
    keep: int  # frames of each motion that are kept
    back: int  # frames over which the direction at the end is measured
    outlook: float  # extrapolation, as a multiple of `back`


@kernel
def try_motions(
    moves: Any, wanted: Any, start: int, first: Any, taken: Any, frames: Any, begin: Any, shown: int
) -> Any:
    """(C, 11) for each of C motions from one frame: the body after `keep` frames, and the cost of the motion.

    Motion c takes transitions taken[first[c] : first[c + 1]] and is frames[c] long, the first frame included. begin: x,
    z, heading, metres along the path; `shown` frames came before. X .. ALONG: the body at the first frame after `keep`
    outside of blends (or at the end), COST: the sum of |P'(s) - P(s)|^2 up to there (GUAN eq. 2.15), WHOLE: of the
    whole motion, AHEAD: of the extrapolated point, GONE: frames kept, USED: transitions, NODE: the frame there. HALTED:
    the path ended within the motion; then X .. GONE are those of that frame, and USED counts those begun. About 20 ns a
    frame. The slow version is `slow_way` in tests/methods/two_level_graph/test_sketch.py.
    """
    out = np.zeros((len(frames), 11))
    last = len(wanted.line) - 1
    end = last * wanted.spacing
    blend = moves.over.shape[1]
    longest = 0
    for c in range(len(frames)):
        longest = max(longest, frames[c])
    track = np.empty((longest, 2))
    for c in range(len(frames)):
        node, k, gone = start, first[c], 0
        x, z, h, s = begin[0], begin[1], begin[2], begin[3]
        cost, kept, halted = 0.0, False, False
        track[0, 0], track[0, 1] = x, z
        while gone < frames[c] - 1 and not halted:
            over = k < first[c + 1] and moves.leave[taken[k]] == node
            bx, bz, ch, sh = x, z, np.cos(h), np.sin(h)
            for i in range(blend if over else 1):
                dx, dz = moves.step[node, 0], moves.step[node, 1]
                if over:
                    dx, dz = moves.over[taken[k], i, 0], moves.over[taken[k], i, 1]
                nx, nz = bx + ch * dx + sh * dz, bz + ch * dz - sh * dx
                s += max(wanted.least, np.hypot(nx - x, nz - z))
                x, z = nx, nz
                gone += 1
                track[gone, 0], track[gone, 1] = x, z
                cost += _off(wanted, x, z, s, shown + gone)
                if wanted.frames == 0 and s >= end:
                    halted = True
                    break
            if over:
                h += moves.turn[taken[k]]
                node = moves.enter[taken[k]]
                k += 1
            else:
                h += moves.step[node, 2]
                node += 1
            if halted or (not kept and (gone >= wanted.keep or gone >= frames[c] - 1)):
                kept = True
                out[c, X], out[c, Z], out[c, HEADING], out[c, ALONG], out[c, COST] = x, z, h, s, cost
                out[c, GONE], out[c, USED], out[c, NODE] = gone, k - first[c], node
        out[c, WHOLE], out[c, HALTED] = cost, halted
        back = min(wanted.back, gone)
        if back > 0:
            dx = (x - track[gone - back, 0]) * wanted.outlook / back * wanted.back
            dz = (z - track[gone - back, 1]) * wanted.outlook / back * wanted.back
            out[c, AHEAD] = _off(wanted, x + dx, z + dz, s + np.hypot(dx, dz), 0 if wanted.frames == 0 else -1)
    return out


@kernel
def _off(wanted: Any, x: float, z: float, s: float, frame: int) -> Any:
    """|P' - P(s)|^2, plus a small cost of being early or late where the duration is given."""
    last = len(wanted.line) - 1
    at = min(s / wanted.spacing, float(last))
    k = min(int(at), last - 1)
    part = at - k
    dx = x - (wanted.line[k, 0] + part * (wanted.line[k + 1, 0] - wanted.line[k, 0]))
    dz = z - (wanted.line[k, 1] + part * (wanted.line[k + 1, 1] - wanted.line[k, 1]))
    late = 0.0
    if wanted.frames > 0 and frame >= 0:
        late = min(s, last * wanted.spacing) - last * wanted.spacing * frame / max(1, wanted.frames - 1)
    return dx * dx + dz * dz + wanted.even * late * late
