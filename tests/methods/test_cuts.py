"""Loops and plain cuts."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Ground, PoseAt, Request, RootAt, Style
from motionloom.core import BadRequest, Clip, NoPath, Skeleton, UnsupportedConstraint, replace
from motionloom.core.origin import from_file
from motionloom.kinematics.loop import seam_features
from motionloom.kinematics.pace import STANDING_SPEED, pace_along
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import root_motion, turned
from motionloom.methods import learn, synthesize
from motionloom.methods.cuts import fit
from motionloom.methods.cuts.cut_points import Cuts, _least_around, find_cuts
from motionloom.methods.cuts.random_path import CutGraph, pieces, random_nodes
from motionloom.methods.schedule import Allowed, Reachable
from motionloom.rotation import angle_between
from motionloom.samples import make


@pytest.fixture(scope="module")
def walks():
    """A walk and a slower one at 30 fps, one labelled `brisk`, the other `calm`."""
    out = []
    for seed, speed, label in ((0, 1.4, "brisk"), (1, 1.2, "calm")):
        clip = resample(make("walk", seed=seed, speed=speed, seconds=5), 30)
        out.append(replace(clip, label_names=(label,), labels=np.ones((len(clip), 1), bool)))
        out[-1] = replace(out[-1], origin=from_file(f"{label}.bvh", len(clip)))
    return out


@pytest.fixture(scope="module")
def model(walks):
    return learn("cuts", walks, {"largest": 0.08})


def test_a_cut_is_where_the_next_frame_looks_like_the_one_that_would_have_come(walks):
    cuts = find_cuts(walks, largest=0.08, shortest=0.5, apart=0.1)
    rows = np.concatenate([seam_features(c) for c in walks])
    np.testing.assert_allclose(cuts.seam, np.linalg.norm(rows[cuts.leave + 1] - rows[cuts.enter], axis=1), atol=1e-6)
    assert cuts.seam.max() <= 0.08
    assert (np.diff(cuts.leave) >= 0).all()


def test_cuts_are_the_same_whatever_is_looked_at_together(walks, monkeypatch):
    whole = find_cuts(walks, largest=0.08, shortest=0.5, apart=0.1)
    monkeypatch.setattr("motionloom.methods.cuts.cut_points.BLOCK", 17)
    parts = find_cuts(walks, largest=0.08, shortest=0.5, apart=0.1)
    assert np.array_equal(whole.leave, parts.leave)
    assert np.array_equal(whole.enter, parts.enter)


def test_cuts_are_the_same_wherever_the_clips_stand_and_face(walks):
    moved = [walks[0], turned(walks[1], 2.0, about=(3, 1))]
    a, b = (find_cuts(w, largest=0.08, shortest=0.5, apart=0.1) for w in (walks, moved))
    assert np.array_equal(a.leave, b.leave)
    assert np.array_equal(a.enter, b.enter)


def test_no_cut_leads_to_nearly_the_same_moment(walks):
    cuts = find_cuts(walks[:1], largest=0.5, shortest=0.5, apart=0.1)
    assert np.abs(cuts.leave + 1 - cuts.enter).min() >= 15


def test_the_least_around_each_value_agrees_with_looking(rng):
    values = rng.normal(size=(7, 9))
    slow = [[values[max(0, i - 2) : i + 3, max(0, j - 2) : j + 3].min() for j in range(9)] for i in range(7)]
    np.testing.assert_array_equal(_least_around(values, 2), slow)


def test_every_step_is_a_source_step_or_a_cut_of_the_model(model):
    clip = synthesize(model, Request(seconds=20), seed=4)
    assert len(clip) == 600
    plan = model.plan(Request(seconds=20), np.random.default_rng([4, 0]))
    known = set(zip(model.cuts.leave.tolist(), model.cuts.enter.tolist(), strict=True))
    starts = np.concatenate([[0], np.cumsum([len(c) for c in model.clips])])
    for (c, _, stop), (d, first, _) in zip(plan.pieces, plan.pieces[1:], strict=False):
        assert (starts[c] + stop - 1, starts[d] + first) in known
    assert sum(b - a for _, a, b in plan.pieces) == 600


def test_poses_are_verbatim_and_the_root_is_carried_along(model, walks):
    clip = synthesize(model, Request(seconds=10), seed=1)
    which, frames = clip.origin.main()
    frames = frames.astype(int)
    names = [s.name for s in clip.origin.sources]
    by_name = {w.name: w for w in walks}
    motion = root_motion(clip)
    for t in range(0, len(clip) - 1, 7):
        source = by_name[names[which[t]]]
        moved = angle_between(clip.rotations[t, 1:], source.rotations[frames[t], 1:])
        assert np.median(moved) < 1e-9  # clean-up may move legs, never the rest
        if which[t + 1] == which[t] and frames[t + 1] == frames[t] + 1:
            np.testing.assert_allclose(motion[t], root_motion(source)[frames[t]], atol=0.02)


def test_at_a_cut_the_body_moves_on_at_its_own_speed(model):
    clip = synthesize(model, Request(seconds=20), seed=2)
    speed = np.linalg.norm(root_motion(clip)[:-1, :2], axis=1) * 30
    assert speed.min() > 0.8
    assert speed.max() < 2.0


def test_a_style_chooses_clips_span_by_span(model):
    asked = Request(seconds=10, constraints=(Style(label="calm", span=(0, 5)), Style(label="brisk", span=(5, 10))))
    for seed in range(5):
        clip = synthesize(model, asked, seed=seed)
        assert clip.label("calm")[:147].all()
        assert clip.label("brisk")[153:].all()


def test_a_label_that_no_clip_carries_is_a_missing_path_with_the_best_clip(model):
    with pytest.raises(NoPath, match="no clip carries the label 'sneak'; these clips carry brisk, calm") as caught:
        synthesize(model, Request(seconds=3, constraints=(Style(label="sneak"),)))
    assert len(caught.value.best) == 90
    assert [r.met for r in caught.value.residuals] == [False]


def test_soft_styles_that_contradict_give_way_to_the_heavier_one(model):
    asked = Request(seconds=4, constraints=(Style(label="calm", weight=1), Style(label="brisk", weight=2)))
    clip = synthesize(model, asked)
    assert clip.label("brisk").all()


def test_clips_that_cannot_be_joined_say_how_long_a_way_lasts(walks):
    model = learn("cuts", walks, {"largest": 0.0001})
    assert any("no loop" in str(note) for note in model.notes)
    assert len(synthesize(model, Request(seconds=4))) == 120
    with pytest.raises(NoPath, match=r"no sequence of cuts lasts 9 s; the longest lasts 5 s"):
        synthesize(model, Request(seconds=9))


def test_a_pose_is_kept(model, walks):
    asked = PoseAt(time=2, pose=walks[0][40:41], tolerance=1e-6)
    clip = synthesize(model, Request(seconds=4, constraints=(asked,)))
    assert asked.worst(clip) <= 1e-6


@pytest.mark.parametrize("fps", [10, 24, 60, 120])
def test_a_pose_is_kept_at_any_frame_rate(model, walks, fps):
    poses = ((2, walks[0][40:41]), ("end", walks[1][7:8]))
    asked = [PoseAt(time=t, pose=p, tolerance=1e-6) for t, p in poses]
    clip = synthesize(model, Request(seconds=4, fps=fps, constraints=tuple(asked)))
    assert len(clip) == 4 * fps
    assert max(c.worst(clip) for c in asked) <= 1e-6


def test_a_place_later_than_the_start_is_refused_with_the_reason(model):
    with pytest.raises(UnsupportedConstraint, match="root_at can only be at time 0"):
        synthesize(model, Request(seconds=4, constraints=(RootAt(time=1, position=(0, 0)),)))


def test_a_request_without_a_length_is_refused(model):
    with pytest.raises(BadRequest, match="cuts has no natural end: give seconds or frames"):
        synthesize(model, Request())


def test_marked_nodes_agree_with_trying_every_way(rng):
    graph = CutGraph((4, 3), Cuts(np.array([1, 2, 5]), np.array([5, 0, 2]), np.zeros(3)))
    masks = rng.random((6, 7)) < 0.7
    alive = Reachable(graph.net, 6, Allowed.of(masks))

    def can(t, node):
        if not masks[t, node]:
            return False
        if t == 5:
            return True
        ways = [node + 1] if node not in (3, 6) else []
        ways += [int(e) for x, e in zip(graph.cuts.leave, graph.cuts.enter, strict=True) if x == node]
        return any(can(t + 1, w) for w in ways)

    for t in range(6):
        assert [can(t, n) for n in range(7)] == alive.at(t).tolist()
        assert [alive.has(t, n) for n in range(7)] == alive.at(t).tolist()


def test_a_way_is_a_list_of_stretches():
    assert pieces(np.array([2, 3, 4, 5, 0, 1]), (4, 3)) == [(0, 2, 4), (1, 0, 2), (0, 0, 2)]


def test_an_eager_walk_cuts_more_often(walks):
    model = fit(walks)
    graph = model.graph()
    alive, even = Reachable(graph.net, 900), np.ones(graph.size)
    counts = [
        len(pieces(random_nodes(graph, alive, even, 900, shortest=10, eagerness=e, rng=rng), graph.lengths))
        for e in (0.0, 0.3, 1.0)
        for rng in [np.random.default_rng(0)]
    ]
    assert counts[0] < counts[1] < counts[2]


def test_clips_of_a_few_frames_and_of_one_joint_can_be_learned(walks):
    short = learn("cuts", [walks[0][:1], walks[1][:4]])
    assert len(synthesize(short, Request(frames=4))) == 4
    t = np.arange(150) / 30
    pen = Skeleton(("pen",), np.array([-1]), np.zeros((1, 3)))
    root = np.stack([np.sin(4 * t), np.cos(4 * t), 0 * t], 1)
    stroke = Clip(pen, root, np.tile([1.0, 0, 0, 0], (150, 1, 1)), 30)
    assert len(synthesize(learn("cuts", [stroke]), Request(seconds=9))) == 270


def test_ground_with_heights_is_refused(model):
    with pytest.raises(UnsupportedConstraint, match="cuts cannot honour ground with heights"):
        synthesize(model, Request(seconds=2, ground=Ground(np.zeros((1, 3)))))


def test_cuts_of_long_material_are_those_of_short_material(tiny_clips, monkeypatch):
    """Beyond `EXACT_FRAMES`, only similar frames are compared: fewer cuts from a frame, the same otherwise."""
    from motionloom.methods.cuts import cut_points

    settings = {"largest": 0.06, "shortest": 0.5, "apart": 0.1}
    exact = cut_points.find_cuts(tiny_clips, **settings)
    monkeypatch.setattr(cut_points, "EXACT_FRAMES", 100)
    quick = cut_points.find_cuts(tiny_clips, **settings)
    known = dict(zip(zip(exact.leave.tolist(), exact.enter.tolist(), strict=True), exact.seam.tolist(), strict=True))
    found = dict(zip(zip(quick.leave.tolist(), quick.enter.tolist(), strict=True), quick.seam.tolist(), strict=True))
    assert set(found) <= set(known)
    assert len(found) > 0.9 * len(known)  # the others are beyond the nearest `NEIGHBOURS` of a frame
    assert all(abs(known[pair] - found[pair]) < 1e-6 for pair in set(known) & set(found))


def test_a_body_that_has_stopped_does_not_stand_for_the_rest_of_the_time():
    """A walk, a stop, a stand and a start: most cuts lead from one standing frame to another."""
    names = ("start", "walk", "stop", "stand")
    clips = [resample(make(name, seed=0, seconds=4), 30) for name in names]
    model = learn("cuts", clips, {"largest": 0.1})
    standing = [float((pace_along(c.root[:, [0, 2]], 30) < STANDING_SPEED).mean()) for c in clips]
    own = np.average(standing, weights=[len(c) for c in clips])
    for seed in range(4):
        made = synthesize(model, Request(seconds=20), seed=seed)
        assert (pace_along(made.root[:, [0, 2]], 30) < STANDING_SPEED).mean() < own + 0.2
