"""Joint names as files write them: side, body part and number, whatever the naming scheme."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

# what one body part is called, in lower case without side, separators and numbers
WORDS = {
    "hips": "hips hip pelvis hipcenter",
    "spine": "spine lowerback upperback back chest upperchest lowerchest torso abdomen thorax waist ribs",
    "neck": "neck lowerneck upperneck neckbase",
    "head": "head skull",
    "eye": "eye eyeball",
    "jaw": "jaw",
    "tail": "tail",
    "clavicle": "clavicle collarbone",
    "collar": "collar",
    "shoulder": "shoulder",
    "upper_arm": "upperarm uparm armupper shldr humerus bicep",
    "arm": "arm",
    "forearm": "forearm lowerarm lowarm armlower radius foarm",
    "elbow": "elbow",
    "wrist": "wrist",
    "hand": "hand",
    "palm": "palm paw",
    "thigh": "thigh upleg upperleg legupper femur",
    "hip": "hip",
    "shin": "shin calf lowerleg lowleg leglower tibia crus",
    "knee": "knee",
    "leg": "leg",
    "ankle": "ankle",
    "foot": "foot",
    "toe": "toe toes toebase ball football toejoint",
}
_WORD = {spelling: word for word, spellings in WORDS.items() for spelling in spellings.split()}
_NOT = re.compile(
    r"twist|roll|end$|nub|helper|ik|pole|target|thumb|finger|index|middle|ring|pinky|little|hipjoint|volume"
)
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SIDES = {"l": "left", "left": "left", "lft": "left", "r": "right", "right": "right", "rgt": "right"}
_FRONT = {"front", "fore"}


class JointName(NamedTuple):
    """A name read: side ("left", "right" or ""), a key of `WORDS` ("" if unknown), and whether it contains "front"."""

    side: str
    word: str
    front: bool


def read_names(names: Sequence[str]) -> list[JointName]:
    """Read all names of one skeleton; what they all begin with ("mixamorig:", "Bip01 ", "DEF-") is left out first."""
    short = [re.split(r"[:|]", n)[-1] for n in names]
    tokens = [[t.lower() for t in _PART.findall(n)] for n in short]
    while len(tokens) > 2:
        head = [t[0] for t in tokens if len(t) > 1 or (t and t[0] not in _WORD)]
        if len(head) < 0.8 * len(tokens) or len(set(head)) != 1 or head[0] in _WORD or head[0] in _SIDES:
            break
        tokens = [t[1:] if t and t[0] == head[0] else t for t in tokens]
    return [_read(t) for t in tokens]


def _read(tokens: list[str]) -> JointName:
    side, front, rest = "", False, []
    for token in tokens:
        if token in _SIDES and not side:
            side = _SIDES[token]
        elif token in _FRONT and tokens[-1] != token and "arm" not in tokens:
            front = True
        elif token in ("def", "org", "mch", "bip", "bn", "jnt", "joint") or token.isdigit():
            continue
        else:
            rest.append(token)
    word = "".join(rest)
    if not side:
        side, word = _glued_side(word)
    if word.startswith("fore") and word[4:] in ("leg", "foot"):
        front, word = True, word[4:]
    if _NOT.search(word):
        return JointName(side, "", False)
    found = _WORD.get(word, "")
    if found == "hips" and side:
        found = "hip"
    if front:
        found = {"thigh": "upper_arm", "upper_arm": "upper_arm", "leg": "forearm", "shin": "forearm"}.get(found, found)
        found = {"ankle": "wrist", "foot": "hand", "knee": "elbow", "toe": "palm"}.get(found, found)
    return JointName(side, found, front and bool(found))


def _glued_side(word: str) -> tuple[str, str]:
    """lfemur, lefthand, handl: a side written onto the word, believed only if the rest is a known part."""
    for mark in ("left", "right", "l", "r"):
        for rest in (word.removeprefix(mark), word.removesuffix(mark)):
            if rest != word and rest in _WORD and word not in _WORD:
                return _SIDES[mark], rest
    return "", word
