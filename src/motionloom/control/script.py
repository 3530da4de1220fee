"""Timed commands of one character, parsed from text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, cast

from motionloom.control.stepping import Steered
from motionloom.core import BadRequest
from motionloom.core.poses import Commands, Poses, commands
from motionloom.core.units import UNITS, angle, duration, in_kind, length
from motionloom.methods.live import Live, not_accepted
from motionloom.methods.space.space import SpaceParameter


class TimedCommand(NamedTuple):
    """Commands from a time on."""

    time: float  # s
    given: Commands


def parse_order(text: str, live: Live) -> TimedCommand:
    """A timed command like `3: heading 90deg, speed 1.4` or `0: place 2 3.5, action run`; at 0 s if without a time.

    Names are the fields of `Commands`; an action is given by its name. What the method does not accept is an error.
    `values 30deg/s 1.6` are all parameters in their order, `values speed 1.6` some by their names.
    """
    head, colon, rest = text.partition(":")
    time = duration(head.strip(), ("command", "time")) if colon else 0.0
    fields: dict[str, float | int | list[float]] = {}
    given: list[str] | None = None
    for part in (p.split() for p in (rest if colon else text).split(",") if p.strip()):
        name, values = part[0], part[1:]
        if name not in live.accepts:
            raise not_accepted(name, live.accepts)
        if name == "values":
            given = values
        else:
            fields[name] = _value(name, values, live)
    if given is not None:  # after the action whose parameters they are
        fields["values"] = _parameter_values(given, live, int(cast(int, fields.get("action", -1))))
    if not fields:
        raise BadRequest(f"expected a command like `3: heading 90deg, speed 1.4`, found {text!r}")
    return TimedCommand(time, commands(**fields))


def _value(name: str, values: Sequence[str], live: Live) -> float | int | list[float]:
    where = ("command", name)
    if name == "look" and values == ["none"]:
        return [math.nan] * 3
    count = {"place": 2, "look": 3, "target": 3}.get(name, 1)
    if len(values) != count and name not in ("action", "overlay"):
        raise BadRequest(f"command {name}: expected {count} value{'s' if count > 1 else ''}, found {len(values)}")
    if name in ("action", "overlay"):
        known = live.actions if name == "action" else getattr(live, "overlays", ())
        action = " ".join(values)
        if action == "none" and name == "overlay":
            return -1
        if action not in known:
            raise BadRequest(f"there is no {name} {action!r}; there are: {', '.join(known) or 'none'}")
        return known.index(action)
    if name in ("heading", "facing"):
        return angle(values[0], where)
    if name in ("place", "look", "target"):
        return [length(v, where) for v in values]
    return in_kind(values[0], "speed", where)


def _parameter_values(words: Sequence[str], live: Live, action: int) -> list[float]:
    """The numbers of an order `values`: those of all parameters in their order, or of some, each after its name."""
    known: Sequence[SpaceParameter] = live.parameters(action)  # type: ignore[attr-defined]
    names = [p.name for p in known]
    if not words or words[0] in names:
        chosen = [name for name in words if name in names]
        if not chosen or len(set(chosen)) < len(chosen):
            raise BadRequest(f"command values: expected a value for each of some of {', '.join(names)}, found "
                             f"{' '.join(words) or 'none'}")  # fmt: skip
        found = {}
        for i, name in enumerate(chosen):
            end = words.index(chosen[i + 1]) if i + 1 < len(chosen) else len(words)
            found[name] = words[words.index(name) + 1 : end]
        return [x for p in known for x in (_in_unit(p, found[p.name]) if p.name in found else [math.nan] * p.size)]
    size = sum(p.size for p in known)
    if len(words) != size:
        wanted = ", ".join(p.name if p.size == 1 else f"{p.name} (3)" for p in known)
        raise BadRequest(f"command values: expected {size} ({wanted}), found {len(words)}; some are given by their "
                         f"names, as `values {names[0]} ...`")  # fmt: skip
    rest, result = list(words), list[float]()
    for p in known:
        result += _in_unit(p, rest[: p.size])
        del rest[: p.size]
    return result


def _in_unit(parameter: SpaceParameter, words: Sequence[str]) -> list[float]:
    """The values of one parameter in its unit; angles need theirs."""
    where = ("command", "values", parameter.name)
    if len(words) != parameter.size:
        raise BadRequest(
            f"expected {parameter.size} value{'s' * (parameter.size > 1)}, found {len(words)}", where=where
        )
    kind = UNITS.get(parameter.unit, ("number", 1.0))[0]
    return [in_kind(word, kind, where) for word in words]


def follow(orders: Sequence[TimedCommand]) -> Steered:
    """The latest command at every time; none before the first."""
    ordered = sorted(orders, key=lambda order: order.time)

    def steer(time: float, poses: Poses | None) -> Commands:
        now = [order for order in ordered if order.time <= time + 1e-9]
        return now[-1].given if now else commands()

    return steer
