"""Bands of sources: which clip, which frames, where it changes over."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from motionloom.blend import append
from motionloom.core import BadRequest, Clip, Origin, Source, concatenate, made_here, replace
from motionloom.core.origin import from_file
from motionloom.core.origin_joining import joined, mixed
from motionloom.plot import source_pictures
from motionloom.plot.source_pictures import provenance, save_provenance
from motionloom.plot.source_tracks import tracks
from motionloom.plot.style import SOURCES, rgb
from motionloom.samples import make


@pytest.fixture(scope="module")
def walks() -> list[Clip]:
    clips = [make("walk", seconds=2, fps=30, seed=s) for s in (0, 1)]
    return [replace(c, origin=from_file(f"walk_{k}.bvh", len(c))) for k, c in enumerate(clips)]


def shown(clip: Clip, *rows: tuple[str, int, int]) -> Clip:
    """The clip with these sources: (name, first frame, frames)."""
    sources = tuple(Source(name) for name, *_ in rows)
    which = np.concatenate([np.full(n, i) for i, (_, _, n) in enumerate(rows)])
    frames = np.concatenate([first + np.arange(n) for _, first, n in rows])
    return replace(clip[: len(which)], origin=Origin(sources=sources, which=which, frames=frames))


def crossing(clip: Clip, before: int, blend: int, after: int) -> Clip:
    """The clip as frames of a.bvh from 20 on, a blend, and frames of b.bvh from 117 on."""
    a, b = from_file("a.bvh", 200)[20:], from_file("b.bvh", 200)[117 - blend :]
    middle = mixed(a[before : before + blend], b[:blend], np.arange(1, blend + 1) / (blend + 1))
    origin = joined([a[:before], middle, b[blend : blend + after]], [before, blend, after])
    return replace(clip[: before + blend + after], origin=origin)


def test_bands_tell_clips_frames_and_transitions(walks):
    [found] = tracks(crossing(walks[0], 12, 11, 20)).values()
    assert [band[:5] for band in found] == [
        (0, 12, ("a.bvh",), (20,), (31,)),
        (12, 11, ("a.bvh", "b.bvh"), (32, 106), (42, 116)),
        (23, 20, ("b.bvh",), (117,), (136,)),
    ]
    np.testing.assert_allclose(found[1].weights[:, 1], np.arange(1, 12) / 12)


def test_clips_joined_by_append_have_bands_too(walks):
    [found] = tracks(append(*walks)).values()
    assert [band.title for band in found] == ["walk_0.bvh", "walk_0.bvh + walk_1.bvh", "walk_1.bvh"]


def test_frames_without_a_source_are_called_by_the_step_that_made_them(walks):
    step = made_here("synthesize", method="textons")
    which = np.repeat([0, -1], 30)
    made = Origin(sources=(Source("a.bvh"),), which=which, frames=np.full(60, -1), made=(step,))
    [found] = tracks(replace(walks[0], origin=made)).values()
    assert [band.title for band in found] == ["a.bvh", "textons"]


def test_each_body_part_has_its_own_track(walks):
    legs, arms = np.zeros((60, 1), int), np.repeat([0, 1], 30)[:, None]
    grid = np.stack([legs, arms], 1)
    sources = (Source("a.bvh"), Source("b.bvh"))
    split = Origin(
        sources=sources,
        which=grid,
        frames=np.broadcast_to(np.arange(60.0)[:, None, None], grid.shape),
        parts=("legs", "arms"),
    )
    clip = replace(walks[0], origin=split)
    assert {part: [band.title for band in bands] for part, bands in tracks(clip).items()} == {
        "legs": ["a.bvh"],
        "arms": ["a.bvh", "b.bvh"],
    }
    said = texts(provenance(clip, titles=["splice"]))
    assert {"legs", "arms", "2.00 s,  2 clips,  2 parts"} <= set(said)


def test_a_clip_without_known_sources_is_refused(walks):
    with pytest.raises(BadRequest, match="the sources of its frames are not known"):
        tracks(replace(walks[0], origin=Origin()))


def texts(ax) -> list[str]:
    return [t.get_text() for t in ax.texts]


def test_the_picture_names_clips_frames_and_seconds(walks):
    clip = crossing(walks[0], 22, 11, 27)
    ax = provenance(clip, titles=["mine"])
    said = texts(ax)
    for word in ("mine", "a", "20", "41", "b", "117", "143", "0 s", "1 s", "2 s", "a.bvh", "b.bvh"):
        assert word in said, word
    assert "2.00 s,  2 clips,  1 transition" in said
    colours = [patch.get_facecolor()[:3] for patch in ax.patches]
    for k in range(2):
        assert any(np.allclose(colour, rgb(SOURCES[k])) for colour in colours)


def test_cuts_are_counted(walks):
    assert "4.00 s,  2 clips,  1 cut" in texts(provenance(concatenate(walks), titles=["cut"]))


def test_a_clip_that_is_only_seen_in_a_blend_is_counted_as_in_the_key(walks):
    clip = crossing(walks[0], 12, 5, 1)[:17]
    assert "0.57 s,  2 clips,  1 transition" in texts(provenance(clip, titles=["walk"]))


def test_long_clips_take_several_rows_and_many_sources_stay_apart(walks):
    long = concatenate([walks[0]] * 20)
    many = shown(long, *((f"{k}.bvh", 0, 60) for k in range(20)))
    ax = provenance(many, titles=["long"])
    insets = ax.child_axes
    assert len(insets) == 3  # 40 s
    keys = {patch.get_facecolor() for patch in ax.patches}
    assert len(keys) == 20


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_it_is_saved_as_a_picture(walks, tmp_path, suffix):
    save_provenance(walks, tmp_path / "new" / f"p.{suffix}")
    assert (tmp_path / "new" / f"p.{suffix}").stat().st_size > 1000


def test_other_suffixes_are_refused(walks, tmp_path):
    with pytest.raises(BadRequest, match=r"ending in \.png, \.svg or \.pdf"):
        save_provenance(walks, tmp_path / "p.gif")


def test_a_pen_stroke_has_bands_without_poses():
    stroke = make("stroke", seed=0)
    ax = provenance(replace(stroke, origin=from_file("a.csv", len(stroke))))
    assert not ax.child_axes
    assert "a.csv" in texts(ax)


def test_names_of_parts_are_inside_the_picture_and_a_key_explains_the_marks(walks):
    clip = walks[0]
    origin = Origin(
        sources=(Source("a_clip_with_a_rather_long_name_of_its_own.bvh"), Source("b.bvh")),
        which=np.tile([[0], [1]], (len(clip), 1, 1)),
        frames=np.tile(np.arange(len(clip))[:, None, None].astype(float), (1, 2, 1)),
        parts=("left_front_upper_leg", "arms"),
    )
    ax = provenance(replace(clip, origin=origin))
    ax.figure.canvas.draw()
    boxes = {t.get_text(): t.get_window_extent() for t in ax.texts}
    assert min(box.x0 for box in boxes.values()) >= 0.0
    assert boxes["a_clip_with_a_rather_long_name_of_its_own.bvh"].x1 < boxes["b.bvh"].x0
    assert any(text.startswith("transition: both clips") for text in boxes)


@pytest.mark.parametrize("name", ["walk", "dog_walk"])
def test_bodies_beside_each_other_do_not_overlap(name, monkeypatch):
    """A dog is longer than a person is wide."""
    clip = make(name, seconds=4, fps=30)
    clip = replace(clip, origin=from_file("clip.bvh", len(clip)))
    painted = []

    def paint(_ax, _shape, points, view, *, shift):
        across = view.project(points)[..., 0] + shift[0]
        painted.append((across.min(), across.max()))

    monkeypatch.setattr(source_pictures, "paint_body", paint)
    provenance([clip])
    assert len(painted) > 2
    assert all(before[1] < after[0] for before, after in pairwise(painted))
