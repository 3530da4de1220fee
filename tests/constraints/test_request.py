"""The request language: what is written is what is meant, and mistakes are named."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from motionloom.constraints import (
    KINDS,
    Avoid,
    Euler,
    LookAt,
    Parameters,
    Plant,
    PoseAt,
    PositionAt,
    Reach,
    Request,
    RootAt,
    RootPath,
    Start,
    Style,
)
from motionloom.core import BadRequest, FormatError, Origin, Source, replace
from motionloom.core.files import Files
from motionloom.core.units import Quantity

SAMPLE = """
seconds: 12            # or frames: 360; both is an error; neither = the method's natural end, else an error
fps: 30                # default: the model's
start: {position: [0, 0], heading: 0deg}     # hips at frame 0 (this is the default); a root_at at time 0 wins
options: {noise: 0.5}  # synthesis-time options, checked against the method's own frozen Options
ground: flat           # or {heights: ground.csv} with rows x,z,y
parameters: {turn: 35deg}                    # short for one `parameters` constraint over all of it
constraints:
- pose_at: {time: 0, pose: walk.bvh#120}     # clip#frame: 0-based, counted in the file, T-pose included
- pose_at: {time: 2.5, pose: guard.bvh#0, joints: [upper], weight: 3}
- pose_at: {time: 90f, rotations: {left_forearm: {order: zyx, angles: [0deg, 0deg, 90deg]}}}
- position_at: {joint: left_hand, time: 3, target: [0.4, 1.2, 0.6], tolerance: 2cm}
- plant: {joint: left_foot, span: [1.0, 1.6]}                         # target optional
- root_at: {time: 4, position: [2, 3], height: 0.9, heading: 90deg}   # any subset of the three
- root_path: {points: [[0, 0], [2, 1], [4, 0]], tolerance: 20cm}      # times: [0, 2, 4] optional
- reach: {position: [3, 2], heading: 180deg, by: 8, tolerance: 25cm, heading_tolerance: 15deg}
- style: {label: sneak, span: [4, 8], importance: 1, joints: [all]}
- parameters: {values: {speed: 1.4}, span: [0, 5]}
- look_at: {target: [1, 1.6, 4], span: [2, 5]}                        # or yaw/pitch, or path: [[t, x, y, z], ...]
- avoid: {center: [1, 1], radius: 0.5}
"""


def test_the_sample_of_the_request_language_parses_to_what_it_says():
    request = Request.from_yaml(SAMPLE)
    assert (request.seconds, request.frames, request.fps) == (12.0, None, 30.0)
    assert request.start == Start((0.0, 0.0), 0.0)
    assert dict(request.options) == {"noise": 0.5}
    assert request.ground.flat
    assert dict(request.parameters) == {"turn": Quantity(math.radians(35), "angle")}
    assert request.constraints == (
        PoseAt(time=0, pose="walk.bvh#120"),
        PoseAt(time=2.5, pose="guard.bvh#0", joints=("upper",), weight=3),
        PoseAt(time="90f", rotations={"left_forearm": Euler("zyx", (0.0, 0.0, math.pi / 2))}),
        PositionAt(joint="left_hand", time=3, target=(0.4, 1.2, 0.6), tolerance=0.02),
        Plant(joint="left_foot", span=(1.0, 1.6)),
        RootAt(time=4, position=(2, 3), height=0.9, heading=math.pi / 2),
        RootPath(points=((0, 0), (2, 1), (4, 0)), tolerance=0.2),
        Reach(position=(3, 2), heading=math.pi, by=8, tolerance=0.25, heading_tolerance=math.radians(15)),
        Style(label="sneak", span=(4, 8), importance=1, joints=("all",)),
        Parameters(values={"speed": 1.4}, span=(0, 5)),
        LookAt(target=(1, 1.6, 4), span=(2, 5)),
        Avoid(center=(1, 1), radius=0.5),
    )
    assert request.all_constraints[0] == Parameters(values={"turn": "35deg"})
    assert [c.hard for c in request.constraints] == [True, False] + [True] * 10


def test_a_request_written_and_read_again_is_the_same():
    request = Request.from_yaml(SAMPLE)
    assert Request.from_yaml(request.to_yaml()) == request
    odd = Request(
        frames=7,
        start=Start((1.5, -2), 0.3),
        options={"tries": 4, "mode": "best"},
        constraints=(
            LookAt(yaw=0.1, pitch=-0.2, span=("end-0.5", "end"), weight=0.5),
            LookAt(path=((0, 1, 2, 3), ("end", 2, 2, 3))),
            RootPath(points=((0, 0), (1, 1)), times=(0, "end-5f")),
        ),
    )
    assert Request.from_yaml(odd.to_yaml()) == odd


def test_the_key_of_a_constraint_is_its_class_name():
    assert list(KINDS) == [
        "pose_at",
        "pose_along",
        "position_at",
        "plant",
        "root_at",
        "root_path",
        "reach",
        "style",
        "style_along",
        "parameters",
        "pace",
        "look_at",
        "avoid",
        "head_for",
        "act",
    ]


def test_a_start_counts_only_if_it_is_given():
    assert Request.from_yaml("seconds: 2").start is None
    assert "start" not in Request(seconds=2).to_yaml()
    origin = Request(seconds=2, start=Start())
    assert origin != Request(seconds=2)
    assert Request.from_yaml(origin.to_yaml()) == origin
    free = Request()
    assert free.given_beginning(60, 30) == (None, None)
    assert free.beginning(60, 30) == Start((0.0, 0.0), 0.0)
    turned = Request(constraints=(RootAt(time=0, heading=0.5),))
    assert turned.given_beginning(60, 30) == (None, 0.5)
    assert turned.beginning(60, 30) == Start((0.0, 0.0), 0.5)
    near = RootAt(time=0, position=(1.0, 2.0), heading=0.3, weight=1.0)
    assert Request(constraints=(near,)).beginning(60, 30) == Start((1.0, 2.0), 0.3)
    assert Request(constraints=(RootAt(time=0, heading=0.5), near)).beginning(60, 30) == Start((1.0, 2.0), 0.5)
    assert Request(start=Start(), constraints=(near,)).beginning(60, 30) == Start((0.0, 0.0), 0.0)


def test_nothing_at_all_is_a_request():
    assert Request.from_yaml("{}") == Request.from_yaml("") == Request()


def test_a_request_can_be_a_file_and_its_paths_lie_beside_it(tmp_path, stroll):
    (tmp_path / "stroll.bvh").write_text("")
    (tmp_path / "ground.csv").write_text("x,z,y\n0,0,1\n")
    file = tmp_path / "request.yaml"
    file.write_text("ground: {heights: ground.csv}\nconstraints:\n- pose_at: {time: 0, pose: stroll.bvh#12}\n")
    asked: list[str] = []

    def load(path):
        asked.append(path)
        return stroll

    request = Request.from_file(file, load)
    assert asked == [str(tmp_path / "stroll.bvh")]
    assert request.ground.height_at(3, 3) == 1
    assert request.constraints[0].pose.clip.root[0, 2] == stroll.root[12, 2]
    assert "stroll.bvh#12" in request.to_yaml()
    assert Request.from_file(str(file)).constraints == (PoseAt(time=0, pose="stroll.bvh#12"),)


@pytest.fixture
def here(tmp_path):
    """A folder with two clips to name; what is in them does not matter."""
    for name in ("stroll.bvh", "made.bvh"):
        (tmp_path / name).touch()
    return Files(tmp_path)


def test_frames_are_counted_in_the_file_even_if_the_reader_left_some_out(stroll, here):
    request = Request.from_yaml("constraints: [pose_at: {time: 0, pose: stroll.bvh#12}]", lambda path: stroll[5:], here)
    assert request.constraints[0].pose.clip.root[0, 2] == stroll.root[12, 2]
    with pytest.raises(BadRequest, match=r"stroll.bvh#2: expected a frame from 5 to 39, found 2"):
        Request.from_yaml("constraints: [pose_at: {time: 0, pose: stroll.bvh#2}]", lambda path: stroll[5:], here)


def test_frames_of_a_made_clip_are_counted_in_its_own_file(stroll, here):
    elsewhere = Origin(name="made.bvh", sources=(Source("stroll.bvh"),), which=[0] * 40, frames=range(39, -1, -1))
    made = replace(stroll, origin=elsewhere)
    request = Request.from_yaml("constraints: [pose_at: {time: 0, pose: made.bvh#12}]", lambda path: made, here)
    assert request.constraints[0].pose.clip.root[0, 2] == made.root[12, 2] != made.root[27, 2]
    with pytest.raises(BadRequest, match=r"made.bvh#40: expected a frame from 0 to 39, found 40"):
        Request.from_yaml("constraints: [pose_at: {time: 0, pose: made.bvh#40}]", lambda path: made, here)


WRONG = {
    "seconds: 3\nframes: 90": "request:2: frames: expected seconds or frames, found both",
    "seconds: 0": "request:1: seconds: expected a number above zero, found 0",
    "frames: 1.5": "request:1: frames: expected a whole number, found 1.5",
    "second: 3": "request:1: there is no 'second' here; did you mean 'seconds'?",
    "pace: {speed: [0.9, 1.0]}": "request:1: pace is a constraint and belongs under constraints: `constraints: [pace:",
    "seconds: 3\nconstraints:\n- root_ad: {time: 1}": "request:3: constraints[0]: there is no constraint 'root_ad'",
    "constraints:\n- path: {points: [[0, 0], [1, 1]]}": "there is no constraint 'path'; did you mean 'root_path'",
    "constraints:\n- sing: {time: 1}": "request:2: constraints[0]: there is no constraint 'sing'; known: pose_at",
    "constraints:\n- root_at: {time: 1,\n   hedding: 1deg}": "there is no 'hedding' here; did you mean 'heading'?",
    "constraints:\n- root_at: {time: 1,\n    heading: 90}": "request:3: root_at.heading: expected an angle",
    "constraints:\n- root_at: {time: 1}": "request:2: root_at: expected at least one of position, height, heading",
    "constraints:\n- root_at: {heading: 1deg}": "request:2: root_at: 'time' is missing",
    "constraints:\n- root_at: 4": "request:2: root_at: expected fields",
    "constraints:\n- root_at": "request:1: constraints[0]: expected one constraint",
    "constraints:\n  root_at: {time: 1}": "request:1: constraints: expected a list",
    "constraints:\n- position_at: {joint: head, time: 1, target: [1, 2]}": "position_at.target: expected 3 lengths",
    "constraints:\n- position_at: {joint: head, time: 1, target: [1, 2, 3deg]}": "position_at.target[2]: expected",
    "constraints:\n- position_at: {joint: no, time: 1, target: [1, 2, 3]}": "position_at.joint: expected a name, found",
    "constraints:\n- plant: {joint: left_foot, span: [1]}": "plant.span: expected a span [from, to], found [1]",
    "constraints:\n- plant: {joint: left_foot, weight: -1}": "plant.weight: expected a number from 0 to 1000000",
    "constraints:\n- plant: {joint: left_foot, tolerance: -1cm}": "plant.tolerance: expected a length from 0 to 1",
    "constraints:\n- pose_at: {time: 0, pose: walk.bvh}": "pose_at.pose: expected a frame of a clip, as walk.bvh#120",
    "constraints:\n- pose_at: {time: 0}": "pose_at: expected either a pose (walk.bvh#120) or rotations",
    "constraints:\n- pose_at: {time: 0, rotations: {head: {order: xxy, angles: [0deg, 0deg, 0deg]}}}": "order: exp",
    "constraints:\n- pose_at: {time: 0, rotations: {head: {order: xyz, angles: [0, 0deg, 0deg]}}}": "a bare angle is",
    "constraints:\n- root_path: {points: [[0, 0]]}": "root_path.points: expected at least two places",
    "constraints:\n- root_path: {points: [[0, 0], [1, 1]], times: [0]}": "root_path.times: expected one per point (2)",
    "constraints:\n- look_at: {target: [0, 0, 1], yaw: 3deg}": "look_at: expected exactly one of target, path, or yaw",
    "constraints:\n- look_at: {span: [0, 1]}": "look_at: expected exactly one of target, path, or yaw and pitch",
    "constraints:\n- look_at: {path: [[0, 1, 2]]}": "look_at.path: expected at least two waypoints",
    "constraints:\n- reach: {position: [1, 1], tolerance: 0}": "reach.tolerance: expected a length from 1e-06 to 100 m",
    "constraints:\n- parameters: {values: {}}": "parameters.values: expected {name: value, ...}",
    "start: {position: [0, 0], heading: 0}": "request:1: start.heading: expected an angle with its unit",
    "start: {place: [0, 0]}": "request:1: start: there is no 'place' here",
    "ground: round": "request:1: ground: expected flat, or {heights: ground.csv}, found 'round'",
    "ground: {heights: nowhere.csv}": "ground.heights: no such file: 'nowhere.csv'",
    "options: 3": "request:1: options: expected {name: value, ...}, found 3",
    "seconds: 3\nseconds: 4": "request:2: 'seconds' is given twice (first in line 1)",
    "seconds: [3": "this is not YAML",
    "[1, 2]": "expected a request such as {seconds: 12}",
    "1: 2": "request:1: expected a name before the colon, found 1",
    "a: &a [*a]": "nested too deeply",
    "seconds: !!python/object:os.system 3": "cannot read this value",
}


@pytest.mark.parametrize("text", WRONG)
def test_every_mistake_is_named_with_its_place(text):
    with pytest.raises(BadRequest) as caught:
        Request.from_yaml(text)
    assert WRONG[text] in str(caught.value)


MISTAKES = """
seconds: -3
start: {heading: 90, facing: 3}
constraints:
- root_at: {time: soon,
   heading: 90deg,
   hight: 1}
- sing: {}
- plant: {span: [1, 2cm]}
"""


def test_all_mistakes_of_a_request_are_reported_at_once_each_with_its_path():
    with pytest.raises(BadRequest) as caught:
        Request.from_yaml(MISTAKES)
    assert [(problem.where, problem.place) for problem in caught.value.problems] == [
        (("seconds",), "request:2"),
        (("start", "heading"), "request:3"),
        (("start",), "request:3"),
        (("constraints", 0, "time"), "request:5"),
        (("constraints", 0), "request:7"),
        (("constraints", 1), "request:8"),
        (("constraints", 2, "span", 1), "request:9"),
        (("constraints", 2), "request:9"),
    ]
    lines = str(caught.value).splitlines()
    assert lines[0] == "8 problems:"
    assert lines[4].startswith("  request:5: root_at.time: expected a time: seconds (2.5)")
    assert lines[8] == "  request:9: plant: 'joint' is missing; it needs joint"
    assert pickle.loads(pickle.dumps(caught.value)).problems[3].where == ("constraints", 0, "time")


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(BadRequest, match=r"^no such file: 'no.yaml'$"):
        Request.from_file("no.yaml")
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(BadRequest, match="it is not text"):
        Request.from_file(binary)


def test_text_is_never_taken_for_the_name_of_a_file(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("password: 1234\n")
    for read in (Request.from_yaml,):
        with pytest.raises(BadRequest, match="expected a request such as") as caught:
            read(str(secret))
        assert "1234" not in str(caught.value)
    with pytest.raises(BadRequest, match=r"expected the text of a request.*Request\.from_file reads a file"):
        Request.from_yaml(secret)


def test_a_file_that_is_no_request_is_not_printed(tmp_path):
    (tmp_path / "passwd").write_text("root\n")
    with pytest.raises(BadRequest, match=r"^passwd: expected a request such as {seconds: 12}, found a single value$"):
        Request.from_file(tmp_path / "passwd")


@pytest.mark.parametrize("name", ["../outside.csv", "{outside}", "link.csv", "folder/../../outside.csv"])
def test_a_ground_outside_the_root_is_not_read(tmp_path, name):
    root, outside = tmp_path / "root", tmp_path / "outside.csv"
    (root / "folder").mkdir(parents=True)
    outside.write_text("0,0,1\n")
    (root / "link.csv").symlink_to(outside)
    (root / "ask.yaml").write_text(f"ground: {{heights: {name.format(outside=outside)}}}")
    with pytest.raises(BadRequest, match=r"ask.yaml:1: ground\.heights: .*outside the folders that may be read"):
        Request.from_file(root / "ask.yaml")
    assert Request.from_file(root / "ask.yaml", files=Files(tmp_path)).ground.height_at(0, 0) == 1


def test_a_pose_outside_the_root_is_not_read(tmp_path, stroll):
    (tmp_path / "root").mkdir()
    (tmp_path / "stroll.bvh").touch()
    text = "constraints:\n- root_at: {time: 0, heading: 0deg}\n- pose_at: {time: 0, pose: ../stroll.bvh#1}"
    with pytest.raises(BadRequest, match=r"constraints\[1\]: pose_at.pose: .*outside the folders") as caught:
        Request.from_yaml(text, lambda path: pytest.fail(path), Files(tmp_path / "root"))
    assert caught.value.where == ("constraints", 1, "pose")


def test_a_frame_rate_that_makes_no_sense_is_refused():
    for fps in ("1e300", "1e-300", "-30"):
        with pytest.raises(BadRequest, match=r"fps: expected 0\.001 to 10000 frames per second"):
            Request.from_yaml(f"{{seconds: 1, fps: {fps}}}")


def test_errors_of_a_file_carry_its_name_and_line(tmp_path):
    file = tmp_path / "wish.yaml"
    file.write_text("seconds: 3\n\nfps: fast\n")
    with pytest.raises(BadRequest, match=r"^wish.yaml:3: fps: expected a number without a unit, found 'fast'"):
        Request.from_file(file)


def test_python_constructors_check_too():
    with pytest.raises(BadRequest, match=r"position_at.target: expected 3 lengths"):
        PositionAt(joint="head", time=0, target=(1, 2))
    with pytest.raises(BadRequest, match=r"root_at.time: expected a time"):
        RootAt(time=-1, heading=0.3)
    with pytest.raises(BadRequest, match="found both"):
        Request(seconds=1, frames=2)
    with pytest.raises(BadRequest, match=r"constraints\[0\]: expected one of the constraints"):
        Request(constraints=("root_at",))
    assert RootAt(time="2s", heading="90deg").heading == math.pi / 2
    assert PositionAt(joint="head", time=1, target=np.array([1, 2, 3])).target == (1.0, 2.0, 3.0)


def test_the_length_of_a_result_comes_from_seconds_or_frames():
    assert Request(seconds=12).length(30) == 360
    assert Request(frames=360).length(30) == 360
    assert Request(frames=360, fps=60).length(30) == 180
    assert Request().length(30) is None
    assert Request(seconds=0.001).length(30) == 1


def test_a_hard_root_at_at_time_zero_wins_over_start():
    start = Start((5, 5), 1.0)
    assert Request(start=start).beginning(60, 30) == start
    place = RootAt(time=0, position=(1, 2))
    assert Request(start=start, constraints=(place,)).beginning(60, 30) == Start((1, 2), 1.0)
    later = RootAt(time=1, position=(1, 2))
    soft = RootAt(time=0, heading=0.0, weight=1)
    assert Request(start=start, constraints=(later, soft)).beginning(60, 30) == start


def test_times_in_frames_keep_their_instant_at_another_frame_rate():
    request = Request(
        frames=120,
        fps=60,
        constraints=(
            RootAt(time="60f", heading=0.0),
            Plant(joint="left_foot", span=("30f", "end-30f")),
            LookAt(path=((0, 0, 0, 1), ("90f", 1, 0, 1))),
        ),
    )
    half = request.at_fps(30)
    assert (half.fps, half.frames) == (30, 60)
    assert half.constraints[0].time == "30f"
    assert half.constraints[1].span == ("15f", "end-15f")
    assert [w[0] for w in half.constraints[2].path] == [0.0, "45f"]
    assert Request(seconds=2).at_fps(30) == Request(seconds=2, fps=30)


def test_requests_survive_pickling():
    request = Request.from_yaml(SAMPLE)
    assert pickle.loads(pickle.dumps(request)) == request


def test_ground_between_points_is_interpolated(tmp_path):
    file = tmp_path / "ground.csv"
    file.write_text("x,z,y\n0,0,0\n0,1,1\n2,0,2\n2,1,3\n")
    ground = Request.from_yaml(f"ground: {{heights: {file}}}", files=Files(tmp_path)).ground
    np.testing.assert_allclose(ground.height_at([0, 1, 2, 1], [0, 0.5, 1, 0]), [0, 1.5, 3, 1])
    np.testing.assert_allclose(ground.height_at(-5, 0.5), 0.5)  # outside: as at the border
    file.write_text("0,0,0\n0,1,1\n2,0,2\n1,3,4\n")  # no grid: triangles
    ground = Request.from_yaml(f"ground: {{heights: {file}}}", files=Files(tmp_path)).ground
    np.testing.assert_allclose(
        ground.height_at([0.0, 0.0, 2.0, 0.5], [0.0, 0.5, 0.0, 0.5]), [0, 0.5, 2, 1.0], atol=1e-9
    )
    assert ground.height_at(9, 9) == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0,0\n", r"ground.csv:1: expected three numbers x,z,y, found '0,0'"),
        ("1,2,high\n", ":1:"),
        ("\n", "found none"),
    ],
)
def test_ground_files_that_make_no_sense_are_refused(tmp_path, text, said):
    file = tmp_path / "ground.csv"
    file.write_text(text)
    with pytest.raises(FormatError, match=said):
        Request.from_yaml(f"ground: {{heights: {file}}}", files=Files(tmp_path))


def test_times_may_have_their_unit_everywhere():
    request = Request.from_yaml("{seconds: 2000ms, constraints: [{plant: {joint: left_foot, span: [200ms, 1.5s]}}]}")
    assert request == Request(seconds=2, constraints=(Plant(joint="left_foot", span=(0.2, 1.5)),))
    assert Request.from_yaml("seconds: 10s").seconds == Request(seconds="10s").seconds == 10.0
    with pytest.raises(BadRequest, match=r"request:1: seconds: expected a duration, as 2.5 .seconds. or 200ms, found"):
        Request.from_yaml("seconds: 10cm")
