"""From clips as they are to clips that a method can learn from together."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from motionloom.constraints import MotionParameter
from motionloom.core import (
    BadRequest,
    Clip,
    Note,
    Progress,
    SkeletonMismatch,
    part,
    replace,
    require_same_hierarchy,
    same_hierarchy,
    silent,
)
from motionloom.core.errors import unknown
from motionloom.core.progress import each
from motionloom.io.digest import clip_sha256, file_sha256
from motionloom.kinematics.body.proportions import leg_length, on_skeleton, same_bones
from motionloom.kinematics.capture.glitches import broken_frames, mended, whole_pieces
from motionloom.kinematics.capture.tpose import without_tpose
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.resample import resample
from motionloom.methods.base import Learned, Measured, Model
from motionloom.methods.recipe import learning_steps
from motionloom.methods.table import METHODS

SHORTEST = 0.5  # s: pieces of a clip that are shorter are left out


class Prepared(NamedTuple):
    """Clips of one skeleton at one frame rate, and what was done to them."""

    clips: tuple[Clip, ...]
    notes: tuple[Note, ...]
    owners: tuple[int, ...]  # for each clip, the number of the given one it is (a piece of)


def prepare(
    clips: Sequence[Clip],
    fps: float | None,
    *,
    trim_tpose: bool = True,
    broken: str = "leave out",
    spare: float = 0.0,
    progress: Progress | None = None,
) -> Prepared:
    """Clips put on the first one's skeleton, without T-pose and broken frames, at `fps` (None: their own frame rate).

    Same names and parents with other bone lengths: the rotations are kept and the root is scaled by leg length. Another
    hierarchy is a `SkeletonMismatch`. Frames that `motionloom check` calls broken are left out, so a clip may become
    several, and so are those within `spare` seconds of them; or `broken` is "mend" (short glitches are mended, clips
    stay whole) or "keep".
    """
    if not clips:
        raise BadRequest("there is nothing to learn from: give at least one clip")
    _require_one_kind(clips)
    skeleton = clips[0].skeleton
    out: list[Clip] = []
    owners: list[int] = []
    said: dict[str, list[str]] = {}  # what was done, and to which clips
    fps = _own_fps(clips) if fps is None else fps
    for i, clip in enumerate(each(clips, progress or silent(), "preparing clips", [len(c) for c in clips])):
        name = clip.name or f"clip {i}"
        motion = without_tpose(clip)
        tpose = motion is not clip
        if trim_tpose and tpose:
            clip = motion
            said.setdefault("frame 0 is a T-pose, left out", []).append(name)
        if clip.skeleton is not skeleton:
            same = same_bones(skeleton, clip.skeleton, names=(clips[0].name or "clip 0", name))
            if not same:
                scale = leg_length(skeleton) / leg_length(clip.skeleton)
                done = f"other bone lengths, put on the first clip's skeleton, root scaled by {scale:.3f}"
                said.setdefault(done, []).append(name)
            clip = replace(clip, skeleton=skeleton) if same else on_skeleton(clip, skeleton)
        kept = broken == "keep" or (tpose and not trim_tpose)  # the jump from a T-pose that is kept is no fault
        pieces, done = ([clip], "") if kept else _unbroken(clip, broken == "mend", spare)
        if done:
            said.setdefault(done, []).append(name)
        if clip.fps != fps:
            said.setdefault(f"{clip.fps:g} fps, resampled to {fps:g}", []).append(name)
            pieces = [resample(piece, fps) for piece in pieces]
        out += pieces
        owners += [i] * len(pieces)
    if not out:
        raise BadRequest(
            f"there is nothing to learn from: all of {_listed([c.name or 'a clip' for c in clips])} is broken"
        )
    notes = tuple(Note(f"{_listed(names)}: {done}") for done, names in said.items())
    return Prepared(tuple(out), notes, tuple(owners))


def _own_fps(clips: Sequence[Clip]) -> float:
    """The frame rate that all clips share; `BadRequest` if they have several."""
    rates = sorted({clip.fps for clip in clips})
    if len(rates) > 1:
        shown = ", ".join(f"{rate:g}" for rate in rates)
        raise BadRequest(f"these clips are at {shown} fps: without `fps`, a model needs clips at one frame rate")
    return rates[0]


def _require_one_kind(clips: Sequence[Clip]) -> None:
    """`SkeletonMismatch` that says which clips belong together, unless all have the same joints."""
    kinds: list[list[int]] = []
    for i, clip in enumerate(clips):
        home = next((k for k in kinds if same_hierarchy(clips[k[0]].skeleton, clip.skeleton)), None)
        if home is None:
            kinds.append([i])
        else:
            home.append(i)
    if len(kinds) < 2:
        return
    names = [clip.name or f"clip {i}" for i, clip in enumerate(clips)]
    sets = "; ".join(f"{_listed([names[i] for i in k])} ({len(clips[k[0]].skeleton)} joints)" for k in kinds)
    try:
        require_same_hierarchy(*(clips[k[0]].skeleton for k in kinds[:2]), names=[names[k[0]] for k in kinds[:2]])
    except SkeletonMismatch as error:
        raise SkeletonMismatch(f"{error}; a model learns from one kind of skeleton, and here are {sets}") from None


def _unbroken(clip: Clip, mend: bool, spare: float) -> tuple[list[Clip], str]:
    """The clip without its broken frames, in pieces; or in one, with what can be mended mended; and what was done."""
    if mend:
        whole, done = mended(clip)
        glitches = "1 glitch mended by its" if len(done) == 1 else f"{len(done)} glitches mended by their"
        return [whole], f"{glitches} neighbours" if done else ""
    pieces = whole_pieces(clip)
    if spare and not (pieces and pieces[0] is clip):
        pieces = _spared(clip, round(spare * clip.fps))
    lost = len(clip) - sum(len(p) for p in pieces)
    near = f", with those within {spare:g} s of them" if spare else ""
    frames = "1 broken frame" if lost == 1 else f"{lost} broken frames"
    return pieces, f"{frames} left out (`motionloom check` says where){near}" if lost else ""


def _spared(clip: Clip, spare: int) -> list[Clip]:
    """What is left without broken frames and those next to them, in which captures are often wrong already."""
    wide = np.convolve(broken_frames(clip), np.ones(2 * spare + 1), mode="same") > 0
    return [clip[a:b] for a, b in runs(~wide) if b - a >= max(2, round(SHORTEST * clip.fps))]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, {names[1]} and {len(names) - 2} more clips"


def learn(
    method: str,
    clips: Sequence[Clip],
    config: Any = None,
    *,
    seed: int = 0,
    files: Sequence[str | Path] | None = None,
    trim_tpose: bool = True,
    parameters: Sequence[MotionParameter] = (),
    progress: Progress | None = None,
) -> Model[Any]:
    """Learn a model by name from clips. `config` is the method's Config, a mapping of its fields, or None.

    Clips are prepared first (see `prepare`; what was done is in `model.notes`). Learning is the same for the same seed.
    `parameters` are the user's own: measured on every clip; the model keeps names and values, never the functions.
    `files`, one for each clip, are hashed for the model's list of sources; without them the clips' numbers are.
    """
    if method not in METHODS:
        raise BadRequest(unknown(method, METHODS, "method"))
    module = METHODS[method].module()
    if config is None or isinstance(config, Mapping):
        config = module.Config.of(config or {})
    if not isinstance(config, module.Config):
        raise BadRequest(f"{method} needs its own Config, found {type(config).__name__}")
    if files is not None and len(files) != len(clips):
        raise BadRequest(f"expected one file for each of {len(clips)} clips, found {len(files)}")
    broken = "mend" if module.MODEL.needs_whole_clips else "leave out"
    report = progress or silent()
    asked = {"trim_tpose": trim_tpose, "broken": broken, "spare": module.MODEL.glitch_margin}
    ready = prepare(clips, config.fps, **asked, progress=part(report, 0.0, 0.1))
    rng = np.random.default_rng([seed])
    model: Model[Any] = module.fit(ready.clips, config, rng=rng, progress=part(report, 0.1, 1.0))
    hashes = [(clip_sha256(c), "clip") for c in clips] if files is None else [(file_sha256(f), "file") for f in files]
    used = [sum(len(c) for c, k in zip(ready.clips, ready.owners, strict=True) if k == i) for i in range(len(clips))]
    sources = tuple(
        Learned(clip.name or f"clip {i}", frames, sha, of, clip.origin.licence)
        for i, (clip, frames, (sha, of)) in enumerate(zip(clips, used, hashes, strict=True))
    )
    measured = tuple(
        Measured(p.name, p.unit, p.size, np.stack([p.measured(clip) for clip in ready.clips])) for p in parameters
    )
    own = [p.name for p in parameters]
    made = learning_steps(method, config, clips, seed=seed, trim_tpose=trim_tpose, measured=own)
    notes = ready.notes + model.notes
    report(1.0, "done")
    return dataclasses.replace(model, sources=sources, notes=notes, measured=measured, made=made)
