"""Lines that describe nodes: their clips, parameters and layers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fnmatch import fnmatch
from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, is_found
from motionloom.core.errors import unknown

KEYS = ("clips", "label", "parameter", "cut", "mirror", "before", "after", "registration", "scale")
LAYER_KEYS = ("of", "overlay", "gaze", "variation")
MIRROR = ("none", "cycles", "all")
MOST_SECONDS = 3600.0  # before and after a label


class NodeSpec(NamedTuple):
    """How a node is made: a line of `Config.node`, "walk clips=walk*|stroll* parameter=turn cut=cycles"."""

    name: str
    clips: tuple[str, ...] = ()  # patterns of names
    label: str = ""  # clips that have this label throughout; with neither, the node's name is the label
    parameter: tuple[str, ...] = ()
    cut: str = "auto"
    mirror: str = "cycles"
    before: float = 0.6
    after: float = 0.6
    registration: str = "auto"
    scale: tuple[str, ...] = ()  # units of the parameters in which distances count, in their ranges; none: 1
    of: str = ""  # the node whose motions it has, with other layers
    overlay: str = ""  # name of the clip with an action that is put on top
    gaze: bool = True  # whether the graph's gaze map is used, if it has one
    variation: bool = True  # whether the graph's variation is added, if it has one

    @property
    def text(self) -> str:
        """The line that `parse_node` reads."""
        out = [self.name]
        for key, value in self._asdict().items():
            if key != "name" and value != NodeSpec._field_defaults[key]:
                shown = "|".join(value) if isinstance(value, tuple) else "no" if value is False else value
                out.append(f"{key}={shown}")
        return " ".join(out)


def parse_node(text: str) -> NodeSpec:
    """A line of `Config.node`; `BadRequest` for an unknown key."""
    name, *rest = text.split() or [""]
    given: dict[str, object] = {}
    for part in rest:
        key, equals, value = part.partition("=")
        if not equals or key not in (*KEYS, *LAYER_KEYS):
            known = unknown(key, (*KEYS, *LAYER_KEYS), "key")
            raise BadRequest(f"node {name}: {known}; as in `walk clips=walk* parameter=turn`")
        if key in ("clips", "parameter", "scale"):
            given[key] = tuple((value if key == "clips" else value.replace("+", "|")).split("|"))
        elif key in ("before", "after"):
            given[key] = _number(value, f"node {name}: {key}", "seconds", 0.0, MOST_SECONDS)
        elif key in ("gaze", "variation"):
            if value not in ("yes", "no"):
                raise BadRequest(f"node {name}: {key}: expected yes or no, found {value!r}")
            given[key] = value == "yes"
        elif key == "mirror" and value not in MIRROR:
            raise BadRequest(f"node {name}: {unknown(value, MIRROR, 'kind of mirroring')}")
        else:
            given[key] = value
    if not re.fullmatch(r"[^=>|*?]+", name):
        raise BadRequest(f"expected the name of a node first, without = > | * and ?, found {text[:80]!r}")
    return NodeSpec(name, **given)  # type: ignore[arg-type]


def _number(value: str, where: str, kind: str, low: float, high: float) -> float:
    try:
        found = float(value)
    except ValueError:
        found = math.nan
    if not low <= found <= high:
        raise BadRequest(f"{where}: expected {kind} from {low:g} to {high:g}, found {value!r}")
    return found


def scale_of(spec: NodeSpec, size: int) -> FloatArray:
    """(size,) how much larger than its range the unit of each parameter is in which distances count."""
    if not spec.scale:
        return np.ones(size)
    where = f"node {spec.name}: scale"
    if len(spec.scale) != size:
        raise BadRequest(f"{where}: expected {size} number{'s' * (size > 1)}, found {len(spec.scale)}")
    return np.array([_number(value, where, "numbers", 0.01, 100.0) for value in spec.scale])


def default_nodes(clips: Sequence[Clip]) -> tuple[NodeSpec, ...]:
    """One node for each label that covers a clip, in order; the first such label of each clip counts."""
    names: dict[str, None] = {}
    for clip in clips:
        own = [n for n in clip.label_names if not is_found(n) and clip.label(n).all()]
        names[own[0] if own else "motion"] = None
    return tuple(NodeSpec(name) for name in names)


def matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether a file is found by a pattern, both given by folders and name; one that finds a folder finds its files."""
    if not pattern:
        return True
    if pattern[0] == "**" and matches(parts, pattern[1:]):
        return True
    rest = pattern if pattern[0] == "**" else pattern[1:]
    return bool(parts) and fnmatch(parts[0], pattern[0]) and matches(parts[1:], rest)


def clips_of(spec: NodeSpec, clips: Sequence[Clip]) -> list[Clip]:
    """The clips of a node; `BadRequest` if there are none."""
    if spec.clips:
        patterns = [pattern.split("/") for pattern in spec.clips]
        found = [c for c in clips if any(matches(c.name.split("/"), pattern) for pattern in patterns)]
        if not found:  # clips that a program read have names without folders
            found = [c for c in clips if any(fnmatch(c.name, pattern[-1]) for pattern in patterns)]
        if not found:
            names = ", ".join(c.name for c in clips)
            raise BadRequest(f"node {spec.name}: no clip is named like {', '.join(spec.clips)}; clips: {names}")
        return found
    label = spec.label or spec.name
    found = [c for c in clips if label in c.label_names and c.label(label).all()]
    if not found and spec.name == "motion":
        found = list(clips)
    if not found:
        known = sorted({n for c in clips for n in c.label_names if not is_found(n)})
        raise BadRequest(f"node {spec.name}: no clip has the label {label!r}; labels: {', '.join(known) or 'none'}")
    return found
