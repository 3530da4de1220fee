"""The blended frames of transitions, many at once; the same as those of `blend_transition`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.kinematics.feet.contacts import foot_parts, points_of
from motionloom.kinematics.feet.transition_contacts import Standing, contacts_around, standing_windows, window_reach
from motionloom.kinematics.feet.transition_hold import Windows, hold_plants
from motionloom.kinematics.fk import world
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.graph.graph import Graph
from motionloom.rotation import multiply, slerp, yaw


class Blends(NamedTuple):
    """Blended frames of K transitions, each in the coordinates of the clip that is left."""

    root: FloatArray  # (K, 2 half - 1, 3)
    rotations: FloatArray  # (K, 2 half - 1, J, 4)
    slides: FloatArray | None  # (K, 2 half - 1, J, 3)


class _Frames(NamedTuple):
    """The frames of one side, from `half` before the transition's frame to `half` after it: n = 2 half + 1."""

    root: FloatArray  # (K, n, 3)
    rotations: FloatArray  # (K, n, J, 4)
    slides: FloatArray | None


def blends(graph: Graph, chosen: IntArray) -> Blends:
    """The blends of some transitions: roots mixed (GUAN 2.24), rotations by slerp (2.25), plants held unless `linear`.

    The second clip is aligned by the transition's turn and shift, which are fitted to plants already.
    """
    t = graph.transitions[chosen]
    a, b = _side(graph, t.a), _aligned(_side(graph, t.b), t.turn, t.shift)
    alpha = np.concatenate([[0.0], graph.weights, [1.0]])
    root = (1 - alpha)[:, None] * a.root + alpha[:, None] * b.root
    rotations = slerp(a.rotations, b.rotations, alpha[:, None])
    slides = None
    if a.slides is not None and b.slides is not None:
        u = np.linspace(0, 1, len(alpha))[:, None, None]
        slides = (1 - u) * a.slides + u * b.slides
    if foot_parts(graph.clips[0].skeleton) and not graph.linear:
        rotations[:, 0], rotations[:, -1] = a.rotations[:, 0], b.rotations[:, -1]
        plants = _standing(graph, t.a, t.b)
        skeleton = graph.clips[0].skeleton
        windows = Windows(skeleton, root, rotations, slides, *plants, _parts(graph, a), _parts(graph, b))
        root, rotations = hold_plants(windows, graph.clips[0].fps)
    return Blends(root[:, 1:-1], rotations[:, 1:-1], None if slides is None else slides[:, 1:-1])


def _side(graph: Graph, frames: IntArray) -> _Frames:
    """The unblended frames around these frames."""
    clips = graph.clip_of[frames]
    count, n, joints = len(frames), graph.blend + 1, len(graph.clips[0].skeleton)
    root, rotations = np.empty((count, n, 3)), np.empty((count, n, joints, 4))
    sliding = any(clip.slides is not None for clip in graph.clips)
    slides = np.zeros((count, n, joints, 3)) if sliding else None
    for k, (c, first) in enumerate(zip(clips, frames - graph.starts[clips] - graph.half, strict=True)):
        clip, near = graph.clips[c], slice(first, first + n)
        root[k], rotations[k] = clip.root[near], clip.rotations[near]
        if slides is not None and clip.slides is not None:
            slides[k] = clip.slides[near]
    return _Frames(root, rotations, slides)


def _aligned(side: _Frames, turn: FloatArray, shift: FloatArray) -> _Frames:
    """These frames turned and shifted on the ground."""
    root, rotations = np.array(side.root), np.array(side.rotations)
    root[..., [0, 2]] = ground_turn(turn[:, None], root[..., [0, 2]]) + shift[:, None]
    rotations[:, :, 0] = multiply(yaw(turn)[:, None], rotations[:, :, 0])
    return side._replace(root=root, rotations=rotations)


def _parts(graph: Graph, side: _Frames) -> FloatArray:
    """(K, n, P, 3) positions of heels and toes."""
    skeleton = graph.clips[0].skeleton
    shape = side.root.shape[:2]
    slides = None if side.slides is None else side.slides.reshape(-1, len(skeleton), 3)
    places, turns = world(skeleton, side.root.reshape(-1, 3), side.rotations.reshape(-1, len(skeleton), 4), slides)
    parts = foot_parts(skeleton)
    return np.asarray(points_of(parts, places, turns).reshape(*shape, len(parts), 3))


def _standing(graph: Graph, a: IntArray, b: IntArray) -> Standing:
    """Contacts of heels and toes in the blends, and where each leaves A's plant and enters B's: `standing_windows`."""
    reach = window_reach(graph.half, graph.clips[0].fps)
    before, after = _contacts(graph, a, -reach, 0), _contacts(graph, b, 0, reach + 1)
    return standing_windows(before, after, graph.half, graph.clips[0].fps)


def _contacts(graph: Graph, frames: IntArray, start: int, stop: int) -> BoolArray:
    """(K, stop - start, P) contacts of heels and toes around these frames; none beyond the ends of a clip."""
    labels = [p.label for p in foot_parts(graph.clips[0].skeleton)]
    out = np.zeros((len(frames), stop - start, len(labels)), bool)
    columns: dict[int, BoolArray] = {}
    for k, (frame, c) in enumerate(zip(frames.tolist(), graph.clip_of[frames].tolist(), strict=True)):
        if c not in columns:
            columns[c] = np.stack([graph.clips[c].label(name) for name in labels], 1)
        out[k] = contacts_around(columns[c], frame - int(graph.starts[c]), start, stop)
    return out
