"""`motionloom demo`: run commands on samples, and write a page that shows these commands and what they made."""

from __future__ import annotations

import shlex
from contextlib import chdir, redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from shutil import which
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from motionloom.cli.flags import option
from motionloom.cli.options import print_line

if TYPE_CHECKING:
    from motionloom.cli.demo_parts import Part, Shown
    from motionloom.plot.page import Section
    from motionloom.plot.player import Stage

LEAD = """Learn from the motion clips you have, and make the ones you need.
Everything on this page was made by one command, which ran the commands that the page shows."""
NEXT = """Next steps
  open {out} in a browser
  {run} info {clips}
  {run} view YOUR.bvh -o look.html
  {run} clean YOUR.bvh -o cleaned.bvh
  {run} learn cuts {clips}/walks -o walks.loom
  {run} synthesize walks.loom -r '{{seconds: 20}}' -o long_walk.bvh"""


def demo(
    out: Annotated[Path, option("-o --out", "DIR", "Folder for the page and its clips.")] = Path("out"),
    only: Annotated[list[str] | None, option("--only", "PART", "Make only this part of the page; repeatable.")] = None,
) -> None:
    """Make sample clips, learn from them, make new motion, and write a page with animations and numbers."""
    from motionloom.cli.demo_parts import PARTS
    from motionloom.core import BadRequest
    from motionloom.plot.page import write_page

    for name in only or ():
        if name not in PARTS:
            raise BadRequest(f"the demo has no part {name!r}; it has {', '.join(PARTS)}")
    clips = out / "clips"
    clips.mkdir(parents=True, exist_ok=True)
    begun = perf_counter()
    sections: list[Section] = []
    for name in only or PARTS:
        start = perf_counter()
        with chdir(clips):
            sections.append(_section(PARTS[name]))
        print_line(f"  {PARTS[name].title:<60} {perf_counter() - start:5.1f} s")
    write_page("motionloom", LEAD, sections, out / "index.html")
    made = sorted(p for p in clips.rglob("*") if p.suffix in (".bvh", ".csv", ".glb", ".loom"))
    took = f"{perf_counter() - begun:.0f} s"
    print_line(f"\n{out / 'index.html'}: {len(sections)} sections, {len(made)} files in {clips}, {took}\n")
    run = "motionloom" if which("motionloom") else "./run motionloom"  # from a clone, the command is not on the path
    print_line(NEXT.format(out=out / "index.html", clips=clips, run=run))


def _section(part: Part) -> Section:
    """Run the commands of a part in the current folder."""
    from motionloom.plot.page import Block, CommandBlock, Paragraph, PictureBlock, PlayerBlock, Section

    commands: list[Block] = [CommandBlock(f"motionloom {line}", _output(line)) for line in part.commands.splitlines()]
    pictures: list[Block] = []
    for picture in part.pictures if find_spec("matplotlib") else ():
        _output(picture.command)
        text = f"`motionloom {picture.command}`: {picture.text}"
        pictures.append(PictureBlock(Path(picture.file).read_bytes(), text))
    stages = tuple(stage for shown in part.shown for stage in _stages(shown))
    return Section(part.title, (Paragraph(part.text), PlayerBlock(stages), *pictures, *commands))


def _output(line: str) -> str:
    """What a command prints; an error ends the demo as it ends the command."""
    from motionloom.cli.app import app

    said = StringIO()
    with redirect_stdout(said):
        code = app(shlex.split(line), standalone_mode=False)
    if code:
        raise typer.Exit(code)
    return said.getvalue().rstrip()


def _stages(shown: Shown) -> list[Stage]:
    """The views of clips, in the order of `shown.files`."""
    from motionloom.io import load
    from motionloom.plot.player import Stage

    paths = [path for pattern in shown.files.split() for path in sorted(Path().glob(pattern)) if _is_clip(path)]
    clips = tuple(load(path) for path in paths)
    if shown.title:
        return [Stage(clips, shown.title, shown.note)]
    return [Stage((clip,), path.stem, shown.note) for path, clip in zip(paths, clips, strict=True)]


def _is_clip(path: Path) -> bool:
    return not path.name.endswith(".labels.csv")
