"""The texton model: what was learnt, the plan of a motion, and its frames."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Constraint, PoseAt, Request, RootAt
from motionloom.core import BoolArray, Clip, FloatArray, IntArray, Note, Progress, replace
from motionloom.kinematics.charts import Space
from motionloom.kinematics.feet.grounding import Footing
from motionloom.kinematics.local_frames import Frames
from motionloom.methods.base import Honours, Model, check_request, place
from motionloom.methods.settings import Settings
from motionloom.methods.textons.checks import check_observed, check_space, check_textons
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.learn.em import Texton
from motionloom.methods.textons.learn.segments import Observed
from motionloom.methods.textons.live import LiveOptions, TextonLive, texton_live
from motionloom.methods.textons.plan.edit import edit_pose
from motionloom.methods.textons.plan.notation import plan_path, written_path
from motionloom.methods.textons.plan.pieces import Piece, Plan
from motionloom.methods.textons.plan.plan import plan_between, plan_motion
from motionloom.methods.textons.plan.random_walk import Walk
from motionloom.methods.textons.plan.transitions import Joins
from motionloom.methods.textons.render.stream import chunks, weave, whole_clip, woven
from motionloom.methods.textons.render.synthesis import Bench
from motionloom.methods.validate import check_array, check_number

PUSHED = 1 / 6  # of the usual amount of noise, beside an observed push: it sways, and a push has its own variation


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TextonModel(Model[Options]):
    """Textons, their transitions, and every observed segment's key poses."""

    method: ClassVar[str] = "textons"
    honours: ClassVar[Honours] = ((PoseAt, "hard"), (RootAt, "hard"))
    options_type: ClassVar[type[Settings]] = Options
    live_options_type: ClassVar[type[Settings] | None] = LiveOptions
    keeps_notes: ClassVar[bool] = True
    glitch_margin: ClassVar[float] = 0.2  # the first and last frames of a piece become key poses: they must be good

    space: Space
    textons: tuple[Texton, ...]
    observed: tuple[Observed, ...]
    counts: FloatArray  # (N, N) transitions seen
    contact_names: tuple[str, ...]  # labels of foot parts that stand
    heights: FloatArray  # (P,) metres: how high each foot part is while it stands
    gentle: BoolArray  # (n, n) joins of observed segments that were tried and throw nothing (see `strain`)
    noise: float  # the default amount of noise
    history: tuple[float, ...] = ()  # the objective while learning

    def check(self) -> None:
        joints, count, parts = len(self.skeleton), len(self.textons), len(self.contact_names)
        check_space(self.space, joints)
        check_textons(self.textons, self.space, joints)
        check_observed(self.observed, count, joints, parts)
        check_array(self.counts, "counts", "f", (count, count), low=0)
        check_array(self.heights, "heights", "f", (parts,))
        check_array(self.gentle, "gentle", "b", (len(self.observed), len(self.observed)))
        check_number(self.noise, "noise", low=0.0)

    def refuses(self, constraint: Constraint, frames: int | None) -> str:
        if isinstance(constraint, RootAt) and frames is not None and constraint.frame(frames, self.fps) != 0:
            return "it does not choose its way, so a root_at can only be at time 0"
        return ""

    def ends(self, request: Request) -> bool:
        options = self.options(request)
        return options.path is not None or (options.way == "cheapest" and _first_and_last(request) is not None)

    def _plan(self, request: Request, options: Options, rng: Generator, progress: Progress) -> Plan:
        frames = request.length(self.fps)
        if options.path is None and frames is None:
            ends = _first_and_last(request)
            assert ends is not None  # checked before
            return plan_between(self, *ends, options, rng)
        if options.path is None:
            assert frames is not None
            return plan_motion(self, frames, self._waypoints(request, frames), options, rng)
        plan = plan_path(self, options.path, frames, options, rng)
        if frames is None:  # only now is it known whether the rest of the request fits
            check_request(self, dataclasses.replace(request, frames=plan.frames))
        for at, pose in sorted(self._waypoints(request, plan.frames).items()):
            plan = edit_pose(self, plan, at, pose, push=options.push, longer=options.longer)
        return plan

    def _waypoints(self, request: Request, frames: int) -> dict[int, PoseAt]:
        return {c.frame(frames, self.fps): c for c in request.constraints if isinstance(c, PoseAt)}

    def render(self, plan: Plan, request: Request, options: Options, rng: Generator, progress: Progress) -> Clip:
        posed = any(
            isinstance(c, PoseAt) for c in request.constraints
        )  # plants are cleaned at the end, around the poses
        if posed or not options.clean_feet:
            clip = self.render_uncleaned(plan, plan.rng(rng), options)
        else:
            clip, wash = woven(self, plan.pieces, plan.frames, plan.rng(rng), options)
            clip = replace(clip, origin=clip.origin.with_notes(*([Note(str(wash))] if wash.plants else [])))
        clip = replace(clip, origin=clip.origin.with_notes(*plan.notes, _path_note(self, plan)))
        return place(clip, request, self)

    def stream(self, rng: Generator, options: Options | None = None, *, frames: int | None = None) -> Iterator[Clip]:
        """Motion that never ends, cleaned, in clips that follow each other without a seam (of `frames` each, if given).

        Memory stays bounded; the same generator gives the same frames whatever `frames` is. Each clip goes on where
        the one before it ended: `concatenate` puts them together. It starts at the origin and faces +z.
        """
        options = self.usual_options if options is None else options
        walk = Walk(self, options, rng)
        clips = weave(self, walk.endless(), rng, options, walk=walk)
        return clips if frames is None else chunks(clips, frames)

    @cached_property
    def live(self) -> TextonLive:
        """Live characters (see `live`)."""
        return texton_live(self)

    def render_uncleaned(
        self,
        plan: Plan,
        rng: Generator,
        options: Options | None = None,
        *,
        noise: float | None = None,
        push: str | None = None,
    ) -> Clip:
        """The frames of a plan, from the origin, facing +z; contacts come along, but plants are not cleaned yet.

        `noise` and `push` are short for options that differ in these.
        """
        options = self.usual_options if options is None else options
        given: dict[str, Any] = {k: v for k, v in (("noise", noise), ("push", push)) if v is not None}
        return whole_clip(self, plan.pieces, plan.frames, rng, dataclasses.replace(options, **given))

    def amount(self, noise: float | None, push: str) -> float:
        """The amount of noise, or the usual one: a push has its segment's own variation in it."""
        usual = self.noise * PUSHED if push == "observed" else self.noise
        return usual if noise is None else noise

    def joins(self, options: Options) -> Joins:
        """Which observed segment may follow which under these options."""
        return self.bench.joins(options)

    @cached_property
    def may_follow(self) -> BoolArray:
        """`follows` under the default options."""
        return self.follows(self.usual_options)

    @cached_property
    def usual_options(self) -> Options:
        """The options of a request that gives none: those of the variant that was learned."""
        found: Options = self.options(Request())
        return found

    def follows(self, options: Options) -> BoolArray:
        """(N, N) may the second texton follow the first? It was seen to, or some join of theirs is near."""
        found = self.joins(options)
        out = self.counts > 0
        of = self.textons_of
        out[of[:, None].repeat(len(of), 1)[found.allowed], of[None].repeat(len(of), 0)[found.allowed]] = True
        return out

    @cached_property
    def textons_of(self) -> IntArray:
        """(n,) the texton of every observed segment."""
        return np.array([o.texton for o in self.observed])

    @cached_property
    def bench(self) -> Bench:
        """What making frames works out once."""
        return Bench(self)

    def piece_frames(
        self,
        piece: Piece,
        following: Piece | None,
        rng: Generator,
        *,
        noise: float,
        push: str = "observed",
        longer: str = "cycles",
        ends: str = "met",
        sway: float = 0.0,
    ) -> Frames:
        """One texton's frames; the two after its last one are the key poses of what follows, so both sides meet.

        Key poses go through rotations into the texton's chart; what its basis cannot express of them is carried along
        as a smooth offset, so that they are met exactly. With `push` "observed" the run is driven as the observed
        segment was, and what the basis leaves out of that segment comes along; noise that changes within `sway` seconds
        is added to that. `longer` says how that segment is made to last longer than it was: by "cycles" said again, or
        "slower". With `ends` "free" the run leads anywhere (LI 5.3), and the two frames after its last one come along
        too.
        """
        if ends == "free":
            return self.bench.make(piece, None, rng, noise=noise, push=push, longer=longer, sway=sway)
        last = piece.after if following is None else following.keys
        made = self.bench.make(piece, last, rng, noise=noise, push=push, longer=longer, sway=sway)
        return made[: piece.length]

    def footing(self, piece: Piece, longer: str = "cycles") -> Footing:
        """What the feet of a piece's observed segment do, at the piece's length."""
        drive, n = self.bench.drive(piece, longer), piece.length
        return Footing(drive.contacts[:n], drive.slip[:n], drive.high[:n])

    def of_texton(self, texton: int) -> list[int]:
        """Indices into `observed` of a texton's segments."""
        return [k for k, o in enumerate(self.observed) if o.texton == texton]


def _first_and_last(request: Request) -> tuple[PoseAt, PoseAt] | None:
    """The poses of a request that asks for a way from one at the start to one at the end, and for nothing else."""
    poses = {c.time: c for c in request.constraints if isinstance(c, PoseAt)}
    others = [t for t in poses if t not in (0.0, "0f", "end")]
    first = poses.get(0.0, poses.get("0f"))
    return None if others or first is None or "end" not in poses else (first, poses["end"])


MOST_SAID = 40  # textons of a path that a clip's notes say


def _path_note(model: TextonModel, plan: Plan) -> Note:
    """The path as `options.path` takes it; of a long one, its beginning."""
    path = written_path(model, plan)
    more = f" and {len(path) - MOST_SAID} more" if len(path) > MOST_SAID else ""
    return Note(f"path: [{', '.join(path[:MOST_SAID])}]{more}", topic="path")
