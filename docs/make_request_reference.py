"""Writes docs/reference/request.md and a picture of every constraint: python docs/make_request_reference.py

Text, fields, units, limits and the methods that honour a constraint come from the code; a test compares the page with
what this script makes.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import yaml

from motionloom.constraints import KINDS, PARAMETERS, Constraint, Request, Start
from motionloom.core.fields import Field, fields_of
from motionloom.methods import METHODS, describe

HERE = Path(__file__).parent
PAGE = HERE / "reference" / "request.md"

INTRO = """# The request language

<!-- Made from the code by docs/make_request_reference.py: edit the code or that script, and run it. -->

A request describes the motion that you want. It is YAML, in a file or on the command line, or a `Request` in Python:

```yaml
seconds: 12
start: {position: [0, 0], heading: 90deg}
constraints:
- root_path: {points: [[0, 0], [3, 0], [5, 2]], weight: 1}
- style: {label: walk}
- look_at: {target: [4, 1.5, 4], span: [2, 5], weight: 0.5}
```

- **Units.** Bare numbers are metres, seconds and metres per second. `90cm`, `200ms`, `1.2m/s` and `120f` (frames of the
  result) may be written. An angle needs its unit: `35deg` or `0.6rad`.
- **Times** count from the start of the result; `end` is its last frame, `end-2` two seconds before it, `90f` frame 90.
  A span `[from, to]` leaves out its end.
- **Places** on the ground are `[x, z]`, points `[x, y, z]`; y is up. Heading 0 faces +z, positive turns left.
- **Joints** are named by role (`left_hand`), by their name in the file, or as a group (`left_arm`, `upper`, `all`).
- **Hard or soft.** Without a `weight` a constraint is hard: it is met within its `tolerance`, or nothing is written and
  the command exits with 1. With a `weight` it is soft: the result comes as close as the method can, and the residual is
  reported.
- **Residual.** Every constraint measures how far a clip is from it, in its own unit. Methods, tests and `evaluate` use
  the same residual.
- A constraint that a method does not honour is rejected before any work. Below, each constraint lists the methods that
  honour it.
"""

REQUEST: Mapping[str, tuple[str, str]] = {
    "seconds": ("duration", "length; give `seconds` or `frames`, or neither where the method has a natural end"),
    "frames": ("whole number", "length of the result in frames"),
    "fps": ("frames/s", "frame rate of the result; by default that of the model"),
    "start": ("table", "where the hips are in frame 0, and their heading; by default the origin and heading 0"),
    "options": ("table", "settings of the method for this synthesis; `motionloom methods METHOD` lists them"),
    "ground": ("table", "`{heights: ground.csv}`: uneven ground, for methods that support it"),
    "parameters": ("table", "motion parameters of the whole result, such as `{speed: 1.4, turn: 35deg}`"),
    "constraints": ("list", "the constraints below, each `- name: {field: value, ...}`"),
}
INTERNAL = {"table"}  # fields of Request that a file cannot set


def row(*cells: str) -> str:
    """One line of a table; bars inside cells are escaped."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def field_row(field: Field) -> str:
    """A field of a constraint: name, kind of value, unit, default, limits, meaning."""
    unit = {"rad": "angle"}.get(field.unit, field.unit) or "–"
    default = "required" if field.required else f"`{field.default_text()}`" if field.default_text() else "none"
    text = field.describe()
    limits = ""
    if text.endswith("]") and text.startswith(field.help + " ["):
        limits = text[len(field.help) + 2 : -1]
    return row(f"`{field.name}`", field.kind.name, unit, default, field.help, limits or "–")


def field_table(kind: type) -> list[str]:
    """The fields of a described class as a table."""
    head = [row("field", "value", "unit", "default", "meaning", "limits"), row(*["---"] * 6)]
    ordered = sorted(fields_of(kind), key=lambda field: field.name == "weight")  # the one that all share comes last
    return [*head, *(field_row(field) for field in ordered)]


def honoured_by(kind: type[Constraint]) -> str:
    """The methods that honour a constraint, hard or soft or both."""
    found = []
    for name in sorted(METHODS):
        strengths = [strength for k, strength in describe(name).honours if k is kind]
        if strengths:
            found.append(f"`{name}` ({' and '.join(strengths)})")
    return ", ".join(found) if found else "no method yet; `evaluate` measures it on any clip"


def example(constraint: Constraint) -> str:
    """The constraint as a request writes it."""
    plain = {constraint.key(): constraint.to_plain()}
    return yaml.safe_dump([plain], sort_keys=False, default_flow_style=None, width=100, allow_unicode=True).strip()


def section(kind: type[Constraint], shown: Constraint) -> list[str]:
    """One constraint: description, picture, fields, an example, and who honours it."""
    units = {"parameters": "that of the parameter", "act": "s, or, with a target, in tolerances"}
    unit = kind.unit if isinstance(kind.unit, str) else units[kind.key()]
    return [
        f"## {kind.key()}",
        "",
        inspect.cleandoc(kind.__doc__ or ""),
        "",
        f"![{kind.key()}]({kind.key()}.png)",
        "",
        *field_table(kind),
        "",
        "```yaml",
        example(shown),
        "```",
        "",
        f"Residual in {unit}. Honoured by {honoured_by(kind)}.",
        "",
    ]


def page(shown: Mapping[str, Constraint]) -> str:
    """The whole page."""
    missing = {f.name for f in fields(Request)} - INTERNAL ^ set(REQUEST)
    if missing:
        raise SystemExit(f"REQUEST in {Path(__file__).name} must list the fields of Request; see {sorted(missing)}")
    lines = [INTRO, "## Fields of a request", "", row("field", "value", "meaning"), row(*["---"] * 3)]
    lines += [row(f"`{name}`", value, text) for name, (value, text) in REQUEST.items()]
    lines += ["", "`start` is a table:", "", *field_table(Start), ""]
    for key, kind in KINDS.items():
        lines += section(kind, shown[key])
    lines += ["## Motion parameters", "", row("name", "unit", "meaning", "tolerance"), row(*["---"] * 4)]
    lines += [row(f"`{p.name}`", p.unit or "–", p.help, f"{p.tolerance:g}") for p in PARAMETERS.values()]
    return "\n".join(lines) + "\n"


def main() -> None:
    """The page and its pictures."""
    from request_pictures import SHOWN, draw_all

    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page({key: make() for key, make in SHOWN.items()}), "utf-8")
    draw_all(PAGE.parent)


if __name__ == "__main__":
    main()
