"""Commands whose flags come from a table in the library: one for each sample, one for each method."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

_PREFIX = "set_"  # keeps a method's own fields apart from the command's arguments


class Flag(NamedTuple):
    """One flag: its name in the library, its type on the command line, and its help with the unit."""

    name: str
    type: Any  # bool, int, float or str
    help: str
    metavar: str | None = None


def flagged(run: Callable[..., None], flags: Sequence[Flag]) -> Callable[..., None]:
    """`run` with a flag for each of `flags`; it gets those that were given as the mapping `given`.

    The other parameters of `run` become arguments and options as usual.
    """
    fixed = [p for p in inspect.signature(run, eval_str=True).parameters.values() if p.name != "given"]
    own = [
        inspect.Parameter(_PREFIX + f.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_kind(f))
        for f in flags
    ]
    plain = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in fixed]

    def command(**values: Any) -> None:
        given = {k.removeprefix(_PREFIX): v for k, v in values.items() if k.startswith(_PREFIX) and v is not None}
        run(**{k: v for k, v in values.items() if not k.startswith(_PREFIX)}, given=given)

    command.__signature__ = inspect.Signature([*plain, *own])  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in (*plain, *own)}
    command.__doc__ = run.__doc__
    return command


def _kind(flag: Flag) -> Any:
    name = "--" + flag.name.replace("_", "-")
    if flag.type is bool:
        option = typer.Option(f"{name}/--no-{name[2:]}", help=flag.help, show_default=False)
        return Annotated[bool | None, option]
    option = typer.Option(name, help=flag.help, metavar=flag.metavar, show_default=False)
    return Annotated[flag.type | None, option]


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
            from motionloom.core import BadRequest

            near = get_close_matches(cmd_name, rows, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there is {', '.join(rows)}"
            raise BadRequest(f"no {self.what} {cmd_name!r}; {hint}")
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(cmd_name, help=rows[cmd_name])(self.build(cmd_name))
        return typer.main.get_command(app)
