"""`motionloom label`: set, remove and list the labels of clips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import argument, option
from motionloom.cli.options import Clips, Json, plural, print_json, print_line, with_reading
from motionloom.cli.progress_bars import busy

if TYPE_CHECKING:
    from motionloom.recipes.labelling import LabelledFile

label = typer.Typer(
    help="Set, remove and list the labels of clips, in the files beside them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
ClipsThenLabel = Annotated[list[str], argument("CLIPS... LABEL", "Files, folders or wildcards, then the label.")]
OMITTED = ("unit", "up", "trim_tpose", "drop_slides", "roles")  # options of readers that do not change labels
Start = Annotated[str | None, option("--start --from", "TIME", "Start of the span: 1.5, 45f, end-3.")]
End = Annotated[str | None, option("--end", "TIME", "End of the span, excluded: 4, end-0.5.")]


@label.command("add")
@with_reading(omit=OMITTED)
def add(
    clips: ClipsThenLabel, start: Start = None, end: End = None, json: Json = False, *, reading: Any = None
) -> None:
    """Set a label over a span of each clip, by default over all of it."""
    _change(clips, start, end, json, reading, remove=False)


@label.command("remove")
@with_reading(omit=OMITTED)
def remove(
    clips: ClipsThenLabel, start: Start = None, end: End = None, json: Json = False, *, reading: Any = None
) -> None:
    """Remove a label from a span of each clip, by default from all of it."""
    _change(clips, start, end, json, reading, remove=True)


@label.command("list")
@with_reading(omit=OMITTED)
def listed(clips: Clips, json: Json = False, *, reading: Any = None) -> None:
    """List the labels of each clip with their spans in seconds; contacts are counted."""
    from motionloom.recipes.labelling import label_files

    with busy("reading") as report:
        files = list(label_files(clips, reading=reading, progress=report))
    _print(files, json)


def _change(clips: list[str], start: str | None, end: str | None, json: bool, reading: Any, *, remove: bool) -> None:
    from motionloom.core.text import printable
    from motionloom.core.units import moment
    from motionloom.recipes.labelling import label_files

    if len(clips) < 2:
        raise typer.BadParameter("give clips and then a label: motionloom label add 'walk_*.bvh' walk")
    *paths, name = clips
    span = None
    if start is not None or end is not None:
        span = (moment(start or 0, ("--start",)), moment(end or "end", ("--end",)))
    with busy("labelling") as report:
        files = list(label_files(paths, name, span=span, remove=remove, reading=reading, progress=report))
    if remove and not any(file.written for file in files):
        typer.echo(f"note: none of these clips has the label {printable(repr(name))}", err=True)
    _print(files, json)


def _print(files: list[LabelledFile], json: bool) -> None:
    if json:
        rows: list[dict[str, Any]] = []
        for file in files:
            wrote = None if file.written is None else str(file.written)
            rows.append({"path": str(file.path), "labels": file.labels, "written": wrote})
        print_json(rows)
        return
    for file in files:
        contacts = sum(len(s) for name, s in file.labels.items() if name.startswith("contact:"))
        texts = [
            f"{name} {', '.join(f'{a:.2f}-{b:.2f} s' for a, b in found)}"
            for name, found in file.labels.items()
            if not name.startswith("contact:")
        ]
        texts += [plural(contacts, "contact")] if contacts else []
        print_line(f"{file.path}: {'; '.join(texts) or 'no labels'}")
