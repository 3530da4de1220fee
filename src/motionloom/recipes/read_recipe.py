"""The recipe of a file: the steps that made it, and what is different here from where it was made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from motionloom.core import BadRequest, Clip, FormatError, Made
from motionloom.core.files import check_regular
from motionloom.core.recipe import program_platform, program_version
from motionloom.io import load
from motionloom.io.formats import format_of
from motionloom.io.sidecars.origin import origin_path, read_facts
from motionloom.io.sidecars.origin_json import OtherOrigin


class Repeated(NamedTuple):
    """A result that was made again."""

    clip: Clip
    made: Made  # the repeated step
    same: bool | None  # are its bytes those of the recipe? None if it was written in another format
    differences: tuple[str, ...]  # version, platform: what may explain other bytes

    def describe(self) -> str:
        """One line: `synthesize with cuts, seed 5, take 0, the same bytes`."""
        equal = {True: "the same bytes", False: "other bytes", None: "in another format"}[self.same]
        return f"{self.made.describe()}, {equal}"

    def why_different(self, path: Path, out: Path) -> str:
        """How the file `out` differs from the result `path`; "" if it has the same bytes, or another format."""
        if self.same is not False:
            return ""
        why = "; ".join(self.differences) or "the version and platform are the same, so it was changed"
        return f"{out} differs from {path} (sha256 {self.made.output[:12]}): {why}"


def recipe_of(path: str | Path) -> tuple[Made, ...]:
    """The steps that made a file, from its side file or, for NPZ, from the file itself; `BadRequest` if it has none."""
    path = Path(path)
    try:
        check_regular(path)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path=path) from None
    if _keeps_origin(path):
        steps = load(path).origin.made
    elif origin_path(path).is_file():
        try:
            steps = tuple(Made(**step) for step in read_facts(origin_path(path)).get("made", ()))
        except OtherOrigin as error:
            raise FormatError(f"the recipe {error}", path=origin_path(path)) from None
        except TypeError as error:
            raise FormatError(f"a damaged recipe: {error}", path=origin_path(path)) from None
    else:
        steps = ()
    if not steps:
        raise BadRequest(
            f"{path.name} has no recipe (motionloom keeps it beside the clip, in {origin_path(path).name})"
        )
    return steps


def has_recipe(path: Path) -> bool:
    """Whether a clip may have a recipe: beside it, or in the file itself."""
    return _keeps_origin(path) or origin_path(path).is_file()


def _keeps_origin(path: Path) -> bool:
    entry = format_of(path)
    return entry is not None and entry.keeps_origin


def differences(step: Made) -> Iterator[str]:
    """What is not the same here as where a step was made: the version, the platform."""
    for name, there, here in (
        ("motionloom", step.version, program_version()),
        ("platform", step.platform, program_platform()),
    ):
        if there != here:
            yield f"{name}: made with {there or 'an unknown one'}, this is {here}"
