"""Thirty seconds of motion by every method, measured next to the clips that they were learned from.

    python experiments/93_thirty_seconds.py [SUBJECT ...] [METHOD ...]

Prints the rows of the table in docs/quality.md. Needs the captures of ../shared/mocap. Takes a few minutes.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from motionloom.constraints import Request
from motionloom.core import Clip, MotionloomError, silent
from motionloom.evaluate import check_clips
from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.evaluate.measures.table import FAMILIES, QUALITY_MEASURES, knee_quantile
from motionloom.evaluate.reference import reference
from motionloom.io import load
from motionloom.kinematics import with_contacts
from motionloom.kinematics.pace import change_rate
from motionloom.kinematics.trim import trim_contacts
from motionloom.methods import Model, learn, synthesize

MOCAP = Path(__file__).resolve().parents[2] / "shared" / "mocap"
SUBJECTS = {
    "16, walks": [f"cmu/16_{k}" for k in (11, 13, 15, 16, 17, 19, 21, 23, 25, 27, 29)],
    "35, walks": [f"cmu/35_0{k}" for k in range(1, 9)],
    "60, salsa": [f"cmu/60_{k:02d}" for k in range(1, 11)],
    "143, walks and runs": [f"cmu/143_{k}" for k in ("01", "02", "03", "04", "32", "38", "42")],
    "dogs": [
        f"dog/D1_{k}_KAN01_{n}"
        for k, n in (("007", "001"), ("009", "001"), ("009", "002"), ("010", "002"), ("010", "003"), ("010", "004"))
    ],
}
METHODS = (
    *("cuts", "motion-graph", "two-level-graph", "hierarchical-graph", "parametric-graph", "motion-matching"),
    *("texture", "textons"),
)
OF_WALKS = ("parametric-space", "multilinear", "verbs", "variation")  # methods that repeat strides
NODES = {  # of parametric graphs: actions of each subject, by their turn
    "16, walks": ["walk clips=16_* parameter=turn cut=cycles"],
    "35, walks": ["walk clips=35_* parameter=turn cut=cycles"],
    "60, salsa": ["salsa clips=60_* parameter=turn cut=cycles"],
    "143, walks and runs": [
        f"{n} clips=143_{k}* parameter=turn cut=cycles" for n, k in (("walk", "38"), ("run", "04"))
    ],
    "dogs": ["walk clips=D1_* parameter=turn cut=cycles"],
}
EDGES = {"sources": 16, "targets": 300, "verified": 2000}  # of parametric graphs
COLUMNS = ("speed changes", "root acceleration", "standing", "skate", "knee acceleration")
SEED = 7


def clips(names: list[str]) -> list[Clip]:
    return [load(MOCAP / f"{n}.bvh", fps=60 if "143_" in n else None, trim_tpose=True) for n in names]


def learned(method: str, subject: str, source: list[Clip]) -> Model:
    """A model of some clips; of walks by their turn, or of their first strides, for methods that repeat strides."""
    if method == "parametric-graph":
        return learn(method, source, {"node": NODES[subject], **EDGES})
    if method == "variation":
        return learn(method, [trim_contacts(with_contacts(clip), "left_heel", 1) for clip in source])
    return learn(method, source, {"parameter": ("turn_rate",)} if method in OF_WALKS[:3] else {})


def measures(found: list[Clip]) -> list[float]:
    """The columns of the table over some clips: pooled as `evaluate` pools those of sources."""
    against = reference(found)
    rows: dict[str, list[tuple[int, float]]] = {}
    for one in against.takes:
        for family in FAMILIES:
            if not set(family.names) & set(COLUMNS):
                continue
            with suppress(NotApplicable):  # a clip too short to have a pace
                for name, value in family.compute(one, against, silent()).items():
                    if not isinstance(value, str):
                        rows.setdefault(name, []).append((len(one), value))
    out = []
    for name in COLUMNS:
        values = rows.get(name, [(1, np.nan)])
        if name == "speed changes":
            out.append(change_rate([t.clip.root[:, [0, 2]] for t in against.takes], 30.0))
        elif name == "knee acceleration":
            out.append(knee_quantile(against.takes))
        elif QUALITY_MEASURES[name].pool == "max":
            out.append(max(v for _, v in values))
        else:
            out.append(float(np.average([v for _, v in values], weights=[n for n, _ in values])))
    return out


def row(name: str, values: list[float], more: str) -> str:
    texts = [f"{v:.1f}" if k != 2 and k != 4 else f"{v:.0f}" for k, v in enumerate(values)]
    return f"| {name} | {' | '.join(texts)} | {more} |"


def warnings(found: list[Clip]) -> set[str]:
    return {f.kind for f in check_clips(found) if f.kind not in ("never moves", "duplicate", "mirrored duplicate")}


def main() -> None:
    known = (*METHODS, *OF_WALKS)
    asked = [m for m in known if m in sys.argv[1:]]
    chosen = [name for name in sys.argv[1:] if name not in known]
    for subject, names in SUBJECTS.items():
        if chosen and not any(c in subject for c in chosen):
            continue
        source = clips(names)
        own = warnings(source)
        print(row(f"**{subject}**", measures(source), ", ".join(sorted(own))), flush=True)
        for method in asked or (known if "walks" in subject and "runs" not in subject else METHODS):
            begin = time.process_time()
            try:
                made = synthesize(learned(method, subject, source), Request(seconds=30.0), seed=SEED)
                more = sorted(warnings([made]) - own)
                print(row(method, measures([made]), ", ".join(more) or "none"), flush=True)
            except MotionloomError as error:
                print(f"| {method} | {error} |", flush=True)
            print(f"{subject} {method}: {time.process_time() - begin:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
