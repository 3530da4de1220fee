"""`motionloom demo`: make samples, learn from them, make new motion, and write a page that shows it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from shutil import which
from time import perf_counter
from typing import Annotated

from motionloom.cli.flags import option
from motionloom.cli.options import print_line
from motionloom.cli.progress_bars import progress

LEAD = """Learn from the motion clips you have, and make the ones you need.
Everything on this page was made by one command."""
NEXT = """Next steps
  open {out} in a browser
  {run} info {clips}
  {run} view YOUR.bvh -o look.html
  {run} clean YOUR.bvh -o cleaned.bvh
  {run} learn cuts {clips}/walk_?.bvh -o walks.loom
  {run} synthesize walks.loom -r '{{seconds: 20}}' -o long_walk.bvh"""


def demo(
    out: Annotated[Path, option("-o --out", "DIR", "Folder for the page and its clips.")] = Path("out"),
    only: Annotated[list[str] | None, option("--only", "PART", "Make only this part of the page; repeatable.")] = None,
) -> None:
    """Make sample clips, learn from them, make new motion, and write a page with animations and numbers."""
    from motionloom.cli.demo_sections import SECTIONS
    from motionloom.core import BadRequest
    from motionloom.plot.page import Section, write_page

    for name in only or ():
        if name not in SECTIONS:
            raise BadRequest(f"the demo has no part {name!r}; it has {', '.join(SECTIONS)}")
    clips = out / "clips"
    clips.mkdir(parents=True, exist_ok=True)
    begun = perf_counter()
    sections: list[Section] = []
    for name in progress(only or list(SECTIONS), "making the demo"):
        start = perf_counter()
        sections.append(import_module(f"motionloom.cli.demo_sections.{name}").make_section(clips))
        print_line(f"  {SECTIONS[name]:<28} {perf_counter() - start:5.1f} s")
    write_page("motionloom", LEAD, sections, out / "index.html")
    made = sorted(p for p in clips.rglob("*") if p.suffix in (".bvh", ".csv", ".loom"))
    took = f"{perf_counter() - begun:.0f} s"
    print_line(f"\n{out / 'index.html'}: {len(sections)} sections, {len(made)} files in {clips}, {took}\n")
    run = "motionloom" if which("motionloom") else "./run motionloom"  # from a clone, the command is not on the path
    print_line(NEXT.format(out=out / "index.html", clips=clips, run=run))
