"""The test vectors of the guide: the stored model, stepped, gives the stored states and poses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from motionloom.core.poses import commands
from motionloom.methods import load_model
from motionloom.methods.parametric_graph.config import LiveOptions

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "_static" / "test_vectors"
STORED = json.loads((FOLDER / "walk.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def live():
    return load_model(FOLDER / STORED["model"]).live


@pytest.mark.parametrize("drive", STORED["drives"], ids=lambda d: d["name"])
def test_a_stored_drive_is_repeated(live, drive):
    state = live.begin([drive["seed"]], options=LiveOptions(**drive["options"]))
    assert_rows(state, drive["begin"])
    expected = {step["step"]: step for step in drive["steps"]}
    for n in range(1, max(expected) + 1):
        state, poses = live.step(state, commands(**drive["commands"]), drive["dt"])
        if n in expected:
            assert_rows(state, expected[n]["state"])
            assert_rows(poses, expected[n]["pose"])


def assert_rows(found, stored):
    for key, value in stored.items():
        np.testing.assert_allclose(getattr(found, key)[0], value, atol=1e-5, err_msg=key)
