"""Findings about limbs: knees and elbows that bend to the wrong side, knees that bend suddenly."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip
from motionloom.evaluate.capture_checks.findings import Finding, frame_range, make_finding
from motionloom.kinematics.capture.sudden_knees import sudden_knees
from motionloom.kinematics.capture.wrong_bends import wrong_bends


def bend_findings(clip: Clip) -> list[Finding]:
    """Knees and elbows of a person that bend to the wrong side for a tenth of a second or more."""
    out = []
    for bend in wrong_bends(clip):
        name, size = clip.skeleton.names[bend.joint], float(np.degrees(bend.size))
        how = (
            f"bends away from the toes by {size:.0f} deg (knee or foot flipped)"
            if bend.part == "knee"
            else f"bends to the wrong side by {size:.0f} deg (elbow or upper arm flipped)"
        )
        text, span = f"{name} {how}, {frame_range(clip, bend.start, bend.stop)}", (bend.start, bend.stop)
        out.append(make_finding(clip, "flipped limb", text, name, span, size, "deg", broken=True))
    return out


def sudden_knee_findings(clip: Clip) -> list[Finding]:
    """Knees of a person that snap straight and back, or bend and back, as nowhere within a second around."""
    out = []
    for foot, start, stop, size in sudden_knees(clip):
        name, degrees, where = clip.skeleton.names[foot.shin], float(np.degrees(size)), frame_range(clip, start, stop)
        text = f"{name} bends suddenly: {degrees:.0f} deg off the frames around it, {where}"
        out.append(make_finding(clip, "sudden knee", text, name, (start, stop), degrees, "deg"))
    return out
