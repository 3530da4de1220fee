"""In-betweening by learned models: the gaps of `gaps.py` as requests with hard keyframes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from motionloom.constraints import Pose, PoseAt, Request, RootAt, Start
from motionloom.core import Cancelled, Clip, MotionloomError, concatenate
from motionloom.evaluate.inbetween.gaps import PAST, interpolated
from motionloom.kinematics.body.proportions import on_skeleton, same_bones
from motionloom.kinematics.travel import moved, travel, turned
from motionloom.methods import METHODS, Model, attempt


def keyframe_methods() -> list[str]:
    """Names of the methods that honour a hard pose at a time."""
    return [name for name, m in METHODS.items() if (PoseAt, "hard") in m.module().MODEL.honours]


class MethodFiller:
    """A learned model as a filler: the ten past frames and the target are keyframes. Failures are counted.

    Frame 9 and the target are hard; the nine frames before are soft where the method honours that, else hard. The
    position on the ground is part of the request where the method honours it. Where a method does not meet ten frames
    in a row (textons need some frames between two poses, graphs have no frames that near), it gets frame 9 and the
    target alone. Where it does not meet these either, its best clip is used; where there is none, interpolation fills
    the gap.
    """

    def __init__(self, model: Model[Any], *, seed: int = 0) -> None:
        self.model, self.seed = model, seed
        self.requested = self.missed = self.failed = 0
        self.two_keys = 0  # gaps that were requested again with two keyframes
        self.reason = ""  # of the first gap that was not filled as requested

    def __call__(self, window: Clip, gap: int) -> Clip:
        self.requested += 1
        found: tuple[Clip, int] | None = None
        for past in (PAST, 1):
            made, met = self._made(window, gap, past)
            if made is not None and len(made) == past + gap + 1:
                found = made, past
                if met:
                    break
        else:
            self.missed += found is not None
        if found is None:
            self.failed += 1
            return interpolated(window, gap)
        self.two_keys += found[1] == 1
        return self._filled(window, gap, *found)

    def _made(self, window: Clip, gap: int, past: int) -> tuple[Clip | None, bool]:
        try:
            made, _, _, met, reason = attempt(
                self.model, self._request(window, gap, past), seed=self.seed, take=self.requested
            )
        except Cancelled:
            raise
        except MotionloomError as error:
            made, met, reason = None, False, str(error)
        self.reason = self.reason or reason
        return made, met

    def _filled(self, window: Clip, gap: int, made: Clip, past: int) -> Clip:
        """The window with the frames of a result between its own, placed and turned as frame 9 is."""
        if not same_bones(made.skeleton, window.skeleton):
            made = on_skeleton(made, window.skeleton)
        there, here = travel(made[past - 1 : past]), travel(window[PAST - 1 : PAST])
        made = turned(made, float(here.heading[0] - there.heading[0]))
        made = moved(made, here.place[0] - travel(made[past - 1 : past]).place[0])
        inside = replace(made[past:-1], skeleton=window.skeleton, label_names=(), labels=None)
        return concatenate([window[:PAST], inside, window[PAST + gap :]])

    def _request(self, window: Clip, gap: int, past: int) -> Request:
        """The request for `past` known frames, the gap and the target."""
        window = window[PAST - past :]
        path, end, honours = travel(window), past + gap, self.model.honours
        place_strength = next((s for s in ("hard", "soft") if (RootAt, s) in honours), None)
        early = 1.0 if (PoseAt, "soft") in honours else None
        constraints: list[PoseAt | RootAt] = []
        for frame in (*range(past), end):
            key = frame in (past - 1, end)
            pose = Pose(window[frame : frame + 1])
            constraints.append(PoseAt(time=f"{frame}f", pose=pose, weight=None if key else early))
            if key and frame and place_strength is not None:
                place, heading = path.place[frame], float(path.heading[frame])
                weight = None if place_strength == "hard" else 1.0
                at = RootAt(time=f"{frame}f", position=(place[0], place[1]), heading=heading, weight=weight)
                constraints += [] if self.model.refuses(at, end + 1) else [at]
        here = path.place[0]
        start = Start(position=(float(here[0]), float(here[1])), heading=float(path.heading[0]))
        return Request(frames=end + 1, fps=window.fps, start=start, constraints=tuple(constraints))
