"""How bodies move: forward and inverse kinematics, travel, roles, contacts, edits in time, channels."""

from motionloom.kinematics.body.proportions import leg_length, on_skeleton, same_bones
from motionloom.kinematics.body.roles import GROUPS, Foot, group, guess_roles
from motionloom.kinematics.channels import Channels, Layout, fit_layout, from_channels, to_channels
from motionloom.kinematics.feet.contacts import FootPart, contacts, foot_parts, part_positions, with_contacts
from motionloom.kinematics.feet.skate_measures import Skate, measure_skate, skate_a, skate_b, skate_c
from motionloom.kinematics.feet.skate_removal import SkateReport, remove_skate
from motionloom.kinematics.fk import (
    accelerations,
    end_positions,
    fk,
    fk_rotations,
    local_rotations,
    positions,
    velocities,
    world,
)
from motionloom.kinematics.ik.chain import Residuals, solve_chain
from motionloom.kinematics.ik.limb import TwoBone, limb_rotations, place_limb, two_bone
from motionloom.kinematics.ik.targets import OrientationTarget, PoseTarget, PositionTarget, Target
from motionloom.kinematics.loop import Loop, close_loop, find_cycle, find_loop, repeat, seam, seam_features
from motionloom.kinematics.mirror import mirror, partners
from motionloom.kinematics.resample import concatenate_aligned, crop, resample
from motionloom.kinematics.retarget import RetargetReport, retarget
from motionloom.kinematics.travel import (
    Travel,
    along,
    body_axes,
    from_root_motion,
    ground_turn,
    headings,
    in_place,
    moved,
    placed,
    root_motion,
    travel,
    turned,
)

__all__ = [
    "GROUPS",
    "Channels",
    "Foot",
    "FootPart",
    "Layout",
    "Loop",
    "OrientationTarget",
    "PoseTarget",
    "PositionTarget",
    "Residuals",
    "RetargetReport",
    "Skate",
    "SkateReport",
    "Target",
    "Travel",
    "TwoBone",
    "accelerations",
    "along",
    "body_axes",
    "close_loop",
    "concatenate_aligned",
    "contacts",
    "crop",
    "end_positions",
    "find_cycle",
    "find_loop",
    "fit_layout",
    "fk",
    "fk_rotations",
    "foot_parts",
    "from_channels",
    "from_root_motion",
    "ground_turn",
    "group",
    "guess_roles",
    "headings",
    "in_place",
    "leg_length",
    "limb_rotations",
    "local_rotations",
    "measure_skate",
    "mirror",
    "moved",
    "on_skeleton",
    "part_positions",
    "partners",
    "place_limb",
    "placed",
    "positions",
    "remove_skate",
    "repeat",
    "resample",
    "retarget",
    "root_motion",
    "same_bones",
    "seam",
    "seam_features",
    "skate_a",
    "skate_b",
    "skate_c",
    "solve_chain",
    "to_channels",
    "travel",
    "turned",
    "two_bone",
    "velocities",
    "with_contacts",
    "world",
]
