"""Clips prepared for learning: one skeleton, one frame rate, no T-pose, broken frames left out or mended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from motionloom.core import (
    BadRequest,
    Clip,
    Markers,
    Note,
    Progress,
    SkeletonMismatch,
    replace,
    require_same_hierarchy,
    same_hierarchy,
    silent,
)
from motionloom.core.note import info, warning
from motionloom.core.progress import each
from motionloom.core.watched import watched
from motionloom.kinematics.body.proportions import in_joint_order, leg_length, on_skeleton, same_bones
from motionloom.kinematics.capture.glitches import (
    broken_frames,
    glitches,
    is_slight,
    mended,
    small_joints,
    whole_pieces,
)
from motionloom.kinematics.capture.sudden_knees import without_sudden_knees
from motionloom.kinematics.capture.tpose import without_tpose
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.resample import resample

MIN_PIECE = 0.5  # s: shorter pieces of a clip are left out


class PreparedClips(NamedTuple):
    """Clips of one skeleton at one frame rate, with notes about their preparation."""

    clips: tuple[Any, ...]  # clips; or takes of markers, for methods that learn from those
    notes: tuple[Note, ...]
    owners: tuple[int, ...]  # for each clip, the index of the given clip that it is (a piece of)


@watched
def prepare(
    clips: Sequence[Clip],
    fps: float | None,
    *,
    trim_tpose: bool = True,
    broken: str = "leave out",
    margin: float = 0.0,
    progress: Progress | None = None,
) -> PreparedClips:
    """Clips put on the first one's skeleton, without T-pose and broken frames, at `fps` (None: their own frame rate).

    With equal names and parents but other bone lengths, rotations are kept and the root is scaled by leg length.
    Another hierarchy is a `SkeletonMismatch`. Frames that `motionloom check` reports as broken (glitches, flips) are
    left out, so a clip may become several, and so are those within `margin` seconds of them; slight glitches are
    mended. With `broken` "mend", all short glitches are mended and clips stay whole; with "keep", nothing is done.
    """
    if not clips:
        raise BadRequest("expected at least one clip to learn from, found none")
    skeleton, given = clips[0].skeleton, clips
    clips = [in_joint_order(clip, skeleton) for clip in given]
    _require_one_kind(clips)
    out: list[Clip] = []
    owners: list[int] = []
    unusable: list[str] = []  # clips without a piece that is long enough
    done_to: dict[str, list[str]] = {}  # the clips that each preparation was applied to
    if moved := [old.name for old, new in zip(given, clips, strict=True) if old is not new]:
        done_to["joints in another order, put in the first clip's order"] = moved
    fps = _own_fps(clips) if fps is None else fps
    for i, clip in enumerate(each(clips, progress or silent(), "preparing clips", [len(c) for c in clips])):
        name = clip.name or f"clip {i}"
        motion = without_tpose(clip)
        tpose = motion is not clip
        if trim_tpose and tpose:
            clip = motion
            done_to.setdefault("frame 0 is a T-pose, left out", []).append(name)
        if clip.skeleton is not skeleton:
            same = same_bones(skeleton, clip.skeleton, names=(clips[0].name or "clip 0", name))
            if not same:
                scale = leg_length(skeleton) / leg_length(clip.skeleton)
                done = f"other bone lengths, put on the first clip's skeleton, root scaled by {scale:.3f}"
                done_to.setdefault(done, []).append(name)
            clip = replace(clip, skeleton=skeleton) if same else on_skeleton(clip, skeleton)
        kept = broken == "keep" or (tpose and not trim_tpose)  # the jump from a T-pose that is kept is not an error
        pieces, changes = ([clip], []) if kept else _without_broken_frames(clip, broken == "mend", margin)
        for done in filter(None, changes):
            done_to.setdefault(done, []).append(name)
        if not pieces:
            unusable.append(name)
        if clip.fps != fps:
            done_to.setdefault(f"{clip.fps:g} fps, resampled to {fps:g}", []).append(name)
            pieces = [resample(piece, fps) for piece in pieces]
        out += pieces
        owners += [i] * len(pieces)
    if not out:
        raise BadRequest(
            f"no clips left to learn from: all frames of {_listed([c.name or 'a clip' for c in clips])} are broken"
        )
    notes = info(*(f"{_listed(names)}: {done}" for done, names in done_to.items()))
    if unusable:
        why = f"broken, or in pieces under {MIN_PIECE:g} s between broken ones (`motionloom check` lists them)"
        notes += (warning(f"{_listed(unusable)}: all frames left out: {why}"),)
    return PreparedClips(tuple(out), notes, tuple(owners))


def as_they_are(method: str, takes: Sequence[Clip | Markers], fps: float | None) -> PreparedClips:
    """Takes for a method that prepares them itself; at one frame rate if it is to be theirs."""
    if not takes:
        raise BadRequest(f"expected takes to learn {method} from, found none")
    if fps is None:
        _own_fps(takes)
    return PreparedClips(tuple(takes), (), tuple(range(len(takes))))


def _own_fps(clips: Sequence[Clip | Markers]) -> float:
    """The frame rate that all clips share; `BadRequest` if they have several."""
    rates = sorted({clip.fps for clip in clips})
    if len(rates) > 1:
        shown = ", ".join(f"{rate:g}" for rate in rates)
        raise BadRequest(f"the clips are at {shown} fps: give `fps`, or clips at one frame rate")
    return rates[0]


def _require_one_kind(clips: Sequence[Clip]) -> None:
    """`SkeletonMismatch` that lists which clips share a skeleton, unless all have the same joints."""
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
        raise SkeletonMismatch(f"{error}; a model needs clips of one skeleton, found {sets}") from None


def _without_broken_frames(clip: Clip, mend: bool, margin: float) -> tuple[list[Clip], list[str]]:
    """The clip without its broken frames, in pieces; or whole, with short glitches mended; and notes about it.

    What costs no frames is mended in any case: slight glitches, those of small joints, and sudden knees.
    """
    small = set(small_joints(clip.skeleton))
    found = [g for g in glitches(clip) if mend or is_slight(g, clip.fps) or g.joint in small]
    clip, done = mended(clip, found)
    clip, knees = without_sudden_knees(clip)
    count = len(done) + knees
    if mend:
        mends = "1 glitch mended by its" if count == 1 else f"{count} glitches mended by their"
        return [clip], [f"{mends} neighbours" if count else ""]
    pieces = whole_pieces(clip)
    if margin and not (pieces and pieces[0] is clip):
        pieces = _pieces_with_margin(clip, round(margin * clip.fps))
    lost = len(clip) - sum(len(p) for p in pieces)
    near = f", with those within {margin:g} s of them" if margin else ""
    frames = "1 broken frame" if lost == 1 else f"{lost} broken frames"
    left_out = f"{frames} left out (listed by `motionloom check`){near}" if lost and pieces else ""
    return pieces, [left_out, "short glitches mended by their neighbours" if count else ""]


def _pieces_with_margin(clip: Clip, margin: int) -> list[Clip]:
    """The pieces of a clip without broken frames and those close to them, which are often wrong as well."""
    wide = np.convolve(broken_frames(clip), np.ones(2 * margin + 1), mode="same") > 0
    return [clip[a:b] for a, b in runs(~wide) if b - a >= max(2, round(MIN_PIECE * clip.fps))]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, {names[1]} and {len(names) - 2} more clips"
