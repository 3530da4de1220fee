"""Recording a live character with its recipe, as `motionloom stream -o` writes it and `motionloom again` repeats it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any

from motionloom.control.foot_lock import foot_locked
from motionloom.control.order_warnings import warned_of_orders
from motionloom.control.overlaid import overlaid
from motionloom.control.queued import queued
from motionloom.control.record import record
from motionloom.control.script import follow, parse_order
from motionloom.control.stepping import run
from motionloom.control.varied import varied
from motionloom.core import BadRequest, Clip, Progress
from motionloom.core import replace as with_origin
from motionloom.core.limits import Limits
from motionloom.core.note import warning
from motionloom.core.origin import all_terms
from motionloom.core.watched import watched
from motionloom.methods.base import Model
from motionloom.methods.gaze import GazeModel
from motionloom.methods.live import Live, live_of, live_options
from motionloom.methods.recipe_steps import synthesis_step
from motionloom.methods.synthesis import signed

RATE = 60.0  # Hz


@watched
def stream_clip(
    model: Model[Any],
    seconds: float,
    *,
    rate: float = RATE,
    orders: Sequence[str] = (),
    seed: int = 0,
    lock: bool = True,
    options: Mapping[str, Any] | None = None,
    variation: Model[Any] | None = None,
    amount: float = 1.0,
    overlays: Mapping[str, Clip] | None = None,
    gaze: Model[Any] | None = None,
    lead: bool = False,
    progress: Progress | None = None,
) -> Clip:
    """So many seconds of one live character that follows `orders` (see `parse_order`), with its recipe.

    `options` are those of the model's live characters, as plain values. With `lock`, feet are held where they touch.
    `variation` is a model of takes whose variation is added, by this amount (see `varied`). `overlays` are actions that
    an order can splice on, `gaze` is a gaze map for orders to look somewhere; with `lead`, the gaze leads turns where
    there is nothing to look at (see `overlaid`).
    """
    Limits.current().check_length(seconds, rate)
    actions = dict(overlays or {})
    warnings = end_warnings(model, seconds)
    live, state = begin_stream(
        model,
        seed=seed,
        lock=lock,
        options=options,
        variation=variation,
        amount=amount,
        overlays=actions,
        gaze=gaze,
        lead=lead,
        warn=warnings.append,
    )
    timed = [parse_order(text, live) for text in orders]
    steps = repeat(1.0 / rate, max(1, round(seconds * rate)))
    taken = run(live, state, follow(timed), steps, progress=progress)
    clip = record(live, warned_of_orders(live, timed, taken, 1.0 / rate, warnings.append), rate)
    given = {"seconds": seconds, "rate": rate, "orders": list(orders), "lock": lock, "options": dict(options or {})}
    if variation is not None:
        given |= {"variation": "" if variation.file is None else variation.file.name, "amount": amount}
    if actions:
        given["overlays"] = list(actions)
    if gaze is not None:
        given |= {"gaze": "" if gaze.file is None else gaze.file.name, "lead": lead}
    edits = [{name: value} for name, value in given.items()]
    step = synthesis_step(model, "stream", seed=seed, edits=edits, clips=actions.values())
    for other, what in ((variation, "the model of its variation"), (gaze, "its gaze map")):
        if other is not None and other.file is None:
            step = replace(step, gap=f"{what} was not read from a file")
        elif other is not None and other.file is not None:
            step = replace(step, files=(*step.files, other.file))
    unread = next((name for name, action in actions.items() if action.origin.read is None), None)
    if unread is not None:
        step = replace(step, gap=f"the action {unread} was not read from a file")
    terms = all_terms([clip.origin.licence, *(action.origin.licence for action in actions.values())])
    notes = (*clip.origin.notes, *map(warning, warnings))
    clip = with_origin(clip, origin=replace(clip.origin, licence=terms, notes=notes))
    return signed(clip, model, step)


def end_warnings(model: Model[Any], seconds: float) -> list[str]:
    """A line if the motion of a model ends by itself before so many seconds have passed."""
    from motionloom.methods.space.model import SpaceModel

    if not isinstance(model, SpaceModel) or model.space.rows.cyclic:
        return []
    low, high = model.space.rows.durations.min(), model.space.rows.durations.max()
    if seconds <= low:
        return []
    return [f"this motion ends by itself, after {low:.2f} to {high:.2f} s, and the character keeps its last pose"]


def live_characters(model: Model[Any]) -> Live:
    """The live characters of a model: its method's own, or blocks of its clips that are made ahead."""
    return live_of(model) if hasattr(model, "live") else queued(model)


def begin_stream(
    model: Model[Any],
    *,
    seed: int = 0,
    lock: bool = True,
    options: Mapping[str, Any] | None = None,
    variation: Model[Any] | None = None,
    amount: float = 1.0,
    overlays: Mapping[str, Clip] | None = None,
    gaze: Model[Any] | None = None,
    lead: bool = False,
    warn: Callable[[str], object] | None = None,
) -> tuple[Live, Any]:
    """The live characters of a model, and the state of one before its first step; `warn` as for `overlaid`."""
    if gaze is not None and not isinstance(gaze, GazeModel):
        raise BadRequest(f"gaze: expected a gaze map, found a model of {gaze.method}")
    if lead and gaze is None:
        raise BadRequest("lead: expected a gaze map, which leads turns")
    live = live_characters(model)
    live = live if variation is None else varied(live, variation, amount=amount)
    live = overlaid(live, overlays or {}, gaze, lead=lead, warn=warn)
    live = foot_locked(live) if lock else live
    return live, live.begin([seed], options=live_options(model, options or {}))
