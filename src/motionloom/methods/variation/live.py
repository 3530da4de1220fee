"""Live variants: cyclic motion without end, each character varied on its own.

A character is a mixture of the takes as in `_kernels_mix`, with feet held where they touch. It can be turned, hurried
or slowed down, and drawn towards the takes that carry a label (its actions).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, IntArray, Skeleton
from motionloom.core.poses import Commands, Poses
from motionloom.methods.live import FrameSources, Sources, Status, material_of
from motionloom.methods.live_actions import action_marks, action_names
from motionloom.methods.live_base import LiveCharacters, at_shown_tick, speed_status
from motionloom.methods.settings import Settings
from motionloom.methods.variation.body import VariationBody, body_tables, foot_limbs, legs_of
from motionloom.methods.variation.config import amount_param, hold_param, parts_param
from motionloom.methods.variation.dofs import Dofs
from motionloom.methods.variation.sources import mixture_sources, rows_of
from motionloom.methods.variation.synthesis import amounts_of
from motionloom.methods.variation.takes import Takes
from motionloom.methods.variation.timing import MOMENTS

TRAVELS = 0.1  # m/s: slower motion does not go anywhere, and cannot be steered

__all__ = ["LiveOptions", "VariationLive", "variation_live"]


@dataclass(frozen=True)
class LiveOptions(Settings):
    """Options of live variants."""

    amount: float = amount_param()
    parts: tuple[str, ...] = parts_param()
    hold_feet: bool = hold_param()


DEFAULT_OPTIONS = LiveOptions()


class VariationTables(NamedTuple):
    """What steps read from: the cycle of the takes, the body with its foot parts as limbs, and how it travels."""

    takes: Takes
    body: VariationBody
    legs: IntArray  # (P,) the joint at the top of each foot part's leg
    longest: FloatArray  # (P,) m: largest distance of each foot part from its hip in any take
    speed: float  # m/s: mean of the takes, 0 if they do not travel
    lean: float  # rad: direction of travel, seen from the heading
    goals: FloatArray  # (A + 1, S) mean weights of the takes: without an action, and for each


class VariationState(NamedTuple):
    """N characters: S takes, D degrees of freedom, P foot parts, J joints."""

    time: FloatArray  # (N,) s since the last tick
    seed: IntArray  # (N,)
    clock: FloatArray  # (N, 2) moment of the cycle, moments since the start
    first: IntArray  # (N, 1) number of the first knot
    knots: FloatArray  # (N, 4, S, D) random numbers about the present moment
    base: FloatArray  # (N, S) weights of the takes without variation
    weights: FloatArray  # (N, S) weights of the takes in timing
    offset: FloatArray  # (N, 2, D) what is left of corrections, and its rate
    last_offset: FloatArray  # (N, D) at the last tick
    last: FloatArray  # (N, D) degrees of freedom at the last tick
    track: FloatArray  # (N, 3) x, z and heading at the next tick
    held: BoolArray  # (N, P)
    spots: FloatArray  # (N, P, 3) m: where held feet stand
    feet: FloatArray  # (N, P + 3, 2) m: where feet were at the last tick, see `follow_feet`
    commanded: FloatArray  # (N, 3) heading, speed, action
    amounts: FloatArray  # (N, D + 1) of variation
    hold: BoolArray  # (N,) are feet held?
    root: FloatArray  # (N, 2, 3) at the last two ticks
    rotations: FloatArray  # (N, 2, J, 4)
    contacts: BoolArray  # (N, 2, P)
    shown: FloatArray  # (N, 2) moments of the cycle


@dataclass(frozen=True, eq=False)
class VariationLive(LiveCharacters[VariationState, LiveOptions]):
    """Live characters of one model. Actions are labels: a character mixes the takes that carry the commanded one."""

    default_options: ClassVar[LiveOptions] = DEFAULT_OPTIONS

    tables: VariationTables
    dofs: Dofs
    clips: tuple[Clip, ...]
    actions: tuple[str, ...]
    marks: BoolArray  # (A, F) whether each frame of the clips belongs to each action
    skeleton: Skeleton
    fps: float
    material: FrameSources

    @property
    def accepts(self) -> tuple[str, ...]:
        steered = ("heading", "speed") if self.tables.speed > TRAVELS else ()
        return (*steered, "action") if self.actions else steered

    @property
    def _foot_parts(self) -> int:
        return len(self.tables.legs)

    def _begin(self, state: VariationState, seeds: IntArray, places: FloatArray, options: LiveOptions) -> None:
        """At a moment that the seed draws."""
        from motionloom.methods.variation._kernels_live import show_first

        state.seed[:] = seeds
        state.track[:] = places
        state.amounts[:] = amounts_of(options.amount, options.parts, self.dofs)
        state.hold[:] = options.hold_feet
        show_first(self.tables, state, self.fps)

    def _empty(self, count: int) -> VariationState:
        takes, degrees = self.tables.takes.values.shape[0], self.dofs.count
        parts, joints = len(self.tables.legs), len(self.skeleton)
        commanded = np.full((count, 3), np.nan)
        commanded[:, 2] = -1
        return VariationState(
            time=np.zeros(count),
            seed=np.zeros(count, np.int64),
            clock=np.zeros((count, 2)),
            first=np.zeros((count, 1), np.int64),
            knots=np.zeros((count, 4, takes, degrees)),
            base=np.full((count, takes), 1.0 / takes),
            weights=np.full((count, takes), 1.0 / takes),
            offset=np.zeros((count, 2, degrees)),
            last_offset=np.zeros((count, degrees)),
            last=np.zeros((count, degrees)),
            track=np.zeros((count, 3)),
            held=np.zeros((count, parts), bool),
            spots=np.zeros((count, parts, 3)),
            feet=np.zeros((count, parts + 3, 2)),
            commanded=commanded,
            amounts=np.zeros((count, degrees + 1)),
            hold=np.zeros(count, bool),
            root=np.zeros((count, 2, 3)),
            rotations=np.zeros((count, 2, joints, 4)),
            contacts=np.zeros((count, 2, parts), bool),
            shown=np.zeros((count, 2)),
        )

    def _advance(self, state: VariationState, commands: Commands, dt: float, poses: Poses) -> None:
        from motionloom.methods.variation._kernels_live import advance

        advance(self.tables, commands, state, dt, self.fps, poses.root, poses.rotations, poses.contacts)

    def status(self, state: VariationState) -> Status:
        """The action that most takes show, and the speed commanded and used, within 0.7 to 1.4 of the takes' own."""
        from motionloom.methods.variation._kernels_live import TEMPO

        speed, asked = self.tables.speed, state.commanded[:, 1]
        used = np.where(np.isnan(asked), speed, np.clip(asked, TEMPO[0] * speed, TEMPO[1] * speed))
        rows = rows_of(self.clips, self._shown(state))
        votes = (self.marks[:, rows] * state.weights).sum(-1) > 0.5  # (A, N)
        action = np.where(votes.any(0), votes.argmax(0), -1) if len(votes) else np.full(len(state.time), -1)
        wait = np.maximum(1.0 / self.fps - state.time, 0.0)
        return speed_status(action, asked, used, wait)

    def sources(self, state: VariationState) -> Sources:
        """The frames of all takes that are mixed, by their weights in timing."""
        return mixture_sources(self.material, self.clips, self._shown(state), state.weights)

    def _shown(self, state: VariationState) -> FloatArray:
        """(N, S) the frame of each take."""
        frames, last = self.tables.takes.frames, self.tables.takes.frames.shape[1] - 1
        at = at_shown_tick(state, self.fps) % last
        low = np.minimum(at.astype(np.int64), last - 1)
        share = (at - low)[:, None]
        return np.asarray((1 - share) * frames[:, low].T + share * frames[:, low + 1].T)


def variation_live(
    clips: tuple[Clip, ...],
    dofs: Dofs,
    cycle: Takes,
    limits: tuple[FloatArray, FloatArray],
    leg_lengths: FloatArray,
    fps: float,
) -> VariationLive:
    """The live characters of closed takes (see `closed_takes`)."""
    skeleton = clips[0].skeleton
    if dofs.layout.root == "place":
        raise BadRequest("pen strokes have no live characters; synthesize them")
    body = body_tables(dofs, foot_limbs(skeleton), limits)
    left, ahead = (_mean(cycle, body, column) for column in (0, 1))
    per_frame = np.hypot(left, ahead) / cycle.speeds[:, :-1].mean()  # frames in a moment of the clock
    actions = action_names(clips)
    marks = action_marks(clips, actions)
    speed, lean = float(per_frame * fps), float(np.arctan2(left, ahead))
    tables = VariationTables(cycle, body, legs_of(body), leg_lengths, speed, lean, _goals(clips, marks))
    return VariationLive(tables, dofs, clips, actions, marks, skeleton, fps, material_of(clips))


def _goals(clips: Sequence[Clip], marks: BoolArray) -> FloatArray:
    """(A + 1, S) the mean weights of takes: equal, and for each action in proportion to how much of them shows it."""
    owners = np.repeat(np.arange(len(clips)), [len(clip) for clip in clips])
    shares = [np.bincount(owners, row, len(clips)) / np.bincount(owners) for row in marks]
    rows = np.array([np.ones(len(clips)), *shares])
    return np.asarray(rows / rows.sum(1, keepdims=True))


def _mean(cycle: Takes, body: VariationBody, column: int) -> float:
    """The mean displacement of a root column in a moment of the clock."""
    at = int(body.root[column])
    if at < 0:
        return float(body.root_still[column]) / MOMENTS
    return float(cycle.values[:, :-1, at].mean())
