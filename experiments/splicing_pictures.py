"""Pictures of the experiment on splicing: HECK's figs. 4.4 to 4.7."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from similarity_material import REAL
from splicing_material import captured, neck_path, swings

from motionloom.blend.splice import FULL, GLOBAL, NAIVE, Stages, splice
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import headings, placed
from motionloom.plot.figures import save_figure
from motionloom.plot.filmstrip import save_filmstrip
from motionloom.rotation import rotate, yaw
from motionloom.samples import make


def stages_picture(path: Path) -> None:
    """Figs. 4.5 and 4.7: the path of the neck, and the posture with and without its transfer."""
    import matplotlib.pyplot as plt

    if REAL:
        step, box, curve = captured("83_25", 150, 500), captured("113_26", 100, 900), captured("16_11", 1, None)
        names = ("113_26 on 83_25 (CMU)", "113_26 on 16_11 (CMU)")
    else:
        step, box, curve = make("steps", seed=2), make("carry", seconds=6), make("walk", turn=0.6, seconds=4)
        names = ("box on steps", "box on a curve")
    figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
    for clip, label, style in (
        (step, "lower clip's own", "k--"),
        (splice(box, step, stages=NAIVE, crop=True).clip, "naive replacement", "C3"),
        (splice(box, step, crop=True).clip, "splice", "C0"),
    ):
        path_of = 100 * neck_path(clip, step)
        axes[0].plot(path_of[:, 0], path_of[:, 2], style, lw=1.2, label=label)
    axes[0].set(xlabel="to the left [cm]", ylabel="forward [cm]", title=f"neck\n{names[0]}", aspect="equal")
    axes[0].legend(fontsize=7)
    for label, stages in (("with posture transfer", FULL), ("without", Stages(posture=False)), ("naive", NAIVE)):
        clip = splice(box, curve, stages=stages, crop=True).clip
        points, heading = fk(clip), headings(curve[: len(clip)])
        middle = points[:, [clip.skeleton.joint(f"{side}_upper_arm") for side in ("left", "right")]].mean(1)
        lean = rotate(yaw(-heading), middle - points[:, 0])
        for ax, k in ((axes[1], 2), (axes[2], 0)):
            ax.plot(
                np.arange(len(clip)) / clip.fps, np.degrees(np.arctan2(lean[:, k], lean[:, 1])), lw=1.2, label=label
            )
    axes[1].set(xlabel="s", ylabel="lean forward [deg]", title=f"posture\n{names[1]}")
    axes[2].set(xlabel="s", ylabel="lean to the left [deg]", title=f"posture\n{names[1]}")
    axes[1].legend(fontsize=7)
    save_figure(figure, path)


def timing_picture(path: Path) -> None:
    """Fig. 4.4: arms and legs of a walk on another walk, without and with time alignment."""
    import matplotlib.pyplot as plt

    if REAL:
        upper, lower, names = captured("35_02", 30, None), captured("16_15", 30, None), "35_02 on 16_15 (CMU)"
    else:
        upper, lower = (make("walk", speed=v, seconds=4, seed=s) for v, s in ((1.6, 1), (1.1, 2)))
        names = "walk on a slower walk"
    figure, axes = plt.subplots(2, 1, figsize=(9, 5), sharex=True, layout="constrained")
    for ax, stages, title in ((axes[0], NAIVE, "without time alignment"), (axes[1], FULL, "all stages")):
        clip = splice(upper, lower, stages=stages, crop=True).clip
        time = np.arange(len(clip)) / clip.fps
        for values, of, style in zip(swings(clip), ("hand", "knee"), ("-", "--"), strict=True):
            for k, side in enumerate(("left", "right")):
                ax.plot(time, 100 * (values[:, k] - values[:, k].mean()), f"C{k}{style}", lw=1.3, label=f"{side} {of}")
        ax.set(ylabel="ahead [cm]", title=f"{title}: {names}")
    axes[0].legend(fontsize=7, ncol=4, loc="upper right")
    axes[1].set_xlabel("s")
    save_figure(figure, path)


def backwards_picture(path: Path) -> None:
    """Fig. 4.6: an action that was walked westwards on a walk eastwards, with its orientation in the world kept."""
    lower = make("walk", seconds=3, seed=1)
    upper = placed(make("carry", seconds=5, seed=2), (0.0, 0.0), np.pi)
    clips = [splice(upper, lower, stages=stages).clip for stages in (GLOBAL, FULL)]
    save_filmstrip(clips, path, titles=["orientation in the world kept: it faces backwards", "splice"], poses=7)
