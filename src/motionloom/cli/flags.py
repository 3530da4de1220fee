"""Commands with options from tables in the library: settings of methods, parameters of samples, reading of files."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from motionloom.core.fields import Field

TYPED_EXAMPLES = {"rad": "30deg", "rad/s": "30deg/s"}  # angles are typed with their unit
T = TypeVar("T")

PLAIN_FPS = "plain_fps"  # the value of `--fps` where that is an earlier name
_PREFIX = "set_"  # keeps a method's own fields apart from the command's arguments
ARGUMENTS = "motionloom.arguments"  # key in `Context.meta`: what follows the name of the command, as typed


def option(names: str, metavar: str, help: str, **more: Any) -> Any:
    """The declaration of an option with a value; several names are separated by spaces."""
    return typer.Option(*names.split(), metavar=metavar, help=help, **more)


def flag(name: str, help: str, **more: Any) -> Any:
    """The declaration of an option without a value: `--force`, `--lock/--no-lock`."""
    return typer.Option(name, help=help, **more)


def argument(metavar: str, help: str, **more: Any) -> Any:
    """The declaration of an argument."""
    return typer.Argument(metavar=metavar, help=help, show_default=False, **more)


def present_value(earlier: str, old: T | None, present: str, value: T | None) -> T | None:
    """The value of an option that has an earlier name, with a deprecation note where that was given."""
    if old is None:
        return value
    from motionloom.core.earlier_names import deprecated
    from motionloom.core.errors import BadRequest

    if value is not None:
        raise BadRequest(f"{earlier} is the earlier name of {present}; give one of them")
    deprecated(earlier, present)
    return old


def added_options(
    run: Callable[..., None],
    options: Mapping[str, tuple[Any, Any]],
    argument: str,
    build: Callable[[dict[str, Any]], Any] = dict,
) -> Callable[..., None]:
    """`run` with more options (name to annotation and default); `argument` is what `build` makes of their values.

    The other parameters of `run` become arguments and options of the command as usual.
    """
    keyword = inspect.Parameter.KEYWORD_ONLY
    fixed = [p for p in inspect.signature(run, eval_str=True).parameters.values() if p.name != argument]
    plain = [p.replace(kind=keyword) for p in fixed]
    more = [inspect.Parameter(n, keyword, default=d, annotation=a) for n, (a, d) in options.items()]

    def command(**values: Any) -> None:
        built = build({k: values[k] for k in options})
        run(**{k: v for k, v in values.items() if k not in options}, **{argument: built})

    command.__signature__ = inspect.Signature([*plain, *more])  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in (*plain, *more)}
    command.__doc__ = run.__doc__
    return command


def with_fields(run: Callable[..., None], fields: Sequence[Field], *, fps: str = "fps") -> Callable[..., None]:
    """`run` with an option for each of `fields`, basic ones first; given values are passed as the mapping `given`.

    Values are plain, as in a request: text with its unit, a list for values separated by commas, None for `none` where
    a field may be None. `fps` is the name of the option of the field `fps`; `--fps` is then accepted with a note.
    """
    by_name = {name: f for f in sorted(fields, key=lambda f: f.advanced) for name in (f.name, *f.formerly)}
    options = {_PREFIX + name: (_annotation(field, name), None) for name, field in by_name.items()}
    if "fps" in by_name and fps != "fps":
        hidden = Annotated[str | None, typer.Option("--fps", hidden=True)]
        options |= {_PREFIX + "fps": (_annotation(by_name["fps"], fps), None), PLAIN_FPS: (hidden, None)}
    signature = inspect.signature(run, eval_str=True)

    def command(*, given: Mapping[str, Any], **values: Any) -> None:
        read = {k.removeprefix(_PREFIX): v for k, v in given.items() if v is not None and k != PLAIN_FPS}
        if given.get(PLAIN_FPS) is not None:
            present = "--" + fps.replace("_", "-")
            read["fps"] = present_value("--fps", given[PLAIN_FPS], present, read.get("fps"))
        read = {k: ",".join(v).split(",") if by_name[k].kind.listed else v for k, v in read.items()}
        run(**values, given={k: None if v == "none" and by_name[k].optional else v for k, v in read.items()})

    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__doc__ = run.__doc__
    return added_options(command, options, "given")


def _annotation(field: Field, name: str) -> Any:
    """A field as an option of a command; earlier names are hidden. Values are text, so that 20cm and 35deg work."""
    hidden = name in field.formerly
    name, default = "--" + name.replace("_", "-"), field.default_text()
    help = f"{field.describe()} (default {default})" if default else field.describe()
    if field.kind.name == "bool":
        return Annotated[
            bool | None, typer.Option(f"{name}/--no-{name[2:]}", help=help, show_default=False, hidden=hidden)
        ]
    metavar = TYPED_EXAMPLES.get(field.unit, (field.unit or field.kind.name.split()[0]).upper())
    kind: Any = list[str] if field.kind.listed else str  # a list is separated by commas, or given by several options
    return Annotated[kind | None, typer.Option(name, help=help, metavar=metavar, show_default=False, hidden=hidden)]


class LazyGroup(TyperGroup):
    """A group whose commands are created when they are called, so that the library is imported only then."""

    what = "command"  # noun for error messages

    def rows(self) -> dict[str, str]:
        """Names of the commands, each with a line of help."""
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
