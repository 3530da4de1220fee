"""The influence of joints on each other, computed and read from a file."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import FormatError, Skeleton
from motionloom.methods import learn, load_model, save_model
from motionloom.methods.texture.config import Config
from motionloom.methods.texture.faithful.joint_order import joint_order
from motionloom.methods.texture.influence import influence_matrix, read_influence
from motionloom.samples import make


@pytest.fixture(scope="module")
def fork() -> Skeleton:
    """A root with two branches, one of two joints."""
    offsets = np.array([[0, 0, 0], [0, 2.0, 0], [0, 1.0, 0], [3.0, 0, 0]])
    return Skeleton(("Root", "A", "B", "C"), np.array([-1, 0, 1, 0]), offsets)


def test_influence_is_the_inverse_of_the_distance_through_the_skeleton(fork):
    hops = influence_matrix(fork, Config(influence="hops", self_weight=5))
    np.testing.assert_allclose(hops, [[5, 1, 1 / 2, 1], [1, 5, 1, 1 / 2], [1 / 2, 1, 5, 1 / 3], [1, 1 / 2, 1 / 3, 5]])
    bones = influence_matrix(fork, Config(influence="bones", self_weight=5))  # bones of 2, 1 and 3 m: the mean is 2 m
    np.testing.assert_allclose(bones[0], [5, 1, 2 / 3, 2 / 3])
    np.testing.assert_allclose(bones[2, 3], 1 / 3)
    constant = influence_matrix(fork, Config(influence="constant", other_weight=0.2))
    assert np.unique(constant[~np.eye(4, dtype=bool)]).tolist() == [0.2]


def test_joints_come_in_file_order_in_breadth_or_in_depth():
    joints = Skeleton(("R", "A", "C", "B"), np.array([-1, 0, 0, 1]), np.zeros((4, 3)))
    assert joint_order(joints, "file").tolist() == [0, 1, 2, 3]
    assert joint_order(joints, "breadth-first").tolist() == [0, 1, 2, 3]
    assert joint_order(joints, "depth-first").tolist() == [0, 1, 3, 2]


def table(names, values):
    rows = [",".join(["", *names]), *(",".join([n, *map(str, row)]) for n, row in zip(names, values, strict=True))]
    return "\n".join(rows)


def test_a_given_matrix_is_read_by_names_and_kept_in_the_model(fork, tmp_path):
    names, values = ("C", "A", "Root", "B"), np.arange(16.0).reshape(4, 4)
    path = tmp_path / "m.csv"
    path.write_text(table(names, values))
    found = read_influence(path, fork)
    at = [fork.names.index(n) for n in names]
    np.testing.assert_array_equal(found[np.ix_(at, at)], values)
    walk = make("walk", seconds=1)
    path.write_text(table(walk.skeleton.names, np.full((24, 24), 0.5)))
    model = learn("texture", [walk], {"influence_file": str(path)})
    path.unlink()
    save_model(model, tmp_path / "m.loom")
    assert (load_model(tmp_path / "m.loom").influence == 0.5).all()


GOOD = table(("C", "A", "Root", "B"), np.ones((4, 4)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD.replace("Root", "Rot", 1), r"m.csv:1: there is no joint 'Rot'; did you mean 'Root'\?"),
        (GOOD.replace("\nRoot", "\n\nRot"), r"m.csv:5: there is no joint 'Rot'; did you mean 'Root'\?"),
        (table(("C", "A", "B"), np.ones((3, 3))), "m.csv:1: expected each of 4 joints once, but 'Root' is missing"),
        (GOOD.replace("\nRoot", "\nA"), "m.csv:4: expected each joint once, found 'A' twice"),
        (GOOD.replace("\nA,1.0,1.0", "\nA,1.0,-1.0"), r"m.csv:3: .* for the influence of 'A' on 'A', found '-1.0'"),
        (GOOD.replace("\nB,1.0", "\nB,many"), r"m.csv:5: expected a number of 0 or more for .* 'B', found 'many'"),
        (GOOD.replace("\nB,1.0", "\nB," + "x" * 10_000), r"found 'x{40}'$"),
        (GOOD.replace("Root", "x" * 10_000, 1), r"m.csv:1: there is no joint 'x{80}'; known: Root"),
        (GOOD.replace("\nB,1.0", "\nB"), "m.csv:5: expected 4 numbers for joint 'B', found 3"),
    ],
)
def test_a_matrix_with_wrong_names_or_numbers_is_refused_with_file_line_and_joint(fork, tmp_path, text, message):
    (tmp_path / "m.csv").write_text(text)
    with pytest.raises(FormatError, match=message):
        read_influence(tmp_path / "m.csv", fork)
