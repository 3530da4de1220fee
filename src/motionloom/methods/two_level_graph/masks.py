"""Masks of a performer from the images of a video, scaled to the silhouettes of a model's body (GUAN 2.4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import BadRequest, Clip, FormatError, MissingExtra
from motionloom.core.files import open_regular
from motionloom.kinematics.body.proportions import leg_length
from motionloom.methods.two_level_graph.silhouettes import PIXEL, SIZE, facing_points

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")
FORMATS = ("PNG", "JPEG", "BMP", "TIFF")
MAX_PIXELS, MAX_ALL_PIXELS = 1 << 24, 1 << 29  # of one image, and of all (a byte each)
EXTREME = 5.0  # %: the tallest and the lowest frames of a video may be wrong


def mask_files(path: str | Path) -> list[Path]:
    """The images of a folder, in the order of their names."""
    folder = Path(path)
    found = sorted(p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES) if folder.is_dir() else []
    if not found:
        raise BadRequest(f"{folder}: expected a folder of images ({', '.join(SUFFIXES)}), one for each frame")
    return found


def read_masks(files: Sequence[str | Path]) -> Any:
    """(F, rows, columns) bool, row 0 at the top: where the performer is in each image.

    That is where an image is not transparent, if it has transparent pixels; otherwise where it is light, or dark if
    its border is light.
    """
    out = np.zeros((0, 0, 0), bool)
    for n, path in enumerate(files):
        mask = _mask(Path(path))
        if n and mask.shape != out.shape[1:]:
            sizes = [f"{shape[1]} x {shape[0]}" for shape in (out.shape[1:], mask.shape)]
            raise FormatError(f"expected {sizes[0]} pixels as in the first image, found {sizes[1]}", path=path)
        if not mask.any():
            raise FormatError("no performer in this image: every pixel is background", path=path)
        if mask.size * len(files) > MAX_ALL_PIXELS:
            raise BadRequest(f"{len(files)} images of {mask.size} pixels: more than {MAX_ALL_PIXELS}; scale them down")
        if n == 0:
            out = np.zeros((len(files), *mask.shape), bool)
        out[n] = mask
    return out


def _mask(path: Path) -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtra("reading images needs Pillow: pip install 'motionloom[plot]'") from None
    try:
        with open_regular(path) as file, Image.open(file, formats=FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                raise FormatError(f"an image of {image.width} x {image.height} pixels is too large", path=path)
            pixels = np.asarray(image.convert("RGBA"))
    except Image.DecompressionBombError:
        raise FormatError(f"an image of more than {MAX_PIXELS} pixels is too large", path=path) from None
    except (OSError, ValueError, SyntaxError) as error:
        raise FormatError(f"cannot be read as an image: {error}", path=path) from None
    if (pixels[..., 3] < 128).any():
        return pixels[..., 3] >= 128
    light = pixels[..., :3].mean(-1) >= 128
    border = np.concatenate([light[0], light[-1], light[:, 0], light[:, -1]])
    return ~light if border.mean() > 0.5 else light


def fitted_masks(images: Any, clips: Sequence[Clip]) -> Any:
    """(F, rows, columns) of 0 and 1 as `silhouettes` draws them, from masks (F, height, width) of a fixed camera.

    The floor is where the performer's lowest pixels are, and the scale such that the performer is as tall as the body
    of `clips` in their tallest frames; in both, 5 % of the frames may be beyond. Each frame is centred.
    """
    body = np.concatenate([facing_points(clip)[..., 1].max(1) for clip in clips]) / leg_length(clips[0].skeleton)
    rows = [np.flatnonzero(mask.any(1)) for mask in images]
    floor = float(np.percentile([r[-1] + 1 for r in rows], 100 - EXTREME))
    tallest = float(np.percentile([floor - r[0] for r in rows], 100 - EXTREME))
    pixels = tallest / float(np.percentile(body, 100 - EXTREME)) * PIXEL  # of the image, for one of ours
    out = np.zeros((len(images), *SIZE), np.uint8)
    high = np.floor(floor - (np.arange(SIZE[0]) + 0.5) * pixels).astype(int)
    for mask, drawn in zip(images, out, strict=True):
        middle = float(np.nonzero(mask)[1].mean()) + 0.5
        wide = np.floor(middle + (np.arange(SIZE[1]) + 0.5 - SIZE[1] / 2) * pixels).astype(int)
        row, column = ((at >= 0) & (at < size) for at, size in zip((high, wide), mask.shape, strict=True))
        drawn[np.ix_(row, column)] = mask[np.ix_(high[row], wide[column])]
    return out
