"""`motionloom check`: what is wrong with captures."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionloom.cli.bars import busy
from motionloom.cli.options import Clips, Fps, Json, Roles, Unit, Up, load_all, print_json, say

if TYPE_CHECKING:
    from motionloom.core import Clip
    from motionloom.evaluate.capture_checks.findings import Finding


def check(
    clips: Clips,
    all_: Annotated[
        bool, typer.Option("--all", help="Every line; otherwise a kind with many lines in a clip is cut short.")
    ] = False,
    unit: Unit = None,
    up: Up = None,
    fps: Fps = None,
    roles: Roles = None,
    json: Json = False,
) -> None:
    """What is wrong with captures before anyone learns from them: glitches, frozen joints, frame rate, twins ..."""
    from motionloom.evaluate.capture_checks.check import check as look

    loaded = _told_apart(load_all(clips, unit=unit, up=up, fps=fps, roles=roles))
    with busy("checking") as report:
        found = look(loaded, progress=report)
    if json:
        print_json([asdict(f) for f in found])
        return
    by_clip: dict[str, list[Finding]] = {}
    for f in found:
        by_clip.setdefault(f.clip, []).append(f)
    for name, lines in by_clip.items():
        say(name)
        for text in _lines(lines, None if all_ else 4):
            say(f"  {text}")
    broken = [f for f in found if f.broken]
    many = "1 clip" if len(loaded) == 1 else f"{len(loaded)} clips"
    count = "1 finding" if len(found) == 1 else f"{len(found)} findings"
    say(f"{many}, {len(loaded) - len(by_clip)} without a finding; {count}")
    if broken:
        say(f"{len(broken)} of them name broken frames: `motionloom learn` leaves those out")


def _told_apart(loaded: list[tuple[Path, Clip]]) -> list[Clip]:
    """The clips; those whose files have the same name, in other folders, are called by their paths."""
    names = Counter(clip.name for _, clip in loaded)
    return [
        clip if names[clip.name] == 1 else replace(clip, origin=replace(clip.origin, name=str(path)))
        for path, clip in loaded
    ]


def _lines(found: list[Finding], most: int | None) -> list[str]:
    kinds: dict[str, list[str]] = {}
    for f in found:
        kinds.setdefault(f.kind, []).append(f.text)
    out = []
    for kind, texts in kinds.items():
        shown = texts if most is None or len(texts) <= most else texts[: most - 1]
        out += [f"{kind}: {text}" for text in shown]
        if len(shown) < len(texts):
            out.append(f"{kind}: {len(texts) - len(shown)} more (--all)")
    return out
