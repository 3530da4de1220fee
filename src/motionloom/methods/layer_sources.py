"""Sources of characters with layers: joints that a layer changes become body parts with sources of their own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from motionloom.core import Skeleton, Source
from motionloom.core.origin import BODY
from motionloom.core.poses import BodyPart, Sources, named_parts
from motionloom.methods.live import FrameSources, Layer, State


@runtime_checkable
class SourcedLayer(Protocol):
    """A layer whose poses come from clips of its own: the action of a splice, the takes of a gaze map."""

    @property
    def joints(self) -> tuple[int, ...]: ...  # that it may change

    @property
    def parts(self) -> tuple[str, str]: ...  # names of all other joints and of these, where the body is one part below

    @property
    def clips(self) -> tuple[Source, ...]: ...  # its captured clips

    def sources(self, state: State) -> Sources: ...  # (N, 1, K) of its joints; weights sum to its share in the poses


class Split(NamedTuple):
    """Body parts after a layer, the part below that each was, and whether the layer may change it."""

    parts: tuple[BodyPart, ...]
    below: tuple[int, ...]
    changed: tuple[bool, ...]


def layered_material(below: FrameSources, layers: Sequence[Layer]) -> FrameSources:
    """The captured clips below and those of layers; those below keep their numbers."""
    own = [clip for layer in layers if isinstance(layer, SourcedLayer) for clip in layer.clips]
    return below._replace(table=tuple(dict.fromkeys([*below.table, *own])))


def layered_sources(
    below: Sources, material: FrameSources, layers: Sequence[Layer], states: Sequence[State], skeleton: Skeleton
) -> Sources:
    """The sources of characters with layers: joints that a layer takes from clips of its own are parts of their own.

    `material` is that of all (see `layered_material`).
    """
    found = below._replace(body_parts=named_parts(below, skeleton))
    for layer, state in zip(layers, states, strict=True):
        if isinstance(layer, SourcedLayer):
            found = _credited(found, material.table, layer, state)
    return found


def _credited(below: Sources, table: tuple[Source, ...], layer: SourcedLayer, state: State) -> Sources:
    """The sources with one more layer."""
    split = split_parts(below.body_parts, layer.joints, layer.parts)
    own, rows = layer.sources(state), list(split.below)
    index = np.array([*(table.index(source) for source in layer.clips), -1])
    changed = np.array(split.changed)[None, :, None]
    share = np.where(changed, own.weights, 0.0)
    kept = below.weights[:, rows] * (1.0 - share.sum(2, keepdims=True))
    which = np.concatenate([below.which[:, rows], np.where(changed, index[own.which], -1)], 2)
    frames = np.concatenate([below.frames[:, rows], np.broadcast_to(own.frames, share.shape)], 2)
    weights = np.where(which >= 0, np.concatenate([kept, share], 2), 0.0)
    total = weights.sum(2, keepdims=True)  # less than 1 where a source is not known
    weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return Sources(np.where(weights > 0, which, -1), frames, weights, split.parts)


@lru_cache(maxsize=64)
def split_parts(parts: tuple[BodyPart, ...], joints: tuple[int, ...], names: tuple[str, str]) -> Split:
    """The body parts with a layer that changes `joints`: every part that it changes only partly is split in two.

    >>> split_parts((BodyPart("body", (0, 1, 2)),), (2,), ("lower", "upper")).parts
    (BodyPart(name='lower', joints=(0, 1)), BodyPart(name='upper', joints=(2,)))
    """
    out: list[tuple[BodyPart, int, bool]] = []
    for i, part in enumerate(parts):
        inside = tuple(j for j in part.joints if j in joints)
        outside = tuple(j for j in part.joints if j not in joints)
        if outside:
            rest = names[0] if inside and part.name == BODY[0] else part.name
            out.append((BodyPart(rest, outside), i, False))
        if inside:
            out.append((BodyPart(names[1] if outside else part.name, inside), i, True))
    found, below, changed = zip(*out, strict=True)
    return Split(found, below, changed)
