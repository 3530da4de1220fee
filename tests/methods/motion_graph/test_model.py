"""The model: what it follows and reaches, what it says, and what it refuses."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from motionloom.constraints import Avoid, PoseAt, Reach, Request, RootAt, RootPath, Start, Style, StyleAlong
from motionloom.core import BadRequest, NoPath, UnsupportedConstraint, with_labels
from motionloom.kinematics.travel import travel
from motionloom.methods import learn, synthesize
from motionloom.methods.motion_graph import Config, fit
from motionloom.methods.synthesis import rendered
from motionloom.samples import make

BEND = ((0, 0), (0, 3), (0.4, 5), (1.2, 7))


@pytest.fixture(scope="module")
def walks():
    return [make("walk", seed=s, speed=1.3, turn=t, seconds=4) for s, t in ((0, 0.0), (1, 0.3), (2, -0.3))]


@pytest.fixture(scope="module")
def model(walks):
    return learn("motion-graph", walks)


@pytest.fixture(scope="module")
def striding(walks):
    """Walks of which some carry one label and some the other; all can be joined."""
    clips = [with_labels(w, {n: np.ones(len(w), bool)}) for w, n in zip(walks, ("plain", "left", "right"), strict=True)]
    return learn("motion-graph", clips)


def notes(clip, word):
    return [str(n) for n in clip.origin.notes if word in str(n)]


@pytest.mark.parametrize("search", ["beam", "branch-and-bound"])
def test_a_path_is_followed_to_its_end(model, search):
    wish = RootPath(points=BEND, weight=1.0)
    clip = synthesize(model, Request(options={"search": search}, constraints=(wish,)))
    off = wish.residual(clip)
    assert off.max() < 0.3
    assert np.linalg.norm(clip.root[-1, [0, 2]] - BEND[-1]) < 0.25
    assert clip.seconds == pytest.approx(7.3 / 1.3, abs=0.7)  # at the clips' own pace
    [said] = notes(clip, "path of 7.2 m followed")
    assert f"{100 * wish.mean_distance(clip):.1f} cm off on average, {100 * off.max():.1f} cm at worst" in said


@pytest.mark.parametrize(("search", "least"), [("beam", 3), ("branch-and-bound", 2)])  # which varies only its start
def test_takes_along_a_path_differ_and_each_follows_it(model, search, least):
    wish = RootPath(points=BEND, weight=1.0)
    asked = Request(options={"search": search}, constraints=(wish,))
    takes = [synthesize(model, asked, seed=4, take=k) for k in range(3)]
    assert all(wish.met(clip) for clip in takes)
    assert len({clip.root[:20].tobytes() for clip in takes}) >= least
    assert takes[0].root.tobytes() == synthesize(model, asked, seed=5).root.tobytes()  # the best one found
    assert takes[2].rotations.tobytes() == synthesize(model, asked, seed=4, take=2).rotations.tobytes()


def test_takes_differ_also_where_no_route_meets_the_path(model):
    hairpin = RootPath(points=((0, 0), (0, 3), (0.4, 3), (0.4, 0)), weight=1.0)
    takes = [synthesize(model, Request(constraints=(hairpin,)), seed=4, take=k) for k in range(3)]
    best = takes[0]
    assert not hairpin.met(best)
    assert len({clip.root[:20].tobytes() for clip in takes}) >= 2
    assert all(hairpin.mean_distance(clip) < 1.3 * hairpin.mean_distance(best) for clip in takes)


def test_without_variety_or_faithful_to_the_source_all_takes_along_a_path_are_equal(model):
    for options in ({"variety": 0}, {"variant": "faithful"}):
        asked = Request(options=options, constraints=(RootPath(points=BEND, weight=1.0),))
        first, second = (synthesize(model, asked, seed=4, take=k) for k in range(2))
        np.testing.assert_array_equal(first.rotations, second.rotations)


def test_the_result_is_where_the_plan_leads(model):
    asked = Request(constraints=(RootPath(points=BEND, weight=1.0),))
    plan = model.plan(asked, np.random.default_rng(0))
    clip = synthesize(model, asked)
    assert len(clip) == plan.route.frames
    assert plan.goal.path == asked.constraints[0]
    blended = (~clip.origin.single).sum()
    assert 0 < blended <= len(plan.route.taken) * (model.graph.blend - 1)


def test_points_with_times_are_passed_on_time(model):
    take = travel(synthesize(model, Request(seconds=4), seed=8)).place
    wish = RootPath(points=[tuple(take[k]) for k in (0, 40, 80)], times=("0f", "40f", "80f"))
    clip = synthesize(model, Request(seconds=4, constraints=(wish,)))
    assert wish.met(clip)
    assert len(clip) == 120


def test_a_place_is_reached_and_the_walk_goes_on(model):
    wish = Reach(position=(1.0, 3.5), by=5)
    clip = synthesize(model, Request(seconds=8, constraints=(wish,)))
    assert wish.met(clip)
    assert len(clip) == 240
    assert np.linalg.norm(np.diff(clip.root[200:, [0, 2]], axis=0), axis=1).mean() > 0.02


def test_a_place_to_reach_ends_a_motion_without_a_length(model):
    wish = Reach(position=(1.0, 3.5))
    clip = synthesize(model, Request(constraints=(wish,)))
    assert wish.met(clip)
    assert np.linalg.norm(clip.root[-1, [0, 2]] - wish.position) < 0.3


def test_a_place_that_only_runners_reach_in_time_is_run_to_though_walkers_go_straighter():
    walks = [make("walk", seed=s, speed=1.3, turn=t, seconds=4) for s, t in ((0, 0.0), (1, 0.2), (2, -0.2))]
    runs = [make("run", seed=s, speed=2.4, turn=t, seconds=4) for s, t in ((5, 0.6), (6, -0.6))]
    both = learn("motion-graph", [*walks, *runs], Config(limits="walk run 14cm"))
    wish = Reach(position=(0, 10), by=5)
    assert wish.met(synthesize(both, Request(constraints=(wish,))))


def test_a_place_at_a_time_is_come_through_with_little_bending(model):
    take = synthesize(model, Request(seconds=4), seed=3)
    way = travel(take)
    wish = RootAt(time="90f", position=tuple(way.place[90]), heading=float(way.heading[90]))
    plan, raw = rendered(model, Request(seconds=4, constraints=(wish,)), np.random.default_rng(0))
    assert wish.worst(raw) < 0.3
    assert plan.route.frames == 120
    assert wish.met(synthesize(model, Request(seconds=4, constraints=(wish,))))


def test_an_obstacle_on_the_way_is_gone_around(model):
    goal, circle = Reach(position=(0, 6)), Avoid(center=(0.1, 3), radius=0.4)
    clip = synthesize(model, Request(constraints=(goal, circle)))
    assert goal.met(clip)
    assert circle.met(clip)


def test_only_frames_with_the_label_are_shown_along_a_path(striding):
    wishes = (RootPath(points=((0, 0), (0, 2)), weight=1.0), Style(label="plain"))
    clip = synthesize(striding, Request(constraints=wishes))
    assert clip.label("plain").all()


def test_labels_change_along_a_path_as_asked(striding):
    wishes = (
        RootPath(points=((0, 0), (0, 6)), weight=1.0),
        Style(label="left", span=(0, 1.5)),
        Style(label="right", span=(2.0, 3.5)),
    )
    clip = synthesize(striding, Request(constraints=wishes))
    assert all(w.met(clip) for w in wishes[1:])
    assert len(notes(clip, "path of 6.0 m followed")) == 1


@pytest.mark.parametrize("search", ["beam", "branch-and-bound"])
def test_labels_on_parts_of_a_path_are_kept(striding, search):
    """Kovar's labels along the path: at the pace that comes, each part of the way in its own style."""
    wishes = (
        RootPath(points=((0, 0), (0, 7)), weight=1.0),
        StyleAlong(label="left", stretch=(0, 2)),
        StyleAlong(label="right", stretch=(2.5, 4)),
        StyleAlong(label="plain", stretch=(4.5, 6.5), weight=50.0),
    )
    clip = synthesize(striding, Request(options={"search": search}, constraints=wishes))
    assert all(w.met(clip) for w in wishes[1:3])
    assert wishes[3].worst(clip) < 0.5
    assert wishes[0].residual(clip).mean() < 1.0  # straight on, in styles that turn


def test_a_label_along_the_way_that_exists_nowhere_is_an_error(striding):
    wishes = (RootPath(points=((0, 0), (0, 3)), weight=1.0), StyleAlong(label="swim", stretch=(1, 2)))
    with pytest.raises(NoPath, match="no clip carries the label 'swim'"):
        synthesize(striding, Request(constraints=wishes))


def test_labels_at_times_are_kept_by_branch_and_bound_too(striding):
    wishes = (RootPath(points=((0, 0), (0, 4)), weight=1.0), Style(label="right", span=(0.5, 2.5)))
    clip = synthesize(striding, Request(options={"search": "branch-and-bound"}, constraints=wishes))
    assert wishes[1].met(clip)


def test_a_wish_for_a_label_that_cannot_be_is_given_up(striding):
    clip = synthesize(striding, Request(seconds=3, constraints=(Style(label="swim", weight=1.0),)))
    assert len(clip) == 90


def test_a_label_that_exists_nowhere_is_an_error_that_lists_those_that_exist(striding):
    with pytest.raises(NoPath, match="no clip carries the label 'swim'; these clips carry left, plain, right, walk"):
        synthesize(striding, Request(seconds=3, constraints=(Style(label="swim"),)))


def test_a_pose_is_taken_at_its_time(model):
    take = synthesize(model, Request(seconds=3), seed=4)
    wish = PoseAt(time=1, pose=take[40:41])
    clip = synthesize(model, Request(seconds=3, constraints=(wish,)))
    assert wish.met(clip)


def test_a_path_that_starts_elsewhere_says_how_to_start_there(model):
    wish = RootPath(points=((3, 0), (3, 4)))
    with pytest.raises(
        NoPath, match=r"starts at \(3, 0\), 3.00 m from the body.*position: \[3, 0\], heading: 0deg"
    ) as e:
        synthesize(model, Request(constraints=(wish,)))
    assert e.value.best is not None
    met = synthesize(model, Request(start=Start(position=(3, 0)), constraints=(wish,)))
    assert wish.met(met)


def test_a_wished_path_that_starts_elsewhere_is_walked_to(model):
    clip = synthesize(model, Request(constraints=(RootPath(points=((1, 3), (2, 6)), weight=1.0),)))
    assert np.linalg.norm(clip.root[-1, [0, 2]] - (2, 6)) < 0.4


def test_a_goal_that_cannot_be_reached_in_time_says_how_far_one_gets(model):
    with pytest.raises(NoPath, match=r"is not reached in time: the best route gets \d\.\d of 30.0 m in 3.\d s") as e:
        synthesize(model, Request(seconds=4, constraints=(Reach(position=(0, 30), by=3),)))
    assert e.value.best is not None


def test_an_obstacle_around_the_start_is_told_and_not_jumped_out_of(model):
    with pytest.raises(NoPath, match=r"meets avoid.*the nearest is 2\.00 m off.*a start and goals outside") as e:
        synthesize(model, Request(seconds=3, constraints=(Avoid(center=(0, 0), radius=2),)))
    assert len(e.value.best) == 90


def test_a_path_that_these_clips_cannot_follow_says_how_near_they_come(model):
    there_and_back = RootPath(points=((0, 0), (0, 3), (0.05, 0)))
    with pytest.raises(NoPath, match=r"the nearest is \d\.\d\d m off, allowed 0.2 m"):
        synthesize(model, Request(constraints=(there_and_back,)))


def test_a_spent_budget_is_said_and_the_best_is_given(model):
    asked = Request(options={"budget": 1000}, constraints=(RootPath(points=BEND, weight=1.0),))
    clip = synthesize(model, asked)
    assert len(notes(clip, "warning: the search budget was spent")) == 1
    assert len(clip) > 60


def test_without_a_path_a_length_is_needed(model):
    with pytest.raises(BadRequest, match="has no natural end: give seconds or frames"):
        synthesize(model, Request(constraints=(Style(label="walk"),)))


def test_times_that_count_from_the_end_need_a_length(model):
    wishes = (RootPath(points=BEND, weight=1.0), Style(label="walk", span=("end-1", "end")))
    said = r"^constraints\[1\]: style: 'end-1.0' needs the length of the result: give seconds"
    with pytest.raises(BadRequest, match=said) as caught:
        synthesize(model, Request(constraints=wishes))
    assert caught.value.where == ("constraints", 1)


def test_a_second_path_is_named_by_its_number(model):
    wishes = (RootPath(points=BEND, weight=1.0), Style(label="walk"), RootPath(points=BEND, weight=1.0))
    with pytest.raises(BadRequest, match="expected one root_path, found 2") as caught:
        synthesize(model, Request(seconds=3, constraints=wishes))
    assert caught.value.where == ("constraints", 2)


def test_soft_poses_are_refused(model):
    rotations = "rotations: {head: {order: xyz, angles: [0deg, 0deg, 0deg]}}"
    asked = Request.from_yaml(f"{{seconds: 1, constraints: [pose_at: {{time: 0, {rotations}, weight: 1}}]}}")
    with pytest.raises(UnsupportedConstraint, match="motion-graph cannot honour pose_at"):
        synthesize(model, asked)


def test_clips_that_cannot_be_connected_say_which_limit_would_do(walks):
    from motionloom.kinematics.resample import resample

    clips = [resample(w, 30.0) for w in walks]
    with pytest.raises(NoPath, match=r"do not form a loop: \d+ transitions.*with"):
        fit(clips, Config(limit=0.001))
    with pytest.raises(NoPath, match=r"the longest clip lasts 0\.2"):
        fit([c[:8] for c in clips])


def test_mirror_images_double_what_can_be_done(walks):
    from motionloom.kinematics.resample import resample

    clips = [resample(walks[1], 30.0)]
    plain, both = fit(clips), fit(clips, Config(mirror=True))
    assert both.graph.count == 2 * plain.graph.count
    left = travel(both.graph.clips[0]).heading
    right = travel(both.graph.clips[1]).heading
    np.testing.assert_allclose(left[-1] - left[0], right[0] - right[-1], atol=1e-6)


def test_a_frame_of_a_mirror_image_says_so(walks):
    both = learn("motion-graph", walks, Config(mirror=True))
    clip = synthesize(both, Request(seconds=20), seed=2)
    graph, seen = both.graph, set()
    which, frames = clip.origin.main()
    for at in np.flatnonzero(clip.origin.single):
        source = clip.origin.sources[which[at]]
        seen.add(source.mirrored)
        mine = [c for c in graph.clips if c.name == source.title]
        apart = [np.abs(c.rotations[c.origin.main()[1] == frames[at]] - clip.rotations[at]) for c in mine]
        arms = [j for j, role in enumerate(clip.skeleton.roles) if "arm" in role]  # plants move legs, not arms
        assert min(float(d[:, arms].max()) for d in apart if len(d)) < 1e-9
    assert seen == {True, False}


def test_a_wider_beam_changes_nothing_but_the_way(model):
    asked = Request(constraints=(RootPath(points=BEND, weight=1.0),))
    wide = dataclasses.replace(asked, options={"beam_width": 2000})
    a, b = (RootPath(points=BEND).residual(synthesize(model, r)).mean() for r in (asked, wide))
    assert b <= a + 0.02


def test_the_real_walker_holds_its_own_on_corners_curves_and_a_spiral(mocap):
    from motionloom.io import load
    from motionloom.kinematics.resample import resample

    numbers = (11, 13, 15, 16, 17, 19, 21, 23, 25, 27, 29)
    clips = [resample(load(mocap / "cmu" / f"16_{k}.bvh", trim_tpose=True), 30.0) for k in numbers]
    model = learn("motion-graph", clips)
    a = np.linspace(0, 4 * np.pi, 100)
    r = 3.5 - 2.0 * a / a[-1]
    spiral = np.stack([3.5 - r * np.cos(a), r * np.sin(a)], 1)
    square = np.array([[0, 0], [0, 4], [4, 4], [4, 0], [0, 0.0]])
    eight = np.concatenate([np.stack([2 - 2 * np.cos(a[:51]), 2 * np.sin(a[:51])], 1)] * 2) * (
        [[1, 1]] * 51 + [[-1, 1]] * 51
    )
    for path, mean, worst in ((spiral, 0.12, 0.3), (square, 0.2, 0.45), (eight, 0.12, 0.3)):
        wish = RootPath(points=tuple(map(tuple, path)), weight=1.0)
        off = wish.residual(synthesize(model, Request(constraints=(wish,))))
        assert off.mean() < mean
        assert off.max() < worst
