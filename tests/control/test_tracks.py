"""Tracks of crowds: CSV rows, with or without a header, and limits on the size of a crowd."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from motionloom.control.crowd_clips import crowd_clips
from motionloom.control.keyboard import help_line
from motionloom.control.tracks import Tracks, off_tracks, read_tracks
from motionloom.core import BadRequest, FormatError
from motionloom.methods import learn
from motionloom.samples import make

MEETING = [[0, 0, 0, -4], [0, 6, 0, 4], [1, 0, 0, 4], [1, 6, 0, -4]]


@pytest.mark.parametrize("head", ["", "id,t,x,z\n", "\ufeffid,t,x,z\n"])
def test_rows_are_read(tmp_path, head):
    (tmp_path / "t.csv").write_text(head + "0,0,1,2\n\n1,0.5,-3,4e-1\n", encoding="utf-8")
    assert read_tracks(tmp_path / "t.csv") == [[0, 0, 1, 2], [1, 0.5, -3, 0.4]]


@pytest.mark.parametrize("row", ["0,0,1", "0,0,1,2,3", "0,0,x,1", "0,0,nan,1", "0,0," + "1" * 200_000 + ",1"])
def test_wrong_rows_are_named(tmp_path, row):
    (tmp_path / "t.csv").write_text(f"id,t,x,z\n0,0,0,0\n{row}\n")
    with pytest.raises(FormatError) as error:
        read_tracks(tmp_path / "t.csv")
    assert error.value.line == 3
    assert len(str(error.value)) < 300


@pytest.fixture(scope="module")
def walking():
    walks = [make("walk", seed=1, turn=turn, seconds=4, fps=30) for turn in (-1.2, 0.0, 1.2)]
    return learn("parametric-graph", walks, {"sources": 6, "targets": 40, "verified": 200, "samples": 30})


def test_a_crowd_that_would_fill_the_memory_is_refused_before_it_begins(walking, monkeypatch):
    monkeypatch.setattr(type(walking), "live", property(lambda model: pytest.fail("work has begun")))
    with pytest.raises(BadRequest, match=r"1000000 characters for 60 s need 1[\d.]+ GB: .* more than the limit"):
        crowd_clips(walking, 10**6, 60.0)


def test_a_crowd_of_nobody_is_empty(walking):
    assert crowd_clips(walking, 0, 5.0) == []
    with pytest.raises(BadRequest, match="expected 0 or more characters, found -1"):
        crowd_clips(walking, -1, 5.0)


def test_characters_begin_on_their_tracks_and_meet_unless_they_keep_apart(walking):
    least = []
    for apart in (False, True):
        clips = crowd_clips(walking, 2, 5.0, tracks=MEETING, apart=apart)
        places = np.stack([clip.root[:, [0, 2]] for clip in clips])
        np.testing.assert_allclose(places[:, 0], [[0, -4], [0, 4]], atol=0.15)
        least.append(float(np.linalg.norm(places[0] - places[1], axis=1).min()))
    assert least[0] < 0.2
    assert least[1] > 0.5


def test_a_track_around_a_corner_is_followed_and_is_the_same_for_a_member_alone(walking):
    tracks = [[1, 0, 0, 0], [1, 3, 0, 4], [1, 6, 4, 4], [0, 0, 9, 9]]
    alone = crowd_clips(walking, 2, 5.0, tracks=tracks, members=[1])[0]
    both = crowd_clips(walking, 2, 5.0, tracks=tracks)
    np.testing.assert_array_equal(alone.root, both[1].root)
    place = alone.root[:, [0, 2]]
    off = np.minimum(
        np.linalg.norm(place - np.stack([0 * place[:, 0], np.clip(place[:, 1], 0, 4)], 1), axis=1),
        np.linalg.norm(place - np.stack([np.clip(place[:, 0], 0, 4), 0 * place[:, 1] + 4], 1), axis=1),
    )
    assert off.max() < 0.8
    assert place[-1, 0] > 1.0


def test_a_slow_track_asks_for_its_speed_and_never_leads_back():
    tracks = Tracks([[0, 0, 0, 0], [0, 10, 0, 5]], 2)
    goals, speeds = tracks.goals([0, 1], np.array([[0.1, 0.5], [3.0, 3.0]]), 0.0)
    assert 1.5 < goals[0, 1] <= 2.1
    assert speeds[0] < 0.5
    assert np.isnan(goals[1]).all()
    assert tracks.goals([0], np.array([[0.0, 1.9]]), 0.5)[0][0, 1] > 3.0
    assert tracks.goals([0], np.array([[0.0, 1.5]]), 0.5)[0][0, 1] > 3.0


@pytest.mark.parametrize("name", [2, -1, 0.5])
def test_an_id_that_is_no_character_is_an_error(name):
    with pytest.raises(BadRequest, match="expected ids from 0 to 1, found"):
        Tracks([[name, 0, 0, 0]], 2)


def test_a_character_cannot_be_at_two_places_at_one_time():
    with pytest.raises(BadRequest, match="expected one row of id 1 at 2 s, found two"):
        Tracks([[0, 2, 0, 0], [1, 2, 0, 0], [1, 0, 3, 3], [1, 2, 1, 1]], 2)


@pytest.mark.parametrize("row", [[0, 0, 1e308, 0], [0, 1e9, 0, 0]])
def test_a_time_or_a_place_beyond_all_requests_is_an_error(row):
    with pytest.raises(BadRequest, match="within 10000 s and m"):
        Tracks([[0, 0, 0, 0], row], 2)


def test_many_tracks_are_separated_in_one_pass():
    """With a search for each of them, it would take minutes."""
    rows = [[k, t, k % 7, t] for t in (1.0, 0.0) for k in range(30_000)]
    tracks = Tracks(rows, 30_000)
    assert len(tracks.lines) == 30_000
    assert tracks.lines[5].times.tolist() == [0.0, 1.0]
    assert tracks.lines[5].places.tolist() == [[5.0, 0.0], [5.0, 1.0]]


def test_the_distance_from_tracks_is_stated():
    walk = make("walk", seed=1, turn=0.0, speed=1.2, seconds=2, fps=30)
    x, _, z = walk.root[0]
    tracks = [[4, 0, x, z], [4, 1, x, z + 1.5], [9, 0, 0, 0]]  # of which one is not among the clips
    text = off_tracks(tracks, {0: walk, 4: walk})
    off = np.linalg.norm(walk.root[:31, [0, 2]] - [x, z] - np.outer(np.arange(31) / 30, [0, 1.5]), axis=1)
    assert text == (
        f"hips off the tracks by {off.mean():.2f} m on average, {off.max():.2f} m at most (member 4 at "
        f"{off.argmax() / 30:.1f} s)"
    )
    assert off_tracks([[0, 1, 2, 3]], {0: walk}) == ""  # a goal is no track


def test_keys_that_a_character_does_not_know_are_not_in_the_help():
    live: Any = SimpleNamespace(accepts=("heading", "action"), actions=("walk", "run"))
    assert help_line(live) == "arrows: heading   0-1: action   space: none   q: quit"
    walking: Any = SimpleNamespace(accepts=("heading", "speed", "overlay"), actions=())
    assert help_line(walking) == "arrows: heading, speed   o: overlay   space: none   q: quit"
