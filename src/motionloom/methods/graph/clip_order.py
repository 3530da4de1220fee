"""One order of clips for every graph, so that the order in which they are given never matters."""

from __future__ import annotations

from collections.abc import Sequence

from motionloom.core import Clip
from motionloom.io.digest import clip_sha256


def in_fixed_order(clips: Sequence[Clip]) -> list[Clip]:
    """The clips by name, pieces of one clip by their first frame, and clips of the same name by their contents.

    Searches choose the first of equally good routes, and random numbers stand for places in the list of frames: both
    would otherwise depend on the order in which the files were listed.
    """
    return sorted(clips, key=_place)


def _place(clip: Clip) -> tuple[str, float, str]:
    first = float(clip.origin.main()[1][0]) if len(clip.origin) else 0.0
    return clip.name, first, clip_sha256(clip)
