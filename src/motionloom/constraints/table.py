"""The constraints by the names that requests use for them."""

from __future__ import annotations

from collections.abc import Mapping

from motionloom.constraints.acting import Act, HeadFor
from motionloom.constraints.base import Constraint
from motionloom.constraints.gaze import LookAt
from motionloom.constraints.joint import Plant, PositionAt
from motionloom.constraints.pace import Pace
from motionloom.constraints.parameters import Parameters
from motionloom.constraints.pose import PoseAt
from motionloom.constraints.pose_along import PoseAlong
from motionloom.constraints.root import Avoid, Reach, RootAt, RootPath
from motionloom.constraints.style import Style, StyleAlong

KINDS: Mapping[str, type[Constraint]] = {
    kind.key(): kind
    for kind in (
        PoseAt,
        PoseAlong,
        PositionAt,
        Plant,
        RootAt,
        RootPath,
        Reach,
        Style,
        StyleAlong,
        Parameters,
        Pace,
        LookAt,
        Avoid,
        HeadFor,
        Act,
    )
}
