"""Pictures of texton models, made from the model alone."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

from motionloom import samples
from motionloom.io import stroke_clip
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import placed
from motionloom.methods import learn
from motionloom.plot.style import INK, PAPER
from motionloom.plot.textons import bands, observed_clip, segmentation, texton_colours, transition_matrix
from motionloom.plot.textons_curves import about_body, joint_spectrum, spectra, trajectories
from motionloom.plot.textons_graph import CARD_HEIGHT, CARD_WIDTH, layout, texton_graph
from motionloom.plot.textons_pictures import PICTURES


@pytest.fixture(scope="module")
def model():
    takes = [resample(samples.make("dance", seconds=6, seed=s), 30) for s in (0, 1)]
    return learn("textons", takes, {"fps": 30.0, "shortest": 0.5, "tolerance": 0.7})


def test_bands_lie_end_to_end_in_time_and_are_named_as_in_a_path(model):
    rows = bands(model)
    assert sum(len(own) for own in rows.values()) == len(model.observed)
    for own in rows.values():
        for a, b in itertools.pairwise(own):
            assert a.start + a.seconds == pytest.approx(b.start, abs=1e-6)
    for own in rows.values():
        for b in own:
            texton, segment = map(int, b.name.split("#"))
            assert model.of_texton(texton)[segment] == b.observed


def test_frames_left_out_stay_as_a_gap_and_a_faster_file_as_its_own_seconds(model):
    rate = 2  # the samples have 60 frames a second, the model 30
    cut = [k for k, o in enumerate(model.observed) if o.source == model.observed[0].source]
    assert len(cut) > 2
    seen = [dataclasses.replace(o, frame=4 * o.frame, pace=4 * o.pace) for o in model.observed]  # four times as fast
    for k in cut[2:]:
        seen[k] = dataclasses.replace(seen[k], frame=seen[k].frame + 4 * rate * 15)  # half a second was left out
    own = next(iter(bands(dataclasses.replace(model, observed=tuple(seen))).values()))
    assert own[1].start == pytest.approx(own[0].start + own[0].seconds, abs=1e-6)
    assert own[2].start == pytest.approx(own[1].start + own[1].seconds + 0.5, abs=1e-6)


def test_the_segmentation_draws_every_band_and_every_clip(model):
    [ax] = segmentation(model).axes
    said = {t.get_text() for t in ax.texts}
    assert {b.name for own in bands(model).values() for b in own} <= said
    assert set(bands(model)) <= said
    assert len(ax.collections) > len(model.observed)  # bodies


def test_textons_have_colours_of_their_own(model):
    colours = texton_colours(model)
    assert len(np.unique(colours.round(3), axis=0)) == len(model.textons)


def test_the_matrix_shows_what_was_seen(model):
    from motionloom.plot.figures import new_figure

    ax = transition_matrix(model, ax=new_figure(4, 4).subplots())
    shown = ax.images[0].get_array().filled(0.0)
    assert np.array_equal(np.nan_to_num(shown) > 0, model.counts > 0)


def test_the_graph_has_a_card_for_each_texton_and_an_arrow_for_each_transition(model):
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

    ax = texton_graph(model).axes[0]
    others = model.counts.copy()
    np.fill_diagonal(others, 0)
    assert sum(isinstance(p, FancyBboxPatch) for p in ax.patches) == len(model.textons)
    assert sum(isinstance(p, FancyArrowPatch) for p in ax.patches) == (others > 0).sum()


@pytest.mark.parametrize("count", [1, 2, 7, 45])
def test_no_card_of_a_graph_covers_another(count):
    rng = np.random.default_rng(count)
    at = layout((rng.random((count, count)) < 0.1).astype(float))
    apart = np.abs(at[:, None] - at)
    free = (apart[..., 0] >= CARD_WIDTH) | (apart[..., 1] >= CARD_HEIGHT)
    assert free[~np.eye(count, dtype=bool)].all()


def test_joints_about_the_body_do_not_depend_on_where_it_stands_and_faces():
    clip = samples.make("walk", seconds=2)
    moved = placed(clip, (3.0, -2.0), 2.1)
    np.testing.assert_allclose(about_body(moved, ["left_hand"]), about_body(clip, ["left_hand"]), atol=1e-9)
    assert about_body(clip, ["left_hand"])[:, 0, 0].mean() > 0.05
    assert about_body(clip, ["right_hand"])[:, 0, 0].mean() < -0.05
    assert about_body(clip, ["head"])[:, 0, 1].min() > 0.2


def test_a_spectrum_peaks_at_the_frequency_of_the_swing():
    clip = samples.make("walk", seconds=10)
    hertz, power = joint_spectrum(clip, ["left_hand"])
    arm = about_body(clip, ["left_hand"])[:, 0, 2]
    turns = np.flatnonzero(np.diff(np.sign(arm - arm.mean())) > 0)
    beat = clip.fps * (len(turns) - 1) / (turns[-1] - turns[0])
    assert abs(hertz[1:][power[1:, 0].argmax()] - beat) <= 1.0


def test_trajectories_and_spectra_draw_the_original_and_what_was_made(model):
    clip = observed_clip(model, 0)
    long = samples.make("dance", seconds=3, seed=3)
    for figure in (trajectories(clip, [clip], ["made"]), spectra([long], [long], ["made"])):
        assert all(len(ax.lines) == 2 for ax in figure.axes)


def test_a_pen_stroke_has_pictures_too():
    t = np.arange(400) / 100
    strokes = [
        stroke_clip(np.stack([0.05 * np.cos(7 * t + p) + 0.02 * t, 0.05 * np.sin(7 * t + p)], 1), 100.0, name=f"s{p}")
        for p in (0, 1)
    ]
    model = learn("textons", strokes, {"fps": 100.0, "shortest": 0.4})
    assert segmentation(model).axes
    assert texton_graph(model).axes


def test_short_strokes_that_cannot_go_on_have_curves_and_spectra():
    t = np.arange(60) / 100  # shorter than a Welch segment, and nothing follows it
    stroke = stroke_clip(np.stack([0.05 * t, 0.03 * np.sin(9 * t)], 1), 100.0, name="s")
    model = learn("textons", [stroke], {"fps": 100.0, "shortest": 0.3})
    for name in ("curves", "spectra"):
        lines = [line.get_ydata() for ax in PICTURES[name](model, 0).axes for line in ax.lines]
        assert all(np.isfinite(y).all() for y in lines)
        assert max(np.ptp(y) for y in lines) > 1e-4  # the pen moves


def test_labels_on_bands_have_more_contrast_than_the_other_ink_would():
    from matplotlib import colormaps

    from motionloom.plot.textons import _contrasting

    assert _contrasting(np.array([1.0, 1.0, 0.6, 1.0])) == _contrasting(np.array([0.35, 0.75, 0.95, 1.0])) == INK
    assert _contrasting(np.array([0.1, 0.1, 0.3, 1.0])) == PAPER
    told = [_contrasting(colour) for colour in colormaps["gray"](np.linspace(0, 1, 30))]
    assert told == sorted(told, key=[PAPER, INK].index)  # dark ones first
