"""Clips and measures of the experiment on splicing."""

from __future__ import annotations

from dataclasses import replace as with_changes

import numpy as np
from similarity_material import MOCAP

from motionloom.analysis import at_times
from motionloom.analysis.leg_swing import leg_swing, legs
from motionloom.blend.splice import FULL, HECK, NAIVE, Splice, splice
from motionloom.blend.splice.splice import on_body
from motionloom.blend.splice.tables import SpliceTable, splice_table
from motionloom.control import Playback, SpliceLayer, record, run
from motionloom.control.layered import layered
from motionloom.core import BadRequest, Clip, FloatArray, replace
from motionloom.core.poses import commands
from motionloom.io import load
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.kinematics.retarget import retarget
from motionloom.kinematics.travel import headings
from motionloom.rotation import rotate, wrap_angle, yaw
from motionloom.samples import make

MIN_SWING = 0.25  # m: lead of a knee, forward and back
PAIRS = (  # upper, lower: (clip, first frame, end frame)
    (("113_26", 1, None), ("16_11", 1, None), "carrying on a curve"),
    (("113_26", 1, None), ("113_19", 1, None), "carrying on stairs"),
    (("111_36", 1, None), ("113_19", 1, None), "carrying on stairs, another subject"),
    (("69_69", 500, None), ("16_17", 1, None), "carrying on a 90 degree turn"),
    (("113_26", 1, None), ("83_25", 1, None), "carrying on a step up"),
    (("111_36", 1, None), ("143_32", 350, 490), "carrying on a 180 degree turn"),
    (("113_26", 1, None), ("113_18", 1, 1000), "carrying on a sidestep"),
    (("13_17", 1, None), ("113_19", 1, None), "boxing on stairs"),
    (("17_10", 1, None), ("113_19", 1, None), "boxing on stairs, another subject"),
    (("81_06", 400, None), ("113_18", 1, 1000), "pushing on a sidestep"),
    (("81_06", 400, None), ("16_13", 1, None), "pushing round an obstacle (a walk that veers)"),
    (("104_41", 200, 1360), ("104_04", 1, None), "zombie on his own jog"),
    (("104_41", 200, 1360), ("16_35", 1, None), "zombie on a jog"),
    (("104_41", 200, 1360), ("16_15", 1, None), "zombie on a walk"),
    (("132_07", 1, None), ("16_15", 1, None), "arms out on a walk"),
    (("136_27", 1, None), ("16_15", 1, None), "tiptoe on a walk"),
    (("137_16", 260, None), ("143_41", 100, 500), "drunk on sneak"),
    (("143_22", 1, None), ("16_15", 1, None), "football throw on a walk (fails: the shoulders matter)"),
)
PLAIN = {"69_69": ("69_01", 60, None), "104_41": ("104_19", 200, 800), "137_16": ("137_29", 60, 900)}  # same performers


def captured(name: str, first: int, end: int | None) -> Clip:
    clip = load(MOCAP / f"{name}.bvh")
    clip = replace(clip, fps=60.0) if name.startswith("143") else clip  # captured at 60, whatever the header states
    return resample(clip[first:end], 60)


def neck_path(clip: Clip, lower: Clip, axes: str = "heading") -> FloatArray:
    """(F, 3) m: the neck in relation to the root about its mean (fig. 4.5), in the heading of the lower clip or, with
    `axes` "world", in the axes of the world."""
    points, heading = fk(clip), headings(lower[: len(clip)])
    path = points[:, clip.skeleton.joint("neck")] - points[:, 0]
    path = rotate(yaw(-heading), path) if axes == "heading" else path
    return np.asarray(path - path.mean(0))


def neck_deviation(clip: Clip, lower: Clip, axes: str = "heading") -> float:
    """Metres: how far the neck, in relation to the root, moves otherwise than the lower clip's own neck."""
    apart = neck_path(clip, lower, axes) - neck_path(lower[: len(clip)], lower, axes)
    return float(np.linalg.norm(apart, axis=1).mean())


def turning_truth() -> list[str]:
    """The neck of a box carrier in a tight curve, spliced and real, by the same measure as that of the splices."""
    rows = ["| axes | splice / naive | real motion / naive |", "| --- | ---: | ---: |"]
    for axes in ("heading", "world"):
        found = []
        for seed in (1, 2, 3):
            upper, lower = make("carry", seconds=12, seed=seed), make("walk", turn=1.2, seconds=6, seed=seed)
            clips = splice(upper, lower).clip, make("carry", turn=1.2, seconds=6, seed=seed)
            naive = neck_deviation(splice(upper, lower, stages=NAIVE).clip, lower, axes)
            found.append([neck_deviation(clip, lower, axes) / naive for clip in clips])
        shares = np.array(found).T
        rows.append(f"| {axes} | {' | '.join(f'{s.min():.2f} to {s.max():.2f}' for s in shares)} |")
    return rows


def gait_phase(clip: Clip) -> FloatArray:
    """(F,) rad: the phase of the legs, from the lead of one knee and its Hilbert transform."""
    from scipy.ndimage import gaussian_filter1d
    from scipy.signal import hilbert

    swing = leg_swing(legs(clip))[:, 0]
    slow = gaussian_filter1d(swing, 0.5 * clip.fps, mode="nearest")
    return np.asarray(np.angle(hilbert(swing - slow)))


def phase_error(made: Splice, lower: Clip) -> str:
    """Degrees by which the action is out of phase with the legs below: its own legs against those of the lower clip.

    Arms are in phase with the legs of their own clip (fig. 4.4), so this is their error against the others. Mean of the
    absolute values, without the ends, where the transform is not reliable; "-" where the lower clip's legs do not swing
    forward and back (sidesteps).
    """
    if np.ptp(leg_swing(legs(lower))[:, 0]) < MIN_SWING:
        return "-"
    action = at_times(made.upper, made.seconds)
    off = wrap_angle(gait_phase(action) - gait_phase(lower[: len(action)]))
    edge = min(len(off) // 5, round(0.3 * lower.fps))
    return f"{np.degrees(np.abs(off[edge : len(off) - edge]).mean()):.0f}"


def spliced(upper: Clip, lower: Clip) -> Splice:
    """The splice, as long as the action suffices if it cannot be repeated."""
    try:
        return splice(upper, lower)
    except BadRequest:
        return splice(upper, lower, crop=True)


def sample_pairs() -> list[tuple[Clip, Clip, str]]:
    """Splices of samples: fast, slow and styled locomotions under actions."""
    cup, box = (make("carry", thing=thing, seconds=6, seed=2) for thing in ("cup", "box"))
    drunk, sneak = make("walk", style="drunk", seconds=8, seed=4), make("walk", style="sneak", seconds=4, seed=5)
    chair = make("carry", thing="chair", seconds=6, seed=2)
    return [
        (cup, make("run", turn=0.5, seconds=3, seed=1), "cup on a curved run"),
        (cup, make("walk_run", seconds=7, seed=1), "cup from walk to run"),
        (chair, make("steps", seed=2), "chair up stairs"),
        (box, make("walk_run", seconds=7, seed=1), "box from walk to run"),
        (box, make("walk", style="proud", seconds=4, seed=3), "box on a jaunty walk"),
        (box, make("steps", seed=2), "box up stairs"),
        (drunk, sneak, "drunk on sneak"),
    ]


def captured_pairs() -> list[tuple[Clip, Clip, str]]:
    """Splices of captures; there is no captured chair, and the captured cup hardly walks: these actions are samples."""
    chair, cup = (make("carry", thing=thing, seconds=8, seed=2) for thing in ("chair", "cup"))
    return [
        *((captured(*upper), captured(*lower), title) for upper, lower, title in PAIRS),
        _retargeted(chair, captured("143_32", 350, 490), "chair on a 180 degree turn"),
        _retargeted(chair, captured("113_19", 1, None), "chair on stairs"),
        _retargeted(cup, captured("83_25", 1, None), "cup on a step up"),
    ]


def _retargeted(upper: Clip, lower: Clip, title: str) -> tuple[Clip, Clip, str]:
    return retarget(upper, lower)[0], lower, title


def swings(clip: Clip) -> tuple[FloatArray, FloatArray]:
    """(F, 2) m: how far the left and the right hand, and the left and the right knee, are ahead of the hips."""
    points, heading = fk(clip), headings(clip)
    ahead = np.stack([np.sin(heading), 0 * heading, np.cos(heading)], 1)

    def of(part: str) -> FloatArray:
        joints = [clip.skeleton.joint(f"{side}_{part}") for side in ("left", "right")]
        return np.einsum("fjk,fk->fj", points[:, joints] - points[:, :1], ahead)

    return of("hand"), of("shin")


TREMBLING = (  # at their own 120 fps
    ("111_36", "16_11"), ("113_26", "16_11"), ("69_69", "16_17"), ("104_41", "16_35"), ("17_10", "113_19")
)  # fmt: skip


def head_speed(clip: Clip) -> float:
    """m/s: the fastest step of the head."""
    path = fk(clip)[:, clip.skeleton.joint("head")]
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).max() * clip.fps)


def tremor_rows() -> list[str]:
    """Heads of splices on captured walks that tremble, with and without the tremor; live ones with a carried box."""
    rows = [
        "| splice | action | walk | as published | steady | frames | live, box on this walk: as published | steady |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    box, reference = make("carry", seconds=6, seed=2), captured("16_15", 1, None)
    for upper, lower in TREMBLING:
        first = {"69_69": 500, "104_41": 200}.get(upper, 1)
        action, walk = load(MOCAP / f"{upper}.bvh")[first:], load(MOCAP / f"{lower}.bvh")[1:]
        published, made = (splice(action, walk, crop=True, stages=stages) for stages in (HECK, FULL))
        shown = at_times(made.upper, made.seconds)
        speeds = [head_speed(clip) for clip in (shown, walk[: len(made.clip)], published.clip, made.clip)]
        table = splice_table({"box": retarget(box, walk)[0]}, on_body(reference, walk))
        speeds += [head_speed(live_splice(t, walk[: len(made.clip)])) for t in (table_without_shape(table), table)]
        values = [f"{speed:.2f}" for speed in speeds]
        frames = f"{int(made.trembling.sum())} of {len(made.clip)}"
        rows.append(f"| {upper} on {lower} | {' | '.join([*values[:4], frames, *values[4:]])} |")
        print(rows[-1])
    return rows


def table_without_shape(table: SpliceTable) -> SpliceTable:
    """The table by which live characters follow every tremor, as published."""
    return with_changes(table, shape=np.zeros((0, 3)))


def live_splice(table: SpliceTable, walk: Clip) -> Clip:
    """The first action of a table on a walk, live, at its frame rate."""
    live = layered(Playback(walk), SpliceLayer(table))
    return record(live, run(live, live.begin([0]), commands(overlay=0), [1 / walk.fps] * len(walk)), walk.fps)
