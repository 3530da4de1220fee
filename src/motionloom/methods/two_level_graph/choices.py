"""Descriptions of the choices at a frame: motion, path and footprints of each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.constraints import Request
from motionloom.core import Clip
from motionloom.kinematics.feet.contacts import contacts, foot_parts, part_positions, runs
from motionloom.kinematics.travel import placed
from motionloom.methods.graph.frame_names import frame_name
from motionloom.methods.graph.render.render import render
from motionloom.methods.two_level_graph.cluster_trees import Choice, arrival
from motionloom.methods.two_level_graph.model import TwoLevelGraphModel


class Footprint(NamedTuple):
    """Position of a planted foot on the ground: heel and toe (m; equal where the body has only one), and its time."""

    foot: str  # "left_foot" ...
    heel: tuple[float, float]
    toe: tuple[float, float]
    time: float  # s


class DescribedChoice(NamedTuple):
    """A choice with its outcome; the body is now at the origin and faces +z."""

    number: int  # of the choice
    choice: Choice
    share: float  # its probability among the choices of the list
    seconds: float
    left: float  # m: its end
    ahead: float  # m
    turn: float  # rad, left positive
    ends: str  # walk.bvh#120: the frame it ends at

    def facts(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""
        out = {k: getattr(self, k) for k in ("number", "share", "seconds", "left", "ahead", "turn", "ends")}
        return {**out, "clusters": list(self.choice.clusters), "transitions": len(self.choice.route.taken)}


def describe_choices(
    model: TwoLevelGraphModel, frame: int, *, reach: float = 1.5, most: int = 12
) -> list[DescribedChoice]:
    """The choices at a frame (counted through all clips), the most probable first: `model.choices`, described."""
    found = model.choices(frame, reach=reach, most=most)
    total = float(np.logaddexp.reduce([c.log_probability for c in found])) if found else 0.0
    out = []
    for number, choice in enumerate(found):
        (left, ahead), turn = arrival(model.graph, choice)
        seconds = (choice.route.frames - 1) / model.fps
        share = float(np.exp(choice.log_probability - total))
        name = frame_name(model.graph, choice.end)
        out.append(DescribedChoice(number, choice, share, seconds, float(left), float(ahead), turn, name))
    return out


def choice_motion(model: TwoLevelGraphModel, choice: Choice) -> Clip:
    """The most probable motion of a choice, from the origin, facing +z."""
    return placed(render(model.graph, choice.route, lift=model.cleans_feet(Request())))


def footprints(clip: Clip) -> list[Footprint]:
    """The footprints of a clip in the order of contact: one for each plant."""
    found, parts = contacts(clip), foot_parts(clip.skeleton)
    places = part_positions(clip) if parts else np.zeros((len(clip), 0, 3))
    out = []
    for foot in dict.fromkeys(part.foot.name for part in parts):
        own = [i for i, part in enumerate(parts) if part.foot.name == foot]
        on = np.any([found[parts[i].label] for i in own], axis=0)
        for start, stop in runs(on):
            middle = (start + stop - 1) // 2
            heel, toe = (places[middle, own[k]][[0, 2]] for k in (0, -1))
            out.append(
                Footprint(foot, (float(heel[0]), float(heel[1])), (float(toe[0]), float(toe[1])), start / clip.fps)
            )
    return sorted(out, key=lambda p: (p.time, p.foot))
