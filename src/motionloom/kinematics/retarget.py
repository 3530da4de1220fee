"""A motion put on another body: other bones, other rest pose, more or fewer joints."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as with_changes

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, Note, Progress, Skeleton, part, silent, with_labels
from motionloom.core.numbers import smoothstep
from motionloom.core.progress import each, parts
from motionloom.core.watched import watched
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.body.roles import SIDES, feet
from motionloom.kinematics.feet.contacts import contacts
from motionloom.kinematics.feet.skate_measures import Skate, measure_skate, planted_speed
from motionloom.kinematics.feet.skate_removal import remove_skate
from motionloom.kinematics.fk import fk, fk_rotations, local_rotations
from motionloom.kinematics.ik.limb import place_limb
from motionloom.kinematics.retarget_pose import ankle_level, matched_pose, own_ankle_level
from motionloom.kinematics.root_bone import below_root_bone, on_root_bone
from motionloom.rotation import IDENTITY, inverse, multiply, normalize, slerp

FLOOR = (0.10, 0.20)  # m in the source: a hand lower than the first is held to the floor, above the second it is free
TOGETHER = (0.08, 0.15)  # m in the source: likewise for the distance of both wrists, as when hands clap
TRUNK = {"spine": ("hips", "spine", "spine1", "spine2", "spine3"), "neck": ("neck", "neck1", "head")}


@dataclass(frozen=True)
class RetargetReport:
    """What was done, and how the feet slide: in the source, with rotations alone, and at the end."""

    scale: float  # leg length of the new body over that of the old one
    matched: tuple[str, ...]  # roles that both have
    riding: tuple[str, ...]  # joints of the new body that go with their parents: the old one has no such joint
    lost: tuple[str, ...]  # roles of the old body that the new one does not have
    source: Skate
    turned: Skate
    result: Skate
    missed: float  # m: the farthest that an ankle stayed from where its plant is
    slid: tuple[float, float, float] = (0.0, 0.0, 0.0)  # cm/s of planted feet: source, rotations alone, result

    def __str__(self) -> str:
        text = f"scale {self.scale:.3f}, {len(self.matched)} roles matched"
        for word, names in (("without a source", self.riding), ("not carried over", self.lost)):
            text += f", {word}: {', '.join(names)}" if names else ""
        if self.source.b is not None and self.turned.b is not None and self.result.b is not None:
            source, turned, result = self.slid
            text += f"; planted feet slide {source:.1f} cm/s in the source, {turned:.1f} by rotations alone"
            text += f", {result:.1f} in the result"
        return text


@watched
def retarget(
    clip: Clip, to: Clip | Skeleton, *, like: Clip | None = None, plant: bool = True, progress: Progress | None = None
) -> tuple[Clip, RetargetReport]:
    """The clip's motion on the skeleton of `to`; joints correspond by role, or else by name.

    The turn of each joint away from the matched pose (`matched.matched_pose`), in the world, is carried over:
    Q' = Q M^-1 M', with M and M' the world rotations of both bodies in that pose. So limbs point in the same
    direction, whatever the rest poses. Spines and necks of other counts are interpolated along the line from hips to
    chest and head. The middle of the hip joints is scaled by leg length about the origin on the floor. With `plant`,
    the ankles go to the scaled places of the source's, hands keep touching the floor and each other, and feet are held
    to the source's contacts (`remove_skate`). Bones above the hips move over the floor below
    them (`on_root_bone`).

    `to` is best a clip: the matched pose is found from its frames if its rest pose is uninformative. `like` is a clip
    of the source's own body, to take that pose from, if this one is short or never stands. Labels and the source of
    every frame stay.
    """
    report = progress or silent()
    turning, planting, _ = parts(report, [3, 4 if plant else 0, 1])
    turning(0.0, "matching poses")
    rig = to if isinstance(to, Clip) else _still(to)
    clip, shown = below_root_bone(clip), below_root_bone(rig)
    body, old = shown.skeleton, clip.skeleton
    _check(old, body)
    guide = clip if like is None else below_root_bone(like)
    pairs = _pairs(old, body)
    delta = multiply(fk_rotations(clip)[1], inverse(matched_pose(guide)))
    scale = leg_length(body) / leg_length(old)
    target = matched_pose(shown)
    turns = np.empty((len(clip), len(body), 4))
    for j in each(range(len(body)), part(turning, 0.2, 0.8), "turning joints"):
        moved = (
            _moved(delta, pairs[j])
            if j in pairs
            else multiply(turns[:, body.parents[j]], inverse(target[body.parents[j]]))
        )
        turns[:, j] = multiply(moved, target[j])
    level = ankle_level(guide)
    levels = level, level if _same_bones(old, body) else own_ankle_level(shown)
    root = _root(clip, body, turns, scale, levels)
    notes = f"retargeted from {clip.name or 'a clip'} ({len(old)} joints) to {len(body)} joints, scale {scale:.3f}"
    origin = with_changes(
        shown.origin,
        name=clip.origin.name,
        licence=clip.origin.licence,
        sources=clip.origin.sources,
        which=clip.origin.which,
        frames=clip.origin.frames,
        weights=clip.origin.weights,
        parts=clip.origin.parts,
        made=clip.origin.made,
        notes=(*clip.origin.notes, Note(notes)),
        read=None,
    )
    made = Clip(
        body, root, normalize(local_rotations(body, turns)), clip.fps, clip.label_names, clip.labels, origin=origin
    )
    turned, missed, touching = made, 0.0, contacts(clip)
    if plant and feet(body):
        made, missed = _planted(clip, made, scale, levels, planting)
        touching = contacts(made)  # those that were pinned: a heel that rolls off its toe does not slide
    source, alone, result = (planted_speed(c, touching) for c in (clip, turned, made))
    roles = [r for r in body.roles if r and r in old.roles]
    used = {k for pair in pairs.values() for k in pair[:2]}
    planting(1.0, "measuring skate")
    summary = RetargetReport(
        scale,
        tuple(roles),
        tuple(body.names[j] for j in range(len(body)) if j not in pairs),
        tuple(r for j, r in enumerate(old.roles) if r and j not in used),
        measure_skate(clip),
        measure_skate(turned),
        measure_skate(made),
        missed,
        (source, alone, result),
    )
    made = on_root_bone(made, rig)
    report(1.0, "measuring skate")
    return made, summary


def _still(skeleton: Skeleton) -> Clip:
    return Clip(skeleton, np.zeros((1, 3)), np.tile(IDENTITY, (1, len(skeleton), 1)), 1.0)


def _check(old: Skeleton, new: Skeleton) -> None:
    """Bodies must have as many legs; the rest is found by role."""
    counts = [len(feet(s)) for s in (old, new)]
    if counts[0] != counts[1]:
        raise BadRequest(
            f"cannot retarget: the clip's body walks on {counts[0]} feet, the other one on {counts[1]} "
            "(roles decide; see `motionloom info`, and give a roles file if they are wrong)"
        )
    shared = {r for r in old.roles if r} & set(new.roles)
    if not shared and not set(old.names) & set(new.names):
        raise BadRequest("cannot retarget: the two bodies have no role and no joint name in common")


Pair = tuple[int, int, float]  # two joints of the source, and the share between the first and the second


def _pairs(old: Skeleton, new: Skeleton) -> dict[int, Pair]:
    """For each joint of the new body the joints of the old one that it takes its turn from."""
    out: dict[int, Pair] = {}
    for j, (role, name) in enumerate(zip(new.roles, new.names, strict=True)):
        found = old.find(role) if role else (old.names.index(name) if name in old.names else None)
        if found is not None and (role or not old.roles[found]):
            out[j] = (found, found, 0.0)
    out[0] = (0, 0, 0.0)
    spines = [[0, *(k for k in (s.find(r) for r in TRUNK["spine"][1:]) if k is not None)] for s in (old, new)]
    out |= _spread(spines[0], spines[1])
    chests = [line[-1] for line in spines]
    heads = [
        [chest, *(k for k in (s.find(r) for r in TRUNK["neck"]) if k is not None)]
        for s, chest in zip((old, new), chests, strict=True)
    ]
    if all(s.find("head") is not None for s in (old, new)):
        out |= _spread(heads[0], heads[1])
    return out


def _spread(old: list[int], new: list[int]) -> dict[int, Pair]:
    """Joints of one line matched to those of another by their place along it; first to first, last to last."""
    out: dict[int, Pair] = {}
    if len(old) < 2 or len(new) < 2:
        return out
    for k, joint in enumerate(new[1:], start=1):
        at = k / (len(new) - 1) * (len(old) - 1)
        low = min(int(at + 1e-9), len(old) - 2)
        out[joint] = (old[low], old[low + 1], at - low)
    return out


def _moved(delta: FloatArray, pair: Pair) -> FloatArray:
    first, second, share = pair
    if share < 1e-9:
        return delta[:, first]
    return delta[:, second] if share > 1 - 1e-9 else slerp(delta[:, first], delta[:, second], share)


def _same_bones(a: Skeleton, b: Skeleton) -> bool:
    return np.array_equal(a.parents, b.parents) and np.allclose(a.offsets, b.offsets, atol=1e-6)


def _middle(skeleton: Skeleton, places: FloatArray) -> FloatArray:
    """(F, 3) the middle of the hip joints; the root of a body without legs."""
    legs = [foot.thigh for foot in feet(skeleton) if "front" not in foot.name]
    return places[:, legs].mean(1) if legs else places[:, 0]


def _scaled(points: FloatArray, scale: float, levels: tuple[float, float]) -> FloatArray:
    """Points of the source where the new body has them: scaled about the origin, ankles on the floor stay so."""
    return scale * (points - [0.0, levels[0], 0.0]) + [0.0, levels[1], 0.0]


def _root(clip: Clip, body: Skeleton, turns: FloatArray, scale: float, levels: tuple[float, float]) -> FloatArray:
    """(F, 3) where the hips must be so that the middle of the hip joints is where the source's was, scaled."""
    bare = Clip(body, np.zeros((len(clip), 3)), normalize(local_rotations(body, turns)), clip.fps)
    return _scaled(_middle(clip.skeleton, fk(clip)), scale, levels) - _middle(body, fk(bare))


def _planted(
    clip: Clip, made: Clip, scale: float, levels: tuple[float, float], progress: Progress
) -> tuple[Clip, float]:
    """Ankles to the scaled places of the source's, feet held to its contacts, hands to what they touch."""
    places = fk(clip)
    source = {foot.name: foot for foot in feet(clip.skeleton)}
    for foot in each(feet(made.skeleton), part(progress, 0.0, 0.4), "placing feet"):
        if foot.name in source:
            ankle = _scaled(places[:, source[foot.name].ankle], scale, levels)
            made, _ = place_limb(made, (foot.thigh, foot.shin, foot.ankle), ankle)
    made = _hands(clip, made, scale, levels)
    labels = contacts(clip)
    before = {name: made.label(name) for name in made.label_names if name.startswith("contact:")}
    made, report = remove_skate(with_labels(made, before | labels), progress=part(progress, 0.5, 1.0))
    return made, report.missed


def _hands(clip: Clip, made: Clip, scale: float, levels: tuple[float, float]) -> Clip:
    """Hands that touch the floor or each other in the source do so on the new body; others stay as they are."""
    arms = [
        [s.find(f"{side}_{part}") for part in ("upper_arm", "forearm", "hand")]
        for s in (clip.skeleton, made.skeleton)
        for side in SIDES
    ]
    if any(j is None for arm in arms for j in arm):
        return made
    old, new = fk(clip), fk(made)
    hands = [old[:, arm[2]] for arm in arms[:2]]
    here = [new[:, arm[2]] for arm in arms[2:]]
    together = _near(np.linalg.norm(hands[0] - hands[1], axis=-1), TOGETHER)
    middle = (here[0] + here[1]) / 2
    for k, arm in enumerate(arms[2:]):
        beside = middle + scale * (hands[k] - hands[1 - k]) / 2
        low = _near(hands[k][:, 1] - levels[0], FLOOR)[:, None]
        wanted = here[k] + together[:, None] * (beside - here[k])
        wanted = wanted + low * (_scaled(hands[k], scale, levels) - wanted)
        if np.abs(wanted - here[k]).max() > 1e-9:
            made, _ = place_limb(made, [j for j in arm if j is not None], wanted)
    return made


def _near(distance: FloatArray, ends: tuple[float, float]) -> FloatArray:
    """(F,) 1 within the first of these distances, 0 past the second, smooth between them."""
    return smoothstep((ends[1] - distance) / (ends[1] - ends[0]))
