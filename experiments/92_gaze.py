"""Gaze maps: recovery of takes with known truth, requested against achieved gaze, and film strips (HECK 5.2, 5.3).

    python experiments/92_gaze.py

Writes docs/experiments/gaze.md and its pictures. Clips are in ../shared/mocap (CMU); without them samples are used.
Takes about a minute.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from pictures import make_smaller
from similarity_material import CREDIT, MOCAP, REAL

from motionloom.blend.splice import splice
from motionloom.constraints.gaze import gaze
from motionloom.core import BadRequest, Clip, FloatArray
from motionloom.io import load
from motionloom.kinematics.resample import resample
from motionloom.methods.gaze import (
    GazeMap,
    GazeMotion,
    Look,
    extract,
    extract_by_thresholds,
    look_along,
    look_clip,
    shift_of,
)
from motionloom.methods.gaze.eyes import with_eyes
from motionloom.plot.filmstrip import save_filmstrip
from motionloom.rotation import angle_between, exp, log
from motionloom.samples import make
from motionloom.samples.gaze_takes import GazeTruth, make_takes

OUT = Path(__file__).resolve().parents[1] / "docs" / "experiments"


def motion_of(truth: GazeTruth) -> GazeMotion:
    return GazeMotion(
        truth.yaw, truth.pitch, log(truth.turns), truth.seconds, truth.starts, truth.peak, truth.overshoot
    )


def recovery(noise: float) -> str:
    """One row: how well the parameters of 32 takes are found, by fitting and by thresholds."""
    cells = []
    for find in (extract, extract_by_thresholds):
        rows = []
        for take in make_takes(0, noise=noise):
            truth = take.truth
            if truth.yaw == 0 and truth.pitch == 0:
                continue
            try:
                found = find(shift_of(take.markers), (truth.yaw, truth.pitch))
            except BadRequest:  # its rests are lost in the noise
                continue
            motion = found.motion
            turn = np.degrees(angle_between(exp(motion.turns[:4]), truth.turns[:4])).max()
            late = motion.starts[3] * motion.seconds - truth.starts[3] * truth.seconds
            peak = abs(motion.peak * motion.seconds - truth.peak * truth.seconds - late) * 60
            rows.append((turn, abs(motion.overshoot - truth.overshoot), peak, np.degrees(found.lost)))
        table = np.array(rows)
        mean, worst = table.mean(0), table.max(0)
        cells.append(
            f"{mean[0]:.2f} ({worst[0]:.2f}) | {np.median(table[:, 1]):.3f} ({worst[1]:.3f}) | "
            f"{np.median(table[:, 2]):.1f} ({worst[2]:.1f}) | {mean[3]:.2f}"
        )
    return f"| {1000 * noise:g} mm, {len(rows)} takes | {cells[0]} | {cells[1]} |"


def achieved(gaze_map: GazeMap) -> FloatArray:
    """Degrees between requested and achieved gaze over the captured range."""
    yaw, pitch = (
        a.ravel() for a in np.meshgrid(np.radians(np.arange(-175, 176, 5)), np.radians(np.arange(-12, 13, 3)))
    )
    wanted = np.stack([np.cos(pitch) * np.sin(yaw), np.sin(pitch), np.cos(pitch) * np.cos(yaw)], 1)
    line = gaze_map.achieved(yaw, pitch)
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(line, wanted), axis=1), (line * wanted).sum(1)))


def captured(name: str, first: int, end: int | None) -> Clip:
    return with_eyes(resample(load(MOCAP / f"{name}.bvh")[first:end], 60))


def change(clip: Clip, made: Clip) -> FloatArray:
    """(F,) degrees of yaw by which the gaze was turned."""
    lines = [gaze(c)[1] for c in (clip, made)]
    before, after = (np.arctan2(d[:, 0], d[:, 2]) for d in lines)
    return np.degrees(np.unwrap(after - before))


def main() -> None:
    gaze_map = GazeMap.of([motion_of(take.truth) for take in make_takes(0)])
    page = ["# Gaze maps", "", "Written by `experiments/92_gaze.py`. HECK 5.2 and 5.3; guide: [gaze](../gaze.md).", ""]
    page += [
        "## Recovery",
        "",
        "Takes of 32 targets with known truth (the 33rd is straight ahead). Rotation: mean and worst of the",
        "largest error of four joints, degrees. Overshoot: median and worst error. Peak: median and worst, frames at",
        "60 Hz, from the start of the neck. Lost: root mean square angle of the head between the take and the",
        "model, degrees.",
        "",
    ]
    page += [
        "| noise | fitted: rotation | overshoot | peak | lost | thresholds: rotation | overshoot | peak | lost |",
        "| --- | --- | --- | --- | ---: | --- | --- | --- | ---: |",
    ]
    for noise in (0.00005, 0.0003, 0.001):
        page.append(recovery(noise))
        print(page[-1])
    page += [
        "",
        "## Requested against achieved",
        "",
        "Error of the gaze over the captured range before the eyes correct it, degrees. With the correction it is",
        "below 1e-6 wherever the eyes can reach it.",
        "",
        "| weights | mean | worst |",
        "| --- | ---: | ---: |",
    ]
    for name in ("continuous", "nearest"):
        error = achieved(GazeMap(gaze_map.examples, name))  # type: ignore[arg-type]
        page.append(f"| {name} | {error.mean():.2f} | {error.max():.2f} |")
        print(page[-1])
    pictures = films(gaze_map)
    page += ["", "## Film strips", "", *pictures, CREDIT, ""]
    for picture in OUT.glob("gaze_*.png"):
        make_smaller(picture)
    (OUT / "gaze.md").write_text("\n".join(page), "utf-8")


def films(gaze_map: GazeMap) -> list[str]:
    """Figs. 1.4, 5.1, 5.5, 5.6, 5.7."""
    lines = []
    left = math.radians(100)
    zombie = captured("104_41", 200, 900) if REAL else make("walk", seconds=4, seed=4)
    step = captured("83_25", 1, None) if REAL else make("steps", seed=2)
    walk = make("walk", seconds=3, seed=1)
    over = look_clip(walk, gaze_map, [Look(30, 180, None, (math.radians(110), math.radians(12)))])
    box = splice(make("carry", seconds=6, seed=2), make("walk", turn=0.6, seconds=4, seed=1)).clip
    pairs = {
        "gaze_step.png": (
            step,
            look_clip(step, gaze_map, [Look(40, 200, None, (left, 0.0))]),
            "fig. 1.4: over the left shoulder while stepping up",
        ),
        "gaze_zombie.png": (
            zombie,
            look_clip(zombie, gaze_map, [Look(60, 300, None, (-left, 0.0))]),
            "fig. 5.1: a zombie over the right shoulder",
        ),
        "gaze_overshoot.png": (
            walk[30:90],
            over[30:90],
            f"fig. 5.5: to the ceiling at the left; the gaze overshoots by {change(walk, over).max() - 110:.1f} deg",
        ),
        "gaze_box.png": (
            box,
            look_clip(box, gaze_map, [look_along(box, ahead=1.5)]),
            "fig. 5.7: the spliced box carrier looks at the ground ahead",
        ),
    }
    for name, (before, after, title) in pairs.items():
        save_filmstrip([before, after], OUT / name, titles=["base", title], poses=8)
        lines += [f"![{title}]({name})", ""]
        print(name, np.abs(change(before, after)).max())
    still = make("walk", seconds=1, seed=1)[:1]
    rest = np.zeros_like(still.rotations)
    rest[..., 0] = 1
    from motionloom.core import concatenate, replace

    dress = replace(still, rotations=rest)
    poses = []
    for angle in (140, -140, 175, -175):
        held = concatenate([dress] * 90)
        made = look_clip(held, gaze_map, [Look(0, 90, None, (math.radians(angle), 0.0))])
        poses.append(made[-2:])
    save_filmstrip(
        poses,
        OUT / "gaze_asymmetry.png",
        titles=[f"{a} deg" for a in ("left 140", "right 140", "left 175", "right 175")],
        poses=2,
    )
    return [*lines, "![fig. 5.6: the dress pose, 140 and 175 degrees to both sides](gaze_asymmetry.png)", ""]


if __name__ == "__main__":
    main()
