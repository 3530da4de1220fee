"""Find problems in clips (glitches, flips, frozen joints, wrong frame rate, duplicates), and repair short glitches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from motionloom.core import Clip, Note, Progress, replace, silent
from motionloom.core.progress import each as in_turn
from motionloom.core.progress import parts
from motionloom.evaluate.capture_checks.calibration import calibration_findings
from motionloom.evaluate.capture_checks.duplicates import RATE, find_duplicates
from motionloom.evaluate.capture_checks.findings import (
    Finding,
    bone_findings,
    floor_findings,
    glitch_findings,
    in_file,
    pace_findings,
    rest_findings,
    still_findings,
)
from motionloom.evaluate.capture_checks.free_fall import MAX_RATE_ERROR, free_falls, true_rate
from motionloom.evaluate.capture_checks.limbs import elbow_findings, knee_findings, sudden_knee_findings
from motionloom.evaluate.capture_checks.stride_rate import stride_rate
from motionloom.jobs import JobFailed
from motionloom.jobs import each as run_each
from motionloom.kinematics.body.proportions import same_bones
from motionloom.kinematics.capture.glitches import Glitch, glitches, mendable, mended
from motionloom.kinematics.capture.tpose import without_tpose
from motionloom.kinematics.mass import GRAVITY

MIN_PARALLEL = 16  # clips from which on they are checked in several processes
REPAIR_PASSES = 4  # a small glitch beside a large one is found only after the large one is repaired

CHECKS: tuple[Callable[[Clip], list[Finding]], ...] = (
    rest_findings,
    calibration_findings,
    glitch_findings,
    still_findings,
    knee_findings,
    sudden_knee_findings,
    elbow_findings,
    floor_findings,
    bone_findings,
    pace_findings,
)
"""The checks of one clip; a new one is a function and a line here."""


def check_clips(clips: Sequence[Clip], *, progress: Progress | None = None) -> list[Finding]:
    """Find the problems of clips, in the order of the clips.

    Glitches, frozen joints and joints that never move, flipped limbs, T-pose frames, feet below or off the floor,
    drifting bone lengths, a pace that swings; a frame rate that free fall or strides contradict (over all clips of
    the same body); duplicates and mirrored duplicates. An added T-pose in frame 0 is reported once and left out of the
    other checks.
    """
    report = progress or silent()
    one_by_one, together = parts(report, [3, 1])
    results = run_each(
        clip_findings,
        clips,
        failed=_unchecked,
        name=lambda clip: clip.name or "clip",
        stage="checking clips",
        progress=one_by_one,
        worth=MIN_PARALLEL,
    )
    out = list(results)
    motions = [without_tpose(clip) for clip in clips]
    for i, finding in rate_findings(motions) + duplicate_findings(motions, together):
        out[i].append(finding)
    report(1.0, "done")
    return [f for found in out for f in found]


def clip_findings(clip: Clip, progress: Progress | None = None) -> list[Finding]:
    """The problems of one clip by itself."""
    motion = without_tpose(clip)
    found = [f for one in in_turn(CHECKS, progress or silent(), "checking clips") for f in one(motion)]
    if motion is not clip:
        text = "frame 0 is a T-pose, not part of the motion"
        found.insert(0, Finding(clip.name or "clip", "T-pose", text, "all", 0, 1, 1.0, "frames", broken=True))
    return found


def _unchecked(clip: Clip, error: JobFailed) -> list[Finding]:
    return [Finding(clip.name or "clip", "not checked", f"could not be checked: {error}")]


def rate_findings(clips: Sequence[Clip]) -> list[tuple[int, Finding]]:
    """Clips whose frame rate is contradicted by free fall, in them or in other clips of the same body."""
    out = []
    for members in _bodies(clips):
        falls = {i: free_falls(clips[i]) for i in members}
        rate = true_rate([f for i in members for f in falls[i]])
        stated = clips[members[0]].fps
        if rate is None:
            out += _stride_findings(clips, members)
        if rate is None or abs(np.log(rate / stated)) < np.log(1 + MAX_RATE_ERROR):
            continue
        seen = [(clips[i], falls[i][0].start) for i in members if falls[i]]
        where = ", ".join(f"{clip.name} frame {in_file(clip, frame)}" for clip, frame in seen[:3])
        fall = GRAVITY * (stated / rate) ** 2
        for i in members:
            text = (
                f"the frame rate is wrong: {stated:g} fps is stated, but the body falls at {fall:.3g} m/s^2 in flight, "
                f"which is 9.81 at {rate:.3g} fps ({where})"
            )
            out.append((i, Finding(clips[i].name or "clip", "frame rate", text, size=rate, unit="fps")))
    return out


def _stride_findings(clips: Sequence[Clip], members: Sequence[int]) -> list[tuple[int, Finding]]:
    """Clips of a body without free fall whose strides do not fit their speed."""
    found = stride_rate([clips[i] for i in members])
    if found is None:
        return []
    rate, length, speed = found
    text = (
        f"the frame rate may be wrong: at the stated {clips[members[0]].fps:g} fps the body walks {speed:.1f} m/s with "
        f"strides of {length:.1f} m, which people do at about {rate:.2g} fps (--source-fps)"
    )
    return [(i, Finding(clips[i].name or "clip", "frame rate", text, size=rate, unit="fps")) for i in members]


def _bodies(clips: Sequence[Clip]) -> list[list[int]]:
    """Groups of clips of the same body at the same stated rate: one subject, recorded together."""
    groups: list[list[int]] = []
    for i, clip in enumerate(clips):
        first = (clips[g[0]] for g in groups)
        home = next((g for g, c in zip(groups, first, strict=True) if _same_body(c, clip)), None)
        if home is None:
            groups.append([i])
        else:
            home.append(i)
    return groups


def _same_body(a: Clip, b: Clip) -> bool:
    return a.fps == b.fps and a.skeleton.names == b.skeleton.names and same_bones(a.skeleton, b.skeleton)


def duplicate_findings(clips: Sequence[Clip], progress: Progress | None = None) -> list[tuple[int, Finding]]:
    """A finding on the later clip of every pair of duplicates or mirrored duplicates."""
    out = []
    for t in find_duplicates(clips, progress=progress):
        other = clips[t.a].name or f"clip {t.a}"
        how = "a mirrored copy of" if t.mirrored else "the same take as"
        start = round(t.start_b * clips[t.b].fps / RATE)
        text = f"{how} {other}: {t.seconds:.3g} s are equal, from frame {in_file(clips[t.b], start)}"
        kind = "mirrored duplicate" if t.mirrored else "duplicate"
        out.append((t.b, Finding(clips[t.b].name or "clip", kind, text, start=start, size=t.seconds, unit="s")))
    return out


def repair(clip: Clip) -> tuple[Clip, list[str]]:
    """The clip without a T-pose in frame 0 and with short glitches interpolated, and a line for each change.

    Long glitches, steps, flipped limbs and frozen joints stay, because their neighbours do not determine the motion;
    the lines list them.
    """
    lines = []
    name = clip.name or "clip"
    motion = without_tpose(clip)
    if motion is not clip:
        clip = motion
        lines.append(f"{name}: frame 0 was a T-pose, dropped")
    touched: list[Glitch] = []
    for _ in range(REPAIR_PASSES):
        found = glitches(clip)
        clip, done = mended(clip, [g for g in found if not any(_overlap(g, t) for t in touched)])
        touched += done
        if not done:
            break
    lines += [f"{name}: {_glitch_text(clip, g)}, interpolated" for g in touched]
    lines += [f"{name}: {_glitch_text(clip, g)}, not repaired ({_obstacle(g, clip.fps)})" for g in glitches(clip)]
    if touched:
        clip = replace(clip, origin=clip.origin.with_notes(Note(f"{len(touched)} glitches repaired")))
    return clip, lines


def _overlap(a: Glitch, b: Glitch) -> bool:
    return a.joint == b.joint and a.start < b.stop and b.start < a.stop


def _glitch_text(clip: Clip, g: Glitch) -> str:
    joint = "root" if g.joint < 0 else clip.skeleton.names[g.joint]
    size = f"{g.size:.2f} m" if g.joint < 0 else f"{np.degrees(g.size):.0f} deg"
    first, last = in_file(clip, g.start), in_file(clip, g.stop - 1)
    return (
        f"{joint} jumps by {size}, frames {first}-{last}" if last > first else f"{joint} jumps by {size}, frame {first}"
    )


def _obstacle(g: Glitch, fps: float) -> str:
    if g.kind == "step":
        return "it jumps and stays there"
    return "its neighbours are too far apart" if mendable(g, fps) else "too long to be interpolated"
