"""`motionloom check`: find problems in clips."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import flag
from motionloom.cli.options import Clips, Json, plural, print_json, print_line, warn, with_reading
from motionloom.cli.progress_bars import busy

if TYPE_CHECKING:
    from motionloom.evaluate import Finding

IMPORTANCE = (
    "not checked",
    "frame rate",
    "flipped limb",
    "glitch",
    "sudden knee",
    "uneven pace",
    "frozen",
    "bone length",
    "T-pose",
)
"""Kinds of findings, the most important first; others follow."""
OF_ALL_FRAMES = ("not checked", "unreadable", "frame rate")  # kinds that concern every frame of a clip
LEFT_OUT = "left out of learning"
LINES_OF_A_KIND = 4  # printed for each clip without --all


@with_reading(omit=("trim_tpose",))
def check(
    clips: Clips,
    all_: Annotated[bool, flag("--all", "Print every finding; by default long lists of a kind are shortened.")] = False,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Find problems in clips: glitches, flips, frozen joints, T-poses, wrong frame rate, floor, bones, duplicates."""
    from motionloom.evaluate import Finding, check_files

    with busy("checking") as report:
        found, count, unreadable = check_files(clips, reading=reading, progress=report)
    found += [Finding(title, "unreadable", why) for title, why in unreadable]
    if json:
        print_json([asdict(f) for f in found])
        raise typer.Exit(1 if unreadable else 0)
    by_clip: dict[str, list[Finding]] = {}
    for f in found:
        by_clip.setdefault(f.clip, []).append(f)
    for name, findings in by_clip.items():
        print_line(name)
        for text in _lines(findings, None if all_ else LINES_OF_A_KIND):
            print_line(f"  {text}")
    faults = [f for f in found if not _is_note(f)]
    broken = [f for f in found if f.broken]
    clean = count - len({f.clip for f in faults}) + len(unreadable)
    print_line(f"{plural(count, 'clip')}, {clean} without a finding; {plural(len(faults), 'finding')}")
    if broken:
        print_line(
            f"{len(broken)} of the findings list broken frames ({LEFT_OUT}): `motionloom learn` does not use these"
        )
    if unreadable:
        warn(f"{plural(len(unreadable), 'file')} could not be read")
        raise typer.Exit(1)


def _is_note(f: Finding) -> bool:
    """Joints that a rig has and an actor does not move are no fault."""
    return f.kind == "never moves" and f.joint != "all"


def _rank(f: Finding) -> tuple[bool, bool, bool, bool, int]:
    """The most important findings have the lowest rank: of all frames, of broken frames, then by kind.

    A T-pose in frame 0, which every command drops, and notes come last.
    """
    at = IMPORTANCE.index(f.kind) if f.kind in IMPORTANCE else len(IMPORTANCE)
    return _is_note(f), f.kind == "T-pose" and f.stop == 1, f.kind not in OF_ALL_FRAMES, not f.broken, at


def _lines(found: list[Finding], limit: int | None) -> list[str]:
    """The findings of a clip by kind, the most important first, each once.

    Of more than `limit` of a kind the first ones, and how many more there are.
    """
    kinds: dict[str, list[str]] = {}
    for f in sorted(found, key=_rank):
        texts = kinds.setdefault("note" if _is_note(f) else f.kind, [])
        text = f"{f.text} ({LEFT_OUT})" if f.broken else f.text
        if text not in texts:
            texts.append(text)
    out = []
    for kind, texts in kinds.items():
        shown = texts if limit is None or len(texts) <= limit else texts[: limit - 1]
        out += [f"{kind}: {text}" for text in shown]
        if len(shown) < len(texts):
            out.append(f"{kind}: {len(texts) - len(shown)} more (--all)")
    return out
