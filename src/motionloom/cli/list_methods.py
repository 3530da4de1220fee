"""`motionloom methods`: what each method does, which constraints it honours, and its settings."""

from __future__ import annotations

from typing import Annotated

import typer

from motionloom.cli.options import Json, columns, print_json, say


def methods(
    names: Annotated[list[str] | None, typer.Argument(metavar="[METHOD...]", help="Only these; all otherwise.")] = None,
    json: Json = False,
) -> None:
    """What each method does, which constraints it honours, and its settings for learning and for making."""
    from motionloom.methods import METHODS, describe
    from motionloom.methods.checking import honoured

    found = [describe(name) for name in names or METHODS]
    if json:
        print_json([method.as_dict() for method in found])
        return
    for method in found:
        say(f"{method.name}: {method.method.summary}")
        say(f"  honours {honoured(method.honours)}")
        for title, fields in (("learning", method.config), ("synthesis", method.options)):
            ordered = sorted(fields, key=lambda field: field.advanced)
            rows = [(f"    {f.name}{' *' * f.advanced}", f.default_text() or "none", f.describe()) for f in ordered]
            if rows:
                say("\n".join(columns((f"  {title}", "default", ""), rows, left=(0, 2))))
        say()
    say("* advanced: most people never change it")
