"""Edits of clips behind the commands: each result contains the step that made it (`Origin.made`).

Clips are passed as `io.load` returned them, so that the step names their files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from motionloom.analysis import measure_named, same_rate
from motionloom.analysis.alignment import TimeAlignment, align
from motionloom.analysis.dtw import Ends
from motionloom.analysis.warp import warp
from motionloom.blend import Point, append, transition_point
from motionloom.blend.point import half_window, point_at
from motionloom.core import Clip, Made, Note, Progress, Read, made_here, replace
from motionloom.evaluate.capture_checks.check import repair as repaired
from motionloom.kinematics.body.rest_pose import rebased, stance
from motionloom.kinematics.feet.contacts import with_contacts
from motionloom.kinematics.feet.pinning import SkateReport, remove_skate
from motionloom.kinematics.resample import resample as resampled
from motionloom.kinematics.retarget import RetargetReport
from motionloom.kinematics.retarget import retarget as retargeted


def edit_step(command: str, clips: Sequence[Clip], options: Mapping[str, Any]) -> Made:
    """The step of an edit of these clips; options that are None are left out."""
    reads = tuple(clip.origin.read or Read(clip.name or f"clip {i}", "") for i, clip in enumerate(clips))
    unread = next((read.name for read in reads if not read.sha256), "")
    return made_here(
        command,
        clips=reads,
        edits=[{name: value} for name, value in options.items() if value is not None],
        gap=f"{unread} was not read from a file, or was edited after it was read" if unread else "",
    )


def options_of(step: Made) -> dict[str, Any]:
    """The options that a step was given."""
    return {name: value for edit in step.edits for name, value in edit.items()}


def convert_clip(
    clip: Clip,
    *,
    resample: float | None = None,
    stand: bool = False,
    to_unit: str | float | None = None,
    to_up: str | None = None,
) -> Clip:
    """The clip at another frame rate, on a rest pose that stands; `to_unit` and `to_up` are for `save`."""
    given = {"resample": resample, "stand": stand or None, "to_unit": to_unit, "to_up": to_up}
    step = edit_step("convert", [clip], given)
    clip = clip if resample is None else resampled(clip, resample)
    if stand:
        rest = stance(clip)
        clip = replace(rebased(clip, rest), origin=clip.origin.with_notes(Note(f"rest pose: {rest.said}")))
    return _made(clip, step)


class Cleaned(NamedTuple):
    """A cleaned clip, how its feet slid, and which glitches were mended."""

    clip: Clip
    report: SkateReport
    repaired: list[str]


def clean_clip(
    clip: Clip, *, ease: float = 0.2, ground: float | None = None, find_contacts: bool = False, repair: bool = False
) -> Cleaned:
    """The clip without foot skate; with `repair`, short glitches are mended first."""
    given = {"ease": ease, "ground": ground, "find_contacts": find_contacts or None, "repair": repair or None}
    step = edit_step("clean", [clip], given)
    clip, lines = repaired(clip) if repair else (clip, [])
    clip = with_contacts(clip, fresh=True, ground=ground) if find_contacts else clip
    cleaned, report = remove_skate(clip, ease=ease, ground=ground)
    return Cleaned(_made(cleaned, step), report, lines)


def retarget_clip(
    clip: Clip, body: Clip, *, like: Clip | None = None, plant: bool = True
) -> tuple[Clip, RetargetReport]:
    """The clip's motion on the skeleton of `body`; `like` is a clip in which the clip's own body stands."""
    others = [body] if like is None else [body, like]
    step = edit_step("retarget", [clip, *others], {"plant": None if plant else False})
    made, report = retargeted(clip, body, like=like, plant=plant)
    return _made(made, step), report


class Appended(NamedTuple):
    """Two clips joined by a transition: the result, both at one frame rate, and where they meet."""

    clip: Clip
    a: Clip
    b: Clip
    point: Point
    half: int


def append_clips(
    a: Clip,
    b: Clip,
    *,
    method: str = "blend",
    at: tuple[float, float] | None = None,
    window: float = 0.4,
    search: float = 1.5,
    measure: str = "point-cloud",
    ease: str = "smooth",
    plants: bool = True,
) -> Appended:
    """Clip a, then clip b, joined where they are most alike or `at` two times, at the lower of their frame rates."""
    given = {"method": method, "at": at, "window": window, "search": search, "measure": measure, "ease": ease}
    step = edit_step("append", [a, b], {**given, "plants": None if plants else False})
    one, other = same_rate(a, b)
    half = half_window(window, one.fps)
    if at is None:
        point = transition_point(one, other, half=half, search=search, measure=measure_named(measure))
    else:
        point = point_at(one, other, at, half)
    options: dict[str, Any] = {"ease": ease} if method == "blend" else {}
    joined = append(one, other, method=method, at=point, seconds=window, plants=plants, **options)
    return Appended(_made(joined, step), one, other, point, half)


class Aligned(NamedTuple):
    """Clip b on the clock of clip a, both at one frame rate, and the alignment between them."""

    clip: Clip
    a: Clip
    b: Clip
    alignment: TimeAlignment


def align_clips(
    a: Clip,
    b: Clip,
    *,
    measure: str = "point-cloud",
    weights: str | Mapping[str, float] | None = None,
    window: float = 3 / 60,
    limit: int | None = 3,
    ends: Ends = "fixed",
    knots: float = 0.25,
    progress: Progress | None = None,
) -> Aligned:
    """Clip b warped in time to the clock of clip a, at the lower of their frame rates; options as for `align`.

    `window` is the length of the measure's window and `knots` the distance of the curve's knots, in seconds.
    """
    given = {"measure": measure, "weights": weights, "window": window, "limit": limit or 0, "ends": ends}
    step = edit_step("align", [a, b], {**given, "knots": knots})
    one, other = same_rate(a, b)
    chosen = measure_named(measure, weights=weights, radius=max(1, round(window * one.fps / 2)))
    found = align(one, other, measure=chosen, limit=limit or None, ends=ends, knot_seconds=knots, progress=progress)
    return Aligned(_made(warp(other, found.curve), step), one, other, found)


def _made(clip: Clip, step: Made) -> Clip:
    return replace(clip, origin=clip.origin.with_made(step))
