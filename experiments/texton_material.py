"""Salsa for the texton experiments: CMU's subject 60, ten takes, as `motionloom learn textons` sees them."""

from __future__ import annotations

import subprocess
from typing import NamedTuple

import numpy as np
from similarity_material import MOCAP, REAL, ROOT

from motionloom.core import Clip, FloatArray, IntArray
from motionloom.io import load
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import travel
from motionloom.methods.prepare_clips import prepare
from motionloom.methods.textons import Config, TextonModel, fit


class Salsa(NamedTuple):
    """Takes, the clips that learning makes of them, and which take each clip is of."""

    takes: tuple[Clip, ...]
    clips: tuple[Clip, ...]
    owners: IntArray


def salsa(config: Config) -> Salsa | None:
    """Ten takes, without T-pose, at the model's rate, broken frames left out; None if they are not here."""
    if not REAL:
        print("needs the real clips of ../shared/mocap, which are not here: skipped")
        return None
    takes = tuple(load(path) for path in sorted(MOCAP.glob("60_*.bvh")))
    ready = prepare(takes, config.fps, margin=TextonModel.glitch_margin)
    return Salsa(takes, tuple(ready.clips), np.array(ready.owners))


def learned(material: Salsa, config: Config) -> TextonModel:
    """Textons of all takes."""
    return fit(material.clips, config)


def about_hips(clip: Clip) -> FloatArray:
    """(F, J, 3) metres: joints seen from the hips' place on the ground, facing one way in every frame."""
    path = travel(clip)
    points = fk(clip) - np.stack([path.place[:, 0], np.zeros(len(clip)), path.place[:, 1]], 1)[:, None]
    c, s = np.cos(path.heading)[:, None], np.sin(path.heading)[:, None]
    x, z = points[..., 0], points[..., 2]
    return np.stack([c * x - s * z, points[..., 1], s * x + c * z], -1)


def apart(a: Clip, b: Clip) -> FloatArray:
    """(F,) metres, RMS over joints: how far two clips are apart frame by frame, wherever they stand and face."""
    frames = min(len(a), len(b))
    away = np.linalg.norm(about_hips(a)[:frames] - about_hips(b)[:frames], axis=-1)
    return np.sqrt((away**2).mean(1))


def commit() -> str:
    """The commit that numbers are of."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"
