"""Parsing of decimal numbers, and messages for text that is not a number."""

from __future__ import annotations

import re

# Possessive (++, *+): a run of digits is never given back, so that time is linear in the length of a token.
NUMBER = re.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?", re.ASCII)
CUT = re.compile(r"[+-]?\d*+\.?\d*+(?:(?<=[\d.])[eE][+-]?)?", re.ASCII)
COMMA = re.compile(r"[+-]?\d*+,\d++(?:[eE][+-]?\d++)?", re.ASCII)
MAX_CHARACTERS = 400  # characters of a number: more digits than any program writes
LARGEST = 1e9  # beyond any place in any unit, and any angle; keeps all later arithmetic finite


def number(token: str) -> float | None:
    """The value of a token, or None if it is not a number (nor are `nan`, `inf` and `1_000`)."""
    return float(token) if len(token) <= MAX_CHARACTERS and NUMBER.fullmatch(token) else None


def fault(token: str) -> str:
    """The message for a token that is not a number."""
    shown = repr(token if len(token) <= 40 else token[:37] + "...")
    if len(token) > MAX_CHARACTERS:
        return f"{shown} has {len(token)} characters, more than any number"
    if COMMA.fullmatch(token):
        return f"{shown} has a decimal comma; BVH numbers have a decimal point"
    if "," in token and all(number(part) is not None for part in token.split(",") if part):
        return f"{shown} has commas between numbers; BVH numbers are separated by blanks"
    first = NUMBER.match(token)
    rest = token[first.end() :] if first else ""
    if first and rest and number(rest) is not None:
        return f"{shown} is two numbers glued together ({first.group()} and {rest}); a blank is missing between them"
    if token.lstrip("+-").lower() in ("nan", "inf", "infinity", "1.#ind", "1.#qnan", "1.#inf", "-nan(ind)", "nan(ind)"):
        return f"{shown} is not a finite number"
    return f"{shown} is not a number"
