"""Wrong frame rates, found from the free fall and the strides of all clips of a body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import Clip, Note
from motionloom.evaluate.capture_checks.findings import Finding
from motionloom.evaluate.capture_checks.free_fall import MAX_RATE_ERROR, true_rate
from motionloom.evaluate.capture_checks.stride_rate import stride_rate
from motionloom.evaluate.capture_checks.summary import ClipSummary, rate_summary
from motionloom.kinematics.body.proportions import same_bones
from motionloom.kinematics.capture.tpose import without_tpose
from motionloom.kinematics.mass import GRAVITY


def rate_findings(summaries: Sequence[ClipSummary]) -> list[tuple[int, Finding]]:
    """Clips whose frame rate is contradicted by free fall, in them or in other clips of the same body."""
    out = []
    for members in _bodies(summaries):
        group = [summaries[i] for i in members]
        rate = true_rate([f for one in group for f in one.falls])
        stated = group[0].fps
        if rate is None:
            out += _stride_findings(summaries, members)
        if rate is None or abs(np.log(rate / stated)) < np.log(1 + MAX_RATE_ERROR):
            continue
        where = ", ".join(f"{one.name} frame {one.first_fall}" for one in [one for one in group if one.falls][:3])
        fall = GRAVITY * (stated / rate) ** 2
        text = (
            f"the frame rate is wrong: {stated:g} fps is stated, but the body falls at {fall:.3g} m/s^2 in flight, "
            f"which is 9.81 at {rate:.3g} fps ({where})"
        )
        out += [(i, Finding(summaries[i].name, "frame rate", text, size=rate, unit="fps")) for i in members]
    return out


def rate_notes(clips: Sequence[Clip]) -> list[Note]:
    """Warnings about wrong frame rates, one for all clips of a body."""
    by_text: dict[str, list[str]] = {}
    for _, finding in rate_findings([rate_summary(without_tpose(clip)) for clip in clips]):
        by_text.setdefault(finding.text, []).append(finding.clip)
    more = {text: f" and {len(names) - 1} more" if len(names) > 1 else "" for text, names in by_text.items()}
    return [Note(f"{names[0]}{more[text]}: {text}", "warning") for text, names in by_text.items()]


def _stride_findings(summaries: Sequence[ClipSummary], members: Sequence[int]) -> list[tuple[int, Finding]]:
    """Clips of a body without free fall whose strides do not fit their speed."""
    stated = summaries[members[0]].fps
    found = stride_rate([s for i in members for s in summaries[i].strides], stated)
    if found is None:
        return []
    rate, length, speed = found
    text = (
        f"the frame rate may be wrong: at the stated {stated:g} fps the body walks {speed:.1f} m/s with "
        f"strides of {length:.1f} m, which people do at about {rate:.2g} fps (--source-fps)"
    )
    return [(i, Finding(summaries[i].name, "frame rate", text, size=rate, unit="fps")) for i in members]


def _bodies(summaries: Sequence[ClipSummary]) -> list[list[int]]:
    """Groups of clips of the same body at the same stated rate: one subject, recorded together."""
    groups: list[list[int]] = []
    for i, one in enumerate(summaries):
        home = next((g for g in groups if _same_body(summaries[g[0]], one)), None)
        if home is None:
            groups.append([i])
        else:
            home.append(i)
    return groups


def _same_body(a: ClipSummary, b: ClipSummary) -> bool:
    return a.fps == b.fps and a.skeleton.names == b.skeleton.names and same_bones(a.skeleton, b.skeleton)
