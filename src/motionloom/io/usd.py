"""USD reader and writer (`.usd`, `.usda`, `.usdc`): UsdSkel skeletons and their animation. Needs the extra `usd`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace as with_changes
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import (
    BadRequest,
    Clip,
    End,
    FloatArray,
    FormatError,
    InvalidClip,
    MissingExtra,
    Progress,
    Skeleton,
    replace,
)
from motionloom.core.files import check_regular
from motionloom.core.origin import all_terms
from motionloom.io import units_and_axes as conv
from motionloom.io.atomic_files import replacing
from motionloom.io.from_world import clip_from_world, split_matrices
from motionloom.io.isolated_reading import read_in_own_process
from motionloom.io.reader_settings import DEFAULT, Reading
from motionloom.io.usd_scene import KEY, MISSING, read_scene, usd_library, usd_words
from motionloom.jobs import in_worker, start
from motionloom.kinematics.body.rest_pose import stance
from motionloom.kinematics.fk import world
from motionloom.rotation import to_matrix

LARGE = 8_000_000  # bytes of rotations, see `write_usd`


def write_usd(
    clip: Clip,
    path: str | Path,
    *,
    unit: str | float | None = None,
    up: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Write a clip as a UsdSkel skeleton with one animation, a time sample for every frame.

    Metres and y up, unless a unit or z up is given: USD states both. Joints are paths (`Hips/LeftUpLeg`) of names that
    USD allows; `jointNames` has them as they are. Rest and bind transforms are those of `stance(clip)`, so the skeleton
    stands. Time codes are frames. Roles and end sites are kept in the layer's own data. With `progress`, a long clip is
    written in another process, because USD cannot be interrupted.
    """
    _write([clip], progress, _write_clip, clip, Path(path), unit, up)


def _write(clips: Sequence[Clip], progress: Progress | None, task: Callable[..., None], *arguments: Any) -> None:
    """A task that writes these clips: in another process if they are long and `progress` is given."""
    usd_library()
    if progress is None or in_worker() or sum(clip.rotations.nbytes for clip in clips) <= LARGE:
        task(*arguments)
    else:
        start(task, *arguments, name="writing").result(progress)


def _write_clip(clip: Clip, path: Path, unit: str | float | None, up: str | None) -> None:
    usd = usd_library()
    _export(_layer_of(clip, path, unit, up, usd), path, usd)


def write_usd_crowd(clips: Sequence[Clip], path: str | Path, *, progress: Progress | None = None) -> None:
    """Write the clips of a crowd into one USD file, metres and y up: a skeleton for each, as `/Crowd/Member_0000`.

    All have the same rate. The file is for other programs; `load` reads the first of its skeletons.
    """
    if not clips:
        raise BadRequest("expected at least one clip for a USD file, found none")
    path = Path(path)
    with replacing(path) as staged:
        _write(clips, progress, _write_crowd, clips, staged / path.name)


def _write_crowd(clips: Sequence[Clip], path: Path) -> None:
    usd = usd_library()
    crowd = _anonymous(path, usd)
    stage = usd.Usd.Stage.Open(crowd)
    _stage_facts(stage, max(clips, key=len), 1.0, "y", usd)
    stage.SetDefaultPrim(usd.UsdGeom.Xform.Define(stage, "/Crowd").GetPrim())
    for i, clip in enumerate(clips):
        usd.Sdf.CopySpec(_layer_of(clip, path, None, None, usd), "/Body", crowd, f"/Crowd/Member_{i:04d}")
    crowd.comment = all_terms(clip.origin.licence for clip in clips)
    _export(crowd, path, usd)


def _anonymous(path: Path, usd: Any) -> Any:
    return usd.Sdf.Layer.CreateAnonymous(".usda" if path.suffix.lower() == ".usda" else ".usdc")


def _stage_facts(stage: Any, clip: Clip, metres: float, axis: str, usd: Any) -> None:
    """Unit, up axis, rate and length of a stage."""
    usd.UsdGeom.SetStageUpAxis(stage, axis.upper())
    usd.UsdGeom.SetStageMetersPerUnit(stage, metres)
    stage.SetTimeCodesPerSecond(clip.fps)
    stage.SetFramesPerSecond(clip.fps)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(len(clip) - 1)


def _layer_of(clip: Clip, path: Path, unit: str | float | None, up: str | None, usd: Any) -> Any:
    """The layer of one clip, see `write_usd`."""
    metres, axis = 1.0 if unit is None else conv.unit_of(unit), "y" if up is None else conv.up_of(up)
    if axis not in ("y", "z"):
        raise BadRequest(f"USD has y or z up, not {axis}")
    layer = _anonymous(path, usd)
    stage = usd.Usd.Stage.Open(layer)
    _stage_facts(stage, clip, metres, axis, usd)
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
    return layer


def read_usd(path: str | Path, reading: Reading = DEFAULT, progress: Progress | None = None) -> Clip:
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
    scene = read_in_own_process(read_scene, path, reading, library="USD", modules=("pxr.UsdSkel",), progress=progress)
    notes = reading.notes(path)
    for note in scene.notes:
        notes.add(note)
    rest = None
    if scene.own is None and scene.bind.shape == scene.worlds.shape[1:] and np.isfinite(scene.bind).all():
        rest = split_matrices(np.swapaxes(scene.bind, -1, -2))[1]
    places, turns = split_matrices(np.swapaxes(scene.worlds, -1, -2))
    clip = clip_from_world(
        notes,
        scene.names,
        scene.parents,
        places,
        turns,
        scene.rate,
        metres=scene.metres,
        up=scene.up,
        rest=rest,
        drop_slides=reading.drop_slides,
        fold=scene.own is None,
    )
    if scene.own is not None and scene.comment:
        clip = replace(clip, origin=with_changes(clip.origin, licence=scene.comment))
    return clip if scene.own is None else _with_own_facts(clip, scene.own)


def _with_own_facts(clip: Clip, own: dict[str, Any]) -> Clip:
    """The clip with the roles and end sites that our own writer kept, if they fit (the file may have been edited)."""
    body = clip.skeleton
    try:
        ends = tuple(End(int(j), (float(x), float(y), float(z)), str(name)) for j, x, y, z, name in own["ends"])
        roles = tuple(str(role) for role in own["roles"])
        return replace(clip, skeleton=Skeleton(body.names, body.parents, body.offsets, roles, ends))
    except (InvalidClip, ValueError, TypeError, OverflowError):
        return clip


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


def _export(layer: Any, path: Path, usd: Any) -> None:
    """Write the layer to a file and flush it to disk."""
    try:
        if not layer.Export(str(path)):
            raise FormatError("cannot be written", path=path)
        with open(path, "rb+") as file:
            os.fsync(file.fileno())
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror or error}", path=path) from None
    except usd.Tf.ErrorException as error:
        raise FormatError(f"cannot be written: {usd_words(error)}", path=path) from None
