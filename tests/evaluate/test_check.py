"""What `check` says of captures with faults put in on purpose, and of real ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from motionloom import samples
from motionloom.core import Clip, replace
from motionloom.evaluate.capture_checks.check import check_clips, repair
from motionloom.evaluate.capture_checks.duplicates import find_duplicates
from motionloom.evaluate.capture_checks.files import check_files
from motionloom.evaluate.capture_checks.findings import bone_findings, in_file
from motionloom.evaluate.capture_checks.frame_rate import rate_findings
from motionloom.evaluate.capture_checks.free_fall import free_falls, true_rate
from motionloom.evaluate.capture_checks.knees_and_elbows import bend_findings
from motionloom.evaluate.capture_checks.summary import summary
from motionloom.io import load, save
from motionloom.kinematics.capture.wrong_bends import against_usual, backward_bend, wrong_bends
from motionloom.kinematics.fk import fk
from motionloom.kinematics.mirror import mirror
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import moved, turned
from motionloom.recipes import trim
from motionloom.rotation import IDENTITY, exp, multiply


@pytest.fixture(scope="module")
def walk() -> Clip:
    return samples.make("walk", seed=1)


def kinds(clips: Clip | list[Clip]) -> list[str]:
    return [f.kind for f in check_clips(clips if isinstance(clips, list) else [clips])]


def test_a_clean_sample_is_called_clean(walk):
    assert [k for k in kinds(walk) if k != "never moves"] == []


def test_a_glitch_is_said_with_clip_joint_frame_and_size(walk):
    rotations = walk.rotations.copy()
    j = walk.skeleton.joint("left_forearm")
    rotations[100:103, j] = multiply(rotations[100:103, j], exp([1.4, 0, 0]))
    (found,) = [f for f in check_clips([replace(walk, rotations=rotations)]) if f.kind == "glitch"]
    assert found.clip == walk.name
    assert found.joint == walk.skeleton.names[j]
    assert (found.start, found.stop) == (100, 103)
    assert found.size == pytest.approx(80, abs=5)
    assert "80 deg" in str(found) or "frames 100-102" in str(found)


def test_the_time_for_many_glitches_is_linear(walk, monkeypatch):
    """Every glitch was compared with all others, and looked up its frame among those of the whole clip."""
    rotations = np.tile(walk.rotations[:1], (4000, 1, 1))
    j = walk.skeleton.joint("left_forearm")
    rotations[np.arange(20, 3980, 8), j] = multiply(rotations[0, j], exp([1.4, 0, 0]))
    many = Clip(walk.skeleton, np.tile(walk.root[:1], (4000, 1)), rotations, walk.fps)
    compared = []
    monkeypatch.setattr("motionloom.core.origin.Origin.main", lambda self, part=0: compared.append(len(self)))
    assert len([f for f in check_clips([many]) if f.kind == "glitch"]) == 495
    assert compared == []


def test_a_joint_that_freezes_while_the_body_walks_is_found(walk):
    rotations = walk.rotations.copy()
    j = walk.skeleton.joint("right_forearm")
    rotations[60:120, j] = rotations[60, j]
    found = [f for f in check_clips([replace(walk, rotations=rotations)]) if f.kind == "frozen"]
    assert [(f.joint, f.start, f.stop) for f in found] == [(walk.skeleton.names[j], 60, 120)]
    assert found[0].size == pytest.approx(1.0, abs=0.05)


def test_joints_that_never_turn_are_listed_once(walk):
    rotations = walk.rotations.copy()
    for role in ("neck", "left_hand"):
        rotations[:, walk.skeleton.joint(role)] = IDENTITY
    (found,) = [f for f in check_clips([replace(walk, rotations=rotations)]) if f.kind == "never moves"]
    assert walk.skeleton.names[walk.skeleton.joint("neck")] in found.text


def test_a_limb_that_flips_and_stays_is_a_flipped_limb(walk):
    rotations = walk.rotations.copy()
    j = walk.skeleton.joint("left_upper_arm")
    rotations[300:, j] = multiply(rotations[300:, j], exp([0, 2.6, 0]))
    found = [f for f in check_clips([replace(walk, rotations=rotations)]) if f.kind == "flipped limb"]
    assert [(f.joint, f.start) for f in found] == [(walk.skeleton.names[j], 300)]


def test_a_knee_behind_the_line_from_hip_to_ankle_bends_backwards():
    hip, ankle, toe = np.array([[0.0, 0.8, 0]]), np.array([[0.0, 0, 0]]), np.array([[0.0, 0, 0.2]])
    knee = np.array([[0.0, 0.4, -0.3]])  # thigh and shin of 3, 4, 5: each leans by arctan(3 / 4)
    assert backward_bend(hip, knee, ankle, toe) == pytest.approx([2 * np.arctan(0.75)])
    assert backward_bend(hip, knee * [1, 1, -1], ankle, toe) == pytest.approx([-2 * np.arctan(0.75)])


def test_a_folded_knee_with_pointed_toes_is_not_flipped():
    hip, knee, ankle = np.array([[0.0, 0.1, 0]]), np.array([[0.0, 0.1, 0.4]]), np.array([[0.0, 0.2, 0]])
    toe = ankle + [[0.0, 0.1, -0.1]]  # away from the knee, and up: the sole is up, as the heel is at the seat
    assert backward_bend(hip, knee, ankle, toe)[0] < -2.5


def test_a_knee_that_bends_away_from_the_toes_is_a_flipped_limb(walk):
    rotations = walk.rotations.copy()
    j = walk.skeleton.joint("left_shin")
    rotations[60:90, j] = exp([1.0, 0, 0])  # as knees do
    assert bend_findings(replace(walk, rotations=rotations)) == []
    rotations[60:90, j] = exp([-1.0, 0, 0])
    (found,) = bend_findings(replace(walk, rotations=rotations))
    assert (found.kind, found.joint, found.start, found.stop) == ("flipped limb", walk.skeleton.names[j], 60, 90)
    assert found.size == pytest.approx(np.degrees(1.0), abs=3)
    assert found.broken


def test_an_elbow_that_bends_against_its_hinge_is_a_flipped_limb(walk):
    rotations = walk.rotations.copy()
    j = walk.skeleton.joint("left_forearm")
    bend = exp([0, -1.2, 0]), exp([0, 1.2, 0])  # about the sample's own hinge: forward, and back
    rotations[:, j] = bend[0]
    assert bend_findings(replace(walk, rotations=rotations)) == []
    rotations[60:90, j] = bend[1]
    (found,) = bend_findings(replace(walk, rotations=rotations))
    assert (found.kind, found.joint, found.start, found.stop) == ("flipped limb", walk.skeleton.names[j], 60, 90)
    assert found.size == pytest.approx(np.degrees(1.2), abs=0.1)


def test_a_forearm_that_points_back_from_a_hanging_arm_is_flipped_however_usual_it_is(walk):
    rotations = walk.rotations.copy()
    rotations[:, walk.skeleton.joint("left_forearm")] = exp([0, 1.5, 0])  # against the sample's hinge, all the time
    found = bend_findings(replace(walk, rotations=rotations))
    assert {f.joint for f in found} == {walk.skeleton.names[walk.skeleton.joint("left_forearm")]}


def test_sides_are_against_the_usual_one_over_120_degrees_away():
    sides = np.array([[1.0, 0, 0]] * 8 + [[-0.4, 0.9, 0], [-0.6, 0.7, 0]])  # 114 and 131 degrees from +x
    assert against_usual(sides).tolist()[:8] == [False] * 8
    assert against_usual(np.array([[1.0, 0, 0]] * 9 + [[-1.0, 0, 0]])).tolist() == [False] * 9 + [True]
    assert not against_usual(np.array([[1.0, 0, 0], [-1.0, 0, 0]])).any()  # no side is usual


def test_a_body_that_freezes_as_a_whole_is_found(walk):
    held = walk[np.r_[0:100, np.full(60, 100), 101 : len(walk)]]  # a hole that the system filled with the last frame
    (found,) = [f for f in check_clips([held]) if f.kind == "frozen"]
    assert found.joint == "all"
    assert found.size == pytest.approx(1.0, abs=0.02)


def test_a_t_pose_inside_a_clip_is_said_and_not_learned_from(walk):
    from motionloom.methods import prepare

    rotations = walk.rotations.copy()
    rotations[150:153] = IDENTITY
    spoilt = replace(walk, rotations=rotations)
    (pose,) = [f for f in check_clips([spoilt]) if f.kind == "T-pose"]
    assert (pose.start, pose.stop, pose.broken) == (150, 153, True)
    ready = prepare([spoilt], spoilt.fps)
    assert sum(len(c) for c in ready.clips) <= len(walk) - 3
    assert "broken frames left out" in str(ready.notes[0])


def test_a_t_pose_that_the_actor_holds_is_told_and_kept(walk, rng):
    rotations, root = walk.rotations.copy(), walk.root.copy()
    wobble = exp(np.cumsum(rng.normal(scale=2e-4, size=(60, len(walk.skeleton), 3)), axis=0) + 0.01)  # a degree off
    rotations[150:210, 0] = rotations[150, 0]  # the sample rests in a T-pose
    rotations[150:210, 1:] = wobble[:, 1:]
    root[150:210] = root[150]
    (pose,) = [f for f in check_clips([replace(walk, rotations=rotations, root=root)]) if f.kind == "T-pose"]
    assert (pose.start, pose.stop, pose.broken) == (pytest.approx(150, abs=2), pytest.approx(210, abs=2), False)
    assert "the actor holds a T-pose for 1 s" in pose.text or "0.9" in pose.text
    rotations[150:210, walk.skeleton.joint("left_forearm")] = exp([0, -0.5, 0])  # one elbow bent: no T-pose
    assert "T-pose" not in kinds(replace(walk, rotations=rotations, root=root))


@pytest.mark.parametrize("name", ["35_01", "60_01", "143_06"])
def test_the_t_pose_of_real_files_would_be_told_if_an_actor_held_it(mocap, name):
    from motionloom.evaluate.capture_checks.held_tpose import held_tposes
    from motionloom.io import load

    clip = load(mocap / "cmu" / f"{name}.bvh")
    assert held_tposes(clip[np.zeros(60, int)]).all()
    assert not held_tposes(clip[1:]).any()


def test_learning_leaves_out_the_frames_that_check_calls_broken(walk):
    from motionloom.kinematics.capture.glitches import broken_frames

    rotations = walk.rotations.copy()
    for role, frames in (("left_forearm", slice(100, 103)), ("left_toe", slice(200, 202)), ("head", slice(260, 261))):
        j = walk.skeleton.joint(role)
        rotations[frames, j] = multiply(rotations[frames, j], exp([1.5, 0, 0]))
    rotations[20:50, walk.skeleton.joint("right_shin")] = exp([-0.6, 0, 0])  # bends to the wrong side
    spoilt = replace(walk, rotations=rotations)
    named = np.zeros(len(walk), bool)
    for f in check_clips([spoilt]):
        if f.broken:
            named[f.start : f.stop] = True
    assert np.flatnonzero(named).tolist() == [*range(19, 51), 100, 101, 102, 260]  # not for a toe
    assert np.array_equal(named, broken_frames(spoilt))


def test_joints_that_jump_in_the_same_frames_are_one_finding(walk):
    rotations = walk.rotations.copy()
    joints = [walk.skeleton.joint(role) for role in ("head", "left_forearm", "right_forearm")]
    for j, angle in zip(joints, (1.0, 1.2, 1.4), strict=True):
        rotations[100:102, j] = multiply(rotations[100:102, j], exp([angle, 0, 0]))
    rotations[200, joints[0]] = multiply(rotations[200, joints[0]], exp([1.5, 0, 0]))
    found = [f for f in check_clips([replace(walk, rotations=rotations)]) if f.kind == "glitch"]
    assert [(f.start, f.stop, f.joint.count(",") + 1) for f in found] == [(200, 201, 1), (100, 102, 3)]  # largest first


@pytest.mark.parametrize(
    ("name", "frames", "kind"),
    [
        ("16_17", (326, 341), "sudden knee"),
        ("60_06", (635, 650), "glitch"),
        ("60_09", (1270, 1278), "glitch"),  # a toe
        ("143_38", (620, 630), "glitch"),  # a step below 3600 degrees per second
    ],
)
def test_faults_of_real_captures_that_were_once_missed_are_found(mocap, name, frames, kind):
    from motionloom.io import load

    found = [f for f in check_clips([load(mocap / "cmu" / f"{name}.bvh")]) if f.kind == kind]
    assert any(frames[0] <= f.start <= f.stop <= frames[1] + 1 for f in found)


def test_one_frame_and_one_joint_are_checked_without_a_word_too_many(walk):
    assert kinds(walk[:1]) == ["never moves"]
    assert kinds(samples.make("stroke")) == []


def test_an_added_t_pose_is_said_once(walk):
    rest = replace(walk[:1], rotations=np.tile(IDENTITY, (1, len(walk.skeleton), 1)))
    from motionloom.core import concatenate

    found = check_clips([concatenate([rest, walk])])
    assert [f.kind for f in found if f.kind != "never moves"] == ["T-pose"]


def test_feet_below_and_off_the_floor(walk):
    sunk = replace(walk, root=walk.root - [0, 0.1, 0])
    high = replace(walk, root=walk.root + [0, 0.2, 0])
    assert "below the floor" in kinds(sunk)
    assert "off the floor" in kinds(high)


def test_bone_lengths_that_drift_are_found(walk):
    slides = np.zeros((len(walk), len(walk.skeleton), 3))
    j = walk.skeleton.joint("left_shin")
    slides[80, j] = 0.1 * walk.skeleton.offsets[j]
    (found,) = bone_findings(replace(walk, slides=slides))
    assert found.joint == walk.skeleton.names[j]
    assert found.start == 80
    assert found.size == pytest.approx(0.1 * np.linalg.norm(walk.skeleton.offsets[j]))


def duplicates(clips):
    return find_duplicates([summary(clip, []) for clip in clips], lambda i: clips[i])


def rates(clips):
    return rate_findings([summary(clip, []) for clip in clips])


def test_duplicates_are_found_wherever_they_stand_and_however_they_were_cut(walk):
    other = samples.make("walk", seed=5, speed=1.0)
    copy = turned(moved(walk[60:], (3, 1)), 1.0)
    found = duplicates([walk, other, copy])
    assert [(t.a, t.b, t.mirrored) for t in found] == [(0, 2, False)]
    assert found[0].start_a == 30
    assert found[0].seconds == pytest.approx(5.0, abs=0.1)


def test_twins_share_seventy_percent_and_differ_by_no_more_than_a_degree(walk):
    from motionloom.core import concatenate

    other = samples.make("walk", seed=5, speed=1.0)
    for share, found in ((0.8, 1), (0.6, 0)):
        cut = round(share * len(walk))
        mixed = concatenate([walk[:cut], other[cut : len(walk)]])
        assert len(duplicates([walk, mixed])) == found, share
    head = walk.skeleton.joint("head")
    for degrees, found in ((0.8, 1), (3.0, 0)):
        rotations = walk.rotations.copy()
        rotations[:, head] = multiply(rotations[:, head], exp([np.radians(degrees), 0, 0]))
        assert len(duplicates([walk, replace(walk, rotations=rotations)])) == found, degrees


def test_a_mirrored_twin_is_found_at_another_frame_rate(walk):
    found = duplicates([walk, samples.make("run", seed=3), resample(mirror(walk), 30.0)])
    assert [(t.a, t.b, t.mirrored) for t in found] == [(0, 2, True)]
    assert "mirrored duplicate" in kinds([walk, mirror(walk)])


def test_repair_mends_says_so_and_leaves_the_rest(walk):
    rotations = walk.rotations.copy()
    j = walk.skeleton.joint("head")
    rotations[50, j] = multiply(rotations[50, j], exp([1.5, 0, 0]))
    k = walk.skeleton.joint("left_foot")
    rotations[200:, k] = multiply(rotations[200:, k], exp([0, 2.0, 0]))
    clip, said = repair(replace(walk, rotations=rotations))
    assert len(said) == 2
    assert "not repaired" in said[0]  # what is left to do comes first
    assert "--fill" not in said[0]
    assert "frame 50, interpolated" in said[1]
    assert "glitches repaired" in str(clip.origin.notes[-1])
    again, nothing = repair(walk)
    assert again is walk
    assert nothing == []


def test_a_foot_that_turned_over_for_a_moment_is_repaired_from_one_jump_to_the_other():
    """As in CMU's 104_04: mended one by one, its two jumps left the foot turned over between them."""
    run = samples.make("run", speed=2.6, seed=1)
    toe, foot = run.skeleton.joint("left_toe"), run.skeleton.joint("left_foot")
    swing = int(fk(run)[30:-30, foot, 1].argmax()) + 30  # where the knee is bent
    rotations = run.rotations.copy()
    over = slice(swing - 5, swing + 5)
    rotations[over, foot] = multiply(rotations[over, foot], exp([0, np.pi, 0]))
    broken = replace(run, rotations=rotations)
    assert wrong_bends(broken)
    mended, said = repair(broken)
    assert not wrong_bends(mended)
    assert np.linalg.norm(fk(mended) - fk(run), axis=-1)[:, toe].max() < 0.05
    assert len(said) == 1


def test_a_glitch_that_is_too_long_names_the_seconds_to_fill(walk):
    rotations = walk.rotations.copy()
    j = walk.skeleton.joint("head")
    jumps = exp(np.random.default_rng(1).normal(0, 1.2, (50, 3)))
    rotations[100:150, j] = multiply(rotations[100:150, j], jumps)
    _, (line,) = repair(replace(walk, rotations=rotations))
    assert line.endswith("(too long to be interpolated); clean with --fill 1.57,2.60 --like CLIPS")


def test_what_can_be_mended_is_mended_at_once(mocap):
    from motionloom.io import load
    from motionloom.kinematics.capture.glitches import glitches, mendable

    clip, said = repair(load(mocap / "cmu" / "60_08.bvh"))  # small glitches beside large ones
    mended = [line for line in said if "interpolated" in line]
    assert len(mended) > 80
    assert len(set(mended)) == len(mended)  # each is told once
    left = [g for g in glitches(clip[1:]) if mendable(g, clip.fps)]  # the T-pose in frame 0 stays
    assert len(clip) == len(load(mocap / "cmu" / "60_08.bvh"))
    assert sum("its neighbours are too far apart" in line for line in said) == len(left) < len(mended) // 6


def test_a_wrong_frame_rate_is_said_from_the_fall_of_a_jump(mocap):
    from motionloom.io import load

    jump, walk = (load(mocap / "cmu" / f"143_{n}.bvh") for n in ("06", "32"))
    assert true_rate(free_falls(jump)) == pytest.approx(60, abs=2)
    found = rates([jump, walk])
    assert [i for i, _ in found] == [0, 1]  # the walk has no flight, but it is the same body
    assert all(f.size == pytest.approx(60, abs=2) for _, f in found)
    assert "60.9 fps" in found[0][1].text or "61" in found[0][1].text


def test_a_result_counts_its_own_frames(tmp_path):
    """Not those of the captured clip that each of them comes from."""
    walk = samples.make("walk", seconds=2)
    save(walk, tmp_path / "walk.bvh")
    part = trim(load(tmp_path / "walk.bvh"), start="30f")
    assert part.origin.main()[1][5] == 35
    assert in_file(part, 5) == 5


def test_a_flight_that_is_no_parabola_tells_no_rate():
    jump = samples.make("jump")
    falls = free_falls(jump)
    assert true_rate(falls) == pytest.approx(jump.fps, rel=0.1)
    f = falls[0]
    middle = (f.start + f.stop) / 2
    bent = np.abs(np.arange(f.start, f.stop) - middle) / (middle - f.start)  # up and down on straight lines
    root = jump.root.copy()
    root[f.start : f.stop, 1] = root[f.start, 1] + 0.3 * (1 - bent)
    assert f.start not in [g.start for g in free_falls(replace(jump, root=root))]


@pytest.mark.parametrize("name", ["118_03", "118_20", "83_42", "49_04", "127_25"])
def test_true_frame_rates_are_believed(mocap, name):
    from motionloom.io import load

    clip = load(mocap / "cmu" / f"{name}.bvh")
    assert true_rate(free_falls(clip)) == pytest.approx(120, rel=0.03)
    assert rates([clip]) == []


def test_a_cartwheel_on_the_hands_is_no_free_fall(mocap):
    from motionloom.io import load

    assert rates([load(mocap / "cmu" / f"49_{n}.bvh") for n in ("06", "07", "08")]) == []


def test_files_are_checked_one_at_a_time_with_the_findings_of_clips(walk, tmp_path, monkeypatch):
    """Only the clips that may be duplicates are read a second time."""
    from motionloom.evaluate.capture_checks import files
    from motionloom.io import load, save

    run = samples.make("run", seed=3, seconds=3)
    for folder, clip in (("a", walk), ("b", run), ("c", walk)):
        save(clip, tmp_path / folder / "take.bvh")
    (tmp_path / "broken.bvh").write_text("HIERARCHY")
    read = []
    monkeypatch.setattr(files, "load", lambda path, reading: read.append(path.parent.name) or load(path, reading))
    found = files.check_files([tmp_path])
    assert (found.clips, [title for title, _ in found.unreadable]) == (3, ["broken.bvh"])
    assert sorted(read[4:]) == ["a", "c", "c"]
    (same,) = [f for f in found.findings if f.kind == "duplicate"]
    assert (same.clip, "the same take as a/take.bvh" in same.text) == ("c/take.bvh", True)
    clips = [load(tmp_path / folder / "take.bvh") for folder in "abc"]
    assert [f.text.replace("a/take.bvh", "take.bvh") for f in found.findings] == [f.text for f in check_clips(clips)]


def test_frames_of_a_result_are_counted_in_the_result(walk, tmp_path):
    made = trim(walk, start=0.5)  # its frames come from later frames of the walk
    rotations = made.rotations.copy()
    j = made.skeleton.joint("left_forearm")
    rotations[20:22, j] = multiply(rotations[20:22, j], exp([np.radians(90), 0, 0]))
    save(replace(made, rotations=rotations), tmp_path / "result.bvh")
    result = load(tmp_path / "result.bvh")
    assert result.origin.main()[1][20] > 20  # the number of the frame in its source
    (glitch,) = [f for f in check_clips([result]) if f.kind == "glitch"]
    assert (glitch.start, glitch.stop) == (20, 22)
    assert "20-21" in repair(result)[1][0]


def test_every_kind_of_finding_is_in_the_table_of_the_page():
    from motionloom.cli.check import IMPORTANCE

    page = (Path(__file__).resolve().parents[2] / "docs" / "quality.md").read_text("utf-8")
    table = page.partition("## Problems found by `check`")[2].partition("\n\n`motionloom clean")[0]
    assert not [kind for kind in IMPORTANCE if kind != "not checked" and f"{kind}" not in table]


def test_irregularities_of_a_file_are_findings(tmp_path):
    save(samples.make("walk", seconds=1, fps=30), tmp_path / "x.bvh")
    (tmp_path / "x.bvh").write_text((tmp_path / "x.bvh").read_text().replace("Frames: 30", "Frames: 33"))
    texts = [f.text for f in check_files([tmp_path / "x.bvh"]).findings if f.kind == "file"]
    assert len(texts) == 1
    assert texts[0].endswith('expected 33 frames ("Frames: 33"), found 30')
