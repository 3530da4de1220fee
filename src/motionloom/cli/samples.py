"""`motionloom samples`: the clips we compute ourselves, listed and made."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import Flag, Table, flagged
from motionloom.cli.options import Json, Seed, columns, many, print_json, progress, say

if TYPE_CHECKING:
    from motionloom.samples import Parameter

HELP = """Clips without a download: people, a dog, pen strokes, computed here.

`motionloom samples` lists them, `motionloom samples walk --speed 1.2 -o walk.bvh` makes one.
"""


class Samples(Table):
    """One command for each sample, with its parameters as flags."""

    what = "sample"

    def rows(self) -> dict[str, str]:
        from motionloom.samples import SAMPLES

        return {name: sample.what for name, sample in SAMPLES.items()}

    def build(self, name: str) -> Callable[..., None]:
        from motionloom.samples import SAMPLES

        def make_sample(
            out: Annotated[Path | None, typer.Option("-o", "--out", metavar="FILE", help="Where to write it.")] = None,
            seed: Seed = 0,
            json: Json = False,
            *,
            given: Any = None,
        ) -> None:
            _make(name, given, seed, out, Path(), json)

        return flagged(make_sample, [_flag(n, p) for n, p in SAMPLES[name].parameters.items()])


def list_samples(
    ctx: typer.Context,
    json: Json = False,
    everything: Annotated[bool, typer.Option("--all", help="Make every sample, into the folder of -o.")] = False,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Folder for --all.")] = Path("samples"),
    seed: Seed = 0,
) -> None:
    """List the samples, or make all of them."""
    if ctx.invoked_subcommand is not None:
        return
    from motionloom.samples import SAMPLES

    if everything:
        for name in progress(list(SAMPLES), "making"):
            _make(name, {}, seed, None, out, False)
    elif json:
        print_json([{"name": s.name, "what": s.what, "parameters": _facts(s.parameters)} for s in SAMPLES.values()])
    else:
        rows = [(s.name, s.what, ", ".join(s.parameters)) for s in SAMPLES.values()]
        say("\n".join(columns(("sample", "what it does", "parameters"), rows, left=(0, 1, 2))))
        say("\nMake one: motionloom samples walk --speed 1.2 -o walk.bvh")
        say("What it takes: motionloom samples walk --help")


def _make(name: str, given: dict[str, Any], seed: int, out: Path | None, folder: Path, json: bool) -> None:
    """Make one sample and write it: to `out`, or by its own name into `folder`."""
    from motionloom.io import check_target, save
    from motionloom.kinematics.facts import facts
    from motionloom.samples import SAMPLES, make

    if out is not None:
        check_target(out)
    parameters = SAMPLES[name].parameters
    clip = make(name, seed, **{n: _value(n, parameters[n], text) for n, text in given.items()})
    out = out or folder / f"{name}{'.csv' if len(clip.skeleton) == 1 else '.bvh'}"  # a pen stroke is a table
    save(clip, out)
    if json:
        print_json({"path": str(out), **facts(clip).as_dict()})
    else:
        say(f"{out}: {many(len(clip), 'frame')} at {clip.fps:g} fps, {clip.seconds:.2f} s, seed {seed}")


def _value(name: str, parameter: Parameter, text: str) -> Any:
    """A flag's text as the sample wants it: numbers in SI units (35deg/s, 20cm), points as numbers with commas."""
    from motionloom.core import BadRequest
    from motionloom.core.units import UNITS, in_kind

    if parameter.choices:
        return text
    kind = UNITS.get(parameter.unit, ("number", 1.0))[0]
    if parameter.size:
        return tuple(in_kind(part, kind, (name,)) for part in text.split(","))
    value = in_kind(text, kind, (name,))
    unit = text.lstrip("+-.0123456789eE").strip()  # as typed
    low, high = parameter.low, parameter.high
    if unit in UNITS and low is not None and high is not None and not low <= value <= high:
        raise BadRequest(f"{name}: expected {_range(low, high, unit)}, found {text}")
    return value


def _flag(name: str, p: Parameter) -> Flag:
    """A parameter as a flag. Angles are shown in degrees, with the unit that must be typed."""
    unit = {"rad": "deg", "rad/s": "deg/s"}.get(p.unit, p.unit)
    if unit != p.unit and p.low is not None and p.high is not None:
        shown = f"{_amount(p.default, unit):.0f}{unit}"
        return Flag(name, str, f"{p.what} [{_range(p.low, p.high, unit)}] (default {shown})", f"30{unit}")
    default = ",".join(f"{v:g}" for v in p.default) if isinstance(p.default, tuple) else p.default
    shown = f"{default:g}" if isinstance(default, float) else default
    says = f"{p.what} [{p.expects()}]" + ("" if default is None else f" (default {shown})")
    return Flag(name, str, says, p.unit.upper() or "VALUE")


def _amount(value: float, unit: str) -> float:
    """An SI value in a unit that people type."""
    from motionloom.core.units import UNITS

    return value / UNITS[unit][1]


def _range(low: float, high: float, unit: str) -> str:
    """Limits in the unit that was typed: whole degrees, rounded inwards so that the limits named are allowed."""
    least, most = _amount(low, unit), _amount(high, unit)
    if unit.startswith("deg"):
        least, most = math.ceil(least - 1e-9), math.floor(most + 1e-9)
    return f"from {least:g}{unit} to {most:g}{unit}"


def _facts(parameters: Any) -> dict[str, Any]:
    return {
        name: {"default": p.default, "what": p.what, "unit": p.unit, "low": p.low, "high": p.high, "choices": p.choices}
        for name, p in parameters.items()
    }


samples = typer.Typer(
    cls=Samples,
    callback=list_samples,
    invoke_without_command=True,
    help=HELP,
    add_completion=False,
    rich_markup_mode=None,
)
