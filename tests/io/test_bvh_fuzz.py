"""Damaged files: only `FormatError` ever comes out, in bounded time and memory."""

from __future__ import annotations

import re
import resource
import time
from collections.abc import Callable

import numpy as np
import pytest

from motionloom.core import Clip, FormatError
from motionloom.io.bvh.read import parse_bvh
from motionloom.io.bvh.write import bvh_parts
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import Reading
from motionloom.kinematics.fk import fk

NUMBERS = b"- . 1e nan inf 1e309 -1e300 1e-320 0,5 1.2.3 999999999 0x1F -0 0 1 90 -180 1e3 .5 123456789.123456".split()
WORDS = b"{ } JOINT ROOT End OFFSET CHANNELS MOTION HIERARCHY # // Frames: Xposition Zscale".split()
WORDS += [b"\0", b"\xff\xfe", b"\xe9", b"\x83\x7b", b"\r", b"\n"]
WORDS += [b"CHANNELS 0", b"CHANNELS 1 Zscale", b"End Site", b"ROOT x\n{", b"Frames: 7", b"Frame Time: 0", b"JOINT a\n{"]
CHANNELS = [axis + kind for axis in (b"X", b"Y", b"Z") for kind in (b"position", b"rotation", b"scale")]


def mutate(data: bytes, rng: np.random.Generator) -> bytes:
    """One to three random injuries: bytes, tokens, lines, numbers, channels, cuts."""
    for _ in range(int(rng.integers(1, 4))):
        data = INJURIES[int(rng.integers(len(INJURIES)))](data, _place(data, rng), rng)
    return data


def _place(data: bytes, rng: np.random.Generator) -> int:
    """Somewhere; half of the time in the header, which is small, but most of the grammar is there."""
    motion = data.find(b"MOTION")
    size = motion + 40 if motion >= 0 and rng.random() < 0.5 else len(data)
    return int(rng.integers(size + 1))


def _other_byte(data: bytes, at: int, rng: np.random.Generator) -> bytes:
    return data[:at] + bytes([int(rng.integers(256))]) + data[at + 1 :]


def _more_bytes(data: bytes, at: int, rng: np.random.Generator) -> bytes:
    return data[:at] + rng.integers(32, 127, size=int(rng.integers(1, 6)), dtype=np.uint8).tobytes() + data[at:]


def _hole(data: bytes, at: int, rng: np.random.Generator) -> bytes:
    return data[:at] + data[at + int(rng.integers(1, 60)) :]


def _cut(data: bytes, at: int, rng: np.random.Generator) -> bytes:
    return data[:at]


def _lines(data: bytes, at: int, rng: np.random.Generator) -> bytes:
    """A line lost, doubled, or put elsewhere."""
    lines = data.split(b"\n")
    n, m = data.count(b"\n", 0, at), int(rng.integers(len(lines)))
    kept = lines[n + 1 :] if rng.random() < 0.5 else lines[n:]
    return b"\n".join([*lines[:n], *([lines[m]] if rng.random() < 0.5 else []), *kept])


def _swap(data: bytes, at: int, rng: np.random.Generator) -> bytes:
    """Two words of one line change places."""
    lines = data.split(b"\n")
    n = data.count(b"\n", 0, at)
    words = lines[n].split(b" ")
    i, j = (int(k) for k in rng.integers(len(words), size=2))
    words[i], words[j] = words[j], words[i]
    return b"\n".join([*lines[:n], b" ".join(words), *lines[n + 1 :]])


def _word(pattern: bytes, choices: list[bytes]) -> Injury:
    """Another word for the next one that looks like `pattern`."""

    def injure(data: bytes, at: int, rng: np.random.Generator) -> bytes:
        match = re.compile(pattern).search(data, at)
        new = choices[int(rng.integers(len(choices)))]
        return data[: match.start()] + new + data[match.end() :] if match else data

    return injure


Injury = Callable[[bytes, int, np.random.Generator], bytes]
INJURIES: list[Injury] = [_other_byte, _more_bytes, _hole, _cut, _lines, _swap, _word(rb"\S+", WORDS)]
INJURIES += 3 * [_word(rb"[-+\d.][-+\d.eE]*", NUMBERS), _word(rb"[XYZ](position|rotation|scale)", CHANNELS)]


def check(data: bytes, *, strict: bool, twice: bool) -> bool:
    """Read it; True if that gave a clip. Anything but a clip or a `FormatError` fails the test."""
    start = time.perf_counter()
    clip, said = None, "fuzz.bvh"
    try:
        clip = parse_bvh(data, Notes("fuzz.bvh", strict=strict))
    except FormatError as error:
        said = str(error)
    assert said.startswith("fuzz.bvh")
    assert len(said) < 500
    assert time.perf_counter() - start < 5
    if clip is not None and twice:
        back = parse_bvh(
            b"".join(bytes(part) for part in bvh_parts(clip)),
            Notes("back.bvh"),
            Reading(unit=clip.origin.unit, up=clip.origin.up),
        )
        assert isinstance(back, Clip)
        size = 1 + np.abs(fk(clip)).max()
        assert back.skeleton.names == clip.skeleton.names
        assert np.abs(fk(back) - fk(clip)).max() < 1e-4 * size
    return clip is not None


def run(seeds: list[bytes], count: int) -> int:
    rng = np.random.default_rng(20)
    for seed in seeds:
        assert check(seed, strict=False, twice=True)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    read = 0
    for n in range(count):
        data = mutate(seeds[n % len(seeds)], rng)
        try:
            read += check(data, strict=n % 7 == 0, twice=n % 5 == 0)
        except Exception as error:
            raise AssertionError(f"mutation {n}: {type(error).__name__}: {error}\n{data[:2000]!r}") from error
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 200_000  # kilobytes
    return read


def cut(path, rows: int) -> bytes:
    """The first rows of a real file."""
    lines = path.read_bytes().split(b"\n")
    start = next(n for n, line in enumerate(lines) if line.strip() == b"MOTION")
    return b"\n".join(lines[: start + 3 + rows])


def test_damaged_small_files_give_a_clip_or_a_format_error(two, person):
    read = run([two.encode(), person.encode(), person.replace("\n", "\r\n").encode()], 4000)
    assert 400 < read < 3600  # some survive, some do not: the injuries reach deep


def test_damaged_real_files_give_a_clip_or_a_format_error(mocap):
    names = ("cmu/16_15", "dog/D1_007_KAN01_001", "bandai/dataset-1_punch_normal_001")
    run([cut(mocap / f"{name}.bvh", 12) for name in names], 2000)


@pytest.mark.long
def test_fifty_thousand_damaged_files_give_a_clip_or_a_format_error(mocap, two, person):
    names = ("cmu/16_15", "dog/D1_007_KAN01_001", "bandai/dataset-1_punch_normal_001")
    real = [cut(mocap / f"{name}.bvh", 12) for name in names]
    run([two.encode(), person.encode(), person.replace("\n", "\r\n").encode(), *real], 50_000)
