"""The influence of joints on each other (EDEN 3.3.4), and the order in which the joints of a frame are synthesized."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from motionloom.core import BadRequest, FloatArray, FormatError, Skeleton
from motionloom.core.errors import unknown
from motionloom.core.files import read_regular
from motionloom.core.text import csv_rows
from motionloom.methods.texture.config import Config


def influence_matrix(skeleton: Skeleton, config: Config) -> FloatArray:
    """M (J, J): how much joint l' (column) counts in the choice of joint l (row).

    The inverse of the distance from l to l' through the skeleton: in bones ("hops"), or along the bones in units of the
    mean bone ("bones"); or the same for all pairs. EDEN's inverse is infinite for l = l': `self_weight` stands there.
    """
    if config.influence_file is not None:
        return read_influence(Path(config.influence_file), skeleton)
    count = len(skeleton)
    if config.influence == "constant":
        out = np.full((count, count), config.other_weight)
    else:
        lengths = np.ones(count) if config.influence == "hops" else _bone_lengths(skeleton)
        out = 1.0 / np.maximum(tree_distances(skeleton, lengths), 1e-9)
    np.fill_diagonal(out, config.self_weight)
    return out


def tree_distances(skeleton: Skeleton, lengths: FloatArray) -> FloatArray:
    """(J, J) the length of the path through the skeleton between any two joints; `lengths` (J,) of bones to parents."""
    count = len(skeleton)
    out = np.zeros((count, count))
    for j in range(1, count):  # a parent comes before its children
        out[j, :j] = out[:j, j] = out[skeleton.parents[j], :j] + lengths[j]
    return out


def _bone_lengths(skeleton: Skeleton) -> FloatArray:
    """(J,) the bones to the parents in units of their mean, at least a tenth of it: joints may share a place."""
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    lengths[0] = 0.0
    mean = lengths[1:].mean() if len(lengths) > 1 else 0.0
    return np.maximum(lengths / mean, 0.1) if mean > 0 else np.ones(len(lengths))


def read_influence(path: Path, skeleton: Skeleton) -> FloatArray:
    """M from a CSV: the first row names the joints of the columns, the first column those of the rows.

    All joints must be named once in both; names are those of the skeleton or roles.
    """
    try:
        text = read_regular(path).decode("utf-8-sig")
    except OSError as error:
        raise BadRequest(f"cannot read {str(path)!r}: {error.strerror or error}", where=("influence_file",)) from None
    except UnicodeDecodeError:
        raise FormatError("expected a table of numbers, found something that is not text", path=path) from None
    rows = [(line, row) for line, row in csv_rows(text, path) if "".join(row).strip()]
    if not rows:
        raise FormatError("expected a row with the names of the joints, found nothing", path=path)
    (first, names), numbers = rows[0], rows[1:]
    columns = _joints([(first, name) for name in names[1:]], skeleton, path)
    given = _joints([(line, row[0]) for line, row in numbers], skeleton, path)
    out = np.zeros((len(skeleton), len(skeleton)))
    for joint, (line, row) in zip(given, numbers, strict=True):
        own = skeleton.names[joint]
        if len(row) != len(names):
            wrong = f"expected {len(columns)} numbers for joint {own!r}, found {len(row) - 1}"
            raise FormatError(wrong, path=path, line=line)
        for column, item in zip(columns, row[1:], strict=True):
            out[joint, column] = _weight(item, f"the influence of {skeleton.names[column]!r} on {own!r}", path, line)
    return out


def _joints(names: list[tuple[int, str]], skeleton: Skeleton, path: Path) -> list[int]:
    """The joints of a list of names, with their lines, that has each of them once."""
    out: list[int] = []
    for line, name in names:
        if skeleton.find(name.strip()) is None:
            raise FormatError(unknown(name.strip(), skeleton.names, "joint"), path=path, line=line)
        out.append(skeleton.joint(name.strip()))
        if out[-1] in out[:-1]:
            raise FormatError(f"expected each joint once, found {name.strip()!r} twice", path=path, line=line)
    missing = [n for j, n in enumerate(skeleton.names) if j not in out]
    if missing:
        wrong = f"expected each of {len(skeleton)} joints once, but {missing[0]!r} is missing"
        raise FormatError(wrong, path=path, line=names[-1][0] if names else None)
    return out


def _weight(item: str, what: str, path: Path, line: int) -> float:
    try:
        value = float(item)
    except ValueError:
        value = float("nan")
    if not (np.isfinite(value) and value >= 0):
        found = item.strip()[:40]
        raise FormatError(f"expected a number of 0 or more for {what}, found {found!r}", path=path, line=line)
    return value
