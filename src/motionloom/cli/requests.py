"""The request of a command: a file or inline YAML, and the folders that it may read from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from motionloom.cli.flags import option
from motionloom.cli.options import own_parameters

if TYPE_CHECKING:
    from motionloom.constraints import Request

Root = Annotated[
    list[Path] | None,
    option("--root", "DIR", "Another folder that the request may read clips and grounds from; repeatable."),
]


RequestOption = Annotated[str, option("-r --request", "FILE|YAML", "A request file, or YAML: '{seconds: 12}'.")]


def given_request(
    argument: str, clips: Sequence[str] = (), root: Sequence[Path] | None = None, measure: Sequence[str] | None = None
) -> Request:
    """The request of `-r`, with its poses loaded and the functions of `--measure` among its parameters.

    Files that it names must be in the folder of the request file (the current folder, if it is inline), in the folders
    of the clips on the command line, or in those of `--root`.
    """
    from dataclasses import replace

    from motionloom.constraints import Request, parameter_table
    from motionloom.core.files import Files
    from motionloom.io import load

    folders = [*_folders(clips), *(root or ())]
    if is_inline(argument):
        request = Request.from_yaml(argument, load, Files((".", *folders)))
    else:
        request = Request.from_file(argument, load, Files(folders))
    return replace(request, table=parameter_table(own_parameters(measure))) if measure else request


def is_inline(argument: str) -> bool:
    """Whether the value of `-r` is YAML and not a file name: it begins with `{`, or contains `: ` or a line break.

    >>> is_inline("{seconds: 12}"), is_inline("seconds: 12"), is_inline("walk.yaml"), is_inline(r"C:\\walk.yaml")
    (True, True, False, False)
    """
    return not argument.strip() or argument.lstrip().startswith("{") or ": " in argument or "\n" in argument


def _folders(clips: Sequence[str]) -> list[Path]:
    from motionloom.io import expand_paths

    given = [Path(name) for name in clips if Path(name).is_dir()]
    return [*given, *(path.parent for path in expand_paths(clips))]
