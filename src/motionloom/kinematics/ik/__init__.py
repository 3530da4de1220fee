"""Inverse kinematics: two-bone limbs and the general chain solver."""
