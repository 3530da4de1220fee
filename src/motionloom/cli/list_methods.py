"""`motionloom methods`: list the methods, the constraints they honour, and their settings."""

from __future__ import annotations

from typing import Annotated

from motionloom.cli.flags import argument
from motionloom.cli.options import Json, columns, print_json, print_line


def methods(
    names: Annotated[list[str] | None, argument("[METHOD...]", "Only these methods; by default all.")] = None,
    json: Json = False,
) -> None:
    """List the methods with the constraints they honour and their settings for learning and synthesis."""
    from motionloom.methods import METHODS, describe
    from motionloom.methods.request_check import honoured

    found = [describe(name) for name in names or METHODS]
    if json:
        print_json([method.as_dict() for method in found])
        return
    for method in found:
        print_line(f"{method.name}: {method.method.summary}")
        print_line(f"  honours {honoured(method.honours)}")
        if method.live_commands:
            print_line(f"  live characters accept {', '.join(method.live_commands)}")
        shown = (("learning", method.config), ("synthesis", method.options), ("live", method.live_options))
        for title, fields in shown:
            ordered = sorted(fields, key=lambda field: field.advanced)
            rows = [(f"    {f.name}{' *' * f.advanced}", f.default_text() or "none", f.describe()) for f in ordered]
            if rows:
                print_line("\n".join(columns((f"  {title}", "default", ""), rows, left=(0, 2))))
        print_line()
    print_line("* advanced: rarely changed")
