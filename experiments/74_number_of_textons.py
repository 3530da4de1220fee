"""LI 4: how many textons? BIC and MDL over the whole range of tolerances, on captured salsa and walks.

    python experiments/74_number_of_textons.py

Writes out/experiments/number_of_textons.{png,json} and docs/experiments/number_of_textons.md. Needs ../shared/mocap.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from similarity_material import MOCAP, REAL, publish, table

from motionloom.core import Clip
from motionloom.io import load
from motionloom.kinematics.channels.metric import fit_metric_space
from motionloom.kinematics.local_frames import joined, observe
from motionloom.methods.prepare_clips import prepare
from motionloom.methods.textons import Config, TextonModel
from motionloom.methods.textons.fit import learning_settings
from motionloom.methods.textons.learn.em import learn
from motionloom.methods.textons.learn.selection import criterion
from motionloom.methods.textons.learn.training_data import TrainingData
from motionloom.plot.figures import new_figure
from motionloom.plot.style import INK, LINE, PAPER, QUIET, SOURCES

TOLERANCES = (0.1, 0.2, 0.3, 0.45, 0.55, 0.65, 0.8, 0.9, 1.0, 1.15, 1.3, 1.5, 1.7, 2.2, 3.3, 5.0)
KINDS = ("bic", "mdl")
LESS_TAKES, LESS_FPS = 6, 30.0
SUBJECTS = {"60": "salsa", "16": "walks, jogs and runs with turns"}


class Point(NamedTuple):
    """One tolerance."""

    tolerance: float
    textons: int
    once: int  # textons that were seen once
    segments: int
    costs: tuple[float, float]  # nats per frame, by `KINDS`


def material(subject: str, config: Config, most: int | None = None) -> list[Clip]:
    """The subject's clips (or the first `most`) as `learn` prepares them, those of at least two segments."""
    takes = [load(path) for path in sorted(MOCAP.glob(f"{subject}_*.bvh"))[:most]]
    clips = prepare(takes, config.fps, margin=TextonModel.glitch_margin).clips
    return [c for c in clips if len(c) >= 2 * config.shortest * c.fps]


def curve(clips: list[Clip], config: Config) -> list[Point]:
    """Textons and costs at every tolerance."""
    seen = [observe(c) for c in clips]
    data = TrainingData(seen, fit_metric_space(joined(seen), clips[0].skeleton))
    frames = sum(len(c) for c in data.clips)
    out = []
    for tolerance in TOLERANCES:
        rules = replace(learning_settings(config, clips[0].fps), tolerance=tolerance)
        found = learn(data, rules)
        arguments = (data, found.textons, found.segments, found.transitions, rules)
        costs = [criterion(*arguments, kind) / frames for kind in KINDS]
        labels = [s.label for s in found.segments]
        once = sum(labels.count(k) == 1 for k in range(len(found.textons)))
        out.append(Point(tolerance, len(found.textons), once, len(found.segments), (costs[0], costs[1])))
        print(out[-1], flush=True)
        if len(found.textons) == 1:
            break
    return out


def main() -> None:
    if not REAL:
        print(f"needs the real clips of {MOCAP.parent.name}, which are not here")
        return
    figure = new_figure(9.6, 3.0)
    text, numbers = "", {}
    for ax, (subject, what) in zip(figure.subplots(1, len(SUBJECTS)), SUBJECTS.items(), strict=True):
        config = Config()
        clips = material(subject, config)
        points = curve(clips, config)
        room = sum(int(len(c) // (config.shortest * c.fps)) for c in clips)
        numbers[subject] = [p._asdict() for p in points]
        text += section(f"Subject {subject}: {what}", clips, points, room)
        _draw(ax, points, f"{subject}, {what}")
    publish("number_of_textons", figure, numbers, PAGE.format(text=text, less=less_material()))


def less_material() -> str:
    """What is chosen with a quarter of the salsa's frames: half of them a second, of six takes."""
    config = Config(fps=LESS_FPS)
    clips = material("60", config, LESS_TAKES)
    points = curve(clips, config)
    found = [min(points, key=lambda p: p.costs[k]).textons for k in range(len(KINDS))]
    return (
        f"With {sum(map(len, clips)):,} frames ({LESS_TAKES} takes of the salsa at {LESS_FPS:g} frames a second) BIC\n"
        f"chooses {found[0]} and MDL {found[1]}."
    )


def section(title: str, clips: list[Clip], points: list[Point], room: int) -> str:
    """The table of one subject, with the least cost of each criterion in bold."""
    best = [min(points, key=lambda p: p.costs[k]) for k in range(len(KINDS))]
    rows = []
    for p in points:
        costs = [f"**{c:.2f}**" if p is best[k] else f"{c:.2f}" for k, c in enumerate(p.costs)]
        rows.append([f"{p.tolerance:g}", str(p.textons), str(p.once), str(p.segments), *costs])
    inside = [b not in (points[0], points[-1]) for b in best]
    chosen = "; ".join(
        f"{kind.upper()} chooses {b.textons} ({'inside the range' if ok else 'the end of the range'})"
        for kind, b, ok in zip(KINDS, best, inside, strict=True)
    )
    frames = sum(map(len, clips))
    return f"""
## {title}

{len(clips)} clips, {frames:,} frames at {clips[0].fps:g} fps, room for {room} segments of a second.
{chosen}.

{table(["tolerance", "textons", "seen once", "segments", "BIC [nats/frame]", "MDL [nats/frame]"], rows)}
"""


def _draw(ax: Any, points: list[Point], title: str) -> None:
    """Cost against the number of textons, one line for each criterion."""
    order = sorted(points, key=lambda p: p.textons)
    for k, kind in enumerate(KINDS):
        costs = [p.costs[k] for p in order]
        ax.plot([p.textons for p in order], costs, color=SOURCES[k], marker="o", ms=3, lw=1.4, label=kind.upper())
        ax.plot(order[costs.index(min(costs))].textons, min(costs), color=SOURCES[k], marker="o", ms=8, mfc="none")
    ax.set_xscale("log")
    ax.set_xlabel("textons", color=QUIET, fontsize=8)
    ax.set_ylabel("nats per frame", color=QUIET, fontsize=8)
    ax.set_title(title, color=INK, fontsize=9, loc="left")
    ax.set_facecolor(PAPER)
    ax.tick_params(colors=QUIET, labelsize=7)
    ax.legend(fontsize=7, frameon=False, labelcolor=INK)
    for spine in ax.spines.values():
        spine.set_color(LINE)


PAGE = """
# How many textons

LI chooses the number of textons by a threshold of the fit error. `selection: bic` and `selection: mdl` compare the cost
of several numbers instead: -log p of frames, segment starts and labels, without priors (whose normalisation differs
from number to number), and the parameters that the frames of a texton determine. Here both criteria over the whole
range with the default settings otherwise (60 frames a second).

![Cost against the number of textons; circles: the least](number_of_textons.png)
{text}
The range ends at one texton, and at tolerances so small that the number no longer grows: textons that were seen once
are dropped there where others describe their segment (`recurring`). MDL allows more textons than BIC, because it pays
for a texton's parameters at the precision of its own frames only. MDL's choice for salsa is that of the default
tolerance, 0.65.

How much material there is decides: a texton of 25 dimensions has 2,758 parameters and costs up to 12,500 nats by
BIC, which its segments have to earn. {less}
"""


if __name__ == "__main__":
    main()
