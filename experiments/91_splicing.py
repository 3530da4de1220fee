"""Splices next to their baselines, against a known truth and on captures (HECK 4.1, 4.2, 4.4).

    python experiments/91_splicing.py

Writes docs/experiments/splicing.md and its pictures. The captures are in ../shared/mocap (CMU); without them only the
part with samples is printed. Takes about a minute.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pictures import make_smaller
from similarity_material import MOCAP, REAL

from motionloom.analysis import at_times
from motionloom.analysis.correlation import correlations
from motionloom.blend.splice import FULL, NAIVE, TIME_ONLY, Stages, splice
from motionloom.blend.splice.body import cut_named
from motionloom.blend.splice.splice import posture_difference
from motionloom.core import Clip, MotionloomError, replace
from motionloom.io import load
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import headings
from motionloom.plot.figures import save_figure
from motionloom.plot.filmstrip import save_filmstrip
from motionloom.samples import make

OUT = Path(__file__).resolve().parents[1] / "docs" / "experiments"
VARIANTS = {
    "all three stages": FULL,
    "without posture": Stages(posture=False),
    "without space": Stages(space="local"),
    "without time": Stages(time=False),
    "time only": TIME_ONLY,
    "naive": NAIVE,
}
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
    (("81_06", 1, None), ("113_18", 1, 1000), "pushing on a sidestep"),
    (("104_41", 200, 1360), ("16_35", 1, None), "zombie on a jog"),
    (("104_41", 200, 1360), ("16_15", 1, None), "zombie on a walk"),
    (("132_07", 1, None), ("16_15", 1, None), "arms out on a walk"),
    (("136_27", 1, None), ("16_15", 1, None), "tiptoe on a walk"),
    (("143_22", 1, None), ("16_15", 1, None), "football throw on a walk (fails: the shoulders matter)"),
)
INSPECT = Path(os.environ["INSPECT"]) if "INSPECT" in os.environ else None  # a folder for film strips of all splices
CRITERIA = """## The six criteria (HECK 4.4.2)

| criterion | here |
| --- | --- |
| efficient synthesis | constant time per frame once aligned, measured by `benchmarks/splicing.py` |
| efficient storage | n + m clips and as many alignments for n locomotions and m actions (`splice_table`) |
| low latency | a live character begins to fade to another action in the step of its command (0.35 s) |
| accurate motion | the two clips that were asked for; legs and root keep their bits |
| visual quality | one rotation per frame is computed; this page and its film strips show where that fails |
| automated authoring | no settings; poor alignments and clips that are too short are reported |""".splitlines()
PICTURES = ("carrying on a curve", "zombie on a jog", "football throw on a walk (fails: the shoulders matter)")


FINDINGS = """HECK's findings: the spine twists with the legs and the head turns against it in all four clips (in 113_26
by 80° only). That the upper body bobs more when it is constrained holds for the captures (of two subjects), and not for
the samples, whose arms swing in the walk and add to its bob."""


def captured(name: str, first: int, end: int | None) -> Clip:
    clip = load(MOCAP / f"{name}.bvh")
    clip = replace(clip, fps=60.0) if name.startswith("143") else clip  # captured at 60, whatever the header states
    return resample(clip[first:end], 60)


def neck_deviation(clip: Clip, lower: Clip) -> float:
    """Metres: how far the neck, relative to the hips, moves otherwise than the lower clip's own neck (fig. 4.5)."""
    neck = clip.skeleton.joint("neck")
    paths = []
    for c in (clip, lower[: len(clip)]):
        points = fk(c)
        path = points[:, neck] - points[:, 0]
        paths.append(path - path.mean(0))
    return float(np.linalg.norm(paths[0] - paths[1], axis=1).mean())


def arm_phase(clip: Clip) -> float:
    """The correlation of the hands' lead with the knees': -1 where arms swing against the legs."""
    points, heading = fk(clip), headings(clip)
    ahead = np.stack([np.sin(heading), 0 * heading, np.cos(heading)], 1)
    lead = lambda part: np.einsum(
        "fk,fk->f",
        points[:, clip.skeleton.joint(f"left_{part}")] - points[:, clip.skeleton.joint(f"right_{part}")],
        ahead,
    )
    return float(np.corrcoef(lead("hand"), lead("shin"))[0, 1])


def truth_table() -> list[str]:
    """Carrying on a turn from samples: the upper clip carries straight ahead, the lower one is a turning walk."""
    errors: dict[str, list[float]] = {name: [] for name in [*VARIANTS, "plain walk given"]}
    for seed in (4, 5, 6):
        for turn in (0.4, 0.7, -0.7):
            lower, truth = (make(n, turn=turn, speed=1.0, seconds=4, seed=seed) for n in ("walk", "carry"))
            upper = make("carry", speed=1.0, seconds=6, seed=seed + 10)
            plain = make("walk", speed=1.0, seconds=5, seed=seed + 10)
            inside = cut_named(lower.skeleton).joints
            for name in errors:
                stages = VARIANTS.get(name, FULL)
                given = plain if name == "plain walk given" else None
                clip = splice(upper, lower, stages=stages, plain=given).clip
                errors[name].append(float(np.linalg.norm(fk(clip)[:, inside] - fk(truth)[:, inside], axis=-1).mean()))
    rows = [f"| {n} | {100 * np.mean(e):.2f} | {100 * np.max(e):.2f} |" for n, e in errors.items()]
    won = sum(f < n for f, n in zip(errors["all three stages"], errors["naive"], strict=True))
    print(f"full nearer than naive in {won} of {len(errors['naive'])}")
    return [
        "| splice | mean [cm] | worst case [cm] |",
        "| --- | ---: | ---: |",
        *rows,
        "",
        f"All three stages are nearer to the truth than naive replacement in {won} of {len(errors['naive'])} cases.",
    ]


def sample_pairs() -> list[tuple[Clip, Clip, str]]:
    """Splices of samples: fast, slow and styled locomotions under actions."""
    cup, box = (make("carry", thing=thing, seconds=6, seed=2) for thing in ("cup", "box"))
    return [
        (cup, make("run", turn=0.5, seconds=3, seed=1), "cup on a curved run"),
        (box, make("walk", style="proud", seconds=4, seed=3), "box on a jaunty walk"),
        (box, make("steps", seed=2), "box up stairs"),
        (
            make("walk", style="drunk", seconds=8, seed=4),
            make("walk", style="sneak", seconds=4, seed=5),
            "drunk on sneak",
        ),
    ]


def captured_pairs() -> list[tuple[Clip, Clip, str]]:
    return [(captured(*upper), captured(*lower), title) for upper, lower, title in PAIRS]


def splice_rows(pairs: Sequence[tuple[Clip, Clip, str]]) -> list[str]:
    rows, ratios = [], []
    for a, b, title in pairs:
        upper, lower = (clip.name.removesuffix(".bvh") for clip in (a, b))
        try:
            made, naive = splice(a, b, crop=True), splice(a, b, stages=NAIVE, crop=True)
        except MotionloomError as error:
            rows.append(f"| {title} | {upper} | {lower} | {str(error)[:60]} ... | | | |")
            continue
        assert made.timing is not None
        count = min(len(made.clip), len(naive.clip))
        ratio = neck_deviation(made.clip[:count], b) / neck_deviation(naive.clip[:count], b)
        ratios.append(ratio)
        left = np.degrees(posture_difference(made.clip, at_times(made.upper, made.seconds)))
        rows.append(
            f"| {title} | {upper} | {lower} | {100 * made.timing.cost:.1f} | {ratio:.2f} | {left:.4f} | "
            f"{arm_phase(made.clip):.2f} / {arm_phase(naive.clip):.2f} |"
        )
        print(rows[-1])
        if title in PICTURES:
            name = f"splicing_{PICTURES.index(title)}.png"
            rows_of = [b[:count], naive.clip[:count], made.clip[:count]]
            titles = [f"{lower} (CMU)", "naive replacement", f"splice: {title}"]
            save_filmstrip(rows_of, OUT / name, titles=titles, poses=8)
        if INSPECT is not None:
            path = INSPECT / f"{title.replace(' ', '_')[:40]}.png"
            save_filmstrip([b[:count], naive.clip[:count], made.clip[:count]], path, poses=10)
    head = [
        "| splice | upper | lower | legs [cm] | neck / naive | posture left [deg] | arms to legs, splice / naive |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: |",
    ]
    return [
        *head,
        *rows,
        "",
        f"Neck deviation over that of naive replacement: median {np.median(ratios):.2f}, worst {np.max(ratios):.2f} "
        "(targets 0.25, 0.5).",
    ]


def study() -> tuple[list[str], Any]:
    """Figs. 4.2 and 4.3: trends of upper joints, and the findings."""
    import matplotlib.pyplot as plt

    clips = {"walk": make("walk", speed=1.0, seconds=6, seed=1), "carry": make("carry", speed=1.0, seconds=6, seed=1)}
    if REAL:
        clips |= {"walk 16_15": captured("16_15", 60, 400), "carry 113_26": captured("113_26", 100, 900)}
    lines = [
        "| clip | bob of the upper body [deg] | spine twist [deg] | neck twist [deg], against the spine "
        "| joints in phase or antiphase (global, local) |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    figure, axes = plt.subplots(2, 1, figsize=(9, 6), sharex=True)
    for k, (name, clip) in enumerate(clips.items()):
        world, local = correlations(clip, "global"), correlations(clip, "local")
        counts = [len({t.joint for t in s.trends if t.relation.startswith("in")}) for s in (world, local)]
        spine, neck = local.of("spine1", "twist", 1), local.of("neck", "twist", 1)
        apart = np.degrees(abs((spine.phase - neck.phase + np.pi) % (2 * np.pi) - np.pi))
        lines.append(
            f"| {name} | {np.degrees(world.bob()):.2f} | {np.degrees(spine.amplitude):.2f} "
            f"| {np.degrees(neck.amplitude):.2f}, {apart:.0f}° apart "
            f"| {counts[0]}, {counts[1]} of {len(world.joints)} |"
        )
        if k == 0:
            for ax, s, title, axis in (
                (axes[0], world, "global lean (fig. 4.2)", 0),
                (axes[1], local, "local twist (fig. 4.3)", 1),
            ):
                _draw(ax, s, clip.fps, axis, title)
    axes[1].set_xlabel("s")
    return lines, figure


def _draw(ax: Any, study: Any, fps: float, axis: int, title: str) -> None:
    time = np.arange(len(study.hips)) / fps
    ax.plot(time, np.degrees(study.hips[:, 0]) / 5, "k--", lw=1, label="left hip / 5")
    for joint in ("spine", "spine1", "neck", "head", "left_upper_arm"):
        k = study.joints.index(joint)
        line = ax.plot(time, np.degrees(study.curves[:, k, axis]), lw=1.5, label=joint)[0]
        ax.plot(time, np.degrees(study.signals[:, k, axis]), lw=0.5, color=line.get_color(), alpha=0.6)
    ax.set_ylabel("deg")
    ax.set_title(title)
    ax.legend(fontsize=7, ncol=6)


def main() -> None:
    page = [
        "# Splices next to their baselines",
        "",
        "Written by `experiments/91_splicing.py`. HECK 4.1, 4.2 and 4.4; guide: [splicing](../splicing.md).",
        "",
    ]
    page += [
        "## Against a known truth",
        "",
        "Carrying on a turn from samples, with carrying straight ahead as the upper clip and a turning walk as the",
        "lower one",
        "(three performers, three turns). The distance of all upper joints from the real carrying on that turn.",
        "",
    ]
    page += [*truth_table(), ""]
    lines, figure = study()
    save_figure(figure, OUT / "splicing_study.png")
    page += [
        "## Correlations of the upper body with the legs",
        "",
        "![trends of upper joints](splicing_study.png)",
        "",
        *lines,
        "",
    ]
    page += [FINDINGS, ""]
    page += ["## On samples", "", "As below, with samples.", "", *splice_rows(sample_pairs()), "", *CRITERIA, ""]
    if REAL:
        page += [
            "## On captures",
            "",
            "CMU clips, put on the body of the lower clip where the subjects differ.",
            "*Neck / naive* is how far the neck,",
            "seen from the",
            "hips, moves otherwise than the lower clip's own (fig. 4.5), over the same for naive replacement.",
            "",
            *splice_rows(captured_pairs()),
            "",
        ]
        for k, title in enumerate(PICTURES):
            page += [f"![{title}](splicing_{k}.png)", ""]
        page += [
            "The data used in this project was obtained from mocap.cs.cmu.edu. The database was created with funding",
            "from NSF",
            "EIA-0196217.",
            "",
        ]
    for picture in OUT.glob("splicing_*.png"):
        make_smaller(picture)
    (OUT / "splicing.md").write_text("\n".join(page), "utf-8")


if __name__ == "__main__":
    main()
