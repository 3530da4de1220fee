"""Text from files: CSV and JSON that end in our own errors, and text that is safe to print."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from motionloom.core.errors import FormatError
from motionloom.core.files import read_regular

MAX_KEY_PARTS = 32  # of a dotted key in TOML: tomllib's time and memory grow with their square
# strings and comments of TOML; an unfinished one extends to the end of its line, or of the text
_STRINGS = re.compile(
    r"""\"{3}(?>(?:[^"\\]++|\\.|""?(?!"))*)(?:"{3,5}|\Z) | '{3}(?>(?:[^']++|''?(?!'))*)(?:'{3,5}|\Z)
    | "(?>(?:[^"\\\n]++|\\.)*)"? | '[^'\n]*+'? | \#[^\n]*+""",
    re.DOTALL | re.VERBOSE,
)
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def read_text(path: str | Path) -> str:
    """The text of a regular file in UTF-8; `FormatError` if it cannot be read."""
    try:
        return read_regular(path).decode("utf-8-sig")
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path=path) from None
    except UnicodeDecodeError:
        raise FormatError("expected text in UTF-8", path=path) from None


def read_toml(path: str | Path) -> dict[str, Any]:
    """The tables of a TOML file; `FormatError` if it is none."""
    text = read_text(path)
    try:
        if any(part.count(".") >= MAX_KEY_PARTS for part in re.split(r"[\n=,\[\]{}]", _STRINGS.sub("s", text))):
            raise ValueError(f"a key of more than {MAX_KEY_PARTS} parts")
        return tomllib.loads(text)
    except RecursionError:
        raise FormatError("not a TOML file: nested too deeply", path=path) from None
    except ValueError as error:  # also numbers of thousands of digits
        raise FormatError(f"not a TOML file: {str(error)[:200]}", path=path) from None


def csv_rows(text: str, path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV text with their line numbers; `FormatError` where it is not CSV, or a cell is huge."""
    rows = csv.reader(text.splitlines())
    try:
        for row in rows:
            yield rows.line_num, row
    except csv.Error as error:
        raise FormatError(str(error), path=path, line=rows.line_num) from None


def read_json(data: bytes) -> Any:
    """The value of a JSON text in UTF-8. Escapes that are half a character (`\\ud800`) become question marks.

    `ValueError` if it is not JSON, also where it is nested too deeply.
    """
    text = data.decode("utf-8-sig")
    try:
        value = json.loads(text)
        if "\\ud" in text or "\\uD" in text:
            value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def is_unicode(text: str) -> bool:
    """Whether text can be written to a file: it contains no half of a character.

    >>> is_unicode("é"), is_unicode(chr(0xD800))
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def well_formed(text: str) -> str:
    """Text that can be written: halves of characters, as in names of files that are not UTF-8, become question marks.

    >>> well_formed("wa" + chr(0xDCFF) + "lk.bvh")
    'wa?lk.bvh'
    """
    return text.encode("utf-8", "replace").decode()


def printable(text: str) -> str:
    """Text for a terminal: control characters and marks of direction are escaped; line ends and tabs are kept.

    >>> printable("walk" + chr(27) + "[2J")
    'walk\\\\u001b[2J'
    """
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
