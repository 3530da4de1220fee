"""Descriptions of methods as data, for flags, `motionloom methods` and pages with sliders."""

from __future__ import annotations

from typing import Any, NamedTuple

from motionloom.constraints import Constraint
from motionloom.core.errors import BadRequest, unknown
from motionloom.core.fields import Field, fields_of
from motionloom.methods.table import METHODS, Method


class Description(NamedTuple):
    """One method: its line in the table, the constraints that it honours, and its settings."""

    name: str
    method: Method  # its line in the table
    honours: tuple[tuple[type[Constraint], str], ...]
    has_natural_end: bool  # a request may leave out its length
    uneven_ground: bool
    config: tuple[Field, ...]
    options: tuple[Field, ...]
    live_commands: tuple[str, ...]  # fields of Commands that its live characters may accept; (): it has none
    live_options: tuple[Field, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, with the fields of the constraints that are honoured."""
        kinds = dict.fromkeys(kind for kind, _ in self.honours)
        return {
            "name": self.name,
            **{key: value for key, value in self.method._asdict().items() if key != "path"},
            "honours": [{"constraint": kind.key(), "strength": strength} for kind, strength in self.honours],
            "has_natural_end": self.has_natural_end,
            "uneven_ground": self.uneven_ground,
            "config": [field.as_dict() for field in self.config],
            "options": [field.as_dict() for field in self.options],
            "live_commands": list(self.live_commands),
            "live_options": [field.as_dict() for field in self.live_options],
            "constraints": {kind.key(): describe_constraint(kind) for kind in kinds},
        }


def describe(method: str) -> Description:
    """The description of a method of the table."""
    if method not in METHODS:
        raise BadRequest(unknown(method, METHODS, "method"))
    module = METHODS[method].module()
    model = module.MODEL
    return Description(
        name=method,
        method=METHODS[method],
        honours=model.honours,
        has_natural_end=model.has_natural_end,
        uneven_ground=model.uneven_ground,
        config=fields_of(module.Config),
        options=fields_of(module.Options),
        live_commands=model.live_commands,
        live_options=fields_of(model.live_options_type) if model.live_options_type else (),
    )


def describe_constraint(kind: type[Constraint]) -> dict[str, Any]:
    """A constraint's first line of documentation, the unit of its residual, and its fields."""
    unit = kind.unit if isinstance(kind.unit, str) else "the parameter's own"
    help = (kind.__doc__ or "").strip().splitlines()[0]
    return {"help": help, "unit": unit, "fields": [field.as_dict() for field in fields_of(kind)]}
