"""Methods as in-betweeners, the CMU split, and control."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom import samples
from motionloom.constraints import PoseAt, Reach, Request, RootAt, RootPath
from motionloom.core import BadRequest, Clip
from motionloom.evaluate.constraint_results import constraint_results
from motionloom.evaluate.evaluation import evaluate_take
from motionloom.evaluate.inbetween.gaps import BASELINES, GAPS, PAST, benchmark, interpolated, scale_of, windows
from motionloom.evaluate.inbetween.methods import MethodFiller, keyframe_methods
from motionloom.evaluate.inbetween.split import DUPLICATE_SUBJECTS, TEST, cmu_split, in_test
from motionloom.evaluate.reference import reference
from motionloom.evaluate.tables import constraint_rows, number, reasons
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import placed
from motionloom.methods import Attempt, learn


@pytest.fixture(scope="module")
def walks() -> list[Clip]:
    return [resample(samples.make("walk", seed=s, seconds=4), 30.0) for s in range(3)]


def test_methods_that_take_keyframes_fill_gaps_between_them(walks):
    assert "cuts" in keyframe_methods()
    filler = MethodFiller(learn("cuts", walks[:2]))
    window = windows(walks[2:], 65, 40)[0]
    filled = filler(window, 15)
    known = [*range(PAST), *range(PAST + 15, 65)]
    assert filled.root[known] == pytest.approx(window.root[known])
    assert len(filled) == 65
    assert filler.requested == 1
    scores = benchmark(walks[2:], scale_of(walks[:2]), {**BASELINES, "cuts": filler}, most=1)
    assert set(scores["cuts"].scores) == set(GAPS)
    assert all(np.isfinite(s.l2p) and np.isfinite(s.npss) for s in scores["cuts"].scores.values())


@pytest.mark.parametrize("gap", GAPS)
def test_a_method_is_told_both_ends_and_the_gap_is_filled_frame_by_frame(walks, monkeypatch, gap):
    from motionloom.evaluate.inbetween import methods as keyframes

    window = windows(walks[2:], 65, 40)[0]
    asked: list[Request] = []

    def true_frames(model, request, *, seed, take):
        asked.append(request)
        return Attempt(window[PAST - 1 : PAST + gap + 1], None, (), True, "")

    monkeypatch.setattr(keyframes, "attempt", true_frames)
    filler = MethodFiller(Knows())
    filled = filler(window, gap)
    assert filled.rotations == pytest.approx(window.rotations)
    assert filled.root == pytest.approx(window.root)
    (request,) = asked
    poses = [c for c in request.constraints if isinstance(c, PoseAt)]
    (end,) = [c for c in request.constraints if isinstance(c, RootAt)]
    assert [c.time for c in poses] == ["0f", f"{gap + 1}f"]
    assert [c.pose.clip.root[0] for c in poses] == [pytest.approx(window.root[k]) for k in (PAST - 1, PAST + gap)]
    assert end.position == pytest.approx(window.root[PAST + gap, [0, 2]])
    assert request.start.position == pytest.approx(window.root[PAST - 1, [0, 2]])
    assert (filler.requested, filler.missed, filler.failed) == (1, 0, 0)


def test_gaps_without_an_answer_are_interpolated_and_counted(walks, monkeypatch):
    from motionloom.evaluate.inbetween import methods as keyframes

    window = windows(walks[2:], 65, 40)[0]
    best = iter([None, window[9:26]])

    def fails(model, request, *, seed, take):
        if take == 1:
            raise BadRequest("cannot")
        return Attempt(next(best), None, (), False, "not quite")

    monkeypatch.setattr(keyframes, "attempt", fails)
    filler = MethodFiller(Knows())
    for _ in range(2):
        assert filler(window, 15).rotations == pytest.approx(interpolated(window, 15).rotations)
    assert (filler.requested, filler.missed, filler.failed, filler.reason) == (2, 1, 2, "cannot")
    assert filler(window, 15).rotations == pytest.approx(window.rotations)  # the best clip, which is the true one here
    assert (filler.requested, filler.missed, filler.failed) == (3, 2, 2)


class Knows:
    """A model of which only what it honours is asked."""

    honours = ((PoseAt, "hard"), (RootAt, "hard"))

    def refuses(self, constraint, frames):
        return ""


def test_twins_stay_on_one_side_of_the_split():
    for a, b in DUPLICATE_SUBJECTS:
        assert in_test(a) == in_test(b)
    assert in_test(139)  # 77 under its other number
    assert not in_test(143)


def test_the_cmu_split_is_by_subject_at_thirty_frames_per_second(mocap):
    train, test = cmu_split(mocap / "cmu")
    assert len(train) == 90
    assert len(test) == 36
    assert {int(c.name.split("_")[0]) for c in test} == set(TEST)
    assert all(c.fps == 30 for c in train + test)
    assert all(c.skeleton is train[0].skeleton for c in train + test)
    run = next(c for c in train if c.name.startswith("143_01"))
    assert len(run) == pytest.approx(50, abs=1)  # 101 frames at 60 fps, less the T-pose


def test_control_reads_residuals_path_deviation_and_arrival(walks):
    clip = placed(walks[0])
    place = clip.root[:, [0, 2]]
    goal = place[60]
    asked = Request(
        seconds=4.0,
        constraints=(
            RootPath(points=tuple((float(x), float(z)) for x, z in (*place[::10], place[-1]))),
            Reach(position=(float(goal[0]), float(goal[1]))),
        ),
    )
    path, reach = constraint_results(clip, asked)
    assert path.met
    assert path.mean is not None
    assert path.mean < path.worst < 0.2
    assert reach.arrival == pytest.approx(2.0)
    assert reach.worst == pytest.approx(0, abs=1e-9)


def test_what_a_short_clip_cannot_be_asked_about_has_a_reason_and_the_rest_has_numbers():
    clip = samples.make("walk", seed=0, seconds=2)
    late = RootAt(time=5.0, position=(0.0, 9.0))
    found = constraint_results(clip, Request(seconds=6.0, constraints=(RootAt(time=0.0, position=(0.0, 0.0)), late)))
    assert found[0].worst is not None
    assert found[1].worst is None
    assert not found[1].met
    assert "2" in found[1].reason
    assert "reason" not in found[0].as_dict()
    assert found[1].as_dict()["reason"] == found[1].reason
    report = evaluate_take(clip, reference([clip]), request=Request(seconds=6.0, constraints=(late,)))
    assert any(found[1].reason in line for line in reasons([report]))
    assert constraint_rows(report)[1][0][2:5] == ("n/a", number(late.limit, late.unit), "n/a")
