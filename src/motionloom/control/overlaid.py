"""Actions and gaze on top of any live method: `stream --overlay --gaze`, and anything else that drives characters."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from motionloom.blend.splice.body import require_part
from motionloom.blend.splice.layer import SpliceLayer
from motionloom.blend.splice.tables import phase_begin, splice_table
from motionloom.control.layered import layered
from motionloom.control.record import record
from motionloom.control.stepping import run
from motionloom.core import BadRequest, Clip, FloatArray, MotionloomError, same_hierarchy
from motionloom.core.poses import commands
from motionloom.kinematics.retarget import retarget
from motionloom.methods.gaze import GazeModel
from motionloom.methods.live import Layer, Live

REFERENCE = 6.0  # s of the character's own locomotion, to which actions are aligned


def own_locomotion(live: Live, seconds: float = REFERENCE) -> tuple[Clip, FloatArray]:
    """Some seconds of the character's own locomotion straight ahead, and the phases that the method supplies (F,)."""
    ahead = commands(heading=0.0) if "heading" in live.accepts else commands()
    steps = [1 / live.fps] * round((seconds + 1.0) * live.fps)
    made = list(run(live, live.begin(np.array([0])), ahead, steps))
    clip, first = record(live, made, live.fps), round(live.fps)  # the first second may turn
    return clip[first:], np.array([poses.phase[0] for _, poses in made[first:]])


def overlaid(
    live: Live,
    actions: Mapping[str, Clip],
    gaze: GazeModel | None = None,
    *,
    reference: Clip | None = None,
    lead: bool = False,
    warn: Callable[[str], object] | None = None,
) -> Live:
    """`live` with these actions (`commands.overlay`, by their order) and with the gaze of a map (`commands.look`).

    Actions on other skeletons are retargeted. `reference` is a locomotion of the characters; by default their own.
    With `lead`, the gaze of characters without a point to look at leads their turns. `warn` is called with what is
    unlike the captured action, as hands that are faster, to keep up with the legs.
    """
    if not actions and gaze is None:
        return live
    own, phase = own_locomotion(live)
    walk = own if reference is None else reference
    layers: list[Layer] = []
    if actions:
        same = dict(actions)
        for name, clip in actions.items():
            if not same_hierarchy(clip.skeleton, walk.skeleton):
                require_part(clip, walk)
                same[name] = retarget(clip, walk)[0]
        try:
            table = splice_table(same, walk)
            layers.append(SpliceLayer(table, begin_phase=phase_begin(own, phase, walk)))
        except MotionloomError as error:
            raise BadRequest(f"overlay: {error}") from None
        if warn is not None:
            for action in table.actions:
                for text in action.warnings:
                    warn(f"overlay {action.name}: {text}")
    if gaze is not None:
        layers.append(gaze.layer(walk, lead=lead))
    return layered(live, *layers)
