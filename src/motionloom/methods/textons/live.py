"""Textons for live characters: walks over observed segments, each deviating from them by its texton's dynamics.

What follows a segment is chosen some time before it ends (`LiveOptions.lookahead`), so that the character can be
steered to its key poses; a command cannot take effect sooner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, Skeleton
from motionloom.core.poses import Commands, Poses
from motionloom.methods.live import FrameSources, Sources, Status, first_frames
from motionloom.methods.live_base import LiveCharacters, at_shown_tick
from motionloom.methods.settings import Settings, param
from motionloom.methods.textons.config import DEFAULT_OPTIONS as SYNTHESIS
from motionloom.methods.textons.live_tables import MAX_LOOKAHEAD, TextonTables, build_tables
from motionloom.methods.textons.plan.joins import JoinFinder
from motionloom.methods.textons.render.synthesis import Synthesizer

MIN_LOOKAHEAD = 0.1  # s
NOISE = 1 / 6  # of the usual noise; less than in synthesis, which fades it towards both ends of a run
NOISE_TIME = 0.2  # s: its correlation time


@dataclass(frozen=True)
class LiveOptions(Settings):
    """Options of live textons."""

    lookahead: float = param(
        MAX_LOOKAHEAD,
        "how long before the end of a texton the next one is chosen; a command waits for at least so long",
        unit="s",
        low=MIN_LOOKAHEAD,
        high=MAX_LOOKAHEAD,
    )
    noise: float | None = param(
        None, "amount of noise, 1 = as learned; default: a sixth of the spread of observed segments", low=0, high=10
    )
    key_variation: float = param(
        SYNTHESIS.key_variation,
        "random turn of the key poses, of the joint that turns most",
        unit="rad",
        low=0,
        high=0.5,
    )


DEFAULT_OPTIONS = LiveOptions()


class TextonState(NamedTuple):
    """N characters. Each shows frame `frame` of an observed segment, and deviates from it."""

    time: FloatArray  # (N,) s since the last tick
    seed: IntArray  # (N,)
    draws: IntArray  # (N,) random numbers drawn so far
    segment: IntArray  # (N,) observed segment
    frame: IntArray  # (N,) of it, shown at the last tick
    end: IntArray  # (N,) the frame at which the next segment begins
    following: IntArray  # (N,) the next segment, -1 while it is not chosen
    commanded: IntArray  # (N,) action, -1 for none
    deviation: FloatArray  # (N, 2, d) at this frame and the one before; at frame 0, the first is that of frame 1
    goal: FloatArray  # (N, 2, d) deviations at `end` and the frame after it
    outside: FloatArray  # (N, 4, D) what the basis leaves out of the first two frames, and of the two from `end` on
    varied: FloatArray  # (N, D) offset of the next segment's key poses
    noise: FloatArray  # (N, 2, d) slow noise, averaged once and twice
    ground: FloatArray  # (N, 4) mean slip to the left and forward (m), share of frames with a foot down, height (m)
    feet: FloatArray  # (N, P, 2) m: foot parts at the last tick, seen from the hips
    rates: FloatArray  # (N, 3) m/s, rad/s: velocity to the left and forward, yaw rate
    track: FloatArray  # (N, 3) x, z and heading at the last tick
    root: FloatArray  # (N, 2, 3) at the last two ticks
    rotations: FloatArray  # (N, 2, J, 4)
    contacts: BoolArray  # (N, 2, P)
    shown: IntArray  # (N, 2) observed frames, counted through all segments
    tuning: FloatArray  # (N, 4) lookahead (frames), noise, key variation (rad), noise time (frames)


@dataclass(frozen=True, eq=False)
class TextonLive(LiveCharacters[TextonState, LiveOptions]):
    """Live characters of one texton model. Their actions are its textons."""

    accepts: ClassVar[tuple[str, ...]] = ("action",)
    default_options: ClassVar[LiveOptions] = DEFAULT_OPTIONS

    tables: TextonTables
    inside: IntArray  # segments among which a walk never ends
    actions: tuple[str, ...]
    skeleton: Skeleton
    fps: float
    material: FrameSources
    noise: float  # the usual amount

    @property
    def _foot_parts(self) -> int:
        return len(self.tables.parts)

    def _begin(self, state: TextonState, seeds: IntArray, places: FloatArray, options: LiveOptions) -> None:
        """In a frame that the seed draws."""
        from motionloom.methods.textons._kernels_live import show_first

        tables, starts = self.tables, self._starts()
        state.seed[:], state.draws[:] = seeds, 1
        state.segment[:], state.frame[:] = starts[first_frames(seeds, np.arange(len(starts)))].T
        state.end[:] = tables.length[state.segment]
        state.track[:] = places
        amount = self.noise if options.noise is None else options.noise
        ahead = max(2, round(options.lookahead * self.fps))
        state.tuning[:] = ahead, amount, options.key_variation, NOISE_TIME * self.fps
        show_first(tables, state)

    def _starts(self) -> IntArray:
        """(S, 2) segments and frames to begin in: not the first, which is a key pose, nor the last three."""
        return np.array([(k, t) for k in self.inside for t in range(1, self.tables.length[k] - 2)])

    def _empty(self, count: int) -> TextonState:
        tables, joints = self.tables, len(self.skeleton)
        whole, size, channels = (count,), tables.a1.shape[1], tables.y.shape[1]
        return TextonState(
            time=np.zeros(whole),
            seed=np.zeros(whole, np.int64),
            draws=np.zeros(whole, np.int64),
            segment=np.zeros(whole, np.int64),
            frame=np.zeros(whole, np.int64),
            end=np.zeros(whole, np.int64),
            following=np.full(whole, -1),
            commanded=np.full(whole, -1),
            deviation=np.zeros((count, 2, size)),
            goal=np.zeros((count, 2, size)),
            outside=np.zeros((count, 4, channels)),
            varied=np.zeros((count, channels)),
            noise=np.zeros((count, 2, size)),
            ground=np.zeros((count, 4)),
            feet=np.zeros((count, len(tables.parts), 2)),
            rates=np.zeros((count, 3)),
            track=np.zeros((count, 3)),
            root=np.zeros((count, 2, 3)),
            rotations=np.zeros((count, 2, joints, 4)),
            contacts=np.zeros((count, 2, len(tables.parts)), bool),
            shown=np.zeros((count, 2), np.int64),
            tuning=np.zeros((count, 4)),
        )

    def _advance(self, state: TextonState, commands: Commands, dt: float, poses: Poses) -> None:
        from motionloom.methods.textons._kernels_live import advance

        advance(self.tables, commands, state, dt, 1.0 / self.fps, poses.root, poses.rotations, poses.contacts)

    def status(self, state: TextonState) -> Status:
        """The texton shown; `until_choice` is the time until the next one that is not chosen yet begins.

        That is the delay of a command, unless the present texton is left early for the one commanded. A texton that no
        path leads to is clamped: the character continues as without a command.
        """
        tables = self.tables
        action = tables.texton[state.segment]
        commanded = state.commanded
        reached = (commanded >= 0) & (tables.hop[state.segment, commanded] >= 0)
        chosen = state.following >= 0
        left = state.end - state.frame + np.where(chosen, tables.length[state.following], 0)
        return Status(
            action,
            ("texton",),
            np.where(commanded >= 0, commanded, np.nan)[:, None],
            np.where(reached, commanded, np.nan)[:, None],
            np.asarray((commanded >= 0) & ~reached),
            left / self.fps - state.time,
        )

    def sources(self, state: TextonState) -> Sources:
        """The observed frame that each character deviates from."""
        shown = at_shown_tick(state, self.fps)[:, None, None]
        which = self.material.which[shown]
        return Sources(which, self.material.frames[shown], (which >= 0).astype(float))


def texton_live(synthesizer: Synthesizer, finder: JoinFinder) -> TextonLive:
    """The live characters of a model; `NoPath` if its segments form no loop."""
    tables, inside = build_tables(synthesizer, finder)
    segments = synthesizer.segments
    names = tuple(f"texton {i}" for i in range(segments.texton_count))
    table, which = segments.origins
    frames = [o.frame + o.pace * np.arange(len(o.frames)) for o in segments.observed]
    of = np.repeat(which, [len(o.frames) for o in segments.observed])
    material = FrameSources(table, of, np.concatenate(frames))
    usual = NOISE * synthesizer.noise
    return TextonLive(tables, inside, names, segments.skeleton, segments.fps, material, usual)
