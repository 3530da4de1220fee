"""Read a graph from a TOML file: clips or samples for each node, and the edges that are wanted."""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Mapping
from glob import escape
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from motionloom.core import BadRequest, Clip, replace
from motionloom.core.errors import unknown
from motionloom.core.fields import fields_of
from motionloom.core.text import read_toml
from motionloom.core.units import length
from motionloom.methods.parametric_graph.config import Config
from motionloom.methods.parametric_graph.node_specs import KEYS, LAYER_KEYS, NodeSpec
from motionloom.samples import SAMPLES, make

TOP = ("nodes", "edges", "settings", "models")
NODE = (*KEYS, "samples", *LAYER_KEYS)
MODELS = ("gaze", "variation")
EDGE = ("from", "to", "good", "bad")
OUTSIDE = (
    "leads out of the folder of the graph file: put the file into a folder above the clips, or copy them into its own"
)
MOST_PATTERNS = 10_000  # of clips in a file
MOST_SAMPLES, MOST_SECONDS = 1000, 900.0  # clips that the samples of a file may make, and their length


class GraphFile(NamedTuple):
    """What a graph file asks for."""

    patterns: tuple[Path, ...]  # files and folders of clips
    made: tuple[Clip, ...]  # clips of samples
    config: Mapping[str, Any]  # settings of learning
    models: Mapping[str, Path]  # files of the gaze map and of the variation of layered nodes
    folder: Path  # of the file

    def named(self, clip: Clip, path: Path) -> Clip:
        """The clip of a file under its path below the graph file, by which nodes find it."""
        return replace(clip, origin=clip.origin.named(path.relative_to(self.folder).as_posix()))


def read_graph_file(path: str | Path) -> GraphFile:
    """The clips and settings of a graph file; `FormatError` or `BadRequest` that names what is wrong.

    ```toml
    [nodes.walk]
    clips = ["walks/*.bvh"]                     # relative to this file
    parameter = ["turn"]

    [nodes.run]
    samples = [{name = "run", turn = ["-60deg/s", "0deg/s", "60deg/s"], seconds = 4}]

    [nodes.carry]                               # the walk with an action on top
    of = "walk"
    overlay = {name = "carry", seconds = 6}     # or a file

    [models]
    gaze = "me.loom"                            # of all nodes, but for those with `gaze = false`

    [[edges]]                                   # without any edges, all are tried
    from = "walk"
    to = "run"
    good = "12cm"
    ```
    """
    path = Path(path)
    given = read_toml(path)
    for key in given:
        if key not in TOP:
            raise BadRequest(f"{path.name}: {unknown(key, TOP, 'table')}")
    nodes = given.get("nodes")
    if not isinstance(nodes, dict) or not nodes:
        raise BadRequest(f"{path.name}: expected nodes, as in `[nodes.walk]`, found none")
    patterns: dict[Path, None] = {}
    made: list[Clip] = []
    lines = []
    bases = {name for name, table in nodes.items() if isinstance(table, dict) and "of" not in table}
    if sum(len(_several(t.get("clips", ()))) for t in nodes.values() if isinstance(t, dict)) > MOST_PATTERNS:
        raise BadRequest(f"{path.name}: expected at most {MOST_PATTERNS} patterns of clips")
    for name, table in nodes.items():
        where = f"{path.name}: node {name[:80]}"
        _check_keys(table, NODE, where)
        own = [_inside(path.parent, str(p), where) for p in _several(table.get("clips", ()))]
        patterns |= dict.fromkeys(own)
        samples = _sampled(name, table.get("samples", ()), where, made)
        made += samples
        if not own and not samples and "label" not in table and "of" not in table:
            raise BadRequest(f"{where}: expected clips, samples, a label or another node (of)")
        layers = _layers(table, bases, where)
        if isinstance(action := table.get("overlay"), str):
            file = _inside(path.parent, action, where)
            patterns[file] = None
            layers["overlay"] = file.relative_to(path.parent).as_posix()
        elif action is not None:
            made += (acted := _sampled(f"{name}_action", action, where, made))
            if len(acted) != 1:
                raise BadRequest(f"{where}: overlay: expected one action, found {len(acted)}")
            layers["overlay"] = acted[0].name
        lines.append(_spec(name, table, own, samples, where, path.parent)._replace(**layers).text)
    edges = [_edge(edge, nodes, path.name) for edge in _several(given.get("edges", ()))]
    if twice := [pair for pair, n in Counter(line.split()[0] for line in edges).items() if n > 1]:
        raise BadRequest(f"{path.name}: edges: {twice[0]} is given more than once")
    settings = given.get("settings", {})
    if not isinstance(settings, dict):
        raise BadRequest(f"{path.name}: settings: expected a table")
    known = [f.name for f in fields_of(Config) if f.name not in ("node", "edge")]
    for key in settings:
        if key not in known:
            raise BadRequest(f"{path.name}: settings: {unknown(key, known, 'setting')}")
    models = given.get("models", {})
    _check_keys(models, MODELS, f"{path.name}: models")
    files = {key: _inside(path.parent, str(name), f"{path.name}: models") for key, name in models.items()}
    return GraphFile(tuple(patterns), tuple(made), {**settings, "node": lines, "edge": edges}, files, path.parent)


def _layers(table: Mapping[str, Any], bases: set[str], where: str) -> dict[str, Any]:
    """The layers of a node, without its action; `bases` are the nodes with motions of their own."""
    found = {key: table[key] for key in ("of", "gaze", "variation") if key in table}
    if "of" in found:
        if str(found["of"]) not in bases:
            raise BadRequest(f"{where}: of: {unknown(found['of'], sorted(bases), 'node with motions of its own')}")
        if others := [key for key in (*KEYS, "samples") if key in table]:
            raise BadRequest(f"{where}: it has the motions of {found['of']}, so {others[0]} cannot be given")
    for key in ("gaze", "variation"):
        if not isinstance(found.get(key, True), bool):
            raise BadRequest(f"{where}: {key}: expected true or false, found {found[key]!r}")
    return found


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _check_keys(table: Any, known: tuple[str, ...], where: str) -> None:
    if not isinstance(table, dict):
        raise BadRequest(f"{where}: expected a table, found {repr(table)[:60]}")
    for key in table:
        if key not in known:
            raise BadRequest(f"{where}: {unknown(key, known, 'key')}")


def _inside(folder: Path, pattern: str, where: str) -> Path:
    """The pattern below the folder; all files that it finds are inside, links followed."""
    try:
        if ".." in Path(pattern).parts or Path(pattern).is_absolute():  # before anything outside is searched
            raise BadRequest(f"{where}: {pattern[:80]!r} {OUTSIDE}")
        if pattern.count("**") > 1:  # time grows with the power of their number
            raise BadRequest(f"{where}: {pattern[:80]!r}: expected ** once")
        found = [folder / pattern, *folder.glob(pattern)]
        below = [file for path in found[1:] if path.is_dir() for file in path.rglob("*")]
        inside = all(path.resolve().is_relative_to(folder.resolve()) for path in (*found, *below))
    except (OSError, ValueError, IndexError, RuntimeError, NotImplementedError):  # absolute, empty, with a NUL ...
        raise BadRequest(f"{where}: {pattern[:80]!r} is no pattern of files in the folder of the graph file") from None
    if not inside:
        raise BadRequest(f"{where}: {pattern!r} {OUTSIDE}")
    if len(found) == 1:
        raise BadRequest(f"{where}: there is no file {pattern!r}")
    return folder / pattern


def _sampled(node: str, given: Any, where: str, before: list[Clip]) -> list[Clip]:
    """The clips of a list of samples; a list of values makes a clip for each. With those before, within the limits."""
    out: list[Clip] = []
    seconds = sum(clip.seconds for clip in before)
    for entry in _several(given):
        if not isinstance(entry, dict) or "name" not in entry:
            found = repr(entry)[:60]
            raise BadRequest(f'{where}: expected samples as {{name = "walk", turn = "40deg/s"}}, found {found}')
        name, seed = entry["name"], entry.get("seed", 0)
        if not isinstance(name, str) or name not in SAMPLES:
            raise BadRequest(f"{where}: {unknown(str(name), SAMPLES, 'sample')}")
        if type(seed) is not int or not 0 <= seed < 1 << 63:
            raise BadRequest(f"{where}: seed: expected a whole number from 0, found {repr(seed)[:60]}")
        fields = SAMPLES[name].parameters
        rest = {k: v for k, v in entry.items() if k not in ("name", "seed")}
        for key in rest:
            if key not in fields:
                raise BadRequest(f"{where}: {unknown(key, fields, f'{name} parameter')}")
        choices = []
        for key, value in rest.items():
            several = isinstance(value, list) and value and ((fields[key].size or 1) == 1 or isinstance(value[0], list))
            choices.append([fields[key].read(v, (key,)) for v in (value if several else [value])])
        if len(before) + len(out) + prod(map(len, choices)) > MOST_SAMPLES:
            raise BadRequest(f"{where}: samples: expected at most {MOST_SAMPLES} clips in the whole file")
        for values in product(*choices):
            clip = make(name, seed=seed, **dict(zip(rest, values, strict=True)))
            seconds += clip.seconds
            if seconds > MOST_SECONDS:
                raise BadRequest(f"{where}: samples: expected at most {MOST_SECONDS:g} s in the whole file")
            out.append(replace(clip, origin=dataclasses.replace(clip.origin, name=f"{node}_{len(out)}")))
    return out


def _spec(
    name: str, table: Mapping[str, Any], own: list[Path], samples: list[Clip], where: str, home: Path
) -> NodeSpec:
    given: dict[str, Any] = {k: table[k] for k in KEYS if k in table and k not in ("clips", "parameter", "scale")}
    parameter = tuple(_several(table.get("parameter", ())))
    for key, value in (*given.items(), *(("parameter", p) for p in parameter)):
        if key not in ("before", "after") and (not isinstance(value, str) or not value or re.search(r"[\s|]", value)):
            raise BadRequest(f"{where}: {key}: expected a name without spaces, found {repr(value)[:60]}")
    if re.search(r"\s", name):
        raise BadRequest(f"{where}: expected a name without spaces")
    files = [escape(f.relative_to(home).as_posix()) for p in own if p.is_dir() for f in sorted(p.rglob("*"))]
    files += [p.relative_to(home).as_posix() for p in own if not p.is_dir()]
    patterns = [re.sub(r"[\s|]", "?", file) for file in files]  # spaces separate the words of a line
    if samples:
        patterns.append(f"{name}_*")
    scale = tuple(str(number) for number in _several(table.get("scale", ())))
    return NodeSpec(name, tuple(patterns), parameter=parameter, scale=scale, **given)


def _edge(edge: Any, nodes: Mapping[str, Any], file: str) -> str:
    _check_keys(edge, EDGE, f"{file}: edges")
    for key in ("from", "to"):
        if (name := str(edge.get(key))) not in nodes:
            raise BadRequest(f"{file}: edges: {key}: {unknown(name, nodes, 'node')}")
    name = f"{file}: edge {edge['from']} > {edge['to']}"
    try:
        limits = {key: length(edge[key], (key,)) for key in ("good", "bad") if key in edge}
    except BadRequest as error:
        raise BadRequest(f"{name}: {error}") from None
    if limits.get("bad", math.inf) < limits.get("good", 0.0):
        good, bad = limits["good"], limits["bad"]
        raise BadRequest(f"{name}: bad: expected at least the limit of good transitions, {good:g} m, found {bad:g} m")
    return " ".join([f"{edge['from']}>{edge['to']}", *(f"{key}={value:g}" for key, value in limits.items())])
