"""FBX reader, binary and text: the bones of a scene and one take. Needs the extra `fbx`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from motionloom.core import Clip, FloatArray, MissingExtra, Progress, replace
from motionloom.core.files import open_regular
from motionloom.core.origin import from_file
from motionloom.io.fbx_scene import read_scene
from motionloom.io.from_world import clip_from_world
from motionloom.io.isolated_reading import read_in_own_process
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import DEFAULT, Reading
from motionloom.rotation import multiply, normalize, rotate

_AXES = dict(enumerate(("x", "-x", "y", "-y", "z", "-z")))  # as ufbx numbers them


def read_fbx(path: str | Path, reading: Reading = DEFAULT, progress: Progress | None = None) -> Clip:
    """A clip from the longest take of an FBX file, a frame for each frame of its time line (or at `fps`).

    Joints are the scene's bones; a scene without any has its animated nodes taken. Unit and axes are as the file
    states them. Layers, pivots and pre-rotations are in; the nodes' own places are the rest pose. The file is read in a
    process of its own (see `fbx_scene`).
    """
    if find_spec("ufbx") is None:
        raise MissingExtra("FBX files need ufbx: pip install 'motionloom[fbx]'")
    notes = reading.notes(path)
    _check(path, notes)
    given = (reading.up is None, reading.fps)
    arrays, facts = read_in_own_process(
        read_scene, path, *given, library="FBX", modules=("ufbx",), reuse=False, progress=progress
    )
    for note in facts["notes"]:
        notes.add(note)
    metres = float(facts["unit"]) if reading.metres is None else reading.metres
    parents = arrays["parents"]
    places, turns = _world_transforms(parents, arrays["local"])
    rest = _world_transforms(parents, arrays["rest"][None])[1][0]
    first = int(facts["first"])
    clip = clip_from_world(
        notes,
        [str(name) for name in facts["names"][first:]],
        [-1, *(int(p) - first for p in parents[first + 1 :])],
        places[:, first:],
        turns[:, first:],
        float(facts["rate"]),
        metres=metres if reading.up is not None else metres / float(facts["unit"]),
        up=reading.axis or "y",
        rest=rest[first:],
        drop_slides=reading.drop_slides,
    )
    axis = reading.axis or _AXES.get(facts["up"], "y")
    return replace(clip, origin=from_file(Path(path).name, len(clip), unit=metres, up=axis, notes=clip.origin.notes))


def _check(path: str | Path, notes: Notes) -> None:
    """Is this an FBX file at all?"""
    try:
        with open_regular(path) as file:
            head = file.read(4096)
    except OSError as error:
        raise notes.error(f"cannot be read: {error.strerror or error}") from None
    if not (head.startswith(b"Kaydara FBX Binary") or b"FBX" in head):
        raise notes.error("not an FBX file")


def _world_transforms(parents: Any, local: FloatArray) -> tuple[FloatArray, FloatArray]:
    """World places (F, N, 3) and rotations (F, N, 4) from local translation, rotation and scale (F, N, 10).

    Scales make bones longer or shorter, axis by axis in the frame of the joint that has them; they turn nothing.
    """
    places, turns, sizes = local[..., :3].copy(), normalize(local[..., 3:7]), local[..., 7:].copy()
    for k, parent in enumerate(parents.tolist()):
        if parent >= 0:
            places[:, k] = places[:, parent] + rotate(turns[:, parent], places[:, k] * sizes[:, parent])
            turns[:, k] = multiply(turns[:, parent], turns[:, k])
            sizes[:, k] *= sizes[:, parent]
    return places, turns
