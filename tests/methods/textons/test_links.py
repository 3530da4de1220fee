"""Walks that leave segments wherever they come near to others: links, styles, pace, repeats and copies."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom import samples
from motionloom.constraints import Pace, Request, Style
from motionloom.core import Origin, Unmet, UnsupportedConstraint, replace
from motionloom.evaluate.evaluation import evaluate_take, source_values
from motionloom.evaluate.measures.prepared_clip import take
from motionloom.evaluate.measures.verbatim import original_joins
from motionloom.evaluate.reference import reference
from motionloom.io import load
from motionloom.kinematics.pace import change_rate, pace
from motionloom.kinematics.resample import resample
from motionloom.methods import learn, prepare, synthesize
from motionloom.methods.textons import Options
from motionloom.methods.textons.plan import links as links_module
from motionloom.methods.textons.plan.followed_takes import captured_frames, missing_departure, take_distance
from motionloom.methods.textons.plan.link_costs import DISCOUNT, REFRESH_ROUNDS, ROUNDS, Outlook, Preference
from motionloom.methods.textons.plan.links import MAX_COPY_COST, MIN_PLAYED
from motionloom.methods.textons.plan.log_sums import RangeSums
from motionloom.methods.textons.plan.pieces import observed_time
from motionloom.methods.textons.render.trajectory import varied_drive


def labelled(clip, label):
    return replace(clip, label_names=(label,), labels=np.ones((len(clip), 1), bool))


@pytest.fixture(scope="module")
def gaits():
    """Slow and fast walks, with labels."""
    found = []
    for label, speed in (("slow", 0.9), ("fast", 1.6)):
        for seed in (0, 1):
            clip = resample(samples.make("walk", seconds=8, seed=seed, speed=speed), 30)
            found.append(labelled(clip, label))
    return found


@pytest.fixture(scope="module")
def walker(gaits):
    return learn("textons", gaits, {"fps": 30.0, "tolerance": 0.7})


def test_a_link_can_always_be_followed_by_another(model):
    links = model.network(Options()).links
    assert len(links.source) > 50
    assert (links.stop > links.start).all()
    least = round(MIN_PLAYED * model.fps)
    for k in range(0, len(links.source), 17):
        then = np.arange(links.start[k], links.stop[k])
        assert (links.source[then] == links.target[k]).all()
        assert (links.exit[then] >= links.entry[k] + least).all()


def test_the_outlook_is_the_mean_over_every_pair_of_links(model, rng):
    """Ranges of links are summed; here every pair is, before and after frames were shown."""
    links, track, pairs = model.network(Options())
    outlook = Outlook(links, pairs, model.fps, max_copy=1.2)
    shown = np.concatenate([[0.0], np.cumsum(rng.random(len(track.speed)))])
    value, again = np.zeros(len(links.source)), 0.0
    for rounds in (ROUNDS, REFRESH_ROUNDS):
        for _ in range(rounds):
            logs = outlook.chance - again + DISCOUNT * value[pairs.then]
            value = np.array([np.logaddexp.reduce(one) for one in np.split(logs, pairs.rows[1:])])
        assert outlook.values[0] == pytest.approx(value, abs=1e-9)
        again = shown[pairs.at + pairs.frames] - shown[pairs.at]
        outlook.show_again(shown)


def test_frames_that_were_shown_count_under_a_style_as_without_one(model, rng):
    """A style that all frames have: a walk that did not see repeats ahead showed one segment 15 times."""
    links, track, pairs = model.network(Options())
    label = Preference(0, 300, np.zeros(len(track.speed) + 1))
    free, styled = Outlook(links, pairs, model.fps), Outlook(links, pairs, model.fps, frames=300, wanted=[label])
    every, now = np.arange(len(links.source)), np.zeros(len(links.source))
    before = free.value(now, every), styled.value(now, every)
    shown = np.concatenate([[0.0], np.cumsum(rng.random(len(track.speed)))])
    for outlook in (free, styled):
        outlook.show_again(shown)
    changed = free.value(now, every) - before[0], styled.value(now, every) - before[1]
    assert np.ptp(changed[0]) > 1.0
    assert changed[1] == pytest.approx(changed[0], abs=1e-9)
    assert (styled.wanted_share(10) == 1.0).all()


def test_sums_over_ranges_hold_for_exponents_that_span_thousands_of_nats(rng):
    x = np.linspace(2000.0, -4000.0, 60) + rng.normal(size=60)
    first = rng.integers(0, 60, 40)
    stop = np.minimum(first + rng.integers(0, 20, 40), 60)  # some are empty
    expected = [np.logaddexp.reduce(x[a:b]) if a < b else -np.inf for a, b in zip(first, stop, strict=True)]
    assert RangeSums(first, stop)(x) == pytest.approx(np.array(expected), rel=1e-12)
    assert (RangeSums(first, first)(x) == -np.inf).all()


def test_a_walk_over_links_does_not_replay_its_source(model):
    """At their ends, most segments are nearest to what followed them in the clip."""
    share = {}
    for joins in ("ends", "anywhere"):
        made = synthesize(model, Request(seconds=40, options={"joins": joins}), seed=2)
        share[joins] = original_joins(made.origin, made.fps).mean()
    assert share["anywhere"] < 0.6 * share["ends"]
    assert share["anywhere"] < 0.4


def test_a_walk_leaves_a_clip_sooner_with_a_smaller_max_copy(model):
    lengths = {}
    for seconds in (0.6, 5.0):
        asked = Request(seconds=40, options={"max_copy": f"{seconds}s"})
        pieces = model.plan(asked, np.random.default_rng(3)).pieces
        lengths[seconds] = np.mean([observed_time(model.segments, p) for p in pieces])
    assert lengths[0.6] < lengths[5.0]


@pytest.fixture(scope="module")
def with_a_copy(gaits):
    """A model of four walks and a copy of the first."""
    takes = [replace(clip, origin=Origin(name=f"take {k}")) for k, clip in enumerate([*gaits, gaits[0]])]
    return learn("textons", takes, {"fps": 30.0, "tolerance": 0.7})


def place_of(model, segment, frame):
    seen = model.observed[segment]
    return seen.source, seen.frame + frame * seen.pace


def test_links_between_takes_that_continue_alike_lack_as_much_as_those_to_the_next_frame(with_a_copy):
    """They cost as much: the walk would still show what its source does."""
    links = with_a_copy.network(Options()).links
    missing = missing_departure(with_a_copy.segments, links.source, links.exit, links.target, links.entry)
    apart = take_distance(captured_frames(with_a_copy.segments), np.arange(1, 6) * 3)
    same = np.zeros(len(links.source), bool)
    for k, link in enumerate(zip(links.source, links.exit, links.target, links.entry, strict=True)):
        (clip, frame), (other, entered) = place_of(with_a_copy, *link[:2]), place_of(with_a_copy, *link[2:])
        same[k] = {clip, other} <= {"take 0", "take 4"} and abs(frame - entered) <= 1
    assert same.sum() > 5
    assert apart > 0.01  # m
    np.testing.assert_allclose(missing[same], apart, rtol=0.02)
    assert np.median(missing[~same]) < 0.5 * apart


def test_a_link_pays_for_what_it_lacks_as_for_distance(with_a_copy, monkeypatch):
    links = with_a_copy.network(Options()).links
    missing = missing_departure(with_a_copy.segments, links.source, links.exit, links.target, links.entry)
    with_a_copy._networks.clear()
    monkeypatch.setattr(links_module, "missing_departure", lambda segments, source, *rest: np.zeros(len(source)))
    free = with_a_copy.network(Options()).links
    with_a_copy._networks.clear()
    fall = with_a_copy.joins(Options()).fall
    np.testing.assert_array_equal(free.exit, links.exit)
    np.testing.assert_allclose(free.score - links.score, np.minimum(fall * missing, MAX_COPY_COST), atol=1e-9)


def test_salsa_is_repeated_no_longer_and_varied_no_less_than_between_takes(mocap):
    """LI's joins led to the source's own next segment in two of three cases, and copied 5 s at a stretch."""
    takes = [load(path) for path in sorted((mocap / "cmu").glob("60_*.bvh"))]
    model = learn("textons", takes)
    source = reference(prepare(takes, model.fps).clips)
    own = source_values(source)["window distance"].value
    for seed in range(2):
        found = evaluate_take(take(synthesize(model, Request(seconds=40), seed=seed)), source).values
        assert found["loose run"].value <= 2.0  # seconds
        assert found["original joins"].value <= 30  # %
        assert 0.8 <= found["window distance"].value / own <= 1.2


def test_a_varied_drive_keeps_its_spectrum(rng):
    push = rng.standard_normal((80, 3)).cumsum(0)
    drawn = varied_drive(push, 1.0, 0.1, rng)
    assert not np.allclose(drawn, push)
    before, after = (np.abs(np.fft.rfft(x, axis=0)) for x in (push, drawn))
    np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-9)
    assert varied_drive(push, 0.0, 0.1, rng) is push


@pytest.mark.parametrize("label", ["slow", "fast"])
def test_a_required_style_is_kept(walker, label):
    made = synthesize(walker, Request(seconds=6, constraints=(Style(label=label),)), seed=1)
    assert made.label(label).mean() >= 0.9


def test_styles_follow_each_other_in_time(walker):
    asked = (Style(label="fast", span=(0, 4)), Style(label="slow", span=(6, 10), weight=3))
    made = synthesize(walker, Request(seconds=10, constraints=asked), seed=0)
    assert made.label("fast")[: 4 * 30].mean() >= 0.9
    assert made.label("slow")[6 * 30 :].mean() >= 0.8


def test_an_unknown_label_is_refused(walker):
    with pytest.raises(UnsupportedConstraint, match="no clip carries the label 'sneak'; these clips carry fast, slow"):
        synthesize(walker, Request(seconds=3, constraints=(Style(label="sneak"),)))
    with pytest.raises(UnsupportedConstraint, match="joins: anywhere"):
        synthesize(walker, Request(seconds=3, constraints=(Style(label="slow"),), options={"joins": "ends"}))


def test_a_style_that_cannot_be_kept_is_reported(walker):
    both = (Style(label="slow"), Style(label="fast"))
    with pytest.raises(Unmet):
        synthesize(walker, Request(seconds=4, constraints=both))


@pytest.mark.parametrize("speed", [0.9, 1.6])
def test_a_pace_is_preferred(walker, speed):
    made = synthesize(walker, Request(seconds=8, constraints=(Pace(speed=(speed, speed), weight=1),)), seed=3)
    assert np.median(np.abs(pace(made) - speed)) < 0.15


def test_the_pace_is_steady_by_default(walker, gaits):
    """Speeds differ by 0.7 m/s: with joins at ends alone, walks change between them all the time."""
    made = [synthesize(walker, Request(seconds=20), seed=seed) for seed in range(3)]
    rate = change_rate([c.root[:, [0, 2]] for c in made], 30.0)
    assert rate <= 2
    assert change_rate([c.root[:, [0, 2]] for c in gaits], 30.0) == 0


def test_a_walk_shows_all_of_the_material(model):
    """A dog that sits: frames that hardly differ are near to each other, and links between them are many."""
    shares = {}
    for balanced in (True, False):
        seen = [np.zeros(o.length, bool) for o in model.observed]
        asked = Request(seconds=40, options={"balanced": balanced, "stage_radius": 1000, "steadiness": 0})
        for piece in model.plan(asked, np.random.default_rng(0)).pieces:
            seen[piece.observed][piece.first : piece.first + observed_time(model.segments, piece)] = True
        shares[balanced] = np.concatenate(seen).sum() / model.walk(Options(), np.random.default_rng(0)).usable.sum()
    assert shares[True] > 0.8
    assert shares[True] > shares[False] + 0.1
