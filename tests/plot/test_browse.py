"""The browse page: every clip with its facts, in one file that works offline, whatever the clips are called."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionloom.core import BadRequest, Cancelled, Clip
from motionloom.core.progress import Silent
from motionloom.evaluate.capture_checks.findings import Finding
from motionloom.plot.browse import MAX_BYTES, thumbnail_seconds, write_browse_page
from motionloom.plot.player import page_json
from motionloom.samples import make

HOSTILE = ["<!--<script>", "</script><img src=x onerror=alert(1)>", "]]>&amp;'\"\u2028\\"]


class Scripts(HTMLParser):
    """Collects the text of script elements and the tags of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.scripts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] == "script":
            self.scripts[-1] += data


def read(path: Path) -> tuple[str, list[dict[str, Any]], Scripts]:
    page = Scripts()
    page.feed(path.read_text("utf-8"))
    title, cards = json.loads(page.scripts[0])
    return title, cards, page


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    return [make("walk", seconds=1), make("jump"), make("dog_walk", seconds=1)]


def test_a_card_has_length_labels_and_problems(clips: list[Clip], tmp_path: Path) -> None:
    found = [Finding("walk", "glitch", "the knee jumps, frame 30", broken=True)]
    write_browse_page(clips, tmp_path / "page.html", titles=["walk", "jump", "dog"], findings=found)
    title, cards, _ = read(tmp_path / "page.html")
    assert title == "3 clips"
    assert [card["name"] for card in cards] == ["walk", "jump", "dog"]
    assert [card["seconds"] for card in cards] == [1.0, round(clips[1].seconds, 2), 1.0]
    assert cards[0]["labels"] == ["walk"]  # contacts are not listed
    assert cards[0]["problems"] == [["glitch", "the knee jumps, frame 30", 1]]
    assert cards[2]["problems"] == []
    assert all(card["figure"]["fps"] == 15 for card in cards)


def test_problems_are_those_that_check_finds(clips: list[Clip], tmp_path: Path) -> None:
    broken = clips[0].rotations.copy()
    broken[30, 5] = -broken[30, 5][[1, 0, 3, 2]]
    glitch = Clip(clips[0].skeleton, clips[0].root, broken, clips[0].fps)
    write_browse_page([glitch, clips[2]], tmp_path / "page.html", titles=["a", "b"])
    _, cards, _ = read(tmp_path / "page.html")
    assert "glitch" in {kind for kind, _, _ in cards[0]["problems"]}
    assert "glitch" not in {kind for kind, _, _ in cards[1]["problems"]}


def test_names_cannot_break_the_page(clips: list[Clip], tmp_path: Path) -> None:
    write_browse_page(clips, tmp_path / "page.html", titles=HOSTILE, heading=HOSTILE[0], findings=[])
    title, cards, page = read(tmp_path / "page.html")
    assert title == HOSTILE[0]
    assert [card["name"] for card in cards] == HOSTILE
    assert page.tags.count("script") == 2  # the data and the code
    assert "img" not in page.tags
    assert not re.search(r"<!--|<script[^>]*>[^<]*<", page_json(HOSTILE))


def test_the_page_needs_nothing_from_outside(clips: list[Clip], tmp_path: Path) -> None:
    write_browse_page(clips[:1], tmp_path / "page.html", findings=[])
    text = (tmp_path / "page.html").read_text("utf-8")
    assert not re.search(r"https?://|//cdn|@import|url\(|fetch\(|XMLHttpRequest|import\(", text)


def test_the_size_of_all_thumbnails_is_bounded() -> None:
    walk = make("walk", seconds=1)
    long = walk[np.arange(60 * 60) % len(walk)]  # a minute
    assert thumbnail_seconds([long]) == 12
    many = thumbnail_seconds([long] * 1500)
    per_second = 3 * 2 * 4 / 3 * 2 * len(walk.skeleton) * 15
    assert 1 < many < 12
    assert 1500 * many * per_second == pytest.approx(MAX_BYTES, rel=0.01)


def test_two_clips_with_one_title_are_refused_and_cancelling_leaves_no_file(clips: list[Clip], tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="same title"):
        write_browse_page(clips, tmp_path / "page.html", titles=["a", "a", "b"])
    stop = Silent(np.ones(1, np.uint8))
    with pytest.raises(Cancelled):
        write_browse_page(clips, tmp_path / "page.html", progress=stop)
    assert list(tmp_path.iterdir()) == []
