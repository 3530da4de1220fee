"""The application: one line for each command, and one place where errors become words and exit codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from motionloom.cli import learn, samples
from motionloom.cli.align import align
from motionloom.cli.append import append
from motionloom.cli.check import check
from motionloom.cli.clean import clean
from motionloom.cli.compare import compare
from motionloom.cli.convert import convert
from motionloom.cli.demo import demo
from motionloom.cli.evaluate import evaluate
from motionloom.cli.info import info
from motionloom.cli.judge import judge
from motionloom.cli.learn import Learn
from motionloom.cli.methods import methods
from motionloom.cli.samples import Samples, list_samples
from motionloom.cli.similar import similar
from motionloom.cli.synthesize import synthesize
from motionloom.cli.view import view

HELP = """Learn from the motion clips you have, and make the ones you need.

Clips are files, folders or wildcards. Units are metres, seconds and radians; write 90cm, 35deg, 200ms as you like.
"""


ORDER = (
    "info",
    "convert",
    "view",
    "clean",
    "samples",
    "similar",
    "judge",
    "align",
    "append",
    "methods",
    "learn",
    "synthesize",
    "demo",
)


class Commands(TyperGroup):
    """The group of all commands. A user's mistake ends in one line on standard error, never in a traceback."""

    def list_commands(self, ctx: Any) -> list[str]:
        """In the order in which people need them."""
        others = [name for name in self.commands if name not in ORDER]
        return [name for name in (*ORDER[:-1], *others, ORDER[-1]) if name in self.commands]

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            code = exit_code(error)
            if code is None:
                raise
            typer.echo(f"motionloom: {error}", err=True)
            raise typer.Exit(code) from None


def exit_code(error: Exception) -> int | None:
    """2 for wrong usage, 1 for any other mistake of a file or a request, None for a mistake of ours."""
    if isinstance(error, (typer.Exit, typer.Abort)):
        return None
    from motionloom.core.errors import BadRequest, MotionloomError

    if isinstance(error, BadRequest):
        return 2
    return 1 if isinstance(error, MotionloomError) else None


def _group(cls: type[TyperGroup], text: str, callback: Callable[..., None] | None = None) -> typer.Typer:
    """A group of commands out of a table; with a callback it can also be called by itself."""
    alone = {"callback": callback, "invoke_without_command": True} if callback else {"no_args_is_help": True}
    return typer.Typer(cls=cls, help=text, rich_markup_mode=None, **alone)


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


app.command(short_help="what is in clips: frames, joints, unit, roles, travel")(info)
app.command(short_help="read clips, write them in another format, unit or rate")(convert)
app.command(short_help="draw clips: a filmstrip, or a player in one HTML file")(view)
app.command(short_help="take foot skate out of clips, many at once")(clean)
app.add_typer(
    _group(Samples, samples.HELP, list_samples), name="samples", short_help="clips computed here, to start with"
)
app.command(short_help="which frames of two clips look alike")(similar)
app.command(short_help="how good the pairs are that each measure chooses")(judge)
app.command(short_help="which moments of two clips belong together")(align)
app.command(short_help="one clip after another, joined where they are alike")(append)
app.command(short_help="what each method can do and be told")(methods)
app.add_typer(_group(Learn, learn.HELP), name="learn", short_help="learn a model from clips")
app.command(short_help="make new clips from a model and a request")(synthesize)
app.command(short_help="how good results are, beside the clips they were made from")(evaluate)
app.command(short_help="every method on the same clips, by the same measures")(compare)
app.command(short_help="what is wrong with captures before anyone learns from them")(check)
app.command(short_help="make samples and new motion, and a page to look at")(demo)
