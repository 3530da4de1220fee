"""The HTML player: complete in itself, and true to the clip."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionloom.blend import append
from motionloom.core import Clip, concatenate
from motionloom.plot import Stage, player, write_player
from motionloom.plot.body import body, body_points
from motionloom.plot.player import quantise
from motionloom.samples import make


class Reader(HTMLParser):
    """Collects addresses, and the data of players."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.players: list[dict[str, Any]] = []
        self.scripts: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.addresses += [given[name] or "" for name in ("src", "href", "action", "data") if name in given]
        self.inside = "json" if tag == "script" and given.get("type") == "application/json" else tag

    def handle_data(self, data: str) -> None:
        if self.inside == "json":
            self.players.append(json.loads(data))
        elif self.inside == "script":
            self.scripts.append(data)

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    return reader


def unpack(figure: dict[str, Any]) -> np.ndarray:
    numbers = np.frombuffer(base64.b64decode(figure["data"]), "<u2").reshape(figure["frames"], figure["points"], 3)
    return np.array(figure["low"]) + figure["step"] * numbers


@pytest.fixture(scope="module")
def walk() -> Clip:
    return make("walk", seconds=2)


def test_the_page_needs_nothing_from_outside(walk: Clip, tmp_path: Path) -> None:
    write_player(walk, tmp_path / "walk.html")
    text = (tmp_path / "walk.html").read_text("utf-8")
    page = read(text)
    assert page.addresses == []
    assert not re.search(r"https?://|//cdn|@import|url\(|fetch\(|XMLHttpRequest|import\(", text)
    assert len(page.players) == 1
    assert "startPlayers()" in page.scripts[0]


def test_positions_come_back_to_a_tenth_of_a_millimetre(walk: Clip, tmp_path: Path) -> None:
    write_player(walk, tmp_path / "walk.html")
    figure = read((tmp_path / "walk.html").read_text("utf-8")).players[0]["stages"][0]["figures"][0]
    shape = body(walk)
    points = body_points(walk, shape)
    used = sorted({0} | {i for part in shape.parts for i in part.points} | {i for f in shape.feet for i in f.points})
    assert figure["fps"] == walk.fps
    assert np.abs(unpack(figure) - points[:, used]).max() < 1e-4
    assert len(figure["parts"]) == len(shape.parts)
    assert max(i for part in figure["parts"] for i in part[0]) < figure["points"]


def test_high_rates_keep_every_nth_frame_and_the_same_seconds(walk: Clip) -> None:
    fast = make("walk", seconds=2, fps=120)
    figure = read(player([Stage((fast,))], fps=30)).players[0]["stages"][0]["figures"][0]
    assert figure["fps"] == 30
    assert figure["frames"] == len(fast) // 4
    assert np.abs(unpack(figure)[5, 0] - fast.root[20]).max() < 1e-4


def test_contacts_are_stored_as_spans(walk: Clip) -> None:
    figure = read(player([Stage((walk,))], fps=60)).players[0]["stages"][0]["figures"][0]
    left = next(foot for foot in figure["feet"] if foot["side"] == "left")
    on = walk.label("contact:left_heel") | walk.label("contact:left_toe")
    frames = [f for a, b in left["contacts"] for f in range(a, b)]
    assert frames == np.flatnonzero(on).tolist()


def test_a_joined_clip_shows_where_its_frames_came_from(walk: Clip) -> None:
    other = replace(walk, origin=replace(walk.origin, name="other", sources=walk.origin.sources))
    joined = concatenate([walk[:30], other[60:90]])
    figure = read(player([Stage((joined,))], fps=60)).players[0]["stages"][0]["figures"][0]
    assert [[band[1:3] for band in part] for part in figure["sources"]] == [[[0, 30], [30, 30]]]


def test_a_blend_shows_the_weights_of_its_sources(walk: Clip) -> None:
    joined = append(walk[:90], walk[20:])
    [part] = read(player([Stage((joined,))], fps=60)).players[0]["stages"][0]["figures"][0]["sources"]
    [layers] = [layers for _, _, _, layers in part if len(layers) > 1]
    (_, leaves, falls), (_, enters, rises) = layers
    assert leaves == enters  # the same clip
    assert falls == sorted(falls, reverse=True)
    assert rises == sorted(rises)
    np.testing.assert_allclose(np.add(falls, rises), 1.0, atol=2e-3)


def test_several_figures_start_in_a_row(walk: Clip) -> None:
    figures = read(player([Stage((walk, walk, walk))])).players[0]["stages"][0]["figures"]
    shifts = np.array([figure["shift"] for figure in figures])
    assert np.allclose(shifts[1], 0)
    assert np.allclose(shifts[0], -shifts[2])
    assert np.linalg.norm(shifts[2]) > 0.5
    way = walk.root[-1, [0, 2]] - walk.root[0, [0, 2]]
    assert abs(shifts[2] @ way) < 1e-3 * np.linalg.norm(way)  # beside each other, not one behind the other


def test_a_name_cannot_end_the_script(walk: Clip) -> None:
    text = player([Stage((walk,), title="</script><b>x")])
    assert text.count("</script>") == 1
    assert read(text).players[0]["stages"][0]["title"] == "</script><b>x"


def test_quantised_points_lie_within_half_a_step(rng: np.random.Generator) -> None:
    points = rng.uniform(-3, 7, (11, 4, 3))
    low, step, data = quantise(points)
    numbers = np.frombuffer(base64.b64decode(data), "<u2").reshape(11, 4, 3)
    assert np.abs(np.array(low) + step * numbers - points).max() <= step / 2 + 1e-12
    assert quantise(np.ones((2, 1, 3)))[1] > 0


def test_the_player_is_small() -> None:
    web = files("motionloom.plot") / "web"
    assert sum(len((web / name).read_bytes()) for name in ("scene.js", "player.js")) < 40_000
