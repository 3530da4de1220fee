"""ASF reader: the skeleton of an Acclaim capture. Bones have a direction and a length in the world's axes at rest.

A bone becomes a joint where the bone starts, so its children's offset is direction x length of the bone itself; the tip
of a bone without children is an end site. A bone's angles are about its own `axis` frame C: the local turn is
C M C^-1, M being the turn that the AMC file gives for the bone's `dof`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from motionloom.core import FloatArray
from motionloom.core.files import open_regular
from motionloom.io.number_text import LARGEST, fault, number
from motionloom.io.reader_notes import Notes
from motionloom.io.sniff import what_is
from motionloom.rotation import from_euler

MAX_BONES = 10_000
MAX_BYTES = 32 << 20
DOFS = ("tx", "ty", "tz", "rx", "ry", "rz", "l")


@dataclass
class Bone:
    """One bone as the file describes it; `line` is where."""

    name: str = ""
    line: int = 0
    direction: tuple[float, ...] = (0.0, 0.0, 0.0)
    length: float = 0.0
    axis: tuple[float, ...] = (0.0, 0.0, 0.0)
    order: str = "xyz"
    dof: tuple[str, ...] = ()

    @property
    def vector(self) -> FloatArray:
        """From the start of the bone to its tip, in the file's unit (directions are unit vectors, near enough)."""
        size = math.hypot(*self.direction)
        return np.array(self.direction) * (self.length / size if size > 0 else 0.0)


@dataclass(frozen=True, eq=False)
class Acclaim:
    """A skeleton: bones in hierarchy order, the root first."""

    bones: tuple[Bone, ...]
    parents: tuple[int, ...]
    frames: FloatArray  # (J, 4) the axis frame C of each bone
    length: float  # the file's `length`: its unit is 1 / length inches at CMU
    degrees: bool
    position: FloatArray  # (3,) of the root, in the file's unit; added to every frame's


def read_asf(path: str | Path, notes: Notes) -> Acclaim:
    """The skeleton of an ASF file; `notes` is of the AMC file, errors name the ASF file."""
    own = Notes(str(path), strict=notes.strict)
    lines = text_lines(path, own)
    sections = _sections(lines, own)
    length, degrees = _units(sections.get("units", []), own)
    root, position = _root(sections.get("root", []), own)
    bones = {bone.name.lower(): bone for bone in _bones(sections.get("bonedata", []), own)}
    if "root" in bones:
        raise own.error("a bone is called 'root'", line=bones["root"].line)
    names, parents = _hierarchy(sections.get("hierarchy", []), set(bones), own)
    if left := [bone.name for key, bone in bones.items() if key not in names]:
        own.warn(f"not in the hierarchy, and ignored: {', '.join(left[:4])}")
    for note in own.all:
        notes.add(replace(note, text=f"{Path(path).name}: {note.text}"))
    chosen = (root, *(bones[name] for name in names[1:]))
    scale = math.pi / 180 if degrees else 1.0
    frames = np.array([from_euler(np.array(b.axis)[::-1] * scale, b.order[::-1]) for b in chosen])
    return Acclaim(chosen, tuple(parents), frames, length, degrees, position)


def text_lines(path: str | Path, notes: Notes) -> list[tuple[int, list[str]]]:
    """The words of each line that has any, without comments, with its number."""
    try:
        with open_regular(path) as file:
            data = file.read(MAX_BYTES * 16 + 1)
    except OSError as error:
        raise notes.error(f"cannot be read: {error.strerror or error}") from None
    if len(data) > MAX_BYTES * 16:
        raise notes.error(f"larger than {MAX_BYTES * 16 >> 20} MB")
    what = what_is(data[:4096])
    if what and "Acclaim" not in what:
        raise notes.error(f"this is {what}")
    rows = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [(n, words) for n, row in enumerate(rows, 1) if (words := row.partition("#")[0].split())]


def value(word: str, line: int, notes: Notes) -> float:
    """A number, or an error that states what was found."""
    found = number(word)
    if found is None:
        raise notes.error(fault(word), line=line)
    if not abs(found) <= LARGEST:
        raise notes.error(f"{word} is beyond any place or angle", line=line)
    return found


Lines = list[tuple[int, list[str]]]


def _sections(lines: Lines, notes: Notes) -> dict[str, Lines]:
    out: dict[str, Lines] = {}
    here: Lines | None = None
    for n, words in lines:
        if words[0].startswith(":"):
            here = out.setdefault(words[0][1:].lower(), [])
        elif here is None:
            raise notes.error(f"not an ASF file: expected a section such as ':root', found {words[0][:40]!r}", line=n)
        else:
            here.append((n, words))
    for needed in ("root", "bonedata", "hierarchy"):
        if needed not in out:
            raise notes.error(f"no section ':{needed}'")
    return out


def _units(lines: Lines, notes: Notes) -> tuple[float, bool]:
    length, degrees = 1.0, True
    for n, words in lines:
        if words[0].lower() == "length" and len(words) > 1:
            length = value(words[1], n, notes)
            if not 1e-6 <= length <= 1e6:
                raise notes.error(f"expected a length scale above 0, found {words[1]}", line=n)
        elif words[0].lower() == "angle" and len(words) > 1:
            degrees = not words[1].lower().startswith("rad")
    return length, degrees


def _root(lines: Lines, notes: Notes) -> tuple[Bone, FloatArray]:
    root = Bone("root", lines[0][0] if lines else 0, dof=("tx", "ty", "tz", "rx", "ry", "rz"))
    position = np.zeros(3)
    for n, words in lines:
        key = words[0].lower()
        if key == "order":
            root.dof = _dof(words[1:], n, notes)
        elif key == "axis":
            root.order = _order(words[1:], n, notes)
        elif key == "position":
            position = np.array(_three(words[1:], n, notes))
        elif key == "orientation":
            root.axis = tuple(_three(words[1:], n, notes))
    if any(root.axis) or position.any():
        notes.info("the root has a place or a turn at rest: each frame's own is added to it")
    return root, position


def _bones(lines: Lines, notes: Notes) -> list[Bone]:
    out: list[Bone] = []
    seen: set[str] = set()
    bone: Bone | None = None
    for n, words in lines:
        key, rest = words[0].lower(), words[1:]
        if key == "begin":
            bone = Bone(line=n)
        elif key == "end":
            if bone is None or not bone.name:
                raise notes.error("'end' of a bone that has no name", line=n)
            if bone.name.lower() in seen:
                raise notes.error(f"bone {bone.name!r} occurs twice", line=n)
            seen.add(bone.name.lower())
            out.append(bone)
            bone = None
            if len(out) > MAX_BONES:
                raise notes.error(f"more than {MAX_BONES} bones", line=n)
        elif bone is None:
            raise notes.error(f"expected 'begin', found {words[0][:40]!r}", line=n)
        elif key == "name":
            bone.name = _word(rest, n, notes)
        elif key == "direction":
            bone.direction = tuple(_three(rest, n, notes))
        elif key == "length":
            bone.length = value(_word(rest, n, notes), n, notes)
        elif key == "axis":
            bone.axis = tuple(_three(rest, n, notes))
            bone.order = _order(rest[3:], n, notes)
        elif key == "dof":
            bone.dof = _dof(rest, n, notes)
    if bone is not None:
        raise notes.error(f"bone {bone.name!r} has no 'end'", line=bone.line)
    return out


def _hierarchy(lines: Lines, known: set[str], notes: Notes) -> tuple[list[str], list[int]]:
    """Names (lower case) with the root first, each parent before its children, and the parents' places."""
    children: dict[str, list[str]] = {}
    seen = {"root"}
    for n, words in lines:
        parent, *below = (word.lower() for word in words)
        if parent in ("begin", "end") and not below:
            continue
        for name in (parent, *below):
            if name not in known and name != "root":
                raise notes.error(f"no bone {name[:40]!r} in ':bonedata'", line=n)
        for name in below:
            if name in seen:
                raise notes.error(f"bone {name!r} hangs on two others, or on itself", line=n)
            seen.add(name)
        children.setdefault(parent, []).extend(below)
    names, parents = [], []
    stack = [("root", -1)]
    while stack:
        name, parent_at = stack.pop()
        names.append(name)
        parents.append(parent_at)
        stack += [(child, len(names) - 1) for child in reversed(children.get(name, []))]
    return names, parents


def _dof(words: list[str], line: int, notes: Notes) -> tuple[str, ...]:
    found = tuple(word.lower() for word in words)
    if wrong := [word for word in found if word not in DOFS]:
        raise notes.error(f"{wrong[0][:40]!r} is not a degree of freedom; expected some of {' '.join(DOFS)}", line=line)
    if len(set(found)) != len(found):
        raise notes.error("a degree of freedom is given twice", line=line)
    return found


def _order(words: list[str], line: int, notes: Notes) -> str:
    order = words[0].lower() if words else "xyz"
    if sorted(order) != ["x", "y", "z"]:
        raise notes.error(f"{order[:40]!r} is not an order of axes such as XYZ", line=line)
    return order


def _three(words: list[str], line: int, notes: Notes) -> list[float]:
    if len(words) < 3:
        raise notes.error(f"expected 3 numbers, found {len(words)}", line=line)
    return [value(word, line, notes) for word in words[:3]]


def _word(words: list[str], line: int, notes: Notes) -> str:
    if not words:
        raise notes.error("a value is missing", line=line)
    return words[0]
