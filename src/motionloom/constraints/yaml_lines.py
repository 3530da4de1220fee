"""YAML with line numbers: plain dicts, lists and values, and the line of every key."""

from __future__ import annotations

from typing import Any

import yaml

from motionloom.core import BadRequest

MAX_DEPTH = 20  # levels: requests need few, and aliases can form a cycle
MAX_VALUES = 100_000  # values, aliases counted as often as they are used
MAX_CHARACTERS = 400  # of a number, a date or any other value that is not plain text
TOO_LARGE = "nested too deeply or too large for a request"
TEXT = "tag:yaml.org,2002:str"


class LineMapping(dict[str, Any]):
    """A mapping with the line of every key (counted from 1)."""

    lines: dict[str, int]


def read_yaml(text: str, name: str, *, as_text: bool = False) -> Any:
    """The plain value of a YAML text. Mappings are `LineMapping`s; keys are text and occur once; else `BadRequest`.

    With `as_text`, numbers are left as text, so that 35_01 can be a name.
    """
    try:
        node = yaml.compose(text, Loader=_Composer)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = name if mark is None else f"{name}:{mark.line + 1}"
        if isinstance(error, _TooLarge):
            raise BadRequest(TOO_LARGE, place=place) from None
        raise BadRequest(f"this is not YAML: {error.problem or error.context}", place=place) from None
    except RecursionError:
        raise BadRequest("nested too deeply for a request", place=name) from None
    except yaml.YAMLError as error:
        raise BadRequest(f"this is not YAML: {str(error).splitlines()[0]}", place=name) from None
    return None if node is None else _Reader(name, as_text=as_text).value(node, 0)


class _TooLarge(yaml.MarkedYAMLError):
    pass


class _Composer(yaml.SafeLoader):
    """Stops at the first value beyond `MAX_VALUES`: nodes take hundreds of times the memory of their text."""

    composed = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self.composed += 1
        if self.composed > MAX_VALUES:
            raise _TooLarge(problem_mark=self.peek_event().start_mark)  # type: ignore[no-untyped-call]
        return super().compose_node(parent, index)


class _Reader:
    def __init__(self, name: str, *, as_text: bool) -> None:
        self.name, self.as_text, self.seen, self.scalars = name, as_text, 0, yaml.SafeLoader("")

    def value(self, node: yaml.Node, depth: int) -> Any:
        self.seen += 1
        place = f"{self.name}:{node.start_mark.line + 1}"
        if depth > MAX_DEPTH or self.seen > MAX_VALUES:
            raise BadRequest(TOO_LARGE, place=place)
        if isinstance(node, yaml.MappingNode):
            table = LineMapping()
            table.lines = {}
            for key_node, value_node in node.value:
                key = self.value(key_node, depth + 1)
                line = key_node.start_mark.line + 1
                if not isinstance(key, str):
                    raise BadRequest(f"expected a name before the colon, found {key!r}", place=f"{self.name}:{line}")
                if key in table:
                    first = f"(first in line {table.lines[key]})"
                    raise BadRequest(f"{key!r} is given twice {first}", place=f"{self.name}:{line}")
                table[key], table.lines[key] = self.value(value_node, depth + 1), line
            return table
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, depth + 1) for item in node.value]
        text = str(node.value)
        if self.as_text:
            return text
        if node.tag != TEXT and len(text) > MAX_CHARACTERS:
            raise BadRequest(f"cannot read this value: {text[:40]}... ({len(text)} characters)", place=place)
        try:
            return self.scalars.construct_object(node)
        except (yaml.YAMLError, ValueError) as error:
            raise BadRequest(f"cannot read this value: {str(error).splitlines()[0]}", place=place) from None
        except (LookupError, AttributeError, ArithmeticError):  # from PyYAML, where the text does not suit its tag
            kind = node.tag.rpartition(":")[2]
            raise BadRequest(f"cannot read this value: expected !!{kind}, found {text[:40]!r}", place=place) from None
