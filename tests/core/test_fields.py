"""Every setting, parameter and field of a constraint describes itself: help, limits, a slider that fits."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import typer
from typer.testing import CliRunner

from motionloom.cli.flags import with_fields
from motionloom.constraints import KINDS, Start
from motionloom.core import BadRequest
from motionloom.core.fields import REQUIRED, Described, Field, fields_of, param
from motionloom.core.units import UNITS
from motionloom.methods import METHODS, describe
from motionloom.methods.packing import Unpacker
from motionloom.samples import SAMPLES


def flaws(field: Field, table: dict[str, Field]) -> list[str]:
    """What keeps a field from being shown as a flag and as a slider."""
    found = [] if field.help else ["no help"]
    found += [] if UNITS.get(field.unit, ("", 1.0))[1] == 1.0 else ["not an SI unit"]
    if field.only_with:
        other, *values = field.only_with
        known = other in table and (not values or set(values) <= set(table[other].choices))
        found += [] if known else ["only with what does not exist"]
    if not field.kind.limited:
        return found
    if field.low is None or field.high is None or not field.low < field.high:
        return [*found, "no limits"]
    low, high = field.slider or (field.low, field.high)
    found += [] if field.low <= low < high <= field.high else ["slider beyond the limits"]
    found += [] if field.scale == "linear" or (field.scale == "log" and low > 0) else ["no such scale"]
    for value in field.default if isinstance(field.default, tuple) else (field.default,):
        if isinstance(value, float | int) and not low <= value <= high:
            found.append("default beyond the slider")
    return found


def tables() -> Iterator[tuple[str, tuple[Field, ...]]]:
    for method in METHODS:
        yield f"{method} config", describe(method).config
        yield f"{method} options", describe(method).options
        if describe(method).live_options:
            yield f"{method} live options", describe(method).live_options
    for name, sample in SAMPLES.items():
        yield f"sample {name}", tuple(sample.parameters.values())
    for key, kind in {**KINDS, "start": Start}.items():
        yield f"constraint {key}", fields_of(kind)


@pytest.mark.parametrize(("name", "fields"), [pytest.param(*table, id=table[0]) for table in tables()])
def test_every_field_has_help_limits_and_a_slider(name, fields):
    table = {field.name: field for field in fields}
    wrong = {field.name: found for field in fields if (found := flaws(field, table))}
    assert wrong == {}
    json.dumps([field.as_dict() for field in fields], allow_nan=False)


@pytest.mark.parametrize(
    ("field", "flaw"),
    [
        (Field(1.0, "", low=0, high=2), "no help"),
        (Field(1.0, "speed", "m/s"), "no limits"),
        (Field(1.0, "speed", "cm/s", low=0, high=2), "not an SI unit"),
        (Field((1.0, 2.0), "place", "m", low=0), "no limits"),
        (Field(1.0, "speed", low=0, high=2, slider=(0.0, 3.0)), "slider beyond the limits"),
        (Field(1.0, "speed", low=0, high=2, scale="log"), "no such scale"),
        (Field(2.0, "speed", low=0, high=2, slider=(0.0, 1.0)), "default beyond the slider"),
        (Field("a", "word", only_with=("other",)), "only with what does not exist"),
    ],
)
def test_a_field_without_limits_or_help_is_rejected(field, flaw):
    assert flaws(field.named("x"), {}) == [flaw]


@dataclass(frozen=True)
class Throw(Described):
    """A throw of a ball."""

    target: tuple[float, float, float] = param(REQUIRED, "where it lands", "m", low=-50, high=50)
    spin: float = param(0.0, "spin about its axis", "rad/s", low=-20, high=20)
    count: int = param(1, "balls", low=1, high=5)


def test_values_are_read_with_units_checked_and_written_back():
    read = Throw.of({"target": [1, "20cm", 3], "spin": "90deg/s"})
    assert read == Throw((1, 0.2, 3), math.pi / 2)
    assert Throw.of(read.to_plain()) == read
    assert read.to_plain() == {"target": [1.0, 0.2, 3.0], "spin": "90deg/s"}


def test_all_mistakes_are_reported_each_with_its_path():
    with pytest.raises(BadRequest) as caught:
        Throw.of({"spin": 3, "count": 9, "colour": "red"})
    assert [(problem.where, problem.message.split(",")[0]) for problem in caught.value.problems] == [
        (("throw", "spin"), "expected a turn rate with its unit"),
        (("throw", "count"), "expected a whole number from 1 to 5"),
        (("throw",), "there is no 'colour' here; did you mean 'count'?"),
        (("throw",), "'target' is missing; it needs target"),
    ]
    with pytest.raises(
        BadRequest, match=r"throw.target\[1\]: expected 3 lengths \[x, y, z\] from -50 to 50 m, found 60"
    ):
        Throw((0, 60, 0))


def test_a_field_describes_itself_in_words_and_in_data():
    target, spin, count = fields_of(Throw)
    assert target.describe() == "where it lands [-50 to 50 m]"
    assert spin.describe() == "spin about its axis [-1145 to 1145 deg/s]"
    assert (spin.default_text(), count.default_text(), target.default_text()) == ("0deg/s", "1", "")
    facts = target.as_dict()
    assert (facts["kind"], facts["size"], facts["required"], facts["slider"]) == ("numbers", 3, True, [-50, 50])


@dataclass(frozen=True)
class Renamed(Described):
    beam_width: int = param(8, "candidates kept in each step", low=1, high=100, formerly=("few",))
    order: str = param(
        "cheapest", "which path is taken", choices=("cheapest", "random"), renamed=(("easy", "cheapest"),)
    )


def test_an_earlier_name_of_a_field_is_accepted_with_a_deprecation_warning():
    with pytest.warns(FutureWarning, match="'few' is now called 'beam_width'"):
        assert Renamed.of({"few": 3}) == Renamed(beam_width=3)


def test_an_earlier_name_of_a_choice_is_accepted_with_a_deprecation_warning():
    with pytest.warns(FutureWarning, match="'order: easy' is now called 'cheapest'"):
        assert Renamed.of({"order": "easy"}) == Renamed()


def test_an_earlier_and_a_present_name_together_are_an_error():
    with pytest.raises(BadRequest, match="earlier name of 'beam_width'"):
        Renamed.of({"few": 3, "beam_width": 4})


def test_a_stored_record_with_earlier_names_is_read():
    packed = {"fields": {"few": 3, "order": "easy"}}
    assert Unpacker({}).unpack(packed, Renamed, "config") == Renamed(beam_width=3)


def test_flags_have_hidden_flags_for_earlier_names():
    def run(given: dict[str, object]) -> None:
        print(given)

    app = typer.Typer(add_completion=False)
    app.command()(with_fields(run, fields_of(Renamed)))
    assert "--few" not in CliRunner().invoke(app, ["--help"]).output
    assert CliRunner().invoke(app, ["--few", "3"]).output == "{'few': '3'}\n"
