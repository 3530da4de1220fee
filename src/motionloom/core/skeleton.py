"""A skeleton: names, parents, offsets and roles of its joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from motionloom.core.arrays import FloatArray, IntArray, frozen, put
from motionloom.core.errors import InvalidClip, SkeletonMismatch, UnknownJoint


class End(NamedTuple):
    """The tip of a chain (a BVH `End Site`): no joint, it never turns, but it has a place."""

    joint: int
    offset: tuple[float, float, float]  # metres, in the frame of `joint`
    name: str = ""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints in file order; joint 0 is the root (the hips), and a parent comes before its children."""

    names: tuple[str, ...]
    parents: IntArray  # (J,)   the root has -1
    offsets: FloatArray  # (J, 3) metres, in the parent's frame; the root's own is not used in motion
    roles: tuple[str, ...] = ()  # one per joint: "hips", "left_foot", "" ...
    ends: tuple[End, ...] = ()

    def __post_init__(self) -> None:
        put(self, "names", tuple(str(n) for n in self.names))
        count = len(self.names)
        if not count:
            raise InvalidClip("a skeleton needs at least one joint")
        if len(set(self.names)) != count:
            twice = next(n for i, n in enumerate(self.names) if n in self.names[:i])
            raise InvalidClip(f"joint name {twice!r} occurs twice")
        put(self, "parents", frozen(self.parents, np.int64, (count,), "parents"))
        put(self, "offsets", frozen(self.offsets, np.float64, (count, 3), "offsets"))
        if self.parents[0] != -1:
            raise InvalidClip("joint 0 must be the root, with parent -1")
        late = [j for j in range(1, count) if not 0 <= self.parents[j] < j]
        if late:
            raise InvalidClip(f"joint {late[0]} {self.names[late[0]]!r}: its parent must come before it")
        put(self, "roles", tuple(self.roles) or ("",) * count)
        if len(self.roles) != count:
            raise InvalidClip(f"roles: expected one per joint ({count}), found {len(self.roles)}")
        given = [r for r in self.roles if r]
        if len(set(given)) != len(given):
            raise InvalidClip(f"role {next(r for r in given if given.count(r) > 1)!r} is given to two joints")
        put(self, "ends", tuple(End(int(e[0]), tuple(map(float, e[1])), *e[2:]) for e in self.ends))  # type: ignore[arg-type]
        for end in self.ends:
            if not 0 <= end.joint < count or len(end.offset) != 3 or not np.isfinite(end.offset).all():
                raise InvalidClip(f"end site {end} does not belong to a joint")

    def __reduce__(self) -> tuple[Any, ...]:
        return (Skeleton, (self.names, self.parents, self.offsets, self.roles, self.ends))

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Skeleton({len(self)} joints: {', '.join(self.names[:4])}{', ...' if len(self) > 4 else ''})"

    def joint(self, name: str) -> int:
        """Index of the joint with this role or exact name; `UnknownJoint` (with near misses) otherwise."""
        if name and name in self.roles:
            return self.roles.index(name)
        if name in self.names:
            return self.names.index(name)
        raise UnknownJoint(name, [r for r in self.roles if r] + list(self.names))

    def find(self, *names: str) -> int | None:
        """Index of the first of these roles or names that the skeleton has, or None."""
        return next((self.joint(n) for n in names if n in self.roles or n in self.names), None)

    def children(self, joint: int) -> list[int]:
        """The joints that hang directly on this one."""
        return [int(j) for j in np.flatnonzero(self.parents == joint)]

    def chain(self, joint: int, ancestor: int = 0) -> list[int]:
        """Joints from `ancestor` (included) down to `joint` (included)."""
        path = [joint]
        while path[-1] != ancestor:
            if path[-1] == -1:
                raise InvalidClip(f"{self.names[ancestor]!r} is not above {self.names[joint]!r}")
            path.append(int(self.parents[path[-1]]))
        return path[::-1]

    def below(self, joint: int) -> list[int]:
        """`joint` and every joint under it, in order."""
        inside = {joint}
        for j in range(joint + 1, len(self)):
            if int(self.parents[j]) in inside:
                inside.add(j)
        return sorted(inside)


def same_hierarchy(a: Skeleton, b: Skeleton) -> bool:
    """Same joint names with the same parents, whatever the bone lengths."""
    return a.names == b.names and bool(np.array_equal(a.parents, b.parents))


def hierarchy_difference(a: Skeleton, b: Skeleton) -> str:
    """The first joint that differs between "one" hierarchy and "the other"; "" if they are equal."""
    for j, (x, y) in enumerate(zip(a.names, b.names, strict=False)):
        if x != y:
            return f"joint {j} is {x!r} in one, {y!r} in the other"
        if a.parents[j] != b.parents[j]:
            pa, pb = (s.names[s.parents[j]] if s.parents[j] >= 0 else "(root)" for s in (a, b))
            return f"joint {j} {x!r} hangs on {pa!r} in one, on {pb!r} in the other"
    return "" if len(a) == len(b) else f"{len(a)} joints in one, {len(b)} in the other"


def require_same_hierarchy(a: Skeleton, b: Skeleton, *, names: Sequence[str] = ("first", "second")) -> None:
    """Raise `SkeletonMismatch`, naming the first joint that differs, unless the hierarchies are equal."""
    difference = hierarchy_difference(a, b)
    if difference:
        raise SkeletonMismatch(f"clips {names[0]!r} and {names[1]!r} differ in skeleton: {difference}")
