"""Gaze as a layer on any live method: characters look at the point of `commands.look`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from motionloom.core import BadRequest, FloatArray, IntArray, Skeleton, Source
from motionloom.core.poses import Commands, Poses, Sources
from motionloom.kinematics.travel import root_headings
from motionloom.methods.gaze.gaze_map import GazeMap
from motionloom.methods.gaze.gaze_shifts import GazeBody, GazeState, begin_gaze, gaze_step
from motionloom.rotation import wrap_angle

AHEAD, EYE_HEIGHT = 3.0, 1.5  # m: how far ahead, and how high, the point is that leads into a turn
TURNING = math.radians(15.0)  # a commanded heading this far from the present one is a turn


@dataclass(frozen=True, eq=False)
class GazeLayer:
    """Turns spine, neck, head and eyes to the point that is looked at, as the map's performer does (HECK 5.2.3).

    A new point starts a shift, also during another one; a point that moves is followed; no point lets the gaze return.
    Points farther than `cone` (rad) from ahead are let go. With `lead`, a character without a point looks where it is
    commanded to go (`commands.heading`, or the place to reach) until its body has turned there: the gaze leads turns.
    """

    accepts: ClassVar[tuple[str, ...]] = ("look",)
    parts: ClassVar[tuple[str, str]] = ("body", "gaze")

    gaze_map: GazeMap
    body: GazeBody
    cone: float = math.pi
    lead: bool = False
    clips: tuple[Source, ...] = ()  # the takes of the map

    @property
    def joints(self) -> tuple[int, ...]:
        """The joints that turn for the gaze."""
        return tuple(self.body.turned)

    @property
    def longest_shift(self) -> float:
        """s: the longest gaze shift of the map's examples."""
        return float(self.gaze_map.examples[:, 17].max())

    def sources(self, state: GazeState) -> Sources:
        """While a gaze differs from that of the poses below: half of it is computed from all takes of the map."""
        shape = (len(state.busy), 1, len(self.clips))
        looking = np.broadcast_to(state.busy[:, None, None] > 0, shape)
        which = np.where(looking, np.arange(len(self.clips)), -1)
        return Sources(which, np.full(shape, -1.0), np.where(looking, 0.5 / max(len(self.clips), 1), 0.0))

    def begin(self, seeds: IntArray, skeleton: Skeleton) -> GazeState:
        """No target; the skeleton must be that of the body."""
        if len(skeleton) != len(self.body.skeleton):
            raise BadRequest(f"the gaze is for {len(self.body.skeleton)} joints, the characters have {len(skeleton)}")
        return begin_gaze(len(seeds))

    def step(self, state: GazeState, poses: Poses, commands: Commands, dt: float) -> tuple[GazeState, Poses]:
        """The poses that look; hips, legs and arms stay as they are."""
        points = np.broadcast_to(commands.look, (len(poses.root), 3))
        points = self._leading(points, poses, commands) if self.lead else points
        new, turned = gaze_step(
            self.body, self.gaze_map, state, poses.root, poses.rotations, points, float(dt), cone=self.cone
        )
        return new, poses._replace(rotations=turned)

    def _leading(self, points: FloatArray, poses: Poses, commands: Commands) -> FloatArray:
        """(N, 3) the points, and for turning characters without one a point in the direction of their command."""
        count = len(poses.root)
        now = root_headings(poses.rotations[:, 0], self.body.skeleton)
        towards = np.broadcast_to(commands.place, (count, 2)) - poses.root[:, [0, 2]]
        wanted = np.where(np.isnan(towards[:, 0]), commands.heading, np.arctan2(towards[:, 0], towards[:, 1]))
        turning = np.abs(wrap_angle(wanted - now)) > TURNING  # not where nothing is commanded
        ahead = poses.root + AHEAD * np.stack([np.sin(wanted), 0 * wanted, np.cos(wanted)], 1)
        ahead[:, 1] = EYE_HEIGHT
        return np.where((turning & np.isnan(points[:, 0]))[:, None], ahead, points)
