"""The application: a table of commands, and one place where errors become words and exit codes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

HELP = """Learn from the motion clips you have, and make the ones you need.

Clips are files, folders or wildcards. A bare number is metres or seconds; write 90cm or 200ms as you like. An
angle always has its unit: 35deg, 0.6rad.
"""

# One line for each command, in the order in which people need them. The command `info` is the function `info` (or the
# `typer.Typer` of that name) of the module `motionloom.cli.info`, which is imported when the command is called.
COMMANDS: Mapping[str, str] = {
    "info": "what is in clips: frames, joints, unit, roles, travel",
    "convert": "read clips, write them in another format, unit or rate",
    "view": "draw clips: a filmstrip, or a player in one HTML file",
    "check": "what is wrong with captures before anyone learns from them",
    "clean": "take foot skate out of clips, many at once",
    "retarget": "the motion of clips on another body",
    "fetch": "public motion data, with its licence",
    "samples": "clips computed here, to start with",
    "similar": "which frames of two clips look alike",
    "judge": "how good the pairs are that each measure chooses",
    "align": "which moments of two clips belong together",
    "append": "one clip after another, joined where they are alike",
    "methods": "what each method can do and be told",
    "learn": "learn a model from clips",
    "synthesize": "make new clips from a model and a request",
    "again": "make a result again from its recipe, byte for byte",
    "graph": "how a motion graph is connected, and what its clips can do",
    "walk": "endless random walks through a motion graph",
    "stream": "drive a live character: headings, places, speeds, styles",
    "choices": "what can be done next in a two-level graph, and doing it",
    "act": "a performance picks the way through a two-level graph",
    "textons": "what the textons of a model are like",
    "evaluate": "how good results are, beside the clips they were made from",
    "compare": "every method on the same clips, by the same measures",
    "demo": "make samples and new motion, and a page to look at",
}


class Commands(TyperGroup):
    """The group of all commands. A user's mistake ends in one line on standard error, never in a traceback."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name; its module is imported now."""
        if cmd_name not in COMMANDS:
            from motionloom.core.errors import unknown

            ctx.fail(unknown(cmd_name, COMMANDS, "command"))
        found = getattr(import_module(f"motionloom.cli.{cmd_name}"), cmd_name)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.command(cmd_name)(found)
            found = alone
        command = typer.main.get_command(found)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The table, without importing what is behind it: `--help` must be instant."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("motionloom: cancelled", err=True)
            raise typer.Exit(130) from None
        except Exception as error:
            code = exit_code(error)
            if code is None:
                raise
            typer.echo(f"motionloom: {said(error)}", err=True)
            raise typer.Exit(code) from None


def exit_code(error: Exception) -> int | None:
    """2 for wrong usage, 130 after Ctrl-C, 1 for any other error of a file or a request, None for an error of ours."""
    if isinstance(error, (typer.Exit, typer.Abort)):
        return None
    from motionloom.core.errors import BadRequest, MotionloomError
    from motionloom.core.progress import Cancelled

    if isinstance(error, Cancelled):
        return 130
    if isinstance(error, BadRequest):
        return 2
    if isinstance(error, BrokenPipeError):  # the reader of our output has left: not a matter for words
        return None
    return 1 if isinstance(error, (MotionloomError, OSError, MemoryError)) else None


def said(error: Exception) -> str:
    """The error in one line."""
    if isinstance(error, MemoryError):
        return f"this machine's memory is not enough for what was asked ({str(error) or 'no size known'})"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"motionloom {version('motionloom')}")
        raise typer.Exit


app = typer.Typer(
    cls=Commands,
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: half the time, and units in brackets stay as written
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


@app.callback()
def start(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """What every command starts with."""
    warnings.showwarning = cast(Any, _show_warning)
    warnings.simplefilter("once", FutureWarning)


def _show_warning(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
    """A deprecation as a note on standard error; other warnings are for developers, not for users."""
    if issubclass(category, FutureWarning):
        typer.echo(f"note: {message}", err=True)
