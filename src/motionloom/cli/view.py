"""`motionloom view`: clips as pictures, animations, an HTML player, or a page to browse a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import flag, option
from motionloom.cli.options import RATES_OF_EACH, Clips, load_with, print_line, with_reading
from motionloom.cli.progress_bars import busy

if TYPE_CHECKING:
    from motionloom.core import Clip

PICTURES = (".png", ".svg", ".pdf")
ANIMATIONS = (".gif", ".webp", ".mp4")
PAGES = (".html", ".htm")


@with_reading(rates=RATES_OF_EACH)
def view(
    clips: Clips,
    out: Annotated[
        Path | None,
        option(
            "-o --out",
            "FILE",
            "A filmstrip (.png, .svg, .pdf), an animation (.gif, .webp, .mp4) or an HTML page (.html): a player, "
            "or for folders a page with all clips.",
        ),
    ] = None,
    poses: Annotated[
        int | None, option("--poses", "N", "Poses in the picture; as many as fit otherwise.", min=1)
    ] = None,
    start: Annotated[float, option("--from --start", "S", "Begin here [s].", min=0.0)] = 0.0,
    end: Annotated[float | None, option("--to --end", "S", "End here [s].")] = None,
    trails: Annotated[bool, typer.Option(help="Foot trails and footprints.")] = True,
    streamers: Annotated[
        list[str] | None, option("--streamer", "JOINT", "Draw the path of this joint (role or name); repeatable.")
    ] = None,
    layout: Annotated[
        str,
        option(
            "--layout",
            "NAME",
            "Several clips in an animation: side (by side), overlay (the others pale) or scene (where they are).",
        ),
    ] = "side",
    follow: Annotated[
        bool | None, flag("--follow/--fixed", "Camera of an animation; chosen by the path otherwise.")
    ] = None,
    rate: Annotated[float, option("--rate", "FPS", "Pictures per second of an animation.", min=1.0, max=120.0)] = 30.0,
    size: Annotated[str | None, option("--size", "WxH", "Size of an animation in pixels, such as 640x400.")] = None,
    sheet: Annotated[bool, flag("--sheet", "A contact sheet: poses in a grid with frame numbers.")] = False,
    every: Annotated[int | None, option("--every", "N", "In a contact sheet: one pose every N frames.", min=1)] = None,
    sources: Annotated[
        bool, flag("--sources", "Draw where every frame comes from: clips, their frames, transitions.")
    ] = False,
    browse: Annotated[
        bool | None,
        flag("--browse/--player", "HTML: a page of thumbnails, or a player; by default, by folder or file."),
    ] = None,
    *,
    reading: Any = None,
) -> None:
    """Look at clips: a filmstrip, an animation, a contact sheet, an HTML player, or a page that shows a folder."""
    if out is not None:
        _check_target(out)
    pixels = _pixels(size)
    loaded = load_with(clips, reading)
    folder = Path(clips[0]).resolve() if Path(clips[0]).is_dir() else None
    stem = folder.name if folder else loaded[0][0].stem
    target = out or Path(stem + (".png" if sources or sheet or every else ".html"))
    kind = target.suffix.lower()
    from motionloom.io.titles import clip_titles
    from motionloom.kinematics.capture.tpose import starts_with_tpose

    titles = clip_titles([path for path, _ in loaded], [clip.name for _, clip in loaded])
    shown = [_part(path, clip, start, end) for path, clip in loaded]
    if browse is None:
        browse = any(Path(pattern).is_dir() for pattern in clips)
    with busy("drawing") as report:
        if sources:
            from motionloom.plot.source_pictures import save_provenance

            save_provenance(shown, target, titles=titles, start=start, progress=report)
        elif sheet or every:
            from motionloom.plot.contact_sheet import save_contact_sheet

            save_contact_sheet(
                shown, target, titles=titles, every=every, poses=poses or 32, start=start, progress=report
            )
        elif kind in PAGES and browse:
            from motionloom.plot.browse import write_browse_page

            write_browse_page(shown, target, titles=titles, progress=report)
        elif kind in PAGES:
            from motionloom.plot.player import write_player

            write_player(shown, target, titles=titles, start=start, progress=report)
        elif kind in ANIMATIONS:
            from motionloom.plot.animation import animate

            animate(
                shown,
                target,
                titles=titles,
                layout=layout,
                fps=rate,
                size=pixels,
                follow=follow,
                trails=trails,
                streamers=streamers or (),
                start=start,
                progress=report,
            )
        else:
            from motionloom.plot.filmstrip import save_filmstrip

            save_filmstrip(
                shown,
                target,
                poses=poses,
                titles=titles,
                trails=trails,
                streamers=streamers or (),
                aligned=True if start or end is not None else None,
                start=start,
                progress=report,
            )
    for title, (_, clip) in zip(titles, loaded, strict=True):
        if not start and starts_with_tpose(clip):
            print_line(f"{title}: frame 0 is a T-pose, shown as it is in the file (--trim-tpose drops it)")
    print_line(f"{target}: {', '.join(titles) if len(titles) < 6 else f'{len(titles)} clips'}")


def _check_target(path: Path) -> None:
    """`BadRequest` or `FormatError` if no picture, animation or page can be written here."""
    from motionloom.core import BadRequest
    from motionloom.io.atomic_files import check_place

    kinds = (".html", *PICTURES, *ANIMATIONS)
    if path.suffix.lower() not in (*kinds, *PAGES):
        raise BadRequest(
            f"cannot draw to {path.name!r}: expected a name ending in {', '.join(kinds[:-1])} or {kinds[-1]}"
        )
    check_place(path)


def _part(path: Path, clip: Clip, start: float, end: float | None) -> Clip:
    """The part of a clip that --from and --to name."""
    from motionloom.core import BadRequest
    from motionloom.kinematics.resample import crop

    if start >= clip.seconds:
        raise BadRequest(f"--from {start:g} s: this is after the end of {path.name} ({clip.seconds:g} s)")
    if end is not None and end <= start:
        raise BadRequest(f"--to {end:g} s: this is not after --from {start:g} s")
    return crop(clip, start, None if end is None else min(end, clip.seconds)) if start or end is not None else clip


def _pixels(size: str | None) -> tuple[int, int] | None:
    """The two numbers of `640x400`."""
    from motionloom.core import BadRequest

    if size is None:
        return None
    width, cross, height = size.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise BadRequest(f"--size: expected width x height in pixels, such as 640x400, found {size!r}")
    return int(width), int(height)
