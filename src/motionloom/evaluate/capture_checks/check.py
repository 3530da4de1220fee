"""Find problems in clips (glitches, flips, frozen joints, wrong frame rate, duplicates), and repair short glitches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from motionloom.core import Clip, Note, Progress, Skeleton, replace, silent
from motionloom.core.progress import each as in_turn
from motionloom.core.progress import parts
from motionloom.core.watched import watched
from motionloom.evaluate.capture_checks.duplicates import duplicate_findings
from motionloom.evaluate.capture_checks.findings import (
    Finding,
    bone_findings,
    floor_findings,
    glitch_findings,
    in_file,
    own_frames,
    pace_findings,
    rest_findings,
    still_findings,
)
from motionloom.evaluate.capture_checks.frame_rate import rate_findings
from motionloom.evaluate.capture_checks.held_tpose import calibration_findings
from motionloom.evaluate.capture_checks.knees_and_elbows import bend_findings, sudden_knee_findings
from motionloom.evaluate.capture_checks.summary import SKETCH, ClipSummary, summary
from motionloom.jobs import JobFailed
from motionloom.jobs import each as run_each
from motionloom.kinematics.capture.glitches import Glitch, glitches, glitches_with_bends, mendable, mended
from motionloom.kinematics.capture.tpose import without_tpose

MIN_PARALLEL = 16  # clips from which on they are checked in several processes
REPAIR_PASSES = 4  # a small glitch beside a large one is found only after the large one is repaired
FILL_MARGIN = 0.1  # s: before and after a glitch that is to be filled

CHECKS: tuple[Callable[[Clip], list[Finding]], ...] = (
    rest_findings,
    calibration_findings,
    glitch_findings,
    still_findings,
    bend_findings,
    sudden_knee_findings,
    floor_findings,
    bone_findings,
    pace_findings,
)
"""The checks of one clip; a new one is a function and a line here."""


@watched
def check_clips(clips: Sequence[Clip], *, progress: Progress | None = None) -> list[Finding]:
    """Find the problems of clips, in the order of the clips.

    Glitches, frozen joints and joints that never move, flipped limbs, T-pose frames, feet below or off the floor,
    drifting bone lengths, a pace that swings; a frame rate that free fall or strides contradict (over all clips of
    the same body); duplicates and mirrored duplicates. An added T-pose in frame 0 is reported once and left out of the
    other checks.
    """
    one_by_one, together = parts(progress or silent(), [3, 1])
    results = run_each(
        summarise,
        clips,
        failed=_unchecked,
        name=lambda clip: clip.name or "clip",
        stage="checking clips",
        progress=one_by_one,
        worth=MIN_PARALLEL,
    )
    return findings_of(list(results), lambda i: without_tpose(clips[i]), progress=together)


def findings_of(
    summaries: Sequence[ClipSummary], motion: Callable[[int], Clip], *, progress: Progress | None = None
) -> list[Finding]:
    """The findings of all clips, those of each by itself first; `motion` gives a clip that is needed once more."""
    report = progress or silent()
    out = [list(one.findings) for one in summaries]
    for i, finding in rate_findings(summaries) + duplicate_findings(summaries, motion, report):
        out[i].append(finding)
    report(1.0, "done")
    return [f for found in out for f in found]


def summarise(clip: Clip, progress: Progress | None = None) -> ClipSummary:
    """The problems of one clip by itself, and what is compared with other clips."""
    return summary(without_tpose(clip), clip_findings(clip, progress))


def clip_findings(clip: Clip, progress: Progress | None = None) -> list[Finding]:
    """The problems of one clip by itself; frames are counted in its file, also if it was synthesized."""
    clip = own_frames(clip)
    motion = without_tpose(clip)
    found = [f for one in in_turn(CHECKS, progress or silent(), "checking clips") for f in one(motion)]
    if motion is not clip:
        text = "frame 0 is a T-pose, not part of the motion"
        found.insert(0, Finding(clip.name or "clip", "T-pose", text, "all", 0, 1, 1.0, "frames", broken=True))
    return found


def _unchecked(clip: Clip, error: JobFailed) -> ClipSummary:
    return not_checked(clip.name or "clip", clip.skeleton, clip.fps, str(error))


def not_checked(name: str, skeleton: Skeleton, fps: float, why: str) -> ClipSummary:
    """The summary of a clip whose checks failed."""
    none = np.zeros((0, SKETCH), np.float32)
    found = [Finding(name, "not checked", f"could not be checked: {why}")]
    return ClipSummary(name, skeleton, fps, found, [], 0, [], none, none, none)


def repair(clip: Clip) -> tuple[Clip, list[str]]:
    """The clip with short glitches interpolated, and a line for each change. A T-pose in frame 0 stays as it is.

    Long glitches, steps, flipped limbs and frozen joints stay, because their neighbours do not determine the motion;
    the first lines list them.
    """
    lines = []
    name = clip.name or "clip"
    whole = clip
    clip = without_tpose(own_frames(whole))
    touched: list[Glitch] = []
    for _ in range(REPAIR_PASSES):
        found = glitches_with_bends(clip)
        clip, done = mended(clip, [g for g in found if not any(_overlap(g, t) for t in touched)])
        touched += done
        if not done:
            break
    posed = len(whole) - len(clip)
    for g in glitches(clip):
        advice = "" if _stays(g) else f"; clean with --fill {_span_to_fill(g, posed, whole)} --like CLIPS"
        lines.append(f"{name}: {_glitch_text(clip, g)}, not repaired ({_obstacle(g, clip.fps)}){advice}")
    lines += [f"{name}: {_glitch_text(clip, g)}, interpolated" for g in touched]
    if touched:
        whole = replace(
            whole,
            root=np.concatenate([whole.root[:posed], clip.root]),
            rotations=np.concatenate([whole.rotations[:posed], clip.rotations]),
            origin=whole.origin.with_notes(Note(f"{len(touched)} glitches repaired")),
        )
    return whole, lines


def _span_to_fill(g: Glitch, posed: int, clip: Clip) -> str:
    """The seconds around a glitch, as `clean --fill` takes them; `posed` frames of the clip are before frame 0."""
    first = max(1 / clip.fps, (posed + g.start) / clip.fps - FILL_MARGIN)
    last = min(clip.seconds - 2 / clip.fps, (posed + g.stop) / clip.fps + FILL_MARGIN)
    return f"{first:.2f},{last:.2f}"


def _overlap(a: Glitch, b: Glitch) -> bool:
    return a.joint == b.joint and a.start < b.stop and b.start < a.stop


def _glitch_text(clip: Clip, g: Glitch) -> str:
    joint = "root" if g.joint < 0 else clip.skeleton.names[g.joint]
    size = f"{g.size:.2f} m" if g.joint < 0 else f"{np.degrees(g.size):.0f} deg"
    first, last = in_file(clip, g.start), in_file(clip, g.stop - 1)
    return (
        f"{joint} jumps by {size}, frames {first}-{last}" if last > first else f"{joint} jumps by {size}, frame {first}"
    )


def _stays(g: Glitch) -> bool:
    return g.kind in ("step", "flip")


def _obstacle(g: Glitch, fps: float) -> str:
    if _stays(g):
        return "it jumps and stays there"
    return "its neighbours are too far apart" if mendable(g, fps) else "too long to be interpolated"
