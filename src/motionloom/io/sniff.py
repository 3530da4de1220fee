"""Recognizing the type of a file from its first bytes, for error messages."""

from __future__ import annotations

import re

_MARKS: tuple[tuple[bytes, str], ...] = (
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself; fetch it with `git lfs pull`"),
    (b"Kaydara FBX Binary", "an FBX file (binary)"),
    (b"; FBX ", "an FBX file (text)"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"PK\x03\x04", "a zip archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"\xfd7zXZ", "an xz archive; unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"glTF", "a binary glTF file"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"BLENDER", "a Blender file"),
    (b"\x7fELF", "a program"),
    (b"\xff\xfe", "UTF-16 text; save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text; save it as UTF-8"),
    (b"SQLite format 3", "an SQLite database"),
)


def what_is(head: bytes) -> str:
    """A file's kind from its first bytes, in words; "" if it may well be text of the right kind."""
    if not head:
        return "an empty file"
    for mark, what in _MARKS:
        if head.startswith(mark):
            return what
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if re.match(rb"(?i)<!doctype html|<html|<head|<body", text):
        return "an HTML page (a download that went wrong?)"
    if text.startswith(b"<?xml") or re.match(rb"<[a-zA-Z]", text):
        return "an XML file"
    if re.match(rb"[{\[]\s*[\"{\[]", text):
        return "a JSON file"
    if re.match(rb"(?i)(?:#[^\n]*+\s*+)*+:(version|fully-specified)", text):
        return "an Acclaim file (ASF or AMC)"
    if len(head) > 1 and head[1] == 0x50 and head[0] < 16 and b"\0" in head:
        return "a C3D file"
    if b"\0" in head:
        return "a binary file"
    if not text:
        return "a file of blanks"
    return ""
