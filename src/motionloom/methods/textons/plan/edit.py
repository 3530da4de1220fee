"""Edits of a plan: textons swapped, inserted and deleted (LI 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, BoolArray, FloatArray
from motionloom.methods.textons.plan.notation import check_path, read_step
from motionloom.methods.textons.plan.pieces import TextonPlan, plan_of
from motionloom.methods.textons.plan.random_walk import SegmentWalk
from motionloom.methods.textons.plan.segment_choice import choose_pieces
from motionloom.methods.textons.plan.shortest_paths import probabilities


def swap_texton(walk: SegmentWalk, plan: TextonPlan, at: int, texton: int) -> TextonPlan:
    """The plan with another texton in place `at`; the others stay as they are, but bend to meet it."""
    return _splice(walk, plan, at, at + 1, texton)


def insert_texton(walk: SegmentWalk, plan: TextonPlan, at: int, texton: int) -> TextonPlan:
    """The plan with a texton more, before the one in place `at`; at the plan's length it becomes the last."""
    return _splice(walk, plan, at, at, texton)


def delete_texton(walk: SegmentWalk, plan: TextonPlan, at: int) -> TextonPlan:
    """The plan without the texton in place `at`; those around it meet, if the second may follow the first."""
    _check_place(plan, at, len(plan.pieces) - 1)
    if len(plan.pieces) == 1:
        raise BadRequest("a path has at least one texton: the last one cannot be deleted")
    before, after = plan.pieces[:at], plan.pieces[at + 1 :]
    check_path(walk.follows, [p.texton for p in (*before[-1:], *after[:1])], begin=max(at - 1, 0))
    return plan_of([*before, *after], plan.notes)


def _splice(walk: SegmentWalk, plan: TextonPlan, start: int, stop: int, texton: int) -> TextonPlan:
    _check_place(plan, start, len(plan.pieces) - (stop - start))
    read_step(walk.segments, str(texton), start)
    before, after = plan.pieces[:start], plan.pieces[stop:]
    around = [*(p.texton for p in before[-1:]), texton, *(p.texton for p in after[:1])]
    check_path(walk.follows, around, begin=max(start - 1, 0))
    own = [walk.piece(observed) for observed in walk.of[texton]]
    chosen = choose_pieces(walk, [*([p] for p in before[-1:]), own, *([p] for p in after[:1])])
    return plan_of([*before[:-1], *chosen, *after[1:]], plan.notes)


def _check_place(plan: TextonPlan, at: int, last: int) -> None:
    if not 0 <= at <= last:
        raise BadRequest(f"there is no place {at} in this path of {len(plan.pieces)} textons; expected 0 to {last}")


class EditChoices(NamedTuple):
    """The edits that are possible at one place of a path."""

    texton: int
    chance: float | None  # probability of the transition to the next; None for the last
    swap: tuple[int, ...]  # textons that may replace it
    insert: tuple[int, ...]  # textons that may come between this one and the next, or after the last
    delete: bool


def edit_choices(path: Sequence[int], may_follow: BoolArray, counts: FloatArray) -> list[EditChoices]:
    """The edits that are possible at each place of a path: `may_follow` (N, N) allows every new transition."""
    check_path(may_follow, path)
    chances = probabilities(counts)
    every = np.ones(len(may_follow), bool)
    out = []
    for k, texton in enumerate(path):
        last = k == len(path) - 1
        here = (may_follow[path[k - 1]] if k else every) & (every if last else may_follow[:, path[k + 1]])
        here[texton] = False
        between = may_follow[texton] & (every if last else may_follow[:, path[k + 1]])
        closes = k == 0 or last or bool(may_follow[path[k - 1], path[k + 1]])
        chance = None if last else float(chances[texton, path[k + 1]])
        swap, insert = (tuple(int(t) for t in np.flatnonzero(which)) for which in (here, between))
        out.append(EditChoices(texton, chance, swap, insert, closes and len(path) > 1))
    return out
