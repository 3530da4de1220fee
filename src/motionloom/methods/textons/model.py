"""The texton model: the learned values, plans of a motion, and its frames."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Constraint, Pace, PoseAt, Request, RootAt, Style
from motionloom.core import BoolArray, Clip, FloatArray, FormatError, IntArray, Note, Progress, replace
from motionloom.core.progress import parts, silent
from motionloom.kinematics.body.roles import fingers
from motionloom.kinematics.channels.metric import MetricSpace
from motionloom.kinematics.feet.clearance import lift_swings
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.methods.array_checks import check_array, check_number
from motionloom.methods.base import Honours, Model, check_request, place
from motionloom.methods.lead_into_constraints import lead_into, pose_problem
from motionloom.methods.settings import Settings
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.learn.lds import Texton
from motionloom.methods.textons.live import LiveOptions, TextonLive, texton_live
from motionloom.methods.textons.plan.drawn_walk import NARROW, WIDE, UsualPace, jolts, usual_pace
from motionloom.methods.textons.plan.joins import JoinFinder, Joins
from motionloom.methods.textons.plan.link_costs import LinkNetwork, find_network
from motionloom.methods.textons.plan.link_walk import LinkWalk
from motionloom.methods.textons.plan.links import captured_paths
from motionloom.methods.textons.plan.notation import plan_path, write_path
from motionloom.methods.textons.plan.pieces import TextonPlan
from motionloom.methods.textons.plan.plan import plan_between, plan_through, plan_walk
from motionloom.methods.textons.plan.random_walk import SegmentWalk
from motionloom.methods.textons.render.edit_pose import edit_pose
from motionloom.methods.textons.render.stream import Renderer, split_clips
from motionloom.methods.textons.render.synthesis import Synthesizer
from motionloom.methods.textons.segments import ObservedSegment, Segments
from motionloom.methods.textons.stored_checks import check_observed, check_space, check_textons

STYLE_TRIES = 8  # walks that are drawn until one keeps every required style
STEADY_TRIES = 3  # walks that are drawn until one is as steady as the clips
LONGEST_VERIFIED = 60.0  # s: results of so much motion are compared with them; along longer ones, differences even out
MAX_NOTED_TEXTONS = 40  # textons of a path that a clip's notes list
BEND_POSE = np.radians(10.0)  # a leg whose foot is put on the ground differs from its pose by less


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TextonModel(Model[Options]):
    """Textons, their transitions, and every observed segment's key poses."""

    method: ClassVar[str] = "textons"
    honours: ClassVar[Honours] = ((PoseAt, "hard"), (RootAt, "hard"), (Style, "hard"), (Style, "soft"), (Pace, "soft"))
    options_type: ClassVar[type[Settings]] = Options
    live_commands: ClassVar[tuple[str, ...]] = ("action",)
    live_options_type: ClassVar[type[Settings] | None] = LiveOptions
    keeps_notes: ClassVar[bool] = True
    glitch_margin: ClassVar[float] = 0.2  # the first and last frames of a piece become key poses: they must be good

    space: MetricSpace
    textons: tuple[Texton, ...]
    observed: tuple[ObservedSegment, ...]
    counts: FloatArray  # (N, N) transitions seen
    contact_names: tuple[str, ...]  # labels of foot parts that stand
    heights: FloatArray  # (P,) metres: usual height of each foot part while it stands
    label_names: tuple[str, ...]  # labels of the clips, other than contacts
    gentle: BoolArray  # (n, n) joins of observed segments with moderate accelerations (see `join_check`)
    noise: float  # the default amount of noise
    history: tuple[float, ...] = ()  # the objective while learning
    selection_curve: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))  # (K, 3) tolerance, textons, nats

    def check(self) -> None:
        joints, count, parts = len(self.skeleton), len(self.textons), len(self.contact_names)
        if self.contact_names != tuple(part.label for part in foot_parts(self.skeleton)):
            raise FormatError("contact_names: expected the foot parts of the skeleton")
        check_space(self.space, joints)
        check_textons(self.textons, self.space, joints)
        check_observed(self.observed, count, joints, parts, len(self.label_names))
        check_array(self.counts, "counts", "f", (count, count), low=0)
        check_array(self.heights, "heights", "f", (parts,))
        check_array(self.gentle, "gentle", "b", (len(self.observed), len(self.observed)))
        check_number(self.noise, "noise", low=0.0)
        check_array(self.selection_curve, "selection_curve", "f", (None, 3))

    def refuses(self, constraint: Constraint, frames: int | None, options: Options | None = None) -> str:
        if isinstance(constraint, RootAt) and frames is not None and constraint.frame(frames, self.fps) != 0:
            return "it does not choose its path over the ground, so a root_at can only be at time 0"
        if isinstance(constraint, Style) and constraint.label not in self.label_names:
            known = ", ".join(self.label_names) or "no labels"
            return f"no clip carries the label {constraint.label!r}; these clips carry {known}"
        if isinstance(constraint, Pace) and constraint.stretch is not None:
            return "it does not choose its path over the ground, so a pace needs a span of time, not a stretch"
        if isinstance(constraint, Style | Pace) and getattr(options, "joins", "") == "ends":
            return "with `joins: ends` (as LI) a walk follows the transitions alone; use `joins: anywhere`"
        return ""

    def ends(self, request: Request) -> bool:
        options = self.options(request)
        return options.path is not None or (options.route == "most_probable" and _first_and_last(request) is not None)

    def _plan(self, request: Request, options: Options, rng: Generator, progress: Progress) -> TextonPlan:
        frames = request.length(self.fps)
        if options.path is None and frames is not None:
            return self._best_walk(request, options, frames, rng, progress)
        walk = self.walk(options, rng, request.constraints, frames, progress)
        if options.path is None and frames is None:
            ends = _first_and_last(request)
            assert ends is not None  # checked before
            return plan_between(walk, *ends)
        assert options.path is not None
        plan = plan_path(walk, options.path, frames)
        if frames is None:  # the other constraints can be checked only when the length is known
            check_request(self, dataclasses.replace(request, frames=plan.frames))
        for at, pose in sorted(self._waypoints(request, plan.frames).items()):
            plan = edit_pose(self.synthesizer, plan, at, pose, drive=options.drive, lengthening=options.lengthening)
        return plan

    def _best_walk(
        self, request: Request, options: Options, frames: int, rng: Generator, progress: Progress
    ) -> TextonPlan:
        """The first of several walks that keeps the required styles at the usual pace.

        If there is none, the one that misses the styles least, and of these the steadiest.
        """
        poses = self._waypoints(request, frames)
        styles = [c for c in request.constraints if isinstance(c, Style) and c.weight is None]
        linking, *drawing = parts(progress, [1] * ((STYLE_TRIES if styles else STEADY_TRIES) + 1))
        usual = self._usual_pace(request, options, linking)
        verified = not poses and usual.changes < np.inf and frames <= LONGEST_VERIFIED * self.fps
        best: tuple[tuple[float, float], TextonPlan] | None = None
        for k, step in enumerate(drawing):
            width = NARROW if k == 0 and verified else WIDE
            planning, comparing = parts(step, [5, 1])
            walk = self.walk(options, rng, request.constraints, frames, linking)
            if poses:
                plan = plan_through(walk, frames, poses, planning)
            else:
                plan = plan_walk(walk, frames, usual, planning, width)
            missed = [c.missing_share(plan.labels(self.segments, c.label), self.fps) - c.tolerance for c in styles]
            worst = (max(0.0, *missed, 0.0), self._excess(plan, options, usual, comparing) if verified else 0.0)
            if best is None or worst < best[0]:
                best = (worst, plan)
            if not any(worst):
                break
        assert best is not None
        return best[1]

    def _usual_pace(self, request: Request, options: Options, progress: Progress) -> UsualPace:
        """The pace of the clips, which a walk is compared with; it may stand for any time that a request asks for."""
        if options.joins != "anywhere" or options.steadiness <= 0:
            return UsualPace()
        usual = usual_pace(captured_paths(self.segments, self.network(options, progress).track), self.fps)
        asked = any(isinstance(c, Style | Pace) for c in request.constraints)
        return usual._replace(standing=1.0) if asked else usual

    def _excess(self, plan: TextonPlan, options: Options, usual: UsualPace, progress: Progress) -> float:
        """How far the result of a plan is beyond the usual pace after its feet are cleaned."""
        rng = plan.rng(np.random.default_rng(0))
        clip, _ = self.renderer.render_clip(plan.pieces, plan.frames, rng, options, progress)
        path, seconds = clip.root[:, [0, 2]], len(clip) / self.fps
        own, jolted = usual_pace([path], self.fps), float(jolts(path, self.fps, usual.acceleration).sum())
        return usual.excess(own.changes * (seconds - 1.0) / 60.0, own.standing * seconds, jolted, seconds, seconds)

    def _waypoints(self, request: Request, frames: int) -> dict[int, PoseAt]:
        return {c.frame(frames, self.fps): c for c in request.constraints if isinstance(c, PoseAt)}

    def render(self, plan: TextonPlan, request: Request, options: Options, rng: Generator, progress: Progress) -> Clip:
        posed = any(isinstance(c, PoseAt) for c in request.constraints)  # plants are then cleaned at the end
        if posed or not options.clean_feet:
            clip = self.render_uncleaned(plan, plan.rng(rng), options, request.constraints, progress=progress)
            if options.clean_feet:
                clip = lift_swings(clip, self.segments.clearance, list(self._waypoints(request, len(clip))))
        else:
            clip, cleanup = self.renderer.render_clip(plan.pieces, plan.frames, plan.rng(rng), options, progress)
            clip = replace(clip, origin=clip.origin.with_notes(*([Note(str(cleanup))] if cleanup.plants else [])))
        clip = replace(clip, origin=clip.origin.with_notes(*plan.notes, _path_note(self.segments, plan)))
        return with_fingers(place(clip, request, self), request)

    def stream(self, rng: Generator, options: Options | None = None, *, frames: int | None = None) -> Iterator[Clip]:
        """Endless motion, cleaned, in clips that follow each other without a seam (of `frames` each, if given).

        Memory is bounded; the same generator gives the same frames for any `frames`. Each clip starts where the one
        before it ended: `concatenate` puts them together. The first starts at the origin and faces +z.
        """
        options = self.usual_options if options is None else options
        walk = self.walk(options, rng)
        clips = self.renderer.stream_clips(walk.endless(), rng, options, walk.correct)
        return clips if frames is None else split_clips(clips, frames)

    @cached_property
    def live(self) -> TextonLive:
        """Live characters (see `live`)."""
        return texton_live(self.synthesizer, self.join_finder)

    def render_uncleaned(
        self,
        plan: TextonPlan,
        rng: Generator,
        options: Options | None = None,
        constraints: Sequence[Constraint] = (),
        *,
        noise: float | None = None,
        drive: str | None = None,
        progress: Progress | None = None,
    ) -> Clip:
        """The frames of a plan, from the origin, facing +z, with contacts; plants are not cleaned yet.

        `noise` and `drive` replace those of the options. Sunk feet are not lifted where hard constraints fix them.
        """
        options = self.usual_options if options is None else options
        given: dict[str, Any] = {k: v for k, v in (("noise", noise), ("drive", drive)) if v is not None}
        varied = dataclasses.replace(options, **given)
        return self.renderer.uncleaned_clip(plan.pieces, plan.frames, rng, varied, progress, constraints)

    def walk(
        self,
        options: Options,
        rng: Generator,
        constraints: Sequence[Constraint] = (),
        frames: int | None = None,
        progress: Progress | None = None,
    ) -> SegmentWalk:
        """A random walk over the observed segments; with `frames`, one that prefers what a request does."""
        if options.joins == "ends":
            return SegmentWalk(self.join_finder, self.renderer, options, rng)
        network = self.network(options, progress)
        return LinkWalk(self.join_finder, self.renderer, options, rng, network, constraints, frames)

    def network(self, options: Options, progress: Progress | None = None) -> LinkNetwork:
        """The links between observed segments under these options; kept for one choice of options."""
        key = (options.unseen_limit, options.distance_penalty, options.balanced, options.steadiness)
        if key not in self._networks:
            self._networks.clear()
            self._networks[key] = find_network(
                self.segments, self.joins(options), self.counts, options.steadiness, progress or silent()
            )
        return self._networks[key]

    @cached_property
    def _networks(self) -> dict[tuple[float, float, bool, float], LinkNetwork]:
        return {}

    def joins(self, options: Options) -> Joins:
        """Which observed segment may follow which under these options."""
        return self.join_finder.joins(options)

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
        """(N, N) may the second texton follow the first, in a walk with these options?"""
        return self.walk(options, np.random.default_rng(0)).follows

    @cached_property
    def segments(self) -> Segments:
        """The observed segments, and the body that they belong to."""
        shortest = round(self.config.shortest * self.fps)
        known = {learned.name: learned.source for learned in self.sources}
        body = (self.skeleton, self.fps, shortest, self.contact_names, self.heights, self.label_names)
        return Segments(self.observed, len(self.textons), *body, known)

    @cached_property
    def join_finder(self) -> JoinFinder:
        """The transitions between observed segments."""
        return JoinFinder(self.segments, self.counts, self.gentle)

    @cached_property
    def synthesizer(self) -> Synthesizer:
        """The synthesis of single textons."""
        return Synthesizer(self.segments, self.textons, self.space, self.noise)

    @cached_property
    def renderer(self) -> Renderer:
        """The rendering of pieces as clips."""
        return Renderer(self.synthesizer)

    @property
    def textons_of(self) -> IntArray:
        """(n,) the texton of every observed segment."""
        return self.segments.textons

    def of_texton(self, texton: int) -> list[int]:
        """Indices into `observed` of a texton's segments."""
        return self.segments.of_texton(texton)


def with_fingers(clip: Clip, request: Request) -> Clip:
    """The clip with the fingers of its hard poses, which textons hold still; others bend by at most `BEND_POSE`."""
    skeleton, held = clip.skeleton, set(fingers(clip.skeleton))
    poses = []
    for c in request.constraints:
        if not isinstance(c, PoseAt) or not c.hard:
            continue
        if c.rotations is not None:
            rotations = tuple((name, euler) for name, euler in c.rotations if skeleton.joint(name) in held)
            poses += [dataclasses.replace(c, rotations=rotations)] if rotations else []
        elif own := tuple(skeleton.names[j] for j in c.target(skeleton).joints if j in held):
            poses.append(dataclasses.replace(c, joints=own))
    clip = lead_into(clip, poses)
    hard = [c for c in request.constraints if isinstance(c, PoseAt) and c.hard]
    return lead_into(clip, hard, pose_problem(clip, hard, BEND_POSE))


def _first_and_last(request: Request) -> tuple[PoseAt, PoseAt] | None:
    """The poses of a request for a path from one pose at the start to one at the end, without others."""
    poses = {c.time: c for c in request.constraints if isinstance(c, PoseAt)}
    others = [t for t in poses if t not in (0.0, "0f", "end")]
    first = poses.get(0.0, poses.get("0f"))
    return None if others or first is None or "end" not in poses else (first, poses["end"])


def _path_note(segments: Segments, plan: TextonPlan) -> Note:
    """The path in the notation of `options.path`; of a long one, its beginning."""
    path = write_path(segments, plan)
    more = f" and {len(path) - MAX_NOTED_TEXTONS} more" if len(path) > MAX_NOTED_TEXTONS else ""
    return Note(f"path: [{', '.join(path[:MAX_NOTED_TEXTONS])}]{more}", topic="path")
