"""Contact sheets: poses of a clip in a grid, each with the number of its frame and its time."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import BadRequest, Clip, Progress, silent
from motionloom.core.progress import each
from motionloom.io.atomic_files import write_whole
from motionloom.plot.actor import Actor, make_actor
from motionloom.plot.camera import Camera, floor_under, make_camera
from motionloom.plot.canvas import Canvas, pillow
from motionloom.plot.scene import draw_scene
from motionloom.plot.style import LINE, PAPER, QUIET
from motionloom.plot.view import View

CELL_WIDTHS, CELL_HEIGHT = (110, 300), 190  # pixels
CAPTION = 20  # pixels below each pose
TITLE = 26
MAX_CELLS = 2000


def contact_sheet(
    clips: Clip | Sequence[Clip],
    *,
    titles: Sequence[str] | None = None,
    every: int | None = None,
    poses: int = 32,
    columns: int = 8,
    start: float = 0.0,
    progress: Progress | None = None,
) -> Any:
    """Poses of clips in a grid, as a Pillow image: every `every` frames, or `poses` of them evenly spread.

    Several clips (before and after) show the same times in rows under each other. `start` (s) is the time of the first
    frame on the clock of the files. Frames are counted from 0 as in the file.
    """
    shown = [clips] if isinstance(clips, Clip) else list(clips)
    names = [clip.name for clip in shown] if titles is None else list(titles)
    longest = max(shown, key=lambda clip: clip.seconds)
    count = len(range(0, len(longest), every)) if every else min(poses, len(longest))
    if min(count, columns) < 1 or count * len(shown) > MAX_CELLS:
        raise BadRequest(f"a contact sheet has 1 to {MAX_CELLS} poses, not {count * len(shown)}; choose other frames")
    frames = np.arange(0, len(longest), every) if every else np.linspace(0, len(longest) - 1, count).round()
    times = frames / longest.fps
    actors = [make_actor(clip, name, times, trails=False, start=start) for clip, name in zip(shown, names, strict=True)]
    camera = make_camera(actors[:1], 1.0)
    boxes = [_cell_box(actor, camera.view) for actor in actors]
    wide, tall = max(box.width for box in boxes), max(box.height for box in boxes)
    width = int(np.clip(wide / tall * (CELL_HEIGHT - CAPTION), *CELL_WIDTHS))
    scale = min((CELL_HEIGHT - CAPTION) / tall, width / wide)
    columns = min(columns, len(times))
    rows = [(first, i) for first in range(0, len(times), columns) for i in range(len(actors))]
    titled = [len(actors) > 1 or first == 0 for first, _ in rows]
    height = len(rows) * CELL_HEIGHT + sum(titled) * TITLE
    sheet = pillow()[0].new("RGB", (columns * width, height), PAPER)
    top = -CELL_HEIGHT
    for r, (first, i) in enumerate(each(rows, progress or silent(), "drawing")):
        top += CELL_HEIGHT
        if titled[r]:
            head = Canvas(columns * width, TITLE)
            head.text(8, TITLE - 8, names[i], size=13)
            sheet.paste(head.image(), (0, top))
            top += TITLE
        for column, k in enumerate(range(first, min(first + columns, len(times)))):
            cell = Canvas(width, CELL_HEIGHT)
            cell.aim(boxes[i].centres[k], scale, (0, 0, width, CELL_HEIGHT - CAPTION))
            draw_scene(cell, [actors[i]], boxes[i], k, 1.0)
            _caption(cell, actors[i].frame_number(k), f"{start + times[k]:.2f} s")
            sheet.paste(cell.image(), (column * width, top))
    return sheet


def save_contact_sheet(clips: Clip | Sequence[Clip], path: str | Path, **options: Any) -> None:
    """Write a contact sheet as PNG or WebP, by the suffix of `path`. Options as in `contact_sheet`."""
    kind = Path(path).suffix.lower()
    if kind not in (".png", ".webp"):
        name = Path(path).name
        raise BadRequest(f"cannot write a contact sheet to {name!r}: expected a name ending in .png or .webp")
    out = BytesIO()
    contact_sheet(clips, **options).save(out, kind[1:].upper())
    write_whole(path, [out.getbuffer()])


def _cell_box(actor: Actor, view: View) -> Camera:
    """What a cell shows of each pose: the same size for all, the hips in its middle; a pen's whole stroke."""
    seen = view.project(actor.points)[..., :2]
    if not actor.shape.parts:
        return make_camera([actor], 1.0, follow=False, view=view)
    stand = floor_under(actor, view)
    margin = 0.16 * actor.shape.size
    low = (seen - stand[:, None]).min(axis=(0, 1)) - margin
    high = (seen - stand[:, None]).max(axis=(0, 1)) + margin
    width = 2 * float(max(-low[0], high[0]))
    return Camera(view, stand + [0.0, (low[1] + high[1]) / 2], width, float(high[1] - low[1]), actor.path)


def _caption(cell: Canvas, frame: str, clock: str) -> None:
    top, width = CELL_HEIGHT - CAPTION, cell.width
    cell.rectangle((0, top, width, CELL_HEIGHT), "#ffffff")
    cell.text(6, CELL_HEIGHT - 6, frame, size=11)
    cell.text(width - 6, CELL_HEIGHT - 6, clock, size=10, colour=QUIET, anchor="rs")
    cell.rectangle((width - 0.5, 0, width, CELL_HEIGHT), LINE)
