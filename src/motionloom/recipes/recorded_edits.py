"""Edits of clips that record their recipe: each result contains the step that made it (`Origin.made`).

Clips are given as they were read (`io.load`), so that the step names their files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace as with_fields
from typing import Any, NamedTuple, Unpack

from motionloom.analysis import TimeAlignment, align_cycles, from_key_times, measure_named, same_rate, warp
from motionloom.analysis import align as find_alignment
from motionloom.analysis.alignment import along_curve
from motionloom.analysis.dtw import Ends
from motionloom.analysis.similarity import MeasureSettings
from motionloom.blend import Point, transition_point
from motionloom.blend import append as join_clips
from motionloom.blend.transition_point import half_window, point_at
from motionloom.core import BadRequest, Clip, Made, Note, Progress, Read, made_here, part, replace, silent
from motionloom.core.origin import all_terms
from motionloom.core.progress import parts
from motionloom.core.units import Moment, nearest
from motionloom.core.watched import watched
from motionloom.evaluate.capture_checks.check import repair as repair_glitches
from motionloom.evaluate.inbetween.fill import fill_gap
from motionloom.io.gltf.rig import rig_of, with_axes
from motionloom.kinematics.body.rest_pose import rebased, stance
from motionloom.kinematics.feet.contacts import with_contacts
from motionloom.kinematics.feet.skate_removal import SkateReport, remove_skate
from motionloom.kinematics.loop import Loop, close_loop, find_cycle, find_loop, repeat, seam
from motionloom.kinematics.resample import resample as resampled
from motionloom.kinematics.retarget import RetargetReport
from motionloom.kinematics.retarget import retarget as retargeted
from motionloom.kinematics.root_bone import below_root_bone, with_body, with_root_bone
from motionloom.kinematics.travel import in_place as without_travel
from motionloom.kinematics.trim import trim_contacts, trim_times

MAX_WINDOW = 10.0  # s: of a measure of frames


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


def made_of(made: Clip, clips: Sequence[Clip], step: Made) -> Clip:
    """A new clip with the step that made it, in the unit and up axis of the first source, under the terms of all."""
    first, terms = clips[0].origin, all_terms(clip.origin.licence for clip in clips)
    return _with_step(replace(made, origin=with_fields(made.origin, unit=first.unit, up=first.up, licence=terms)), step)


def options_of(step: Made) -> dict[str, Any]:
    """The options that a step was given."""
    return {name: value for edit in step.edits for name, value in edit.items()}


@watched
def convert(
    clip: Clip,
    *,
    resample: float | None = None,
    stand: bool = False,
    in_place: bool = False,
    root_bone: bool = False,
    to_unit: str | float | None = None,
    to_up: str | None = None,
    progress: Progress | None = None,
) -> Clip:
    """The clip at another frame rate or on a rest pose that stands; `to_unit` and `to_up` are arguments of `save`.

    `in_place` removes the travel over the ground; `root_bone` gives it to a bone on the floor.
    """
    given: dict[str, Any] = {"resample": resample, "stand": stand or None, "to_unit": to_unit, "to_up": to_up}
    given |= {"in_place": in_place or None, "root_bone": root_bone or None}
    step, report = edit_step("convert", [clip], given), progress or silent()
    report(0.0, "resampling")
    clip = clip if resample is None else resampled(clip, resample, progress=part(report, 0.0, 0.5))
    report(0.5, "converting")
    if stand:
        rest = stance(clip)
        clip = replace(rebased(clip, rest), origin=clip.origin.with_notes(Note(f"rest pose: {rest.description}")))
    made = _with_step(_without_travel(clip, in_place, root_bone), step)
    report(1.0, "converting")
    return made


def _without_travel(clip: Clip, in_place: bool, root_bone: bool) -> Clip:
    """The clip without its travel, or with its travel on a bone on the floor."""
    if in_place and root_bone:
        raise BadRequest("in place or with a root bone: a clip in place has no travel to put on a bone")
    if root_bone and rig_of(clip) is not None:
        note = Note("root bone: the rig has no such bone, so GLB gets a plain armature without its mesh", "warning")
        clip = replace(clip, origin=clip.origin.with_notes(note))
    return without_travel(clip) if in_place else with_root_bone(clip) if root_bone else clip


class Looped(NamedTuple):
    """Cycles of a loop, where the loop is in the clip, and if it is one period of a cyclic motion that was found."""

    clip: Clip
    loop: Loop
    is_period: bool


@watched
def loop(
    clip: Clip,
    *,
    times: int = 1,
    start: float | None = None,
    end: float | None = None,
    shortest: float = 0.4,
    longest: float | None = None,
    blend: float = 0.5,
    in_place: bool = False,
    root_bone: bool = False,
    progress: Progress | None = None,
) -> Looped:
    """One cycle of a clip (or from `start` to `end` s), its seam closed, `times` times over.

    The cycle is one period, of at least `shortest` seconds, where its seam is smallest. With `longest`, or where no
    period is found, it is the stretch of at most so many seconds that repeats and covers most. `blend` is the time over
    which the seam fades. The last frame of the result is its first again, carried on by its travel.
    """
    given = {"times": times, "start": start, "end": end, "shortest": shortest, "longest": longest, "blend": blend}
    step = edit_step("loop", [clip], {**given, "in_place": in_place or None, "root_bone": root_bone or None})
    report = progress or silent()
    if (start is None) != (end is None):
        raise BadRequest("give both start and end of a loop, or neither")
    period: Loop | None = None
    if start is not None and end is not None:
        first, last = (nearest(t * clip.fps) for t in (start, end))
        if not 0 <= first < last - 1 < len(clip) - 1:
            raise BadRequest(f"expected a loop inside of {clip.seconds:.2f} s, found {start:g} to {end:g} s")
        found = Loop(first, last, seam(clip, first, last), 0.0, 0.0)
    else:
        period = None if longest else find_cycle(clip, shortest=shortest, progress=part(report, 0.0, 0.4))
        found = period or find_loop(clip, shortest=shortest, longest=longest, progress=part(report, 0.4, 0.8))
    closed = close_loop(clip, found, seconds=blend, progress=part(report, 0.8, 0.9))
    made = repeat(closed, times)
    report(1.0, "closing the loop")
    return Looped(_with_step(_without_travel(made, in_place, root_bone), step), found, period is not None)


def trim(
    clip: Clip,
    *,
    start: Moment = 0,
    end: Moment | None = None,
    contacts: str | None = None,
    strides: int | None = None,
    skip: int = 0,
) -> Clip:
    """The clip between two times, or whole strides from one touch-down of a foot (`contacts`: "left") to another.

    Both together: first the times, then the strides in between; with `strides`, only the first so many after `skip`.
    """
    if strides is not None and contacts is None:
        raise BadRequest("strides: a number of strides needs `contacts`, the foot whose touch-downs limit them")
    given = {"start": start or None, "end": end, "contacts": contacts, "strides": strides, "skip": skip or None}
    made = trim_times(clip, start, end)
    made = trim_contacts(made, contacts, strides, skip) if contacts is not None else made
    return _with_step(made, edit_step("trim", [clip], given))


class Cleaned(NamedTuple):
    """A cleaned clip, how its feet slid, and a line for each gap that was filled and each glitch repaired or not."""

    clip: Clip
    report: SkateReport
    repaired: list[str]


@watched
def clean(
    clip: Clip,
    *,
    ease: float = 0.2,
    ground: float | None = None,
    find_contacts: bool = False,
    repair: bool = False,
    fill: Sequence[Sequence[float]] = (),
    like: Sequence[Clip] = (),
    progress: Progress | None = None,
) -> Cleaned:
    """The clip without foot skate; with `repair`, short glitches are interpolated first.

    `fill` are spans (from, to) in seconds whose frames are replaced, by those around them and by what similar frames of
    the clip and of the clips `like` do (`fill_gap`). Contacts are the clip's labels, or found; `find_contacts` finds
    them even where the clip has labels. `ease` is the time in seconds over which the path of a foot bends before and
    after a contact.
    """
    given = {"ease": ease, "ground": ground, "find_contacts": find_contacts or None, "repair": repair or None}
    step = edit_step("clean", [clip, *like], {**given, "fill": [list(map(float, span)) for span in fill] or None})
    filling, first, second = parts(progress or silent(), [2 * len(fill), 1 if repair or find_contacts else 0, 2])
    gaps = []
    for (start, end), report in zip(fill, parts(filling, [1] * len(fill)), strict=True):
        made = fill_gap(clip, nearest(start * clip.fps), nearest(end * clip.fps), like, report)
        clip = made.clip
        gaps.append(f"{clip.name}: {start:g} to {end:g} s filled by {made}")
    first(0.0, "repairing glitches" if repair else "finding contacts")
    clip, lines = repair_glitches(clip) if repair else (clip, [])
    clip = with_contacts(clip, fresh=True, ground=ground) if find_contacts else clip
    body = below_root_bone(clip)
    cleaned, skate = remove_skate(body, ease=ease, ground=ground, progress=second)
    if body is not clip:  # the bone goes with the hips over the ground, and stays on it
        cleaned = with_body(replace(clip, root=clip.root + (cleaned.root - body.root) * [1, 0, 1]), cleaned)
    return Cleaned(_with_step(cleaned, step), skate, [*gaps, *lines])


class Retargeted(NamedTuple):
    """A clip on another skeleton, and how it was transferred."""

    clip: Clip
    report: RetargetReport


@watched
def retarget(
    clip: Clip,
    body: Clip,
    *,
    like: Clip | None = None,
    plant: bool = True,
    axes: str = "rig",
    progress: Progress | None = None,
) -> Retargeted:
    """The clip's motion on the skeleton of `body`; `like` is a clip in which the clip's own body stands.

    With `plant`, feet and hands go to the scaled positions of the source's, and feet are held during contacts.
    `axes` are the local frames of joints in BVH files, for a `body` from glTF: those of the "rig", or along the "world"
    axes in the rest pose.
    """
    if axes not in ("rig", "world"):
        raise BadRequest(f"axes: expected rig or world, found {axes!r}")
    others = [body] if like is None else [body, like]
    given = {"plant": None if plant else False, "axes": None if axes == "rig" else axes}
    step = edit_step("retarget", [clip, *others], given)
    made, report = retargeted(clip, body, like=like, plant=plant, progress=progress)
    return Retargeted(_with_step(with_axes(made, axes), step), report)


class Appended(NamedTuple):
    """Two clips joined by a transition: the result, both clips at one frame rate, and where they meet."""

    clip: Clip
    a: Clip
    b: Clip
    point: Point
    half: int  # frames of the transition on each side of the point


@watched
def append(
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
    stiffness: float | None = None,
    contacts: bool = False,
    threshold: float | None = None,
    weights: str | Mapping[str, float] | None = None,
    progress: Progress | None = None,
    **settings: Unpack[MeasureSettings],
) -> Appended:
    """Clip `a`, then clip `b`, joined where they are most similar or `at` two times, at the lower frame rate.

    `method` is "blend", "stitch" or "spacetime"; `window` is the length of the transition in seconds; `stiffness` that
    of `spacetime`. `contacts` and `threshold` as for `blend.transition_point`, `weights` and `settings` of the measure
    as for `analysis.measure_named`.
    """
    given = {"method": method, "at": at, "window": window, "search": search, "measure": measure, "ease": ease}
    if stiffness is not None and method != "spacetime":
        raise BadRequest(f"stiffness: only with method spacetime, found {method}")
    given |= {"plants": None if plants else False, "stiffness": stiffness, "contacts": contacts or None}
    step = edit_step("append", [a, b], {**given, "threshold": threshold, "weights": weights, **settings})
    report = progress or silent()
    one, other = same_rate(a, b)
    half = half_window(window, one.fps)
    if at is None:
        chosen = measure_named(measure, weights=weights, **settings)
        rules: dict[str, Any] = {"contacts": contacts, "threshold": threshold, "progress": part(report, 0.0, 0.3)}
        point = transition_point(one, other, half=half, search=search, measure=chosen, **rules)
    else:
        point = point_at(one, other, at, half)
    options: dict[str, Any] = {"ease": ease} if method == "blend" else {}
    options |= {} if stiffness is None else {"stiffness": stiffness}
    options["progress"] = part(report, 0.3, 1.0)
    joined = join_clips(one, other, method=method, at=point, seconds=window, plants=plants, **options)
    report(1.0, "joining")
    return Appended(_with_step(joined, step), one, other, point, half)


class Aligned(NamedTuple):
    """Clip `b` timed as clip `a`, both clips at one frame rate, and the alignment between them."""

    clip: Clip
    a: Clip
    b: Clip
    alignment: TimeAlignment


@watched
def align(
    a: Clip,
    b: Clip,
    *,
    measure: str = "point-cloud",
    weights: str | Mapping[str, float] | None = None,
    window: float = 3 / 60,
    limit: int | None = 3,
    ends: Ends = "fixed",
    knots: float = 0.25,
    keys: Sequence[Sequence[float]] | None = None,
    cycles: str | None = None,
    progress: Progress | None = None,
    **settings: Unpack[MeasureSettings],
) -> Aligned:
    """Clip `b` warped in time to match clip `a`, at the lower frame rate; options as for `analysis.align`.

    `window` is the length of the measure's window and `knots` the distance of the curve's knots, in seconds. Instead
    of by similarity, clips are aligned by `keys` (seconds of the same events in `a` and in `b`) or by the `cycles` of
    a foot (GUAN 2.3.1). `settings` of the measure as for `analysis.measure_named`.
    """
    if keys is not None and (cycles is not None or len(keys) != 2):
        raise BadRequest("keys: expected the times of the same events in both clips, without cycles")
    if not 0 <= window <= MAX_WINDOW:
        raise BadRequest(f"expected 0 to {MAX_WINDOW:g} s, found {window}", where=("window",))
    given: dict[str, Any] = {
        "measure": measure,
        "weights": weights,
        "window": window,
        "limit": limit or 0,
        "ends": ends,
    }
    given |= {"knots": knots, "keys": None if keys is None else [list(map(float, k)) for k in keys], "cycles": cycles}
    step = edit_step("align", [a, b], {**given, **settings})
    one, other = same_rate(a, b)
    chosen = measure_named(measure, weights=weights, radius=max(1, round(window * one.fps / 2)), **settings)
    if keys is not None or cycles is not None:
        curve = from_key_times(keys) if keys is not None else align_cycles([one, other], foot=str(cycles))
        found = along_curve(one, other, curve, measure=chosen, progress=progress)
        return Aligned(_with_step(warp(other, found.curve), step), one, other, found)
    found = find_alignment(
        one, other, measure=chosen, limit=limit or None, ends=ends, knot_seconds=knots, progress=progress
    )
    return Aligned(_with_step(warp(other, found.curve), step), one, other, found)


def _with_step(clip: Clip, step: Made) -> Clip:
    return replace(clip, origin=clip.origin.with_made(step))
