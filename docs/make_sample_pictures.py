"""Draws every sample beside a captured clip of the same action: python docs/make_sample_pictures.py

Needs the captured clips of ../shared/mocap; only stick figures of them go into the pictures, no data.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image

from motionloom.core import Clip
from motionloom.io import load
from motionloom.kinematics.travel import placed
from motionloom.plot import save_filmstrip
from motionloom.samples import make

HERE = Path(__file__).parent
MOCAP = HERE.parents[1] / "shared" / "mocap"
# sample, its parameters, the frames shown (s), the captured clip, its frames
ROWS: dict[str, tuple[dict[str, object], tuple[float, float], str, tuple[int, int]]] = {
    "walk": ({"speed": 1.3}, (1.0, 4.5), "cmu/35_01", (2, 359)),
    "run": ({"speed": 3.2}, (1.0, 2.4), "cmu/35_17", (2, 168)),
    "stand": ({}, (0.0, 5.0), "", (0, 0)),
    "idle": ({}, (0.0, 9.5), "", (0, 0)),
    "start": ({"speed": 1.3}, (0.8, 4.0), "cmu/143_38", (60, 260)),
    "stop": ({"speed": 1.3}, (0.6, 4.2), "cmu/143_32", (190, 380)),
    "walk_run": ({}, (1.2, 8.2), "", (0, 0)),
    "leap": ({}, (0.6, 4.0), "", (0, 0)),
    "carry": ({"speed": 0.8}, (1.0, 4.0), "cmu/111_36", (400, 760)),
    "jump": ({"height": 0.3, "distance": 0.6}, (0.4, 3.0), "cmu/118_20", (120, 480)),
    "punch": ({}, (0.4, 1.6), "cmu/143_23", (95, 165)),
    "box": ({"turn": 0.7}, (0.3, 1.7), "", (0, 0)),
    "wave": ({}, (0.3, 4.8), "", (0, 0)),
    "look": ({}, (0.0, 6.0), "cmu/77_04", (100, 800)),
    "dance": ({}, (0.0, 8.6), "cmu/143_35", (200, 720)),
    "turn": ({"turn": 3.1}, (0.3, 5.0), "cmu/143_32", (350, 490)),
    "steps": ({}, (0.3, 4.6), "cmu/143_17", (40, 330)),
    "sit": ({}, (0.3, 6.8), "cmu/143_18", (330, 640)),
    "duck": ({"height": 1.1}, (0.2, 2.6), "cmu/77_09", (200, 520)),
    "cartwheel": ({}, (0.5, 3.8), "cmu/49_06", (130, 420)),
    "dog_walk": ({}, (1.0, 3.2), "dog/D1_007_KAN01_001", (200, 340)),
    "dog_trot": ({"speed": 2.8}, (1.0, 2.2), "dog/D1_010_KAN01_003", (40, 110)),
    "dog_jump": ({}, (0.4, 2.5), "dog/D1_ex04_KAN02_002", (230, 380)),
}


def real(name: str, frames: tuple[int, int]) -> Clip:
    clip = load(MOCAP / f"{name}.bvh", fps=60 if "/143" in name else None)[slice(*frames)]
    return placed(clip)


def picture(name: str) -> None:
    given, (start, end), captured, frames = ROWS[name]
    clip = make(name, seed=1, **given)
    clip = clip[round(start * clip.fps) : round(end * clip.fps)]
    clips, titles = [clip], [f"computed: {name}"]
    if captured:
        clips.append(real(captured, frames))
        titles.append(f"captured: {captured}")
    path = HERE / "samples" / f"{name}.png"
    save_filmstrip(clips, path, titles=titles, poses=12, dpi=90)
    shrink(path)


def strokes() -> None:
    """Letters of ours above letters of the UCI set, coloured by the speed of the pen."""
    from scipy.io import loadmat

    data = loadmat(MOCAP / "handwriting" / "trajectories_train.mat")
    keys = [str(k[0]) for k in data["key"][0]] if data["key"].dtype == object else list(data["key"])
    letters = ["a", "b", "e", "g", "l", "o", "s", "w"]
    figure, axes = plt.subplots(3, len(letters), figsize=(11, 4.6), facecolor="white")
    for k, letter in enumerate(letters):
        for row in (0, 1):
            clip = make("stroke", seed=row, letter=letter)
            draw(axes[row, k], clip.root[:, :2], clip.fps)
        if letter in keys:
            number = keys.index(letter) + 1
            which = int(np.flatnonzero(data["ytrain"].ravel() == number)[0])
            velocity = data["xtrain"].ravel()[which][:2].T
            moving = np.flatnonzero(np.linalg.norm(velocity, axis=1) > 0.02)
            points = np.cumsum(velocity[moving[0] : moving[-1] + 1], axis=0)
            draw(axes[2, k], points, 200.0)
        else:
            axes[2, k].axis("off")
    for row, said in enumerate(("computed, seed 0", "computed, seed 1", "captured (UCI)")):
        axes[row, 0].set_title(said, fontsize=8, loc="left")
    figure.tight_layout(pad=0.4)
    path = HERE / "samples" / "stroke.png"
    figure.savefig(path, dpi=90)
    plt.close(figure)
    shrink(path)


def draw(ax: plt.Axes, points: np.ndarray, fps: float) -> None:
    speed = np.linalg.norm(np.diff(points, axis=0), axis=1) * fps
    ax.scatter(points[1:, 0], points[1:, 1], c=speed, s=3, cmap="viridis")
    ax.set_aspect("equal")
    ax.axis("off")


def shrink(path: Path) -> None:
    """Few colours, so that the file stays small."""
    Image.open(path).convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    (HERE / "samples").mkdir(exist_ok=True)
    for name in ROWS:
        picture(name)
    strokes()


if __name__ == "__main__":
    main()
