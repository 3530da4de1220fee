"""Random damage to bytes, to words of text, and to the numbers of a model file."""

from __future__ import annotations

import io
import json
import re
import struct
from collections.abc import Callable
from copy import deepcopy
from functools import lru_cache
from typing import Any

import numpy as np
import yaml
from safetensors import deserialize
from safetensors.numpy import save

from motionloom.methods.store import _checksum, description_of

Generator = np.random.Generator
Injury = Callable[[bytes, int, Generator], bytes]

WORDS = (
    b"- . 1e nan inf 1e309 -1e300 1e-320 0,5 1.2.3 999999999 -1 0 1 2 4294967295 {} [] null true false # // : { } \" '"
    b" 0x1F 1_0 !!int !!binary &a *a <<: |- \xff\xfe \xe9 \0 \r \n \\ud83d 90deg end end-1 120f 1e300deg"
    b" 9" + b"9" * 400
).split(b" ")
TOKEN, DIGIT = re.compile(rb"[\w.+-]+"), re.compile(rb"[0-9]")
SWOLLEN, SWELLING = 900_000, 0.002  # bytes of a file that swells, and how often
SMALL = (0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x7F800000, 0x7FC00000)


def _byte(data: bytes, at: int, rng: Generator) -> bytes:
    return data[:at] + bytes([int(rng.integers(256))]) + data[at + 1 :]


def _hole(data: bytes, at: int, rng: Generator) -> bytes:
    return data[:at] + data[at + int(rng.integers(1, 60)) :]


def _cut(data: bytes, at: int, rng: Generator) -> bytes:
    return data[:at]


def _number(data: bytes, at: int, rng: Generator) -> bytes:
    """Another number of 8, 16, 32 or 64 bits: sizes, counts and floats of binary files."""
    value = SMALL[int(rng.integers(len(SMALL)))] if rng.random() < 0.7 else int(rng.integers(1 << 32))
    size = (1, 2, 4, 8)[int(rng.integers(4))]
    return data[:at] + struct.pack("<Q", value)[:size] + data[at + size :]


def _word(data: bytes, at: int, rng: Generator) -> bytes:
    """Another word in place of the next one."""
    end = at
    while end < len(data) and data[end] not in b' \t\n,:]}["=':
        end += 1
    return data[:at] + WORDS[int(rng.integers(len(WORDS)))] + data[end:]


def _doubled(data: bytes, at: int, rng: Generator) -> bytes:
    size = int(rng.integers(1, 60))
    return data[:at] + data[at : at + size] * int(rng.integers(2, 5)) + data[at + size :]


def _line(data: bytes, at: int, rng: Generator) -> bytes:
    """A line removed, or one put in another place."""
    lines = data.split(b"\n")
    n, m = data.count(b"\n", 0, at), int(rng.integers(len(lines)))
    return b"\n".join([*lines[:n], *([lines[m]] if rng.random() < 0.5 else []), *lines[n + 1 :]])


def _digit(data: bytes, at: int, rng: Generator) -> bytes:
    """Another digit in place of the next one."""
    found = DIGIT.search(data, at)
    return data if found is None else _put(data, found, bytes([b"0123456789-."[int(rng.integers(12))]]))


def _other_word(data: bytes, at: int, rng: Generator) -> bytes:
    """A word of the same file in place of the next one."""
    found = TOKEN.search(data, at)
    other = TOKEN.search(data, int(rng.integers(len(data)))) if data else None
    return data if found is None or other is None else _put(data, found, other[0])


def _put(data: bytes, found: re.Match[bytes], word: bytes) -> bytes:
    return data[: found.start()] + word + data[found.end() :]


BINARY: tuple[Injury, ...] = (_byte, _byte, _hole, _cut, _number, _number, _number, _word, _doubled, _other_word)
TEXT: tuple[Injury, ...] = (
    _byte, _hole, _cut, _word, _word, _doubled, _line, _digit, _digit, _other_word, _other_word, _other_word
)  # fmt: skip


def _swollen(data: bytes, at: int, rng: Generator) -> bytes:
    """A line or a short stretch repeated, numbered or not, to nearly a megabyte: time with its square is noticed."""
    end = data.find(b"\n", at) + 1 if rng.random() < 0.5 else at + int(rng.integers(1, 60))
    start = data.rfind(b"\n", 0, at) + 1 if rng.random() < 0.5 else at
    piece = data[start : max(end, start + 1)] or b"a."
    times = max(0, SWOLLEN - len(data)) // (len(piece) + 6)
    if rng.random() < 0.5:
        return data[:start] + piece * times + data[start:]
    found = TOKEN.search(piece)
    cut = len(piece) if found is None else found.end()
    return data[:start] + b"".join(b"%s%d%s" % (piece[:cut], k, piece[cut:]) for k in range(times)) + data[start:]


def damaged_bytes(data: bytes, rng: Generator, head: int = 4000) -> bytes:
    """One to three injuries; half of them in the first `head` bytes, where the structure is. Some files swell."""
    if rng.random() < SWELLING:
        return _swollen(data, int(rng.integers(len(data) + 1)), rng)
    injuries = BINARY if b"\0" in data[:2000] else TEXT
    for _ in range(1 if rng.random() < 0.6 else int(rng.integers(2, 4))):
        at = int(rng.integers(min(head, len(data)) + 1 if rng.random() < 0.5 else len(data) + 1))
        data = injuries[int(rng.integers(len(injuries)))](data, at, rng)
    return data


def damaged_npz(data: bytes, rng: Generator) -> bytes:
    """Injuries to the bytes, or to the arrays of an archive, which is then whole: checksums would find the former."""
    if rng.random() < 0.3:
        return damaged_bytes(data, rng)
    with np.load(io.BytesIO(data)) as held:
        arrays = {name: held[name] for name in held.files}
    for _ in range(int(rng.integers(1, 3))):
        name = list(arrays)[int(rng.integers(len(arrays)))]
        arrays[name] = _damaged_array(arrays[name], rng)
    if rng.random() < 0.1:
        arrays.pop(list(arrays)[int(rng.integers(len(arrays)))])
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def damaged_json(data: bytes, rng: Generator) -> bytes:
    """Injuries to the bytes, or to the values of a text in JSON or YAML, which is then written as JSON."""
    if rng.random() < 0.5:
        return damaged_bytes(data, rng)
    return json.dumps(_damaged_tree(json.loads(_as_json(data)), rng)).encode()


def damaged_request(data: bytes, rng: Generator) -> bytes:
    """As `damaged_json`, of a request with one to four of its constraints: shorter, and more of them can be read."""
    lines = data.splitlines(keepends=True)
    first = next((n for n, line in enumerate(lines) if line.startswith(b"-")), len(lines))
    chosen = rng.permutation(np.arange(first, len(lines)))[: int(rng.integers(1, 5))]
    return damaged_json(b"".join([*lines[:first], *(lines[n] for n in sorted(chosen))]), rng)


@lru_cache(maxsize=4)
def _as_json(data: bytes) -> str:
    return json.dumps(yaml.safe_load(data))


def damaged_glb(data: bytes, rng: Generator) -> bytes:
    """Injuries to the bytes, or to the values of the JSON in a GLB file, whose lengths are then right."""
    if rng.random() < 0.4:
        return damaged_bytes(data, rng)
    size = struct.unpack_from("<I", data, 12)[0]
    text = json.dumps(_damaged_tree(json.loads(data[20 : 20 + size]), rng)).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + size :]
    head = struct.pack("<4sII", b"glTF", 2, 20 + len(text) + len(rest))
    return head + struct.pack("<I4s", len(text), b"JSON") + text + rest


def _damaged_tree(tree: Any, rng: Generator) -> Any:
    for _ in range(int(rng.integers(1, 4))):
        _damage_tree(tree, rng)
    return tree


def model_parts(data: bytes) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays and the description in the bytes of a model file."""
    size = struct.unpack_from("<Q", data)[0]
    head = json.loads(description_of(json.loads(data[8 : 8 + size])["__metadata__"]["motionloom"]))
    kinds = {f"{kind}{8 * size}": f"<{kind.lower()}{size}" for kind in "FIU" for size in (1, 2, 4, 8)} | {"BOOL": "?"}
    arrays = {
        name: np.frombuffer(bytes(entry["data"]), kinds[entry["dtype"]]).reshape(entry["shape"])
        for name, entry in sorted(deserialize(data))  # in another order in each process
    }
    return arrays, head


def model_bytes(arrays: dict[str, np.ndarray], head: dict[str, Any]) -> bytes:
    """A model file with a right checksum, so that damage is found in its contents."""
    head = {key: value for key, value in head.items() if key != "checksum"}
    whole = {"checksum": _checksum(json.dumps(head), arrays)} | head
    return bytes(
        save({k: np.ascontiguousarray(v) for k, v in arrays.items()}, metadata={"motionloom": json.dumps(whole)})
    )


def damaged_model(arrays: dict[str, np.ndarray], head: dict[str, Any], rng: Generator) -> bytes:
    """One or two injuries to the arrays or to the description, with a right checksum."""
    arrays, head = dict(arrays), json.loads(json.dumps(head))
    for _ in range(int(rng.integers(1, 3))):
        if rng.random() < 0.35:
            _damage_tree(head, rng)
        else:
            # half of the time an array of whole numbers: those are indices; arrays of all clips or nodes count as one
            whole = [n for n in arrays if arrays[n].dtype.kind in "iu"]
            groups: dict[str, list[str]] = {}
            for n in whole if whole and rng.random() < 0.5 else arrays:
                groups.setdefault(re.sub(r"\.\d+(?=\.|$)", "", n), []).append(n)
            alike = list(groups.values())[int(rng.integers(len(groups)))]
            name = alike[int(rng.integers(len(alike)))]
            arrays[name] = _damaged_array(arrays[name], rng)
    return model_bytes(arrays, head)


def _damaged_array(array: np.ndarray, rng: Generator) -> np.ndarray:
    choice = rng.random()
    if not array.ndim and choice < 0.3:
        return array[None]
    if array.ndim and (array.size == 0 or choice < 0.15):  # another shape
        shapes = [array[:-1], array[:0], np.concatenate([array, array[:1]]), array[None], array.reshape(-1)]
        return shapes[int(rng.integers(len(shapes)))]
    if choice < 0.2 and array.dtype.kind != "U":  # another dtype
        with np.errstate(all="ignore"):
            return array.astype((np.float32, np.int32, np.int8, np.uint8, np.float64, np.int64)[int(rng.integers(6))])
    out = array.copy().reshape(-1)
    many = slice(None) if rng.random() < 0.1 else rng.integers(out.size, size=int(rng.integers(1, 4)))
    if array.dtype.kind == "b":
        out[many] = ~out[many]
    elif array.dtype.kind == "U":
        out = out.astype("U40")
        out[many] = ["", "../x", "/dev/zero", "a" * 40, "\ud800", "0", "x\0y"][int(rng.integers(7))]
    elif array.dtype.kind == "f":
        if rng.random() < 0.5:  # finite, of any size: what is not finite is rejected early
            with np.errstate(all="ignore"):
                out[many] = out[many] * rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-12, 14)
        else:
            out[many] = [np.nan, np.inf, -1.0, 0.0, 1e300, 1e-300, 1e9, -1e9, 0.5][int(rng.integers(9))]
    else:
        top = np.iinfo(array.dtype).max
        values = [
            -1,
            0,
            1,
            int(out.max()),
            int(out.max()) + 1,
            top,
            -top - 1,
            int(rng.integers(0, 127)),
        ]
        out[many] = np.array(values[int(rng.integers(len(values)))]).astype(array.dtype)
        if rng.random() < 0.2:
            rng.shuffle(out)
    return out.reshape(array.shape)


VALUES = (
    None,
    True,
    -1,
    0,
    1,
    2,
    1e300,
    -1e300,
    1 << 62,
    0.5,
    "",
    "nan",
    "../x",
    [],
    {},
    {"float": "nan"},
    {"tuple": []},
)


def _damage_tree(tree: Any, rng: Generator) -> None:
    """Another value somewhere in a tree of JSON; the entry is chosen by a random descent."""
    while True:
        keys = list(tree) if isinstance(tree, dict) else range(len(tree))
        if not len(keys):
            return
        key = keys[int(rng.integers(len(keys)))]
        below = tree[key]
        if isinstance(below, (dict, list)) and len(below) and rng.random() < 0.9:
            tree = below
            continue
        choice = rng.random()
        if choice < 0.15 and isinstance(tree, dict):
            del tree[key]
        elif choice < 0.3 and isinstance(tree, list):
            tree.append(deepcopy(below))
        elif isinstance(below, (int, float)) and not isinstance(below, bool) and choice < 0.7:
            tree[key] = [below + 1, -below - 1, below * 1000, 0][int(rng.integers(4))]
        else:
            tree[key] = deepcopy(VALUES[int(rng.integers(len(VALUES)))])  # damaged itself later, perhaps
        return
