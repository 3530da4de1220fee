"""Takes that are unlike the others, and takes that the others make superfluous."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from motionloom.core import BadRequest, replace, silent
from motionloom.io import load
from motionloom.io.strokes.csv import stroke_clip
from motionloom.kinematics.resample import resample
from motionloom.kinematics.trim import touch_downs
from motionloom.methods.variation import Config, fit, learn_transition
from motionloom.methods.variation.networks import downstream, own_edges
from motionloom.methods.variation.regression import Rules, material_of
from motionloom.methods.variation.selection import compress_clips, select_clips
from motionloom.methods.variation.timing import UNLIKE

QUICK = Config(fps=None, rounds=1, candidates=2, tries=2)


def named(clip, name):
    return replace(clip, origin=replace(clip.origin, name=name))


def circle(seed, turn=1.0):
    """A circle of the pen whose size and place vary."""
    rng = np.random.default_rng(seed)
    angle = np.linspace(0, 2 * np.pi * turn, 40)
    size, place = 0.1 + 0.004 * rng.normal(size=2), 0.004 * rng.normal(size=2)
    return stroke_clip(np.stack([np.cos(angle), np.sin(angle)], 1) * size + place, 60.0)


@pytest.fixture(scope="module")
def circles():
    return [named(circle(s), f"circle {s}") for s in range(12)]


@pytest.fixture(scope="module")
def odd():
    """Circles the other way round."""
    return [named(circle(s, -1.0), f"odd {s}") for s in range(2)]


def test_the_odd_strokes_are_dropped_with_a_reason_and_the_others_kept(circles, odd):
    trusted, clips = circles[:6], [*circles[6:], *odd]
    found = select_clips(clips, trusted, QUICK, rng=np.random.default_rng(0))
    assert {d.name for d in found.dropped} >= {"odd 0", "odd 1"}
    assert [d.name for d in found.dropped[:2]] in (["odd 0", "odd 1"], ["odd 1", "odd 0"])
    assert all((d.times > UNLIKE or d.likelihood < d.threshold) and d.worst for d in found.dropped)
    assert [d.round for d in found.dropped] == list(range(1, len(found.dropped) + 1))
    assert len(found.kept) >= 3
    again = select_clips(clips, trusted, QUICK, rng=np.random.default_rng(0))
    assert again == found


def test_trusted_strokes_are_kept_and_again_once_the_odd_ones_are_gone(circles):
    """The threshold is about as many judges and the same networks, whatever these were learned on."""
    odd = [named(circle(20, 2.0), "twice round"), named(circle(21, 3.0), "thrice round")]
    for clips in (circles[:8], [*circles[:8], *odd]):
        found = select_clips(clips, circles[:8], QUICK, rng=np.random.default_rng(0))
        assert {d.name for d in found.dropped} == {c.name for c in clips[8:]}
        assert found.kept == tuple(c.name for c in circles[:8])
        assert min(found.likelihoods) >= found.threshold


def test_a_few_trusted_takes_are_enough(mocap):
    """They are judged by as many as other clips are: by fewer, four zombies are less likely than a casual walk is."""
    takes = {}
    for name in ("104_41", "104_19"):  # a zombie, and the same person walking
        clip = load(mocap / "cmu" / f"{name}.bvh", trim_tpose=True)
        steps = pairwise(touch_downs(clip, "left"))
        takes[name] = [named(resample(clip[a:b], 15.0), f"{name} {k}") for k, (a, b) in enumerate(steps)]
    zombies, walks = takes["104_41"][:3] + takes["104_41"][4:], takes["104_19"]
    found = select_clips([*zombies, *walks], zombies, QUICK, rng=np.random.default_rng(0))
    assert {d.name for d in found.dropped} == {clip.name for clip in walks}
    assert found.kept == tuple(clip.name for clip in zombies)


def test_learning_names_the_take_that_is_farthest_from_the_others(circles):
    """Not the one whose re-synthesis strays, which may be any."""
    wide = named(stroke_clip(1.5 * circle(0).root[:, :2], 60.0), "wide")

    def warned(clips):
        return [n.text for n in fit(clips, QUICK, rng=np.random.default_rng(0)).notes if "unlike" in n.text]

    assert warned(circles[:5]) == []
    [found] = warned([*circles[:5], wide])
    assert re.match(r"wide: unlike circle 0, .*the distances from them are: wide \d+\.\d \(more than 1\.8\)", found)


def test_groups_of_takes_are_told_apart_by_learning_and_selecting(circles, odd):
    """Each has a neighbour in its own group, as steps to the left and to the right have."""
    clips = [*circles[:5], *odd]
    [found] = [n.text for n in fit(clips, QUICK, rng=np.random.default_rng(0)).notes if "unlike" in n.text]
    assert found.startswith("odd 0, odd 1: unlike circle 0, circle 1")
    kept = select_clips(clips, circles[:3], QUICK, rng=np.random.default_rng(0)).kept
    assert not {"odd 0", "odd 1"} & set(kept)
    fit([clip for clip in clips if clip.name in kept], QUICK)  # is not refused


def test_a_take_that_is_given_twice_is_named(circles):
    twice = named(circle(1), "twice")
    found = [n.text for n in fit([*circles[:3], twice], QUICK).notes if n.level == "warning"]
    assert found == ["circle 1 and twice: the same take; a copy counts as one more"]


def test_a_repeated_take_is_superfluous_and_the_odd_one_is_not(circles, odd):
    twice = named(circle(1), "twice")
    found = compress_clips([*circles[:3], twice, odd[0]], 1e-4)
    assert [item.name for item in found.superfluous] == ["circle 1"]  # the first of the two
    assert found.superfluous[0].error < 1e-9
    assert {item.name for item in found.kept} == {"circle 0", "circle 2", "twice", "odd 0"}
    assert all(item.error > 1e-4 for item in found.kept)


def test_too_few_clips_cannot_judge_each_other(circles):
    with pytest.raises(BadRequest, match="at least 3 clips to judge each other, found 2"):
        select_clips(circles[:2], circles[:4], QUICK)
    with pytest.raises(BadRequest, match="at least 3 trusted clips"):
        select_clips(circles[:4], circles[:1], QUICK)
    with pytest.raises(BadRequest, match="at least 3 clips, found 1"):
        compress_clips(circles[:1], 0.01)


def test_only_what_depends_on_a_change_is_computed_again(rng):
    """The trajectories downstream of changed nodes, with the others taken over, are those of a full computation."""
    sequences = [np.cumsum(rng.normal(size=(12 + k, 5)), axis=0) for k in range(3)]
    material = material_of(sequences, np.zeros(5, bool), np.ones(5), delta=True, floor=0.01)
    rules = Rules(5, 0.5, 0.7, effective=True, delta=True)
    edges = own_edges(5)
    edges[1, 0], edges[2, 5 + 1], edges[4, 10 + 3] = True, True, True
    known = learn_transition.resynthesised(material, rules, edges, 2, silent())
    new = edges.copy()
    new[1, 5 + 3] = True
    due = downstream(new, [1])
    assert due.tolist() == [False, True, True, False, False]
    whole = learn_transition.resynthesised(material, rules, new, 2, silent())
    part = learn_transition.resynthesised(material, rules, new, 2, silent(), (*known, due))
    for a, b in zip(whole, part, strict=True):
        np.testing.assert_array_equal(a, b)
