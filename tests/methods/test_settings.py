"""Config and Options: checked values with units, and what flags and sliders are made from."""

from __future__ import annotations

import math
import re
from dataclasses import FrozenInstanceError, dataclass
from pathlib import Path

import pytest

import motionloom
from motionloom.core import BadRequest
from motionloom.core.fields import fields_of
from motionloom.methods import Settings, param


@dataclass(frozen=True)
class Options(Settings):
    """One setting of each kind."""

    noise: float = param(0.5, "how much noise", low=0, high=2)
    lean: float = param(0.1, "forward lean", unit="rad", symbol="theta")
    reach: float = param(0.2, "arm's reach", unit="m")
    tries: int = param(4, "how often to try", low=1, high=9, only_with=("mode", "best"))
    mode: str = param("best", "what to keep", choices=("best", "first"))
    mirror: bool = param(False, "mirror too")
    limit: float | None = param(None, "largest speed", unit="m/s", low=0)
    weights: tuple[float, float] = param((1.0, 0.5), "weight of hands and feet", low=0, high=10)
    bends: tuple[float, ...] = param((), "angles of the bends", unit="rad", low=-3.2, high=3.2)
    order: tuple[str, ...] | None = param(None, "what comes when")


def test_values_of_a_request_are_read_with_their_units():
    read = Options.of({"lean": "30deg", "reach": "20cm", "tries": "3", "mode": "first", "mirror": True, "limit": None})
    assert read == Options(lean=math.radians(30), reach=0.2, tries=3, mode="first", mirror=True)
    assert Options.of({}) == Options()
    assert Options.of({"order": [3, "7#1", 4]}).order == ("3", "7#1", "4")
    assert Options.of({"weights": [2, "0.5"], "bends": ["30deg", "-0.5rad"]}) == Options(
        weights=(2, 0.5), bends=(math.radians(30), -0.5)
    )


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"noize": 1}, r"options: there is no 'noize' here; did you mean 'noise'\?"),
        ({"noise": 3}, "options.noise: expected a number from 0 to 2, found 3"),
        ({"noise": "much"}, "options.noise: expected a number without a unit, found 'much'"),
        ({"lean": 0.5}, "options.lean: expected an angle with its unit.*a bare angle is an error"),
        ({"tries": 1.5}, "options.tries: expected a whole number, found 1.5"),
        ({"tries": 0}, "options.tries: expected a whole number from 1 to 9, found 0"),
        ({"mode": "worst"}, "options.mode: expected one of best, first, found 'worst'"),
        ({"mode": 3}, "options.mode: expected one of best, first, found 3"),
        ({"mirror": 1}, "options.mirror: expected true or false, found 1"),
        ({"limit": -1}, "options.limit: expected a speed at least 0 m/s, found -1"),
        ({"weights": [1, 11]}, r"options.weights\[1\]: expected 2 numbers from 0 to 10, found 11"),
        ({"weights": [1]}, r"options.weights: expected 2 numbers from 0 to 10, found \[1\]"),
        ({"bends": [1]}, r"options.bends\[0\]: expected an angle with its unit"),
        (
            {"bends": ["200deg"]},
            r"options.bends\[0\]: expected an angle or a list of angles from -183 to 183 deg",
        ),
        ({"order": "3 4"}, r"options.order: expected a list in brackets, as \[one, two\], found '3 4'"),
        ({"order": [3, 1.5]}, r"options.order: expected a list"),
        ({"order": [True]}, r"options.order: expected a list"),
    ],
)
def test_wrong_values_are_refused_with_their_place(values, said):
    with pytest.raises(BadRequest, match=said):
        Options.of(values)


def test_python_values_are_checked_too():
    assert Options(lean=0.5).lean == 0.5  # radians, as everywhere in Python
    with pytest.raises(BadRequest, match=r"options.noise: expected a number without a unit, found 'x'"):
        Options(noise="x")
    with pytest.raises(BadRequest, match=r"options.tries: expected a whole number, found 2.5"):
        Options(tries=2.5)
    with pytest.raises(FrozenInstanceError):
        Options().noise = 1


def test_settings_describe_themselves():
    table = {f.name: f for f in fields_of(Options)}
    assert list(table)[:8] == ["noise", "lean", "reach", "tries", "mode", "mirror", "limit", "weights"]
    assert table["noise"].describe() == "how much noise [0 to 2]"
    assert table["lean"].describe() == "forward lean [deg, theta]"
    assert table["mode"].describe() == "what to keep [best or first]"
    assert table["tries"].describe() == "how often to try [1 to 9, only with mode best]"
    assert (table["tries"].kind.name, table["limit"].kind.name, table["limit"].optional) == (
        "whole number",
        "number",
        True,
    )
    assert (table["weights"].size, table["bends"].size) == (2, None)


def test_a_setting_without_a_word_about_it_is_a_mistake_of_ours():
    @dataclass(frozen=True)
    class Silent(Settings):
        value: float = 3.0

    with pytest.raises(TypeError, match="write it as param"):
        Silent()


def test_no_function_takes_options_of_any_type():
    """Options of methods and of their live characters are `Settings`; keywords that are passed on do not count."""
    source = Path(motionloom.__file__).parent
    found = [p.name for p in source.rglob("*.py") if re.search(r"(?<![*\w])options: Any\b", p.read_text("utf-8"))]
    assert found == []
