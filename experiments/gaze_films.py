"""Film strips of the experiment on gaze maps: figs. 1.4, 5.1, 5.5 to 5.8 of HECK."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from similarity_material import MOCAP, REAL

from motionloom.blend.splice import splice
from motionloom.constraints.gaze import gaze
from motionloom.core import Clip, FloatArray, concatenate, replace
from motionloom.io import load
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.resample import resample
from motionloom.methods.gaze import GazeMap, Look, look_along, look_clip
from motionloom.methods.gaze.eyes import with_eyes
from motionloom.plot.filmstrip import save_filmstrip
from motionloom.plot.gaze_strip import LookRow, save_looks
from motionloom.plot.view import even_frames
from motionloom.rotation import angle_between
from motionloom.samples import make

OUT = Path(__file__).resolve().parents[1] / "docs" / "experiments"
CONES = "Red cones are the eyes, green ones the head, and dashed lines the wanted gaze."


def captured(name: str, first: int, end: int | None) -> Clip:
    return with_eyes(resample(load(MOCAP / f"{name}.bvh")[first:end], 60))


def change(clip: Clip, made: Clip) -> FloatArray:
    """(F,) degrees of yaw by which the gaze was turned."""
    lines = [gaze(c)[1] for c in (clip, made)]
    before, after = (np.arctan2(d[:, 0], d[:, 2]) for d in lines)
    return np.degrees(np.unwrap(after - before))


def turned_by(clip: Clip, yaw: float, pitch: float, first: int) -> FloatArray:
    """(F, 3) the gaze of a clip turned by so many degrees, from this frame on; NaN before."""
    line = gaze(clip)[1]
    heading, rise = np.arctan2(line[:, 0], line[:, 2]) + np.radians(yaw), np.arcsin(line[:, 1]) + np.radians(pitch)
    out = np.stack([np.cos(rise) * np.sin(heading), np.sin(rise), np.cos(rise) * np.cos(heading)], 1)
    out[:first] = np.nan
    return out


def looking(clip: Clip, gaze_map: GazeMap, yaw: float, pitch: float, first: int, end: int | None = None) -> Clip:
    change = (math.radians(yaw), math.radians(pitch))
    return look_clip(clip, gaze_map, [Look(first, end or len(clip), None, change)])


def over_the_shoulder(gaze_map: GazeMap) -> list[str]:
    """Figs. 1.4 and 5.1: base motion and result."""
    zombie = captured("104_41", 200, 900) if REAL else make("walk", seconds=4, seed=4)
    step = captured("83_25", 1, None) if REAL else make("steps", seed=2)
    lines = []
    for name, base, made, title in (
        ("gaze_step.png", step, looking(step, gaze_map, 100, 0, 40, 200), "over the left shoulder while stepping up"),
        ("gaze_zombie.png", zombie, looking(zombie, gaze_map, -100, 0, 60, 300), "a zombie over the right shoulder"),
    ):
        save_filmstrip([base, made], OUT / name, titles=["base", title], poses=8)
        lines += [f"![fig. {'1.4' if 'step' in name else '5.1'}: {title}]({name})", ""]
        print(name, np.abs(change(base, made)).max())
    return lines


def overshoot(gaze_map: GazeMap) -> list[str]:
    """Fig. 5.5: the gaze passes its target and comes back."""
    walk = make("walk", seconds=4, seed=1)
    made, wanted = looking(walk, gaze_map, 110, 12, 30), turned_by(walk, 110, 12, 0)
    turn = change(walk, made)
    peak = int(turn.argmax())
    frames = [24, 45, 52, peak, peak + 20, 150]
    labels = [f"{f / walk.fps:.2f} s: {turn[f]:.0f}°" for f in frames]
    views = (("side", "from the side"), ("top", "from above; ahead is down"))
    save_looks([LookRow(made, t, frames, v, wanted, labels) for v, t in views], OUT / "gaze_overshoot.png")
    title = f"fig. 5.5: to the ceiling over the left shoulder (110°): the gaze overshoots by {turn[peak] - 110:.1f}°"
    print(title)
    return [f"![{title}](gaze_overshoot.png)", ""]


def box_carrier(gaze_map: GazeMap) -> list[str]:
    """Fig. 5.7: a spliced carrier in a curve looks at the ground ahead."""
    box = splice(make("carry", seconds=6, seed=2), make("walk", turn=0.6, seconds=4, seed=1)).clip
    ahead = look_along(box, ahead=1.5)
    made = look_clip(box, gaze_map, [ahead])
    wanted = ahead.points - gaze(made)[0]
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    frames = even_frames(len(box), 7)
    rows = [
        LookRow(box, "base", frames),
        LookRow(made, "looking at the ground 1.5 m ahead", frames, "side", wanted),
        LookRow(made, "from above; ahead is down", frames, "top", wanted),
    ]
    save_looks(rows, OUT / "gaze_box.png")
    return ["![fig. 5.7: the spliced box carrier looks at the ground ahead](gaze_box.png)", ""]


def tiptoe(gaze_map: GazeMap) -> list[str]:
    """Fig. 5.8: three gaze goals on one base motion."""
    clip = captured("136_27", 60, 420) if REAL else make("walk", seconds=4, seed=3)
    goals = {"high over the right shoulder": (-110, 12), "down to the feet": (0, -45), "a little to the left": (25, 0)}
    frames = [10, 50, 62, 80, 120, 170] if REAL else even_frames(len(clip), 6)
    rows = [LookRow(clip, "base", frames)]
    for title, (yaw, pitch) in goals.items():
        made = looking(clip, gaze_map, yaw, pitch, 30)
        rows.append(LookRow(made, f"{title}: {yaw}°, {pitch}°", frames, "side", turned_by(clip, yaw, pitch, 30)))
        print(title, change(clip, made)[-30])
    save_looks(rows, OUT / "gaze_tiptoe.png")
    return ["![fig. 5.8: three gaze goals on one tiptoe](gaze_tiptoe.png)", ""]


def dress_pose(gaze_map: GazeMap) -> list[str]:
    """Fig. 5.6: the final poses of looks to both sides, which are not mirror images."""
    still = make("walk", seconds=1, seed=1)[:1]
    rest = np.zeros_like(still.rotations)
    rest[..., 0] = 1
    dress = replace(still, rotations=rest)
    poses, labels = [], []
    table = ["| look | chest on the hips | head on the chest | eyes in the head |", "| --- | ---: | ---: | ---: |"]
    for angle in (140, -140, 175, -175):
        pose = looking(concatenate([dress] * 150), gaze_map, angle, 0, 0)[-1:]
        turns = fk_rotations(pose)[1][0]
        chest, head, eye = (pose.skeleton.joint(name) for name in ("spine2", "head", "left_eye"))
        parts = [np.degrees(angle_between(turns[a], turns[b])) for a, b in ((chest, 0), (head, chest), (eye, head))]
        side = f"{abs(angle)}° to the {'left' if angle > 0 else 'right'}"
        poses.append(pose)
        labels.append(f"{side}: chest {parts[0]:.0f}°, head {parts[1]:.0f}°, eyes {parts[2]:.0f}°")
        table.append(f"| {side} | {parts[0]:.0f}° | {parts[1]:.0f}° | {parts[2]:.0f}° |")
        print(table[-1])
    four = concatenate(poses)
    views = (("front", "from the front"), ("top", "from above; ahead is down"))
    save_looks([LookRow(four, t, range(4), v, None, labels) for v, t in views], OUT / "gaze_asymmetry.png")
    title = "fig. 5.6: the dress pose, 140 and 175 degrees to both sides"
    return [
        f"![{title}](gaze_asymmetry.png)",
        "",
        "The sample performer is stiffer to the left: there the spine does less of a look, and the neck more.",
        "",
        *table,
        "",
    ]


def films(gaze_map: GazeMap) -> list[str]:
    """All pictures, as lines of the page."""
    parts = (over_the_shoulder, overshoot, dress_pose, box_carrier, tiptoe)
    return [CONES, "", *(line for part in parts for line in part(gaze_map))]
