"""The model of gaze: learned from markers and clips, and put on a base motion."""

from __future__ import annotations

import dataclasses
import math
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from motionloom.constraints import LookAt, PoseAlong, Request
from motionloom.constraints.gaze import gaze
from motionloom.core import BadRequest, Clip, FormatError, Markers, Skeleton, Unmet, replace
from motionloom.io import save_markers
from motionloom.kinematics.travel import travel
from motionloom.methods import learn, load_model, problems, save_model, synthesize
from motionloom.methods.gaze import GazeModel, gaze_body
from motionloom.methods.gaze.fit import read_marking, read_targets
from motionloom.methods.gaze.own_gaze import looks_around
from motionloom.methods.gaze.shifts_from_clips import found_shifts
from motionloom.recipes.gazing import looks_at_objects, turn_gaze
from motionloom.rotation import exp, from_axis_angle, inverse, multiply, wrap_angle
from motionloom.samples import make
from motionloom.samples.gaze_takes import make_take

TARGETS = [(yaw, pitch) for yaw in (-1.2, 1.2) for pitch in (-0.2, 0.2)]
POINT = LookAt(target=(3.0, 1.4, 2.0), span=(1.2, 2.0))


@pytest.fixture(scope="module")
def model() -> GazeModel:
    return learn("gaze", [make_take(t, fps=30, before=0.6, after=0.7, noise=1e-4).markers for t in TARGETS])


@pytest.fixture(scope="module")
def walk() -> Clip:
    return make("walk", seconds=3, seed=1, fps=30)


def test_the_base_motion_keeps_its_rate_body_and_bits(model, walk):
    made = turn_gaze(walk, model, Request(constraints=(POINT,)))
    assert (made.fps, len(made), made.skeleton) == (walk.fps, len(walk), walk.skeleton)
    others = [j for j in range(len(walk.skeleton)) if j not in gaze_body(walk).turned]
    assert_array_equal(made.rotations[:, others], walk.rotations[:, others])
    assert_array_equal(made.root, walk.root)
    assert np.abs(POINT.residual(made)).max() < 1e-4
    assert_array_equal(made.rotations[-1], walk.rotations[-1])


def test_a_look_that_begins_with_the_clip_has_arrived_before(model, walk):
    asked = LookAt(target=(3.0, 1.4, 2.0), span=(0, 0.5))
    made = turn_gaze(walk, model, Request(constraints=(asked,)))
    assert np.abs(asked.residual(made)).max() < 1e-4


def test_a_look_that_follows_another_closely_arrives_in_time(model):
    walk = make("walk", seconds=4, seed=1, fps=30)
    first, second = LookAt(target=(4, 1.6, 1.5), span=(1.2, 2.0)), LookAt(target=(-3, 0.3, 4), span=(3.2, 3.8))
    made = turn_gaze(walk, model, Request(constraints=(second, first)))
    assert max(np.abs(c.residual(made)).max() for c in (first, second)) < 1e-4


def test_a_base_motion_whose_joints_are_fixed_cannot_look(model, walk):
    asked = (PoseAlong(clip=walk), POINT)
    with pytest.raises(Unmet, match=r"looking turns Spine.*give it a weight"):
        synthesize(model, Request(constraints=asked))
    made = synthesize(model, Request(constraints=(PoseAlong(clip=walk, joints=("lower", "left_arm")), POINT)))
    assert np.abs(POINT.residual(made)).max() < 1e-4
    part = PoseAlong(clip=walk, span=(0.0, 1.0), weight=1.0)
    assert "must cover the whole result" in str(problems(model, Request(seconds=2, constraints=(part,)))[0])


def test_wrong_requests_are_explained(model, walk):
    with pytest.raises(BadRequest, match="nothing to look at"):
        turn_gaze(walk, model)
    with pytest.raises(BadRequest, match="only look_at") as caught:
        turn_gaze(walk, model, Request(constraints=(POINT, PoseAlong(clip=walk))))
    assert caught.value.where == ("constraints", 1)
    with pytest.raises(BadRequest, match="at the eyes") as caught:
        turn_gaze(walk, model, Request(constraints=(LookAt(target=gaze(walk)[0][40], span=(1.2, 2.0)),)))
    assert caught.value.where[:2] == ("constraints", 1)
    with pytest.raises(BadRequest, match="found a model of cuts"):
        turn_gaze(walk, learn("cuts", [walk]), Request(constraints=(POINT,)))  # type: ignore[arg-type]
    headless = replace(walk, skeleton=_without_role(walk, "head"))
    with pytest.raises(BadRequest, match="no joint has the role head"):
        turn_gaze(headless, model, along=2.0)


def _without_role(clip, role):
    from motionloom.core import Skeleton

    s = clip.skeleton
    roles = ["" if r in (role, "left_eye", "right_eye") else r for r in s.roles]
    return Skeleton(s.names, s.parents, s.offsets, roles, s.ends)


def test_options_change_the_way_of_looking(model, walk):
    asked = Request(constraints=(POINT,))
    chest = walk.skeleton.joint("spine1")
    angle = lambda clip: np.abs(clip.rotations[40, chest] - walk.rotations[40, chest]).max()
    plain, weak = (turn_gaze(walk, model, asked, strength=s) for s in (1.0, 0.3))
    assert angle(weak) < 0.5 * angle(plain)
    assert np.abs(POINT.residual(weak)).max() < 1e-4  # the eyes make up for it
    slow = turn_gaze(walk, model, asked, speed=0.5)
    moved = lambda clip: np.flatnonzero((clip.rotations != walk.rotations).any((1, 2)))[0]
    assert moved(slow) < moved(plain)
    ahead = turn_gaze(walk, model, along=2.5)
    assert np.degrees(np.arcsin(-gaze(ahead)[1][60:, 1])).min() > 15  # at the ground
    relative = LookAt(yaw=0.5, weight=1.0)
    made = turn_gaze(walk, model, Request(constraints=(relative,)), relative=True)
    (_, before), (_, after) = gaze(walk), gaze(made)
    turn = np.unwrap(np.arctan2(after[:, 0], after[:, 2]) - np.arctan2(before[:, 0], before[:, 2]))
    assert_allclose(turn, 0.5, atol=1e-9)  # the bob is kept
    assert "give it a weight" in str(
        problems(model, Request(seconds=1, constraints=(LookAt(yaw=0.5),), options={"relative": True}))[0]
    )


def test_the_bob_of_the_head_is_compensated_or_kept(model, walk):
    asked = Request(constraints=(LookAt(target=(400.0, 1.5, 400.0), span=(1.2, 2.8), weight=1.0),))
    steady, free = (turn_gaze(walk, model, asked, bob=bob) for bob in ("compensated", "kept"))
    rest = slice(40, 80)
    spread = [np.degrees(gaze(clip)[1][rest]).std(0).max() for clip in (steady, free)]
    assert spread[0] < 0.2
    assert spread[1] > 2 * spread[0]


def test_a_clip_that_looks_around_is_reaimed(model, walk):
    around = make("look", seconds=6, seed=4, fps=30)
    assert looks_around(gaze_body(around), around)
    assert not looks_around(gaze_body(walk), walk)
    asked = LookAt(target=(0.0, 1.6, 8.0), span=(2.0, 5.0), weight=1.0)
    head = around.skeleton.joint("head")

    def busy(clip):
        """How much the head still turns while the gaze is held."""
        from motionloom.kinematics.fk import fk_rotations

        line = fk_rotations(clip)[1][75:145, head]
        return float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())

    made, plain = (turn_gaze(around, model, Request(constraints=(asked,)), reaim=r) for r in ("auto", "no"))
    assert any("looks around itself" in note.text for note in made.origin.notes)
    assert np.abs(asked.residual(made)).max() < 1e-6
    assert busy(made) < 0.5 * busy(plain)


def test_a_body_that_bends_its_trunk_and_holds_its_head_is_not_reaimed(model):
    still = make("stand", seconds=6, fps=30)
    clock = np.arange(len(still)) / still.fps
    bend = exp(np.sin(2 * clock)[:, None] * [0.7, 0.0, 0.0])
    aside = exp(np.sin(1.3 * clock)[:, None] * [0.0, 0.4, 0.0])
    neck, rotations = still.skeleton.joint("neck"), still.rotations.copy()
    rotations[:, 0] = multiply(rotations[:, 0], bend)
    rotations[:, neck] = multiply(multiply(inverse(bend), aside), rotations[:, neck])
    sniffing = replace(still, rotations=rotations)
    assert not looks_around(gaze_body(sniffing), sniffing)  # a straight neck would look up and down
    asked = LookAt(yaw=math.radians(60), span=(2, 3))
    assert np.abs(asked.residual(turn_gaze(sniffing, model, Request(constraints=(asked,))))).max() < 1e-3


def test_clips_are_examples_too():
    """The shifts of a sample person who looks at a point, as an animator would key them."""
    clips = [
        make("look", target=(3 * math.sin(yaw), 1.6 + rise, 3 * math.cos(yaw)), seconds=5, seed=1, fps=30)
        for yaw, rise in ((-1.0, 0.0), (1.0, 0.0), (0.5, 0.8))
    ]
    assert all(found_shifts(clip)[0].usable for clip in clips)
    learned = learn("gaze", clips, {"fps": None})
    assert learned.fps == 30
    assert_allclose(np.sort(np.degrees(learned.examples[:, 0])), np.degrees([-1.0, 0.5, 1.0]), atol=6)
    assert learned.skeleton is clips[0].skeleton
    assert [note.text for note in learned.notes] == [
        f"left out: {clip.name}: 1 of its 2 gaze shifts do not begin straight ahead" for clip in clips
    ]  # the shift back to the front
    made = synthesize(learned, Request(seconds=2, constraints=(LookAt(yaw=0.6, span=(1.0, 1.5)),)))
    assert len(made) == 60
    still = make("walk", seconds=2, fps=30)
    with pytest.raises(BadRequest, match="no gaze shift that begins straight ahead"):
        learn("gaze", [still] * 3)


@pytest.mark.parametrize("variant", ["improved", "faithful"])
def test_a_take_without_a_shift_does_not_slow_down_small_looks(variant):
    aims = [(yaw, pitch) for yaw in (-0.6, 0.0, 0.6) for pitch in (-0.2, 0.0, 0.2)]
    takes = [make_take(aim, before=0.6, after=0.7).markers for aim in aims]
    gaze_map = learn("gaze", takes, {"variant": variant}).map()
    lengths = [gaze_map.seconds(yaw, 0.0) for yaw in (0.0, 0.05, 0.1, 0.2, 0.4, 0.6)]
    assert 0.2 < lengths[0] < 0.6  # the take straight ahead has no shift; it lasts 1.8 s
    assert max(lengths) == lengths[-1]


def test_targets_come_from_a_table_or_from_names(tmp_path):
    rows = ["file,yaw,pitch,start,end"]
    for k, target in enumerate([(-1.2, 0.0), (1.2, 0.0), (0.6, 0.2), (0.0, 0.0)]):
        save_markers(make_take(target, seed=k, fps=30).markers, tmp_path / f"take_{k}.trc")
        rows.append(f"take_{k}.trc,{math.degrees(target[0])},{math.degrees(target[1])},,")
    (tmp_path / "targets.csv").write_text("\n".join(rows))
    from motionloom.io import load_markers

    takes = [load_markers(p) for p in sorted(tmp_path.glob("*.trc"))]
    short = takes[0][:20]
    learned = learn("gaze", [*takes, short], {"targets": str(tmp_path / "targets.csv")})
    assert learned.names == ("take_0.trc", "take_1.trc", "take_2.trc", "take_3.trc")
    assert "expected a rest before and one after" in learned.notes[0].text
    save_model(learned, tmp_path / "me.loom")
    assert load_model(tmp_path / "me.loom").names == learned.names
    with pytest.raises(BadRequest, match=r"found 0 \(take_0.trc: its target is not known; give a table"):
        learn("gaze", takes)
    for text, message in (
        ("file,yaw\nx,1", "missing pitch"),
        ("file,yaw,pitch\nx,far,1", "expected numbers"),
        ("file,yaw,pitch\nx,200,1", "within -180..180"),
    ):
        (tmp_path / "bad.csv").write_text(text)
        with pytest.raises(FormatError, match=message):
            read_targets(tmp_path / "bad.csv")
    (tmp_path / "names.toml").write_text('base = "SACR"')
    with pytest.raises(FormatError, match="expected lists of names"):
        read_marking(tmp_path / "names.toml")
    (tmp_path / "names.toml").write_text('base = ["SACR"]')
    with pytest.raises(BadRequest, match="missing lower_back, upper_back, neck_base, head"):
        read_marking(tmp_path / "names.toml")


def test_other_methods_do_not_take_markers(model):
    take = make_take((0.5, 0.0), fps=30).markers
    assert isinstance(take, Markers)
    with pytest.raises(BadRequest, match=r"cuts learns from clips; gaze_28\.65_0\.trc contains markers"):
        learn("cuts", [take])


def test_a_changed_map_is_another_model(model, tmp_path):
    save_model(model.scaled(strength=0.5, speed=2.0), tmp_path / "calm.loom")
    calm = load_model(tmp_path / "calm.loom")
    assert_allclose(calm.examples[:, 17], model.examples[:, 17] / 2)
    assert_allclose(calm.examples[:, 2:14], model.examples[:, 2:14] / 2)


def test_looks_that_follow_one_another_too_closely_are_explained(model):
    walk = make("walk", seconds=4, seed=1, fps=30)

    def missed(*spans: tuple[float, float]) -> str:
        looks = [LookAt(yaw=side, span=span) for side, span in zip((1.0, -1.0), spans, strict=True)]
        with pytest.raises(Unmet) as caught:
            turn_gaze(walk, model, Request(constraints=tuple(looks)))
        return str(caught.value)

    text = missed((1.0, 1.6), (1.8, 2.5))
    found = re.search(r"begins 0\.20 s after the look before it, and the gaze takes about (\d\.\d) s", text)
    assert found, text
    enough = 1.6 + float(found[1])  # the advice holds
    looks = LookAt(yaw=1.0, span=(1.0, 1.6)), LookAt(yaw=-1.0, span=(enough, enough + 0.5))
    turn_gaze(walk, model, Request(constraints=looks))
    assert "overlap by 0.40 s" in missed((1.0, 2.0), (1.6, 2.5))


def test_a_target_beyond_reach_is_reported_with_how_near_the_gaze_comes(model, walk):
    body = walk.skeleton
    roles = ["" if role.endswith("eye") else role for role in body.roles]
    blind = replace(walk, skeleton=Skeleton(body.names, body.parents, body.offsets, roles, body.ends))
    heel = LookAt(target=(0.0, 0.0, float(walk.root[45, 2]) - 0.4), span=(1.5, 1.6))
    with pytest.raises(Unmet, match=r"at 1\.\d\d s the gaze comes no nearer to it than \d+\.\d deg, as eyes"):
        turn_gaze(blind, model, Request(constraints=(heel,)))
    aside = LookAt(yaw=math.radians(100), span=(1.5, 2.0))
    with pytest.raises(Unmet, match="or it is outside the cone"):
        turn_gaze(walk, model, Request(constraints=(aside,)), cone="60deg")


def test_a_target_that_is_passed_too_near_is_named_with_the_time(model, walk):
    lamp = LookAt(target=(0.0, 1.95, float(walk.root[45, 2])), span=(0.5, 2.5))
    with pytest.raises(Unmet, match=r"at 1\.\d\d s the body passes it, 0\.\d m away, faster than the head turns"):
        turn_gaze(walk, model, Request(constraints=(lamp,)))
    bee = LookAt(
        path=((1.0, -1.5, 1.5, walk.root[45, 2] + 0.2), (1.4, 1.5, 1.5, walk.root[45, 2] + 0.2)), span=(1, 1.4)
    )
    with pytest.raises(Unmet, match=r"s it passes the body, .* choose a slower path farther away"):
        turn_gaze(walk, model, Request(constraints=(bee,)))


def test_a_look_behind_is_turned_to_on_the_side_from_which_all_of_it_is_seen(model):
    stand = make("stand", seconds=4, fps=30)
    head = stand.skeleton.joint("neck")
    rotations = stand.rotations.copy()
    rotations[:30, head] = multiply(rotations[:30, head], from_axis_angle([0.0, 1.0, 0.0], -0.5))  # looks to the right,
    aside = replace(stand, rotations=rotations)  # so that 170 degrees to the left are nearer to its right
    back = LookAt(yaw=math.radians(170), span=(1.4, 3.0))
    base, made = (gaze(clip)[1] for clip in (aside, turn_gaze(aside, model, Request(constraints=(back,)))))
    assert np.cross(base[30], made[30])[1] > 0  # by the left
    assert np.abs(back.residual(turn_gaze(aside, model, Request(constraints=(back,))))).max() < 1e-3


def test_a_look_that_crosses_the_back_states_that_the_gaze_changes_sides(model):
    stand = make("stand", seconds=5, fps=30)
    x, y, z = stand.root[0]
    around = [(1.0 + 0.1 * k, x + 2 * math.sin(0.15 * k), y + 0.6, z + 2 * math.cos(0.15 * k)) for k in range(30)]
    circle = LookAt(path=tuple(around), span=(1.0, 3.9))
    with pytest.raises(Unmet, match="far beyond the middle of the back, so that the gaze changes sides"):
        turn_gaze(stand, model, Request(constraints=(circle,)))


def test_an_object_is_not_looked_at_while_it_is_behind(model):
    walk = make("walk", seconds=6, turn=0.9, seed=1, fps=30)
    place = (2.0, 1.5, -2.0)
    (look,) = looks_at_objects(walk, {"lamp": place}, model.map())
    made = turn_gaze(walk, model, Request(constraints=(look,)))
    turned = int((made.rotations != walk.rotations).any((1, 2)).argmax())
    line, heading = np.array(place) - gaze(walk)[0], travel(walk).heading
    side = np.abs(wrap_angle(np.arctan2(line[:, 0], line[:, 2]) - heading))
    assert np.degrees(side[turned : round(30 * look.span[0])].max()) < 112


def test_an_object_for_which_too_little_time_remains_is_not_looked_at(model):
    walk = make("walk", seconds=4, seed=1, fps=30)
    objects = {"door": (1.0, 1.5, 2.0), "lamp": (-1.0, 1.5, 4.2)}
    both = looks_at_objects(walk, objects, model.map(), distance=2.0)
    assert [look.target for look in both] == list(objects.values())
    last = round(both[1].span[0] * walk.fps)
    for frames in (last - 2, last + 1, last + 5):  # the lamp is near, but the gaze would arrive as the clip ends
        assert len(looks_at_objects(walk[:frames], objects, model.map(), distance=2.0)) == 1
    assert len(looks_at_objects(walk[: last + 12], objects, model.map(), distance=2.0)) == 2


def test_a_take_that_is_left_out_is_named():
    takes = [make_take(t, fps=30, before=0.6, after=0.7, noise=1e-4).markers for t in TARGETS]
    positions = np.array(takes[1].positions)
    positions[:, takes[1].names.index("base")] = np.nan
    takes[1] = dataclasses.replace(takes[1], positions=positions)
    learned = learn("gaze", takes)
    (note,) = learned.notes
    assert [source.frames > 0 for source in learned.sources] == [True, False, True, True]
    assert note.text == f"left out: {takes[1].origin.name}: the base marker 'base' is lost in 100 % of the frames"


def test_a_take_in_which_markers_shake_is_left_out():
    """Straight ahead, with markers that swing by 4 cm between its rests: the fitted shift would take 1.6 hours."""
    takes = [make_take(t, fps=60, before=0.6, after=0.7, noise=3e-4).markers for t in ((0.0, 0.0), *TARGETS)]
    positions = np.array(takes[0].positions)
    frames, markers = np.arange(len(positions)), np.arange(1, len(takes[0].names))
    positions[:, markers] += 0.04 * np.sin(0.4 * frames[:, None, None] + 3 * markers[:, None] + np.arange(3))
    takes[0] = dataclasses.replace(takes[0], positions=positions)
    model = learn("gaze", takes)
    assert [takes[0].origin.name in note.text for note in model.notes] == [True]
    assert np.abs(model.examples).max() < 10
