"""The texton model: what was learnt, the plan of a motion, and its frames."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Constraint, PoseAt, Request, RootAt
from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, Origin, Source, replace
from motionloom.kinematics.contacts import with_contacts
from motionloom.kinematics.travel import from_root_motion
from motionloom.methods.base import Honours, Model, check_request
from motionloom.methods.settings import Settings, param
from motionloom.methods.textons import paths
from motionloom.methods.textons.dynamics import Prior
from motionloom.methods.textons.editing import edit_pose, plan_path, written_path
from motionloom.methods.textons.grounding import contact_heights, grounded
from motionloom.methods.textons.learning import (
    Learnt,
    Material,
    Rules,
    Texton,
    count_transitions,
    criterion,
    learn,
)
from motionloom.methods.textons.observe import (
    Frames,
    Space,
    joined,
    observe,
    restore,
    space_of,
    to_coordinates,
    to_frames,
)
from motionloom.methods.textons.planning import Piece, Plan, plan_motion
from motionloom.methods.textons.solving import constrained_run, eased, push_of


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
    nearness: float = param(5.0, "preference for key poses that follow closely, 0 = any (as LI)", low=0, high=10)
    path: tuple[str, ...] | None = param(
        None,
        "textons in order, as [3, 3, 7#1, 1=2.5]: #1 names a segment of a texton, =2.5 its seconds; poses then bend "
        "these textons instead of choosing them",
    )
    stage: float = param(3.0, "radius around the start that a long motion turns back to", unit="m", low=0.1)


@dataclass(frozen=True, eq=False)
class Observed:
    """An observed segment of a texton, with the two frames that followed it."""

    texton: int
    source: str
    frame: int  # where it starts in the source file
    frames: Frames  # length + 2
    contacts: BoolArray  # (length + 2, L) which foot parts stand, in the order of the model's `contact_names`
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
        clip = self.render(plan, rng, noise=options.noise, push=options.push)
        return replace(clip, origin=clip.origin.said(*plan.said, _path_note(self, plan)))

    def render(self, plan: Plan, rng: Generator, *, noise: float | None = None, push: str = "observed") -> Clip:
        """The frames of a plan, from the origin, facing +z; contacts come along, but plants are not cleaned yet."""
        usual = self.noise / 8 if push == "observed" else self.noise  # a push has its segment's own variation in it
        amount = usual if noise is None else noise
        parts = [
            self.piece_frames(piece, nxt, rng, noise=amount, push=push)
            for piece, nxt in zip(plan.pieces, [*plan.pieces[1:], None], strict=True)
        ]
        frames = joined(parts)
        clip = restore(frames[: plan.frames], self.skeleton, self.fps)
        standing = np.concatenate([self._contacts(p) for p in plan.pieces])[: plan.frames]
        clip = replace(clip, origin=self._origin(plan), label_names=self.contact_names, labels=standing)
        return grounded(clip, self.heights)

    def piece_frames(
        self, piece: Piece, following: Piece | None, rng: Generator, *, noise: float, push: str = "observed"
    ) -> Frames:
        """One texton's frames; the two after its last one are the key poses of what follows, so both sides meet.

        Key poses go through rotations into the texton's chart; what its basis cannot express of them is carried along
        as a smooth offset, so that they are met exactly. With `push` "observed" the run is driven as the observed
        segment was, and what the basis leaves out of that segment comes along; noise is added to that.
        """
        texton = self.textons[piece.texton]
        dynamics = texton.dynamics
        ends = piece.after if following is None else following.keys
        hard = {0: piece.keys[:1], 1: piece.keys[1:], piece.length: ends[:1], piece.length + 1: ends[1:], **piece.hard}
        at = sorted(hard)
        wanted = to_coordinates(joined([hard[t] for t in at]), self.space, texton.base) - dynamics.mean
        drive = noise * rng.standard_normal((piece.length + 2, dynamics.size))
        rest = np.zeros((piece.length + 2, len(dynamics.mean)))
        if push == "observed":
            seen = self.observed[piece.observed]
            y = to_coordinates(seen.frames, self.space, texton.base) - dynamics.mean
            y = _stretched(y, piece.length + 2)
            x = y @ dynamics.basis
            drive += push_of(dynamics, x)
            rest = y - x @ dynamics.basis.T
        states = wanted @ dynamics.basis
        x = constrained_run(dynamics, dict(zip(at, states, strict=True)), drive)
        missing = wanted - states @ dynamics.basis.T - rest[at]
        y = dynamics.mean + x @ dynamics.basis.T + rest + eased(dict(zip(at, missing, strict=True)), piece.length + 2)
        return to_frames(y[: piece.length], self.space, texton.base)

    def _contacts(self, piece: Piece) -> BoolArray:
        """(length, L) the observed segment's contacts at the piece's length."""
        seen = self.observed[piece.observed].contacts
        at = np.round(np.linspace(0, len(seen) - 1, piece.length + 2)).astype(int)
        return seen[at][: piece.length]

    def _origin(self, plan: Plan) -> Origin:
        """Frames are new; only key poses stand in a source. Every frame names the clip its texton's key came from."""
        sources: list[Source] = []
        which, frames = [], []
        for piece in plan.pieces:
            seen = self.observed[piece.observed]
            source = Source(seen.source)
            if source not in sources:
                sources.append(source)
            which += [sources.index(source)] * piece.length
            frames += [seen.frame, *([-1] * (piece.length - 1))]
        return Origin(
            sources=tuple(sources), which=np.array(which[: plan.frames]), frames=np.array(frames[: plan.frames])
        )

    def of_texton(self, texton: int) -> list[int]:
        """Indices into `observed` of a texton's segments."""
        return [k for k, o in enumerate(self.observed) if o.texton == texton]


DEFAULT = Config()
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
    observed = _observed(standing, seen, learnt, names)
    model = TextonModel(
        skeleton=clips[0].skeleton,
        config=config,
        fps=config.fps,
        notes=(*left, *chosen, _summary(learnt, clips)),
        space=space,
        textons=learnt.textons,
        observed=tuple(observed),
        contact_names=names,
        heights=contact_heights(standing),
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


def _observed(clips: Sequence[Clip], seen: Sequence[Frames], learnt: Learnt, names: Sequence[str]) -> list[Observed]:
    out = []
    for s in learnt.segments:
        clip = clips[s.clip]
        stop = min(s.stop + 2, len(clip))  # at a clip's end, its own last two frames
        frames = seen[s.clip][s.start : stop]
        at = s.start if clip.origin.frames is None else int(clip.origin.frames[s.start])
        path = from_root_motion(frames.root[:-1, :3] / clip.fps)
        move = np.array([*path.place[-1], path.heading[-1]])
        standing = (
            np.stack([clip.label(n)[s.start : stop] for n in names], 1) if names else np.zeros((len(frames), 0), bool)
        )
        out.append(Observed(s.label, clip.name, at, frames, standing, move))
    return out


def _path_note(model: TextonModel, plan: Plan) -> str:
    """The path as `options.path` takes it; of a long one, its beginning."""
    path = written_path(model, plan)
    more = f" and {len(path) - MOST_SAID} more" if len(path) > MOST_SAID else ""
    return f"path: [{', '.join(path[:MOST_SAID])}]{more}"


def _stretched(y: FloatArray, length: int) -> FloatArray:
    """Frames in even steps from the first to the last, linearly between them."""
    if len(y) == length:
        return y
    at = np.linspace(0, len(y) - 1, length)
    low = np.minimum(at.astype(int), len(y) - 2)
    part = (at - low)[:, None]
    return (1 - part) * y[low] + part * y[low + 1]


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
