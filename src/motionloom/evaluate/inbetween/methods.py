"""In-betweening by learned models: the gaps of `gaps.py` as requests with hard keyframes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from motionloom.constraints import Pose, PoseAt, Request, RootAt, Start
from motionloom.core import Cancelled, Clip, MotionloomError, concatenate
from motionloom.evaluate.inbetween.gaps import PAST, interpolated
from motionloom.kinematics.body.proportions import on_skeleton, same_bones
from motionloom.kinematics.travel import travel
from motionloom.methods import METHODS, Model, attempt


def keyframe_methods() -> list[str]:
    """Names of the methods that honour a hard pose at a time."""
    return [name for name, m in METHODS.items() if (PoseAt, "hard") in m.module().MODEL.honours]


class MethodFiller:
    """A learned model as a filler: frame 9 and the target are hard keyframes. Failures are counted.

    The position on the ground is part of the request where the method honours it. Where the method does not meet the
    request, its best clip is used; where there is none, interpolation fills the gap, and `failed` counts these gaps.
    """

    def __init__(self, model: Model[Any], *, seed: int = 0) -> None:
        self.model, self.seed = model, seed
        self.requested = self.missed = self.failed = 0
        self.reason = ""  # of the first gap that was not filled as requested

    def __call__(self, window: Clip, gap: int) -> Clip:
        self.requested += 1
        request = self._request(window, gap)
        made: Clip | None = None
        try:
            made, _, _, met, reason = attempt(self.model, request, seed=self.seed, take=self.requested)
            self.missed += not met
        except Cancelled:
            raise
        except MotionloomError as error:
            reason = str(error)
        self.reason = self.reason or reason
        if made is None or len(made) != gap + 2:
            self.failed += 1
            return interpolated(window, gap)
        if not same_bones(made.skeleton, window.skeleton):
            made = on_skeleton(made, window.skeleton)
        inside = replace(made[1:-1], skeleton=window.skeleton, label_names=(), labels=None)
        return concatenate([window[:PAST], inside, window[PAST + gap :]])

    def _request(self, window: Clip, gap: int) -> Request:
        ends = (PAST - 1, PAST + gap)
        path = travel(window)
        constraints: list[PoseAt | RootAt] = []
        for frame, time in zip(ends, ("0f", f"{gap + 1}f"), strict=True):
            constraints.append(PoseAt(time=time, pose=Pose(window[frame : frame + 1])))
        strength = next((s for s in ("hard", "soft") if (RootAt, s) in self.model.honours), None)
        place, heading = path.place[ends[1]], float(path.heading[ends[1]])
        if strength is not None:
            weight = None if strength == "hard" else 1.0
            end = RootAt(time=f"{gap + 1}f", position=(place[0], place[1]), heading=heading, weight=weight)
            constraints += [] if self.model.refuses(end, gap + 2) else [end]
        here = path.place[ends[0]]
        start = Start(position=(float(here[0]), float(here[1])), heading=float(path.heading[ends[0]]))
        return Request(frames=gap + 2, fps=window.fps, start=start, constraints=tuple(constraints))
