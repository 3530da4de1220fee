"""What is wrong with one capture: each check looks at one clip and says clip, joint, frame and size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.kinematics.contacts import runs
from motionloom.kinematics.forward import fk
from motionloom.kinematics.glitches import Glitch, glitches
from motionloom.kinematics.roles import feet, fingers
from motionloom.rotation import angle_between

MOVES = np.radians(1.0)  # a joint that turns through more than this moves at all
HELD = 0.5  # seconds without any turn: frozen, if the rest of the body moves meanwhile
AT_REST = np.radians(0.1)
SUNK = 0.03  # metres below the floor
FLOATS = 0.12  # metres: a foot joint sits in the foot, at most this high over its sole
STRETCH = (0.005, 0.02)  # a bone that changes by more than 5 mm and 2 % of its length
BACKWARDS = np.sin(np.radians(12.0))  # a knee bent to the wrong side by more than this, of the shin's length


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong. Frames are counted from 0 in the file, T-pose included; `stop` is excluded."""

    clip: str
    kind: str
    text: str  # the whole story in one line
    joint: str = ""
    start: int | None = None
    stop: int | None = None
    size: float | None = None
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.clip}: {self.text}"


def in_file(clip: Clip, frame: int) -> int:
    """The number that this frame has in the file it came from."""
    frames = clip.origin.frames
    if frames is None or frames[min(frame, len(clip) - 1)] < 0:
        return frame
    return int(frames[min(frame, len(clip) - 1)]) + max(0, frame - len(clip) + 1)


def _said(
    clip: Clip, kind: str, text: str, joint: str = "", span: tuple[int, int] | None = None, size: float | None = None,
    unit: str = "",
) -> Finding:  # fmt: skip
    start, stop = (None, None) if span is None else (in_file(clip, span[0]), in_file(clip, span[1]))
    return Finding(clip.name or "clip", kind, text, joint, start, stop, size, unit)


def _frames(clip: Clip, start: int, stop: int) -> str:
    first, last = in_file(clip, start), in_file(clip, stop - 1)
    return f"frame {first}" if first == last else f"frames {first}-{last}"


def glitch_findings(clip: Clip) -> list[Finding]:
    """Joints that jump; a step of over 90 degrees is a flipped limb. Fingers are summed up in one line."""
    small = set(fingers(clip.skeleton))
    found = glitches(clip)
    out = [_glitch(clip, g) for g in found if g.joint not in small]
    loose = [g for g in found if g.joint in small]
    if loose:
        names = ", ".join(dict.fromkeys(clip.skeleton.names[g.joint] for g in loose))
        worst = max(loose, key=lambda g: g.size)
        text = f"{len(loose)} glitches of fingers ({names}), up to {np.degrees(worst.size):.0f} deg in a frame"
        joint = clip.skeleton.names[worst.joint]
        out.append(
            _said(clip, "finger glitch", text, joint, (worst.start, worst.stop), float(np.degrees(worst.size)), "deg")
        )
    return out


def _glitch(clip: Clip, g: Glitch) -> Finding:
    place = g.joint < 0
    joint = "root" if place else clip.skeleton.names[g.joint]
    size, unit = (g.size, "m") if place else (float(np.degrees(g.size)), "deg")
    flipped = g.kind == "step" and not place and g.size > np.pi / 2
    how = {
        "burst": "jumps out and back",
        "edge": "is somewhere else at the end of the clip" if g.start else "is somewhere else at the start of the clip",
        "step": "flips and stays flipped" if flipped else "jumps and stays there",
    }[g.kind]
    text = f"{joint} {how}: {size:.3g} {unit} in a frame, {_frames(clip, g.start, g.stop)}"
    return _said(clip, "flipped limb" if flipped else "glitch", text, joint, (g.start, g.stop), size, unit)


def still_findings(clip: Clip) -> list[Finding]:
    """Joints that never move (all in one line), and joints that freeze while the body goes on."""
    turned = angle_between(clip.rotations, clip.rotations[:1]).max(axis=0)
    never = [clip.skeleton.names[j] for j in np.flatnonzero(turned < np.radians(0.01))]
    out = []
    if 0 < len(never) < len(clip.skeleton):
        out.append(_said(clip, "never moves", f"{len(never)} joints never turn: {', '.join(never)}"))
    elif never and not np.ptp(clip.root, axis=0).max() > 1e-4:
        out.append(_said(clip, "never moves", "nothing moves at all"))
    steps = angle_between(clip.rotations[1:], clip.rotations[:-1])
    held = [j for j, role in enumerate(clip.skeleton.roles) if role.endswith(("_toe", "_eye"))]  # rest on purpose
    moving = np.setdiff1d(np.flatnonzero(turned > MOVES), [*fingers(clip.skeleton), *held])
    for j in moving:
        for start, stop in runs(steps[:, j] < 1e-7):
            others = np.delete(steps[start:stop][:, moving], np.searchsorted(moving, j), axis=1)
            if stop - start >= HELD * clip.fps and others.size and np.degrees(others.mean()) * clip.fps > 5.0:
                length = (stop - start + 1) / clip.fps
                text = f"{clip.skeleton.names[j]} is frozen for {length:.2g} s, {_frames(clip, start, stop + 1)}"
                out.append(
                    _said(clip, "frozen", text, clip.skeleton.names[j], (int(start), int(stop) + 1), length, "s")
                )
    return out


def rest_findings(clip: Clip) -> list[Finding]:
    """Frames in the rest pose (a T-pose, mostly): half of the joints that ever turn do not turn at all."""
    from_rest = 2 * np.arccos(np.clip(np.abs(clip.rotations[..., 0]), 0, 1))
    moving = np.median(from_rest, axis=0) > 10 * AT_REST
    if moving.sum() < 3:
        return []
    rest = (from_rest[:, moving] < AT_REST).mean(axis=1) >= 0.5
    return [
        _said(
            clip, "T-pose", f"rest pose (T-pose), {_frames(clip, a, b)}", span=(a, b), size=float(b - a), unit="frames"
        )
        for a, b in runs(rest)
    ]


def floor_findings(clip: Clip) -> list[Finding]:
    """Feet below y = 0, a capture that hangs over it, and feet that sink deep below where they usually stand."""
    joints = [j for foot in feet(clip.skeleton) for j in (foot.ankle, foot.toe) if j is not None]
    if not joints:
        return []
    height = fk(clip)[:, joints, 1]
    frame, which = np.unravel_index(int(height.argmin()), height.shape)
    name, lowest = clip.skeleton.names[joints[which]], float(height.min())
    level = float(np.percentile(height.min(axis=1), 5))
    at = (int(frame), int(frame) + 1)
    if level > FLOATS:
        text = f"the feet are off the floor: their usual lowest is {100 * level:.0f} cm above y = 0"
        return [_said(clip, "off the floor", text, size=level, unit="m")]
    out = []
    if lowest < -SUNK:
        share = float((height.min(axis=1) < -SUNK).mean())
        where = f"at frame {in_file(clip, at[0])}, {share:.0%} of frames"
        text = f"{name} is {-100 * lowest:.0f} cm below the floor (y = 0) {where}"
        out.append(_said(clip, "below the floor", text, name, at, -lowest, "m"))
    return out


def bone_findings(clip: Clip) -> list[Finding]:
    """Bones whose length drifts, in files whose joints also translate."""
    if clip.slides is None:
        return []
    lengths = np.linalg.norm(clip.skeleton.offsets + clip.slides, axis=-1)
    out = []
    for j in range(1, len(clip.skeleton)):
        usual = float(np.median(lengths[:, j]))
        off = np.abs(lengths[:, j] - usual)
        if off.max() > max(STRETCH[0], STRETCH[1] * usual):
            f, name = int(off.argmax()), clip.skeleton.names[j]
            text = (
                f"the bone to {name} changes its length by {100 * off[f]:.1f} cm ({off[f] / max(usual, 1e-6):.0%}) "
                f"at frame {in_file(clip, f)}"
            )
            out.append(_said(clip, "bone length", text, name, (f, f + 1), float(off[f]), "m"))
    return out


def knee_findings(clip: Clip) -> list[Finding]:
    """Knees of a person that bend to the wrong side, away from the toes, for a tenth of a second or more."""
    if len(feet(clip.skeleton)) != 2:
        return []
    points = fk(clip)
    out = []
    for foot in feet(clip.skeleton):
        if foot.toe is None:
            continue
        bend = backward_bend(*(points[:, j] for j in (foot.thigh, foot.shin, foot.ankle, foot.toe)))
        for start, stop in runs(bend > BACKWARDS):
            if stop - start >= 0.1 * clip.fps:
                size = float(np.degrees(np.arcsin(min(1.0, bend[start:stop].max()))))
                name = clip.skeleton.names[foot.shin]
                where = _frames(clip, start, stop)
                text = f"{name} bends away from the toes by {size:.0f} deg (knee or foot flipped), {where}"
                out.append(_said(clip, "flipped limb", text, name, (start, stop), size, "deg"))
    return out


def backward_bend(hip: FloatArray, knee: FloatArray, ankle: FloatArray, toe: FloatArray) -> FloatArray:
    """(F,) how far the knee lies behind the line from hip to ankle, seen along the foot, in shin lengths."""
    line = ankle - hip
    unit = line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-9)
    ahead = toe - ankle
    ahead = ahead - np.einsum("fc,fc->f", ahead, unit)[:, None] * unit
    length = np.linalg.norm(ahead, axis=1)
    out = knee - hip
    out = out - np.einsum("fc,fc->f", out, unit)[:, None] * unit
    behind = -np.einsum("fc,fc->f", out, ahead) / np.maximum(length, 1e-9)
    shin = np.linalg.norm(ankle - knee, axis=1)
    usable = (length > 0.3 * np.linalg.norm(toe - ankle, axis=1)) & (shin > 1e-6)
    return np.where(usable, behind / np.maximum(shin, 1e-6), 0.0)


CHECKS: tuple[Callable[[Clip], list[Finding]], ...] = (
    rest_findings,
    glitch_findings,
    still_findings,
    knee_findings,
    floor_findings,
    bone_findings,
)
"""The checks of one clip; a new one is a function here."""
