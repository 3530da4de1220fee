"""A fast picture in pixels (Pillow): bodies, shadows, footprints, lines on the floor and text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from motionloom.core import FloatArray, MissingExtra
from motionloom.plot.shading import body_polygons, outlines, shadow_outlines
from motionloom.plot.shape import DrawnBody
from motionloom.plot.style import INK, LINE, PAPER, RGB, mix, rgb
from motionloom.plot.view import View

FINE = 2  # pixels drawn, in each direction, for one pixel of the result: smooth edges
FLOOR_LINE = "#c3c0b8"
FLOOR_REACH = 9  # cells of the floor drawn in each direction


def pillow() -> Any:
    """The modules Image, ImageDraw, ImageFilter and ImageFont of Pillow."""
    try:
        from PIL import Image, ImageDraw, ImageFilter, ImageFont
    except ImportError:
        raise MissingExtra("animations and contact sheets need Pillow: pip install 'motionloom[plot]'") from None
    return Image, ImageDraw, ImageFilter, ImageFont


class Canvas:
    """A picture of `width` x `height` pixels. Scene coordinates are metres in the picture: right and up.

    `aim` sets the part of the scene that is drawn, and the part of the picture (`box`: left, top, right, bottom) in
    which it is drawn. Colours are opaque or mixed with the colours below.
    """

    def __init__(self, width: int, height: int) -> None:
        image, draw, *_ = pillow()
        self.width, self.height = width, height
        self._image = image.new("RGB", (width * FINE, height * FINE), PAPER)
        self._draw = draw.Draw(self._image)
        self.aim((0.0, 0.0), 100.0)

    def aim(
        self, centre: tuple[float, float] | FloatArray, scale: float, box: tuple[int, int, int, int] | None = None
    ) -> None:
        """Show the scene point `centre` in the middle of `box`, with `scale` pixels per metre."""
        self.box = box or (0, 0, self.width, self.height)
        left, top, right, bottom = self.box
        self._factor = np.array([scale, -scale]) * FINE
        self._origin = np.array([left + right, top + bottom]) * FINE / 2 - np.asarray(centre) * self._factor

    def pixels(self, points: FloatArray) -> FloatArray:
        """Scene points (..., 2) to pixels of the fine picture."""
        return points * self._factor + self._origin

    def floor(self, view: View, middle: FloatArray, ground: float, cell: float) -> None:
        """Lines on the ground, `cell` metres apart, that fade with the distance from `middle` (x, z)."""
        reach = FLOOR_REACH
        first = np.round(middle / cell)
        steps = np.arange(-reach, reach + 1)
        i, j = (a.ravel() for a in np.meshgrid(steps, steps[:-1], indexing="ij"))
        starts = np.concatenate([np.stack([i, j], -1), np.stack([j, i], -1)])
        ends = starts + np.repeat([[0, 1], [1, 0]], len(i), axis=0)
        away = np.linalg.norm((starts + ends) / 2 + first - middle / cell, axis=1) / reach
        strength = np.clip(1 - away, 0, 1) ** 1.2
        ink = [as_pixel(mix(rgb(PAPER), rgb(FLOOR_LINE), share)) for share in np.linspace(0, 1, 17)]
        corners = np.stack([starts, ends], 1) + first
        world = np.stack([corners[..., 0] * cell, np.full(corners.shape[:2], ground), corners[..., 1] * cell], -1)
        lines = self.pixels(view.project(world)[..., :2]).reshape(-1, 4)
        shown = self._visible(lines) & (strength > 0.03)
        levels = (strength * 16).round().astype(int)
        for line, level in zip(lines[shown].tolist(), levels[shown].tolist(), strict=True):
            self._draw.line(line, fill=ink[level], width=FINE)

    def body(self, shape: DrawnBody, points: FloatArray, view: View, *, fade: float = 0.0) -> None:
        """One pose; `points` (P, 3) world; `fade` 0..1 towards the paper."""
        polygons, colours = body_polygons(shape, view.project(points), fade=fade)
        flat = self.pixels(polygons).reshape(len(polygons), -1).tolist()
        for polygon, colour in zip(flat, (colours * 255).round().astype(int).tolist(), strict=True):
            self._draw.polygon(polygon, fill=tuple(colour))

    def shadow(self, shape: DrawnBody, points: FloatArray, view: View, ground: float, strength: float = 0.17) -> None:
        """The shadow of one pose on level ground, with soft edges."""
        image, draw, filters, _ = pillow()
        rings = self.pixels(shadow_outlines(shape, points, view, ground)) / FINE
        soft = 2
        low = np.floor(rings.min(axis=(0, 1))).astype(int) - 3 * soft
        high = np.ceil(rings.max(axis=(0, 1))).astype(int) + 3 * soft
        low = np.maximum(low, [self.box[0], self.box[1]])
        high = np.minimum(high, [self.box[2], self.box[3]])
        if (high <= low).any():
            return
        mask = image.new("L", tuple((high - low).tolist()), 0)
        pen = draw.Draw(mask)
        for ring in (rings - low).reshape(len(rings), -1).tolist():
            pen.polygon(ring, fill=round(255 * strength))
        mask = mask.filter(filters.BoxBlur(soft)).resize(
            tuple(((high - low) * FINE).tolist()), image.Resampling.BILINEAR
        )
        self._image.paste(as_pixel(rgb(INK)), tuple((low * FINE).tolist()), mask)

    def line(self, points: FloatArray, colour: RGB, width: float, alpha: float = 1.0) -> None:
        """A line through scene points (N, 2), `width` pixels wide."""
        if len(points) > 1:
            wide = round(width * FINE)
            self._mixed(
                self.pixels(points), alpha, wide, colour, lambda pen, at, ink: pen.line(at, ink, wide, joint="curve")
            )

    def polygon(self, points: FloatArray, colour: RGB, alpha: float = 1.0) -> None:
        """A filled polygon with scene corners (N, 2)."""
        self._mixed(self.pixels(points), alpha, 0, colour, lambda pen, at, ink: pen.polygon(at, ink))

    def _mixed(self, pixels: FloatArray, alpha: float, width: int, colour: RGB, paint: Callable[..., None]) -> None:
        """Draw with `paint`, at once if opaque, otherwise through a mask."""
        if alpha >= 1:
            paint(self._draw, pixels.ravel().tolist(), as_pixel(colour))
            return
        image, draw, *_ = pillow()
        low = np.floor(pixels.min(axis=0) - width - 1).astype(int).clip(0)
        high = np.ceil(pixels.max(axis=0) + width + 1).astype(int)
        high = np.minimum(high, [self.width * FINE, self.height * FINE])
        if (high <= low).any():
            return
        mask = image.new("L", tuple((high - low).tolist()), 0)
        paint(draw.Draw(mask), (pixels - low).ravel().tolist(), round(255 * alpha))
        self._image.paste(as_pixel(colour), tuple(low.tolist()), mask)

    def footprint(self, sole: FloatArray, radius: float, view: View, colour: RGB, alpha: float) -> None:
        """The outline of a sole on the ground: discs around its points (N, 3) world."""
        right = np.array([np.sin(view.yaw), 0.0, np.cos(view.yaw)])
        near = np.array([-np.cos(view.yaw), 0.0, np.sin(view.yaw)])
        flat = outlines(np.stack([sole @ right, sole @ near], -1), np.full(len(sole), radius))
        world = flat[:, :1] * right + flat[:, 1:] * near + [0.0, sole[0, 1], 0.0]
        self.polygon(view.project(world)[:, :2], colour, alpha)

    def dot(self, point: FloatArray, radius: float, colour: RGB) -> None:
        """A filled circle at a scene point, `radius` pixels wide."""
        x, y = self.pixels(point)
        r = radius * FINE
        self._draw.ellipse((x - r, y - r, x + r, y + r), fill=as_pixel(colour))

    def text(self, x: float, y: float, text: str, *, size: int = 13, colour: str = INK, anchor: str = "ls") -> None:
        """Text at a pixel of the picture; `anchor` as in Pillow ("ls": left end of the base line)."""
        self._draw.text((x * FINE, y * FINE), text, fill=colour, font=_font(size * FINE), anchor=anchor)

    def text_width(self, text: str, size: int) -> float:
        """Width of a text in pixels."""
        return float(_font(size * FINE).getlength(text)) / FINE

    def rectangle(self, box: tuple[float, float, float, float], colour: str) -> None:
        """A filled rectangle of pixels."""
        self._draw.rectangle([v * FINE for v in box], fill=colour)

    def image(self) -> Any:
        """The picture as a Pillow image, RGB."""
        return self._image.reduce(FINE)

    def _visible(self, lines: FloatArray) -> Any:
        """Which pixel lines (N, 4) may cross the box."""
        left, top, right, bottom = (v * FINE for v in self.box)
        x, y = lines[:, ::2], lines[:, 1::2]
        return (x.max(1) >= left) & (x.min(1) <= right) & (y.max(1) >= top) & (y.min(1) <= bottom)


def in_a_row(images: Sequence[Any]) -> Any:
    """Images of the same height side by side, with a thin line between them."""
    if len(images) == 1:
        return images[0]
    width, height = sum(image.width for image in images), images[0].height
    out = pillow()[0].new("RGB", (width, height), PAPER)
    x = 0
    for image in images:
        out.paste(image, (x, 0))
        if x:
            out.paste(as_pixel(rgb(LINE)), (x, 0, x + 1, height))
        x += image.width
    return out


def as_pixel(colour: RGB) -> tuple[int, int, int]:
    """Three numbers in 0..1 to three in 0..255."""
    return (round(255 * colour[0]), round(255 * colour[1]), round(255 * colour[2]))


@lru_cache(maxsize=16)
def _font(size: int) -> Any:
    """The typeface of matplotlib's pictures; Pillow's own where matplotlib is absent."""
    font = pillow()[3]
    try:
        from matplotlib import get_data_path
    except ImportError:
        return font.load_default(size)
    return font.truetype(f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf", size)
