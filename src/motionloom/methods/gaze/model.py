"""The model of gaze: examples of gaze shifts, which turn the gaze of any motion."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Constraint, GivenClip, LookAt, PoseAlong, Request
from motionloom.constraints.residual_table import residuals, unmet
from motionloom.core import BadRequest, Clip, FloatArray, FormatError, Note, Origin, Progress, Source, replace
from motionloom.core.limits import Limits
from motionloom.kinematics.travel import placed
from motionloom.methods.array_checks import check_array
from motionloom.methods.base import Band, Honours, Model, place_given
from motionloom.methods.gaze.config import Options
from motionloom.methods.gaze.eyes import with_eyes
from motionloom.methods.gaze.gaze_map import MIN_EXAMPLES, GazeMap
from motionloom.methods.gaze.gaze_shifts import gaze_body
from motionloom.methods.gaze.layer import GazeLayer
from motionloom.methods.gaze.look_clip import (
    Look,
    in_turn,
    look_along,
    look_clip,
    look_from,
    too_close,
    without_own_looking,
)
from motionloom.methods.gaze.reach import out_of_reach
from motionloom.methods.settings import Settings

WHOLE = "the base motion must cover the whole result: leave out its span"


class GazePlan(NamedTuple):
    """The base motion and the looks that are put on it."""

    base: Clip
    looks: tuple[Look, ...]
    reason: str = ""

    @property
    def frames(self) -> int:
        return len(self.base)

    def bands(self) -> list[Band]:
        """Where a look_at is followed (as far as a later one does not take over), and the rest."""
        shown = np.full(len(self.base), -1)
        for k, look in enumerate(self.looks):
            shown[look.first : look.end] = k
        edges = np.flatnonzero(np.diff(shown, prepend=shown[0] - 1))
        ends = [*edges[1:], len(shown)]
        return [
            Band(int(a), int(b - a), self.looks[shown[a]].name if shown[a] >= 0 else "own gaze", "look")
            for a, b in zip(edges, ends, strict=True)
        ]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GazeModel(Model[Options]):
    """A gaze map: E examples of gaze shifts; and a standing body, for requests without a base motion."""

    method: ClassVar[str] = "gaze"
    honours: ClassVar[Honours] = ((PoseAlong, "hard"), (PoseAlong, "soft"), (LookAt, "hard"), (LookAt, "soft"))
    keeps_notes: ClassVar[bool] = True
    options_type: ClassVar[type[Settings]] = Options

    examples: FloatArray  # (E, 24) rows of `GazeMotion`; single precision, which is far below the noise of takes
    lost: FloatArray  # (E,) rad: what each example does not show of its take, root mean square of the head
    names: tuple[str, ...]  # E takes
    standing: FloatArray  # (J, 4) rotations of the standing body
    height: float  # m, of its hips

    def check(self) -> None:
        count = len(self.names)
        if count < MIN_EXAMPLES:
            raise BadRequest(f"a gaze map needs at least {MIN_EXAMPLES} examples, found {count}")
        check_array(self.examples, "examples", "f", (count, 24), low=-100, high=100)
        check_array(self.examples[:, 17], "examples: lengths", "f", (count,), low=1e-3)
        check_array(self.examples[:, 18:23], "examples: times", "f", (count, 5), low=0, high=1)
        check_array(self.lost, "lost", "f", (count,), low=0)
        check_array(self.standing, "standing", "f", (len(self.skeleton), 4), low=-1.001, high=1.001)
        if (np.abs(np.linalg.norm(self.standing, axis=1) - 1) > 1e-3).any():
            raise FormatError("standing: expected unit quaternions")
        if not abs(self.height) < 1e3:
            raise FormatError(f"height: expected metres, found {self.height}")
        GazeMap(self.examples)

    def map(self, options: Options | None = None) -> GazeMap:
        """The map with these options."""
        return _map(self, self.options(Request()) if options is None else options)

    def layer(self, body: Clip, *, cone: float = math.pi, lead: bool = False) -> GazeLayer:
        """The map as a layer for live characters with the body of a clip."""
        return GazeLayer(self.map(), gaze_body(body), cone, lead, tuple(dict.fromkeys(self._takes)))

    def uses(self, name: str) -> bool:
        return any(name in title.split(" + ") for title in self.names)

    @property
    def _takes(self) -> tuple[Source, ...]:
        return tuple(learned.source for learned in self.sources if learned.frames)

    def scaled(self, **factors: Any) -> Self:
        """The model with another strength, speed or shares (see `GazeMap.scaled`), for another character."""
        changed = GazeMap(self.examples).scaled(**factors).examples
        return dataclasses.replace(self, examples=changed.astype(np.float32))

    def refuses(self, constraint: Constraint, frames: int | None, options: Options | None = None) -> str:
        if isinstance(constraint, PoseAlong):
            whole = frames is None or len(constraint.frames(frames, self.fps)) == frames
            return "" if constraint.span is None or whole else WHOLE
        directed = isinstance(constraint, LookAt) and (constraint.yaw is not None or constraint.pitch is not None)
        if options is not None and options.relative and directed and constraint.hard:
            return "relative to the base motion, its direction is not seen from the hips: give it a weight"
        return ""

    def ends(self, request: Request) -> bool:
        return _base_of(request) is not None

    def adapted(self, request: Request) -> tuple[Self, Request]:
        """The model at the frame rate and with the skeleton of the base motion, and with eyes if they are asked for."""
        given = _base_of(request)
        if given is None or not isinstance(given.clip, GivenClip):
            return self, request
        base = given.clip.clip
        if request.options.get("eyes") is True:
            base = with_eyes(base)
            other = dataclasses.replace(given, clip=GivenClip(base, given.clip.source))
            kept = tuple(other if c is given else c for c in request.constraints)
            request = dataclasses.replace(request, constraints=kept)
        if base.skeleton is self.skeleton and base.fps == self.fps:
            return self, request
        changed = {"skeleton": base.skeleton, "standing": base.rotations[0], "height": float(base.root[0, 1])}
        return dataclasses.replace(self, fps=base.fps, **changed), request

    def written_as(self, clip: Clip) -> tuple[float, str]:
        return clip.origin.unit, clip.origin.up

    def _plan(self, request: Request, options: Options, rng: Generator, progress: Progress) -> GazePlan:
        base, given = self._base(request, options), _base_of(request)
        used = self.map(options)
        looks = [] if options.along is None else [look_along(base, ahead=options.along, height=options.along_height)]
        asked = [c for c in request.constraints if isinstance(c, LookAt)]

        def planned(seen: Clip) -> list[Look]:
            return in_turn([look_from(seen, c, used, relative=options.relative) for c in asked], used, base.fps)

        straight = without_own_looking(base, [*looks, *planned(base)], options.reaim, gaze_body(base))
        looks += planned(base if straight is base.rotations else replace(base, rotations=straight))
        progress(1.0, "planning")
        reason = ""
        if given is not None and given.hard and looks:
            turned = set(gaze_body(base).turned) & set(given.chosen(base.skeleton))
            if turned:
                names = ", ".join(base.skeleton.names[j] for j in sorted(turned))
                reason = f"looking turns {names}, which pose_along fixes: give it a weight, or joints without them"
        return GazePlan(base, tuple(looks), reason)

    def render(self, plan: GazePlan, request: Request, options: Options, rng: Generator, progress: Progress) -> Clip:
        if plan.reason:
            return plan.base
        return look_clip(
            plan.base,
            self.map(options),
            plan.looks,
            cone=options.cone,
            bob=options.bob,
            reaim=options.reaim,
            progress=progress,
        )

    def shortfall(self, clip: Clip, plan: GazePlan, request: Request, options: Options) -> str:
        rows = residuals(clip, [c for c in request.constraints if c.hard])
        missed = {row.constraint for row in rows if row.missed}
        looks = plan.looks[options.along is not None :]
        used = self.map(options)
        allowed = {c.describe(): c.tolerance for c in request.constraints if isinstance(c, LookAt)}
        allowed = {name: tolerance for name, tolerance in allowed.items() if name in missed}
        advice = too_close(looks, missed, used, self.fps)
        advice += out_of_reach(clip, plan.base, looks, allowed, used, options.cone)
        return "\n".join([str(unmet(clip, rows)), *advice]) if advice else ""

    def _base(self, request: Request, options: Options) -> Clip:
        """The base motion where the request starts, or the standing body."""
        given = _base_of(request)
        if given is not None:
            assert isinstance(given.clip, GivenClip)  # checked before
            whole = given.clip.clip
            frames = request.length(self.fps) or len(whole)
            Limits.current().check_length(frames / self.fps, self.fps)
            return place_given(given.given(whole.skeleton, frames, self.fps), request)
        count = request.length(self.fps)
        assert count is not None  # checked before: there is no natural end
        standing = self._standing(count)
        standing = with_eyes(standing) if options.eyes else standing
        begin = request.beginning(count, self.fps)
        return placed(standing, begin.position, begin.heading)

    def _standing(self, frames: int) -> Clip:
        root = np.tile([0.0, self.height, 0.0], (frames, 1))
        facts: dict[str, Any] = {}
        if sources := self._takes:  # computed from all takes
            shares = np.full((frames, 1, len(sources)), 1 / len(sources))
            which = np.tile(np.arange(len(sources)), (frames, 1, 1))
            facts = {"unit": self.sources[0].unit, "up": self.sources[0].up, "sources": sources}
            facts |= {"which": which, "frames": np.full(which.shape, -1.0), "weights": shares}
        origin = Origin(name="standing", **facts).with_notes(Note("the standing body of the gaze map"))
        return Clip(self.skeleton, root, np.tile(self.standing, (frames, 1, 1)), self.fps, origin=origin)


@lru_cache(maxsize=16)
def _map(model: GazeModel, options: Options) -> GazeMap:
    """The map of a model: kept, because its tables are computed once."""
    found = GazeMap(model.examples, options.weights, options.neighbours)  # type: ignore[arg-type]
    changed = options.strength != 1.0 or options.speed != 1.0 or options.shares != (1.0,) * 4
    if not changed:
        return found
    return found.scaled(strength=options.strength, speed=options.speed, shares=options.shares)


def _base_of(request: Request) -> PoseAlong | None:
    return next((c for c in request.constraints if isinstance(c, PoseAlong)), None)
