"""The application: the table of commands, and the conversion of errors to messages and exit codes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any, NamedTuple, cast

import typer
from typer.core import TyperGroup

from motionloom.cli.flags import ARGUMENTS, flag
from motionloom.cli.interrupts import interrupts
from motionloom.methods.table import METHODS

HELP = """Learn from the motion clips you have, and make the ones you need.

Clips are files, folders or wildcards. Lengths are in metres and times in seconds unless they have a unit (90cm,
200ms). Angles always need a unit: 35deg, 0.6rad.
"""


class Command(NamedTuple):
    """One command: its line in `--help`, its group there, and the module that contains the function of its name."""

    group: str
    summary: str
    module: str


def _group(title: str, **summaries: str) -> dict[str, Command]:
    return {name: Command(title, text, f"motionloom.cli.{name}") for name, text in summaries.items()}


def _method_commands() -> dict[str, Command]:
    """The commands of single methods, from the table of methods."""
    return {
        name: Command(command.group, command.summary, f"motionloom.cli.methods.{method.folder}")
        for method in METHODS.values()
        for name, command in method.commands.items()
    }


# A module is imported when its command is called.
COMMANDS: Mapping[str, Command] = {
    **_group(
        "Files",
        info="summarize clips and models: frames, joints, unit, roles, travel",
        convert="convert clips to another format, unit or frame rate",
        fetch="download public motion data, with its licence",
        samples="make sample clips, without a download",
    ),
    **_group(
        "Clips",
        view="show clips: filmstrip, animation, contact sheet, HTML player, or a page of a folder",
        check="find problems in clips: glitches, flips, frozen joints, wrong frame rate, duplicates",
        clean="remove foot skate from clips",
        trim="cut the ends of clips, at times or at contacts",
        loop="find the stretch of a clip that repeats, close its seam, and repeat it",
        label="set, remove and list the labels of clips",
        retarget="transfer the motion of clips to another skeleton",
        append="join two clips with a transition where they are most similar",
        blend="blend clips of one action by weights",
        bands="change or exchange the frequency bands of clips",
        fourier="interpolate and control walks and runs as Fourier series",
        splice="put the action of one clip on the locomotion of another",
    ),
    **_group(
        "Compare",
        similar="find the most similar frames of two clips",
        find="find stretches of many clips that show the same action",
        judge="compare similarity measures by the pairs of frames that they choose",
        align="align two clips in time",
        evaluate="measure the quality of results against their source clips",
        compare="run several methods on the same clips and compare the results",
        study="let people rate clips, and analyse their ratings",
    ),
    **_group(
        "Learn and make",
        learn="learn a model from clips",
        synthesize="make new clips from a model and a request",
        again="make a result again from its recipe, byte for byte",
        demo="make samples and new motion, and a page that shows them",
        warm="compile all kernels now, so that later commands do not wait for it",
    ),
    "methods": Command(
        "Inspect", "list the methods, the constraints they honour, and their settings", "motionloom.cli.list_methods"
    ),
    **_group("Live", stream="drive a live character: headings, places, speeds, styles"),
    **_method_commands(),
}
GROUPS = tuple(dict.fromkeys(command.group for command in COMMANDS.values()))


class CommandGroup(TyperGroup):
    """The group of all commands. Errors in input end in one line on standard error, never in a traceback."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for group in GROUPS for name, c in COMMANDS.items() if c.group == group]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name; imports its module."""
        if cmd_name not in COMMANDS:
            from motionloom.core.errors import unknown

            ctx.fail(unknown(cmd_name, COMMANDS, "command"))
        found = getattr(import_module(COMMANDS[cmd_name].module), cmd_name.replace("-", "_"))
        if not isinstance(found, typer.Typer):
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.command(cmd_name)(found)
            found = alone
        command = typer.main.get_command(found)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands in groups. Their modules are not imported: `--help` must be instant."""
        for group in GROUPS:
            with formatter.section(group):
                formatter.write_dl([(name, c.summary) for name, c in COMMANDS.items() if c.group == group])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        ctx.meta[ARGUMENTS] = tuple(args[1:])  # in their order, which is lost when they are sorted into options
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with interrupts() as interrupted:
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:
                raise _cancelled() from None
            except Exception as error:
                if interrupted:
                    raise _cancelled() from None
                code = exit_code(error)
                if code is None:
                    raise
                from motionloom.core.text import printable

                typer.echo(f"motionloom: {printable(error_message(error))}", err=True)
                raise typer.Exit(code) from None


def _cancelled() -> typer.Exit:
    typer.echo("motionloom: cancelled", err=True)
    return typer.Exit(130)


def exit_code(error: Exception) -> int | None:
    """2 for wrong usage, 130 after Ctrl-C, 1 for any other error in a file or a request, None for a bug."""
    if isinstance(error, (typer.Exit, typer.Abort)):
        return None
    from motionloom.core.errors import BadRequest, MotionloomError
    from motionloom.core.progress import Cancelled

    if isinstance(error, Cancelled):
        return 130
    if isinstance(error, BadRequest):
        return 2
    if isinstance(error, BrokenPipeError):  # the reader of our output has exited: no message
        return None
    return 1 if isinstance(error, (MotionloomError, OSError, MemoryError)) else None


def error_message(error: Exception) -> str:
    """The message of an error, in one line."""
    if isinstance(error, MemoryError):
        return f"not enough memory ({str(error) or 'size unknown'})"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        typer.echo(f"motionloom {version('motionloom')}")
        raise typer.Exit


app = typer.Typer(
    cls=CommandGroup,
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help takes half the time, and rich would drop units in brackets
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


@app.callback()
def start(
    version: Annotated[
        bool, flag("--version", "Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Setup that precedes every command."""
    from motionloom.core import compiling

    compiling.notify(lambda: typer.echo(f"motionloom: compiling ({compiling.how_often()}) ...", err=True))
    shown: set[str] = set()  # the filter "once" forgets whenever a library changes the filters

    def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
        """Print a deprecation as a note on standard error; other warnings are for developers and are dropped."""
        if issubclass(category, FutureWarning) and str(message) not in shown:
            shown.add(str(message))
            typer.echo(f"note: {message}", err=True)

    warnings.showwarning = cast(Any, show)
    warnings.simplefilter("always", FutureWarning)
