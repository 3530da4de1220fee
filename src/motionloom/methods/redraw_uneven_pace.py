"""Random motion at a steady pace: it is drawn again while it changes its speed more often than the clips do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from motionloom.core import Clip, FloatArray, Progress, silent
from motionloom.kinematics.pace import MIN_PACED, UNEVEN_RATE, change_rate

T = TypeVar("T")
STEADY_TRIES = 12  # draws to find one at a steady pace


class ChangeRates(NamedTuple):
    """How often per minute bodies change their speed (`change_rate`)."""

    every: float
    moving: float  # without starts and stops

    @classmethod
    def of(cls, places: Sequence[FloatArray], fps: float) -> ChangeRates:
        return cls(change_rate(places, fps), change_rate(places, fps, moving=True))

    def beyond(self, usual: ChangeRates) -> float:
        """By how much more often than usual, 0 or less if by nothing."""
        return max(self.every - usual.every, self.moving - usual.moving)


def usual_changes(clips: Sequence[Clip]) -> ChangeRates:
    """How often the clips change their speed; blends of clips do not count.

    Where only clips of less than `MIN_PACED` seconds, such as single jumps, do so while they move, not more often than
    captured clips of some length: in a long walk that would be an uneven pace, which `check` reports.
    """
    captured = [clip for clip in clips if not (clip.origin.weights > 0).sum(axis=2).max(initial=0) > 1] or clips
    long = [clip for clip in captured if clip.seconds >= MIN_PACED]
    found, of_long = (ChangeRates.of([c.root[:, [0, 2]] for c in some], clips[0].fps) for some in (captured, long))
    return found._replace(moving=min(found.moving, max(of_long.moving, UNEVEN_RATE)))


def steadiest(
    draw: Callable[[], T],
    place: Callable[[T], FloatArray],
    usual: ChangeRates | None,
    fps: float,
    excess: Callable[[T], float] | None = None,
    progress: Progress | None = None,
) -> T:
    """The first of up to `STEADY_TRIES` draws that changes its speed no more often than `usual`.

    If there is none, the one that does so by the least. `place` (F, 2) m is the path of the hips; without `usual` the
    first draw is taken. `excess`, what a draw exceeds the tolerances of hard constraints by, counts first.
    """
    best: tuple[tuple[float, float], T] | None = None
    report = progress or silent()
    for k in range(STEADY_TRIES):
        report(k / STEADY_TRIES, "drawing")
        found = draw()
        over = 0.0 if excess is None else excess(found)
        beyond = 0.0 if usual is None else ChangeRates.of([place(found)], fps).beyond(usual)
        if best is None or (over, beyond) < best[0]:
            best = (over, beyond), found
        if over <= 0.0 and beyond <= 0.0:
            break
    assert best is not None
    return best[1]
