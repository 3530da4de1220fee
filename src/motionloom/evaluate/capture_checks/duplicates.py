"""Duplicates and mirrored duplicates among clips, which would leak from training into a test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from motionloom.core import Clip, Progress, same_hierarchy, silent
from motionloom.core.progress import Silent, each, parts
from motionloom.evaluate.capture_checks.findings import Finding, in_file
from motionloom.evaluate.capture_checks.summary import MIN_FRAMES, RATE, ClipSummary, mirror_image
from motionloom.evaluate.measures.prepared_clip import at_rate
from motionloom.evaluate.measures.verbatim import verbatim_run

MAX_DISTANCE = 0.03  # of sketches of poses, per square root of joints: closer ones are candidates
MAX_ANGLE = np.radians(1.0)  # of a joint between equal frames, after resampling
MIN_SHARE = 0.7  # of the shorter clip's frames must be equal, in one run
CACHED = 8  # clips that are kept while pairs are compared
STAGE = "searching for duplicates"


class Duplicate(NamedTuple):
    """Clip `b` contains the same motion as clip `a` (indices), perhaps mirrored, for `seconds`."""

    a: int
    b: int
    mirrored: bool
    seconds: float
    start_a: int  # first common frame, at 30 fps
    start_b: int


def duplicate_findings(
    summaries: Sequence[ClipSummary], motion: Callable[[int], Clip], progress: Progress | None = None
) -> list[tuple[int, Finding]]:
    """A finding on the later clip of every pair of duplicates or mirrored duplicates."""
    out = []
    for t in find_duplicates(summaries, motion, progress=progress):
        later = motion(t.b)
        how = "a mirrored copy of" if t.mirrored else "the same take as"
        start = round(t.start_b * later.fps / RATE)
        text = f"{how} {summaries[t.a].name}: {t.seconds:.3g} s are equal, from frame {in_file(later, start)}"
        kind = "mirrored duplicate" if t.mirrored else "duplicate"
        out.append((t.b, Finding(summaries[t.b].name, kind, text, start=start, size=t.seconds, unit="s")))
    return out


def find_duplicates(
    summaries: Sequence[ClipSummary], motion: Callable[[int], Clip], *, progress: Progress | None = None
) -> list[Duplicate]:
    """Pairs of clips that share 70 % of the shorter one's frames in one run, every joint within 1 degree.

    Independent of bone lengths, position and heading. Six frames of each clip, and of its mirror image, are searched
    for among all frames of longer ones; only pairs that share three are read (`motion`) and compared in full.
    """
    report = progress or silent()
    plain = lru_cache(CACHED)(lambda i: at_rate(motion(i), RATE))
    cases = [(members, mirrored) for members in _same_bodies(summaries) for mirrored in (False, True)]
    out = []
    for (members, mirrored), step in zip(cases, parts(report, [len(m) for m, _ in cases]), strict=True):
        out += _duplicates(summaries, plain, members, mirrored=mirrored, progress=step)
    report(1.0, STAGE)
    return sorted(out, key=lambda t: (t.a, t.b))


def _same_bodies(summaries: Sequence[ClipSummary]) -> list[list[int]]:
    """Groups of clips with the same joints: only those can be duplicates."""
    groups: list[list[int]] = []
    for i, one in enumerate(summaries):
        if not len(one.poses):
            continue
        home = next((g for g in groups if same_hierarchy(summaries[g[0]].skeleton, one.skeleton)), None)
        if home is None:
            groups.append([i])
        else:
            home.append(i)
    return [g for g in groups if len(g) > 1]


def _duplicates(
    summaries: Sequence[ClipSummary],
    plain: Callable[[int], Clip],
    members: list[int],
    *,
    mirrored: bool,
    progress: Progress,
) -> list[Duplicate]:
    from scipy.spatial import cKDTree

    owner = np.concatenate([np.full(len(summaries[i].poses), i) for i in members])
    tree = cKDTree(np.concatenate([summaries[i].poses for i in members]))
    reach = MAX_DISTANCE * np.sqrt(len(summaries[members[0]].skeleton))
    out = []
    for i in each(members, progress, STAGE):
        probes, count = summaries[i].mirrored_probes if mirrored else summaries[i].probes, len(summaries[i].poses)
        hits = Counter(j for found in tree.query_ball_point(probes, reach) for j in {int(owner[k]) for k in found})
        for j, shared in hits.items():  # the shorter clip's frames are searched for in the longer one
            if 2 * shared < len(probes) or (count, i) >= (len(summaries[j].poses), j):
                continue
            clip = mirror_image(plain(i)) if mirrored else plain(i)
            assert clip is not None  # it has mirrored probes
            run = verbatim_run(clip, [plain(j)], within=MAX_ANGLE, progress=Silent(progress.stop))
            if run.length >= max(MIN_FRAMES, MIN_SHARE * len(clip)):
                starts = (run.start, run.frame) if i < j else (run.frame, run.start)
                out.append(Duplicate(min(i, j), max(i, j), mirrored, run.length / RATE, *starts))
    return out
