"""Model files: one `.loom` file for every method, a safetensors file without code.

Arrays are tensors. Everything else is JSON in the metadata, compressed by zlib, in base64 (plain before format 3
and above 8 MB): format version, method, config, fps, skeleton, sources with their SHA-256, and the model's own fields,
which refer to the tensors. `packing.py` converts dataclasses to both.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import tempfile
import zlib
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from motionloom.core import BadRequest, FormatError, Made, Note, UInt8Array
from motionloom.core.files import open_regular
from motionloom.core.note import as_dicts
from motionloom.core.recipe import Input
from motionloom.core.text import read_json
from motionloom.io.atomic_files import check_place, write_whole
from motionloom.io.digest import start_sha256
from motionloom.methods.base import Learned, Model
from motionloom.methods.packing import Packer, Unpacker
from motionloom.methods.table import METHODS

FORMAT = 3  # increased when older versions cannot read the file any more
OLDEST = 2  # that is read
LARGEST_DESCRIPTION = 2**23  # bytes of JSON that are written packed; more are read only from a file of their size
COMMON = tuple(f.name for f in fields(Model) if f.name != "measured")
PLAIN = ("fps", "sources", "notes", "made", "file")  # written as plain JSON, or not at all

M = TypeVar("M", bound=Model[Any])


def save_model(model: Model[Any], path: str | Path) -> None:
    """Write a model to one file, atomically. The same model gives the same bytes."""
    write_whole(path, [_serialised(model)])  # one entry: safetensors does not keep the order


def packed_model(model: Model[Any]) -> UInt8Array:
    """(B,) the bytes of the model's file: an array, so that another model can contain it."""
    return np.frombuffer(_serialised(model), np.uint8)


def unpacked_model(packed: UInt8Array, method: str) -> Model[Any]:
    """The model of `packed_model`; `FormatError` as `load_model` raises it, or if it is of another method."""
    with tempfile.TemporaryDirectory(prefix="motionloom_model_") as folder:
        path = Path(folder) / "inner.loom"
        path.write_bytes(np.asarray(packed, np.uint8).tobytes())
        if (found := model_facts(path)["method"]) != method:
            raise FormatError(f"expected a model of {method}, found one of {found}")
        return load_model(path)


def _serialised(model: Model[Any]) -> bytes:
    from safetensors.numpy import save

    packer = Packer()
    packed = [f.name for f in fields(model) if f.name not in PLAIN]
    values = {name: packer.pack(getattr(model, name), name) for name in packed}
    head = {
        "format": FORMAT,
        "method": model.method,
        "fps": model.fps,
        "sources": [_written(source) for source in model.sources],
        "notes": as_dicts(model.notes),
        "made": [step.as_dict() for step in model.made],
        "config": values["config"],
        "skeleton": values["skeleton"],
        "model": {name: value for name, value in values.items() if name not in COMMON},
    }
    head = read_json(json.dumps(head).encode())  # names of files may contain halves of characters
    text = json.dumps(head, allow_nan=False)  # in order: an object is defined before it is referred to
    whole = json.dumps({"checksum": _checksum(text, packer.tensors)} | head, allow_nan=False, separators=(",", ":"))
    if len(whole) <= LARGEST_DESCRIPTION:
        whole = base64.b64encode(zlib.compress(whole.encode(), 9)).decode()
    return save(packer.tensors, metadata={"motionloom": whole})


def description_of(stored: str, limit: int = LARGEST_DESCRIPTION) -> str:
    """The JSON of a model file from its metadata; `ValueError` if it is damaged, or packed and above the limit."""
    if stored.startswith("{"):
        return stored
    try:
        packed, expander = base64.b64decode(stored, validate=True), zlib.decompressobj()
        text = expander.decompress(packed, limit)
    except (binascii.Error, zlib.error) as error:
        raise ValueError(str(error)) from None
    if expander.unconsumed_tail or not expander.eof:
        raise ValueError("cut off, or too large")
    return text.decode()


def check_model_target(path: str | Path) -> None:
    """Raise what `save_model` would raise for this name, and `BadRequest` if a file there is not a model."""
    check_place(path)
    if Path(path).exists():
        try:
            model_facts(path)
        except FormatError:
            raise BadRequest(f"{path} exists and is not a model: choose another name, as walks.loom") from None


def load_model_of(kind: type[M], path: str | Path, expected: str = "") -> M:
    """Read a model of one class; `BadRequest`, which names the `expected` methods, if it is of another."""
    model = load_model(path)
    if not isinstance(model, kind):
        name = Path(path).name
        raise BadRequest(f"{name}: expected a model of {expected or kind.method}, found one of {model.method}")
    return model


def load_model(path: str | Path) -> Model[Any]:
    """Read a model. `FormatError` if the file is not a model, is damaged, or was written by a later version."""
    digest = start_sha256(path)
    head, tensors = _open(path)
    try:
        method = head["method"]
        model_class = _model_class(method, path)
        unpacker = Unpacker(tensors)
        names = [
            f.name
            for f in fields(model_class)
            if f.name not in COMMON and (f.name != "measured" or f.name in head["model"])
        ]
        if missing := [name for name in names if name not in head["model"]]:
            why = f"has no {missing[0]}: written by another motionloom; learn it again"
            raise FormatError(why, path=path)
        own = {name: head["model"][name] for name in names}
        packed = {"skeleton": head["skeleton"], "config": head["config"]} | own
        hints = unpacker.hints(model_class) | {"config": _module(method).Config}
        values = {name: unpacker.unpack(value, hints[name], name) for name, value in packed.items()}
        sources = tuple(_learned(source) for source in head["sources"])
        notes, made = tuple(Note(**note) for note in head["notes"]), tuple(Made(**step) for step in head["made"])
        file = Input(Path(path).name, digest())
        return model_class(**values, fps=head["fps"], sources=sources, notes=notes, made=made, file=file)
    except FormatError:
        raise
    except Exception as error:  # any error caused by a damaged or hostile header
        raise FormatError(f"invalid model: {type(error).__name__}: {str(error)[:300]}", path=path) from error


def _written(source: Learned) -> dict[str, Any]:
    """A source for the header, without the fields that have their default."""
    return {name: value for name, value in source._asdict().items() if value != Learned._field_defaults.get(name)}


def _learned(facts: dict[str, Any]) -> Learned:
    """A source from the header, whose fields have the types of `Learned`."""
    source = Learned(**facts)
    for name, value, example in zip(Learned._fields, source, Learned("", 0, ""), strict=True):
        if not isinstance(value, (int, float) if isinstance(example, float) else type(example)):
            raise FormatError(f"sources: {name} is not {type(example).__name__}, found {type(value).__name__}")
    return source


def model_facts(path: str | Path) -> dict[str, Any]:
    """The header of a model file, without its arrays: method, fps, sources, notes."""
    head, _ = _open(path, arrays=False)
    facts = {name: head.get(name) for name in ("format", "method", "fps", "sources", "notes")}
    try:
        return facts | {"sources": [_learned(source)._asdict() for source in head["sources"]]}
    except (TypeError, KeyError) as error:
        raise FormatError(f"invalid model: sources: {error}", path=path) from None


def _open(path: str | Path, *, arrays: bool = True) -> tuple[dict[str, Any], dict[str, Any]]:
    from safetensors import SafetensorError, safe_open

    try:
        with open_regular(path) as file:
            start, size = file.read(64), os.fstat(file.fileno()).st_size
        with safe_open(str(path), framework="numpy") as opened:
            facts = opened.metadata() or {}
            tensors = {name: opened.get_tensor(name) for name in opened.keys()} if arrays else {}  # noqa: SIM118
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path=path) from None
    except (SafetensorError, ValueError, KeyError, OverflowError):
        raise FormatError(f"not a model file, or a damaged one{_guess(start)}", path=path) from None
    if "motionloom" not in facts:
        raise FormatError("a safetensors file, but not a motionloom model", path=path)
    try:
        head = read_json(description_of(facts["motionloom"], max(LARGEST_DESCRIPTION, size)).encode("utf-8", "replace"))
        version, checksum = head["format"], head.pop("checksum")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FormatError("damaged: its description cannot be read", path=path) from None
    if not isinstance(version, int) or version > FORMAT:
        raise FormatError(
            f"written by a later motionloom (format {version}; this one reads up to {FORMAT}): update motionloom",
            path=path,
        )
    if version < OLDEST:
        raise FormatError(
            f"written by an earlier motionloom (format {version}; this one reads {OLDEST} to {FORMAT}): learn it again",
            path=path,
        )
    if arrays and checksum != _checksum(json.dumps(head, allow_nan=False), tensors):
        raise FormatError("damaged: its checksum does not match its contents; copy or learn it again", path=path)
    return head, tensors


def _checksum(text: str, tensors: dict[str, Any]) -> str:
    total = zlib.crc32(text.encode())
    for name in sorted(tensors):
        array = np.ascontiguousarray(tensors[name])
        total = zlib.crc32(f"{name}{array.dtype.str}{array.shape}".encode(), total)
        total = zlib.crc32(array.data.cast("B") if array.size else b"", total)
    return f"crc32:{total:08x}"


def _guess(start: bytes) -> str:
    if start.lstrip()[:9].upper() == b"HIERARCHY":
        return " (this is a BVH clip: learn from it first)"
    return " (it is empty)" if not start else ""


def _module(method: str) -> Any:
    return METHODS[method].module()


def _model_class(method: str, path: str | Path) -> type[Model[Any]]:
    if method not in METHODS:
        raise FormatError(f"unknown method {method!r}; known: {', '.join(METHODS)}", path=path)
    found: type[Model[Any]] = _module(method).MODEL
    return found
