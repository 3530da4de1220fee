"""In-betweening on CMU-24: interpolation, zero velocity, and every method that takes keyframes.

    python experiments/03_in_betweening_cmu.py [--most 40] [--methods cuts,...] [--budget 300] [-o out/experiments]

Methods are those of the table that honour a hard pose at a time. Each has a budget: learning that takes longer is begun
again with half of the clips, filling that takes longer stops with the windows it has; both are said. Prints and writes
in_betweening_cmu.md. Needs ../shared/mocap/cmu; without it, it reports that and stops.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from motionloom.core import Clip, MotionloomError
from motionloom.evaluate.inbetween import gaps as inbetween
from motionloom.evaluate.inbetween.gaps import GapResult
from motionloom.evaluate.inbetween.methods import MethodFiller, keyframe_methods
from motionloom.evaluate.inbetween.neighbours import Neighbours, departure, facing, filled, learn_neighbours
from motionloom.evaluate.inbetween.split import NAME, cmu_split
from motionloom.jobs import TimeUp, start
from motionloom.methods import Model, learn

MOCAP = Path(__file__).resolve().parents[2] / "shared" / "mocap" / "cmu"
FEWEST = 3  # training clips: a method that cannot learn from so few in its time is left out


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--most", type=int, default=40, help="test windows that the methods fill; baselines fill all")
    ask.add_argument("--clips", type=int, default=30, help="training clips that each method learns from")
    ask.add_argument("--budget", type=float, default=300.0, help="seconds for each method to learn, and again to fill")
    ask.add_argument("--methods", default="all", help="names with commas, `all`, or `none`")
    ask.add_argument("-o", "--out", type=Path, default=Path("out/experiments"))
    given = ask.parse_args()
    if not MOCAP.is_dir():
        print("needs the real clips of ../shared/mocap/cmu, which are not here")
        return
    train, test = cmu_split(MOCAP)
    scale = inbetween.scale_of(train)
    windows = len(inbetween.windows(test, *inbetween.TEST))
    learned = learn_neighbours(train)
    fillers: dict[str, inbetween.Filler] = {**inbetween.BASELINES, "neighbours": learned}
    lines = [
        f"# In-betweening on {NAME}",
        "",
        f"{len(train)} training clips, {len(test)} test clips, {windows} windows.",
        *table("All test windows", inbetween.benchmark(test, scale, fillers)),
        *table("What the training clips contain", inbetween.benchmark(test, scale, material_fillers(learned))),
    ]
    names = keyframe_methods() if given.methods == "all" else [n for n in given.methods.split(",") if n != "none"]
    if names:
        found = inbetween.benchmark(test, scale, fillers, most=given.most)
        notes: list[str] = []
        for name in names:
            found |= method_rows(name, train, test, scale, given, notes)
        lines += [*table(f"{given.most} windows, evenly chosen", found), "", *(f"- {note}" for note in notes)]
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "in_betweening_cmu.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def method_rows(
    name: str,
    train: Sequence[Clip],
    test: Sequence[Clip],
    scale: inbetween.Scale,
    given: argparse.Namespace,
    notes: list[str],
) -> dict[str, GapResult]:
    """One method's row; and interpolation's over the same windows, if the method did not fill all of them."""
    model, said = learn_within(name, train, given.clips, given.budget)
    print(f"{name}: {said}", flush=True)
    notes.append(f"{name}: {said}")
    if model is None:
        return {}
    filler, start = MethodFiller(model), perf_counter()
    (row,) = inbetween.benchmark(test, scale, {name: filler}, most=given.most, seconds=given.budget).values()
    met = filler.requested - filler.missed - filler.failed
    notes.append(
        f"{name}: {filler.requested} gaps in {perf_counter() - start:.0f} s: {met} as asked, {filler.missed} not met "
        f"exactly (its best clip is measured), {filler.failed} without an answer (interpolation is measured), "
        f"{filler.two_keys} with two keyframes instead of eleven"
        + (f"; the first: {filler.reason.splitlines()[0]}" if filler.reason else "")
    )
    print(notes[-1], flush=True)
    if row.windows == min(given.most, len(inbetween.windows(test, *inbetween.TEST))):
        return {name: row}
    same = inbetween.benchmark(
        test, scale, {"interpolation": inbetween.interpolated}, most=given.most, first=row.windows
    )
    label = f"the first {row.windows} windows"
    return {f"{name}, {label}": row, f"interpolation, {label}": same["interpolation"]}


def material_fillers(learned: Neighbours) -> dict[str, inbetween.Filler]:
    """Departures from Hermite interpolation copied from one training window.

    It is chosen by the frames that a method knows, or, as no method can, by the true frames of the gap. What the second
    gains over Hermite is in the material; what the first loses, the known frames do not determine.
    """

    def by_truth(window: Clip, gap: int) -> Clip:
        found = learned.examples[gap].departures
        away = ((found - departure(facing(window[: inbetween.PAST + gap + 1]), gap)) ** 2).sum(1)
        return filled(window, gap, found[int(away.argmin())])

    return {
        "nearest window by the known frames": replace(learned, count=1),
        "nearest window by the true frames": by_truth,
    }


def learn_within(name: str, train: Sequence[Clip], clips: int, seconds: float) -> tuple[Model | None, str]:
    """A model learned in at most so many seconds: from fewer and fewer training clips, evenly chosen, until it is."""
    late = ""
    while clips >= FEWEST:
        chosen = [train[k] for k in sorted(inbetween.evenly(len(train), clips))]
        begin = perf_counter()
        try:
            model = start(learn, name, chosen, name=name, seconds=seconds).result()
        except TimeUp:
            late += f"{len(chosen)} training clips took longer than {seconds:.0f} s; "
            clips //= 2
        except MotionloomError as error:
            return None, f"{late}learning from {len(chosen)} clips failed, so it is left out ({error})"
        else:
            return model, f"{late}learned from {len(chosen)} training clips in {perf_counter() - begin:.0f} s"
    return None, f"{late}left out"


def table(title: str, found: Mapping[str, GapResult]) -> list[str]:
    """L2P, L2Q and NPSS of every filler as one Markdown table."""
    head = "".join(f" {kind} {gap} |" for kind in ("L2P", "L2Q", "NPSS") for gap in inbetween.GAPS)
    lines = ["", f"## {title}", "", f"| |{head}", f"|---|{'---|' * (3 * len(inbetween.GAPS))}"]
    for name, row in found.items():
        cells = [
            f" {getattr(row.scores[g], k):.{4 if k == 'npss' else 3}f} |"
            for k in ("l2p", "l2q", "npss")
            for g in row.scores
        ]
        lines.append(f"| {name} |{''.join(cells)}")
    return lines


if __name__ == "__main__":
    main()
