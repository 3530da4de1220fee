"""Pictures report their progress, row by row, and leave no file when they are cancelled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from motionloom.core import Cancelled
from motionloom.core.progress import Silent
from motionloom.plot.filmstrip import save_filmstrip
from motionloom.plot.player import write_player
from motionloom.plot.source_pictures import save_provenance
from motionloom.samples import make

PICTURES = [(save_filmstrip, "x.png"), (write_player, "x.html"), (save_provenance, "x.png")]


class Shares(Silent):
    """Collects the shares, and cancels at the first call with a share of at least `end`."""

    def __init__(self, end: float = 2.0) -> None:
        super().__init__()
        self.shares: list[float] = []
        self.end = end

    def __call__(self, share: float | None, stage: str) -> None:
        self.shares.append(share or 0.0)
        self.stop[0] = self.shares[-1] >= self.end
        super().__call__(share, stage)


@pytest.mark.parametrize(("write", "name"), PICTURES)
def test_each_clip_is_reported_and_cancelling_leaves_no_file(
    write: Callable[..., Any], name: str, tmp_path: Path
) -> None:
    clips = [make("walk", seconds=1, seed=k) for k in range(3)]
    whole = Shares()
    write(clips, tmp_path / name, progress=whole)
    assert len(whole.shares) >= len(clips)
    assert whole.shares == sorted(whole.shares)
    assert whole.shares[-1] == 1.0
    (tmp_path / name).unlink()
    with pytest.raises(Cancelled):
        write(clips, tmp_path / name, progress=Shares(sorted(set(whole.shares))[-2]))  # the last share before the end
    assert list(tmp_path.iterdir()) == []
