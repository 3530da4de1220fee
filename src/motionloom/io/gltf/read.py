"""glTF reader (`.glb`, `.gltf`): the joints of a skin, or plain animated nodes, and one animation.

Joints are those of the skin that moves most. Nodes above the first joint (an armature, a scene's turn or scale) go into
the root's motion. Scales that stay put go into the bones' lengths. Files of our own come back exactly; in others the
nodes' own rotations are the rest pose, and local frames are laid along the world's axes there, as BVH has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import BadRequest, Clip, End, FloatArray, Skeleton, replace
from motionloom.core.limits import MAX_DEPTH
from motionloom.core.origin import from_file
from motionloom.io.bvh.body import unique_names
from motionloom.io.gltf.container import Document, open_document
from motionloom.io.gltf.rig import HEADER, Rig
from motionloom.io.gltf.tracks import Tracks, frame_times, read_tracks
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import DEFAULT, Reading
from motionloom.io.sidecars.licence import one_line
from motionloom.kinematics.body.rest_pose import Stance, rebased, typical_frame
from motionloom.kinematics.body.roles import guess_roles
from motionloom.kinematics.fk import fk
from motionloom.rotation import from_matrix, multiply, normalize, rotate

MAX_NODES = 100_000
MIN_SLIDE = 1e-6  # m


@dataclass(frozen=True, eq=False)
class GltfNode:
    """One node at rest."""

    name: str
    parent: int
    translation: FloatArray
    rotation: FloatArray  # w x y z
    scale: float


def read_gltf(path: str | Path, reading: Reading = DEFAULT) -> Clip:
    """A clip from a glTF file. glTF is in metres, y up; a given unit overrides that."""
    notes = reading.notes(path)
    return clip_of(open_document(path, notes), reading)


def clip_of(document: Document, reading: Reading = DEFAULT) -> Clip:
    """A clip from an open document; its notes contain the file's name."""
    notes = document.notes
    if reading.axis not in (None, "y"):
        raise BadRequest("glTF has y up: another up axis cannot be given")
    metres = 1.0 if reading.metres is None else reading.metres
    nodes = read_nodes(document)
    own = _own(document)
    tracks = _animation(document, nodes)
    joints = _joints(document, nodes, tracks)
    times, rate = frame_times(document, tracks, reading.fps, _stated_rate(own), len(joints))
    joints = _without_wrappers(joints, nodes, notes) if own is None else _without_own_wrappers(joints, nodes, own)
    clip = _clip(document, nodes, joints, tracks, times, rate, metres, drop_slides=reading.drop_slides)
    rest = np.array([nodes[j].rotation for j in joints])
    for n in _up(nodes, joints[0])[1:]:  # upright, whatever turn the armature has
        rest[0] = multiply(nodes[n].rotation, rest[0])
    if own is None:
        clip = rebased(clip, Stance(np.zeros(3), rest, ""))
        pose = fk(clip[(n := typical_frame(clip)) : n + 1])[0]
        roles = guess_roles(clip.skeleton.names, clip.skeleton.parents, clip.skeleton.offsets, pose)
        ends: tuple[End, ...] = ()
    else:
        roles, ends = _own_facts(own, clip.skeleton, notes)
    body = clip.skeleton
    licence = one_line(document.tree["asset"].get("copyright"))
    header = {HEADER: _rig(document, nodes, joints, clip, rest, metres).header()} if own is None else {}
    origin = from_file(Path(notes.path).name, len(clip), licence=licence, notes=notes.all, header=header)
    return replace(clip, skeleton=Skeleton(body.names, body.parents, body.offsets, roles, ends), origin=origin)


def _rig(
    document: Document, nodes: list[GltfNode], joints: list[int], clip: Clip, rest: FloatArray, metres: float
) -> Rig:
    """What writing the clip back into the file needs."""
    place, turn, scale = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), {-1: metres}
    above = _up(nodes, joints[0])[:0:-1]
    for n in above:
        place = place + rotate(turn, nodes[n].translation * scale[nodes[n].parent])
        turn = multiply(turn, nodes[n].rotation)
        scale[n] = scale[nodes[n].parent] * nodes[n].scale
    for n in joints:
        scale[n] = scale[nodes[n].parent] * nodes[n].scale
    file = Path(document.notes.path).resolve()
    return Rig(
        str(file),
        document.sha256,
        clip.skeleton.names,
        tuple(joints),
        tuple(map(tuple, rest.tolist())),
        (*place.tolist(), *turn.tolist()),
        tuple(map(tuple, clip.skeleton.offsets.tolist())),
        tuple(scale[nodes[n].parent] for n in joints),
    )


def read_nodes(document: Document) -> list[GltfNode]:
    """All nodes with their parents; a node with two parents, or above itself, is refused."""
    notes = document.notes
    entries = document.all("nodes")
    if not entries:
        raise notes.error("no nodes: there is nothing that moves")
    if len(entries) > MAX_NODES:
        raise notes.error(f"more than {MAX_NODES} nodes")
    parents = [-1] * len(entries)
    for n, entry in enumerate(entries):
        below = entry.get("children", [])
        if not isinstance(below, list):
            raise notes.error(f"node {n}: 'children' must be a list")
        for child in below:
            at = document.index(child, "nodes", f"node {n}, children")
            if parents[at] != -1 or at == n:
                raise notes.error(f"node {at} hangs on two nodes, or on itself")
            parents[at] = n
    depth = [0] * len(entries)
    for n in range(len(entries)):
        chain = []
        at = n
        while at != -1 and not depth[at]:
            chain.append(at)
            at = parents[at]
            if len(chain) > len(entries):
                raise notes.error(f"node {n} is above itself: the nodes form a cycle")
        base = 0 if at == -1 else depth[at]
        for k, m in enumerate(reversed(chain), 1):
            depth[m] = base + k
        if depth[n] > MAX_DEPTH:
            raise notes.error(f"nodes nested more than {MAX_DEPTH} deep")
    return [_node(document, n, entry, parents[n]) for n, entry in enumerate(entries)]


def _node(document: Document, n: int, entry: dict[str, Any], parent: int) -> GltfNode:
    notes, where = document.notes, f"node {n}"
    name = entry.get("name") or f"node{n}"
    if "matrix" in entry:
        m = document.numbers(entry["matrix"], 16, where).reshape(4, 4).T
        size = np.linalg.norm(m[:3, :3], axis=0)
        if (size < 1e-9).any() or np.linalg.det(m[:3, :3]) < 0:
            raise notes.error(f"{where}: its matrix is flat or mirrors, which no bone does")
        shift, turn = m[:3, 3], from_matrix(m[:3, :3] / size)
    else:
        shift = document.numbers(entry.get("translation", [0, 0, 0]), 3, f"{where}, translation")
        turn = normalize(document.numbers(entry.get("rotation", [0, 0, 0, 1]), 4, f"{where}, rotation")[[3, 0, 1, 2]])
        size = document.numbers(entry.get("scale", [1, 1, 1]), 3, f"{where}, scale")
    scale = float(np.prod(np.abs(size)) ** (1 / 3))
    if not np.allclose(size, scale, rtol=1e-3):
        notes.warn(
            f"node {str(name)[:40]!r} is scaled unevenly ({', '.join(f'{s:g}' for s in size)}): taken as {scale:g}"
        )
    if not 1e-6 <= scale <= 1e6:
        raise notes.error(f"{where}: invalid scale {scale:g}")
    return GltfNode(str(name), parent, shift, turn, scale)


def _animation(document: Document, nodes: list[GltfNode]) -> Tracks:
    """The animation that moves most nodes; the others are named."""
    animations = document.all("animations")
    if not animations:
        document.notes.info("no animation: one frame, as the nodes stand")
        return {}
    size = [len(a.get("channels", ())) if isinstance(a.get("channels"), list) else 0 for a in animations]
    best = int(np.argmax(size))
    if len(animations) > 1:
        names = [str(a.get("name", n))[:40] for n, a in enumerate(animations)]
        left = ", ".join(names[:best] + names[best + 1 :])
        document.notes.info(f"{len(animations)} animations: {names[best]!r} taken, not {left[:120]}")
    tracks = read_tracks(document, best)
    for node, by_path in tracks.items():
        if "scale" in by_path and np.ptp(by_path["scale"].keys, axis=0).max() > 1e-3:
            document.notes.warn(f"node {nodes[node].name[:40]!r} changes its size: ignored")
    return tracks


def _joints(document: Document, nodes: list[GltfNode], tracks: Tracks) -> list[int]:
    """Nodes that become joints, parents first: one skin's, or all below the first that moves; one tree of them."""
    chosen: set[int] = set()
    for n, skin in enumerate(document.all("skins")):
        found = skin.get("joints")
        if not isinstance(found, list) or not found:
            raise document.notes.error(f"skin {n}: no joints")
        joints = {document.index(j, "nodes", f"skin {n}, joints") for j in found}
        if _count_moving(joints, tracks) > _count_moving(chosen, tracks):
            chosen = joints
    if not chosen:
        chosen = set(tracks) or set(range(len(nodes)))
        document.notes.info("no skin: plain nodes are taken as joints")
        below = [False] * len(nodes)
        for n in _parents_first(nodes):
            below[n] = n in chosen or (nodes[n].parent >= 0 and below[nodes[n].parent])
        chosen = {n for n in range(len(nodes)) if below[n]}
    chains = [_up(nodes, j) for j in chosen]
    common = set(chains[0]).intersection(*map(set, chains[1:]))
    tops = {next(n for n in reversed(chain) if n in chosen) for chain in chains}
    if len(tops) > 1:
        if not common:
            raise document.notes.error("the joints are not one tree: several actors in one file are not read")
        top = max(common, key=lambda n: len(_up(nodes, n)))
    else:
        top = tops.pop()
    for chain in chains:
        chosen.update(chain[: chain.index(top) + 1])
    return [n for n in _parents_first(nodes) if n in chosen]


def _count_moving(joints: set[int], tracks: Tracks) -> tuple[int, int]:
    """How many of them move, and how many there are."""
    return sum(j in tracks for j in joints), len(joints)


def _without_wrappers(joints: list[int], nodes: list[GltfNode], notes: Notes) -> list[int]:
    """Joints from the hips on, where each joint above them has one child only; their motion goes into the root's."""
    place = {n: k for k, n in enumerate(joints)}
    parents = [place.get(nodes[n].parent, -1) for n in joints]
    roles = guess_roles(unique_names([nodes[n].name for n in joints]), parents, np.ones((len(joints), 3)))
    hips = roles.index("hips") if "hips" in roles else 0
    if hips == 0 or any(parents.count(k) != 1 for k in range(hips)) or parents[1 : hips + 1] != list(range(hips)):
        return joints
    notes.info(f"joints above the hips folded into the root: {', '.join(nodes[n].name[:40] for n in joints[:hips])}")
    return joints[hips:]


def _without_own_wrappers(joints: list[int], nodes: list[GltfNode], own: dict[str, Any]) -> list[int]:
    """Joints of a file of ours, from the hips on; all of them if the rest would not be one tree."""
    count = own.get("wrappers", 0)
    if type(count) is not int or not 0 <= count < len(joints):
        return joints
    rest = set(joints[count:])
    return joints[count:] if all(nodes[n].parent in rest for n in joints[count + 1 :]) else joints


def _parents_first(nodes: list[GltfNode]) -> list[int]:
    children: dict[int, list[int]] = {}
    for n, node in enumerate(nodes):
        children.setdefault(node.parent, []).append(n)
    order: list[int] = []
    stack = list(reversed(children.get(-1, [])))
    while stack:
        order.append(stack.pop())
        stack += reversed(children.get(order[-1], []))
    return order


def _up(nodes: list[GltfNode], n: int) -> list[int]:
    chain = []
    while n != -1:
        chain.append(n)
        n = nodes[n].parent
    return chain


def _clip(
    document: Document,
    nodes: list[GltfNode],
    joints: list[int],
    tracks: Tracks,
    times: FloatArray,
    rate: float,
    metres: float,
    *,
    drop_slides: bool,
) -> Clip:
    """Local rotations, offsets and slides of the joints; everything above the first one goes into its motion."""
    notes = document.notes
    above = _up(nodes, joints[0])[:0:-1]
    scale: dict[int, float] = {-1: metres}
    for n in (*above, *joints):
        scale[n] = scale[nodes[n].parent] * nodes[n].scale

    def value(n: int, path: str, rest: FloatArray) -> FloatArray:
        """(F, width) of a track, or (1, width) what the node has at rest."""
        track = tracks.get(n, {}).get(path)
        return rest[None] if track is None else track.at(times)

    place, turn = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    for n in (*above, joints[0]):
        shift = value(n, "translation", nodes[n].translation) * scale[nodes[n].parent]
        place = place + rotate(turn, shift)
        turn = multiply(turn, value(n, "rotation", nodes[n].rotation))
    at = {n: k for k, n in enumerate(joints)}
    rotations = np.empty((len(times), len(joints), 4))
    rotations[:, 0] = turn
    offsets, slides = np.zeros((len(joints), 3)), np.zeros((len(times), len(joints), 3))
    for k, n in enumerate(joints[1:], 1):
        rotations[:, k] = value(n, "rotation", nodes[n].rotation)
        offsets[k] = nodes[n].translation * scale[nodes[n].parent]
        if "translation" in tracks.get(n, {}):
            places = value(n, "translation", nodes[n].translation) * scale[nodes[n].parent]
            if np.ptp(places, axis=0).max() <= MIN_SLIDE:
                offsets[k] = places[0]
            else:
                slides[:, k] = places - offsets[k]
    if drop_slides and slides.any():
        offsets += slides.mean(0)
        notes.info(f"sliding joints held in place: up to {np.abs(slides - slides.mean(0)).max():.4f} m dropped")
        slides[:] = 0.0
    if not (np.abs(offsets).max() < 1e9 and np.abs(place).max() < 1e9 and np.abs(slides).max() < 1e9):
        raise notes.error("places beyond any body")
    parents = np.array([-1, *(at[nodes[n].parent] for n in joints[1:])])
    names = unique_names([nodes[n].name for n in joints])
    root = np.broadcast_to(place, (len(times), 3))
    return Clip(
        Skeleton(tuple(names), parents, offsets), root, rotations, rate, slides=slides if slides.any() else None
    )


def _own(document: Document) -> dict[str, Any] | None:
    """What our own writer put beside the standard's fields."""
    extras = document.tree["asset"].get("extras")
    own = extras.get("motionloom") if isinstance(extras, dict) else None
    return own if isinstance(own, dict) else None


def _stated_rate(own: dict[str, Any] | None) -> float | None:
    rate = (own or {}).get("fps")
    good = isinstance(rate, (int, float)) and not isinstance(rate, bool) and 1e-3 <= rate <= 1e6
    return float(rate) if good and rate is not None else None


def _own_facts(own: dict[str, Any], body: Skeleton, notes: Notes) -> tuple[tuple[str, ...], tuple[End, ...]]:
    """Roles and end sites that our own writer kept; ignored, with a note, if they do not fit (an edited file)."""
    try:
        roles = tuple(str(role) for role in own["roles"])
        ends = tuple(End(int(j), (float(x), float(y), float(z)), str(name)) for j, x, y, z, name in own["ends"])
        Skeleton(body.names, body.parents, body.offsets, roles, ends)
    except Exception:
        notes.warn("roles and end sites do not fit the joints: not used")
        return guess_roles(body.names, body.parents, body.offsets), ()
    return roles, ends
