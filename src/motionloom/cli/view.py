"""`motionloom view`: clips as a picture, or as a page that moves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from motionloom.cli.bars import busy
from motionloom.cli.options import Clips, Fps, Roles, TrimTpose, Unit, Up, load_all, say


def view(
    clips: Clips,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="A .png, .svg or .pdf picture, or a .html player."),
    ] = None,
    poses: Annotated[
        int | None, typer.Option("--poses", metavar="N", min=1, help="Poses in the picture; as many as fit otherwise.")
    ] = None,
    start: Annotated[float, typer.Option("--from", metavar="S", min=0.0, help="Begin here [s].")] = 0.0,
    end: Annotated[float | None, typer.Option("--to", metavar="S", help="End here [s].")] = None,
    trails: Annotated[bool, typer.Option(help="Foot trails and footprints in the picture.")] = True,
    sources: Annotated[
        bool, typer.Option("--sources", help="Draw where every frame comes from: clips, their frames, transitions.")
    ] = False,
    unit: Unit = None,
    up: Up = None,
    fps: Fps = None,
    trim_tpose: TrimTpose = False,
    roles: Roles = None,
) -> None:
    """Look at clips: a filmstrip (one row each), or a player in one HTML file that works offline."""
    from motionloom.core import BadRequest
    from motionloom.kinematics.resample import crop

    loaded = load_all(clips, unit=unit, up=up, fps=fps, trim_tpose=trim_tpose, roles=roles)
    for path, clip in loaded:
        if start >= clip.seconds:
            raise BadRequest(f"--from {start:g} s: this is after the end of {path.name} ({clip.seconds:g} s)")
    titles = row_titles([path for path, _ in loaded], [clip.name for _, clip in loaded])
    shown = [crop(clip, start, end) if start or end is not None else clip for _, clip in loaded]
    target = out or Path(loaded[0][0].stem + (".png" if sources else ".html"))
    kind = target.suffix.lower()
    if sources:
        from motionloom.plot.provenance import save_provenance

        with busy("drawing"):
            save_provenance(shown, target, titles=titles)
    elif kind in (".html", ".htm"):
        from motionloom.plot.player import write_player

        with busy("drawing"):
            write_player(shown, target, titles=titles)
    elif kind in (".png", ".svg", ".pdf"):
        from motionloom.plot.filmstrip import save_filmstrip

        with busy("drawing"):
            save_filmstrip(shown, target, poses=poses, titles=titles, trails=trails)
    else:
        raise BadRequest(f"cannot draw to {target.name!r}: expected a name ending in .html, .png, .svg or .pdf")
    say(f"{target}: {', '.join(titles)}")


def row_titles(paths: list[Path], names: list[str]) -> list[str]:
    """The clips' names; clips of the same name are told apart by their folders."""
    near = [f"{path.parent.name}/{path.name}" if path.parent.name else path.name for path in paths]
    titles = []
    for path, name, folder in zip(paths, names, near, strict=True):
        titles.append(name if names.count(name) == 1 else folder if near.count(folder) == 1 else str(path))
    return titles
