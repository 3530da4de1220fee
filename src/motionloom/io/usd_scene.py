"""The scene of a USD file, read by a job in a process of its own: USD can hang, and use any amount of memory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from motionloom.core import FloatArray, MissingExtra, Note
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import Reading
from motionloom.io.sidecars.licence import one_line
from motionloom.io.units_and_axes import UPS

KEY = "motionloom"  # of what our own writer keeps with the layer
MISSING = "USD files need usd-core: pip install 'motionloom[usd]'"
MAX_VALUES = 50_000_000  # joints times frames
VALUE_CLIPS = ("clips", "clipAssetPaths", "clipTemplateAssetPath", "clipManifestAssetPath")


class UsdScene(NamedTuple):
    """A skeleton and its motion as USD has them."""

    names: list[str]
    parents: list[int]
    worlds: FloatArray  # (F, J, 4, 4) that act on rows
    bind: FloatArray  # (J, 4, 4), or another shape if the file has none
    rate: float
    metres: float
    up: str
    own: dict[str, Any] | None  # what our own writer kept
    comment: str  # of the layer
    notes: tuple[Note, ...]


def read_scene(path: str, reading: Reading) -> UsdScene:
    """The first animated skeleton of a file; errors of USD, and values that it accepts in vain, are `FormatError`s."""
    usd = usd_library()
    notes = reading.notes(path)
    try:
        with _unheard():
            return _scene(_open(path, usd, notes), reading, notes, usd)
    except (usd.Tf.ErrorException, ArithmeticError, ValueError, TypeError, LookupError, RuntimeError) as error:
        raise notes.error(f"cannot be read ({type(error).__name__}: {usd_words(error)})") from None


@contextmanager
def _unheard() -> Iterator[None]:
    """Without the warnings that USD itself prints, with words of the file in them; in a process of its own only."""
    kept, sink = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(sink)


def _scene(stage: Any, reading: Reading, notes: Notes, usd: Any) -> UsdScene:
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
    metres = float(usd.UsdGeom.GetStageMetersPerUnit(stage)) if reading.metres is None else reading.metres
    if not 1e-9 <= metres <= 1e9:
        raise notes.error(f"metersPerUnit: expected a positive number, found {metres:g}; pass a unit")
    up = str(usd.UsdGeom.GetStageUpAxis(stage)).lower() if reading.axis is None else reading.axis
    if up not in UPS:
        raise notes.error(f"upAxis: expected Y or Z, found {up[:40]!r}; pass an up axis")
    names = [str(n) for n in query.GetSkeleton().GetJointNamesAttr().Get() or []]
    if len(names) != len(joints):
        names = [joint.rsplit("/", 1)[-1] for joint in joints]
    layer = stage.GetRootLayer()
    return UsdScene(
        names,
        parents,
        worlds,
        np.array(query.GetJointWorldBindTransforms()),
        rate,
        metres,
        up,
        _own(layer.customLayerData.get(KEY), joints),
        one_line(str(layer.comment or "")),
        notes.all,
    )


def usd_library() -> Any:
    """The parts of USD that are used here, in one object."""
    try:
        import pxr
        from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdSkel, Vt  # noqa: F401
    except ImportError:
        raise MissingExtra(MISSING) from None
    return pxr


def _open(path: str | Path, usd: Any, notes: Notes) -> Any:
    """The stage of a file that refers to no other file."""
    try:
        layer = usd.Sdf.Layer.FindOrOpen(str(path))
    except usd.Tf.ErrorException as error:
        raise notes.error(f"not a USD file that can be opened: {usd_words(error)}") from None
    if not layer:
        raise notes.error("not a USD file that can be opened")
    others = sorted(str(name) for name in layer.GetCompositionAssetDependencies() if name)
    others += _value_clips(layer)
    if others:
        shown = ", ".join(repr(name[:60]) for name in others[:3])
        raise notes.error(f"refers to other files ({shown}), which are not opened: export it as one file (flattened)")
    return usd.Usd.Stage.Open(layer)


def usd_words(error: Exception) -> str:
    """The message of an error of USD, without the line of its own source that it begins with."""
    try:
        text = " ".join(str(error).split())  # "Error in 'function' at line 1 in file x.cpp : 'message'"
    except UnicodeDecodeError:
        return "text that is not UTF-8"
    return (text.rpartition(" : '")[2] or text).strip(" '")[:200] or "unknown"


def _value_clips(layer: Any) -> list[str]:
    """Prims whose values come from other files (USD's "value clips")."""
    found: list[str] = []

    def visit(path: Any) -> None:
        spec = layer.GetObjectAtPath(path) if path.IsPrimPath() else None
        if spec is not None and any(spec.HasInfo(key) for key in VALUE_CLIPS):
            found.append(f"value clips of {path}")

    layer.Traverse("/", visit)
    return found


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
