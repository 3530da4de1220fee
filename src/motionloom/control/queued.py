"""Live characters of methods that make whole clips: blocks of motion, made ahead and played one after the other.

A block is a function of values in the state (seed, number, style, first pose), so it can be made in another thread
before it is needed, and again at any time, with the same bits. A command takes effect with the next block that is not
chosen yet: after `Status.until_choice` seconds, at most one and a half blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from motionloom.constraints import Constraint, PoseAt, Request, Style
from motionloom.constraints.pose import Pose
from motionloom.control.block_maker import BlockMaker
from motionloom.core import BadRequest, Clip, FloatArray, IntArray, NoPath, Progress, Skeleton, part
from motionloom.core.arrays import BoolArray
from motionloom.core.numbers import smoothstep
from motionloom.core.poses import Commands, Poses
from motionloom.kinematics.feet.contacts import contact_array, foot_parts
from motionloom.kinematics.travel import ground_turn, root_headings, without_heading
from motionloom.methods.base import Model
from motionloom.methods.live import FrameSources, Sources, Status, material_of
from motionloom.methods.live_actions import action_names
from motionloom.methods.live_base import LiveCharacters
from motionloom.methods.synthesis import finished, rendered
from motionloom.rotation import multiply, yaw

BLOCK = 2.0  # s
CHOICE = 0.5  # share of a block that is played when the next one is chosen
FADE = 0.3  # s over which the difference between the end of a block and the start of the next fades out
OPEN = -2  # the next block is not chosen yet


class QueuedState(NamedTuple):
    """The state of N characters: what determines their blocks, and how much of them is played."""

    seed: IntArray  # (N,)
    block: IntArray  # (N,) number of the block that is played
    action: IntArray  # (N,) its style, -1 for any
    chosen: IntArray  # (N,) the style of the next block, OPEN if it is not chosen yet
    commanded: IntArray  # (N,) the last command
    time: FloatArray  # (N,) s since the block began
    place: FloatArray  # (N, 3) x, z and turn that put the block where the last one ended
    pose: FloatArray  # (N, J, 4) the pose that the block begins with, heading 0; NaN for the first block
    height: FloatArray  # (N,) of its hips, m


class Block(NamedTuple):
    """A clip as arrays, with its hips above the origin and heading 0 in the first frame."""

    root: FloatArray  # (F, 3)
    rotations: FloatArray  # (F, J, 4)
    contacts: BoolArray  # (F, P)
    action: IntArray  # (F,) index of the label of each frame, -1 for none
    which: IntArray  # (F,) index into the sources
    frames: FloatArray  # (F,)


@dataclass(frozen=True, eq=False)
class Queued(LiveCharacters[QueuedState, None]):
    """Live characters of a model that makes clips of a given length, in blocks of `seconds`."""

    model: Model[Any]
    actions: tuple[str, ...]
    skeleton: Skeleton
    fps: float
    material: FrameSources  # the clips that the model learned from
    seconds: float = BLOCK

    @property
    def accepts(self) -> tuple[str, ...]:
        return ("action",) if self.actions else ()

    @cached_property
    def _blocks(self) -> BlockMaker[BlockKey, Block]:
        return BlockMaker(self._make)

    @cached_property
    def _foot_parts(self) -> int:
        return len(foot_parts(self.skeleton))

    def _empty(self, count: int) -> QueuedState:
        return QueuedState(
            seed=np.zeros(count, np.int64),
            block=np.zeros(count, np.int64),
            action=np.full(count, -1),
            chosen=np.full(count, OPEN),
            commanded=np.full(count, -1),
            time=np.zeros(count),
            place=np.zeros((count, 3)),
            pose=np.full((count, len(self.skeleton), 4), np.nan),
            height=np.full(count, np.nan),
        )

    def _begin(self, state: QueuedState, seeds: IntArray, places: FloatArray, options: None) -> None:
        """The first blocks are made now."""
        state.seed[:], state.place[:] = seeds, places
        for k in range(len(seeds)):
            self._block(state, k)

    def _advance(self, state: QueuedState, commands: Commands, dt: float, poses: Poses) -> None:
        """Play each block on; this waits only if a block is not ready, never in real time.

        New blocks are ordered at the end, so that the other thread does not begin while this one has work to do.
        """
        state.commanded[:] = commands.action
        state.time[:] += dt
        orders = []
        for k in range(len(state.seed)):
            orders += self._advance_one(state, k)
            self._show(state, k, poses)
        for key in orders:
            self._blocks.order(key, 2 * len(state.seed))

    def status(self, state: QueuedState) -> Status:
        """The label shown, and the time after which a command takes effect: that of the next open block."""
        count = len(state.seed)
        action, wait = np.full(count, -1), np.zeros(count)
        for k in range(count):
            block = self._block(state, k)
            lasts = (len(block.root) - 1) / self.fps
            action[k] = block.action[_frame(block, state.time[k], self.fps)[0]]
            wait[k] = lasts - state.time[k] + (0.0 if state.chosen[k] == OPEN else lasts)
        none = np.empty((count, 0))
        return Status(action, (), none, none, np.zeros(count, bool), wait)

    def sources(self, state: QueuedState) -> Sources:
        """The frame of a clip that each character shows; the fading difference to the last block is ignored."""
        which, frames = np.full((len(state.seed), 1, 1), -1), np.full((len(state.seed), 1, 1), -1.0)
        for k in range(len(state.seed)):
            block = self._block(state, k)
            at = _frame(block, state.time[k], self.fps)[0]
            which[k], frames[k] = block.which[at], block.frames[at]
        return Sources(which, frames, (which >= 0).astype(float))

    def _advance_one(self, state: QueuedState, k: int) -> list[BlockKey]:
        """Choose the next block when it is time to, and begin it when the present one has ended; the blocks chosen."""
        chosen: list[BlockKey] = []
        while True:
            block = self._block(state, k)
            lasts = (len(block.root) - 1) / self.fps
            if state.chosen[k] == OPEN and state.time[k] >= CHOICE * lasts:
                state.chosen[k] = state.commanded[k]
                chosen.append(_key_after(state, k, block, self.skeleton))
            if state.time[k] < lasts:
                return chosen
            self._begin_next(state, k, block, lasts)

    def _begin_next(self, state: QueuedState, k: int, block: Block, lasts: float) -> None:
        key = _key_after(state, k, block, self.skeleton)
        turn = state.place[k, 2] + root_headings(block.rotations[-1, 0], self.skeleton)
        state.place[k, :2] += ground_turn(state.place[k, 2], block.root[-1, [0, 2]])
        state.place[k, 2] = turn
        state.block[k], state.action[k], state.chosen[k] = key.block, key.action, OPEN
        state.pose[k] = np.frombuffer(key.pose).reshape(state.pose[k].shape)
        state.height[k] = key.height
        state.time[k] -= lasts

    def _show(self, state: QueuedState, k: int, poses: Poses) -> None:
        """The pose at the present time: between two frames, plus what is left of the difference to the last block."""
        from motionloom.control._kernels_queued import show_block

        block = self._block(state, k)
        at, share = _frame(block, state.time[k], self.fps)
        fading = np.isfinite(state.height[k])
        left = 1.0 - float(smoothstep(min(1.0, state.time[k] / FADE))) if fading else 0.0
        show_block(
            block, at, share, left, state.pose[k], state.height[k], state.place[k], poses.root[k], poses.rotations[k],
            poses.contacts[k],
        )  # fmt: skip

    def _block(self, state: QueuedState, k: int) -> Block:
        """The block that a character plays: made now, unless it was made before."""
        first = not np.isfinite(state.height[k])
        pose, height = (b"", 0.0) if first else (state.pose[k].tobytes(), float(state.height[k]))
        key = BlockKey(int(state.seed[k]), int(state.block[k]), int(state.action[k]), pose, height)
        return self._blocks.take(key, 2 * len(state.seed))

    def _make(self, key: BlockKey, progress: Progress) -> Block:
        """Make a block; a style or a first pose that the model cannot provide is left out."""
        wanted: list[Constraint] = []
        honoured = {kind for kind, how in self.model.honours if how == "hard"}
        if key.pose and PoseAt in honoured:
            rotations = np.frombuffer(key.pose).reshape(1, len(self.skeleton), 4)
            wanted.append(PoseAt(0.0, Pose(Clip(self.skeleton, np.array([[0, key.height, 0]]), rotations, self.fps))))
        if key.action >= 0:
            wanted.append(Style(self.actions[key.action]))
        for constraints in [wanted, wanted[:-1], []] if wanted else [[]]:
            request = Request(seconds=self.seconds, constraints=tuple(constraints))
            try:
                rng = np.random.default_rng([key.seed, key.block])
                plan, raw = rendered(self.model, request, rng, part(progress, 0.0, 0.0))
            except NoPath:
                continue
            if not plan.reason or not constraints:
                return self._arrays(finished(self.model, raw, Request(seconds=self.seconds), progress)[0])
        raise NoPath(f"{self.model.method} cannot make {self.seconds:g} s of motion from these clips")

    def _arrays(self, clip: Clip) -> Block:
        turn = -root_headings(clip.rotations[0, 0], self.skeleton)
        rotations = clip.rotations.copy()
        rotations[:, 0] = multiply(yaw(turn), rotations[:, 0])
        root = clip.root.copy()
        root[:, [0, 2]] = ground_turn(turn, root[:, [0, 2]] - root[0, [0, 2]])
        action = np.full(len(clip), -1)
        for i in reversed(range(len(self.actions))):
            if self.actions[i] in clip.label_names:
                action[clip.label(self.actions[i])] = i
        which, frames = clip.origin.main()
        index = [self.material.table.index(s) if s in self.material.table else -1 for s in clip.origin.sources]
        which = np.where(which >= 0, np.array([*index, -1])[which], -1)
        return Block(root, rotations, contact_array(clip), action, which, np.where(which >= 0, frames, -1.0))


class BlockKey(NamedTuple):
    """Everything that determines a block."""

    seed: int
    block: int
    action: int
    pose: bytes  # rotations of the first pose with heading 0; b"" for any
    height: float  # of its hips; 0 for any (NaN would equal no other key)


def queued(model: Model[Any], *, seconds: float = BLOCK) -> Queued:
    """Live characters of a model whose method makes clips of a given length, such as cuts."""
    clips: Sequence[Clip] = getattr(model, "clips", ())
    if not clips or model.has_natural_end:
        raise BadRequest(f"{model.method} has no live characters: it does not make clips of any length from clips")
    if not 1.0 <= seconds <= 60.0:
        raise BadRequest(f"seconds: expected blocks of 1 to 60 s, found {seconds:g}")
    actions = action_names(clips) if any(c is Style for c, _ in model.honours) else ()
    return Queued(model, actions, model.skeleton, model.fps, material_of(clips), seconds)


def _key_after(state: QueuedState, k: int, block: Block, skeleton: Skeleton) -> BlockKey:
    """The next block of a character: its first pose is the last one of the present block."""
    pose = block.rotations[-1].copy()
    pose[0] = without_heading(pose[0], skeleton)
    return BlockKey(
        int(state.seed[k]), int(state.block[k]) + 1, int(state.chosen[k]), pose.tobytes(), float(block.root[-1, 1])
    )


def _frame(block: Block, time: float, fps: float) -> tuple[int, float]:
    """The frame before a time in a block, and the share of the one after it."""
    at = min(time * fps, len(block.root) - 1.0)
    first = min(int(at), len(block.root) - 2)
    return first, at - first
