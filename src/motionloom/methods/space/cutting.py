"""Examples cut out of clips: cycles of either foot with mirrored copies, or a time around each event."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from motionloom.blend.registration import contact_events
from motionloom.core import BadRequest, Clip, FloatArray, Progress, with_labels
from motionloom.core.progress import each, parts
from motionloom.kinematics.feet.contacts import runs, with_contacts
from motionloom.kinematics.feet.skate_removal import pin_plants
from motionloom.kinematics.loop import repeat, seam, seam_features
from motionloom.kinematics.mirror import mirror as mirrored_clip
from motionloom.kinematics.resample import at_frames
from motionloom.kinematics.travel import travel
from motionloom.methods.space.close_cycles import closed

MIN_CYCLE, MAX_CYCLE = 0.25, 3.0  # s
MIN_STRIDE = 0.2  # m that a cycle of locomotion travels
BORDER = 2  # frames by which the end of a cycle may move to where the body is most as at its beginning
REGULAR = 0.35  # of the median: cycles that last longer or shorter by more are not regular


class ExampleCut(NamedTuple):
    """An example: the part of a clip that is played, and what it was cut from."""

    clip: Clip  # frame 0 is u = 0; its last frame is u = 1, unless a margin follows
    source: int  # number of the clip
    first: int  # frame of the source at u = 0
    last: int  # frame of the source at u = 1
    mirrored: bool
    before: int = 0  # frames of margin before u = 0
    after: int = 0  # frames of margin after u = 1
    seam: float = 0.0  # m: how far the ends of a cycle were apart before it was closed
    swerve: float = 0.0  # rad: how much more a cycle turns in its first half than in its second
    regular: bool = True  # whether a cycle lasts about as long as the others; if not, it is not closed

    @property
    def name(self) -> str:
        """`walk.bvh#120-156`, or `mirrored walk.bvh#120-156`."""
        side = "mirrored " if self.mirrored else ""
        return f"{side}{self.clip.name or f'clip {self.source}'}#{self.first}-{self.last}"

    @property
    def played(self) -> Clip:
        """The part from u = 0 to u = 1."""
        return self.clip[self.before : len(self.clip) - self.after]


def steady(clip: Clip) -> Clip:
    """The clip with its contacts as labels, and with feet that stand still in them as far as they do not roll."""
    marked = with_contacts(clip)
    pinned = pin_plants(marked).clip
    return with_labels(pinned, {n: marked.label(n) for n in marked.label_names if n.startswith("contact:")})


def walks(clips: Sequence[Clip], progress: Progress) -> bool:
    """Whether every clip contains a cycle of locomotion."""
    found = map(with_contacts, each(clips, progress, "searching cycles"))
    return all(_cycles(clip, 0, "left") or _cycles(clip, 0, "right") for clip in found)


def cut_cycles(
    clips: Sequence[Clip], *, mirror: str, margin: float | None = None, progress: Progress
) -> list[ExampleCut]:
    """All cycles from one step of the left foot to its next; unless `mirror` is none, those of the right too, mirrored.

    They are closed, with their `other_sides` if `mirror` is all; or, with a margin in seconds, left as they are, with
    so much of the clip around them. Those of an unusual duration are marked. `BadRequest` for a clip without any.
    """
    out: list[ExampleCut] = []
    cutting, closing = parts(progress, [1, 1])
    for i, clip in enumerate(map(steady, each(clips, cutting, "cutting examples"))):
        found = _cycles(clip, i, "left", margin)
        if mirror != "none":
            found += _cycles(clip, i, "right", margin)
        if not found:
            raise BadRequest(
                f"{clip.name or f'clip {i}'} has no cycle: from one step of a foot to its next, {MIN_CYCLE:g} to "
                f"{MAX_CYCLE:g} s and {MIN_STRIDE:g} m or more; `cut: none` uses clips as they are"
            )
        out += found
    lengths = np.array([cut.last - cut.first for cut in out])
    usual = float(np.median(lengths))
    out = [cut._replace(regular=abs(n - usual) <= REGULAR * usual) for cut, n in zip(out, lengths, strict=True)]
    if margin is not None:
        return out
    cycles = [_closed_cut(cut) if cut.regular else cut for cut in each(out, closing, "closing cycles")]
    return [*cycles, *other_sides(cycles)] if mirror == "all" else cycles


def other_sides(cuts: Sequence[ExampleCut]) -> list[ExampleCut]:
    """Closed cycles in a mirror, begun half a cycle later, with the left foot as all are: right turns for left ones."""
    out = []
    for cut in (cut for cut in cuts if cut.regular):
        clip = mirrored_clip(cut.clip)
        steps = [round(e.seconds * clip.fps) for e in contact_events(clip, ("left",)) if e.name.endswith("down")]
        if len(steps) == 1:
            turned = repeat(clip, 2)[steps[0] : steps[0] + len(clip)]
            out.append(cut._replace(clip=turned, mirrored=not cut.mirrored))
    return out


def _aligned(clip: Clip, rows: FloatArray, a: int, b: int) -> Clip:
    """Frames a to b of a clip, b moved by up to two frames, also fractions of one, to where the body is most as at a.

    A foot that lands moves by centimetres within a frame. `rows` are the `seam_features` of the clip.
    """
    at = b + np.linspace(-BORDER, BORDER, 20 * BORDER + 1)
    at = at[at <= len(rows) - 1]
    low = np.minimum(at.astype(np.int64), len(rows) - 2)
    share = (at - low)[:, None]
    near = (1 - share) * rows[low] + share * rows[low + 1]
    end = float(at[np.linalg.norm(near - rows[a], axis=1).argmin()])
    return at_frames(clip, np.linspace(a, end, round(end - a) + 1), clip.fps, cubic=True)


def _closed_cut(cut: ExampleCut) -> ExampleCut:
    end = len(cut.clip) - 1
    heading = travel(cut.clip).heading
    swerve = float(2 * heading[end // 2] - heading[0] - heading[end]) if end > 1 else 0.0
    return cut._replace(clip=closed(cut.clip), seam=seam(cut.clip, 0, end), swerve=swerve)


def _cycles(clip: Clip, source: int, side: str, margin: float | None = None) -> list[ExampleCut]:
    downs = [round(e.seconds * clip.fps) for e in contact_events(clip, (side,)) if e.name.endswith("down")]
    place = travel(clip).place
    rows = seam_features(clip) if margin is None else None
    out = []
    for a, b in pairwise(downs):
        seconds = (b - a) / clip.fps
        if b - a < 4 or not MIN_CYCLE <= seconds <= MAX_CYCLE or np.linalg.norm(place[b] - place[a]) < MIN_STRIDE:
            continue
        rim = round((margin or 0.0) * clip.fps)
        if a < rim or b + rim >= len(clip):
            continue
        cut = _with_margin(clip, source, a, b, rim)
        if rows is not None:
            cut = cut._replace(clip=_aligned(clip, rows, a, b))
        out.append(cut._replace(clip=mirrored_clip(cut.clip), mirrored=True) if side == "right" else cut)
    return out


def cut_events(
    clips: Sequence[Clip], label: str, *, before: float, after: float, margin: float, mirror: bool, progress: Progress
) -> list[ExampleCut]:
    """The time around each run of a label: `before` seconds to `after` seconds from its middle, with a margin."""
    out: list[ExampleCut] = []
    for i, clip in enumerate(map(steady, each(clips, progress, "cutting examples"))):
        spans = runs(clip.label(label))
        if not spans:
            raise BadRequest(
                f"{clip.name or f'clip {i}'} has no label {label!r}; its labels: {', '.join(clip.label_names)}"
            )
        rim = round(margin * clip.fps)
        for start, stop in spans:
            at = (start + stop - 1) / 2
            a, b = round(at - before * clip.fps), round(at + after * clip.fps)
            if a < 0 or b >= len(clip):
                continue
            out.append(_with_margin(clip, i, a, b, rim))
    if not out:
        raise BadRequest(f"no run of {label!r} has {before:g} s before and {after:g} s after it in its clip")
    return _both(out, mirror)


def whole_clips(clips: Sequence[Clip], *, margin: float, mirror: bool, progress: Progress) -> list[ExampleCut]:
    """Every clip as it is, without a margin of frames at both ends, which is kept for transitions."""
    out = []
    for i, clip in enumerate(map(steady, each(clips, progress, "cutting examples"))):
        rim = min(round(margin * clip.fps), max(0, (len(clip) - 8) // 4))
        out.append(_with_margin(clip, i, rim, len(clip) - 1 - rim, rim))
    return _both(out, mirror)


def _with_margin(clip: Clip, source: int, a: int, b: int, rim: int) -> ExampleCut:
    low, high = max(0, a - rim), min(len(clip) - 1, b + rim)
    return ExampleCut(clip[low : high + 1], source, a, b, False, a - low, high - b)


def _both(cuts: list[ExampleCut], mirror: bool) -> list[ExampleCut]:
    extra = [cut._replace(clip=mirrored_clip(cut.clip), mirrored=True) for cut in cuts] if mirror else []
    return [*cuts, *extra]
