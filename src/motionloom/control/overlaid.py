"""Actions and gaze on top of any live method: `stream --overlay --gaze`, and anything else that drives characters."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from motionloom.blend.splice.tables import splice_table
from motionloom.control.gaze_layer import gaze_layer
from motionloom.control.layered import layered
from motionloom.control.record import record
from motionloom.control.splice_layer import SpliceLayer
from motionloom.control.stepping import run
from motionloom.core import BadRequest, Clip, MotionloomError, same_hierarchy
from motionloom.core.poses import commands
from motionloom.kinematics.retarget import retarget
from motionloom.methods.gaze import GazeModel
from motionloom.methods.live import Layer, Live

REFERENCE = 6.0  # s of the character's own locomotion, to which actions are aligned


def own_locomotion(live: Live, seconds: float = REFERENCE) -> Clip:
    """What a live character does when it goes straight ahead: the reference locomotion of its actions."""
    ahead = commands(heading=0.0) if "heading" in live.accepts else commands()
    steps = [1 / live.fps] * round((seconds + 1.0) * live.fps)
    whole = record(live, run(live, live.begin(np.array([0])), ahead, steps), live.fps)
    return whole[round(live.fps) :]  # the first second may turn


def overlaid(
    live: Live, actions: Mapping[str, Clip], gaze: GazeModel | None = None, *, reference: Clip | None = None
) -> Live:
    """`live` with these actions (`commands.overlay`, by their order) and with the gaze of a map (`commands.look`).

    Actions on other skeletons are retargeted. `reference` is a locomotion of the characters; by default their own.
    """
    if not actions and gaze is None:
        return live
    walk = own_locomotion(live) if reference is None else reference
    layers: list[Layer] = []
    if actions:
        same = {
            name: clip if same_hierarchy(clip.skeleton, walk.skeleton) else retarget(clip, walk)[0]
            for name, clip in actions.items()
        }
        try:
            layers.append(SpliceLayer(splice_table(same, walk)))
        except MotionloomError as error:
            raise BadRequest(f"overlay: {error}") from None
    if gaze is not None:
        layers.append(gaze_layer(gaze, walk))
    return layered(live, *layers)
