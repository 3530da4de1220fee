"""The texton model: what was learnt, the plan of a motion, and its frames."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Constraint, PoseAt, Request, RootAt
from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, IntArray, replace
from motionloom.kinematics.contacts import with_contacts
from motionloom.kinematics.travel import from_root_motion
from motionloom.methods.base import Honours, Model, check_request
from motionloom.methods.settings import Settings, param
from motionloom.methods.textons import paths
from motionloom.methods.textons.dynamics import Prior
from motionloom.methods.textons.editing import edit_pose, plan_path, written_path
from motionloom.methods.textons.grounding import Footing, contact_heights, footing
from motionloom.methods.textons.joins import Joins
from motionloom.methods.textons.learning import (
    Learnt,
    Material,
    Rules,
    Texton,
    count_transitions,
    criterion,
    learn,
)
from motionloom.methods.textons.making import Bench
from motionloom.methods.textons.observe import Frames, Space, joined, observe, space_of, to_coordinates
from motionloom.methods.textons.planning import Piece, Plan, Walk, plan_motion
from motionloom.methods.textons.solving import constrained_run
from motionloom.methods.textons.weaving import chunks, some_frames, weave, whole_clip


@dataclass(frozen=True)
class Config(Settings):
    """What learning needs."""

    fps: float = param(60.0, "frame rate of the model", unit="fps", low=10, high=240)
    tolerance: float = param(0.65, "fit error that opens a new texton, as a share of the clips' deviation", low=0.01)
    shortest: float = param(1.0, "shortest segment", unit="s", symbol="T_min", low=0.1)
    variance: float = param(0.99, "share of variance that a texton's basis keeps", low=0.5, high=1.0)
    dimensions: int = param(25, "most dimensions of a texton's state", low=1, high=60)
    count: str = param("tolerance", "what decides how many textons", choices=("tolerance", "bic", "mdl"))
    rounds: int = param(15, "most rounds of expectation and maximisation", low=1, high=100)
    smoothing: float = param(0.1, "pseudo-count of transitions while learning", low=1e-6)
    ridge: float = param(1e-3, "weight of the pull towards constant velocity", unit="m^2", low=0)
    floor: float = param(1e-3, "noise that every texton has at least", unit="m", low=1e-6)


@dataclass(frozen=True)
class Options(Settings):
    """What synthesis needs."""

    push: str = param(
        "observed",
        "what drives a texton besides noise: what drove an observed segment, or nothing (as LI)",
        choices=("observed", "nothing"),
    )
    noise: float | None = param(
        None,
        "amount of noise, 1 = as learnt; default: by the spread of observed segments (an eighth if pushed)",
        low=0,
    )
    nearness: float = param(2.0, "preference for key poses that follow closely, 0 = any (as LI)", low=0, high=10)
    unseen: float = param(
        0.7,
        "largest distance of a join never seen, as a share of the median of all pairs; 0 = none (as LI)",
        low=0,
        high=2,
    )
    evenly: bool = param(True, "show all observed segments equally often in the long run; false = as M says (as LI)")
    vary: float = param(
        float(np.radians(2)),
        "how far the joint that turns most is turned from an observed key pose; 0 = not at all (as LI)",
        unit="rad",
        low=0,
        high=0.5,
    )
    length: float = param(1.0, "how long textons are made, 1 = as observed", low=0.25, high=8)
    longer: str = param(
        "cycles", "how a texton lasts longer than observed: cycles said again, or slower", choices=("cycles", "slower")
    )
    path: tuple[str, ...] | None = param(
        None,
        "textons in order, as [3, 3, 7#1, 1=2.5]: #1 names a segment of a texton, =2.5 its seconds; poses then bend "
        "these textons instead of choosing them",
    )
    way: str = param(
        "fixed",
        "between two poses: the best path of as many textons as fit, or the most probable one of all, textons repeated",
        choices=("fixed", "cheapest"),
    )
    ends: str = param(
        "met",
        "a texton ends in the key poses of the next, or anywhere (as LI 5.3) and the next goes on from there",
        choices=("met", "free"),
    )
    stage: float = param(3.0, "radius around the start that a long motion turns back to", unit="m", low=0.1)


@dataclass(frozen=True, eq=False)
class Observed:
    """An observed segment of a texton, with the two frames that followed it."""

    texton: int
    source: str
    frame: int  # where it starts in the source file
    frames: Frames  # length + 2
    contacts: BoolArray  # (length + 2, P) which foot parts stand, in the order of the model's `contact_names`
    slip: FloatArray  # (length + 2, P, 2) m: how far each foot part moves over the ground to the next frame
    low: FloatArray  # (length + 2,) m: how far the lowest foot part is above its usual height on the floor
    move: FloatArray  # (3,) how far it travels to the left and forward (m), and turns (rad)

    @property
    def length(self) -> int:
        return len(self.frames) - 2

    @property
    def keys(self) -> Frames:
        """Its first two frames."""
        return self.frames[:2]

    @property
    def after(self) -> Frames:
        """The two frames that followed it."""
        return self.frames[-2:]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TextonModel(Model):
    """Textons, their transitions, and every observed segment's key poses."""

    method: ClassVar[str] = "textons"
    honours: ClassVar[Honours] = ((PoseAt, "hard"), (RootAt, "hard"))
    Options: ClassVar[type[Settings]] = Options
    speaks: ClassVar[bool] = True
    mends: ClassVar[bool] = True

    space: Space
    textons: tuple[Texton, ...]
    observed: tuple[Observed, ...]
    counts: FloatArray  # (N, N) transitions seen
    contact_names: tuple[str, ...]  # labels of foot parts that stand
    heights: FloatArray  # (P,) metres: how high each foot part is while it stands
    noise: float  # the default amount of noise
    history: tuple[float, ...] = ()  # the objective while learning

    def refuses(self, constraint: Constraint, frames: int | None) -> str:
        if isinstance(constraint, RootAt) and frames is not None and constraint.frame(frames, self.fps) != 0:
            return "it does not choose its way, so a root_at can only be at time 0"
        return ""

    def ends(self, request: Request) -> bool:
        return self.options(request).path is not None

    def plan(self, request: Request, rng: Generator) -> Plan:
        """Which texton comes when, with which key poses and for how many frames."""
        check_request(self, request)
        return self._plan(request.at_fps(self.fps), self.options(request), rng)

    def _plan(self, request: Request, options: Any, rng: Generator) -> Plan:
        frames = request.length(self.fps)
        if options.path is None:
            assert frames is not None  # checked before
            return plan_motion(self, frames, self._waypoints(request, frames), options, rng)
        plan = plan_path(self, options.path, frames, options, rng)
        if frames is None:  # only now is it known whether the rest of the request fits
            check_request(self, dataclasses.replace(request, frames=plan.frames))
        for at, pose in sorted(self._waypoints(request, plan.frames).items()):
            plan = edit_pose(self, plan, at, pose, push=options.push)
        return plan

    def _waypoints(self, request: Request, frames: int) -> dict[int, PoseAt]:
        return {c.frame(frames, self.fps): c for c in request.constraints if isinstance(c, PoseAt)}

    def make(self, request: Request, options: Any, rng: Generator) -> Clip:
        plan = self._plan(request, options, rng)
        if any(isinstance(c, PoseAt) for c in request.constraints):  # plants are cleaned at the end, around the poses
            clip = self.render(plan, rng, options)
        else:
            clip = some_frames(weave(self, iter(plan.pieces), rng, options), plan.frames)
        return replace(clip, origin=clip.origin.said(*plan.said, _path_note(self, plan)))

    def stream(self, rng: Generator, options: Any = None, *, frames: int | None = None) -> Iterator[Clip]:
        """Motion that never ends, cleaned, in clips that follow each other without a seam (of `frames` each, if given).

        Memory stays bounded; the same generator gives the same frames whatever `frames` is. Each clip goes on where
        the one before it ended: `concatenate` puts them together. It starts at the origin and faces +z.
        """
        options = DEFAULT_OPTIONS if options is None else options
        walk = Walk(self, options, rng)
        clips = weave(self, walk.endless(), rng, options, walk=walk)
        return clips if frames is None else chunks(clips, frames)

    def render(
        self, plan: Plan, rng: Generator, options: Any = None, *, noise: float | None = None, push: str | None = None
    ) -> Clip:
        """The frames of a plan, from the origin, facing +z; contacts come along, but plants are not cleaned yet.

        `noise` and `push` are short for options that differ in these.
        """
        options = DEFAULT_OPTIONS if options is None else options
        given = {k: v for k, v in (("noise", noise), ("push", push)) if v is not None}
        return whole_clip(self, iter(plan.pieces), plan.frames, rng, dataclasses.replace(options, **given))

    def amount(self, noise: float | None, push: str) -> float:
        """The amount of noise, or the usual one: a push has its segment's own variation in it."""
        usual = self.noise / 8 if push == "observed" else self.noise
        return usual if noise is None else noise

    def joins(self, options: Any) -> Joins:
        """Which observed segment may follow which under these options."""
        return self.bench.joins(options)

    @cached_property
    def may_follow(self) -> BoolArray:
        """(N, N) may the second texton follow the first? It was seen to, or some join of theirs is near."""
        found = self.joins(DEFAULT_OPTIONS)
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
    ) -> Frames:
        """One texton's frames; the two after its last one are the key poses of what follows, so both sides meet.

        Key poses go through rotations into the texton's chart; what its basis cannot express of them is carried along
        as a smooth offset, so that they are met exactly. With `push` "observed" the run is driven as the observed
        segment was, and what the basis leaves out of that segment comes along; noise is added to that. `longer` says
        how that segment is made to last longer than it was: by "cycles" said again, or "slower". With `ends` "free" the
        run leads anywhere (LI 5.3), and the two frames after its last one come along too.
        """
        if ends == "free":
            return self.bench.make(piece, None, rng, noise=noise, push=push, longer=longer)
        last = piece.after if following is None else following.keys
        return self.bench.make(piece, last, rng, noise=noise, push=push, longer=longer)[: piece.length]

    def carried_on(self, piece: Piece, following: Piece, frames: Frames) -> Piece:
        """What follows a piece that ended anywhere: it starts in the two frames after it."""
        return dataclasses.replace(following, keys=frames[piece.length : piece.length + 2])

    def footing(self, piece: Piece, longer: str = "cycles") -> Footing:
        """What the feet of a piece's observed segment do, at the piece's length."""
        drive, n = self.bench.drive(piece, longer), piece.length
        return Footing(drive.contacts[:n], drive.slip[:n], drive.low[:n])

    def of_texton(self, texton: int) -> list[int]:
        """Indices into `observed` of a texton's segments."""
        return [k for k, o in enumerate(self.observed) if o.texton == texton]


DEFAULT = Config()
DEFAULT_OPTIONS = Options()
MOST_SAID = 40  # textons of a path that a clip's notes say
TRIED = (0.5, 0.6, 0.7, 0.8, 0.95, 1.1)  # tolerances tried for BIC and MDL


def fit(clips: Sequence[Clip], config: Config = DEFAULT, *, rng: Generator | None = None) -> TextonModel:
    """Learn textons from clips of one skeleton at `config.fps` (see `methods.prepare`). No chance is involved."""
    shortest = max(4, round(config.shortest * config.fps))
    short = [c for c in clips if len(c) < 2 * shortest]
    if len(short) == len(clips):
        longest = max(clips, key=len)
        raise BadRequest(
            f"{longest.name or 'the longest clip'} lasts {longest.seconds:.2f} s; textons of at least "
            f"{config.shortest:g} s need clips of at least {2 * config.shortest:g} s"
        )
    clips = [c for c in clips if len(c) >= 2 * shortest]
    left = [f"{c.name}: {c.seconds:.1f} s left out, shorter than two textons" for c in short]
    seen = [observe(clip) for clip in clips]
    space = space_of(joined(seen), clips[0].skeleton)
    if not space.size:
        raise BadRequest("nothing moves in these clips: there is no dynamics to learn")
    material = Material(seen, space)
    prior = Prior(config.ridge, config.floor)
    rules = Rules(
        shortest, config.variance, config.dimensions, config.tolerance, config.smoothing, config.rounds, prior
    )
    learnt, chosen = _learn(material, rules, config.count)
    standing = [with_contacts(clip) for clip in clips]
    names = tuple(n for n in standing[0].label_names if n.startswith("contact:"))
    heights = contact_heights(standing)
    observed = _observed(standing, seen, learnt, names, heights)
    model = TextonModel(
        skeleton=clips[0].skeleton,
        config=config,
        fps=config.fps,
        notes=(*left, *chosen, _summary(learnt, clips)),
        space=space,
        textons=learnt.textons,
        observed=tuple(observed),
        contact_names=names,
        heights=heights,
        counts=count_transitions(learnt.segments, len(learnt.textons)),
        noise=1.0,
        history=learnt.history,
    )
    return dataclasses.replace(model, noise=_usual_noise(model))


def _learn(material: Material, rules: Rules, count: str) -> tuple[Learnt, tuple[str, ...]]:
    if count == "tolerance":
        return learn(material, rules), ()
    tried = [(t, dataclasses.replace(rules, tolerance=t)) for t in TRIED]
    learnt = [(t, r, learn(material, r)) for t, r in tried]
    costs = [criterion(material, found, r, count) for _, r, found in learnt]
    tolerance, _, found = learnt[int(np.argmin(costs))]
    table = ", ".join(f"{len(m.textons)} ({c:,.0f})" for (_, _, m), c in zip(learnt, costs, strict=True))
    return found, (f"{count.upper()} chose {len(found.textons)} textons (tolerance {tolerance:g}) among {table}",)


def _observed(
    clips: Sequence[Clip], seen: Sequence[Frames], learnt: Learnt, names: Sequence[str], heights: FloatArray
) -> list[Observed]:
    stand = [np.stack([c.label(n) for n in names], 1) if names else np.zeros((len(c), 0), bool) for c in clips]
    feet = [footing(f, on, c.skeleton, heights, c.fps) for c, f, on in zip(clips, seen, stand, strict=True)]
    out = []
    for s in learnt.segments:
        clip = clips[s.clip]
        cut = slice(s.start, min(s.stop + 2, len(clip)))  # at a clip's end, its own last two frames
        frames = seen[s.clip][cut]
        at = s.start if clip.origin.frames is None else int(clip.origin.frames[s.start])
        path = from_root_motion(frames.root[:-1, :3] / clip.fps)
        move = np.array([*path.place[-1], path.heading[-1]])
        own = feet[s.clip]
        out.append(Observed(s.label, clip.name, at, frames, own.contacts[cut], own.slip[cut], own.low[cut], move))
    return out


def _path_note(model: TextonModel, plan: Plan) -> str:
    """The path as `options.path` takes it; of a long one, its beginning."""
    path = written_path(model, plan)
    more = f" and {len(path) - MOST_SAID} more" if len(path) > MOST_SAID else ""
    return f"path: [{', '.join(path[:MOST_SAID])}]{more}"


def _summary(learnt: Learnt, clips: Sequence[Clip]) -> str:
    lengths = [len(s) for s in learnt.segments]
    kept = paths.endless(count_transitions(learnt.segments, len(learnt.textons)))
    inside = sum(len(s) for s in learnt.segments if s.label in kept)
    return (
        f"{len(learnt.textons)} textons in {len(learnt.segments)} segments of {min(lengths)} to {max(lengths)} frames; "
        f"{len(kept)} of them, {inside / sum(lengths):.0%} of the frames, can follow each other for ever"
    )


def _usual_noise(model: TextonModel) -> float:
    """The amount of noise with which samples stray from the mean run as far as the observed segments do.

    For every observed segment: how far it lies from the mean run between its own ends, against how far samples with
    full noise do (RMS, metres); the median of the ratios, at most 1.
    """
    rng = np.random.default_rng(0)
    ratios = []
    for seen in model.observed:
        texton = model.textons[seen.texton]
        x = (to_coordinates(seen.frames, model.space, texton.base) - texton.dynamics.mean) @ texton.dynamics.basis
        ends = {t: x[t] for t in (0, 1, len(x) - 2, len(x) - 1)}
        mean = constrained_run(texton.dynamics, ends, np.zeros_like(x))
        sample = constrained_run(texton.dynamics, ends, rng.standard_normal(x.shape))
        strayed = float(np.sqrt(((sample - mean) ** 2).mean()))
        if strayed > 0:
            ratios.append(float(np.sqrt(((x - mean) ** 2).mean())) / strayed)
    return float(min(1.0, np.median(ratios))) if ratios else 1.0
