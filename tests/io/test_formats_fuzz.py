"""Damaged AMC, ASF, GLB, glTF and NPZ files: a clip or a `FormatError` comes out, in bounded time and memory."""

from __future__ import annotations

import json
import resource
import struct
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from motionloom.core import Clip, FormatError, replace, with_labels
from motionloom.io import load
from motionloom.io.arrays.npz import clip_arrays
from motionloom.io.arrays.npz_data import npz_bytes
from motionloom.io.gltf.write import glb_parts
from motionloom.kinematics import fk

WORDS = (
    b"- . 1e nan inf 1e309 -1e300 1e-320 0,5 999999999 -1 0 1 2 4294967295 {} [] null true :root begin end dof".split()
)
Injury = Callable[[bytes, int, np.random.Generator], bytes]


def _byte(data: bytes, at: int, rng: np.random.Generator) -> bytes:
    return data[:at] + bytes([int(rng.integers(256))]) + data[at + 1 :]


def _hole(data: bytes, at: int, rng: np.random.Generator) -> bytes:
    return data[:at] + data[at + int(rng.integers(1, 40)) :]


def _cut(data: bytes, at: int, rng: np.random.Generator) -> bytes:
    return data[:at]


def _number(data: bytes, at: int, rng: np.random.Generator) -> bytes:
    """Another 32-bit number: sizes, counts and floats of binary files."""
    value = [0, 1, 0xFFFFFFFF, 0x7F800000, 0x7FC00000, int(rng.integers(1 << 32))][int(rng.integers(6))]
    return data[:at] + struct.pack("<I", value) + data[at + 4 :]


def _word(data: bytes, at: int, rng: np.random.Generator) -> bytes:
    """Another word for the next one."""
    end = at
    while end < len(data) and data[end] not in b' \n,:]}["':
        end += 1
    return data[:at] + WORDS[int(rng.integers(len(WORDS)))] + data[end:]


def _doubled(data: bytes, at: int, rng: np.random.Generator) -> bytes:
    size = int(rng.integers(1, 60))
    return data[:at] + data[at : at + size] + data[at:]


INJURIES: list[Injury] = [_byte, _byte, _hole, _cut, _number, _word, _word, _doubled]


def mutate(data: bytes, rng: np.random.Generator, head: int) -> bytes:
    """One to three injuries; half of them in the first `head` bytes, where the structure is."""
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(min(head, len(data)) + 1 if rng.random() < 0.5 else len(data) + 1))
        data = INJURIES[int(rng.integers(len(INJURIES)))](data, at, rng)
    return data


def check(path: Path, data: bytes, *, strict: bool) -> bool:
    path.write_bytes(data)
    start = time.perf_counter()
    clip: Clip | None
    said = ""
    try:
        clip = load(path, strict=strict)
    except FormatError as error:
        clip, said = None, str(error)
    assert time.perf_counter() - start < 5
    assert len(said) < 500
    if clip is None:
        return False
    assert np.isfinite(fk(clip[:2])).all()
    return True


def run(folder: Path, name: str, seed: bytes, count: int, head: int = 2000) -> int:
    """How many of `count` damaged files could still be read."""
    rng = np.random.default_rng(4)
    path = folder / name
    assert check(path, seed, strict=False)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    read = 0
    for n in range(count):
        data = mutate(seed, rng, head)
        try:
            read += check(path, data, strict=n % 5 == 0)
        except Exception as error:
            raise AssertionError(f"mutation {n}: {type(error).__name__}: {error}\n{data[:3000]!r}") from error
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kilobytes
    return read


@pytest.fixture
def glb(tiny) -> bytes:
    slides = np.zeros((10, 3, 3))
    slides[:, 1, 0] = np.linspace(0, 0.1, 10)
    return b"".join(bytes(part) for part in glb_parts(replace(tiny, slides=slides)))


def as_gltf(glb: bytes) -> bytes:
    """The same as JSON with its buffer inside, without our own notes: read as a file of others."""
    import base64

    size = struct.unpack_from("<I", glb, 12)[0]
    tree = json.loads(glb[20 : 20 + size])
    del tree["asset"]["extras"]
    tree["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(glb[28 + size :]).decode()
    return json.dumps(tree).encode()


def npz(clip: Clip) -> bytes:
    return npz_bytes(clip_arrays(with_labels(clip, {"step": np.arange(len(clip)) > 4})))


def smpl() -> bytes:
    poses = np.zeros((6, 72))
    poses[:, 0] = np.pi / 2
    return npz_bytes({"poses": poses, "trans": np.ones((6, 3)), "mocap_framerate": np.array(60.0)})


COUNT = 500


def test_damaged_glb_files(glb, tmp_path):
    assert 20 < run(tmp_path, "x.glb", glb, COUNT, head=6000) < COUNT - 20


def test_damaged_gltf_files(glb, tmp_path):
    assert 20 < run(tmp_path, "x.gltf", as_gltf(glb), COUNT, head=6000) < COUNT - 20


def test_damaged_npz_files(tiny, tmp_path):
    run(tmp_path, "x.npz", npz(tiny), COUNT, head=4000)


def test_damaged_smpl_files(tmp_path):
    run(tmp_path, "x.npz", smpl(), COUNT // 2, head=4000)


def acclaim(mocap: Path, frames: int = 6) -> tuple[bytes, bytes]:
    """A real skeleton, and the first frames of a take."""
    text = (mocap / "asfamc" / "16_15.amc").read_bytes()
    return (mocap / "asfamc" / "16.asf").read_bytes(), text[: text.index(f"\n{frames + 1}\r".encode())] + b"\r\n"


def test_damaged_amc_files(mocap, tmp_path):
    asf, amc = acclaim(mocap)
    (tmp_path / "x.asf").write_bytes(asf)
    assert 20 < run(tmp_path, "x.amc", amc, COUNT) < COUNT - 20


def test_damaged_asf_files(mocap, tmp_path):
    asf, amc = acclaim(mocap, 3)
    rng = np.random.default_rng(5)
    for n in range(COUNT):
        (tmp_path / "x.asf").write_bytes(mutate(asf, rng, 1000))
        try:
            check(tmp_path / "x.amc", amc, strict=n % 5 == 0)
        except Exception as error:
            raise AssertionError(f"mutation {n}: {type(error).__name__}: {error}") from error


@pytest.mark.long
def test_fifty_thousand_damaged_files(glb, tiny, mocap, tmp_path):
    asf, amc = acclaim(mocap)
    (tmp_path / "x.asf").write_bytes(asf)
    for name, seed in (
        ("x.glb", glb),
        ("y.gltf", as_gltf(glb)),
        ("z.npz", npz(tiny)),
        ("s.npz", smpl()),
        ("x.amc", amc),
    ):
        run(tmp_path, name, seed, 10_000, head=6000)
