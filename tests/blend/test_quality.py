"""The numbers about a transition."""

from __future__ import annotations

from motionloom.blend import append, transition_point
from motionloom.blend.quality import window_quality


def test_a_blend_jumps_less_than_a_cut_and_plants_take_the_slide_out(stroll, march):
    point = transition_point(stroll, march, half=12)
    kept = window_quality(stroll, march, append(stroll, march, at=point), point, 12)
    plain = window_quality(stroll, march, append(stroll, march, at=point, plants=False), point, 12)
    assert kept.jump < kept.jump_cut
    assert kept.jump_cut == plain.jump_cut
    assert kept.slide is not None
    assert kept.slide <= plain.slide + 0.01
    assert len(kept.cut) == point.a + len(march) - point.b


def test_a_body_without_feet_has_no_slide(tiny):
    import numpy as np

    long = tiny[np.arange(60) % 10]
    joined = append(long, long, at=(3.0, 2.0), seconds=0.6)
    point = transition_point(long, long, half=3)
    assert window_quality(long, long, joined, point._replace(a=30, b=20), 3).slide is None
