"""Compiled loops of the BVH reader and writer: plain arrays in and out, no checks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel

DONE, FULL, NOT_A_NUMBER, SHORT_ROW, SHORT_LAST_ROW, LONG_ROW = range(6)
LOWEST, HIGHEST = -400, 309  # powers of ten beyond which 19 digits are 0 or infinite
EXACT = 10.0 ** np.arange(23)  # powers of ten that are doubles


def _powers_of_ten() -> tuple[Any, Any, Any]:
    """10^e = (high + low) 2^shift for e = LOWEST..HIGHEST, high in [1, 2): the first 106 bits, in whole numbers."""
    count = HIGHEST - LOWEST + 1
    high, low, shift = np.empty(count), np.empty(count), np.empty(count, np.int64)
    for i, e in enumerate(range(LOWEST, HIGHEST + 1)):
        power = 10 ** abs(e)
        spare = power.bit_length() + 106
        bits = power << 106 if e >= 0 else (1 << spare) // power
        shift[i] = bits.bit_length() - 1 - (106 if e >= 0 else spare)
        bits >>= bits.bit_length() - 106
        high[i], low[i] = math.ldexp(bits >> 53, -52), math.ldexp(bits & (2**53 - 1), -105)
    return high, low, shift


HIGH, LOW, SHIFT = _powers_of_ten()


@kernel(inline=True)
def _decimal(mantissa: Any, exponent: Any) -> float:
    """mantissa * 10^exponent, mantissa < 2^64.

    Below 2^53 and within 10^22 both factors are exact doubles, so one operation rounds correctly (Clinger 1990).
    Otherwise in double-double: mantissa = s + t exactly, 10^e = (high + low) 2^shift, product by Dekker's splitting,
    error about 2^-102 before the last rounding: the nearest double but for ties within that error, and never more than
    1 ulp off.
    """
    if mantissa < 9007199254740992:
        if 0 <= exponent <= 22:
            return float(mantissa) * EXACT[exponent]
        if -22 <= exponent < 0:
            return float(mantissa) / EXACT[-exponent]
    if mantissa == 0 or exponent < LOWEST:
        return 0.0
    if exponent > HIGHEST:
        return np.inf
    a = float(mantissa >> np.uint64(32)) * 4294967296.0
    b = float(mantissa & np.uint64(0xFFFFFFFF))
    p, q = HIGH[exponent - LOWEST], LOW[exponent - LOWEST]
    s = a + b
    t = b - (s - a)
    x = 134217729.0 * s
    sh = x - (x - s)
    sl = s - sh
    x = 134217729.0 * p
    ph = x - (x - p)
    pl = p - ph
    product = s * p
    rest = ((sh * ph - product) + sh * pl + sl * ph) + sl * pl
    return math.ldexp(product + (rest + (s * q + t * p)), SHIFT[exponent - LOWEST])


@kernel
def parse_rows(data: Any, at: int, line: int, out: Any, row: int) -> tuple[int, int, int, int, int, int]:
    """Numbers of the MOTION section, one line per frame, into out[row:]; from byte `at`, which is in line `line`.

    One pass, byte by byte; no memory of its own. Returns (status, at, line, row, column, token): the next byte, line
    and row to continue from. FULL: out has no room left. NOT_A_NUMBER: `token` is its first byte, `column` its place in
    the row. SHORT_ROW, LONG_ROW: `column` values were found. SHORT_LAST_ROW: the same, and nothing follows.
    60_08.bvh (2.6 MB): about 9 ms. The slow version is `parse_rows_slow` in tests/io/test_numbers.py.
    """
    size, room, width = data.shape[0], out.shape[0], out.shape[1]
    zero, nine, minus, plus, point = 48, 57, 45, 43, 46
    column = 0
    while True:
        # blanks, line ends, comments
        while at < size:
            c = data[at]
            if c == 32 or c == 9 or c == 11 or c == 12:
                at += 1
            elif c == 10 or c == 13:
                if column > 0:
                    break
                at += 2 if c == 13 and at + 1 < size and data[at + 1] == 10 else 1
                line += 1
            elif c == 35 or (c == 47 and at + 1 < size and data[at + 1] == 47):
                while at < size and data[at] != 10 and data[at] != 13:
                    at += 1
            else:
                break
        ends = at >= size or data[at] == 10 or data[at] == 13
        if ends:
            if column == 0:
                return DONE, at, line, row, 0, at
            if column == width:
                row += 1
                column = 0
                continue
            if column > width:
                return LONG_ROW, at, line, row, column, at
            after = at
            while after < size and (data[after] == 32 or 9 <= data[after] <= 13):
                after += 1
            return (SHORT_LAST_ROW if after == size else SHORT_ROW), at, line, row, column, at
        if column == 0 and row == room:
            return FULL, at, line, row, 0, at
        # one number: sign, digits, point, digits, exponent
        token = at
        negative = False
        c = data[at]
        if c in (minus, plus):
            negative = c == minus
            at += 1
        mantissa = np.uint64(0)
        kept = 0
        digits = 0
        exponent = 0
        while at < size and zero <= data[at] <= nine:
            if kept < 19:
                mantissa = mantissa * np.uint64(10) + np.uint64(data[at] - zero)
                if mantissa > 0:
                    kept += 1
            else:
                exponent += 1
            digits += 1
            at += 1
        if at < size and data[at] == point:
            at += 1
            while at < size and zero <= data[at] <= nine:
                if kept < 19:
                    mantissa = mantissa * np.uint64(10) + np.uint64(data[at] - zero)
                    if mantissa > 0:
                        kept += 1
                    exponent -= 1
                digits += 1
                at += 1
        good = digits > 0
        if good and at < size and (data[at] == 101 or data[at] == 69):
            at += 1
            down = False
            if at < size and (data[at] == minus or data[at] == plus):
                down = data[at] == minus
                at += 1
            power = 0
            good = False
            while at < size and zero <= data[at] <= nine:
                power = min(power * 10 + (data[at] - zero), 100000)
                good = True
                at += 1
            exponent += -power if down else power
        if good and at < size:
            c = data[at]
            good = c == 32 or 9 <= c <= 13
        if not good:
            return NOT_A_NUMBER, token, line, row, column, token
        if column < width:
            value = _decimal(mantissa, exponent)
            out[row, column] = -value if negative else value
        column += 1


@kernel
def quaternions(values: Any, columns: Any, axes: Any, out: Any) -> None:
    """out[f, j] = product over k of the turn about axis axes[j, k] by values[f, columns[j, k]] degrees.

    columns (J, 3) holds -1 where a joint has fewer than three rotation channels. axes are 0, 1, 2 for x, y, z. One pass
    over both arrays; 3422 x 31 joints: about 8 ms. The slow version is `rotation.from_euler`.
    """
    half_degree = np.pi / 360.0
    for f in range(values.shape[0]):
        for j in range(columns.shape[0]):
            w, x, y, z = 1.0, 0.0, 0.0, 0.0
            for k in range(3):
                column = columns[j, k]
                if column < 0:
                    continue
                angle = values[f, column] * half_degree
                if angle == 0.0:
                    continue
                c, s = np.cos(angle), np.sin(angle)
                axis = axes[j, k]
                if axis == 0:
                    w, x, y, z = w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s
                elif axis == 1:
                    w, x, y, z = w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s
                else:
                    w, x, y, z = w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s
            out[f, j, 0], out[f, j, 1], out[f, j, 2], out[f, j, 3] = w, x, y, z


@kernel
def format_rows(values: Any, decimals: int, out: Any) -> int:
    """Text of `values`, one line per row, `decimals` digits after the point; returns the number of bytes written.

    |value| 10^decimals must stay below 2^63, and `out` must have room (`rows_size` in bvh_write.py). Rounds to
    nearest; never writes a negative zero. The slow version is Python's "%.6f".
    """
    scale = 1
    for _ in range(decimals):
        scale *= 10
    at = 0
    digits = np.empty(20, np.uint8)
    for f in range(values.shape[0]):
        for k in range(values.shape[1]):
            v = values[f, k]
            n = np.int64(abs(v) * scale + 0.5)
            if v < 0.0 and n > 0:
                out[at] = 45
                at += 1
            whole = n // scale
            part = n - whole * scale
            count = 0
            while whole > 0 or count == 0:
                tens = whole // 10
                digits[count] = 48 + (whole - tens * 10)
                whole = tens
                count += 1
            for i in range(count):
                out[at + i] = digits[count - 1 - i]
            at += count
            out[at] = 46
            for i in range(decimals):
                tens = part // 10
                out[at + decimals - i] = 48 + (part - tens * 10)
                part = tens
            at += decimals + 1
            out[at] = 32
            at += 1
        out[at - 1] = 10
    return at
