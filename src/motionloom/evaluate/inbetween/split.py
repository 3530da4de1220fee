"""The fixed split of the CMU clips for in-betweening: by subject, with duplicates on the same side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from motionloom.core import Clip
from motionloom.io import load
from motionloom.methods import prepare

NAME = "CMU-24"
"""Name of results on this split. They cannot be compared with LAFAN1's: bodies, motions and statistics differ."""

DUPLICATE_SUBJECTS = ((91, 105), (77, 139), (78, 102), (83, 122), (93, 103), (106, 141))
"""Subjects of CMU that are the same takes under two numbers: both of a pair are on one side of the split."""

TEST = (35, 77, 104, 113, 127, 137)
"""Test subjects: walks, runs, jumps, stairs, sneaking, drunk and zombie walks. Every other subject trains."""

RATES = {143: 60.0}
"""Subjects whose files state a wrong frame rate, as `motionloom check` finds from free fall."""

FPS = 30.0


def subject_of(path: str | Path) -> int:
    """35 for `35_01.bvh`."""
    return int(Path(path).stem.split("_")[0])


def in_test(subject: int) -> bool:
    """Whether this subject, or its duplicate, is a test subject."""
    return any(subject in pair and set(pair) & set(TEST) for pair in DUPLICATE_SUBJECTS) or subject in TEST


def cmu_split(folder: str | Path) -> tuple[list[Clip], list[Clip]]:
    """Training and test clips of a folder of CMU files: 30 fps, without T-poses, all on the first one's skeleton.

    Roots are scaled by leg length, as for learning, so that places of all subjects can be z-scored together.
    """
    paths = sorted(Path(folder).glob("*_*.bvh"), key=lambda p: (subject_of(p), p.name))
    clips: Sequence[Clip] = prepare([load(p, fps=RATES.get(subject_of(p))) for p in paths], FPS, broken="keep").clips
    test = [in_test(subject_of(p)) for p in paths]
    return [c for c, t in zip(clips, test, strict=True) if not t], [c for c, t in zip(clips, test, strict=True) if t]
