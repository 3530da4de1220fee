"""Trials of a study (LAU 8): which clips a participant sees, in which order. Groups are not shown to participants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from numpy.random import Generator

from motionloom.core import BadRequest, Clip
from motionloom.kinematics.resample import concatenate_aligned

CONCATENATED = 15  # clips of a long sequence
TRIALS = 15  # of a participant

QUESTIONS: Mapping[str, tuple[str, str, str]] = {
    "natural": ("How natural is this motion?", "not natural", "natural"),
    "repetitive": ("How repetitive is this motion?", "not repetitive", "repetitive"),
}
"""Experiment A and B: the question, and what ratings 1 and 9 mean."""


class Trial(NamedTuple):
    """One clip that is rated."""

    group: str
    name: str
    clip: Clip


def make_trials(
    groups: Mapping[str, Sequence[Clip]], question: str, rng: Generator, count: int = TRIALS
) -> tuple[Trial, ...]:
    """`count` trials in random order, as many of each group as of the others (one more or less).

    For "natural" a trial is a single clip; none is shown twice while there are others of its group. For "repetitive" it
    is a sequence of 15 clips: all different where the group has that many, else drawn at random ("cycle animation").
    """
    if question not in QUESTIONS:
        raise BadRequest(f"question: expected one of {', '.join(QUESTIONS)}, found {question!r}")
    if len(groups) < 2:
        raise BadRequest(f"a study compares groups of clips; expected two or more, found {len(groups)}")
    empty = [name for name, clips in groups.items() if not clips]
    if empty:
        raise BadRequest(f"group {empty[0]!r} has no clips")
    if count < len(groups):
        raise BadRequest(f"expected at least one trial for each of {len(groups)} groups, found {count}")
    names = list(groups)
    owners = [names[k % len(names)] for k in rng.permutation(len(names))][: count % len(names)]
    owners += [name for name in names for _ in range(count // len(names))]
    trials: list[Trial] = []
    for name in names:
        clips, wanted = groups[name], owners.count(name)
        if question == "natural":
            order = [int(k) for _ in range(wanted // len(clips) + 1) for k in rng.permutation(len(clips))]
            trials += [Trial(name, clips[k].name or f"clip {k}", clips[k]) for k in order[:wanted]]
        else:
            trials += [_sequence(name, clips, k, rng) for k in range(wanted)]
    return tuple(trials[k] for k in rng.permutation(len(trials)))


def _sequence(group: str, clips: Sequence[Clip], number: int, rng: Generator) -> Trial:
    """Fifteen clips in a row, each placed where the last one ended."""
    chosen = rng.choice(len(clips), CONCATENATED, replace=len(clips) < CONCATENATED)
    return Trial(group, f"{group} {number + 1}", concatenate_aligned([clips[k] for k in chosen]))
