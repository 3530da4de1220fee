"""The compiled number parser and writer against Python's own."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.io.bvh import _kernels as k
from motionloom.io.number_text import number


def parse(text: str, width: int = 1, room: int = 10_000) -> tuple[list[list[float]], tuple[int, ...]]:
    out = np.empty((room, width))
    status, at, line, rows, column, token = k.parse_rows(np.frombuffer(text.encode(), np.uint8), 0, 1, out, 0)
    return out[:rows].tolist(), (status, at, line, rows, column, token)


def parse_rows_slow(text: str) -> list[list[float]]:
    return [[float(word) for word in line.split()] for line in text.splitlines() if line.strip()]


def ulps_apart(a: float, b: float) -> float:
    return abs(a - b) / np.spacing(min(max(abs(a), abs(b), 5e-324), 1.7e308))


def test_rows_are_read_as_python_reads_them(rng):
    rows = rng.normal(size=(50, 7)) * 10.0 ** rng.integers(-6, 4, size=(50, 7))
    for form in ("{:.4f}", "{:.6g}", "{:e}", "{:+.3f}", "{!r}", "{:.0f}."):
        text = "\r\n".join(" ".join(form.format(float(v)) for v in row) for row in rows)
        assert parse(text, 7)[0] == parse_rows_slow(text)


def test_numbers_of_up_to_19_digits_are_exact_to_the_last_bit(rng):
    words = [repr(float(v)) for v in rng.normal(size=3000) * 10.0 ** rng.integers(-30, 30, size=3000)]
    digits = rng.integers(0, 10, size=(2000, 19)).astype(str)
    places = rng.integers(0, 20, size=2000)
    words += ["".join(d[:p]) + "." + "".join(d[p:]) for d, p in zip(digits, places, strict=True)]
    found = [row[0] for row in parse("\n".join(words))[0]]
    assert found == [float(word) for word in words]


@pytest.mark.parametrize(
    "word",
    [
        "0", "-0", "+0.0", ".5", "5.", "00012.50", "9007199254740993", "9007199254740992.5", "1e22", "1e23", "8.5e-23",
        "123456789012345678901234567890", "0.1234567890123456789012345678901234567890", "1.7976931348623157e308",
        "2.2250738585072014e-308", "4.9e-324", "1e-400", "0e99999", "0." + "0" * 400 + "1", "1" + "0" * 300,
        "2.22507385850720113605740979670913197593481954635e-308", "8.988465674311579539e307", "1e-290", "3.3e-305",
        "6.9294956446009195e15", "100000000000000016777215", "1.0000000000000002220446049250313080847263336181640625",
    ],
)  # fmt: skip
def test_nasty_numbers_are_right_to_one_unit_in_the_last_place(word):
    [[value]], (status, *_) = parse(word)
    assert status == k.DONE
    assert ulps_apart(value, float(word)) <= 1
    assert np.signbit(value) == np.signbit(float(word))


def test_random_long_numbers_are_right_to_one_unit_in_the_last_place(rng):
    words = []
    for _ in range(3000):
        digits = "".join(map(str, rng.integers(0, 10, size=rng.integers(1, 40))))
        at = rng.integers(0, len(digits) + 1)
        words.append(f"{digits[:at]}.{digits[at:]}e{rng.integers(-320, 280)}")
    found = [row[0] for row in parse("\n".join(words))[0]]
    assert max(ulps_apart(a, float(w)) for a, w in zip(found, words, strict=True)) <= 1


@pytest.mark.parametrize(
    "word",
    ["-", "+", ".", "-.", "e5", "1e", "1e+", "1.2.3", "1-2", "0x10", "1_000", "nan", "inf", "1,5", "١", "1\0", "--1"],
)
def test_what_python_would_not_write_is_no_number(word):
    rows, (status, _, line, _, column, token) = parse(f"1 2\n3 {word} 4", 2)
    assert rows == [[1, 2]]
    assert (status, line, column, token) == (k.NOT_A_NUMBER, 2, 1, 6)
    assert number(word) is None


def test_a_full_table_is_gone_on_with_where_it_stopped():
    text = np.frombuffer(b"1 2\n3 4\n5 6", np.uint8)
    out = np.empty((2, 2))
    status, at, line, row, *_ = k.parse_rows(text, 0, 1, out, 0)
    assert (status, line, row) == (k.FULL, 3, 2)
    more = np.empty((3, 2))
    status, _, _, row, *_ = k.parse_rows(text, at, line, more, 2)
    assert (status, row, more[2].tolist()) == (k.DONE, 3, [5, 6])


def test_rows_are_written_as_python_writes_them(rng):
    values = np.concatenate(
        [rng.normal(size=(40, 5)) * 10.0 ** rng.integers(-8, 6, size=(40, 5)), [[0, -0.0, -4e-7, 1e6, -999999.9999999]]]
    )
    out = np.empty(values.size * 20, np.uint8)
    for decimals in (0, 1, 6, 9):
        text = out[: k.format_rows(values, decimals, out)].tobytes().decode()
        ours = [[float(w) for w in line.split(" ")] for line in text.splitlines()]
        assert np.abs(np.array(ours) - values).max() <= 0.5000001 * 10.0**-decimals
        assert "-0." + "0" * decimals not in text.split()
    text = out[: k.format_rows(np.array([[1.5, -2.0, 0.0000006]]), 6, out)].tobytes()
    assert text == b"1.500000 -2.000000 0.000001\n"
