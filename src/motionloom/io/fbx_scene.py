"""The scene of an FBX file, read by a job in a process of its own that is not used again.

ufbx 0.0.5 frees objects that it still points to, so a process that has used it may crash at any later time (seen: in
the garbage collector). This process keeps everything, collects nothing, and ends without tidying up.
"""

from __future__ import annotations

import gc
from typing import Any, NamedTuple

import numpy as np

from motionloom.core.files import read_regular
from motionloom.core.limits import MAX_DEPTH, Limits
from motionloom.io.reader_notes import Notes

MAX_VALUES = 5_000_000  # nodes times frames
_kept: list[Any] = []  # everything that ufbx has handed out, as it may look at it again


class FbxNode(NamedTuple):
    """One node of the scene."""

    name: str
    parent: int
    bone: bool
    rest: tuple[float, ...]  # translation, rotation (w x y z) and scale without any take
    handle: Any  # for ufbx


def read_scene(path: str, turned: bool, fps: float | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays: parents (N,) and local translation, rotation, scale at rest (N, 10) and over time (F, N, 10).

    Nodes are those that place the joints, from the scene's root to the last joint, parents first; the facts are their
    names, how many come before the first joint, rate, unit, up axis and notes.
    """
    gc.disable()
    import ufbx

    notes = Notes(path)
    scene = _open(path, ufbx, notes, turned=turned)
    settings = scene.settings
    _kept.extend((scene, settings))
    nodes = _nodes(scene)
    anim, begin, end = _take(scene, ufbx, notes)
    joints = _joints(nodes, scene, anim, ufbx, notes)
    rate = float(fps or settings.frames_per_second or 24.0)
    count = int(max(end - begin, 0.0) * rate + 1e-3) + 1
    line = [*_above(nodes, joints[0])[::-1], *joints]
    if count * len(line) > MAX_VALUES:
        raise notes.error(f"{count} frames of {len(line)} nodes are too many")
    local = np.empty((count, len(line), 10))
    for f, time in enumerate((begin + np.arange(count) / rate).tolist()):
        for k, n in enumerate(line):
            local[f, k] = _values(ufbx.evaluate_transform(anim, nodes[n].handle, time))
    at = {n: k for k, n in enumerate(line)}
    facts = {
        "names": [nodes[n].name for n in line],
        "first": len(line) - len(joints),
        "rate": rate,
        "unit": float(settings.original_unit_meters or settings.unit_meters or 0.01),
        "up": int(settings.original_axis_up),
        "notes": notes.all,
    }
    arrays = {
        "parents": np.array([at.get(nodes[n].parent, -1) for n in line]),
        "rest": np.array([nodes[n].rest for n in line]),
        "local": local,
    }
    return arrays, facts


def _open(path: str, ufbx: Any, notes: Notes, *, turned: bool) -> Any:
    """The scene; `turned` puts it in metres, y up, by a transform of its root."""
    options: dict[str, Any] = {
        "ignore_geometry": True,
        "ignore_embedded": True,
        "load_external_files": False,
        "node_depth_limit": MAX_DEPTH,
    }
    if turned:
        options |= {"target_axes": ufbx.axes_right_handed_y_up, "target_unit_meters": 1.0}
    try:
        return ufbx.load_memory(read_regular(path), **options)
    except (ufbx.UfbxError, ValueError, RuntimeError, MemoryError) as error:
        kind = type(error).__name__.removesuffix("Error")
        raise notes.error(f"not an FBX file that can be read ({kind}: {str(error)[:120]})") from None


def _take(scene: Any, ufbx: Any, notes: Notes) -> tuple[Any, float, float]:
    """The longest take, and when it begins and ends (seconds)."""
    takes = list(scene.anim_stacks)
    _kept.append(takes)
    if not takes:
        notes.info("no take: one frame, as the nodes stand")
        return scene.anim, 0.0, 0.0
    best = max(takes, key=lambda take: take.time_end - take.time_begin)
    if len(takes) > 1:
        others = ", ".join(repr(str(take.name)[:40]) for take in takes if take is not best)
        notes.info(f"{len(takes)} takes: {str(best.name)[:40]!r} is read, not {others[:120]}")
    anim = best.anim
    begin, end = float(best.time_begin), float(best.time_end)
    if end <= begin:  # not stated by the file: from its first key to its last
        baked = ufbx.bake_anim(scene, anim)
        begin, end = float(baked.key_time_min), float(baked.key_time_max)
    if not (np.isfinite([begin, end]).all() and abs(begin) < 1e6 and abs(end) < 1e6):
        raise notes.error(f"invalid take: from {begin:g} s to {end:g} s")
    if why := Limits.current().exceeded(seconds=end - begin):
        raise notes.error(f"the take lasts from {begin:g} s to {end:g} s: {why}")
    return anim, begin, end


def _nodes(scene: Any) -> list[FbxNode]:
    """Every node of the scene, parents first; the first one is the scene's root."""
    out = []
    handles = list(scene.nodes)
    for k, handle in enumerate(handles):
        parent, bone, transform = handle.parent if k else None, handle.bone, handle.local_transform
        _kept.append((handle, parent, bone, transform))
        above = -1 if parent is None else int(parent.typed_id)
        name = str(handle.name) or f"node{k}"
        out.append(FbxNode(name, above, bone is not None, _values(transform), handle))
    return out


def _joints(nodes: list[FbxNode], scene: Any, anim: Any, ufbx: Any, notes: Notes) -> list[int]:
    """The bones (else the nodes that move) and the nodes between them: one tree, parents first."""
    chosen = {n for n, node in enumerate(nodes) if n and node.bone}
    if not chosen:
        moving = ufbx.bake_anim(scene, anim)
        _kept.append((moving, list(moving.nodes)))
        chosen = {int(baked.typed_id) for baked in _kept[-1][1]} - {0}
        notes.info("no bones: the nodes that move are taken as joints")
    if not chosen:
        raise notes.error("no bones, and no node that moves")
    tops: dict[int, set[int]] = {}
    for n in sorted(chosen):
        chain = [n, *_above(nodes, n)]
        top = next(m for m in reversed(chain) if m in chosen)
        tops.setdefault(top, set()).update(chain[: chain.index(top) + 1])
    best = max(tops, key=lambda top: len(tops[top]))
    if len(tops) > 1:
        notes.warn(f"{len(tops)} separate trees of bones: the one of {nodes[best].name[:40]!r} is read")
    order, stack = [], [best]
    while stack:
        order.append(stack.pop())
        stack += [n for n in sorted(tops[best], reverse=True) if nodes[n].parent == order[-1]]
    return order


def _above(nodes: list[FbxNode], n: int) -> list[int]:
    """The nodes above one, upwards; the scene's root comes last."""
    out: list[int] = []
    while nodes[n].parent >= 0 and len(out) < len(nodes):
        n = nodes[n].parent
        out.append(n)
    return out


def _values(transform: Any) -> tuple[float, ...]:
    t, r, s = transform.translation, transform.rotation, transform.scale
    return (t.x, t.y, t.z, r.w, r.x, r.y, r.z, s.x, s.y, s.z)
