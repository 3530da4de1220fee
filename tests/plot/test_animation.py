"""Animations and contact sheets: length, clock, panels, and what happens when something goes wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from motionloom.core import BadRequest, Cancelled, Clip, FormatError, MissingExtra
from motionloom.core.progress import Silent
from motionloom.plot import animate, contact_sheet, save_contact_sheet
from motionloom.plot.actor import make_actor
from motionloom.plot.camera import make_camera
from motionloom.plot.encode import durations, find_ffmpeg
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk() -> Clip:
    return make("walk", seconds=1)


@pytest.mark.parametrize("suffix", ["gif", "webp"])
def test_an_animation_is_as_long_as_its_clip(walk: Clip, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"walk.{suffix}"
    animate(walk, path, fps=8, size=(120, 100))
    with Image.open(path) as film:
        assert (film.size, film.n_frames) == ((120, 100), 8)
        shown = []
        for k in range(film.n_frames):
            film.seek(k)
            film.load()
            shown.append(film.info["duration"])
    assert sum(shown) == pytest.approx(1000 * walk.seconds, abs=10)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_durations_do_not_drift_from_the_clock() -> None:
    for fps in (23.976, 24.0, 30.0, 60.0):
        ends = np.cumsum(durations(500, fps, unit=10))
        assert np.abs(ends - np.arange(1, 501) * 1000 / fps).max() <= 5.0 + 1e-9


def test_clips_play_on_one_clock_and_a_short_one_holds_its_last_pose(walk: Clip) -> None:
    times = np.arange(10) / 10
    actor = make_actor(walk[:30], "half", times, start=2.0)
    assert actor.frames.tolist() == [0, 6, 12, 18, 24, 29, 29, 29, 29, 29]
    assert actor.frame_number(4) == "frame 144"
    assert actor.frame_number(9) == "frame 149 (end)"


def test_clips_side_by_side_have_a_panel_each_and_an_overlay_has_one(walk: Clip, tmp_path: Path) -> None:
    sizes = {}
    for layout in ("side", "overlay", "scene"):
        animate([walk[:10], walk[5:15]], tmp_path / f"{layout}.webp", layout=layout, fps=5)
        with Image.open(tmp_path / f"{layout}.webp") as film:
            sizes[layout] = film.size
    assert sizes["side"][0] > 1.3 * sizes["overlay"][0]
    with pytest.raises(BadRequest, match="side, overlay, scene"):
        animate(walk, tmp_path / "x.gif", layout="stacked")


def test_a_camera_follows_a_long_walk_and_keeps_the_body_in_the_picture() -> None:
    walk = make("walk", seconds=8)
    actor = make_actor(walk, "walk", np.arange(80) / 10)
    camera = make_camera([actor], 10.0)
    seen = camera.view.project(actor.points)[..., :2] - camera.centres[:, None]
    assert np.ptp(camera.centres[:, 0]) > 5
    assert np.abs(seen[..., 0]).max() < camera.width / 2
    assert np.abs(seen[..., 1]).max() < camera.height / 2
    still = make_camera([actor], 10.0, follow=False)
    assert np.ptp(still.centres, axis=0).max() == 0
    assert still.width > 6


def test_the_body_is_drawn_where_the_camera_looks(walk: Clip, tmp_path: Path) -> None:
    animate(walk[:2], tmp_path / "pose.webp", size=(200, 200), captions=False, trails=False, quality=95)
    with Image.open(tmp_path / "pose.webp") as film:
        picture = np.asarray(film.convert("RGB")).astype(int)
    dark = picture.sum(axis=2) < 400
    rows, columns = np.nonzero(dark)
    assert 0.5 * 200 < np.ptp(rows) < 200
    assert abs(columns.mean() - 100) < 25


def test_progress_counts_pictures_and_cancelling_leaves_no_file(walk: Clip, tmp_path: Path) -> None:
    class Stop(Silent):
        shares: list[float]

        def __call__(self, share: float | None, stage: str) -> None:
            self.shares.append(share or 0.0)
            self.stop[0] = len(self.shares) > 5
            super().__call__(share, stage)

    stop = Stop()
    stop.shares = []
    with pytest.raises(Cancelled):
        animate(walk, tmp_path / "walk.webp", size=(64, 64), progress=stop)
    assert stop.shares == sorted(stop.shares)
    assert stop.shares[-1] < 0.5
    assert list(tmp_path.iterdir()) == []


def test_names_and_sizes_that_cannot_work_are_refused_before_anything_is_drawn(walk: Clip, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=r"\.gif, \.webp or \.mp4"):
        animate(walk, tmp_path / "walk.avi")
    with pytest.raises(BadRequest, match="32 and 8192"):
        animate(walk, tmp_path / "walk.gif", size=(4, 400))
    with pytest.raises(FormatError, match="is a folder"):
        animate(walk, _folder(tmp_path))
    with pytest.raises(BadRequest, match="choose a part"):
        animate(_long(walk), tmp_path / "long.gif", fps=60)


def _folder(tmp_path: Path) -> Path:
    (tmp_path / "folder.gif").mkdir()
    return tmp_path / "folder.gif"


def _long(walk: Clip) -> Clip:
    return walk[np.arange(4000) % len(walk)]


def test_mp4_needs_an_encoder_and_the_message_names_one(
    walk: Clip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingExtra, match=r"install it, or `pip install imageio-ffmpeg`"):
        animate(walk, tmp_path / "walk.mp4")


def test_an_mp4_is_written_where_ffmpeg_is_installed(walk: Clip, tmp_path: Path) -> None:
    try:
        find_ffmpeg()
    except MissingExtra:
        pytest.skip("no ffmpeg here")
    animate(walk, tmp_path / "walk.mp4", fps=10, size=(121, 101))
    assert (tmp_path / "walk.mp4").read_bytes()[4:8] == b"ftyp"


def test_a_contact_sheet_shows_every_nth_frame(walk: Clip, tmp_path: Path) -> None:
    sheet = contact_sheet(walk, every=10, columns=4)
    one, two = contact_sheet(walk, every=10, columns=6), contact_sheet([walk, walk], every=10, columns=6)
    assert sheet.width * 6 == one.width * 4  # cells of the same size
    assert two.height == 2 * one.height
    save_contact_sheet(walk, tmp_path / "walk.png", poses=3)
    with Image.open(tmp_path / "walk.png") as picture:
        assert picture.height == one.height
    with pytest.raises(BadRequest, match=r"\.png or \.webp"):
        save_contact_sheet(walk, tmp_path / "walk.svg")


def test_a_pen_stroke_can_be_animated_too(tmp_path: Path) -> None:
    pen = _pen()
    animate(pen, tmp_path / "pen.gif", fps=5, size=(80, 80))
    assert contact_sheet(pen, poses=4).width > 0


def _pen() -> Clip:
    from motionloom.core import Skeleton

    t = np.linspace(0, 1, 50)
    still = np.zeros((50, 1, 4))
    still[..., 0] = 1
    return Clip(Skeleton(("pen",), [-1], [[0, 0, 0]]), np.stack([0.1 * t, 0.05 * np.sin(6 * t), 0 * t], 1), still, 50.0)
