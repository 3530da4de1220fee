"""LI figs. 1 and 7 to 11 on CMU's salsa: ends that hold, joins, two noises, longer than seen, an edit, choreography.

    python experiments/72_figures_of_li.py

Writes out/experiments/figures_of_li*.{png,json} and docs/experiments/figures_of_li.md. Needs ../shared/mocap.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from similarity_material import PAGES, publish, shrink, table
from texton_edits import frames_of, many_edits, one_edit
from texton_material import apart, commit, learned, salsa

from motionloom.constraints import PoseAt, Request
from motionloom.core import Clip, FloatArray
from motionloom.evaluate.measures.smoothness import peak_acceleration
from motionloom.kinematics.feet.skate_measures import measure_skate
from motionloom.kinematics.fk import fk
from motionloom.kinematics.local_frames import pose_distance
from motionloom.methods import synthesize
from motionloom.methods.textons import Config, TextonModel
from motionloom.methods.textons.plan.pieces import piece_of
from motionloom.methods.textons.render.edit_pose import MAX_SPREADS
from motionloom.plot import save_filmstrip
from motionloom.plot.figures import new_figure
from motionloom.plot.style import INK, LINE, PAPER, QUIET, SOURCES
from motionloom.plot.textons import observed_clip
from motionloom.plot.textons_curves import about_body, joint_spectrum

TRIES = 20  # noises
ARM = ("left_hand", "right_hand")


class Result(NamedTuple):
    """Rows of a table, and what is drawn."""

    rows: list[list[str]]
    drawn: Any


def longest_of_often(model: TextonModel, frames: int) -> int:
    """An observed segment of a texton that was seen three times or more, of about this length."""
    often = [k for k, o in enumerate(model.observed) if len(model.of_texton(o.texton)) > 2]
    return min(often, key=lambda k: abs(model.observed[k].length - frames))


def ends_that_hold(model: TextonModel, observed: int) -> Result:
    """Fig. 7: how far runs stray from the original over time, with and without end constraints."""
    piece, seen = piece_of(model.segments, observed), observed_clip(model, observed)
    ways = {
        "noise alone, ends free (LI fig. 7b)": {"drive": "noise", "ends": "free"},
        "noise alone, ends met (LI fig. 7c)": {"drive": "noise", "ends": "met"},
        "pushed as observed, ends free": {"drive": "observed", "ends": "free"},
        "pushed as observed, ends met": {"drive": "observed", "ends": "met"},
    }
    rows, curves = [], {}
    for name, how in ways.items():
        runs = []
        for seed in range(TRIES):
            noise = model.synthesizer.noise_amount(None, how["drive"])
            made = model.synthesizer.piece_frames(piece, None, np.random.default_rng(seed), noise=noise, **how)
            runs.append(100 * apart(frames_of(model, made[: piece.length]), seen))
        curve = np.mean(runs, axis=0)
        curves[name] = curve
        third = len(curve) // 3
        parts = (curve[:third], curve[third : 2 * third], curve[2 * third : -2], curve[-2:])
        rows.append([name, *(f"{part.mean():.1f}" for part in parts)])
    return Result(rows, (curves, model.fps))


def joins(model: TextonModel) -> Result:
    """Fig. 8: the step across a join, with textons made apart from each other and made to meet."""
    plan = model.plan(Request(seconds=120), np.random.default_rng(1))
    rng = np.random.default_rng(2)
    cut, met, usual = [], [], []
    for a, b, c in zip(plan.pieces, plan.pieces[1:], plan.pieces[2:], strict=False):
        alone = model.synthesizer.piece_frames(a, None, rng, noise=0.1)
        bent = model.synthesizer.piece_frames(a, b, rng, noise=0.1)
        following = model.synthesizer.piece_frames(b, c, rng, noise=0.1)
        for made, out in ((alone, cut), (bent, met)):
            out.append(100 * float(pose_distance(made[-1:], following[:1], model.skeleton)[0, 0]))
        steps = pose_distance(bent[:-1], bent[1:], model.skeleton)
        usual += (100 * np.diag(steps)).tolist()
    named = (("inside textons", usual), ("made apart (LI fig. 8a)", cut), ("made to meet (LI fig. 8b)", met))
    rows = [[name, f"{np.median(v):.2f}", f"{np.quantile(v, 0.95):.2f}", f"{max(v):.2f}"] for name, v in named]
    return Result(rows, len(plan.pieces))


def two_noises(model: TextonModel, observed: int) -> Result:
    """Fig. 9: one texton with two noises."""
    piece, seen = piece_of(model.segments, observed), observed_clip(model, observed)
    rows, drawn = [], []
    for push in ("noise", "observed"):
        amount = model.synthesizer.noise_amount(None, push)
        made = [
            frames_of(
                model, model.synthesizer.piece_frames(piece, None, np.random.default_rng(s), noise=amount, drive=push)
            )
            for s in range(TRIES)
        ]
        between = [100 * apart(made[k], made[k + 1]).mean() for k in range(0, TRIES, 2)]
        from_seen = [100 * apart(c, seen).mean() for c in made]
        peak = np.mean([peak_acceleration(fk(c), c.fps) for c in made]) / peak_acceleration(fk(seen), seen.fps)
        name = "noise alone (as LI)" if push == "noise" else "pushed as observed"
        rows.append([name, f"{amount:.2f}", f"{np.mean(between):.1f}", f"{np.mean(from_seen):.1f}", f"{peak:.2f}"])
        drawn += made[:2]
    return Result(rows, [seen, *drawn])


def longer(model: TextonModel) -> tuple[Result, str]:
    """Fig. 10: 127 frames become 188: linear stretching against new dynamics; spectrum and swings of the arm."""
    observed = min(range(len(model.observed)), key=lambda k: abs(model.observed[k].length - 127) - _arm_way(model, k))
    seen = observed_clip(model, observed)
    n, m = len(seen), round(len(seen) * 188 / 127)
    piece = dataclasses.replace(piece_of(model.segments, observed), length=m)
    rng = np.random.default_rng(0)
    clips = {"original": seen, "stretched linearly (LI fig. 10c)": stretched(seen, m)}
    for name, how in (
        ("noise alone (LI fig. 10d)", {"drive": "noise", "noise": model.synthesizer.noise_amount(None, "noise")}),
        ("mean run, no noise", {"drive": "noise", "noise": 0.0}),
        ("pushed, cycles said again", {"drive": "observed", "noise": 0.0, "lengthening": "cycles"}),
        ("pushed, slower", {"drive": "observed", "noise": 0.0, "lengthening": "slowing"}),
    ):
        clips[name] = frames_of(model, model.synthesizer.piece_frames(piece, None, rng, **how))
    rows = []
    arm = max(ARM, key=lambda j: float(np.ptp(about_body(seen, [j]), axis=0).sum()))
    way = about_body(seen, [arm])[:, 0]
    middle = way.mean(0)
    axis = np.linalg.svd(way - middle, full_matrices=False)[2][0]  # along which the hand swings most
    for name, clip in clips.items():
        hertz, power = joint_spectrum(clip, [arm])
        centre = float((hertz * power[:, 0])[1:].sum() / power[1:, 0].sum())
        speed = np.linalg.norm(np.diff(about_body(clip, [arm])[:, 0], axis=0), axis=1) * clip.fps
        turns = swings((about_body(clip, [arm])[:, 0] - middle) @ axis)
        rows.append([name, str(len(clip)), str(turns), f"{speed.mean():.2f}", f"{centre:.2f}"])
    told = f"Texton {model.observed[observed].texton}, {n} frames of {model.observed[observed].source}, made {m} long"
    return Result(rows, (clips, arm)), told


def _arm_way(model: TextonModel, observed: int) -> float:
    """How far the busier hand swings about the body, counted in frames: for choosing a segment with a wave in it."""
    clip = observed_clip(model, observed)
    return 20 * float(np.ptp(about_body(clip, ARM), axis=0).sum(-1).max())


def stretched(clip: Clip, frames: int) -> Clip:
    """In even steps from first to last, as slow motion."""
    at = np.linspace(0, len(clip) - 1, frames)
    low = np.minimum(at.astype(int), len(clip) - 2)
    part = (at - low)[:, None]
    a, b = clip.rotations[low], clip.rotations[low + 1]
    turns = a + part[..., None] * (np.sign((a * b).sum(-1, keepdims=True)) * b - a)
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    return Clip(clip.skeleton, (1 - part) * clip.root[low] + part * clip.root[low + 1], turns, clip.fps)


def swings(line: FloatArray, least: float = 0.10) -> int:
    """How often a way along a line (F,) turns back by `least` metres or more."""
    high = low = float(line[0])
    up = turns = 0
    for value in line:
        high, low = max(high, value), min(low, value)
        if up >= 0 and high - value > least:
            turns, up, low = turns + (up > 0), -1, value
        elif up <= 0 and value - low > least:
            turns, up, high = turns + (up < 0), 1, value
    return turns


def choreography(model: TextonModel, takes: tuple[Clip, ...]) -> tuple[Result, list[str]]:
    """Fig. 1: 320 frames between the poses of two frames of different takes."""
    source = [peak_acceleration(fk(c), c.fps) for c in takes]
    usual, skate = float(max(source)), np.mean([measure_skate(c).b or 0.0 for c in takes])
    rows, drawn, notes = [], [], []
    for seed, (a, b) in enumerate((((0, 0.3), (3, 0.7)), ((4, 0.4), (8, 0.9)), ((2, 0.5), (1, 0.6)))):
        places = [(t, k, round(share * len(takes[k]))) for t, (k, share) in ((0.0, a), ("end", b))]
        poses = [PoseAt(time=t, pose=takes[k][f : f + 1]) for t, k, f in places]
        asked = Request(frames=320, constraints=tuple(poses))
        clip = synthesize(model, asked, seed=seed)
        planned = model.plan(asked, np.random.default_rng([seed, 0])).pieces[:-1]  # up to the last pose
        observed = sum(model.observed[p.observed].length if p.span is None else p.span[1] - p.span[0] for p in planned)
        length = sum(p.length for p in planned) / observed
        off = [float(np.abs(p.residual(clip)).max()) for p in poses]
        path = next(n.text for n in clip.origin.notes if n.topic == "path")
        notes += [n.text for n in clip.origin.notes if "the nearest pose" in n.text]
        far = [n.split(") is ")[1].split(" cm")[0] for n in notes[-2:]]
        name = f"{takes[a[0]].name} to {takes[b[0]].name}"
        peak = peak_acceleration(fk(clip), clip.fps) / usual
        slide = (measure_skate(clip).b or 0.0) / skate
        shown = (f"{length:.2f}", f"{max(off):.1e}", f"{peak:.2f}", f"{slide:.2f}")
        rows.append([name, path[7:-1], *far, *shown])
        drawn.append(clip)
    return Result(rows, drawn), notes


def picture(fig7: Result, fig10: Result) -> Any:
    """Deviation over time, the arm's way and its spectrum."""
    figure = new_figure(13, 3.4)
    first, second, third = figure.subplots(1, 3)
    curves, fps = fig7.drawn
    for (name, curve), colour in zip(curves.items(), SOURCES, strict=False):
        first.plot(np.arange(len(curve)) / fps, curve, color=colour, lw=1.6, label=name)
    first.set(xlabel="s", ylabel="cm from the original", title="fig. 7: ends that hold")
    clips, arm = fig10.drawn
    for (name, clip), colour in zip(clips.items(), (QUIET, *SOURCES), strict=False):
        way = about_body(clip, [arm])[:, 0]
        second.plot(np.arange(len(clip)) / clip.fps, 100 * way[:, 1], color=colour, lw=3 if name == "original" else 1.3)
        hertz, power = joint_spectrum(clip, [arm])
        third.semilogy(hertz[1:13], 1e4 * power[1:13, 0], color=colour, lw=3 if name == "original" else 1.3, label=name)
    second.set(xlabel="s", ylabel="cm above the hips", title=f"fig. 10: {arm.replace('_', ' ')}")
    third.set(xlabel="Hz", ylabel="cm²/Hz", title="its spectrum")
    for ax in (first, second, third):
        ax.set_facecolor(PAPER)
        ax.grid(which="major", color=LINE, lw=0.6)
        ax.title.set(color=INK, fontsize=9)
    first.legend(frameon=False, fontsize=7, labelcolor=INK)
    third.legend(frameon=False, fontsize=7, labelcolor=INK)
    return figure


def main() -> None:
    config = Config()
    source = salsa(config)
    if source is None:
        return
    model = learned(source, config)
    takes = source.clips
    often = longest_of_often(model, 68)
    fig7, fig8, fig9 = ends_that_hold(model, often), joins(model), two_noises(model, longest_of_often(model, 100))
    fig10, told = longer(model)
    fig11, spread = Result(*one_edit(model, longest_of_often(model, 100))), many_edits(model)
    firsts: dict[int, Clip] = {}
    for clip, owner in zip(takes, source.owners.tolist(), strict=True):
        firsts.setdefault(owner, clip)
        firsts[owner] = max(firsts[owner], clip, key=len)
    fig1, notes = choreography(model, tuple(firsts[k] for k in sorted(firsts)))
    films = PAGES / "figures_of_li_films.png"
    strips = {
        "fig. 9: original": fig9.drawn[0],
        "noise alone": fig9.drawn[1],
        "another noise": fig9.drawn[2],
        "fig. 11: original": fig11.drawn[0],
        "one frame edited, arm by 30°": fig11.drawn[1],
        "arm by 90°": fig11.drawn[2],
        "fig. 1: 320 frames between two frames": fig1.drawn[0],
    }
    save_filmstrip(list(strips.values()), films, titles=list(strips), poses=9, dpi=70)
    shrink(films)
    one = model.observed[often]
    page = f"""
# LI's figures, on salsa

Textons of CMU's subject 60, as in [textons of salsa](textons_of_salsa.md). Distances are RMS over joints, bodies on
one spot and facing one way. Made at commit {commit()}.

![deviation, arm, spectrum](figures_of_li.png)

![filmstrips](figures_of_li_films.png)

## Fig. 7: one texton with and without end constraints

Texton {one.texton}, {one.length} frames of {one.source} (LI: 68), {TRIES} noises each: mean distance from the
original in cm, over the first, second and last third, and in the last two frames.

{table(["", "first third", "second", "last", "last two frames"], fig7.rows)}

## Fig. 8: the join

{fig8.drawn - 2} joins of a dance of two minutes: the step from the last frame of a texton to the first of the next,
in cm (median, 95th percentile, largest), beside the steps inside textons.

{table(["step", "median", "95 %", "largest"], fig8.rows)}

## Fig. 9: two noises

{TRIES} noises between the same ends: the amount of noise, the mean distance between two of them and from the original
in cm, and their peak acceleration as a multiple of the original's.

{table(["", "noise", "between two", "from the original", "peak acceleration"], fig9.rows)}

## Fig. 10: longer than seen

{told} (LI: 127 to 188). Swings are turning points of the {fig10.drawn[1].replace("_", " ")}, 10 cm apart at least;
its mean speed about the hips; the centre of its spectrum.

{table(["", "frames", "swings", "m/s", "Hz"], fig10.rows)}

## Fig. 11: one frame edited

The left arm turned in the middle frame of a texton, everything else left alone: distance of the edited pose from the
texton in its own spreads, whether `synthesize` warns (above {MAX_SPREADS:g}), how far the frame moved (cm), how long
the motion differs by more than a tenth of that (s), and peak acceleration as a multiple of the original's.

{table(["edit", "spreads", "warns", "moved", "seconds", "peak acceleration"], fig11.rows)}

The same for every third segment and six angles each: what the distance in spreads shows about the result.

{table(["spreads", "edits", "peak acceleration, median", "largest", "above 1.5"], spread)}

## Fig. 1: 320 frames between two frames

First and last pose are frames of different takes. How far the nearest observed pose was from each (cm), how much longer
or shorter than observed the textons were made, the largest residual of both poses (rad, allowed 0.02), and peak
acceleration and skate as multiples of the takes' (largest and mean).

{table(["from, to", "path", "first", "last", "length", "off by", "peak acceleration", "skate"], fig1.rows)}

Findings. Without ends a run strays further and further, as LI's fig. 7 shows, and with ends it comes back;
noise alone also strays between them, where nothing but the texton's dynamics holds it. Pushed as an observed segment
was, it stays within a centimetre or two and varies only in detail: more faithful, and less new. Textons made apart
jump where they join; made to meet, the step across a join is a step like any other. Linear stretching slows the arm
down and moves its spectrum to lower frequencies; dynamics keep the arm's speed and spectrum and swing it more often,
as in LI's fig. 10. The mean run without noise loses everything fast.

An edit is felt through most of its texton and, in joints that move with the arm, through the body; it stays smooth up
to about one spread, which is where the warning starts.

What is bad: with noise alone feet glide, as it moves them while they stand (see [five endless
minutes](endless_salsa.md)).
Choreography meets both poses within their tolerance and finds them where they were. Its *skate* is about the takes',
because measure (b) also counts feet that swing low and fast; feet do not move in their contacts.
"""
    numbers = {
        "7": fig7.rows,
        "8": fig8.rows,
        "9": fig9.rows,
        "10": fig10.rows,
        "11": [fig11.rows, spread],
        "1": fig1.rows,
        "notes": notes,
    }
    publish("figures_of_li", picture(fig7, fig10), numbers, page, dpi=75)


if __name__ == "__main__":
    main()
