"""The HIERARCHY section of a BVH file: joints, offsets, channels, end sites."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NoReturn

from motionloom.core import FormatError
from motionloom.core.limits import MAX_DEPTH
from motionloom.io.number_text import LARGEST, fault, number

MAX_JOINTS = 10_000
CHANNELS = {f"{axis}{kind}": f"{axis.upper()}{kind}" for kind in ("position", "rotation", "scale") for axis in "xyz"}
KEYWORDS = ("ROOT", "JOINT", "END", "OFFSET", "CHANNELS", "}")
_TOKEN = re.compile(r"[{}]|[^\s{}]+", re.ASCII)
_LISTED = re.compile(r"(?:\s+[xyz](?:position|rotation|scale)(?![^\s{}]))*", re.ASCII | re.IGNORECASE)
_COMMENT = re.compile(r"^[ \t]*(?:#|//).*$|[ \t]//.*$", re.MULTILINE)

Offset = tuple[float, float, float]


@dataclass(eq=False)
class BvhNode:
    """One joint as declared: `channels` in file order ("Xposition", ...), `offset` None if there was no OFFSET."""

    index: int
    name: str
    parent: int
    line: int
    offset: Offset | None = None
    channels: tuple[str, ...] = ()
    declared: bool = False  # a CHANNELS line was seen


@dataclass(eq=False)
class EndSite:
    joint: int
    name: str  # "" for a plain "End Site"
    line: int
    offset: Offset | None = None


@dataclass
class Hierarchy:
    """All joints in file order, a parent before its children; end sites in file order."""

    nodes: list[BvhNode] = field(default_factory=list)
    ends: list[EndSite] = field(default_factory=list)

    @property
    def width(self) -> int:
        """How many values each frame has."""
        return sum(len(node.channels) for node in self.nodes)


def read_hierarchy(text: str, path: str) -> Hierarchy:
    """Read everything before MOTION. Keywords in any case, braces on any line; a name runs to the end of its line.

    A line that starts with `#` or `//` is a comment, and so is the rest of a line after a blank and `//` (or after a
    blank and `#`, but not in a name: `JOINT Bone #2` is one). Errors are `FormatError`s with the line.
    """
    return _Reader(text, path).read()


class _Reader:
    def __init__(self, text: str, path: str) -> None:
        self.text = _COMMENT.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
        self.path, self.at, self.start = path, 0, 0
        self.counted = (0, 1)  # a place in the text, and its line
        self.found = Hierarchy()
        self.stack: list[BvhNode | EndSite] = []

    def read(self) -> Hierarchy:
        if self.token().upper() != "HIERARCHY":
            self.refuse("expected HIERARCHY", found=True)
        while word := self.token():
            keyword = word.upper()
            if not self.stack:
                self.top(keyword)
            elif keyword in ("ROOT", "JOINT"):
                self.joint(keyword)
            elif keyword == "END":
                self.end()
            elif keyword == "OFFSET":
                self.offset()
            elif keyword == "CHANNELS":
                self.channels()
            elif keyword == "}":
                self.close()
            else:
                self.unexpected(word)
        if self.stack:
            top = self.stack[-1]
            self.refuse(f"HIERARCHY ends inside {_describe_part(top)} (line {top.line}): a '}}' is missing")
        if not self.found.nodes:
            self.refuse("HIERARCHY has no ROOT")
        return self.found

    # tokens

    def token(self) -> str:
        """The next word or brace, "" at the end."""
        while match := _TOKEN.search(self.text, self.at):
            self.start, self.at = match.span()
            if not match.group().startswith("#"):
                return match.group()
            self.at = self.line_end()
        self.start = self.at = len(self.text)
        return ""

    def peek(self) -> str:
        before = self.start, self.at
        word = self.token()
        self.start, self.at = before
        return word

    def line_end(self) -> int:
        stop = self.text.find("\n", self.at)
        return len(self.text) if stop < 0 else stop

    def name(self) -> str:
        """The rest of the line, or up to a brace."""
        brace = self.text.find("{", self.at, self.line_end())
        stop = self.line_end() if brace < 0 else brace
        name = self.text[self.at : stop].strip(" \t\v\f")
        if "}" in name:
            self.refuse(f"a '}}' in the name {name[:40]!r}")
        self.at = stop
        return name

    def number(self, what: str) -> float:
        token = self.token()
        if token.upper() in KEYWORDS or token in ("", "{"):
            self.refuse(f"{what}: expected a number", found=True)
        value = number(token)
        if value is None:
            self.refuse(f"{what}: {fault(token)}")
        if not abs(value) <= LARGEST:
            self.refuse(f"{what}: {token} is beyond any place a body can be")
        return value

    def refuse(self, message: str, *, found: bool = False, at: int | None = None) -> NoReturn:
        start = self.start if at is None else at
        if found:
            token = self.text[self.start : self.at]
            message += f", found {token[:40]!r}" if token else ", found the end of HIERARCHY"
        raise FormatError(message, path=self.path, line=1 + self.text.count("\n", 0, start))

    def line(self) -> int:
        at, line = self.counted
        self.counted = (self.start, line + self.text.count("\n", at, self.start))
        return self.counted[1]

    # statements

    def top(self, keyword: str) -> None:
        roots = [node for node in self.found.nodes if node.parent < 0]
        if keyword == "ROOT" and roots:
            self.refuse(
                f"a second ROOT {self.name()!r}, after {roots[0].name!r} in line {roots[0].line}: "
                "only one actor per file is supported; split it into one file per ROOT"
            )
        if keyword != "ROOT":
            self.refuse("expected ROOT" if not roots else "expected MOTION after the last '}'", found=True)
        self.joint(keyword)

    def joint(self, keyword: str) -> None:
        parent = self.stack[-1] if self.stack else None
        if keyword == "ROOT" and parent is not None:
            self.refuse(f"ROOT inside {_describe_part(parent)}: only the first joint is a ROOT")
        if isinstance(parent, EndSite):
            self.refuse(f"a JOINT inside {_describe_part(parent)}, which is the end of its chain")
        line, start = self.line(), self.start
        name = self.name()
        if not name:
            self.refuse(f"{keyword} without a name", at=start)
        if len(self.stack) >= MAX_DEPTH:
            self.refuse(f"joints nested more than {MAX_DEPTH} deep", at=start)
        if len(self.found.nodes) >= MAX_JOINTS:
            self.refuse(f"more than {MAX_JOINTS} joints", at=start)
        self.open(f"{keyword} {name}")
        node = BvhNode(len(self.found.nodes), name, -1 if parent is None else parent.index, line)
        self.found.nodes.append(node)
        self.stack.append(node)

    def end(self) -> None:
        parent = self.stack[-1]
        if isinstance(parent, EndSite):
            self.refuse(f"an End inside {_describe_part(parent)}")
        line = self.line()
        name = self.name()
        self.open("End")
        end = EndSite(parent.index, "" if name.lower() == "site" else name, line)
        self.found.ends.append(end)
        self.stack.append(end)

    def open(self, after: str) -> None:
        if self.token() != "{":
            self.refuse(f"expected '{{' after {after[:60]}", found=True)

    def close(self) -> None:
        top = self.stack.pop()
        if isinstance(top, EndSite):
            if top.offset is None:
                self.refuse(f"{_describe_part(top)} (line {top.line}) has no OFFSET")
        elif top.offset is None and sum("position" in c for c in top.channels) < 3 and top.parent >= 0:
            self.refuse(f"{_describe_part(top)} (line {top.line}) has neither an OFFSET nor three position channels")

    def offset(self) -> None:
        top = self.stack[-1]
        if top.offset is not None:
            self.refuse(f"a second OFFSET in {_describe_part(top)}")
        what = f"OFFSET of {_describe_part(top)}"
        top.offset = (self.number(what), self.number(what), self.number(what))

    def channels(self) -> None:
        top = self.stack[-1]
        count = self.token()
        if not count.isdecimal() or not count.isascii() or len(count) > 4:
            self.refuse("CHANNELS: expected how many", found=True)
        if isinstance(top, EndSite):
            if int(count):
                self.refuse(f"{_describe_part(top)} has channels: an end site cannot move")
            return
        if top.declared:
            self.refuse(f"a second CHANNELS in {_describe_part(top)}")
        at = self.start
        match = _LISTED.match(self.text, self.at)
        assert match is not None  # it may be empty
        listed = [CHANNELS[name] for name in match.group().lower().split()]
        self.at = match.end()
        if len(listed) != int(count):
            token = self.peek()
            odd = f" (then {token[:40]!r})" if token and token.upper() not in KEYWORDS else ""
            self.refuse(f"CHANNELS declares {count}, lists {len(listed)}{odd}", at=at)
        _check_channels(self, listed, at)
        below = top.index + 1
        if listed and any(node.channels for node in self.found.nodes[below:]):
            child = next(node for node in self.found.nodes[below:] if node.channels)
            self.refuse(
                f"CHANNELS of {_describe_part(top)} after those of its child {child.name!r} (line {child.line}): "
                "which columns belong to which joint is not clear",
                at=at,
            )
        top.channels, top.declared = tuple(listed), True

    def unexpected(self, word: str) -> NoReturn:
        top = self.stack[-1]
        if word.lower() in CHANNELS:
            self.refuse(f"channel {word} in {_describe_part(top)} is one more than CHANNELS declares")
        if number(word) is not None:
            self.refuse(f"number {word} in {_describe_part(top)} is one more than OFFSET has (three)")
        self.refuse(f"expected OFFSET, CHANNELS, JOINT, End or '}}' in {_describe_part(top)}", found=True)


def _check_channels(reader: _Reader, listed: list[str], at: int) -> None:
    rotations = [c for c in listed if c.endswith("rotation")]
    for channel in listed:
        if not channel.endswith("rotation") and listed.count(channel) > 1:
            reader.refuse(f"CHANNELS lists {channel} twice", at=at)
    if len(rotations) > 3 or any(a == b for a, b in pairwise(rotations)):
        reader.refuse(f"CHANNELS lists rotations that are no Euler order: {' '.join(rotations)}", at=at)


def _describe_part(part: BvhNode | EndSite) -> str:
    if isinstance(part, EndSite):
        return f"End {part.name or 'Site'}"[:60]
    return repr(part.name if len(part.name) <= 50 else part.name[:47] + "...")
