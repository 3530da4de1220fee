"""All methods and baselines on the same clips, and the tables made of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from motionloom import samples
from motionloom.constraints import LookAt, Request, RootAt
from motionloom.core import BadRequest, Clip
from motionloom.evaluate.compare import baselines
from motionloom.evaluate.compare.compare import MethodComparison, compare_methods, read_contender
from motionloom.evaluate.compare.cost import measured
from motionloom.evaluate.compare.verdict import problem_lines
from motionloom.evaluate.tables import (
    bound_rows,
    comparison_dict,
    comparison_rows,
    constraint_rows,
    evaluation_rows,
    reasons,
    roughest,
    versus,
)
from motionloom.kinematics.resample import resample
from motionloom.methods import METHODS


@pytest.fixture(scope="module")
def walks() -> list[Clip]:
    return [resample(samples.make("walk", seed=s, seconds=3), 30.0) for s in range(3)]


@pytest.fixture(scope="module")
def found(walks) -> MethodComparison:
    return compare_methods(walks, Request(seconds=3.0), methods=["cuts"], count=2)


def test_every_method_and_every_baseline_has_a_line(found):
    assert [e.name for e in found.entries] == ["cuts", *baselines.BASELINES]
    assert all(len(e.reports) == 2 for e in found.with_results)


def test_methods_join_by_being_in_the_table(walks):
    names = [e.name for e in compare_methods(walks, Request(seconds=2.0), count=1).entries if e.kind == "method"]
    assert names == [name for name, method in METHODS.items() if method.learns_from_any_clips]


def test_a_method_that_learns_from_markers_is_not_compared_on_clips(walks):
    with pytest.raises(BadRequest, match="gaze learns from markers"):
        compare_methods(walks, Request(seconds=2.0), methods=["gaze"])


def test_costs_are_measured_for_methods_only(found):
    cuts = found.entries[0]
    assert cuts.costs is not None
    assert cuts.costs.learn_seconds > 0
    assert 0 < cuts.costs.per_second < 10
    assert cuts.costs.stored_bytes > 1000
    assert all(e.costs is None for e in found.entries[1:])


def test_a_method_that_cannot_honour_the_request_stays_with_the_reason(walks):
    asked = Request(seconds=2.0, constraints=(LookAt(target=(0.0, 1.6, 4.0)),))
    said = compare_methods(walks, asked, methods=["cuts"], count=1)
    assert problem_lines(said) == ["left out: cuts: does not honour look_at (hard)"]
    with pytest.raises(BadRequest, match="there is no method 'magic'"):
        compare_methods(walks, asked, methods=["magic"])


def test_what_was_asked_is_measured_on_methods_and_not_on_baselines(walks):
    asked = Request(seconds=2.0, constraints=(RootAt(time=0.0, position=(3.0, 1.0)),))
    found = compare_methods(walks, asked, methods=["cuts"], count=2)
    rows = {row[0]: row for row in comparison_rows(found)[1]}
    met = comparison_rows(found)[0].index("met")
    assert rows["cuts"][met] == "2/2"
    assert rows["copy of the source"][met] == ""
    assert found.entries[0].reports[0].constraints[0].worst == pytest.approx(0, abs=1e-9)


def test_the_same_seed_gives_the_same_results(walks, found):
    again = compare_methods(walks, Request(seconds=3.0), methods=["cuts"], count=2)
    for a, b in zip(found.entries, again.entries, strict=True):
        for x, y in zip(a.clips, b.clips, strict=True):
            assert np.array_equal(x.rotations, y.rotations)


def test_baselines_score_as_they_must(found):
    by = {e.name: e for e in found.entries}
    assert by["copy of the source"].mean("local diversity") == 0
    assert by["copy of the source"].mean("verbatim run") == pytest.approx(3.0)
    assert by["shuffled frames"].mean("peak acceleration") > 3 * found.own["peak acceleration"].value
    assert by["interpolated keyframes"].mean("jerk") < 0.3 * found.own["jerk"].value
    assert by["pieces without blending"].mean("global diversity") == pytest.approx(0, abs=1e-6)
    assert by["pieces without blending"].mean("jump") > 1.2 * found.own["jump"].value
    assert by["noise added"].mean("coverage") < 10


def test_baselines_have_the_length_that_was_asked_for(walks, rng):
    for make in baselines.BASELINES.values():
        assert len(make(walks, 200, rng)) == 200


def test_interpolated_keyframes_pass_through_one_frame_a_second(walks):
    clip = baselines.interpolated(walks[:1], 90, np.random.default_rng(0))
    for frame in (0, 30, 60, 89):
        assert clip.root[frame] == pytest.approx(walks[0].root[frame])
    assert clip.root[15] == pytest.approx((clip.root[0] + clip.root[30]) / 2)


def test_tables_and_json_hold_every_entry_and_never_nan(found):
    head, rows = comparison_rows(found)
    assert all(len(row) == len(head) for row in rows)
    assert [row[0] for row in rows] == ["source", "cuts", *baselines.BASELINES]
    assert head.index("coverage %") < head.index("global div.")  # never alone
    plain = json.loads(json.dumps(comparison_dict(found), allow_nan=False))
    assert plain["entries"][0]["mean"]["coverage"] is not None


def test_a_report_becomes_rows_bounds_and_reasons(found):
    report = found.entries[0].reports[0]
    head, rows = evaluation_rows([report])
    assert all(len(row) == len(head) for row in rows)
    assert [row[0] for row in bound_rows(report)[1]] == ["copy source", "shuffled source"]
    assert f"{report.name}: the body is never in the air long enough (gravity error)" in reasons([report])
    assert roughest(report).count("%") == 4  # what is alike, and three joints
    assert versus(report.values["jerk"]).startswith("x")
    assert constraint_rows(report)[1] == []


def test_a_job_is_timed_and_its_peak_memory_is_its_own():
    _, small = measured(lambda: None)
    kept, large = measured(lambda: np.ones(30_000_000))
    assert large.seconds > small.seconds
    if large.peak is not None and small.peak is not None:
        assert large.peak - small.peak > 200_000_000
    del kept


def test_a_best_clip_that_does_not_meet_the_request_is_measured_and_said(walks, monkeypatch):
    from motionloom.evaluate.compare import trial as module
    from motionloom.methods import Attempt, attempt

    def sometimes(model, request, *, seed, take, progress):
        if take == 0:
            return attempt(model, request, seed=seed, take=take)
        return Attempt(walks[0] if take == 1 else None, None, (), False, "2 m off")

    monkeypatch.setattr(module, "attempt", sometimes)
    found = compare_methods(walks, Request(seconds=3.0), methods=["cuts"], count=3)
    assert len(found.entries[0].reports) == 2
    assert problem_lines(found) == ["not all met: cuts: 2 of 3 takes not met: 2 m off"]


def test_a_method_with_a_fault_costs_one_row_and_not_the_comparison(walks, monkeypatch):
    from motionloom.evaluate.compare import trial as module

    def breaks(*_, **__):
        raise np.linalg.LinAlgError("SVD did not converge")

    monkeypatch.setattr(module, "learn", breaks)
    found = compare_methods(walks, Request(seconds=2.0), methods=["cuts"], count=1)
    assert problem_lines(found) == ["left out: cuts: failed with LinAlgError: SVD did not converge"]
    row = comparison_rows(found)[1][1]
    assert row[0] == "cuts"
    assert set(row[1:-4]) == {"n/a", ""}
    assert len(found.with_results) == len(baselines.BASELINES)


def test_a_take_with_a_fault_leaves_the_other_takes(walks, monkeypatch):
    from motionloom.evaluate.compare import trial as module
    from motionloom.methods import attempt

    def second_breaks(model, request, *, seed, take, progress):
        return attempt(model, request, seed=seed, take=take) if take == 0 else walks[0].rotations[len(walks[0])]

    monkeypatch.setattr(module, "attempt", second_breaks)
    found = compare_methods(walks, Request(seconds=2.0), methods=["cuts"], count=2)
    assert len(found.entries[0].reports) == 1
    assert "1 of 2 takes not met: failed with IndexError" in problem_lines(found)[0]


def test_a_method_over_its_budget_is_stopped_and_said(walks):
    found = compare_methods(walks, Request(seconds=2.0), methods=["cuts"], count=1, budget=0.001)
    assert problem_lines(found) == ["left out: cuts: stopped after 0.001 s, while learning (the budget)"]
    assert len(found.with_results) == len(baselines.BASELINES)


def test_a_budget_that_suffices_changes_nothing(walks, found):
    again = compare_methods(walks, Request(seconds=3.0), methods=["cuts"], count=2, budget=100)
    assert problem_lines(again) == []
    for x, y in zip(found.entries[0].clips, again.entries[0].clips, strict=True):
        assert np.array_equal(x.rotations, y.rotations)
        assert np.array_equal(x.root, y.root)


def test_takes_that_were_made_before_the_budget_was_spent_are_kept(walks, monkeypatch):
    from motionloom.evaluate.compare import compare as module
    from motionloom.evaluate.compare.trial import trial
    from motionloom.jobs import TimeUp

    class OneTake:
        def __init__(self, task, *given, name, seconds):
            assert (task, name, seconds) == (trial, "cuts", 7)
            self.steps = trial(*given)

        def values(self, progress):
            yield next(self.steps)
            yield next(self.steps)
            raise TimeUp("cuts: stopped after 7 s")

    monkeypatch.setattr(module, "start", OneTake)
    found = compare_methods(walks, Request(seconds=2.0), methods=["cuts"], count=3, budget=7)
    assert len(found.entries[0].reports) == 1
    assert problem_lines(found) == ["not all met: cuts: stopped after 7 s, with 1 of 3 takes made (the budget)"]


def test_clips_of_unequal_frame_rates_are_compared_and_it_is_said(walks):
    mixed = [walks[0], samples.make("walk", seed=1, seconds=3, fps=120)]
    found = compare_methods(mixed, Request(seconds=2.0, fps=24.0), methods=["cuts"], count=1)
    assert problem_lines(found) == []
    assert found.entries[0].clips[0].fps == 24.0
    assert any("120 fps, resampled to 24" in str(note) for note in found.notes)
    assert {e.clips[0].fps for e in found.with_results} == {24.0}


def test_noise_needs_a_second_joint():
    strokes = [samples.make("stroke", seed=s) for s in range(2)]
    found = {e.name: e for e in compare_methods(strokes, Request(seconds=1.0), methods=["cuts"], count=1).entries}
    assert "only one joint" in found["noise added"].reason
    assert found["copy of the source"].reports


@pytest.mark.parametrize(
    "text", ["[]", "{[1]: 2}", "cuts: 3", "cuts: {1: 2}", "{", "&a [*a]", "!!int ''", "", "9" * 5000]
)
def test_contenders_that_are_no_methods_are_named(text):
    with pytest.raises(BadRequest):
        read_contender(text)
