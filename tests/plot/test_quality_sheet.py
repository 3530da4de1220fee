"""The sheet of all measures."""

from __future__ import annotations

from motionloom.evaluate.evaluation import evaluate_take
from motionloom.evaluate.reference import reference
from motionloom.plot.figures import figure_bytes
from motionloom.plot.quality import quality_sheet
from motionloom.samples import make


def test_a_sheet_is_drawn_even_where_nothing_could_be_measured():
    clips = [make("walk", seconds=2, seed=s) for s in range(2)]
    for clip in (clips[0], clips[0][:2]):
        sheet = figure_bytes(quality_sheet([evaluate_take(clip, reference(clips[1:]))]))
        assert sheet[:4] == b"\x89PNG"
