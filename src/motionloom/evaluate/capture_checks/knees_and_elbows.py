"""Findings about limbs: knees and elbows that bend to the wrong side, knees that bend suddenly."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip
from motionloom.evaluate.capture_checks.findings import Finding, frame_range, make_finding
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.capture.wrong_bends import wrong_bends
from motionloom.kinematics.feet.knees import knee_flexion
from motionloom.kinematics.resample import resample

KNEE_RATE = 30.0  # fps at which sudden knees are looked for
BACK_SHARE = 0.3  # of the jump, by which the frame before or after it turns the other way
SUDDEN_KNEE, SUDDEN_RATIO = 15.0, 4.5  # deg off the middle of its neighbours; times the 90th percentile around


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
    """Knees of a person that jump for a frame (at 30 fps) and turn back, as nowhere within a second around."""
    if len(feet(clip.skeleton)) != 2:
        return []
    slow = resample(clip, KNEE_RATE) if clip.fps > KNEE_RATE else clip
    signed = np.degrees(np.diff(knee_flexion(slow), n=2, axis=0))
    second, out = round(slow.fps), []
    for leg, foot in enumerate(feet(clip.skeleton)):
        bends = np.abs(signed[:, leg])
        for frame in np.flatnonzero(bends[1:-1] > SUDDEN_KNEE) + 1:
            back = -np.sign(signed[frame, leg]) * signed[[frame - 1, frame + 1], leg]
            before = bends[max(0, frame - second) : max(0, frame - 3)]
            around = np.concatenate([before, bends[frame + 4 : frame + second]])
            usual = np.quantile(around, 0.9) if len(around) >= second // 2 else np.inf
            if back.max() < BACK_SHARE * bends[frame] or bends[frame] < SUDDEN_RATIO * usual:
                continue
            at = min(round((frame + 1) * clip.fps / slow.fps), len(clip) - 1)
            name, where = clip.skeleton.names[foot.shin], frame_range(clip, at, at + 1)
            text = f"{name} bends suddenly: {bends[frame]:.0f} deg off the frames around it, {where}"
            out.append(make_finding(clip, "sudden knee", text, name, (at, at + 1), float(bends[frame]), "deg"))
    return out
