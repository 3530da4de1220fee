"""Left and right exchanged: a clip seen in a mirror."""

from __future__ import annotations

import re
from dataclasses import replace as replace_fields

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, IntArray, Skeleton
from motionloom.kinematics.travel import body_axes
from motionloom.rotation import average, from_matrix, inverse, multiply, rotate, to_matrix

_MIRRORS = [np.diag(signs) for signs in ((-1.0, 1, 1), (1, -1.0, 1), (1, 1, -1.0), (-1.0, -1, -1))]
ACROSS = np.diag([-1.0, 1.0, 1.0])  # the world's mirror: x to -x
_SIDE = re.compile(r"left|right|Left|Right|LEFT|RIGHT")
_SWAP = {"left": "right", "Left": "Right", "LEFT": "RIGHT"} | {"right": "left", "Right": "Left", "RIGHT": "LEFT"}
_FITS = 0.8  # a mirrored bone may miss its partner by this share of its length (necks can be crooked, sides unequal)
_PREFER = np.radians(30.0)  # a joint's axes mirror as its parent's do, unless another choice fits better by this much


def mirror(clip: Clip) -> Clip:
    """The clip in a mirror: x becomes -x, left limbs move as right ones did. Mirrored twice it is the same again.

    Joint positions are those of the partner, reflected, up to differences in bone length between the sides. Labels
    change sides with the limbs (`contact:left_toe`, `punch right`).

    In the world the rotation R of joint j becomes S R K_j on its partner m, with S the mirror and K_j the improper
    constant matrix of the local frame that takes the partner's bones to the joint's own (K_j o_mc = o_c). Where the
    rest pose is symmetric, all K_j are the hips' own sagittal mirror; in files whose bones lie along one axis at rest
    they differ, and are found among the four that keep the local axes, by bones and by the clip's mean pose.
    """
    skeleton = clip.skeleton
    partner = partners(skeleton)
    k = _axes_mirrors(clip, partner)
    rotations = np.empty_like(clip.rotations)
    root_turn = _proper(ACROSS)
    for j in range(len(skeleton)):
        left = root_turn if j == 0 else inverse(k[skeleton.parents[j]])
        rotations[:, partner[j]] = multiply(multiply(left, clip.rotations[:, j]), k[j])
    slides = None
    if clip.slides is not None:
        slides = np.zeros_like(clip.slides)
        for j in range(1, len(skeleton)):
            slides[:, partner[j]] = -rotate(inverse(k[skeleton.parents[j]]), clip.slides[:, j])
        slides[:, 0] = clip.slides[:, 0] * ACROSS.diagonal()
    names = tuple(other_side(n) for n in clip.label_names)
    labels = clip.labels
    if labels is not None and set(names) == set(clip.label_names):
        labels, names = labels[:, [names.index(n) for n in clip.label_names]], clip.label_names
    sources = tuple(source._replace(mirrored=not source.mirrored) for source in clip.origin.sources)
    origin = replace_fields(clip.origin, sources=sources, read=None)
    return Clip(skeleton, clip.root * ACROSS.diagonal(), rotations, clip.fps, names, labels, slides, origin)


def other_side(name: str) -> str:
    """A label or name with left and right exchanged: "contact:left_toe" to "contact:right_toe"."""
    return _SIDE.sub(lambda found: _SWAP[found.group()], name)


def partners(skeleton: Skeleton) -> IntArray:
    """The joint on the other side for each joint, (J,): itself for those in the middle.

    By roles, then by names (Left/Right, L_/R_, .L/.R, lThigh/rThigh ...), then by the shape of the tree: a joint
    below a paired one belongs to the child of the partner with the same place among its siblings.
    """
    count = len(skeleton)
    partner = np.full(count, -1, np.int64)
    partner[0] = 0
    for j in range(1, count):
        partner[j] = _partner(skeleton, j, int(partner[skeleton.parents[j]]))
    wrong = [j for j in range(count) if partner[partner[j]] != j]
    if wrong:
        raise BadRequest(f"cannot mirror: joint {skeleton.names[wrong[0]]!r} has no partner on the other side")
    return partner


def _partner(skeleton: Skeleton, j: int, parent: int) -> int:
    """The partner of j, among the children of `parent`, which is its own parent's partner."""
    role = other_side(skeleton.roles[j])
    if role != skeleton.roles[j]:
        if role in skeleton.roles and skeleton.parents[skeleton.roles.index(role)] == parent:
            return skeleton.roles.index(role)
        raise BadRequest(f"cannot mirror: {skeleton.roles[j]!r} has no {role!r} on the other side")
    if skeleton.roles[j]:
        return j
    named = _other_name(skeleton, j)
    if named is not None and skeleton.parents[named] == parent:
        return named
    if int(skeleton.parents[j]) == parent:  # a middle joint's child, whose name has no side: it is in the middle
        return j
    places = [c for c in skeleton.children(int(skeleton.parents[j])) if not skeleton.roles[c]]
    others = [c for c in skeleton.children(parent) if not skeleton.roles[c]]
    if len(places) == len(others):
        return others[places.index(j)]
    raise BadRequest(f"cannot mirror: joint {skeleton.names[j]!r} has no partner on the other side")


def _other_name(skeleton: Skeleton, j: int) -> int | None:
    """The joint whose name differs from j's only in its side."""
    name = skeleton.names[j]
    tries = [other_side(name)]
    for a, b in (("L", "R"), ("R", "L"), ("l", "r"), ("r", "l")):
        for at in [m.start() for m in re.finditer(a, name)]:
            tries.append(name[:at] + b + name[at + 1 :])
    found = [t for t in tries if t != name and t in skeleton.names]
    return skeleton.names.index(found[0]) if found else None


def _proper(improper: FloatArray) -> FloatArray:
    """A mirror matrix M as the quaternion of -M, which is a rotation: signs cancel in S R K."""
    return from_matrix(-improper)


def _axes_mirrors(clip: Clip, partner: IntArray) -> FloatArray:
    """The matrices K_j, as quaternions of -K_j (J, 4)."""
    skeleton = clip.skeleton
    left = rotate(body_axes(skeleton), np.array([1.0, 0, 0]))
    nearest = np.eye(3)[np.abs(left).argmax()]
    if np.abs(left @ nearest) > np.cos(np.radians(5)):
        left = nearest
    first = np.eye(3) - 2 * np.outer(left, left)
    k = np.broadcast_to(first, (len(skeleton), 3, 3)).copy()
    means = to_matrix(average(clip.rotations[:: max(1, len(clip) // 200)]))
    if _odd_rest(skeleton, partner, first, means):
        for j in range(1, len(skeleton)):
            if partner[j] < j:
                k[j] = k[partner[j]].T
            else:
                k[j] = _best(skeleton, partner, j, k[skeleton.parents[j]], means)
    quaternions = np.stack([_proper(m) for m in k])
    for j in range(len(skeleton)):  # so that mirroring twice gives back the very same numbers
        if partner[j] < j:
            quaternions[j] = -inverse(quaternions[partner[j]])
    return quaternions


def _odd_rest(skeleton: Skeleton, partner: IntArray, k: FloatArray, means: FloatArray) -> bool:
    """Is one mirror for all joints wrong here? Bones do not fit, or a big joint would twist by over 120 degrees."""
    if any(_misfit(skeleton, partner, j, k) > _FITS for j in range(len(skeleton))):
        return True
    big = [
        j for j in range(1, len(skeleton)) if re.search("spine|neck|head|shoulder|arm|thigh|shin", skeleton.roles[j])
    ]
    return any(_shift(means, partner, j, k, k) > np.radians(120) for j in big)


def _shift(means: FloatArray, partner: IntArray, j: int, above: FloatArray, k: FloatArray) -> float:
    """The angle between the mirrored mean local rotation of joint j and its partner's own."""
    off = means[partner[j]].T @ above.T @ means[j] @ k
    return float(np.arccos(np.clip((np.trace(off) - 1) / 2, -1, 1)))


def _misfit(skeleton: Skeleton, partner: IntArray, j: int, k: FloatArray) -> float:
    """How badly K takes the partner's bones to the joint's own: the largest error, in bone lengths."""
    m = int(partner[j])
    bones = [(skeleton.offsets[c], skeleton.offsets[partner[c]]) for c in skeleton.children(j)]
    own = [np.array(e.offset) for e in skeleton.ends if e.joint == j]
    other = [np.array(e.offset) for e in skeleton.ends if e.joint == m]
    bones += list(zip(own, other, strict=False))
    errors = [np.linalg.norm(k @ b - a) / np.linalg.norm(a) for a, b in bones if np.linalg.norm(a) > 1e-4]
    return float(max(errors, default=0.0))


def _best(skeleton: Skeleton, partner: IntArray, j: int, above: FloatArray, means: FloatArray) -> FloatArray:
    """The mirror of the local axes under which the joint's mean local rotation looks most like its partner's."""
    best, least = above, np.inf
    for k in [above, *_MIRRORS]:
        cost = (
            _shift(means, partner, j, above, k)
            + 100 * max(0.0, _misfit(skeleton, partner, j, k) - _FITS)
            - _PREFER * (k is above)
        )
        if cost < least:
            best, least = k, cost
    return best
