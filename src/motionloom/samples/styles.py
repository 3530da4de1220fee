"""Styles of gait: the changes that a mood or manner makes."""

from __future__ import annotations

from dataclasses import dataclass

from motionloom.core import BadRequest


@dataclass(frozen=True)
class GaitStyle:
    """Factors and offsets on the normal gait. Angles in rad, lengths in m."""

    pace: float = 1.0  # speed where none is given, as a share of the normal one
    stride: float = 1.0  # step length at the same speed
    crouch: float = 0.0  # added bend of the standing knee
    lean: float = 0.0  # trunk forward
    slump: float = 0.0  # upper back and shoulders forward
    nod: float = 0.0  # head down
    arms: float = 1.0  # arm swing
    elbow: float = 0.0  # added bend
    abduct: float = 0.0  # arms away from the body
    lift: float = 0.0  # swinging foot higher
    ball: float = 0.0  # 1 lands on the ball of the foot
    width: float = 0.0  # wider steps
    bounce: float = 0.0  # added rise of the hips in mid-stance
    sway: float = 1.0  # sideways motion of the hips
    twist: float = 1.0  # turning of pelvis and chest
    weave: float = 0.0  # how far the path wanders, as heading (rad)
    loose: float = 1.0  # natural variation


STYLES: dict[str, GaitStyle] = {
    "normal": GaitStyle(),
    "proud": GaitStyle(lean=-0.04, slump=-0.08, nod=-0.06, arms=1.25, bounce=0.008, stride=1.04, abduct=0.05),
    "tired": GaitStyle(
        pace=0.7, stride=0.9, crouch=0.1, lean=0.1, slump=0.2, nod=0.25, arms=0.6, lift=-0.015, sway=1.3, twist=0.8
    ),
    "sneak": GaitStyle(
        pace=0.5,
        stride=0.95,
        crouch=0.55,
        lean=0.3,
        slump=0.2,
        nod=-0.25,
        arms=0.5,
        elbow=0.9,
        abduct=0.15,
        lift=0.06,
        ball=1.0,
    ),
    "drunk": GaitStyle(
        pace=0.7,
        stride=0.92,
        crouch=0.1,
        lean=0.05,
        nod=0.12,
        arms=0.8,
        abduct=0.12,
        width=0.05,
        sway=1.8,
        weave=0.22,
        loose=3.5,
    ),
}


def style_named(name: str) -> GaitStyle:
    """The style of this name, or a `BadRequest` that lists them."""
    if name not in STYLES:
        raise BadRequest(f"no style {name!r}; one of {', '.join(STYLES)}")
    return STYLES[name]
