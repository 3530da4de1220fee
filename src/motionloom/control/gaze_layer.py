"""Gaze as a layer on any live method: characters look at the point of `commands.look`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from motionloom.core import BadRequest, Clip, IntArray, Skeleton
from motionloom.core.poses import Commands, Poses
from motionloom.methods.gaze.aim import GazeBody, GazeState, begin_gaze, gaze_body, gaze_step
from motionloom.methods.gaze.gaze_map import GazeMap
from motionloom.methods.gaze.model import GazeModel


def gaze_layer(model: GazeModel, clip: Clip, *, cone: float = math.pi) -> GazeLayer:
    """The layer of a gaze map for characters with the body of a clip."""
    return GazeLayer(model.map(), gaze_body(clip), cone)


@dataclass(frozen=True, eq=False)
class GazeLayer:
    """Turns spine, neck, head and eyes to the point that is looked at, as the map's performer does (HECK 5.2.3).

    A new point starts a shift, also during another one; a point that moves is followed; no point lets the gaze return.
    Points farther than `cone` (rad) from ahead are let go.
    """

    accepts: ClassVar[tuple[str, ...]] = ("look",)

    gaze_map: GazeMap
    body: GazeBody
    cone: float = math.pi

    def begin(self, seeds: IntArray, skeleton: Skeleton) -> GazeState:
        """No target; the skeleton must be that of the body."""
        if len(skeleton) != len(self.body.skeleton):
            raise BadRequest(f"the gaze is for {len(self.body.skeleton)} joints, the characters have {len(skeleton)}")
        return begin_gaze(len(seeds))

    def step(self, state: GazeState, poses: Poses, commands: Commands, dt: float) -> tuple[GazeState, Poses]:
        """The poses that look; hips, legs and arms stay as they are."""
        points = np.broadcast_to(commands.look, (len(poses.root), 3))
        new, turned = gaze_step(
            self.body, self.gaze_map, state, poses.root, poses.rotations, points, float(dt), cone=self.cone
        )
        return new, poses._replace(rotations=turned)
