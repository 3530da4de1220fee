"""Roles for the common naming schemes, each written down as the tool in question writes it."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Skeleton, UnknownJoint
from motionloom.kinematics.body.roles import feet, group, guess_roles

# name>child>child; a new line starts again from a joint already named
CMU = """Hips>LHipJoint>LeftUpLeg>LeftLeg>LeftFoot>LeftToeBase
Hips>RHipJoint>RightUpLeg>RightLeg>RightFoot>RightToeBase
Hips>LowerBack>Spine>Spine1>Neck>Neck1>Head
Spine1>LeftShoulder>LeftArm>LeftForeArm>LeftHand>LeftFingerBase>LeftHandIndex1
LeftHand>LThumb
Spine1>RightShoulder>RightArm>RightForeArm>RightHand>RightFingerBase>RightHandIndex1
RightHand>RThumb"""
LAFAN1 = """Hips>LeftUpLeg>LeftLeg>LeftFoot>LeftToe
Hips>RightUpLeg>RightLeg>RightFoot>RightToe
Hips>Spine>Spine1>Spine2>Neck>Head
Spine2>LeftShoulder>LeftArm>LeftForeArm>LeftHand
Spine2>RightShoulder>RightArm>RightForeArm>RightHand"""
MIXAMO = """Hips>Spine>Spine1>Spine2>Neck>Head>HeadTop_End
Head>LeftEye
Head>RightEye
Spine2>LeftShoulder>LeftArm>LeftForeArm>LeftHand>LeftHandThumb1>LeftHandThumb2
LeftHand>LeftHandIndex1
Spine2>RightShoulder>RightArm>RightForeArm>RightHand
Hips>LeftUpLeg>LeftLeg>LeftFoot>LeftToeBase>LeftToe_End
Hips>RightUpLeg>RightLeg>RightFoot>RightToeBase>RightToe_End"""
BANDAI = """Hips>Spine>Chest>Neck>Head
Chest>Shoulder_L>UpperArm_L>LowerArm_L>Hand_L
Chest>Shoulder_R>UpperArm_R>LowerArm_R>Hand_R
Hips>UpperLeg_L>LowerLeg_L>Foot_L>Toes_L
Hips>UpperLeg_R>LowerLeg_R>Foot_R>Toes_R"""
BIPED = """Bip01>Bip01 Pelvis>Bip01 Spine>Bip01 Spine1>Bip01 Neck>Bip01 Head
Bip01 Neck>Bip01 L Clavicle>Bip01 L UpperArm>Bip01 L Forearm>Bip01 L Hand>Bip01 L Finger0
Bip01 Neck>Bip01 R Clavicle>Bip01 R UpperArm>Bip01 R Forearm>Bip01 R Hand>Bip01 R Finger0
Bip01 Pelvis>Bip01 L Thigh>Bip01 L Calf>Bip01 L Foot>Bip01 L Toe0
Bip01 Pelvis>Bip01 R Thigh>Bip01 R Calf>Bip01 R Foot>Bip01 R Toe0"""
RIGIFY = """spine>spine.001>spine.002>spine.003>spine.004>spine.005>spine.006
spine.003>shoulder.L>upper_arm.L>forearm.L>hand.L>palm.01.L
spine.003>shoulder.R>upper_arm.R>forearm.R>hand.R
spine>thigh.L>shin.L>foot.L>toe.L
spine>thigh.R>shin.R>foot.R>toe.R"""
SMPL = """Pelvis>L_Hip>L_Knee>L_Ankle>L_Foot
Pelvis>R_Hip>R_Knee>R_Ankle>R_Foot
Pelvis>Spine1>Spine2>Spine3>Neck>Head
Spine3>L_Collar>L_Shoulder>L_Elbow>L_Wrist>L_Hand
Spine3>R_Collar>R_Shoulder>R_Elbow>R_Wrist>R_Hand"""
UNREAL = """pelvis>spine_01>spine_02>spine_03>neck_01>head
spine_03>clavicle_l>upperarm_l>lowerarm_l>hand_l>index_01_l
upperarm_l>upperarm_twist_01_l
spine_03>clavicle_r>upperarm_r>lowerarm_r>hand_r
pelvis>thigh_l>calf_l>foot_l>ball_l
thigh_l>thigh_twist_01_l
pelvis>thigh_r>calf_r>foot_r>ball_r"""
ASF = """root>lhipjoint>lfemur>ltibia>lfoot>ltoes
root>rhipjoint>rfemur>rtibia>rfoot>rtoes
root>lowerback>upperback>thorax>lowerneck>upperneck>head
thorax>lclavicle>lhumerus>lradius>lwrist>lhand>lfingers
lhand>lthumb
thorax>rclavicle>rhumerus>rradius>rwrist>rhand>rfingers"""
DOG = """Hips>Spine>Spine1>Neck>Head
Spine1>LeftShoulder>LeftArm>LeftForeArm>LeftHand
Spine1>RightShoulder>RightArm>RightForeArm>RightHand
Hips>LeftUpLeg>LeftLeg>LeftFoot
Hips>RightUpLeg>RightLeg>RightFoot
Hips>Tail>Tail1"""


def tree(text: str, prefix: str = "") -> tuple[list[str], list[int]]:
    names: list[str] = []
    parents: list[int] = []
    for line in text.splitlines():
        parent = -1
        for name in line.split(">"):
            if prefix + name not in names:
                names.append(prefix + name)
                parents.append(parent)
            parent = names.index(prefix + name)
    return names, parents


def roles_of(text: str, prefix: str = "") -> dict[str, str]:
    names, parents = tree(text, prefix)
    roles = guess_roles(names, parents, np.tile([0.1, 0, 0], (len(names), 1)))  # every bone along x: no help from it
    return {role: name.removeprefix(prefix) for role, name in zip(roles, names, strict=True) if role}


BODY = {
    "hips",
    "spine",
    "neck",
    "head",
    *(f"{s}_{p}" for s in ("left", "right") for p in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")),
}


@pytest.mark.parametrize("scheme", [CMU, LAFAN1, MIXAMO, BANDAI, BIPED, RIGIFY, SMPL, UNREAL, ASF])
def test_every_naming_scheme_gives_a_whole_body(scheme):
    assert set(roles_of(scheme)) >= BODY | {"left_shoulder", "right_shoulder"}


@pytest.mark.parametrize("prefix", ["mixamorig:", "mixamorig9:", "mixamorig_", "Armature|"])
def test_mixamo_with_any_prefix(prefix):
    roles = roles_of(MIXAMO, prefix)
    assert roles == roles_of(MIXAMO)
    assert roles["left_toe"] == "LeftToeBase"
    assert roles["left_eye"] == "LeftEye"
    assert roles["spine2"] == "Spine2"


@pytest.mark.parametrize("prefix", ["DEF-", "ORG-"])
def test_blender_rigs_with_their_prefixes(prefix):
    roles = roles_of(RIGIFY, prefix)
    assert roles["hips"] == "spine"
    assert roles["head"] == "spine.006"
    assert [roles["neck"], roles["neck1"]] == ["spine.004", "spine.005"]
    assert roles["left_upper_arm"] == "upper_arm.L"


def test_cmu():
    roles = roles_of(CMU)
    assert [roles["spine"], roles["spine1"], roles["spine2"]] == ["LowerBack", "Spine", "Spine1"]
    assert [roles["neck"], roles["neck1"], roles["head"]] == ["Neck", "Neck1", "Head"]
    assert roles["left_thigh"] == "LeftUpLeg"
    assert roles["left_hand"] == "LeftHand"
    assert "LHipJoint" not in roles.values()


def test_smpl_names_are_joints_not_bones():
    roles = roles_of(SMPL)
    assert [roles[f"left_{p}"] for p in ("shoulder", "upper_arm", "forearm", "hand")] == [
        "L_Collar",
        "L_Shoulder",
        "L_Elbow",
        "L_Wrist",
    ]
    assert [roles[f"right_{p}"] for p in ("thigh", "shin", "foot", "toe")] == ["R_Hip", "R_Knee", "R_Ankle", "R_Foot"]


def test_3ds_max_biped():
    roles = roles_of(BIPED)
    assert roles["hips"] == "Bip01 Pelvis"
    assert roles["left_shin"] == "Bip01 L Calf"
    assert roles["right_toe"] == "Bip01 R Toe0"


def test_twist_bones_get_no_role():
    assert not [n for n in roles_of(UNREAL).values() if "twist" in n]


def test_four_legs_have_front_feet():
    roles = roles_of(DOG)
    assert roles["left_front_foot"] == "LeftHand"
    assert roles["right_front_forearm"] == "RightForeArm"
    assert roles["left_foot"] == "LeftFoot"
    assert roles["tail1"] == "Tail1"
    assert "left_hand" not in roles


def test_the_sample_bodies_get_their_own_roles_from_their_names():
    from motionloom.samples import make

    for name in ("walk", "dog_walk"):
        body = make(name).skeleton
        assert guess_roles(body.names, body.parents, body.offsets) == body.roles


def test_legs_are_found_by_shape_when_names_say_nothing():
    names, parents = tree("a>b>c>d>e\na>f>g>h>i\na>j>k>l>m")
    pose = np.zeros((13, 3))
    pose[:, 1] = [1, 1, 0.5, 0.1, 0, 1, 0.5, 0.1, 0, 1.2, 1.4, 1.6, 1.8]
    pose[:, 0] = [0, -0.1, -0.1, -0.1, -0.1, 0.1, 0.1, 0.1, 0.1, 0, 0, 0, 0]
    pose[[4, 8], 2] = 0.15  # toes point to +z, so +x is left
    roles = dict(zip(guess_roles(names, parents, np.zeros((13, 3)), pose), names, strict=True))
    assert [roles[f"left_{p}"] for p in ("thigh", "shin", "foot", "toe")] == ["f", "g", "h", "i"]
    assert roles["right_thigh"] == "b"


@pytest.fixture
def body() -> Skeleton:
    names, parents = tree(CMU)
    offsets = np.zeros((len(names), 3))
    return Skeleton(tuple(names), parents, offsets, guess_roles(names, parents, offsets))


def test_groups_cover_the_body_once(body):
    assert sorted(group(body, "upper") + group(body, "lower")) == group(body, "all")
    named = lambda g: {body.names[j] for j in group(body, g)}
    assert "LHipJoint" in named("left_leg")
    assert "LThumb" in named("left_arm")
    assert named("spine") == {"LowerBack", "Spine", "Spine1"}
    assert named("head") == {"Neck", "Neck1", "Head"}
    assert group(body, "left_foot") == [body.names.index("LeftFoot")]


def test_an_unknown_joint_says_what_is_near(body):
    with pytest.raises(UnknownJoint, match="did you mean 'left_foot'"):
        group(body, "leftfoot")
    with pytest.raises(UnknownJoint, match="did you mean 'left_arm'"):
        group(body, "left_am")


def test_feet_are_named_chains(body):
    assert [f.name for f in feet(body)] == ["left_foot", "right_foot"]
    assert body.names[feet(body)[0].toe] == "LeftToeBase"


def test_a_persons_toes_may_be_called_forefoot():
    found = roles_of(LAFAN1.replace("LeftToe", "LeftForeFoot").replace("RightToe", "RightForeFoot"))
    assert found["left_toe"] == "LeftForeFoot"
    assert found["right_hand"] == "RightHand"
    assert not any("front" in role for role in found)
