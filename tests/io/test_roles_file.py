"""Roles files override what was guessed."""

from __future__ import annotations

import pytest

from motionloom.core import FormatError
from motionloom.io import load


def test_roles_are_guessed_without_a_file(bvh, person):
    body = load(bvh(person)).skeleton
    assert body.names[body.joint("left_foot")] == "LeftFoot"
    assert body.names[body.joint("right_hand")] == "RightHand"


def test_the_clips_own_file_comes_before_its_folders(bvh, person, tmp_path):
    path = bvh(person)
    (tmp_path / "roles.toml").write_text('[roles]\nhead = "Spine"\n')
    body = load(path).skeleton
    assert body.names[body.joint("head")] == "Spine"
    assert "spine" not in body.roles  # a joint has one role
    (tmp_path / "walk.roles.toml").write_text('[roles]\nleft_hand = "LeftForeArm"\n')
    body = load(path).skeleton
    assert body.names[body.joint("left_hand")] == "LeftForeArm"
    assert body.names[body.joint("head")] == "Head"


def test_given_roles_come_first(bvh, person, tmp_path):
    path = bvh(person)
    (tmp_path / "walk.roles.toml").write_text('[roles]\nhead = "Spine"\n')
    assert load(path, roles={"head": "LeftHand"}).skeleton.joint("head") == 11
    other = tmp_path / "other.toml"
    other.write_text('[roles]\nhead = ""\n')
    assert "head" not in load(path, roles=other).skeleton.roles


def test_a_folders_file_may_name_joints_of_other_skeletons(bvh, person, tmp_path):
    (tmp_path / "roles.toml").write_text('[roles]\ntail = "Tail"\nhead = "Spine"\n')
    clip = load(bvh(person))
    assert clip.skeleton.joint("head") == clip.skeleton.names.index("Spine")
    assert "roles.toml names joints that this clip does not have: 'Tail'" in [note.text for note in clip.origin.notes]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[roles]\nhead = "Haed"\n', "walk.roles.toml: no joint 'Haed' for role head; did you mean 'Head'"),
        ('[roles]\nleft_foott = "Head"\n', "walk.roles.toml: no role 'left_foott'; did you mean 'left_foot'"),
        ("head = 3\n", "walk.roles.toml: expected a [roles] table"),
        ("[roles]\nhead = 3\n", "role head: expected a joint name in quotes, found 3"),
        ("[roles\n", "walk.roles.toml: not a TOML file"),
    ],
)
def test_a_wrong_roles_file_says_what_is_wrong(bvh, person, tmp_path, text, complaint):
    (tmp_path / "walk.roles.toml").write_text(text)
    with pytest.raises(FormatError) as error:
        load(bvh(person))
    assert complaint in str(error.value)
