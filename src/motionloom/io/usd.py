"""USD reader and writer (`.usd`, `.usda`, `.usdc`): UsdSkel skeletons and their animation. Needs the extra `usd`."""

from __future__ import annotations

import json
import os
from dataclasses import replace as with_changes
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import BadRequest, Clip, End, FloatArray, FormatError, MissingExtra, Skeleton, replace
from motionloom.core.files import check_regular
from motionloom.io import convention as conv
from motionloom.io.from_world import clip_from_world, split_matrices
from motionloom.io.own_process import read_in_own_process
from motionloom.io.reader_notes import Notes
from motionloom.io.reading import DEFAULT, Reading
from motionloom.kinematics.body.rest_pose import stance
from motionloom.kinematics.fk import world
from motionloom.rotation import to_matrix

KEY = "motionloom"
MISSING = "USD files need usd-core: pip install 'motionloom[usd]'"
MAX_VALUES = 50_000_000  # joints times frames


def write_usd(clip: Clip, path: str | Path, *, unit: str | float | None = None, up: str | None = None) -> None:
    """Write a clip as a UsdSkel skeleton with one animation, a time sample for every frame.

    Metres and y up, unless a unit or z up is given: USD states both. Joints are paths (`Hips/LeftUpLeg`) of names that
    USD allows; `jointNames` has them as they are. Rest and bind transforms are those of `stance(clip)`, so the skeleton
    stands. Time codes are frames. Roles and end sites are kept in the layer's own data.
    """
    usd = usd_library()
    metres, axis = 1.0 if unit is None else conv.unit_of(unit), "y" if up is None else conv.up_of(up)
    if axis not in ("y", "z"):
        raise BadRequest(f"USD has y or z up, not {axis}")
    path = Path(path)
    layer = usd.Sdf.Layer.CreateAnonymous(".usda" if path.suffix.lower() == ".usda" else ".usdc")
    stage = usd.Usd.Stage.Open(layer)
    usd.UsdGeom.SetStageUpAxis(stage, axis.upper())
    usd.UsdGeom.SetStageMetersPerUnit(stage, metres)
    stage.SetTimeCodesPerSecond(clip.fps)
    stage.SetFramesPerSecond(clip.fps)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(len(clip) - 1)
    top = usd.UsdSkel.Root.Define(stage, "/Body")
    stage.SetDefaultPrim(top.GetPrim())
    skeleton = usd.UsdSkel.Skeleton.Define(stage, "/Body/Skeleton")
    motion = usd.UsdSkel.Animation.Define(stage, "/Body/Skeleton/Motion")
    usd.UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([motion.GetPath()])
    paths = _joint_paths(clip.skeleton, usd)
    _describe(skeleton, clip, paths, metres, axis, usd)
    _animate(motion, clip, paths, metres, axis, usd)
    body = clip.skeleton
    facts = {"roles": list(body.roles), "ends": [[e.joint, *e.offset, e.name] for e in body.ends], "fps": clip.fps}
    layer.customLayerData = {KEY: json.dumps(facts)}
    layer.comment = clip.origin.licence
    _export(layer, path)


def read_usd(path: str | Path, reading: Reading = DEFAULT) -> Clip:
    """A clip from the first animated skeleton of a USD file; unit, up axis and rate are as the file states them.

    Where time samples are uneven, frames are taken at the stage's own rate, by USD's interpolation. Scales go into the
    places of the joints: a scaled skeleton comes out at its size in the world. It is read in a process of its own.
    """
    if find_spec("pxr") is None:
        raise MissingExtra(MISSING)
    try:
        check_regular(path)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path=path) from None
    return read_in_own_process(_read, path, reading, library="USD")


def _read(path: str, reading: Reading) -> Clip:
    usd = usd_library()
    notes = reading.notes(path)
    stage = _open(path, usd, notes)
    query, prim = _skeleton(stage, usd, notes)
    joints = [str(j) for j in query.GetJointOrder()]
    parents = _parents(joints, usd, notes)
    times, rate = _times(stage, query, len(joints), reading.fps, notes)
    worlds = np.empty((len(times), len(joints), 4, 4))
    for f, time in enumerate(times):
        cache = usd.UsdGeom.XformCache(time)
        turned = query.ComputeJointSkelTransforms(cache.GetTime(), False)
        if turned is None or len(turned) != len(joints):
            raise notes.error("the joints have no transforms: rest transforms or animation are missing")
        worlds[f] = np.array(turned) @ np.array(cache.GetLocalToWorldTransform(prim))
    own = _own(stage.GetRootLayer().customLayerData.get(KEY), joints)
    bind = np.array(query.GetJointWorldBindTransforms())
    rest = None
    if own is None and bind.shape == (len(joints), 4, 4) and np.isfinite(bind).all():
        rest = split_matrices(np.swapaxes(bind, -1, -2))[1]
    metres = usd.UsdGeom.GetStageMetersPerUnit(stage) if reading.metres is None else reading.metres
    axis = str(usd.UsdGeom.GetStageUpAxis(stage)).lower() if reading.axis is None else reading.axis
    places, turns = split_matrices(np.swapaxes(worlds, -1, -2))
    names = [str(n) for n in query.GetSkeleton().GetJointNamesAttr().Get() or []]
    if len(names) != len(joints):
        names = [joint.rsplit("/", 1)[-1] for joint in joints]
    clip = clip_from_world(
        notes,
        names,
        parents,
        places,
        turns,
        rate,
        metres=metres,
        up=axis,
        rest=rest,
        drop_slides=reading.drop_slides,
        fold=own is None,
    )
    if own is not None and (licence := str(stage.GetRootLayer().comment or "")):
        clip = replace(clip, origin=with_changes(clip.origin, licence=licence))
    if own is None or len(own["roles"]) != len(clip.skeleton):
        return clip
    body = clip.skeleton
    ends = tuple(End(int(j), (float(x), float(y), float(z)), str(name)) for j, x, y, z, name in own["ends"])
    return replace(clip, skeleton=Skeleton(body.names, body.parents, body.offsets, tuple(own["roles"]), ends))


def usd_library() -> Any:
    """The parts of USD that are used here, in one object."""
    try:
        import pxr
        from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdSkel, Vt  # noqa: F401
    except ImportError:
        raise MissingExtra(MISSING) from None
    return pxr


def _joint_paths(skeleton: Skeleton, usd: Any) -> list[str]:
    """A path for each joint, of names that USD allows and that differ among the children of one joint."""
    paths: list[str] = []
    for j, name in enumerate(skeleton.names):
        parent = int(skeleton.parents[j])
        base = usd.Tf.MakeValidIdentifier(name)
        before = f"{paths[parent]}/" if parent >= 0 else ""
        new, n = before + base, 1
        while new in paths:
            n += 1
            new = f"{before}{base}_{n}"
        paths.append(new)
    return paths


def _describe(skeleton: Any, clip: Clip, paths: list[str], metres: float, axis: str, usd: Any) -> None:
    """Joints, names, and the transforms at rest (local) and bound (world): both are the standing pose."""
    body = clip.skeleton
    pose = stance(clip)
    places, turns = world(body, pose.root[None], pose.rotations[None])
    local = np.array(body.offsets)
    local[0] = pose.root
    rest = _matrices(local, pose.rotations, metres, axis)
    bind = _matrices(places[0], turns[0], metres, axis)
    skeleton.CreateJointsAttr(paths)
    skeleton.CreateJointNamesAttr(list(body.names))
    skeleton.CreateRestTransformsAttr(usd.Vt.Matrix4dArray.FromNumpy(rest))
    skeleton.CreateBindTransformsAttr(usd.Vt.Matrix4dArray.FromNumpy(bind))


def _matrices(places: FloatArray, turns: FloatArray, metres: float, axis: str) -> FloatArray:
    """(J, 4, 4) as USD stores them: they act on row vectors."""
    out = np.zeros((len(places), 4, 4))
    out[:, :3, :3] = np.swapaxes(to_matrix(conv.turns_outside(turns, axis)), -1, -2)
    out[:, 3, :3] = conv.vectors_outside(places, axis) / metres
    out[:, 3, 3] = 1.0
    return out


def _animate(motion: Any, clip: Clip, paths: list[str], metres: float, axis: str, usd: Any) -> None:
    """Translations and rotations of all joints at each frame; scales of one, which hold for all time."""
    count = len(clip.skeleton)
    motion.CreateJointsAttr(paths)
    motion.CreateScalesAttr(usd.Vt.Vec3hArray.FromNumpy(np.ones((count, 3), np.float16)))
    turns = conv.turns_outside(clip.rotations, axis)[..., [1, 2, 3, 0]].astype(np.float32)  # USD keeps w last
    fixed = np.broadcast_to(clip.skeleton.offsets, (len(clip), count, 3))
    local = fixed.copy() if clip.slides is None else clip.skeleton.offsets + clip.slides
    local[:, 0] = clip.root
    shifts = (conv.vectors_outside(local, axis) / metres).astype(np.float32)
    translations, rotations = motion.CreateTranslationsAttr(), motion.CreateRotationsAttr()
    with usd.Sdf.ChangeBlock():
        for f in range(len(clip)):
            translations.Set(usd.Vt.Vec3fArray.FromNumpy(shifts[f]), f)
            rotations.Set(usd.Vt.QuatfArray.FromNumpy(turns[f]), f)


def _export(layer: Any, path: Path) -> None:
    """Write the layer to a file and flush it to disk."""
    try:
        if not layer.Export(str(path)):
            raise FormatError("cannot be written", path=path)
        with open(path, "rb+") as file:
            os.fsync(file.fileno())
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror or error}", path=path) from None


def _open(path: str | Path, usd: Any, notes: Notes) -> Any:
    try:
        return usd.Usd.Stage.Open(str(path))
    except usd.Tf.ErrorException as error:
        lines = str(error).strip().splitlines() or ["unknown"]
        raise notes.error(f"not a USD file that can be opened: {lines[-1].strip()[:200]}") from None


def _skeleton(stage: Any, usd: Any, notes: Notes) -> tuple[Any, Any]:
    """The query of the first skeleton that is animated, or of the first one at all, and its prim."""
    cache = usd.UsdSkel.Cache()
    found = []
    for prim in stage.Traverse(usd.Usd.TraverseInstanceProxies()):
        if prim.IsA(usd.UsdSkel.Root):
            cache.Populate(usd.UsdSkel.Root(prim), usd.Usd.TraverseInstanceProxies())
        if prim.IsA(usd.UsdSkel.Skeleton):
            query = cache.GetSkelQuery(usd.UsdSkel.Skeleton(prim))
            if query and len(query.GetJointOrder()):
                found.append((query, prim))
    if not found:
        raise notes.error("no skeleton in this file (UsdSkel)")
    moving = [pair for pair in found if pair[0].GetAnimQuery()]
    if len(found) > 1:
        notes.info(f"{len(found)} skeletons: {(moving or found)[0][1].GetPath()} is read")
    return (moving or found)[0]


def _parents(joints: list[str], usd: Any, notes: Notes) -> list[int]:
    parents = [int(p) for p in usd.UsdSkel.Topology(joints).GetParentIndices()]
    roots = [joint for joint, parent in zip(joints, parents, strict=True) if parent < 0]
    if parents[0] != -1 or len(roots) > 1:
        raise notes.error(f"expected one root joint, the first one; found {', '.join(roots[:4])}")
    if any(p >= j for j, p in enumerate(parents)):
        raise notes.error("a joint stands before its parent")
    return parents


def _times(stage: Any, query: Any, joints: int, fps: float | None, notes: Notes) -> tuple[FloatArray, float]:
    """Time codes of the frames, and the frame rate."""
    codes = float(stage.GetTimeCodesPerSecond())
    animation = query.GetAnimQuery()
    samples = np.array(animation.GetJointTransformTimeSamples() if animation else [], float)
    if len(samples) < 2:
        notes.info("no motion: one frame")
        return samples if len(samples) else np.zeros(1), fps or float(stage.GetFramesPerSecond()) or 24.0
    steps = np.diff(samples)
    if np.abs(steps - steps.mean()).max() < 1e-4 * steps.mean():
        return _check_size(samples, joints, notes), fps or codes / float(steps.mean())
    rate = float(stage.GetFramesPerSecond()) or 24.0
    count = int((samples[-1] - samples[0]) * rate / codes + 1e-6) + 1
    if count * joints > MAX_VALUES:
        raise notes.error(f"{count} frames of {joints} joints are too many")
    notes.info(f"uneven time samples: put on {count} even frames at {rate:g} per second")
    return samples[0] + np.arange(count) * codes / rate, fps or rate


def _check_size(samples: FloatArray, joints: int, notes: Notes) -> FloatArray:
    if len(samples) * joints > MAX_VALUES:
        raise notes.error(f"{len(samples)} frames of {joints} joints are too many")
    return samples


def _own(text: Any, joints: list[str]) -> dict[str, Any] | None:
    """What our own writer kept with the layer, if it fits."""
    try:
        facts = json.loads(text) if isinstance(text, str) else None
        fits = facts is not None and len(facts["roles"]) == len(joints) and isinstance(facts["ends"], list)
    except (ValueError, KeyError, TypeError):
        return None
    return facts if fits else None
