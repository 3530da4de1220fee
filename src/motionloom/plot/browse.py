"""A page to browse many clips: animated thumbnails with length, labels and problems, in one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import BadRequest, Clip, Progress, silent
from motionloom.core.progress import each, part
from motionloom.evaluate import check_clips
from motionloom.evaluate.capture_checks.findings import Finding
from motionloom.io.atomic_files import check_place, write_whole
from motionloom.plot.player import document, page_json, player_figure

THUMBNAIL_FPS = 15.0  # frames per second that are stored
MAX_SECONDS, MIN_SECONDS = 12.0, 1.0  # of a clip, from its start
MAX_BYTES = 12_000_000  # of all thumbnails together, as far as MIN_SECONDS of each clip permit
MAX_FINDINGS = 40  # problems of one clip that are listed
BYTES_PER_NUMBER = 2 * 4 / 3  # 16 bits in base64


def write_browse_page(
    clips: Sequence[Clip],
    path: str | Path,
    *,
    titles: Sequence[str] | None = None,
    heading: str = "",
    findings: Sequence[Finding] | None = None,
    progress: Progress | None = None,
) -> None:
    """Write a page with every clip as an animated thumbnail: name, length, labels, and the problems that `check` finds.

    The page filters by name, label and problem, plays a clip large when it is clicked, and works offline. A thumbnail
    shows at most the first 12 s, less where there are so many clips that the file would become too large. `findings`
    are problems found before; each names its clip by its title.
    """
    shown = list(clips)
    names = [clip.name for clip in shown] if titles is None else list(titles)
    if len(set(names)) != len(shown):
        raise BadRequest("two clips on the page have the same title; give each clip a title of its own")
    check_place(path)
    report = progress or silent()
    if findings is None:
        renamed = [replace(c, origin=replace(c.origin, name=name)) for c, name in zip(shown, names, strict=True)]
        findings = check_clips(renamed, progress=part(report, 0.0, 0.7))
    problems: dict[str, list[Finding]] = {name: [] for name in names}
    for finding in findings:
        problems.setdefault(finding.clip, []).append(finding)
    seconds = thumbnail_seconds(shown)
    cards = [
        _card(clip, name, problems[name], seconds)
        for clip, name in each(list(zip(shown, names, strict=True)), part(report, 0.7, 1.0), "drawing")
    ]
    title = heading or f"{len(shown)} clips"
    css = (files("motionloom.plot") / "web" / "browse.css").read_text("utf-8")
    content = (
        f'<div id="browse"></div>\n<script type="application/json" id="clips">{page_json([title, cards])}</script>'
    )
    page = document(title, content, css=css, scripts=("scene.js", "player.js", "browse.js"))
    write_whole(path, [page.encode()])


def thumbnail_seconds(clips: Sequence[Clip]) -> float:
    """How many seconds of each clip the page stores, so that all together stay below `MAX_BYTES`."""
    rates = np.array([3 * BYTES_PER_NUMBER * (2 * len(clip.skeleton)) * THUMBNAIL_FPS for clip in clips])  # bytes/s
    lengths = np.array([clip.seconds for clip in clips])
    low, high = MIN_SECONDS, MAX_SECONDS
    if (rates * np.minimum(lengths, high)).sum() <= MAX_BYTES:
        return high
    for _ in range(30):
        middle = (low + high) / 2
        fits = (rates * np.minimum(lengths, middle)).sum() <= MAX_BYTES
        low, high = (middle, high) if fits else (low, middle)
    return low


def _card(clip: Clip, name: str, problems: Sequence[Finding], seconds: float) -> dict[str, Any]:
    """What the page stores of one clip."""
    start = clip[: max(1, round(seconds * clip.fps))]
    return {
        "name": name,
        "seconds": round(clip.seconds, 2),
        "shown": round(start.seconds, 2),
        "fps": round(clip.fps, 3),
        "frames": len(clip),
        "joints": len(clip.skeleton),
        "labels": [label for label in clip.label_names if not label.startswith("contact:")],
        "problems": [[f.kind, f.text, int(f.broken)] for f in problems[:MAX_FINDINGS]],
        "more": max(0, len(problems) - MAX_FINDINGS),
        "figure": player_figure(start, name, THUMBNAIL_FPS),
    }
