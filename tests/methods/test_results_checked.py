"""`check` finds nothing in results that it does not find in the clips that they were learned from."""

from __future__ import annotations

import pytest

from motionloom.constraints import Request
from motionloom.core import replace
from motionloom.evaluate import check_clips
from motionloom.io import load
from motionloom.kinematics import with_contacts
from motionloom.kinematics.trim import trim_contacts
from motionloom.methods import METHODS, learn, synthesize
from motionloom.rotation import from_axis_angle, multiply

OF_BODIES = [name for name, method in METHODS.items() if method.learns_from[0] == "clips"]
STRIDES = {"parametric-space": "turn_rate", "multilinear": "turn_rate", "verbs": "turn_rate"}
CAPTURED = {
    "walks": [f"35_0{k}" for k in range(1, 9)],
    "walks and turns": [f"16_{k}" for k in (11, 13, 15, 16, 17, 19)],
    "salsa": [f"60_{k:02d}" for k in range(1, 4)],
}
NO_SALSA = {*STRIDES, "variation"}  # they repeat strides
PAIRS = [(m, s) for m in OF_BODIES for s in CAPTURED if s != "salsa" or m not in NO_SALSA]


def kinds(clips):
    """Kinds of findings, without those about two clips, and joints that the capture does not contain."""
    return {f.kind for f in check_clips(clips)} - {"never moves", "duplicate", "mirrored duplicate"}


@pytest.mark.parametrize("method", OF_BODIES)
def test_results_from_samples_have_no_findings_of_their_own(models, tiny_clips, method):
    assert kinds([synthesize(models[method], Request(seconds=8.0), seed=1)]) <= kinds(tiny_clips)


def test_a_result_with_a_fault_has_a_finding_of_its_own(models, tiny_clips):
    made = synthesize(models["motion-graph"], Request(seconds=8.0), seed=1)
    rotations = made.rotations.copy()
    rotations[60, 5] = multiply(rotations[60, 5], from_axis_angle([1.0, 0.0, 0.0], 2.0))
    assert kinds([replace(made, rotations=rotations)]) - kinds(tiny_clips) == {"glitch"}


@pytest.mark.long
@pytest.mark.parametrize(("method", "subject"), PAIRS)
def test_results_from_captures_have_no_findings_of_their_own(mocap, method, subject):
    clips = [load(mocap / "cmu" / f"{name}.bvh", trim_tpose=True) for name in CAPTURED[subject]]
    config = {"parameter": (STRIDES[method],)} if method in STRIDES else {}
    if method == "parametric-graph":
        config = {"node": ["all clips=* parameter=turn cut=cycles"], "sources": 16, "targets": 300, "verified": 2000}
    source = [trim_contacts(with_contacts(c), "left_heel", 1) for c in clips] if method == "variation" else clips
    model = learn(method, source, config)
    for seed in (7, 11):
        assert kinds([synthesize(model, Request(seconds=15.0), seed=seed)]) <= kinds(clips)
