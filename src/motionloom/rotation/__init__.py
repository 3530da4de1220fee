"""Rotations: quaternions (w x y z), exponential maps, Euler angles, matrices, 6-D; arrays in, arrays out."""

from motionloom.rotation.euler import ORDERS, about, from_euler, to_euler, to_euler_continuous
from motionloom.rotation.exponential import continuous_log, exp, log
from motionloom.rotation.matrix import from_6d, from_matrix, to_6d, to_matrix
from motionloom.rotation.quaternion import (
    IDENTITY,
    angle_between,
    average,
    between,
    continuous,
    from_axis_angle,
    inverse,
    multiply,
    nearest_sign,
    normalize,
    rotate,
    slerp,
    twist,
    yaw,
)
from motionloom.rotation.wrapping import wrap_angle

__all__ = [
    "IDENTITY",
    "ORDERS",
    "about",
    "angle_between",
    "average",
    "between",
    "continuous",
    "continuous_log",
    "exp",
    "from_6d",
    "from_axis_angle",
    "from_euler",
    "from_matrix",
    "inverse",
    "log",
    "multiply",
    "nearest_sign",
    "normalize",
    "rotate",
    "slerp",
    "to_6d",
    "to_euler",
    "to_euler_continuous",
    "to_matrix",
    "twist",
    "wrap_angle",
    "yaw",
]
