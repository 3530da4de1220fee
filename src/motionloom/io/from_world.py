"""A clip from the world transforms of its joints, for formats whose libraries provide these."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from motionloom.core import Clip, FloatArray, Skeleton
from motionloom.core.origin import from_file
from motionloom.io import units_and_axes as conv
from motionloom.io.bvh.body import unique_names
from motionloom.io.number_text import LARGEST
from motionloom.io.reader_notes import Notes
from motionloom.kinematics.body.rest_pose import Stance, rebased, typical_frame
from motionloom.kinematics.body.roles import guess_roles
from motionloom.kinematics.fk import fk, local_rotations
from motionloom.rotation import from_matrix, inverse, normalize, rotate

MIN_SLIDE = 1e-4  # m: a joint that moves less than this in its parent's frame has a fixed place there


def split_matrices(m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Places (..., 3) and rotations (..., 4) of matrices (..., 4, 4) that act on columns; scales are taken out."""
    axes = m[..., :3, :3]
    sizes = np.linalg.norm(axes, axis=-2, keepdims=True)
    return m[..., :3, 3], normalize(from_matrix(axes / np.where(sizes > 1e-12, sizes, 1.0)))


def clip_from_world(
    notes: Notes,
    names: Sequence[str],
    parents: Sequence[int],
    places: FloatArray,
    turns: FloatArray,
    fps: float,
    *,
    metres: float,
    up: str,
    rest: FloatArray | None = None,
    drop_slides: bool = False,
    fold: bool = True,
) -> Clip:
    """A clip with roles from world places (F, J, 3) and rotations (F, J, 4), both as the file has them.

    Parents come before their children. With `fold`, joints above the hips with nothing else on them are folded away,
    with a note: only the position of the hips in the world is used. `rest` (J, 4) holds the world rotations of the
    file's rest pose; local frames are laid along the world's axes there, as in BVH. Without it they stay as they are.
    """
    if not (np.isfinite(places).all() and np.isfinite(turns).all() and np.abs(places).max() * metres < LARGEST):
        raise notes.error("expected finite positions of moderate size")
    first = _above_hips(names, parents) if fold else 0
    if first:
        notes.info(f"joints above the hips folded into the root: {', '.join(n[:40] for n in names[:first])}")
    names, places, turns = names[first:], places[:, first:], turns[:, first:]
    places, turns = conv.vectors_inside(places * metres, up), conv.turns_inside(turns, up)
    above = np.array([-1, *(int(p) - first for p in parents[first + 1 :])])
    local = np.zeros_like(places)
    local[:, 1:] = rotate(inverse(turns[:, above[1:]]), places[:, 1:] - places[:, above[1:]])
    offsets = np.median(local, axis=0)
    slides = local - offsets
    moving = np.abs(slides).max((0, 2), initial=0.0) > MIN_SLIDE
    slides[:, ~moving] = 0.0
    if moving.any():
        word = "dropped" if drop_slides else "kept"
        joints = "1 joint also slides" if moving.sum() == 1 else f"{int(moving.sum())} joints also slide"
        notes.info(f"{joints}, by up to {np.abs(slides).max():.3f} m: {word}")
    skeleton = Skeleton(tuple(unique_names(list(names))), above, offsets)
    kept = slides if moving.any() and not drop_slides else None
    clip = Clip(skeleton, places[:, 0], normalize(local_rotations(skeleton, turns)), fps, slides=kept)
    if rest is not None:
        pose = local_rotations(skeleton, conv.turns_inside(rest[None, first:], up))[0]
        clip = rebased(clip, Stance(np.zeros(3), normalize(pose), ""))
    body = clip.skeleton
    typical = typical_frame(clip)
    roles = guess_roles(body.names, body.parents, body.offsets, fk(clip[typical : typical + 1])[0])
    origin = from_file(Path(notes.path).name, len(clip), unit=metres, up=up, notes=notes.all)
    return Clip(
        Skeleton(body.names, body.parents, body.offsets, roles),
        clip.root,
        clip.rotations,
        fps,
        slides=clip.slides,
        origin=origin,
    )


def _above_hips(names: Sequence[str], parents: Sequence[int]) -> int:
    """How many joints stand in a row above the hips; 0 if anything else hangs on them."""
    roles = guess_roles(unique_names(list(names)), list(parents), np.ones((len(names), 3)))
    hips = roles.index("hips") if "hips" in roles else 0
    line = [int(p) for p in parents]
    alone = line[: hips + 1] == list(range(-1, hips)) and all(line.count(k) == 1 for k in range(hips))
    return hips if alone else 0
