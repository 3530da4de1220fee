"""Commands whose flags come from a table in the library: one for each sample, one for each method."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from motionloom.core.fields import Field

TYPED_EXAMPLES = {"rad": "30deg", "rad/s": "30deg/s"}  # angles are typed with their unit
_PREFIX = "set_"  # keeps a method's own fields apart from the command's arguments


def flagged(run: Callable[..., None], fields: Sequence[Field]) -> Callable[..., None]:
    """`run` with a flag for each of `fields`, basic ones first; those that were given come as the mapping `given`.

    Values are plain, as in a request: text with its unit, a list for what is separated by commas, None for `none` where
    a field may be None. The other parameters of `run` become arguments and options as usual.
    """
    fixed = [p for p in inspect.signature(run, eval_str=True).parameters.values() if p.name != "given"]
    by_name = {name: f for f in sorted(fields, key=lambda f: f.advanced) for name in (f.name, *f.formerly)}
    own = [
        inspect.Parameter(_PREFIX + n, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_annotation(f, n))
        for n, f in by_name.items()
    ]
    plain = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in fixed]

    def command(**values: Any) -> None:
        given = {k.removeprefix(_PREFIX): v for k, v in values.items() if k.startswith(_PREFIX) and v is not None}
        given = {k: v.split(",") if by_name[k].kind.listed else v for k, v in given.items()}
        given = {k: None if v == "none" and by_name[k].optional else v for k, v in given.items()}
        run(**{k: v for k, v in values.items() if not k.startswith(_PREFIX)}, given=given)

    command.__signature__ = inspect.Signature([*plain, *own])  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in (*plain, *own)}
    command.__doc__ = run.__doc__
    return command


def _annotation(field: Field, name: str) -> Any:
    """A field as an option of a command; earlier names are hidden. Values are read as text: 20cm and 35deg work."""
    hidden = name != field.name
    name, default = "--" + name.replace("_", "-"), field.default_text()
    help = f"{field.describe()} (default {default})" if default else field.describe()
    if field.kind.name == "bool":
        return Annotated[
            bool | None, typer.Option(f"{name}/--no-{name[2:]}", help=help, show_default=False, hidden=hidden)
        ]
    metavar = TYPED_EXAMPLES.get(field.unit, (field.unit or field.kind.name.split()[0]).upper())
    return Annotated[str | None, typer.Option(name, help=help, metavar=metavar, show_default=False, hidden=hidden)]


class Table(TyperGroup):
    """A group whose commands are made when they are asked for, so that the library is imported only then."""

    what = "command"  # what one of them is called in an error

    def rows(self) -> dict[str, str]:
        """Name and one line of help for each command."""
        raise NotImplementedError

    def build(self, name: str) -> Callable[..., None]:
        """The function behind one command."""
        raise NotImplementedError

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.rows())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        rows = self.rows()
        if cmd_name not in rows:
            from motionloom.core.errors import BadRequest, unknown

            raise BadRequest(unknown(cmd_name, rows, self.what))
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(cmd_name, help=rows[cmd_name])(self.build(cmd_name))
        return typer.main.get_command(app)
