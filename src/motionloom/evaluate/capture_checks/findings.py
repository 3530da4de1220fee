"""Checks of one clip; each finding states the clip, joint, frames and size of a problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionloom.core import Clip, replace
from motionloom.core.origin import from_file
from motionloom.kinematics.body.roles import feet, fingers
from motionloom.kinematics.capture.glitches import Glitch, glitches, is_slight, rest_frames, small_joints
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.fk import fk
from motionloom.kinematics.pace import MIN_PACED, UNEVEN_RATE, moving_changes, step_speed
from motionloom.kinematics.travel import travel
from motionloom.rotation import angle_between

MIN_TURN = np.radians(1.0)  # a joint that turns by less than this does not move
MIN_FROZEN = 0.5  # seconds without any turn while the rest of the body moves
MAX_PENETRATION = 0.03  # metres below the floor
MAX_SOLE = 0.12  # metres from a foot joint to the sole below it
MIN_SWINGS = 5  # changes of speed while moving, fewer are not reported
MAX_STRETCH = (0.005, 0.02)  # change of a bone's length: 5 mm or 2 %, whichever is larger


@dataclass(frozen=True)
class Finding:
    """One problem. Frames count from 0 in the file, T-pose included; `stop` is excluded."""

    clip: str
    kind: str
    text: str  # complete description in one line
    joint: str = ""
    start: int | None = None
    stop: int | None = None
    size: float | None = None
    unit: str = ""
    broken: bool = False  # learning leaves these frames out

    def __str__(self) -> str:
        return f"{self.clip}: {self.text}"


def own_frames(clip: Clip) -> Clip:
    """A synthesized or edited clip with an origin that counts its own frames, not those of its sources."""
    return replace(clip, origin=from_file(clip.name, len(clip))) if clip.origin.made else clip


def in_file(clip: Clip, frame: int) -> int:
    """The number of a frame in the file that the clip was read from; a result counts its own frames."""
    if clip.origin.made:
        return frame
    at = min(frame, len(clip) - 1)
    number = clip.origin.frames[at, 0, clip.origin.weights[at, 0].argmax()]
    return frame if number < 0 else round(number) + max(0, frame - len(clip) + 1)


def make_finding(
    clip: Clip, kind: str, text: str, joint: str = "", span: tuple[int, int] | None = None, size: float | None = None,
    unit: str = "", *, broken: bool = False,
) -> Finding:  # fmt: skip
    """A finding; `span` counts frames of the clip, the finding those of the file."""
    start, stop = (None, None) if span is None else (in_file(clip, span[0]), in_file(clip, span[1]))
    return Finding(clip.name or "clip", kind, text, joint, start, stop, size, unit, broken)


def frame_range(clip: Clip, start: int, stop: int) -> str:
    """Text for frames [start, stop) of the clip, counted in the file."""
    first, last = in_file(clip, start), in_file(clip, stop - 1)
    return f"frame {first}" if first == last else f"frames {first}-{last}"


def glitch_findings(clip: Clip) -> list[Finding]:
    """Joints that jump, those of the same frames in one finding, the largest first; limbs that stay turned over by more
    than 90 degrees are flipped. Fingers are summarized in one line.
    """
    small = set(fingers(clip.skeleton))
    found = glitches(clip)
    groups = _events([g for g in found if g.joint not in small])
    out = sorted((_glitch(clip, same) for same in groups), key=lambda f: (f.unit != "m", -(f.size or 0.0)))
    loose = [g for g in found if g.joint in small]
    if loose:
        names = ", ".join(dict.fromkeys(clip.skeleton.names[g.joint] for g in loose))
        worst = max(loose, key=lambda g: g.size)
        count = "1 glitch" if len(loose) == 1 else f"{len(loose)} glitches"
        where = frame_range(clip, worst.start, worst.stop)
        text = f"{count} of fingers ({names}), up to {np.degrees(worst.size):.0f} deg in a frame, {where}"
        joint, size = clip.skeleton.names[worst.joint], float(np.degrees(worst.size))
        out.append(make_finding(clip, "finger glitch", text, joint, (worst.start, worst.stop), size, "deg"))
    return out


def _events(found: Sequence[Glitch]) -> list[list[Glitch]]:
    """Glitches in groups: joints that jump in the same frames, give or take one, and in the same manner."""
    groups: list[list[Glitch]] = []
    known: dict[tuple[str, bool, int, int], int] = {}  # groups by the first glitch of each
    for g in found:
        near = ((g.kind, g.joint < 0, g.start + i, g.stop + j) for i in (-1, 0, 1) for j in (-1, 0, 1))
        at = min((known[key] for key in near if key in known), default=None)
        if at is None:
            known[g.kind, g.joint < 0, g.start, g.stop] = len(groups)
            groups.append([g])
        else:
            groups[at].append(g)
    return groups


def _glitch(clip: Clip, same: Sequence[Glitch]) -> Finding:
    """One finding for the joints that glitch in the same frames."""
    worst = max(same, key=lambda g: g.size)
    place, flipped = worst.joint < 0, worst.kind == "flip"
    names = ["root" if place else clip.skeleton.names[g.joint] for g in sorted(same, key=lambda g: -g.size)]
    who = names[0] if len(names) == 1 else f"{', '.join(names[:3])}{f' and {len(names) - 3} more' * (len(names) > 3)}"
    size, unit = (worst.size, "m") if place else (float(np.degrees(worst.size)), "deg")
    start, stop = min(g.start for g in same), max(g.stop for g in same)
    verb, verb_flip, stay = ("jumps", "flips", "stays") if len(names) == 1 else ("jump", "flip", "stay")
    how = {
        "burst": f"{verb} out and back",
        "edge": f"{verb} at the {'end' if worst.start else 'start'} of the clip",
        "step": f"{verb} and {stay} there",
        "flip": f"{verb_flip} and {stay} flipped",
    }[worst.kind]
    text = f"{who} {how}: {size:.3g} {unit} in a frame, {frame_range(clip, start, stop)}"
    small = small_joints(clip.skeleton)
    broken = any(g.joint not in small and not is_slight(g, clip.fps) for g in same)
    kind = "flipped limb" if flipped else "glitch"
    return make_finding(clip, kind, text, ", ".join(names), (start, stop), size, unit, broken=broken)


def still_findings(clip: Clip) -> list[Finding]:
    """Joints that never move (all in one line), joints that freeze while the body moves, and a body that freezes."""
    turned = angle_between(clip.rotations, clip.rotations[:1]).max(axis=0)
    never = [clip.skeleton.names[j] for j in np.flatnonzero(turned < np.radians(0.01))]
    out = []
    if 0 < len(never) < len(clip.skeleton):
        names = ", ".join(never)
        count = "1 joint never turns" if len(never) == 1 else f"{len(never)} joints never turn"
        out.append(
            make_finding(clip, "never moves", f"{count}: {names}", names, (0, len(clip)), float(len(never)), "joints")
        )
    elif never and not np.ptp(clip.root, axis=0).max() > 1e-4:
        text = f"nothing moves at all, {frame_range(clip, 0, len(clip))}"
        out.append(make_finding(clip, "never moves", text, "all", (0, len(clip)), float(len(never)), "joints"))
    steps = angle_between(clip.rotations[1:], clip.rotations[:-1])
    held = [j for j, role in enumerate(clip.skeleton.roles) if role.endswith(("_toe", "_eye"))]  # often held still
    moving = np.setdiff1d(np.flatnonzero(turned > MIN_TURN), [*fingers(clip.skeleton), *held])
    if len(moving) > 2:
        shifts = np.abs(np.diff(clip.root, axis=0)).max(axis=1)
        for start, stop in runs((steps[:, moving] < 1e-7).all(axis=1) & (shifts < 1e-7)):
            if stop - start >= MIN_FROZEN * clip.fps:
                length, where = (stop - start + 1) / clip.fps, frame_range(clip, start, stop + 1)
                text = f"the whole body is frozen for {length:.2g} s, {where}"
                out.append(make_finding(clip, "frozen", text, "all", (start, stop + 1), length, "s"))
    for j in moving:
        for start, stop in runs(steps[:, j] < 1e-7):
            others = np.delete(steps[start:stop][:, moving], np.searchsorted(moving, j), axis=1)
            if stop - start >= MIN_FROZEN * clip.fps and others.size and np.degrees(others.mean()) * clip.fps > 5.0:
                length = (stop - start + 1) / clip.fps
                text = f"{clip.skeleton.names[j]} is frozen for {length:.2g} s, {frame_range(clip, start, stop + 1)}"
                out.append(
                    make_finding(clip, "frozen", text, clip.skeleton.names[j], (int(start), int(stop) + 1), length, "s")
                )
    return out


def rest_findings(clip: Clip) -> list[Finding]:
    """Frames in the rest pose (usually a T-pose), anywhere in the clip."""
    out = []
    for a, b in runs(rest_frames(clip)):
        text = f"rest pose (T-pose), {frame_range(clip, a, b)}"
        out.append(make_finding(clip, "T-pose", text, "all", (a, b), float(b - a), "frames", broken=True))
    return out


def floor_findings(clip: Clip) -> list[Finding]:
    """Feet below y = 0, or always above it."""
    joints = [j for foot in feet(clip.skeleton) for j in (foot.ankle, foot.toe) if j is not None]
    if not joints:
        return []
    height = fk(clip)[:, joints, 1]
    frame, which = np.unravel_index(int(height.argmin()), height.shape)
    name, lowest = clip.skeleton.names[joints[which]], float(height.min())
    level = float(np.percentile(height.min(axis=1), 5))
    at = (int(frame), int(frame) + 1)
    if level > MAX_SOLE:
        text = f"the feet are off the floor: their usual lowest height is {100 * level:.0f} cm above y = 0"
        return [make_finding(clip, "off the floor", text, name, (0, len(clip)), level, "m")]
    out = []
    if lowest < -MAX_PENETRATION:
        share = float((height.min(axis=1) < -MAX_PENETRATION).mean())
        where = f"at frame {in_file(clip, at[0])}, {share:.0%} of frames"
        text = f"{name} is {-100 * lowest:.0f} cm below the floor (y = 0) {where}"
        out.append(make_finding(clip, "below the floor", text, name, at, -lowest, "m"))
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
        if off.max() > max(MAX_STRETCH[0], MAX_STRETCH[1] * usual):
            f, name = int(off.argmax()), clip.skeleton.names[j]
            text = (
                f"the bone to {name} changes its length by {100 * off[f]:.1f} cm ({off[f] / max(usual, 1e-6):.0%}) "
                f"at frame {in_file(clip, f)}"
            )
            out.append(make_finding(clip, "bone length", text, name, (f, f + 1), float(off[f]), "m"))
    return out


def pace_findings(clip: Clip) -> list[Finding]:
    """A body that keeps changing its speed while it moves, as bad transitions do."""
    if len(clip) < MIN_PACED * clip.fps:
        return []
    speed, second = step_speed(clip), round(clip.fps)
    swings = moving_changes(travel(clip).place, clip.fps)
    rate = 60.0 * len(swings) * clip.fps / len(clip)
    if len(swings) < MIN_SWINGS or rate < UNEVEN_RATE:
        return []
    a, b = max(swings, key=lambda span: float(np.ptp(speed[span[0] : span[1] + second])))
    part = speed[a : b + second]
    text = (
        f"the speed over the ground changes by over 0.4 m/s within a second {len(swings)} times in "
        f"{len(clip) / clip.fps:.0f} s, up to {part.min():.1f} to {part.max():.1f} m/s, "
        f"{frame_range(clip, a, min(b + second, len(clip)))}"
    )
    return [make_finding(clip, "uneven pace", text, "all", (a, min(b + second, len(clip))), rate, "per min")]
