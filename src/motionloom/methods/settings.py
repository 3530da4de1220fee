"""Base class of `Config` and `Options`, and parameters that methods share."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.core.fields import Described, Field, fields_of, param
from motionloom.core.note import Note, warning

__all__ = [
    "Field",
    "Settings",
    "cleaning_param",
    "fields_of",
    "fps_param",
    "param",
    "variant_of_model",
    "variant_param",
]

FAITHFUL = "faithful"
VARIANTS = ("improved", FAITHFUL)


def fps_param(default: float, low: float = 10, high: float = 240) -> Any:
    """The setting of the frame rate at which a method learns."""
    text = "frame rate of the model; none: the clips' own"
    return param(default, text, unit="fps", low=low, high=high, slider=(15.0, 120.0), advanced=True)


def variant_param(source: str) -> Any:
    """The setting that selects the improved variant or the one that follows the source."""
    text = f"improved, or faithful to {source}; settings that are given take precedence"
    return param(VARIANTS[0], text, choices=VARIANTS)


def variant_of_model(source: str) -> Any:
    """The option that selects the variant of the synthesis, by default that of the model."""
    text = f"improved, or faithful to {source}; default: the variant of the model"
    return param(None, text, choices=VARIANTS)


def cleaning_param() -> Any:
    """The option that turns the correction of feet on or off."""
    return param(True, "lift swinging feet that scrape the ground, and pin planted ones", advanced=True)


class _FillVariant(type):
    """Fills in the values of the faithful variant for those that are not given, before an object is built."""

    FAITHFUL: Mapping[str, Any]

    def __call__(cls, *args: Any, **given: Any) -> Any:
        if given.get("variant") == FAITHFUL:
            positional = {f.name for f in dataclasses.fields(cls)[: len(args)]}  # type: ignore[arg-type]
            given = {name: value for name, value in cls.FAITHFUL.items() if name not in positional} | given
        return super().__call__(*args, **given)


@dataclass(frozen=True)
class Settings(Described, metaclass=_FillVariant):
    """Base class of `Config` (for learning) and `Options` (for synthesis); values are checked when built.

    `variant: faithful` selects the values of `FAITHFUL`, those of the method's source, for all settings that are not
    given: `Config(variant="faithful")` equals `Config.of({"variant": "faithful"})`.
    """

    FAITHFUL: ClassVar[Mapping[str, Any]] = {}
    FILES: ClassVar[tuple[str, ...]] = ()  # settings that name a file, which is read during learning

    def unused(self, given: Iterable[str]) -> tuple[Note, ...]:
        """A warning for every setting among `given` that has no effect beside the other values: see `Field.only_with`.

        >>> from motionloom.methods.texture.config import Options
        >>> [note.text for note in Options.of({"passes": 4}).unused(["passes"])]
        ['option `passes` has no effect: it needs variant faithful']
        """
        found = []
        for field in fields_of(type(self)):
            if not field.only_with or field.name not in given:
                continue
            other, *values = field.only_with
            now = getattr(self, other)
            if (str(now) not in values) if values else (now in (None, "", ())):
                needs = f"{other} {' or '.join(values)}" if values else other
                found.append(warning(f"option `{field.name}` has no effect: it needs {needs}"))
        return tuple(found)
