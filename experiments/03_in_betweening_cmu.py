"""In-betweening on CMU-24: interpolation, zero velocity, and every method that takes keyframes.

    python experiments/03_in_betweening_cmu.py [--most 40] [--methods cuts,...] [-o out/experiments]

Prints and writes in_betweening_cmu.md. Needs ../shared/mocap/cmu; without it, it says so and stops.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

from motionloom.evaluate import inbetween
from motionloom.evaluate.keyframes import MethodFiller, keyframe_methods
from motionloom.evaluate.split import NAME, cmu_split
from motionloom.methods import learn

MOCAP = Path(__file__).resolve().parents[2] / "shared" / "mocap" / "cmu"


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--most", type=int, default=40, help="test windows that the methods fill; baselines fill all")
    ask.add_argument("--clips", type=int, default=24, help="training clips that each method learns from")
    ask.add_argument("--methods", default="all", help="names with commas, `all`, or `none`")
    ask.add_argument("-o", "--out", type=Path, default=Path("out/experiments"))
    given = ask.parse_args()
    if not MOCAP.is_dir():
        print("needs the real clips of ../shared/mocap/cmu, which are not here")
        return
    train, test = cmu_split(MOCAP)
    scale = inbetween.scale_of(train)
    windows = len(inbetween.windows(test, *inbetween.TEST))
    lines = [
        f"# In-betweening on {NAME}",
        "",
        f"{len(train)} training clips, {len(test)} test clips, {windows} windows.",
    ]
    lines += table("All test windows", inbetween.benchmark(test, scale, inbetween.BASELINES))
    names = keyframe_methods() if given.methods == "all" else [n for n in given.methods.split(",") if n != "none"]
    if names:
        fillers: dict[str, inbetween.Filler] = dict(inbetween.BASELINES)
        notes = []
        for name in names:
            start = perf_counter()
            step = max(1, len(train) // given.clips)
            fillers[name] = MethodFiller(learn(name, train[::step]))
            notes.append(f"{name} learned from {len(train[::step])} training clips in {perf_counter() - start:.0f} s")
        lines += table(
            f"{given.most} windows, evenly chosen", inbetween.benchmark(test, scale, fillers, most=given.most)
        )
        for name in names:
            filler = fillers[name]
            assert isinstance(filler, MethodFiller)
            notes.append(
                f"{name}: {filler.asked} gaps, {filler.missed} not met exactly (its best clip is measured), "
                f"{filler.failed} without an answer (interpolation is measured)"
                + (f": {filler.why.splitlines()[0]}" if filler.why else "")
            )
        lines += ["", *(f"- {note}" for note in notes)]
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "in_betweening_cmu.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def table(title: str, found: dict[str, dict[int, inbetween.Score]]) -> list[str]:
    """L2P, L2Q and NPSS of every filler as one Markdown table."""
    head = "".join(f" {kind} {gap} |" for kind in ("L2P", "L2Q", "NPSS") for gap in inbetween.GAPS)
    lines = ["", f"## {title}", "", f"| |{head}", f"|---|{'---|' * (3 * len(inbetween.GAPS))}"]
    for name, scores in found.items():
        cells = [
            f" {getattr(scores[g], k):.{4 if k == 'npss' else 3}f} |" for k in ("l2p", "l2q", "npss") for g in scores
        ]
        lines.append(f"| {name} |{''.join(cells)}")
    return lines


if __name__ == "__main__":
    main()
