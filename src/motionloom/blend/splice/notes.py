"""What a splice reports: poor alignment, parts that are left out, tremor of the walk, turns of the action."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from motionloom.blend.splice.timing import LegTiming
from motionloom.core import BoolArray, Clip, FloatArray, Note
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.loop import Loop
from motionloom.kinematics.travel import headings

LITTLE = 0.5  # of an action's movement: a warning if a stretch with less of it is repeated
TURN_TIME = 1.0  # s in which turns of both clips are compared
LARGE_TURN = np.radians(60.0)  # an action that turns by so much more than the walk below it is reported


def splice_notes(timing: LegTiming | None, lower: Clip, upper: Clip, loop: Loop | None, count: int) -> Iterator[Note]:
    """Notes on the clips that were used, and on their alignment."""
    if loop is not None:
        span = f"{loop.start / upper.fps:.1f} to {loop.end / upper.fps:.1f} s of {upper.name or 'the upper clip'}"
        text = f"{span} are repeated: alone, it ends before the lower clip does"
        little = loop.covered < LITTLE
        if little:
            text += "; most of the action is not in that stretch: trim it, or let the result end with it (--crop)"
        yield Note(text, "warning" if little else "info")
    if count < len(lower):
        yield Note(f"the last {(len(lower) - count) / lower.fps:.2f} s are left out", "warning")
    if timing is not None and timing.poor:
        yield Note(f"poor alignment: {timing.poor}", "warning")


def tremor_notes(trembling: BoolArray) -> Iterator[Note]:
    """The frames in which one of the clips trembles, if there are any."""
    spans = runs(trembling)
    if spans:
        listed = ", ".join(f"{first}-{end - 1}" for first, end in spans)
        yield Note(
            f"a clip trembles (frames {listed}): there, fast movements of the upper body are those of the action alone",
            frame=int(spans[0][0]),
        )


def turn_notes(action: Clip, lower: Clip, seconds: FloatArray) -> Iterator[Note]:
    """Warnings where the action turns round and the walk below it does not: the upper body shows a turn.

    Both clips are given frame by frame, with (F,) the times in the action as it was captured.
    """
    size = min(round(TURN_TIME * lower.fps), len(lower) - 1)
    if size < 1:
        return
    heading = headings(action)
    own, below = (values[size:] - values[:-size] for values in (heading, headings(lower)))
    turns = (np.abs(own) > LARGE_TURN) & (np.abs(own - below) > LARGE_TURN)
    covered = np.zeros(len(lower), bool)
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
