"""Runs every method on the same clips and writes docs/compare.md with its pictures.

    motionloom fetch cmu 16_11 16_13 16_15 16_16 16_21 -o captures
    python docs/make_compare.py --captures captures [--seconds 6] [--budget 600] [--methods cuts,motion-graph]

Computed samples first, then five captured walks; the takes of the last are drawn. Without `--captures`, samples only.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from PIL import Image

from motionloom.constraints import Request
from motionloom.core import Clip
from motionloom.evaluate import compare_methods
from motionloom.evaluate.compare.compare import Entry, MethodComparison
from motionloom.evaluate.compare.verdict import problem_lines
from motionloom.evaluate.evaluation import evaluate_take
from motionloom.evaluate.measures.prepared_clip import take
from motionloom.evaluate.reference import reference
from motionloom.evaluate.tables import comparison_rows
from motionloom.io import load
from motionloom.kinematics.mirror import mirror
from motionloom.methods import METHODS, learn, prepare, synthesize
from motionloom.plot import save_filmstrip
from motionloom.samples import make

HERE = Path(__file__).parent
PICTURES = HERE / "compare"
CLIPS = ((0, 1.3, 0.0), (1, 1.4, 0.35), (2, 1.3, -0.35), (3, 1.2, 0.1))  # seed, m/s, rad/s
CLIP_SECONDS = 6.0
SEEDS = 2
CAPTURES = ("16_11", "16_13", "16_15", "16_16", "16_21")
CREDIT = "The captured clips are from mocap.cs.cmu.edu, a database that was created with funding from NSF EIA-0196217."
BEST_FOR = {
    "cuts": "a baseline, and loops of single clips: nothing is blended, so nothing is invented",
    "hierarchical-graph": "requests with many constraints of different kinds, weighed against each other",
    "textons": "endless variation of rhythmic or expressive motion, and paths given as a sequence of textons",
    "motion-graph": "following a path or reaching places with captured steps; the closest to the clips",
    "motion-matching": "live control with quick reactions, and crowds",
    "multilinear": "one action with several parameters at once, at the cost of a lookup and a few blends",
    "verbs": "one action with moods that are given, not measured, smoothly interpolated",
    "parametric-space": "one action with exact parameters: how far, how high, how fast, where to",
    "parametric-graph": "live control by parameters of several actions, joined by good transitions",
    "texture": "detail and style on coarse keys, and limbs from different examples",
    "two-level-graph": "choosing the next move by hand, and acting out a performance with other clips",
    "variation": "many natural takes of one motion from very few examples; pen strokes",
}


BESIDE = (  # methods that do not learn motion from clips
    "`gaze` is not among them: it makes no motion, but turns the gaze of any ([gaze](gaze.md)). **Best for** looks at",
    "people and things, while walking too.",
)


def commit() -> str:
    """The commit that numbers are of."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(asked, cwd=HERE, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--seconds", type=float, default=6.0, help="length of each take")
    ask.add_argument("--budget", type=float, default=600.0, help="seconds for each method; compiling counts, too")
    ask.add_argument("--methods", default="all", help="names with commas, or `all`")
    ask.add_argument("--captures", type=Path, help="folder with CMU's walks " + ", ".join(CAPTURES))
    given = ask.parse_args()
    samples = [make("walk", seed=s, speed=v, turn=t, seconds=CLIP_SECONDS, fps=30) for s, v, t in CLIPS]
    from_clips = [name for name, method in METHODS.items() if method.learns_from[0] == "clips"]
    names = from_clips if given.methods == "all" else given.methods.split(",")
    request = Request(seconds=given.seconds)
    sets = {"Computed walks": samples}
    if given.captures is not None:
        sets["Captured walks"] = [load(given.captures / f"{name}.bvh") for name in CAPTURES]
    found = {
        title: compare_methods(clips, request, methods=names, count=SEEDS, budget=given.budget)
        for title, clips in sets.items()
    }
    mirrored = [] if given.captures is None else mirrored_walks(sets["Captured walks"], request)
    PICTURES.mkdir(exist_ok=True)
    (HERE / "compare.md").write_text("\n".join(page(found, given.seconds, mirrored)) + "\n")


def mirrored_walks(clips: Sequence[Clip], request: Request) -> list[str]:
    """What mirrored copies of cycles change: what mirrored clips, and verbs with and without copies, cover."""
    prepared = prepare(clips, max(clip.fps for clip in clips)).clips  # as `compare_methods` does
    source = reference(prepared)

    def coverage(clip: Clip) -> float:
        return evaluate_take(take(clip), source).values["coverage"].value or 0.0

    def learned(**config: str) -> float:
        model = learn("verbs", clips, config)
        return sum(coverage(synthesize(model, request, take=k)) for k in range(SEEDS)) / SEEDS

    covered = [coverage(mirror(clip)) for clip in prepared]
    low, high, with_copies, without = min(covered), max(covered), learned(), learned(mirror="none")
    return [
        "### Mirrored copies",
        "",
        "Methods that interpolate cycles also use mirrored copies of them, so that turns to both sides can be made.",
        f"This walker is not symmetric: the clips themselves, mirrored, cover {low:.0f} to {high:.0f} % of",
        f"the clips. Verbs cover {with_copies:.0f} %, and without copies (`mirror: none`) {without:.0f} %,",
        "but then they cannot turn to the other side as far. A walker whose sides differ should be learned in that way",
        "where the sides matter.",
    ]


def page(found: Mapping[str, MethodComparison], seconds: float, more: Sequence[str]) -> list[str]:
    """The lines of the page, with `more` after the tables; draws the pictures."""
    lines = [
        "# All methods on the same clips",
        "",
        f"Four computed walks of {CLIP_SECONDS:g} s (1.2 to 1.4 m/s, straight and in curves), and five captured ones",
        f"(CMU's {', '.join(CAPTURES)}: straight, veering left and right, one faster).",
        f"A request of {seconds:g} s without constraints, two seeds for each method, the same measures for all",
        "([their meaning](quality.md)). The second of these commands writes this page;",
        "`motionloom compare` does the same for your clips and request.",
        "",
        "```sh",
        f"motionloom fetch cmu {' '.join(CAPTURES)} -o captures",
        "python docs/make_compare.py --captures captures",
        "```",
        "",
        f"Made at commit {commit()}. Times depend on the machine and its load.",
    ]
    for title, compared in found.items():
        head, rows = comparison_rows(compared)
        lines += ["", f"## {title}", "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        lines += [*("| " + " | ".join(row) + " |" for row in rows), ""]
        lines += [f"- {line}" for line in problem_lines(compared)]
    lines += [*more, "", *BESIDE]
    for entry in compared.entries:
        if entry.kind == "method":
            lines += ["", *section(entry)]
    return [*lines, "", CREDIT] if len(found) > 1 else lines


def section(entry: Entry) -> list[str]:
    """What a method is best for, and a filmstrip of its first take."""
    lines = [f"## {entry.name}", "", f"{METHODS[entry.name].summary[:1].upper()}{METHODS[entry.name].summary[1:]}."]
    if entry.name in BEST_FOR:
        lines += [f"**Best for** {BEST_FOR[entry.name]}."]
    if not entry.clips:
        return [*lines, "", f"No take: {entry.reason}."]
    picture = PICTURES / f"{entry.name}.png"
    save_filmstrip(entry.clips[0], picture, dpi=90)
    drawn = Image.open(picture).convert("RGB")
    size = (min(1000, drawn.width), round(drawn.height * min(1000, drawn.width) / drawn.width))
    drawn.resize(size, Image.Resampling.LANCZOS).quantize(48).save(picture, optimize=True)
    return [*lines, "", f"![A take of {entry.name}](compare/{picture.name})"]


if __name__ == "__main__":
    main()
