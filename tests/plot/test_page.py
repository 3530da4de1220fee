"""Pages of results."""

from __future__ import annotations

from pathlib import Path

from motionloom.core import Clip
from motionloom.plot import (
    CommandBlock,
    Paragraph,
    PictureBlock,
    PlayerBlock,
    Section,
    Stage,
    TableBlock,
    filmstrip,
    write_page,
)
from motionloom.plot.figures import figure_bytes


def test_a_page_holds_every_kind_of_block_and_no_address_outside(tiny: Clip, tmp_path: Path) -> None:
    sections = [
        Section(
            "All & sundry",
            (
                Paragraph("Type `info <x>`."),
                PlayerBlock((Stage((tiny,), "arm", numbers=(("length", "1 s"),)),)),
                PictureBlock(figure_bytes(filmstrip(tiny).figure), "an arm"),
                PictureBlock(b"<svg xmlns='x'/>", "a drawing", "svg"),
                TableBlock(("clip", "frames"), (("arm", "10"),)),
                CommandBlock("motionloom info arm.bvh", "10 frames"),
            ),
        )
    ]
    write_page("A page", "with a lead", sections, tmp_path / "index.html")
    text = (tmp_path / "index.html").read_text("utf-8")
    for piece in (
        "<title>A page</title>",
        "<h2>All &amp; sundry</h2>",
        "<code>info &lt;x&gt;</code>",
        '<div class="loom">',
        "data:image/png;base64,",
        "data:image/svg+xml;base64,",
        "<td>10</td>",
        "<kbd>motionloom info arm.bvh</kbd>",
        'href="#all---sundry"',
        'id="all---sundry"',
    ):
        assert piece in text, piece
    assert "http" not in text.replace("http-equiv", "")
