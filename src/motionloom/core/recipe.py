"""The recipe of a clip: the inputs of each processing step, so that `motionloom again` can repeat it."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from motionloom.core.arrays import put

LISTS = ("clips", "edits", "files", "poses", "measured")  # fields of `Made`


class Input(NamedTuple):
    """A file that a step read; its content counts, not its name."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Read:
    """How a clip was read: its file, the reader's settings, and the files beside it that were used."""

    name: str
    sha256: str = ""  # of the file; "" for a clip that did not come from one
    settings: Mapping[str, Any] = field(default_factory=dict)  # of `io.load`, where they differ from the defaults
    beside: tuple[Input, ...] = ()  # labels, roles, licence, origin; the skeleton of an AMC file
    content: str = ""  # SHA-256 of the clip that the step used, see `clip_sha256`; "" if it was not taken

    def __post_init__(self) -> None:
        for name in ("name", "sha256", "content"):
            _field_value(name, getattr(self, name))
        put(self, "settings", _mapping(self.settings, "settings"))
        put(self, "beside", tuple(map(_input, self.beside)))


@dataclass(frozen=True)
class Made:
    """One processing step with everything needed to repeat it, as plain text, numbers and lists of them."""

    command: str  # "synthesize", "convert", "clean" ...: see `recipes/repeat.py`
    version: str = ""  # of motionloom
    platform: str = ""  # operating system, processor, Python and numerical libraries
    method: str = ""  # of a model: the name in the table of methods
    config: Mapping[str, Any] = field(default_factory=dict)  # what learning was given
    learning_seed: int | None = None
    clips: tuple[Read, ...] = ()  # what was learned from, or edited, in order
    model: Input | None = None  # the model file; without one, the model was learned by the same program
    request: str | None = None  # YAML
    seed: int | None = None
    take: int | None = None
    edits: tuple[Mapping[str, Any], ...] = ()  # the options of an edit, in order; each is one name with its value
    files: tuple[Input, ...] = ()  # other files that were read: ground heights, measures
    poses: tuple[Read, ...] = ()  # clips whose frames a request names
    measured: tuple[str, ...] = ()  # motion parameters that learning measured by functions of the user's
    learning_gap: str = ""  # why the model cannot be learned again, if it cannot: its file is then needed
    output: str = ""  # SHA-256 of the file that was written, known once it was
    gap: str = ""  # why this step cannot be repeated, if it cannot

    def __post_init__(self) -> None:
        for f in fields(self):
            put(self, f.name, _field_value(f.name, getattr(self, f.name)))

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; empty fields are left out."""
        out = without_empty(plain(asdict(self)))
        return out | {name: [without_empty(clip) for clip in out[name]] for name in ("clips", "poses") if name in out}

    def describe(self) -> str:
        """One line: `synthesize with cuts, seed 5, take 0`."""
        numbers = {"seed": self.seed, "take": self.take}
        what = f"{self.command} with {self.method}" if self.method else self.command
        return ", ".join([what, *(f"{name} {value}" for name, value in numbers.items() if value is not None)])


def made_here(command: str, **given: Any) -> Made:
    """A step of this version on this platform."""
    return Made(command, program_version(), program_platform(), **given)


@cache
def program_version() -> str:
    """The version of motionloom."""
    try:
        return version("motionloom")
    except PackageNotFoundError:  # run from a source tree without installation
        return "unknown"


@cache
def program_platform() -> str:
    """Operating system, processor, Python and libraries: they determine the last bits of a result."""
    python = ".".join(map(str, sys.version_info[:2]))
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba"))
    return f"{platform.system()} {platform.machine()}, Python {python}, {libraries}"


def without_empty(fields_: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that hold something."""
    return {name: value for name, value in fields_.items() if value not in (None, "", [], {})}


def plain(value: Any) -> Any:
    """The value as JSON returns it: dictionaries, lists, text and numbers. `TypeError` for anything else."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"a recipe holds text and numbers, found {type(value).__name__}")


def _field_value(name: str, value: Any) -> Any:
    """The value of a field from its form in JSON. `TypeError` if it is of another kind: recipes are read from files."""
    if name in ("learning_seed", "seed", "take"):
        if value is not None and (type(value) is not int or not 0 <= value < 1 << 128):
            raise TypeError(f"{name}: expected a whole number from 0, found {repr(value)[:60]}")
        return value
    if name in LISTS and not isinstance(value, (list, tuple)):
        raise TypeError(f"{name}: expected a list, found {repr(value)[:60]}")
    if name in ("clips", "poses"):
        return tuple(item if isinstance(item, Read) else Read(**item) for item in value)
    if name == "files":
        return tuple(map(_input, value))
    if name == "model":
        return None if value is None else _input(value)
    if name == "measured":
        return tuple(map(str, value))
    if name == "edits":
        return tuple(_mapping(item, "edits") for item in value)
    if name == "config":
        return _mapping(value, name)
    if not isinstance(value, str) and (name, value) != ("request", None):
        raise TypeError(f"{name}: expected text, found {repr(value)[:60]}")
    return value


def _input(item: Any) -> Input:
    """A file and its checksum, from a list of both."""
    if not isinstance(item, (list, tuple)) or len(item) != 2 or not all(isinstance(part, str) for part in item):
        raise TypeError(f"expected the name of a file and its SHA-256, found {repr(item)[:60]}")
    return Input(*item)


def _mapping(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{name}: expected names with values, found {repr(value)[:60]}")
    return dict(plain(value))
