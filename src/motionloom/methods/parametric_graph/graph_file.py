"""Read a graph from a TOML file: clips or samples for each node, and the edges that are wanted."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from motionloom.core import BadRequest, Clip, FormatError, replace
from motionloom.core.errors import unknown
from motionloom.core.fields import fields_of
from motionloom.core.units import length
from motionloom.methods.parametric_graph.config import Config
from motionloom.methods.parametric_graph.nodes import KEYS, NodeSpec
from motionloom.samples import SAMPLES, make

TOP = ("nodes", "edges", "settings")
NODE = (*KEYS, "samples")
EDGE = ("from", "to", "good", "bad")


class GraphFile(NamedTuple):
    """What a graph file asks for."""

    patterns: tuple[Path, ...]  # files and folders of clips
    made: tuple[Clip, ...]  # clips of samples
    config: Mapping[str, Any]  # settings of learning


def read_graph_file(path: str | Path) -> GraphFile:
    """The clips and settings of a graph file; `FormatError` or `BadRequest` that names what is wrong.

    ```toml
    [nodes.walk]
    clips = ["walks/*.bvh"]                     # relative to this file
    parameter = ["turn"]

    [nodes.run]
    samples = [{name = "run", turn = ["-60deg/s", "0deg/s", "60deg/s"], seconds = 4}]

    [[edges]]                                   # without any edges, all are tried
    from = "walk"
    to = "run"
    good = "12cm"
    ```
    """
    path = Path(path)
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: not a TOML file: {error}") from None
    for key in given:
        if key not in TOP:
            raise BadRequest(f"{path.name}: {unknown(key, TOP, 'table')}")
    nodes = given.get("nodes")
    if not isinstance(nodes, dict) or not nodes:
        raise BadRequest(f"{path.name}: expected nodes, as in `[nodes.walk]`, found none")
    patterns: dict[Path, None] = {}
    made: list[Clip] = []
    lines = []
    for name, table in nodes.items():
        where = f"{path.name}: node {name}"
        for key in table:
            if key not in NODE:
                raise BadRequest(f"{where}: {unknown(key, NODE, 'key')}")
        own = [_inside(path.parent, str(p), where) for p in _several(table.get("clips", ()))]
        patterns |= dict.fromkeys(own)
        samples = _sampled(name, table.get("samples", ()), where)
        made += samples
        if not own and not samples and "label" not in table:
            raise BadRequest(f"{where}: expected clips, samples or a label")
        lines.append(_spec(name, table, own, samples).text)
    edges = [_edge(edge, nodes, path.name) for edge in given.get("edges", ())]
    settings = dict(given.get("settings", {}))
    known = [f.name for f in fields_of(Config)]
    for key in settings:
        if key not in known or key in ("node", "edge"):
            raise BadRequest(f"{path.name}: settings: {unknown(key, known, 'setting')}")
    return GraphFile(tuple(patterns), tuple(made), {**settings, "node": lines, "edge": edges})


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _inside(folder: Path, pattern: str, where: str) -> Path:
    found = (folder / pattern).resolve()
    if not found.is_relative_to(folder.resolve()):
        raise BadRequest(f"{where}: {pattern!r} leads out of the folder of the graph file")
    if not list(folder.glob(pattern)):
        raise BadRequest(f"{where}: there is no file {pattern!r}")
    return folder / pattern


def _sampled(node: str, given: Any, where: str) -> list[Clip]:
    """The clips of a list of samples; a list of values makes a clip for each of them."""
    out: list[Clip] = []
    for entry in _several(given):
        if not isinstance(entry, dict) or "name" not in entry:
            raise BadRequest(f'{where}: expected samples as {{name = "walk", turn = "40deg/s"}}, found {entry!r}')
        name, seed = entry["name"], entry.get("seed", 0)
        if name not in SAMPLES:
            raise BadRequest(f"{where}: {unknown(name, SAMPLES, 'sample')}")
        fields = SAMPLES[name].parameters
        rest = {k: v for k, v in entry.items() if k not in ("name", "seed")}
        for key in rest:
            if key not in fields:
                raise BadRequest(f"{where}: {unknown(key, fields, f'{name} parameter')}")
        choices = []
        for key, value in rest.items():
            single = not isinstance(value, list) or ((fields[key].size or 1) > 1 and not isinstance(value[0], list))
            choices.append([fields[key].read(v, (key,)) for v in ([value] if single else value)])
        for values in product(*choices):
            clip = make(name, seed=seed, **dict(zip(rest, values, strict=True)))
            out.append(replace(clip, origin=dataclasses.replace(clip.origin, name=f"{node}_{len(out)}")))
    return out


def _spec(name: str, table: Mapping[str, Any], own: list[Path], samples: list[Clip]) -> NodeSpec:
    patterns = [p.name if not p.is_dir() else "*" for p in own]
    if any(p.is_dir() for p in own):
        patterns = [f.name for p in own for f in sorted(p.iterdir() if p.is_dir() else [p])]
    if samples:
        patterns.append(f"{name}_*")
    given: dict[str, Any] = {k: table[k] for k in KEYS if k in table and k not in ("clips", "parameter")}
    return NodeSpec(name, tuple(patterns), parameter=tuple(_several(table.get("parameter", ()))), **given)


def _edge(edge: Any, nodes: Mapping[str, Any], file: str) -> str:
    for key in edge:
        if key not in EDGE:
            raise BadRequest(f"{file}: edges: {unknown(key, EDGE, 'key')}")
    for key in ("from", "to"):
        if edge.get(key) not in nodes:
            raise BadRequest(f"{file}: edges: {key}: {unknown(edge.get(key), nodes, 'node')}")
    limits = [f"{key}={length(edge[key], ('edges', key)):g}" for key in ("good", "bad") if key in edge]
    return " ".join([f"{edge['from']}>{edge['to']}", *limits])
