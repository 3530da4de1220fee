"""What a splice reports: poor alignment, parts that are left out, tremor of the walk, turns of the action."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from motionloom.blend.splice.timing import LegTiming, hand_speeds
from motionloom.core import BoolArray, Clip, FloatArray, Note
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.loop import Loop
from motionloom.kinematics.travel import headings

LITTLE = 0.5  # of an action's movement: a warning if a stretch with less of it is repeated
TURN_TIME = 1.0  # s in which turns of both clips are compared
HASTE, FAST = 1.5, 2.0  # times as fast as in the action, and m/s, above which hands are reported as too fast
LARGE_TURN = np.radians(60.0)  # an action that turns by so much more than the walk below it is reported


def splice_notes(timing: LegTiming | None, lower: Clip, upper: Clip, loop: Loop | None, count: int) -> Iterator[Note]:
    """Notes on the clips that were used, and on their alignment."""
    if loop is not None:
        text = f"{_stretch(loop, upper)} are repeated: alone, it ends before the lower clip does"
        little = loop.covered < LITTLE
        if little:
            text += "; most of the action is not in that stretch: trim it, or let the result end with it (--crop)"
        yield Note(text, "warning" if little else "info")
    if count < len(lower):
        yield Note(f"the last {(len(lower) - count) / lower.fps:.2f} s are left out", "warning")
    if timing is not None and timing.poor:
        yield Note(f"poor alignment: {timing.poor}", "warning")


def haste_notes(made: Clip, upper: Clip, seconds: FloatArray) -> Iterator[Note]:
    """A warning where hands are much faster than anywhere in the action, because it is played faster there.

    `made` shows the upper clip at (F,) seconds of it.
    """
    used = upper[int(seconds[0] * upper.fps) : int(np.ceil(seconds[-1] * upper.fps)) + 1]
    if min(len(used), len(made)) >= 3:
        pace = np.gradient(seconds) * made.fps
        yield from _hasty(
            hand_speeds(made), float(hand_speeds(used).max()), pace, np.arange(len(made)) / made.fps, upper
        )


def _hasty(speeds: FloatArray, own: float, pace: FloatArray, seconds: FloatArray, upper: Clip) -> Iterator[Note]:
    shown = np.where(pace > HASTE, speeds, 0.0)
    worst = int(shown.argmax())
    if shown[worst] > max(HASTE * own, FAST):
        yield Note(
            f"hands move at {shown[worst]:.1f} m/s against the hips at {seconds[worst]:.2f} s, in "
            f"{upper.name or 'the action'} at {own:.1f} m/s at most: it is played {pace[worst]:.1f} times as fast "
            "there, to keep up with the legs; trim the action, or take a walk whose steps are more like its own",
            "warning",
        )


def live_notes(
    timing: LegTiming, clip: Clip, loop: Clip, found: Loop, seconds: FloatArray, pace: FloatArray
) -> Iterator[Note]:
    """Warnings on an action that is prepared for run time: its `loop`, of which (B,) seconds are shown at some pace."""
    if found.covered < LITTLE:
        yield Note(
            f"{_stretch(found, clip)} are repeated; most of the action is not in that stretch: trim it", "warning"
        )
    if timing.poor:
        yield Note(f"poor alignment: {timing.poor}", "warning")
    speeds = hand_speeds(loop)
    now = np.interp(seconds % (len(loop) / loop.fps), np.arange(len(loop)) / loop.fps, speeds)
    yield from _hasty(now * pace, float(speeds.max()), pace, found.start / clip.fps + seconds, clip)
    yield from turn_notes(loop, np.zeros(len(loop)), (found.start + np.arange(len(loop))) / clip.fps)


def _stretch(loop: Loop, upper: Clip) -> str:
    return f"{loop.start / upper.fps:.1f} to {loop.end / upper.fps:.1f} s of {upper.name or 'the upper clip'}"


def tremor_notes(trembling: BoolArray) -> Iterator[Note]:
    """The frames in which one of the clips trembles, if there are any."""
    spans = runs(trembling)
    if spans:
        listed = ", ".join(f"{first}-{end - 1}" for first, end in spans)
        yield Note(
            f"a clip trembles (frames {listed}): there, fast movements of the upper body are those of the action alone",
            frame=int(spans[0][0]),
        )


def turn_notes(action: Clip, below: FloatArray, seconds: FloatArray) -> Iterator[Note]:
    """Warnings where the action turns round and the walk below it does not: the upper body shows a turn.

    Frame by frame, with (F,) the headings of the walk, and the times in the action as it was captured.
    """
    size = min(round(TURN_TIME * action.fps), len(action) - 1)
    if size < 1:
        return
    heading = headings(action)
    own, walk = (values[size:] - values[:-size] for values in (heading, below))
    turns = (np.abs(own) > LARGE_TURN) & (np.abs(own - walk) > LARGE_TURN)
    covered = np.zeros(len(action), bool)
    for first, end in runs(turns):
        covered[first : end + size] = True
    for first, end in runs(covered):
        angle = np.degrees(np.ptp(heading[first:end]))
        begin, last = seconds[first], seconds[end - 1]
        when = f"at {begin:.1f} to {last:.1f} s"
        if last < begin:
            when = f"from {begin:.1f} s to its repetition at {last:.1f} s"
        yield Note(
            f"{action.name or 'the action'} turns by {angle:.0f} degrees {when} of its own time, which the legs below "
            "do not: its arms and head show the turn; trim the action to a part without it (motionloom trim)",
            "warning",
            int(first),
        )
