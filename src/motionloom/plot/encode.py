"""Writing pictures one after the other as an animation: GIF and WebP by Pillow, MP4 by ffmpeg."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import BadRequest, MissingExtra
from motionloom.io.atomic_files import check_place, write_whole
from motionloom.jobs.other_program import run_program
from motionloom.plot.canvas import pillow

KINDS = (".gif", ".webp", ".mp4")
COLOURS = 160  # of a GIF; fewer than 255 leaves room for the transparent one
PALETTE_PICTURES = 6  # pictures from which the colours of a GIF are chosen
PIECE = 1 << 20  # bytes copied at a time

Draw = Callable[[int], Any]  # number of a picture -> Pillow image, RGB


def check_kind(path: str | Path) -> str:
    """The kind of animation by the suffix of `path`; `BadRequest` or `MissingExtra` if it cannot be written."""
    kind = Path(path).suffix.lower()
    if kind not in KINDS:
        raise BadRequest(f"cannot animate to {Path(path).name!r}: expected a name ending in .gif, .webp or .mp4")
    if kind == ".mp4":
        find_ffmpeg()
    check_place(path)
    return kind


def encode(draw: Draw, count: int, fps: float, path: str | Path, *, quality: int = 75) -> None:
    """Write `count` pictures, drawn one by one, at `fps`. The file appears when all of it is written.

    `quality` 0..100 is for WebP.
    """
    kind = check_kind(path)
    if kind == ".mp4":
        _write_mp4(draw, count, fps, Path(path))
        return
    out = BytesIO()
    if kind == ".gif":
        _save_gif(draw, count, fps, out)
    else:
        first, rest = _sequence(draw, count)
        first.save(
            out, "WEBP", save_all=True, append_images=rest, duration=durations(count, fps), loop=0, quality=quality,
            method=2, kmin=30, kmax=60,
        )  # fmt: skip
    write_whole(path, [out.getbuffer()])


def durations(count: int, fps: float, unit: int = 1) -> list[int]:
    """How long each picture is shown, in ms and multiples of `unit`, so that no rounding error adds up.

    >>> durations(3, 30.0, unit=10)
    [30, 40, 30]
    """
    ends = np.round(np.arange(count + 1) * 1000.0 / fps / unit).astype(int) * unit
    return [int(v) for v in np.diff(ends)]


def _save_gif(draw: Draw, count: int, fps: float, out: BytesIO) -> None:
    """GIF has one table of colours: it is chosen from some pictures, evenly spread."""
    image = pillow()[0]
    samples = [draw(int(k)) for k in np.unique(np.linspace(0, count - 1, PALETTE_PICTURES).round())]
    tall = image.new("RGB", (samples[0].width, samples[0].height * len(samples)))
    for i, sample in enumerate(samples):
        tall.paste(sample, (0, i * sample.height))
    palette = tall.quantize(COLOURS, dither=image.Dither.NONE)
    pictures = (draw(k).quantize(palette=palette, dither=image.Dither.NONE) for k in range(count))
    first = next(pictures)
    first.save(
        out, "GIF", save_all=True, append_images=pictures, duration=durations(count, fps, unit=10), loop=0,
        optimize=True, disposal=1,
    )  # fmt: skip


def _sequence(draw: Draw, count: int) -> tuple[Any, Sequence[Any]]:
    """The first picture, and one image whose frames are the others, drawn when the encoder moves on to them.

    A list of all pictures would need hundreds of megabytes.
    """
    first = draw(0)
    if count == 1:
        return first, ()
    rest = first.copy()
    rest.n_frames = count - 1
    rest.seek = lambda frame: setattr(rest, "im", draw(frame + 1).im)
    return first, (rest,)


def find_ffmpeg() -> str:
    """The ffmpeg program: on the search path, or the one that comes with imageio-ffmpeg."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        return str(import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except ImportError:
        raise MissingExtra(
            "MP4 needs ffmpeg: install it, or `pip install imageio-ffmpeg`; .webp and .gif work without"
        ) from None


def _write_mp4(draw: Draw, count: int, fps: float, path: Path) -> None:
    first = draw(0)
    width, height = first.width // 2 * 2, first.height // 2 * 2  # the usual pixel format needs even numbers
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "film.mp4"
        command = [find_ffmpeg(), "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
        command += ["-r", f"{fps:.6f}", "-i", "-", "-an", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(film)]
        pictures = (draw(k) if k else first for k in range(count))
        run_program(command, (picture.crop((0, 0, width, height)).tobytes() for picture in pictures))
        write_whole(path, _pieces(film))


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece
