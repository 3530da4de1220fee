"""What each joint is for: roles guessed from names and topology, and groups of joints.

Names decide first (CMU, Mixamo with any prefix, LAFAN1, Bandai-Namco, 3ds Max biped, Blender rigs, SMPL, Unreal,
Poser); where they are unknown, the shape of the tree and a typical pose do. `kinematics/body/names.py` reads the names.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from motionloom.core import FloatArray, IntArray, Skeleton, UnknownJoint
from motionloom.kinematics.body.names import JointName, read_names

ARM = ("shoulder", "upper_arm", "forearm", "hand")
LEG = ("thigh", "shin", "foot", "toe")
FRONT = {"upper_arm": "front_upper_arm", "forearm": "front_forearm", "hand": "front_foot", "palm": "front_toe"}
SIDES = ("left", "right")
_LEG_WORDS = ("thigh", "hip", "shin", "knee", "leg", "ankle", "foot")
_FRONT_WORDS = ("upper_arm", "forearm", "elbow", "wrist", "hand", "palm")
MANY_LEGS = 6  # limbs of one kind on the trunk, from which on a body is neither a biped nor a quadruped
MIN_LEG = 0.2  # of the longest chain from the root: shorter limbs (fingers, hair) are no legs
TRUNK_DEPTH = 4  # joints from the root to where legs are attached, at most
GROUPS = ("all", "upper", "lower", "spine", "head", "left_arm", "right_arm", "left_leg", "right_leg")


class Foot(NamedTuple):
    """One leg that walks: joint indices; `toe` is None where the skeleton ends at the ankle."""

    name: str  # "left_foot", "right_front_foot" ...
    thigh: int
    shin: int
    ankle: int
    toe: int | None


def guess_roles(
    names: Sequence[str], parents: Sequence[int] | IntArray, offsets: FloatArray, pose: FloatArray | None = None
) -> tuple[str, ...]:
    """One role per joint ("" for none): hips, spine, neck, head, left_foot ... each given at most once.

    `pose` (J, 3) holds world joint positions of a typical frame, y up: it separates four-legged bodies from people with
    a rest pose that is uninformative (every bone along one axis), and helps where the names are of no use.
    """
    tree = _Tree(names, parents, offsets, pose)
    roles: dict[str, int] = {}
    for side in SIDES:
        roles.update(_limb_roles(tree, side))
    if many_legs(names, parents, offsets):
        legs = {f"{side}_{part}" for side in SIDES for part in (*ARM, *LEG, "palm")}
        roles = {role: j for role, j in roles.items() if role not in legs}
    elif not any(f"{side}_thigh" in roles for side in SIDES):
        roles.update(_roles_by_shape(tree))
    roles.update(_trunk_roles(tree, roles))
    tail = [j for j, n in enumerate(tree.read) if n.word == "tail" and not n.side]
    roles.update({f"tail{i or ''}": j for i, j in enumerate(tail)})
    if _four_legged(tree, roles):
        roles = {_front(role): j for role, j in roles.items()}
    roles = {role: j for role, j in roles.items() if not role.endswith("palm")}
    by_joint = {j: role for role, j in roles.items()}
    return tuple(by_joint.get(j, "") for j in range(len(names)))


def group(skeleton: Skeleton, name: str) -> list[int]:
    """Joint indices that a role, an exact joint name or a group name stands for, in file order.

    Groups: all, upper (everything from the spine up), lower (hips and legs), spine, head (neck, head, eyes), left_arm,
    right_arm, left_leg, right_leg; a limb includes what hangs on it (fingers, toes).
    """
    found = _group(skeleton, name) if name in GROUPS else [j for j in [skeleton.find(name)] if j is not None]
    if not found:
        groups = [known for known in GROUPS if _group(skeleton, known)]
        raise UnknownJoint(name, [*groups, *(role for role in skeleton.roles if role), *skeleton.names])
    return found


def _group(skeleton: Skeleton, name: str) -> list[int]:
    if name == "all":
        return list(range(len(skeleton)))
    role = skeleton.roles
    legs = {side: _below(skeleton, [f"{side}_thigh", f"{side}_shin", f"{side}_foot"], above=True) for side in SIDES}
    if name in ("left_leg", "right_leg"):
        return legs[name.split("_")[0]]
    if name in ("left_arm", "right_arm"):
        side = name.split("_")[0]
        return _below(skeleton, [f"{side}_{p}" for p in (*ARM, *FRONT.values())])
    if name == "head":
        return _below(skeleton, ["neck", "head"])
    if name == "spine":
        return [j for j, r in enumerate(role) if r.startswith("spine")]
    tail = _below(skeleton, ["tail"])
    lower = sorted({0, *legs["left"], *legs["right"], *tail})
    return lower if name == "lower" else [j for j in range(len(skeleton)) if j not in lower]


def _below(skeleton: Skeleton, roles: Sequence[str], *, above: bool = False) -> list[int]:
    """Everything under the first of `roles` that exists; with `above`, also its roleless parents under the hips."""
    top = next((skeleton.roles.index(r) for r in roles if r in skeleton.roles), None)
    if top is None:
        return []
    while above and (p := int(skeleton.parents[top])) > 0 and not skeleton.roles[p]:
        top = p
    return skeleton.below(top)


@lru_cache(maxsize=64)
def feet(skeleton: Skeleton) -> tuple[Foot, ...]:
    """The feet that walk: two, or four; none for a body without legs."""
    found = []
    for front in ("", "front_"):
        for side in SIDES:
            parts = ("front_upper_arm", "front_forearm", "front_foot") if front else ("thigh", "shin", "foot")
            joints = [skeleton.find(f"{side}_{p}") for p in parts]
            if all(j is not None for j in joints):
                thigh, shin, ankle = (int(j) for j in joints if j is not None)
                toe = skeleton.find(f"{side}_{front}toe")
                found.append(Foot(f"{side}_{front}foot", thigh, shin, ankle, toe))
    return tuple(found)


def many_legs(names: Sequence[str], parents: Sequence[int] | IntArray, offsets: FloatArray) -> list[int]:
    """The tips of the legs of a body with six or more, as insects, spiders and crabs; empty for other bodies.

    Legs are chains without branches, of one number of joints, on the trunk. Bodies whose names state one leg for each
    side (a person in a skirt of eight chains) are not counted.
    """
    tree = _Tree(names, parents, offsets, None)
    feet_of = [sum(n.side == side and n.word in ("foot", "ankle") for n in tree.read) for side in SIDES]
    lengths = np.linalg.norm(np.asarray(offsets, float), axis=1)
    if min(feet_of) == max(feet_of) == 1 or len(tree.parents) <= MANY_LEGS:
        return []
    far = max(lengths[tree.up(j)[:-1]].sum() for j, below in enumerate(tree.children) if not below)
    tips: dict[int, list[int]] = {}
    for tip in (j for j, below in enumerate(tree.children) if not below):
        chain = [tip]
        while (parent := tree.parents[chain[-1]]) > 0 and len(tree.children[parent]) == 1:
            chain.append(parent)
        on_trunk = len(tree.up(chain[-1])) - 2 < TRUNK_DEPTH
        if len(chain) >= 2 and on_trunk and lengths[chain].sum() >= MIN_LEG * far > 0:
            tips.setdefault(len(chain), []).append(tip)
    most = max(tips.values(), key=len, default=[])
    return most if len(most) >= MANY_LEGS else []


def fingers(skeleton: Skeleton) -> list[int]:
    """Whatever hangs on a hand: fingers, thumbs, props. Captures rarely hold their motion."""
    hands = [j for side in SIDES if (j := skeleton.find(f"{side}_hand")) is not None]
    return sorted({j for hand in hands for j in skeleton.below(hand)[1:]})


class _Tree:
    """Names as read, parents, children and a pose: what the rules below look at."""

    def __init__(
        self, names: Sequence[str], parents: Sequence[int] | IntArray, offsets: FloatArray, pose: FloatArray | None
    ) -> None:
        self.names, self.parents = list(names), [int(p) for p in parents]
        self.read: list[JointName] = read_names(names)
        self.children: list[list[int]] = [[] for _ in names]
        for j, p in enumerate(self.parents):
            if p >= 0:
                self.children[p].append(j)
        if pose is None:
            pose = np.zeros((len(self.names), 3))
            for j, p in enumerate(self.parents):
                pose[j] = np.asarray(offsets[j]) + (pose[p] if p >= 0 else 0.0)
        self.pose = pose
        for j, name in enumerate(self.read):  # "ForeFoot" below a leg is a person's toe, not a front foot
            if name.front and name.word == "hand" and self._hangs_on_leg(j):
                self.read[j] = JointName(name.side, "toe", False)

    def _hangs_on_leg(self, joint: int) -> bool:
        above = (self.read[k] for k in self.up(joint)[1:])
        return any(n.word in _LEG_WORDS and n.side == self.read[joint].side and not n.front for n in above)

    def up(self, joint: int) -> list[int]:
        """The joint and its ancestors, upwards."""
        path = [joint]
        while self.parents[path[-1]] >= 0:
            path.append(self.parents[path[-1]])
        return path

    def under(self, joint: int, ancestor: int) -> bool:
        return ancestor in self.up(joint)

    def first(self, side: str, *words: str) -> int | None:
        """The joint of this side nearest to the root whose word is the first of `words` that occurs at all."""
        for word in words:
            found = [j for j, n in enumerate(self.read) if n.side == side and n.word == word]
            if found:
                return min(found, key=lambda j: (len(self.up(j)), j))
        return None


def _limb_roles(tree: _Tree, side: str) -> dict[str, int]:
    """Arm and leg of one side. Files name bones (upper arm, forearm) or joints (shoulder, elbow): both are read."""
    found: dict[str, int | None] = {}
    collar = tree.first(side, "clavicle", "collar")
    arm = tree.first(side, "upper_arm", "arm")
    shoulder = tree.first(side, "shoulder")
    if arm is None:  # joint names: collar, shoulder, elbow, wrist
        arm, shoulder = shoulder, None
    found["shoulder"] = collar if collar is not None else shoulder
    found["upper_arm"] = arm
    found["forearm"] = tree.first(side, "forearm", "elbow")
    found["hand"] = tree.first(side, "wrist", "hand")
    found["palm"] = tree.first(side, "palm")  # a front toe
    if found["palm"] is None and found["hand"] is not None and tree.read[found["hand"]].word == "wrist":
        found["palm"] = tree.first(side, "hand")
    found["thigh"] = tree.first(side, "thigh", "hip")
    found["shin"] = tree.first(side, "shin", "knee", "leg")
    found["foot"] = tree.first(side, "ankle", "foot")
    found["toe"] = tree.first(side, "toe")
    if found["toe"] is None and found["foot"] is not None and tree.read[found["foot"]].word == "ankle":
        found["toe"] = tree.first(side, "foot")
    if found["thigh"] is None and found["shin"] is not None:  # "LeftLeg" above "LeftKnee"
        found["thigh"] = tree.first(side, "leg") if tree.read[found["shin"]].word == "knee" else None
    top: dict[str, str] = {"forearm": "upper_arm", "hand": "forearm", "shin": "thigh", "foot": "shin", "toe": "foot"}
    for part, above in top.items():  # a part must hang on the part above it
        joint, parent = found.get(part), found.get(above)
        if joint is not None and parent is not None and not (joint != parent and tree.under(joint, parent)):
            found[part] = None
    taken: dict[str, int] = {}
    for part, joint in found.items():
        if joint is not None and joint not in taken.values():
            taken[f"{side}_{part}"] = joint
    eye = tree.first(side, "eye")
    return taken | ({f"{side}_eye": eye} if eye is not None else {})


def _trunk_roles(tree: _Tree, roles: dict[str, int]) -> dict[str, int]:
    """Hips, spine, neck and head: the line from the joint where the legs meet up to the head."""
    found: dict[str, int] = {}
    hips = _hips(tree, roles)
    if hips is None:
        return found
    found["hips"] = hips
    arms = [roles[r] for side in SIDES for r in (f"{side}_shoulder", f"{side}_upper_arm") if r in roles]
    chest = _meet(tree, arms) if len(arms) > 1 else None
    head = _head(tree, hips, chest, roles)
    if head is None:
        top = chest if chest is not None and tree.under(chest, hips) else None
        line = tree.up(top)[::-1] if top is not None else []
    else:
        found["head"] = head
        line = tree.up(head)[::-1][:-1]
    line = line[line.index(hips) + 1 :] if hips in line else []
    necks = [j for j in line if tree.read[j].word == "neck"]
    if not necks and chest in line and head is not None:
        necks = line[line.index(chest) + 1 :]
    spine = [j for j in line if not (necks and j >= necks[0])]
    found |= {f"spine{i or ''}": j for i, j in enumerate(spine)}
    found |= {f"neck{i or ''}": j for i, j in enumerate(necks)}
    jaw = [j for j, n in enumerate(tree.read) if n.word == "jaw"]
    return {r: j for r, j in (found | ({"jaw": jaw[0]} if jaw else {})).items() if j not in roles.values()}


def _hips(tree: _Tree, roles: dict[str, int]) -> int | None:
    thighs = [roles[f"{side}_thigh"] for side in SIDES if f"{side}_thigh" in roles]
    if len(thighs) == 2:
        return _meet(tree, thighs)
    named = [j for j, n in enumerate(tree.read) if n.word == "hips" and not n.side]
    return named[0] if named else None


def _head(tree: _Tree, hips: int, chest: int | None, roles: dict[str, int]) -> int | None:
    named = [j for j, n in enumerate(tree.read) if n.word == "head" and not n.side and tree.under(j, hips)]
    if named:
        return named[0]
    if chest is None:
        return None
    line: list[int] = []
    joint = chest  # the longest chain above the chest that is nobody's limb
    while True:
        free = [c for c in tree.children[joint] if not tree.read[c].side and c not in roles.values()]
        if not free:
            return line[-1] if line else None
        joint = max(free, key=lambda c: _height(tree, c))
        line.append(joint)


def _height(tree: _Tree, joint: int) -> int:
    return 1 + max((_height(tree, c) for c in tree.children[joint]), default=0)


def _meet(tree: _Tree, joints: Sequence[int]) -> int:
    """The lowest joint above all of these."""
    common = [a for a in tree.up(tree.parents[joints[0]]) if all(tree.under(j, a) for j in joints)]
    return common[0] if common else 0


def _four_legged(tree: _Tree, roles: dict[str, int]) -> bool:
    """A tail and a level spine, or front legs that are called so."""
    if any(n.front and n.word in _FRONT_WORDS for n in tree.read):
        return True
    top = roles.get("neck", roles.get("head"))
    if "tail" not in roles or top is None or "hips" not in roles:
        return False
    line = tree.pose[top] - tree.pose[roles["hips"]]
    return bool(abs(line[1]) < np.linalg.norm(line) * np.cos(np.radians(40)))


def _front(role: str) -> str:
    side, _, part = role.partition("_")
    return f"{side}_{FRONT[part]}" if part in FRONT else role


def _roles_by_shape(tree: _Tree) -> dict[str, int]:
    """Two legs found by shape alone: the two deepest chains that end lowest in the pose, distinguished by their side.

    Only for trees whose names do not mention legs; needs a pose in which the body stands.
    """
    leaves = [j for j, c in enumerate(tree.children) if not c]
    hub = next((j for j, c in enumerate(tree.children) if len(c) >= 3), None)
    if hub is None or len(leaves) < 3:
        return {}
    chains = [c for c in tree.children[hub] if _height(tree, c) >= 3]
    ends = {c: min((x for x in leaves if tree.under(x, c)), key=lambda x: tree.pose[x, 1]) for c in chains}
    legs = sorted(chains, key=lambda c: tree.pose[ends[c], 1])[:2]
    if len(legs) < 2 or any(tree.pose[ends[c], 1] > tree.pose[hub, 1] - 1e-6 for c in legs):
        return {}
    lines = [[j for j in tree.up(ends[c])[::-1] if tree.under(j, c)] for c in legs]
    toes = [line for line in lines if len(line) >= 4]
    forward = sum((tree.pose[line[3]] - tree.pose[line[2]] for line in toes), np.zeros(3))
    if np.linalg.norm(forward[[0, 2]]) < 1e-6:
        forward = np.array([0.0, 0.0, 1.0])
    left = np.cross([0.0, 1.0, 0.0], forward)
    lines.sort(key=lambda line: -float(tree.pose[line[0]] @ left))
    return {
        f"{side}_{part}": joint
        for side, line in zip(SIDES, lines, strict=True)
        for part, joint in zip(LEG, line, strict=False)
    }
