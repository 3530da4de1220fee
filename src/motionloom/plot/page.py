"""A page of results: sections with text, players, pictures, tables and commands, in one file that works offline."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from motionloom.io.atomic_files import write_whole
from motionloom.plot.player import Stage, document, player


@dataclass(frozen=True)
class Paragraph:
    """A paragraph. Text between backquotes is set as code."""

    text: str

    def html(self) -> str:
        return f"<p>{_marked(self.text)}</p>"


@dataclass(frozen=True)
class PlayerBlock:
    """A player: stages on one clock."""

    stages: tuple[Stage, ...]
    fps: float = 30.0

    def html(self) -> str:
        return player(self.stages, fps=self.fps)


@dataclass(frozen=True)
class PictureBlock:
    """A PNG or SVG, written into the page."""

    data: bytes
    alt: str
    kind: str = "png"

    def html(self) -> str:
        mime = "image/svg+xml" if self.kind == "svg" else f"image/{self.kind}"
        source = f"data:{mime};base64,{base64.b64encode(self.data).decode('ascii')}"
        image = f'<img src="{source}" alt="{escape(self.alt)}">'
        return f"<figure>{image}<figcaption>{_marked(self.alt)}</figcaption></figure>"


@dataclass(frozen=True)
class TableBlock:
    """Numbers, with a heading for each column; the first column names the row."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def html(self) -> str:
        head = "".join(f"<th>{_marked(c)}</th>" for c in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{_marked(v)}</td>" for v in row) + "</tr>" for row in self.rows)
        return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


@dataclass(frozen=True)
class CommandBlock:
    """A command line, or several, and its output."""

    line: str
    output: str = ""

    def html(self) -> str:
        output = f"<samp>{escape(self.output)}</samp>" if self.output else ""
        return f"<pre><kbd>{escape(self.line)}</kbd>{output}</pre>"


Block = Paragraph | PlayerBlock | PictureBlock | TableBlock | CommandBlock


@dataclass(frozen=True)
class Section:
    """One part of a page."""

    title: str
    blocks: tuple[Block, ...]


def write_page(title: str, lead: str, sections: Sequence[Section], path: str | Path) -> None:
    """Write sections as one HTML file that works offline, on a phone too, dark and light."""
    links = "".join(f'<a href="#{_anchor(s.title)}">{escape(s.title)}</a>' for s in sections)
    parts = "\n".join(
        f'<section id="{_anchor(s.title)}"><h2>{escape(s.title)}</h2>{"".join(b.html() for b in s.blocks)}</section>'
        for s in sections
    )
    content = (
        f'<header><button data-switch-theme type="button" aria-label="dark or light">&#9680;</button>'
        f"<h1>{escape(title)}</h1><p>{_marked(lead)}</p><nav>{links}</nav></header>\n<main>\n{parts}\n</main>"
    )
    css = (files("motionloom.plot") / "web" / "page.css").read_text("utf-8")
    write_whole(path, [document(title, content, css=css).encode()])


def _anchor(title: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in title.lower()).strip("-")


def _marked(text: str) -> str:
    """Escaped text, with `code` set as code."""
    pieces = escape(text).split("`")
    return "".join(f"<code>{p}</code>" if k % 2 else p for k, p in enumerate(pieces))
