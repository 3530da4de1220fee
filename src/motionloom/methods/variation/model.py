"""Variation as a model: a few takes of one motion, and two networks of what depends on what in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Constraint, Pace, Plant, PositionAt, Request, RootAt
from motionloom.core import BadRequest, Clip, FloatArray, FormatError, Note, Origin, Progress, part, replace, silent
from motionloom.core.origin import all_terms
from motionloom.kinematics.feet.contacts import contact_array, foot_parts, part_positions
from motionloom.kinematics.feet.standing import steady_contacts, stepping
from motionloom.kinematics.fk import fk
from motionloom.methods.array_checks import check_array, check_clips
from motionloom.methods.base import Honours, Model, place
from motionloom.methods.lead_into_constraints import root_problem
from motionloom.methods.live import material_of
from motionloom.methods.settings import FAITHFUL, Settings
from motionloom.methods.variation.body import VariationBody, legs_of, limb_of
from motionloom.methods.variation.calibration import MEASURED, drawn_length, gain
from motionloom.methods.variation.config import Config, Options
from motionloom.methods.variation.dofs import Dofs
from motionloom.methods.variation.learn_prior import prior_data
from motionloom.methods.variation.live import LiveOptions, VariationLive, variation_live
from motionloom.methods.variation.networks import Networks
from motionloom.methods.variation.pace import PacedRun, run_at_pace
from motionloom.methods.variation.plan import VariationPlan, fresh, search
from motionloom.methods.variation.regression import regression_of
from motionloom.methods.variation.sources import mixture_sources
from motionloom.methods.variation.synthesis import (
    Motion,
    SynthesisRun,
    Tasks,
    Unrolling,
    amounts_of,
    eased,
    mix,
    requested_tasks,
    unrolled,
    with_standing_feet,
)
from motionloom.methods.variation.takes import Takes, build_takes, closed_takes
from motionloom.methods.variation.target_notes import foot_notes, hurried_joints, limb_problem
from motionloom.methods.variation.timing import MOMENTS, MeanLoop

SHORTEST = 3  # frames of a clip: one instance of the transition network
LIMITS = 0.1  # of the observed range: limbs that are corrected may leave it by this at either end
RISE = 0.1  # m: farthest that the hips are raised or lowered to the height of a root_at
LONGEST = 2.0  # times the longest clip: the latest end of a variant
MEASURING = 0.9  # of the time of a plan: variants by which the amount is adjusted, the first time
STRAIGHT = (1.0, 0.0)  # a row of `SynthesisRun.steering` that changes nothing
SOURCES = 8  # most clips that a frame is recorded to come from


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VariationModel(Model[Options]):
    """Clips with contacts, their degrees of freedom, the networks, and the clips' common clock."""

    method: ClassVar[str] = "variation"
    honours: ClassVar[Honours] = (
        (PositionAt, "hard"),
        (Plant, "hard"),
        (RootAt, "hard"),
        (Pace, "hard"),
        (Pace, "soft"),
    )
    options_type: ClassVar[type[Settings]] = Options
    live_commands: ClassVar[tuple[str, ...]] = ("heading", "speed", "action")
    live_options_type: ClassVar[type[Settings] | None] = LiveOptions
    has_natural_end: ClassVar[bool] = True
    needs_whole_clips: ClassVar[bool] = True
    keeps_notes: ClassVar[bool] = True

    clips: tuple[Clip, ...]  # with contacts as labels, at the model's frame rate
    dofs: Dofs
    networks: Networks
    clock: FloatArray  # (S, U) the frame of each clip at each moment of their common clock
    loop: MeanLoop | None  # where the motion repeats, in moments
    sharing: FloatArray  # (D, D) how random weights are shared by degrees of freedom, see `takes.shared_noise`

    def check(self) -> None:
        check_clips(self.clips, self.skeleton, self.fps)
        self.dofs.check()
        self.networks.check(self.dofs.count)
        check_array(self.sharing, "sharing", "f", (self.dofs.count, self.dofs.count), low=-1.001, high=1.001)
        check_array(self.clock, "clock", "f", (len(self.clips), None), low=0)
        if self.clock.shape[1] < 3 or (np.diff(self.clock, axis=1) < 0).any():
            raise FormatError("clock: expected three moments or more whose frames never decrease")
        for k, clip in enumerate(self.clips):
            if len(clip) < SHORTEST or self.clock[k, -1] > len(clip) - 1:
                raise FormatError(f"clock: expected frames of clip {k}, which has {len(clip)}")
        if self.loop is not None and not 0 <= self.loop.start < self.loop.stop < self.clock.shape[1] + MOMENTS:
            raise FormatError(f"loop: expected moments of a clock of {self.clock.shape[1]}, found {self.loop}")
        if self.dofs.layout.fps != self.fps or self.dofs.layout.skeleton.names != self.skeleton.names:
            raise FormatError("dofs.layout: expected the skeleton and frame rate of the model")

    @property
    def keeps_place(self) -> bool:  # type: ignore[override]
        """Pen strokes stay where the model puts them: moving them all to one point would hide how they spread."""
        return self.dofs.layout.root == "place"

    # ---- tables that follow from the fields ----

    @cached_property
    def sequences(self) -> tuple[FloatArray, ...]:
        """(F, D) the degrees of freedom of each clip."""
        return tuple(self.dofs.values(clip) for clip in self.clips)

    @cached_property
    def takes(self) -> Takes:
        """The clips on their common clock."""
        return build_takes(self.clips, self.sequences, self.clock, self.dofs, self.sharing)

    @cached_property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """(D,) how far degrees of freedom go when limbs are corrected: the observed range and a little more."""
        room = LIMITS * (self.takes.high - self.takes.low)
        return self.takes.low - room, self.takes.high + room

    @cached_property
    def leg_lengths(self) -> FloatArray:
        """(P,) m: the largest distance of each foot part from its hip in any take."""
        thighs = [foot_part.foot.thigh for foot_part in foot_parts(self.skeleton)]
        spans = [np.linalg.norm(part_positions(clip) - fk(clip)[:, thighs], axis=2).max(0) for clip in self.clips]
        return np.asarray(np.max(spans, axis=0))

    @cached_property
    def cycle(self) -> Takes:
        """The part that repeats, closed."""
        assert self.loop is not None
        ahead = self.dofs.names.index("root.forward") if "root.forward" in self.dofs.names else -1
        return closed_takes(self.takes, self.loop, self.fps, ahead)

    @cached_property
    def _measured_gain(self) -> list[float]:
        return []

    def gain(self, progress: Progress | None = None) -> float:
        """What the amount of variation of a variant is multiplied by (see `calibration.gain`); measured once."""
        if not self._measured_gain:
            angles, frames = ~self.dofs.displacement, round(LONGEST * max(map(len, self.clips))) + 2
            body, tasks, _ = requested_tasks((), self.dofs, self.limits, frames, self.fps, 0.0)
            amounts, steering = np.ones(self.dofs.count + 1), np.tile(STRAIGHT, (frames, 1))
            report, turns = progress or silent(), count()

            def variant(k: int, more: float) -> FloatArray:
                report(next(turns) / MEASURED, "measuring variants")
                run = SynthesisRun(k, frames, False, 1.0, steering, (0.0, 0.0, 0.0))
                made = mix(self.takes, body, run, tasks, more * amounts, self.fps, part(report, 0.0, 0.0))
                return made.values[:, angles]

            self._measured_gain.append(gain([values[:, angles] for values in self.sequences], variant))
        return self._measured_gain[0]

    @cached_property
    def unrolling(self) -> Unrolling:
        """What the networks are unrolled with."""
        return unrolling_of(self.clips, self.sequences, self.dofs, self.networks, self.config)

    @cached_property
    def live(self) -> VariationLive:
        """Live characters; `BadRequest` if the motion does not repeat."""
        if self.loop is None:
            raise BadRequest("this motion does not repeat, so it has no live characters")
        return variation_live(self.clips, self.dofs, self.cycle, self.limits, self.leg_lengths, self.fps)

    # ---- requests ----

    def layer(self, body: Clip, *, amount: float = 1.0, parts: Sequence[str] = ()) -> Any:
        """The variation as a layer for live characters with the joints of the takes (see `varied`)."""
        from motionloom.methods.variation.layer import variation_layer

        return variation_layer(self, amount, parts)

    def refuses(self, constraint: Constraint, frames: int | None, options: Options | None = None) -> str:
        longest = frames or max(len(clip) for clip in self.clips)
        if isinstance(constraint, Pace) and options is not None and options.variant == FAITHFUL:
            return "LAU's networks do not choose a pace"
        if isinstance(constraint, RootAt) and constraint.frame(longest, self.fps) != 0:
            return "it does not choose its path, so a root_at can only be at time 0"
        if isinstance(constraint, (PositionAt, Plant)):
            joint = self.skeleton.joint(constraint.joint)
            if joint == 0 or (self.skeleton.parents[joint] == 0 and limb_of(self.skeleton, joint).top == joint):
                return f"no joint that could turn lies between the hips and {self.skeleton.names[joint]!r}"
        return ""

    def _plan(self, request: Request, options: Options, rng: Generator, progress: Progress) -> VariationPlan:
        seed, asked = int(rng.integers(2**39)), request.length(self.fps)
        longest = max(len(clip) for clip in self.clips)
        if asked is not None and self.loop is None and asked > longest:
            lengths = ", ".join(f"{(len(clip) / self.fps):.2f}" for clip in self.clips)
            raise BadRequest(
                f"this motion does not repeat, and {asked / self.fps:g} s are longer than any of its takes, which last "
                f"{lengths} s; leave out the length, or ask for at most {longest / self.fps:.2f} s",
                where=("frames",),
            )
        endless = asked is not None and self.loop is not None
        frames = asked if endless and asked is not None else round(LONGEST * longest) + 2
        begin = request.beginning(frames, self.fps)
        start = (*begin.position, begin.heading)
        run = SynthesisRun(seed, frames, endless, 1.0, np.tile(STRAIGHT, (frames, 1)), start)
        progress(0.0, "planning")
        if not (endless or options.variant == FAITHFUL or self._measured_gain) and len(self.clips) > 1:
            self.gain(part(progress, 0.0, MEASURING))
            progress = part(progress, MEASURING, 1.0)
        paces = [c for c in request.constraints if isinstance(c, Pace)]

        def free(trial: SynthesisRun) -> Motion:
            return self._free(trial, options, part(progress, 0.0, 0.0))

        paced = run_at_pace(run, paces, free, self.dofs, self.fps, asked) if paces else PacedRun(run)
        run = paced.run
        motion = self._free(run, options, part(progress, 0.0, 0.3))
        if asked is None and not paces and options.variant != FAITHFUL and len(self.clips) > 1:
            run, motion = self._as_long_as_takes(run, motion, options, rng, progress)
        if asked is not None and len(motion.values) < asked:
            run, motion = self._lasting(run, motion, asked, options, progress)
        count = min(len(motion.values), asked or len(motion.values))
        faithful = options.variant == FAITHFUL  # corrected frames would change where it ends
        run = run._replace(frames=count, steering=run.steering[:count], endless=run.endless or faithful)
        run, reason = self._lifted(run, motion, request)
        reason = reason or paced.problem(paces)
        body, tasks, owners = requested_tasks(
            request.constraints, self.dofs, self.limits, count, self.fps, options.ease
        )
        if owners:

            def make(trial: SynthesisRun, given: Tasks) -> Motion:
                given = self._eased(trial, body, given, options)
                return self._synthesized(trial, body, given, options, part(progress, 0.3, 0.3))

            run = search(run, tasks, owners, make, self.dofs, self.fps, part(progress, 0.3, 1.0))
        elif options.hold_feet and options.variant != FAITHFUL and not paces and motion.contacts.any():
            run = run._replace(follow=True)
        progress(1.0, "planning")
        return VariationPlan(run, _cycle_starts(motion.frames[:count]) if endless else (0,), reason)

    def render(
        self, plan: VariationPlan, request: Request, options: Options, rng: Generator, progress: Progress
    ) -> Clip:
        body, tasks, _ = requested_tasks(
            request.constraints, self.dofs, self.limits, plan.frames, self.fps, options.ease
        )
        tasks = self._eased(plan.run, body, tasks, options)
        requested = fresh(tasks)
        motion = self._synthesized(plan.run, body, requested, options, part(progress, 0.0, 0.5))
        clip = self.dofs.clip(motion.values, plan.run.start)
        notes: tuple[Note, ...] = ()
        standing = steady_contacts(motion.contacts, self.fps)
        if options.hold_feet and standing.any():
            ease = round(options.ease * self.fps)
            places, faithful = part_positions(clip), options.variant == FAITHFUL
            standing = stepping(standing, places, legs_of(body)[: places.shape[1]], self.fps)
            whole = with_standing_feet(tasks, body, standing, places, self.leg_lengths, ease, ahead=faithful)
            motion = self._synthesized(plan.run, body, whole, options, part(progress, 0.5, 1.0))
            clip = self.dofs.clip(motion.values, plan.run.start)
            notes = foot_notes(whole, len(tasks.limb))
        progress(1.0, "synthesizing")
        clip = self._described(clip, motion._replace(contacts=standing), notes)
        return place(clip, request, self) if self.keeps_place else clip

    def shortfall(self, clip: Clip, plan: VariationPlan, request: Request, options: Options) -> str:
        takes, asked = self.takes.contacts, request.constraints
        return root_problem(clip, asked, RISE) or limb_problem(clip, asked, takes, self.fps)

    def remarks(self, clip: Clip, request: Request) -> tuple[Note, ...]:
        return hurried_joints(clip, request.constraints, self.clips)

    def _as_long_as_takes(
        self, run: SynthesisRun, motion: Motion, options: Options, rng: Generator, progress: Progress
    ) -> tuple[SynthesisRun, Motion]:
        """The run, slower or faster as a whole, with a length as random as those of the takes.

        By its own clock its random tempo adds up, while takes that are slow at first are often quick later.
        """
        timing = float(amounts_of(options.amount, options.parts, self.dofs)[-1])
        wanted = drawn_length([len(clip) for clip in self.clips], timing, rng)
        for _ in range(2):  # a length is a whole number of frames
            run = run._replace(slower=run.slower * (wanted - 0.5) / max(len(motion.values) - 0.5, 1.0))
            motion = self._free(run, options, part(progress, 0.3, 0.3))
        return run, motion

    def _lasting(
        self, run: SynthesisRun, motion: Motion, asked: int, options: Options, progress: Progress
    ) -> tuple[SynthesisRun, Motion]:
        """The run, a little slower, so that it lasts as long as asked for."""
        if options.variant == FAITHFUL:
            run = run._replace(endless=True, frames=asked, steering=run.steering[:asked])
        while options.variant != FAITHFUL and len(motion.values) < asked:
            run = run._replace(slower=run.slower * (asked + 1) / len(motion.values))
            motion = self._free(run, options, part(progress, 0.3, 0.3))
        return run, self._free(run, options, part(progress, 0.3, 0.3))

    def _lifted(self, run: SynthesisRun, motion: Motion, request: Request) -> tuple[SynthesisRun, str]:
        """The run with the hips raised to the height of a `root_at` at time 0; or why that is too far."""
        first = self.dofs.clip(motion.values[:1], run.start)
        for c in request.constraints:
            if isinstance(c, RootAt) and c.height is not None:
                lift = c.height - float(first.root[0, 1])
                if abs(lift) > RISE:
                    return (
                        run,
                        f"{c.describe()}: the hips of the takes are {abs(lift):.2f} m away from that height then",
                    )
                run = run._replace(lift=lift)
        return run, ""

    def _free(self, run: SynthesisRun, options: Options, progress: Progress) -> Motion:
        """The degrees of freedom of a run without constraints."""
        body, tasks, _ = requested_tasks((), self.dofs, self.limits, run.frames, self.fps, options.ease)
        return self._synthesized(run, body, tasks, options, progress)

    def _eased(self, run: SynthesisRun, body: VariationBody, tasks: Tasks, options: Options) -> Tasks:
        """The tasks with easings as long as their corrections of the run are large."""
        if options.variant == FAITHFUL or not len(tasks.limb):
            return tasks
        clip = self.dofs.clip(self._free(run, options, silent()).values, run.start)
        ends = body.chains[tasks.limb].max(1)
        return eased(tasks, fk(clip)[:, ends], legs_of(body)[tasks.limb], self.fps)

    def _synthesized(
        self, run: SynthesisRun, body: VariationBody, tasks: Tasks, options: Options, progress: Progress
    ) -> Motion:
        """The degrees of freedom of a run, by the variant that the options name."""
        amounts = amounts_of(options.amount, options.parts, self.dofs)
        if options.variant == FAITHFUL:
            return unrolled(self.unrolling, body, run, tasks, amounts, self.fps, progress)
        takes = self.cycle if run.endless else self.takes
        if not run.endless:
            amounts[:-1] *= self.gain(progress)
        return mix(takes, body, run, tasks, amounts, self.fps, progress)

    def _described(self, clip: Clip, motion: Motion, notes: tuple[Note, ...]) -> Clip:
        """The clip with the labels that most of the takes have, its sources and notes."""
        names = tuple(dict.fromkeys(n for source in self.clips for n in source.label_names))
        near = np.round(motion.frames).astype(np.int64)
        votes = np.zeros((len(clip), len(names)))
        for k, source in enumerate(self.clips):
            table = np.stack([source.label(n) for n in names], 1) if names else np.zeros((len(source), 0), bool)
            votes += motion.weights[:, k : k + 1] * table[near[:, k]]
        labels = votes > 0.5
        for p, foot_part in enumerate(foot_parts(self.skeleton)):
            if foot_part.label in names:
                labels[:, names.index(foot_part.label)] = motion.contacts[:, p]
        known = material_of(self.clips)
        found = mixture_sources(known, self.clips, motion.frames, motion.weights, SOURCES)
        terms = all_terms(source.origin.licence for source in self.clips)
        origin = Origin(
            licence=terms,
            sources=known.table,
            which=found.which,
            frames=found.frames,
            weights=found.weights,
            notes=notes,
        )
        return replace(clip, label_names=names, labels=labels, origin=origin)


def unrolling_of(
    clips: Sequence[Clip], sequences: Sequence[FloatArray], dofs: Dofs, networks: Networks, config: Config
) -> Unrolling:
    """What learning and sampling of the networks need, by the settings of a config."""
    scales = dofs.scales(config.scale, np.concatenate(sequences))
    material, rules = regression_of(sequences, dofs.displacement, scales, config)
    prior = prior_data(sequences, config.pairs, scales, config.floor)
    left = np.concatenate([np.arange(len(s) - 1, -1, -1.0) for s in sequences])
    return Unrolling(prior, rules, material, rules, networks, left, np.concatenate([contact_array(c) for c in clips]))


def _cycle_starts(frames: FloatArray) -> tuple[int, ...]:
    """Frames of a stream at which a new cycle begins: its takes (F, S) go back."""
    return (0, *(np.flatnonzero(np.diff(frames.mean(1)) < 0) + 1).tolist())
