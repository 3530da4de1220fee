"""Finding walks, jumps and punches in all clips from one query each: precision and recall, one round or more.

    python experiments/115_finding.py

Writes docs/experiments/finding.md. Clips are in ../shared/mocap (CMU). Takes about half a minute.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from similarity_material import CREDIT, MOCAP, PAGES, REAL

from motionloom.analysis.match_web import Match, MatchWeb, build_web, find_matches
from motionloom.io import load
from motionloom.kinematics.resample import resample

FPS = 30.0
# middles of the flight of jumps with both feet, and of punches with the right hand, in frames at 30 fps without the
# T-pose: 143_05 and 143_23 labelled by eye, the other jumps from their flights, the other punches from the arm's reach
JUMPS = {
    "118_03": [63], "118_06": [47], "118_09": [47], "118_10": [53], "118_20": [68], "83_42": [87], "83_48": [76],
    "143_05": [62, 90, 115], "143_06": [57, 90, 130],
}  # fmt: skip
PUNCHES = {
    "143_23": [72, 159, 256, 348], "79_08": [40, 58, 78], "13_17": [59, 97, 156, 268, 309, 438, 655, 842, 1118, 1156],
    "17_10": [50, 59, 195, 204, 224, 393, 413, 536, 574],
}  # fmt: skip
WALKS = [
    "16_11", "16_13", "16_15", "16_16", "16_17", "16_19", "16_21", "16_23", "16_25", "16_27", "16_29", "35_01",
    "35_02", "35_03", "35_04", "35_05", "35_06", "35_07", "35_08", "69_01", "69_69", "83_27", "104_19", "104_41",
    "111_36", "113_19", "113_26", "132_02", "132_07", "136_27", "137_16", "137_26", "137_29", "143_11", "143_17",
    "143_32", "143_38",
]  # fmt: skip
QUERIES = {"walk": ("16_15", 25, 60), "jump": ("118_06", 30, 70), "punch": ("143_23", 62, 82)}


def clips() -> list[Any]:
    out = []
    for path in sorted(MOCAP.glob("*.bvh")):
        rate = 60.0 if path.name.startswith("143_") else None  # stated as 120, really 60
        out.append(resample(load(path, trim_tpose=True, fps=rate), FPS))
    return out


def judged(kind: str, names: list[str], found: list[Match]) -> tuple[int, int, int]:
    """How many matches are right, how many places are found, and how many there are."""
    if kind == "walk":
        right = [names[m.clip] in WALKS for m in found]
        return sum(right), len({names[m.clip] for m in found} & set(WALKS)), len(WALKS)
    places = [(name, at) for name, all_at in (JUMPS if kind == "jump" else PUNCHES).items() for at in all_at]
    hits = [[(n, at) for n, at in places if names[m.clip] == n and m.first <= at <= m.last] for m in found]
    return sum(bool(h) for h in hits), len({h for one in hits for h in one}), len(places)


def main() -> None:
    if not REAL:
        raise SystemExit("needs the clips of ../shared/mocap")
    material = clips()
    names = [clip.name.removesuffix(".bvh") for clip in material]
    rows = []
    for threshold in (0.08, 0.10, 0.13, 0.18):
        web: MatchWeb = build_web(material, fps=FPS, threshold=threshold)
        for kind, (clip, first, last) in QUERIES.items():
            if kind == "walk" and threshold > 0.15:
                continue
            for rounds in (1, 3):
                found = find_matches(web, names.index(clip), first, last, rounds=rounds)
                right, places, total = judged(kind, names, found)
                share = f"{right / len(found):.2f}" if found else "-"
                rows.append(
                    f"| {kind} | {100 * threshold:.0f} cm | {rounds} | {len(found)} | {share} | {places} of {total} |"
                )
                print(rows[-1], flush=True)
    frames = int(np.sum([len(clip) for clip in material]))
    text = f"""# Finding actions in many clips

One query each for walks (a cycle of 16_15), jumps with both feet (118_06) and punches with the right hand (143_23),
in the {len(material)} CMU clips of our collection ({frames} frames at 30 fps). The jumps of 143_05 and the
punches of 143_23 were labelled by eye, the other jumps by their flights and the other punches by the reach of the arm;
for walks, a match is right if its clip is one of {len(WALKS)} that show walking, and places are clips.
(`experiments/115_finding.py`)

| action | threshold | rounds | matches | precision | found |
| --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}

In the second and third round, matches are queries themselves, which finds walks of other people. Jumps of different
lengths and heights are farther apart than steps, so they need a higher threshold than the default of 10 cm; so do the
punches of other boxers, who step and turn meanwhile. A threshold that is too high takes other motion for walking.

{CREDIT}
"""
    (PAGES / "finding.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
