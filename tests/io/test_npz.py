"""NPZ: our arrays come back, others' bodies are read, and nothing is unpickled or blown up."""

from __future__ import annotations

import io
import pickle
import zipfile

import numpy as np
import pytest

from motionloom.core import BadRequest, Clip, FormatError, replace, with_labels
from motionloom.core.testing import assert_same_motion
from motionloom.io import load, save
from motionloom.io.arrays.humanml3d import features
from motionloom.io.arrays.smpl_body import average_body, smpl_names, smpl_parents
from motionloom.kinematics import fk, travel
from motionloom.kinematics.body.rest_pose import stands
from motionloom.rotation import exp, from_6d, from_axis_angle, multiply, rotate, yaw
from motionloom.samples import make

# our own arrays


def test_everything_in_a_clip_comes_back(tiny, tmp_path):
    clip = with_labels(replace(tiny, slides=np.full((10, 3, 3), 0.01)), {"step": np.arange(10) > 4})
    save(clip, tmp_path / "tiny.npz")
    (tmp_path / "tiny.labels.csv").unlink()  # the arrays hold the labels too
    back = load(tmp_path / "tiny.npz")
    assert_same_motion(back, clip, metres=0, radians=1e-7)
    assert np.array_equal(back.rotations, clip.rotations)
    assert np.array_equal(back.slides, clip.slides)
    assert np.array_equal(back.label("step"), clip.label("step"))
    assert back.skeleton.roles == clip.skeleton.roles
    assert back.skeleton.ends == clip.skeleton.ends


def test_the_sources_of_frames_come_back(tmp_path):
    clip = make("walk", seconds=1)[10:20]
    save(clip, tmp_path / "walk.npz")
    assert load(tmp_path / "walk.npz").origin.spans() == clip.origin.spans()


def test_the_arrays_are_plain_numpy(tiny, tmp_path):
    save(tiny, tmp_path / "tiny.npz")
    with np.load(tmp_path / "tiny.npz", allow_pickle=False) as arrays:
        assert str(arrays["format"]) == "motionloom clip 1"
        assert arrays["rotations"].shape == (10, 3, 4)
        assert arrays["root"].shape == (10, 3)
        assert arrays["names"].tolist() == ["Hips", "Mid", "Top"]
        assert arrays["parents"].tolist() == [-1, 0, 1]
        assert float(arrays["fps"]) == 10


def arrays_of(clip: Clip, tmp_path) -> dict:
    save(clip, tmp_path / "whole.npz")
    with np.load(tmp_path / "whole.npz") as arrays:
        return dict(arrays)


def test_a_few_arrays_are_enough(tiny, tmp_path):
    needed = ("names", "parents", "offsets", "root", "rotations", "fps")
    kept = {k: v for k, v in arrays_of(tiny, tmp_path).items() if k in needed}
    np.savez_compressed(tmp_path / "few.npz", **kept)
    assert_same_motion(load(tmp_path / "few.npz"), tiny, metres=0, radians=1e-7)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("rotations", np.zeros((10, 3, 3)), "expected \\(frames, 3 joints, 4\\)"),
        ("rotations", np.ones((10, 3, 4)), "not unit quaternions"),
        ("root", np.full((10, 3), np.nan), "not finite"),
        ("root", np.zeros((9, 3)), "root: expected shape"),
        ("parents", np.array([0, 0, 1]), "joint 0 must be the root"),
        ("parents", np.array([-1.0, 0, 1]), "expected whole numbers"),
        ("fps", np.array([1.0, 2.0]), "expected one number"),
        ("fps", np.array(-1.0), "fps must be positive"),
        ("names", np.array([1, 2, 3]), "expected names"),
        ("end_offsets", np.zeros((5, 3)), "end_offsets"),
        ("origin", np.frombuffer(b"{}", np.uint8), "sources of frames do not fit"),
    ],
)
def test_arrays_that_do_not_fit_are_said(tiny, tmp_path, name, value, message):
    made = arrays_of(tiny, tmp_path)
    np.savez(tmp_path / "bad.npz", **(made | {name: value}))
    with pytest.raises(FormatError, match=message):
        load(tmp_path / "bad.npz")


def test_a_missing_array_is_named(tmp_path):
    np.savez(tmp_path / "x.npz", other=np.zeros(3))
    with pytest.raises(FormatError, match="no array 'names': neither a clip nor an SMPL body"):
        load(tmp_path / "x.npz")


class Trap:
    """What a pickle could do."""

    def __reduce__(self):
        return (exec, ("raise SystemError('unpickled')",))


def test_pickles_are_never_opened(tiny, tmp_path):
    trap = np.empty(1, object)
    trap[0] = Trap()
    np.savez(tmp_path / "trap.npz", **(arrays_of(tiny, tmp_path) | {"fps": trap}))
    with pytest.raises(FormatError, match="'fps' holds Python objects \\(a pickle\\): never read"):
        load(tmp_path / "trap.npz")
    (tmp_path / "bare.npz").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(FormatError, match="not an NPZ file"):
        load(tmp_path / "bare.npz")


def npy_head(shape, dtype="<f8") -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": dtype, "fortran_order": False, "shape": shape})
    return out.getvalue()


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tiny, tmp_path):
    frames = 20_000_000  # half a gigabyte of zeros in half a megabyte
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays_of(tiny, tmp_path).items():
            if name == "root":
                with archive.open("root.npy", "w") as member:
                    member.write(npy_head((frames, 3)))
                    for _ in range(20):
                        member.write(bytes(frames * 24 // 20))
            else:
                out = io.BytesIO()
                np.save(out, array)
                archive.writestr(f"{name}.npy", out.getvalue())
    assert (tmp_path / "bomb.npz").stat().st_size < 1_000_000
    with pytest.raises(FormatError, match=r"unpacks to 457 MB from \d+ bytes: refused"):
        load(tmp_path / "bomb.npz")


def test_a_header_that_promises_more_than_there_is_is_refused(tiny, tmp_path):
    with zipfile.ZipFile(tmp_path / "liar.npz", "w") as archive:
        for name, array in arrays_of(tiny, tmp_path).items():
            out = io.BytesIO()
            np.save(out, array)
            data = npy_head((1 << 38, 3)) + b"\0" * 99 if name == "root" else out.getvalue()
            archive.writestr(f"{name}.npy", data)
    with pytest.raises(FormatError, match="does not fit its"):
        load(tmp_path / "liar.npz")


def test_units_cannot_be_given(tiny, tmp_path):
    with pytest.raises(BadRequest):
        save(tiny, tmp_path / "x.npz", unit="cm")
    save(tiny, tmp_path / "x.npz")
    with pytest.raises(BadRequest):
        load(tmp_path / "x.npz", up="z")


# SMPL


def smpl_arrays(joints: int, frames: int = 8) -> dict:
    """A body that stands with z up, walks along x, and bends its left knee."""
    poses = np.zeros((frames, joints, 3))
    poses[:, 0] = [np.pi / 2, 0, 0]  # the model's y up to z up
    poses[:, 4, 0] = np.linspace(0, 1, frames)
    trans = np.stack([np.linspace(0, 1, frames), np.zeros(frames), np.full(frames, 0.95)], 1)
    return {"poses": poses.reshape(frames, -1), "trans": trans, "mocap_framerate": np.array(100.0)}


@pytest.mark.parametrize("joints", [22, 24, 52, 55])
def test_the_body_is_known_by_the_shape_of_its_poses(tmp_path, joints):
    np.savez(tmp_path / "walk.npz", **smpl_arrays(joints))
    clip = load(tmp_path / "walk.npz")
    assert clip.skeleton.names == smpl_names(joints)
    assert clip.fps == 100
    assert clip.origin.up == "z"
    assert np.allclose(clip.root[:, 1], 0.95)
    assert np.allclose(np.abs(clip.rotations[:, 0]), [1, 0, 0, 0])  # upright
    assert stands(clip.skeleton)
    assert {"hips", "left_thigh", "right_foot", "left_toe", "head", "left_hand"} <= set(clip.skeleton.roles)
    assert any("average proportions stand in" in str(note) for note in clip.origin.notes)


def test_without_bone_lengths_a_strict_reader_refuses(tmp_path):
    np.savez(tmp_path / "walk.npz", **smpl_arrays(52))
    with pytest.raises(FormatError, match="bone lengths are not in the file"):
        load(tmp_path / "walk.npz", strict=True)


def test_other_names_for_the_same_arrays_are_known(tmp_path):
    whole = smpl_arrays(55)
    poses = whole["poses"]
    np.savez(
        tmp_path / "x.npz",
        root_orient=poses[:, :3],
        pose_body=poses[:, 3:66],
        pose_jaw=poses[:, 66:69],
        pose_eye=poses[:, 69:75],
        pose_hand=poses[:, 75:],
        transl=whole["trans"],
        mocap_frame_rate=np.array(100.0),
    )
    np.savez(tmp_path / "a.npz", **whole)
    assert_same_motion(load(tmp_path / "x.npz"), load(tmp_path / "a.npz"))


def test_bone_lengths_come_from_rest_joints_or_positions_in_the_file(tmp_path, rng):
    whole = smpl_arrays(24)
    body = average_body(24)
    rest = np.zeros((24, 3))
    for j, parent in enumerate(body.parents):
        rest[j] = body.offsets[j] * 1.1 + (rest[parent] if j else 0)
    np.savez(tmp_path / "rest.npz", **whole, J=rest)
    by_rest = load(tmp_path / "rest.npz")
    assert np.allclose(by_rest.skeleton.offsets[1:], body.offsets[1:] * 1.1)
    turn = from_axis_angle([1.0, 0, 0], -np.pi / 2)
    assert np.allclose(by_rest.root, rotate(turn, whole["trans"] + rest[0]))
    places = rotate(from_axis_angle([1.0, 0, 0], np.pi / 2), fk(by_rest))  # back to z up
    np.savez(tmp_path / "seen.npz", **whole, joints=places)
    by_seen = load(tmp_path / "seen.npz")
    assert np.abs(fk(by_seen) - fk(by_rest)).max() < 1e-9


def test_a_body_goes_out_as_it_came_in(tmp_path):
    whole = smpl_arrays(52) | {"gender": np.array("female"), "betas": np.arange(16) / 16}
    np.savez(tmp_path / "in.npz", **whole)
    save(load(tmp_path / "in.npz"), tmp_path / "out.smpl.npz")
    with np.load(tmp_path / "out.smpl.npz") as back:
        assert np.allclose(back["poses"], whole["poses"])
        assert np.allclose(back["trans"], whole["trans"])
        assert np.allclose(back["betas"], whole["betas"])
        assert str(back["gender"]) == "female"
        assert float(back["mocap_framerate"]) == 100


def test_any_body_can_go_out_as_smpl_pose_parameters(tmp_path):
    walk = make("walk", seconds=2, turn=0.5)
    save(walk, tmp_path / "walk.smpl.npz")
    back = load(tmp_path / "walk.smpl.npz")
    assert len(back.skeleton) == 52
    assert back.origin.up == "z"
    ours, theirs = travel(walk).heading, travel(back).heading
    assert np.abs(np.unwrap(theirs) - np.unwrap(ours)).max() < 0.3
    places = fk(back)
    assert places[:, back.skeleton.joint("head"), 1].min() > 1.2
    assert abs(places[:, [back.skeleton.joint(f"{s}_foot") for s in ("left", "right")], 1].min()) < 0.2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"poses": np.zeros((8, 100))}, "expected 66 .* values a frame"),
        ({"poses": np.zeros((0, 156))}, "expected some frames"),
        ({"poses": np.full((8, 156), np.inf)}, "not finite"),
        ({"poses": np.full((8, 156), 1e4)}, "over 100 radians"),
        ({"trans": np.zeros((7, 3))}, "trans: expected \\(8, 3\\)"),
        ({"mocap_framerate": np.array("fast")}, "no frame rate"),
        ({"mocap_framerate": np.array(0.0)}, "expected a plausible frame rate, found 0.0"),
    ],
)
def test_bodies_that_do_not_fit_are_said(tmp_path, change, message):
    np.savez(tmp_path / "x.npz", **(smpl_arrays(52) | change))
    with pytest.raises(FormatError, match=message):
        load(tmp_path / "x.npz")


def test_parents_of_all_bodies_come_first():
    for joints in (22, 24, 52, 55):
        assert all(p < j for j, p in enumerate(smpl_parents(joints)))
        assert len(set(smpl_names(joints))) == joints


# HumanML3D


def test_features_are_263_numbers_for_every_frame_but_the_last(tmp_path):
    save(make("walk", seconds=2, fps=40), tmp_path / "walk.npy")
    data = np.load(tmp_path / "walk.npy")
    assert data.shape[1] == 263
    assert 38 <= len(data) <= 40
    assert data.dtype == np.float32


def body_at(place, heading) -> np.ndarray:
    """World positions of an average body that stands at places (F, 3) with headings (F,)."""
    body = average_body(22)
    turns = np.zeros((len(place), 22, 4))
    turns[..., 0] = 1
    turns[:, 0] = yaw(heading)
    turns[:, 18] = multiply(exp([0, 0.4, 0.2]), turns[:, 18])
    return fk(Clip(body, place, turns, 20.0))


def test_a_straight_walk_has_its_velocity_in_the_heading_frame():
    t = np.arange(30) / 20
    place = np.stack([3 + 2 * t, 0.95 + 0 * t, 1 + 0 * t], 1)  # 2 m/s along +x, facing +x
    data = features(body_at(place, np.full(30, np.pi / 2)))
    assert np.allclose(data[:, 0], 0, atol=1e-9)
    assert np.allclose(data[:, 1:3], [0, 0.1], atol=1e-9)  # 10 cm a frame, forward
    assert np.allclose(data[0, 4:67], data[-1, 4:67])


def test_positions_can_be_recovered_from_the_features():
    t = np.arange(60) / 20
    heading = 0.4 * t
    place = np.stack([np.cumsum(np.sin(heading)) / 20, 0.95 + 0.02 * np.sin(5 * t), np.cumsum(np.cos(heading)) / 20], 1)
    places = body_at(place, heading)
    data = features(places)
    angle = -2 * np.concatenate([[0], np.cumsum(data[:-1, 0])])  # the paper's recovery, by hand
    step = np.zeros((len(data), 3))
    step[1:, [0, 2]] = data[:-1, 1:3]
    root = np.cumsum(rotate(yaw(angle), step), axis=0)
    joints = rotate(yaw(angle)[:, None], data[:, 4:67].reshape(-1, 21, 3)) + root[:, None]
    wanted = places - places[..., 1].min() * np.array([0, 1, 0])
    wanted = wanted - wanted[0, 0] * [1, 0, 1]
    assert np.abs(joints - wanted[:-1, 1:]).max() < 1e-6
    assert np.allclose(data[:, 3], wanted[:-1, 0, 1])


def test_the_rotation_block_gives_back_bone_directions_but_no_twist():
    places = body_at(np.tile([0, 0.95, 0], (10, 1)), np.zeros(10))
    data = features(places)
    arm = from_6d(data[0, 67:193].reshape(21, 6))
    shoulder, elbow = arm[15], arm[17]  # joints 16 and 18, each stored with the bone's far end
    down = rotate(multiply(multiply(arm[12], shoulder), elbow), [0, -1, 0])  # the chain starts at joint 9
    line = places[0, 18] - places[0, 16]
    assert np.allclose(down, line / np.linalg.norm(line), atol=1e-6)
