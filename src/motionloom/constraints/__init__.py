"""The request language of all methods: constraints, requests, residuals, and a geometric solver."""

from motionloom.constraints.acting import Act, HeadFor
from motionloom.constraints.base import Constraint
from motionloom.constraints.fields import Euler
from motionloom.constraints.gaze import LookAt, facing, gaze
from motionloom.constraints.ground_heights import FLAT, Ground, read_ground
from motionloom.constraints.joint import Plant, PositionAt
from motionloom.constraints.lead import lead_path, lead_poses
from motionloom.constraints.own_parameters import load_parameter
from motionloom.constraints.pace import Pace
from motionloom.constraints.parameters import PARAMETERS, MotionParameter, Parameters, parameter_table
from motionloom.constraints.pose import Load, Pose, PoseAt, tilt_between
from motionloom.constraints.pose_along import GivenClip, PoseAlong
from motionloom.constraints.request import Request
from motionloom.constraints.residual_table import Row, check, residuals, unmet
from motionloom.constraints.root import Avoid, Reach, RootAt, RootPath, Start
from motionloom.constraints.solve import GEOMETRIC, missed_by, solve
from motionloom.constraints.style import Style, StyleAlong, walked
from motionloom.constraints.table import KINDS

__all__ = [
    "FLAT",
    "GEOMETRIC",
    "KINDS",
    "PARAMETERS",
    "Act",
    "Avoid",
    "Constraint",
    "Euler",
    "GivenClip",
    "Ground",
    "HeadFor",
    "Load",
    "LookAt",
    "MotionParameter",
    "Pace",
    "Parameters",
    "Plant",
    "Pose",
    "PoseAlong",
    "PoseAt",
    "PositionAt",
    "Reach",
    "Request",
    "RootAt",
    "RootPath",
    "Row",
    "Start",
    "Style",
    "StyleAlong",
    "check",
    "facing",
    "gaze",
    "lead_path",
    "lead_poses",
    "load_parameter",
    "missed_by",
    "parameter_table",
    "read_ground",
    "residuals",
    "solve",
    "tilt_between",
    "unmet",
    "walked",
]
