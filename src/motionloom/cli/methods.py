"""`motionloom methods`: what each method does, honours and can be told."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.options import Json, columns, print_json, say

if TYPE_CHECKING:
    from motionloom.methods import Param


def methods(
    names: Annotated[list[str] | None, typer.Argument(metavar="[METHOD...]", help="Only these; all otherwise.")] = None,
    json: Json = False,
) -> None:
    """What each method does, which constraints it honours, and its settings for learning and for making."""
    from motionloom.core import BadRequest
    from motionloom.methods import METHODS

    for name in names or ():
        if name not in METHODS:
            near = get_close_matches(name, METHODS, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there is {', '.join(METHODS)}"
            raise BadRequest(f"there is no method {name!r}; {hint}")
    found = [_facts(name) for name in names or METHODS]
    if json:
        print_json(found)
        return
    for method in found:
        say(f"{method['name']}: {method['summary']}")
        kinds: dict[str, list[str]] = {}
        for h in method["honours"]:
            kinds.setdefault(h["constraint"], []).append(h["strength"])
        said = ", ".join(f"{kind} ({' or '.join(ways)})" for kind, ways in kinds.items())
        say(f"  honours {said or 'no constraints'}")
        for title, key in (("learning", "config"), ("making", "options")):
            rows = [(f"    {p['name']}", str(p["default"]), p["says"]) for p in method[key]]
            if rows:
                say("\n".join(columns((f"  {title}", "default", ""), rows, left=(0, 2))))
        say()


def _facts(name: str) -> dict[str, Any]:
    from motionloom.methods import METHODS, params

    module = METHODS[name].module()
    honours = [{"constraint": kind.key(), "strength": how} for kind, how in module.MODEL.honours]
    return {
        "name": name,
        "summary": METHODS[name].summary,
        "honours": honours,
        "config": [_setting(p) for p in params(module.Config)],
        "options": [_setting(p) for p in params(module.Options)],
    }


def _setting(p: Param) -> dict[str, Any]:
    return {
        "name": p.name,
        "type": p.type.__name__,
        "default": p.default,
        "unit": p.unit,
        "low": p.low,
        "high": p.high,
        "choices": list(p.choices),
        "says": p.describe(),
    }
